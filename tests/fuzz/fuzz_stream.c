/* Any bytes as a sample stream: refused with a sentence that names file and line, or a stream that
 * every technique works on, and the same when written and read again. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

static void try_techniques(const struct stream *s) {
    size_t count;
    const struct technique *const *all = techniques(&count);
    for (size_t i = 0; i < count; i++) {
        if (all[i]->build == NULL || all[i]->needs_structure)
            continue;
        struct error e = {0};
        struct profile p;
        /* Small values, so that short inputs reach far into the algorithms. */
        const int64_t values[TECHNIQUE_PARAMETERS] = {2, 5, 1, 0, 0, 0, 0, 0};
        if (s->of == STREAM_OF_BRANCHES && technique_fits(all[i], s, values, &e) != STATUS_OK)
            continue;
        if (all[i]->build(&p, s, SIZE_MAX, values, &e) != STATUS_OK)
            abort();
        for (size_t k = 0; k < p.graph.edge_count; k++)
            if (graph_find_block(&p.graph, p.graph.edges[k].source) == NULL ||
                graph_find_block(&p.graph, p.graph.edges[k].target) == NULL)
                abort();
        profile_free(&p);
    }
}

/* The successor of each sample: its target, or the next one's pc; unknown at the end of a batch. */
static void check_targets(const struct sample *batch, size_t length) {
    for (size_t k = 0; k < length; k++) {
        const uint64_t target = sample_target(batch, length, k);
        const bool direct = batch[k].kind == INSN_BRANCH || batch[k].kind == INSN_JUMP ||
                            batch[k].kind == INSN_CALL;
        if ((batch[k].kind == INSN_PLAIN) == sample_is_transfer(&batch[k]) ||
            target != (direct           ? batch[k].target
                       : k + 1 < length ? batch[k + 1].pc
                                        : STREAM_NOWHERE))
            abort();
    }
}

static void check_batches(const struct stream *s) {
    uint64_t samples = 0;
    for (size_t i = 0; i < s->batch_count; i++) {
        const size_t length = stream_batch_length(s, i);
        if (length == 0 || length > s->batch_length)
            abort();
        check_targets(stream_batch(s, i), length);
        samples += length;
    }
    if (samples != stream_samples(s, s->batch_count))
        abort();
}

static void write_and_read(const struct stream *s) {
    const char *path = fuzz_path("again.isampling");
    struct stream again;
    struct error e = {0}, warning;
    if (stream_write(s, path, "image", &e) != STATUS_OK ||
        stream_read(&again, path, &warning, &e) != STATUS_OK)
        abort();
    if (stream_hash(&again) != stream_hash(s))
        abort();
    stream_free(&again);
    if (stream_write(s, path, "two\tfields", &e) != STATUS_ARGUMENT ||
        stream_write(s, fuzz_path("no-folder/again"), "image", &e) != STATUS_IO)
        abort();
}

/* As the sampler records them, with opcodes: the same is read back. */
static void write_with_opcodes(struct stream *s) {
    static const uint8_t opcodes[] = {
        [INSN_PLAIN] = 0xa9,         [INSN_BRANCH] = 0xd0, [INSN_JUMP] = 0x4c, [INSN_CALL] = 0x20,
        [INSN_JUMP_INDIRECT] = 0x6c, [INSN_RETURN] = 0x60, [INSN_RTI] = 0x40,  [INSN_BRK] = 0x00,
    };
    for (size_t i = 0; i < s->distinct_count; i++)
        for (size_t k = 0; k < stream_distinct_length(s, i); k++) {
            struct sample *sample = &s->batches[stream_distinct(s, i) - s->batches + (ptrdiff_t)k];
            sample->opcode = opcodes[sample->kind];
        }
    write_and_read(s);
}

/* A JAM has no type of its own. */
static void write_jam(void) {
    struct sample jam = {.pc = 0x8000, .size = 1, .kind = INSN_JAM, .opcode = 0x02};
    const struct stream s = {.batches = &jam, .batch_length = 1, .batch_count = 1};
    const char *path = fuzz_path("jam.isampling");
    struct stream again;
    struct error e = {0};
    if (stream_write(&s, path, "image", &e) != STATUS_OK ||
        stream_read(&again, path, NULL, &e) != STATUS_OK || again.batches[0].kind != INSN_PLAIN)
        abort();
    stream_free(&again);
}

static void try_without_memory(const char *path) {
    for (unsigned nth = 1; fuzz_fail_allocation(nth); nth = fuzz_later(nth)) {
        struct stream s;
        struct error e = {0};
        enum status status = stream_read(&s, path, NULL, &e);
        if (!fuzz_allocation_failed()) {
            stream_free(&s);
            return;
        }
        if (status != STATUS_MEMORY || s.batches != NULL)
            abort();
    }
}

static void look_thoroughly(const uint8_t *data, size_t size) {
    struct stream s;
    struct error e = {0}, warning = {0};
    const char *path = fuzz_file("fuzz.isampling", data, size);
    enum stream_of of = STREAM_OF_BATCHES;
    const enum status peeked = stream_peek(&of, path, NULL);
    if (stream_read(&s, path, &warning, &e) == STATUS_OK) {
        if (peeked != STATUS_OK || of != s.of)
            abort();
        write_and_read(&s);
        write_with_opcodes(&s);
        write_jam();
    } else if (strncmp(e.text, path, strlen(path)) != 0) {
        abort();
    }
    stream_free(&s);
    if (size <= FUZZ_SHORT)
        /* Written again: names of files are kept for a few calls only. */
        try_without_memory(fuzz_file("fuzz.isampling", data, size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct stream s;
    struct error e = {0}, warning = {0};
    if (stream_parse(&s, (const char *)data, size, "fuzz.isampling", &warning, &e) == STATUS_OK) {
        check_batches(&s);
        try_techniques(&s);
    } else if (s.batches != NULL || strncmp(e.text, "fuzz.isampling:", 15) != 0) {
        abort();
    }
    stream_free(&s);
    if (fuzz_thorough())
        look_thoroughly(data, size);
    return 0;
}
