/* Any bytes as a stream and a few configurations: building together and directly gives equal
 * results. The bytes are a program of few instructions, some of which overlap, and batches of them,
 * which repeat. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

enum { POINTS = 12, MARKS = 2 };

struct found {
    struct profile profiles[POINTS][MARKS];
    size_t got[POINTS];
};

static enum status keep(void *user, size_t point, size_t batches, struct profile *p,
                        struct error *e) {
    (void)batches, (void)e;
    struct found *f = user;
    if (f->got[point] == MARKS)
        abort();
    f->profiles[point][f->got[point]++] = *p;
    p->graph = (struct graph){0};
    return STATUS_OK;
}

static void expect_same(const struct profile *a, const struct profile *b) {
    if (a->bins != b->bins || a->low != b->low || a->high != b->high ||
        a->cost.steps != b->cost.steps || a->cost.records != b->cost.records ||
        a->graph.edge_count != b->graph.edge_count || a->graph.block_count != b->graph.block_count)
        abort();
    for (size_t i = 0; i < a->graph.edge_count; i++)
        if (a->graph.edges[i].source != b->graph.edges[i].source ||
            a->graph.edges[i].target != b->graph.edges[i].target ||
            a->graph.edges[i].count != b->graph.edges[i].count)
            abort();
    for (size_t i = 0; i < a->graph.block_count; i++)
        if (a->graph.blocks[i].entry != b->graph.blocks[i].entry ||
            a->graph.blocks[i].last != b->graph.blocks[i].last)
            abort();
}

static void free_found(struct found *f) {
    for (size_t i = 0; i < POINTS; i++)
        for (size_t k = 0; k < f->got[i]; k++)
            profile_free(&f->profiles[i][k]);
}

/* Two bytes for each instruction: its address and its kind. */
static struct sample sample_of(const uint8_t *at) {
    static const uint8_t kinds[] = {INSN_PLAIN, INSN_PLAIN,  INSN_BRANCH, INSN_CALL,
                                    INSN_JUMP,  INSN_RETURN, INSN_RTI,    INSN_JAM};
    struct sample s = {.pc = at[0] < 240 ? at[0] : UINT32_MAX - 255 + at[0],
                       .size = (uint8_t)(1 + (at[1] >> 3) % 4),
                       .kind = kinds[at[1] & 7]};
    if (s.kind == INSN_BRANCH || s.kind == INSN_CALL || s.kind == INSN_JUMP)
        s.target = (uint32_t)(at[0] + (at[1] >> 5) * 3) & 0xFF;
    return s;
}

static bool make_stream(struct stream *out, size_t length, const uint8_t *data, size_t size) {
    struct stream_maker m = {.stream.batch_length = length};
    struct sample batch[16] = {{0}};
    bool ok = true;
    while (ok && size > 0 && m.stream.batch_count < 2000) {
        /* A byte says whether an earlier batch is repeated, and how often. */
        const size_t times = 1 + data[0] % 16, back = data[0] / 16;
        data++, size--;
        if (back > 0 && back <= m.stream.batch_count) {
            memcpy(batch, stream_batch(&m.stream, m.stream.batch_count - back),
                   length * sizeof *batch);
        } else if (size >= 2 * length) {
            for (size_t i = 0; i < length; i++)
                batch[i] = sample_of(data + 2 * i);
            data += 2 * length, size -= 2 * length;
        } else {
            break;
        }
        for (size_t i = 0; ok && i < times; i++)
            ok = stream_add(&m, batch);
    }
    *out = stream_made(&m);
    return ok;
}

static enum status build(struct found *f, const struct stream *s, const uint8_t *data, bool direct,
                         struct error *e) {
    int64_t values[POINTS][TECHNIQUE_PARAMETERS] = {{0}};
    struct build_point points[POINTS];
    const size_t marks[MARKS] = {s->batch_count / 2, s->batch_count};
    *f = (struct found){0};
    for (size_t i = 0; i < POINTS; i++) {
        values[i][0] = data[i % 4] % 12;
        values[i][1] = data[i % 3] % 24;
        values[i][2] = 1 + data[4] % (int64_t)s->batch_length;
        values[i][3] = (data[5] + i) % 9;
        values[i][4] = data[6] >> i % 8 & 1;
        points[i] = (struct build_point){values[i], marks, MARKS};
    }
    const struct build_request r = {.stream = s,
                                    .points = points,
                                    .point_count = POINTS,
                                    .direct = direct,
                                    .together = true,
                                    .each = keep,
                                    .user = f};
    return technique_build_many(technique_find("gaussian"), &r, e);
}

static void try_without_memory(const struct stream *s, const uint8_t *data) {
    for (unsigned nth = 1; fuzz_fail_allocation(nth); nth = fuzz_later(nth)) {
        struct found f;
        struct error e = {0};
        const enum status status = build(&f, s, data, false, &e);
        free_found(&f);
        if (!fuzz_allocation_failed())
            return;
        if (status != STATUS_MEMORY)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { HEAD = 8 };
    struct stream s;
    if (size < HEAD)
        return 0;
    if (!make_stream(&s, 1 + data[7] % 16, data + HEAD, size - HEAD))
        abort();
    struct found many, direct;
    struct error e = {0};
    if (build(&many, &s, data, false, &e) != STATUS_OK ||
        build(&direct, &s, data, true, &e) != STATUS_OK)
        abort();
    for (size_t i = 0; i < POINTS; i++)
        for (size_t k = 0; k < MARKS; k++)
            expect_same(&many.profiles[i][k], &direct.profiles[i][k]);
    free_found(&many);
    free_found(&direct);
    if (size <= 256 && fuzz_thorough())
        try_without_memory(&s, data);
    stream_free(&s);
    return 0;
}
