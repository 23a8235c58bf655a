/*
 * GFCGaussiano against a slow version of its own that follows the specification word by word:
 * linear searches, sets as arrays, real recursion. If this fails, some stream's graph is not what
 * the prototype would have made of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "tests/support/random.h"

enum { SPACE = 1024, BASE = 0xC000, MOST_BINS = 512, MOST_MEANS = 256, MOST_BLOCKS = 256 };

struct slow_bin {
    uint32_t address, means[MOST_MEANS];
    int count, mean_count;
};

struct slow {
    const int64_t *v; /* bin_size, stdev_threshold, window_size, recurrent_threshold, builder */
    struct slow_bin bins[MOST_BINS];
    int bin_count;
    bool targets[SPACE];
    struct {
        uint32_t entry;
        bool done, bytes[SPACE];
    } blocks[MOST_BLOCKS];
    int block_count;
    uint64_t edges[MOST_BLOCKS][MOST_BLOCKS], low, high;
    bool equal_addresses, unfinished_grew; /* rare events that the streams must provoke */
    const struct sample *batch;
    int length, cursor;
};

static int slow_block_at(const struct slow *s, uint32_t a) {
    for (int b = 0; b < s->block_count; b++)
        if (s->blocks[b].bytes[a - BASE])
            return b;
    return -1;
}

static double slow_distance(const struct slow_bin *b, uint32_t a) {
    double sum = 0;
    for (int i = 0; i < b->mean_count; i++)
        sum += b->means[i];
    return fabs(sum / b->mean_count - a);
}

static int slow_lower_bound(const struct slow *s, uint32_t a) {
    int pos = 0;
    while (pos < s->bin_count && s->bins[pos].address < a)
        pos++;
    return pos;
}

static struct slow_bin *slow_nearest(struct slow *s, uint32_t a, double *distance) {
    int pos = slow_lower_bound(s, a), last = s->bin_count - 1;
    double before = pos > 0 ? slow_distance(&s->bins[pos - 1], a) : INFINITY;
    double after = pos + 1 <= last ? slow_distance(&s->bins[pos + 1], a) : INFINITY;
    double here = pos <= last ? slow_distance(&s->bins[pos], a) : INFINITY;
    int taken = before < after ? pos - 1 : pos + 1;
    *distance = before < after ? before : after;
    if (here < *distance) {
        taken = pos;
        *distance = here;
    }
    return s->bin_count == 0 ? NULL : &s->bins[taken];
}

static void slow_put(struct slow *s, uint32_t mean) {
    double distance;
    struct slow_bin *bin = slow_nearest(s, mean, &distance);
    if (bin == NULL || distance > (double)s->v[0]) {
        int pos = slow_lower_bound(s, mean);
        assert_true(s->bin_count < MOST_BINS);
        s->equal_addresses |= pos < s->bin_count && s->bins[pos].address == mean;
        memmove(&s->bins[pos + 1], &s->bins[pos], (size_t)(s->bin_count - pos) * sizeof *s->bins);
        s->bin_count++;
        s->bins[pos] = (struct slow_bin){.address = mean, .means = {mean}, 1, 1};
        return;
    }
    bin->count++;
    for (int i = 0; i < bin->mean_count; i++)
        if (bin->means[i] == mean)
            return;
    assert_true(bin->mean_count < MOST_MEANS);
    bin->means[bin->mean_count++] = mean;
}

static void slow_target(struct slow *s, uint64_t address) {
    if (s->v[4] == 0 && address != STREAM_NOWHERE)
        s->targets[address - BASE] = true;
}

static bool slow_recurrent(struct slow *s, uint32_t pc, bool *has_bin) {
    double distance;
    const struct slow_bin *bin = slow_nearest(s, pc, &distance);
    *has_bin = bin != NULL;
    return bin != NULL && bin->count > s->v[3];
}

static void slow_build(struct slow *s, bool just_build);

/* Step 3's loop, a to d; returns the instruction that was taken last. */
static int slow_grow(struct slow *s, int b, int i) {
    while (!s->blocks[b].done) {
        uint32_t pc = s->batch[i].pc;
        int x = slow_block_at(s, pc);
        if (x >= 0 && s->blocks[x].entry != s->blocks[b].entry) {
            s->blocks[b].done = true;
            s->edges[b][x]++;
            break;
        }
        if (!s->blocks[b].bytes[pc - BASE])
            for (uint32_t k = 0; k < s->batch[i].size; k++)
                s->blocks[b].bytes[pc + k - BASE] = true;
        if (sample_is_transfer(&s->batch[i])) {
            s->blocks[b].done = true;
            if (i + 1 == s->length)
                break;
            uint32_t t = s->batch[i + 1].pc;
            slow_target(s, t);
            slow_build(s, false);
            if (slow_block_at(s, t) >= 0)
                s->edges[b][slow_block_at(s, t)]++;
        }
        if (s->cursor == s->length)
            break;
        i = s->cursor++;
    }
    return i;
}

static int slow_new_block(struct slow *s, uint32_t entry) {
    assert_true(s->block_count < MOST_BLOCKS);
    s->blocks[s->block_count].entry = entry;
    return s->block_count++;
}

static void slow_build(struct slow *s, bool just_build) {
    while (s->cursor < s->length) {
        int i = s->cursor++;
        bool has_bin;
        if (sample_is_transfer(&s->batch[i]))
            slow_target(s, sample_target(s->batch, (size_t)s->length, (size_t)i));
        bool recurrent = slow_recurrent(s, s->batch[i].pc, &has_bin);
        if (!has_bin && !just_build)
            return;
        bool target = s->v[4] == 1 || s->targets[s->batch[i].pc - BASE];
        if ((recurrent || just_build) && (target || just_build)) {
            int b = slow_block_at(s, s->batch[i].pc);
            s->unfinished_grew |= b >= 0 && !s->blocks[b].done;
            i = slow_grow(s, b >= 0 ? b : slow_new_block(s, s->batch[i].pc), i);
        }
        if (sample_is_transfer(&s->batch[i]) && i + 1 < s->length) {
            int from = slow_block_at(s, s->batch[i].pc), to = slow_block_at(s, s->batch[i + 1].pc);
            if (from >= 0 && to >= 0)
                s->edges[from][to]++;
        }
    }
}

static void slow_high(struct slow *s) {
    while (s->cursor < s->length) {
        int i = s->cursor++;
        bool has_bin;
        if (!sample_is_transfer(&s->batch[i]))
            continue;
        slow_target(s, sample_target(s->batch, (size_t)s->length, (size_t)i));
        bool recurrent = slow_recurrent(s, s->batch[i].pc, &has_bin);
        int b = slow_block_at(s, s->batch[i].pc);
        if (!has_bin || b < 0 || !recurrent || i + 1 == s->length)
            continue;
        uint32_t next = s->batch[i + 1].pc;
        int o = slow_block_at(s, next);
        if (o < 0) {
            slow_build(s, true);
            o = slow_block_at(s, next);
        }
        if (o >= 0)
            s->edges[b][o]++;
    }
}

static void slow_batch(struct slow *s) {
    int window = (int)s->v[2], n = s->length - window + 1;
    int64_t means[64], sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        int64_t total = 0;
        for (int k = 0; k < window; k++)
            total += s->batch[i + k].pc;
        means[i] = total / window;
        sum += means[i];
        squares += means[i] * means[i];
    }
    s->cursor = 0;
    if (n * squares - sum * sum <= n * s->v[1] * n * s->v[1]) {
        s->low++;
        for (int i = 0; i < n; i++)
            slow_put(s, (uint32_t)means[i]);
        slow_build(s, false);
    } else {
        s->high++;
        slow_high(s);
    }
}

/* ---- streams with everything that is rare in real ones ---- */

struct program {
    struct sample code[SPACE];
};

static void random_program(struct random *r, struct program *p) {
    uint32_t reach = random_chance(r, 50) ? 20 : 200;
    for (uint32_t a = 0; a < SPACE; a++) {
        static const uint8_t kinds[] = {INSN_PLAIN,  INSN_PLAIN, INSN_PLAIN, INSN_PLAIN,
                                        INSN_BRANCH, INSN_CALL,  INSN_JUMP,  INSN_RETURN};
        uint32_t far = a + random_below(r, 2 * reach) + SPACE - reach;
        p->code[a] = (struct sample){.pc = BASE + a,
                                     .kind = kinds[random_below(r, 8)],
                                     .size = (uint8_t)(1 + random_below(r, 3))};
        if (p->code[a].kind != INSN_PLAIN && p->code[a].kind != INSN_RETURN)
            p->code[a].target = BASE + far % (SPACE / 4);
    }
}

/* Overlapping instructions come from walking into any byte; walks are confined to a quarter of the
 * space, so that all bytes of all blocks stay inside. */
static struct stream random_stream(struct random *r) {
    static struct program p;
    random_program(r, &p);
    struct stream s = {.batch_length = 1 + random_below(r, 40), .batch_count = 150};
    s.batches = calloc(s.batch_length * s.batch_count, sizeof *s.batches);
    assert_non_null(s.batches);
    uint32_t at = 0, scatter = random_below(r, 3) * 10;
    for (size_t i = 0; i < s.batch_length * s.batch_count; i++) {
        if (i % s.batch_length == 0 && random_chance(r, 50))
            at = random_below(r, SPACE / 4);
        const struct sample *insn = &p.code[at % (SPACE / 4)];
        s.batches[i] = *insn;
        at = insn->pc - BASE + insn->size;
        if (insn->target != 0 && (insn->kind != INSN_BRANCH || random_chance(r, 60)))
            at = insn->target - BASE;
        if (insn->kind == INSN_RETURN || random_chance(r, scatter))
            at = random_below(r, SPACE / 4);
    }
    return s;
}

/* Lone instructions, mostly as far from the centroid of those before as a bin reaches: the centroid
 * follows them until the mean that made the bin is too far from it and makes another bin of the
 * same address. */
static struct stream drifting_stream(struct random *r, uint32_t bin_size) {
    struct stream s = {.batch_length = 1, .batch_count = 40};
    s.batches = calloc(s.batch_count, sizeof *s.batches);
    assert_non_null(s.batches);
    uint32_t sum = 0, count = 1;
    for (size_t i = 0; i < s.batch_count; i++) {
        uint32_t at = random_chance(r, 60) ? sum / count + bin_size
                                           : random_below(r, 2) * random_below(r, 50);
        s.batches[i] = (struct sample){.pc = BASE + at, .size = 1, .kind = INSN_PLAIN};
        sum += i > 0 ? at : 0;
        count += i > 0;
    }
    return s;
}

static void assert_same(const struct profile *p, const struct slow *s) {
    size_t edges = 0;
    for (int a = 0; a < s->block_count; a++)
        for (int b = 0; b < s->block_count; b++) {
            const struct edge *e =
                graph_find_edge(&p->graph, s->blocks[a].entry, s->blocks[b].entry);
            assert_int_equal(e == NULL ? 0 : e->count, s->edges[a][b]);
            edges += s->edges[a][b] != 0;
        }
    assert_int_equal(p->graph.edge_count, edges);
    assert_int_equal(p->graph.block_count, s->block_count);
    for (int b = 0; b < s->block_count; b++) {
        const struct block *block = graph_find_block(&p->graph, s->blocks[b].entry);
        assert_non_null(block);
        for (uint32_t a = block->entry; a <= block->last; a++)
            assert_true(s->blocks[b].bytes[a - BASE]);
    }
    assert_int_equal(p->bins, s->bin_count);
    assert_int_equal(p->low, s->low);
    assert_int_equal(p->high, s->high);
}

static void test_random_streams(void **state) {
    (void)state;
    struct random r = {.seed = 8};
    const struct technique *gaussian = technique_find("gaussian");
    struct slow *slow = malloc(sizeof *slow);
    assert_non_null(slow);
    int equal_addresses = 0, unfinished_grew = 0, low = 0, high = 0;
    for (int round = 0; round < 600; round++) {
        uint32_t bin_size = random_below(&r, 16);
        struct stream stream = round % 3 == 0 ? drifting_stream(&r, bin_size) : random_stream(&r);
        struct profile p;
        struct error e = {0};
        const int64_t values[TECHNIQUE_PARAMETERS] = {
            bin_size, random_below(&r, 30), 1 + random_below(&r, (uint32_t)stream.batch_length),
            random_below(&r, 10), random_below(&r, 2)};
        memset(slow, 0, sizeof *slow);
        slow->v = values;
        slow->length = (int)stream.batch_length;
        for (size_t b = 0; b < stream.batch_count; b++) {
            slow->batch = stream.batches + b * stream.batch_length;
            slow_batch(slow);
        }
        assert_int_equal(gaussian->build(&p, &stream, SIZE_MAX, values, &e), STATUS_OK);
        assert_same(&p, slow);
        equal_addresses += slow->equal_addresses;
        unfinished_grew += slow->unfinished_grew;
        low += slow->low > 0;
        high += slow->high > 0;
        profile_free(&p);
        stream_free(&stream);
    }
    free(slow);
    /* else the streams have not shown what they are here for */
    assert_true(equal_addresses > 10 && unfinished_grew > 10 && low > 10 && high > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
