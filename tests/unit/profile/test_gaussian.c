/*
 * GFCGaussiano against golden results of its authors' prototype. If these fail, the bench measures
 * some other algorithm under the paper's name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/gaussian/bins.h"
#include "profile/profile.h"

static const struct technique *gaussian(void) {
    const struct technique *t = technique_find("gaussian");
    assert_non_null(t);
    return t;
}

/* ---- golden cases: tests/data/gfcgaussiano/NAME.PARAMETERS.txt on NAME.isampling.gz ---- */

struct golden {
    int64_t values[TECHNIQUE_PARAMETERS];
    uint64_t batches, low, high, bins, blocks, edges;
};

static struct golden golden_header(const char *text) {
    struct golden g = {0};
    int got = sscanf(text,
                     "# bin_size %" SCNd64 " stdev_threshold %" SCNd64 " window_size %" SCNd64
                     " recurrent_threshold %" SCNd64 " builder %" SCNd64 " # batches %" SCNu64
                     " low %" SCNu64 " high %" SCNu64 " bins %" SCNu64 " blocks %" SCNu64
                     " edges %" SCNu64,
                     &g.values[0], &g.values[1], &g.values[2], &g.values[3], &g.values[4],
                     &g.batches, &g.low, &g.high, &g.bins, &g.blocks, &g.edges);
    assert_int_equal(got, 11);
    return g;
}

static void assert_same_edges(const struct graph *a, const struct graph *b, const char *name) {
    assert_int_equal(a->edge_count, b->edge_count);
    for (size_t i = 0; i < a->edge_count; i++) {
        const struct edge *x = &a->edges[i], *y = &b->edges[i];
        if (x->source != y->source || x->target != y->target || x->count != y->count)
            fail_msg("%s: edge 0x%x -> 0x%x %" PRIu64 ", expected 0x%x -> 0x%x %" PRIu64, name,
                     x->source, x->target, x->count, y->source, y->target, y->count);
    }
}

static void load_stream(struct stream *s, const char *name, int name_len) {
    char path[512];
    struct error e = {0}, warning = {0};
    snprintf(path, sizeof path, TEST_DATA "/gfcgaussiano/%.*s.isampling.gz", name_len, name);
    if (stream_read(s, path, &warning, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    assert_string_equal(warning.text, "");
}

static void check_golden(const char *file) {
    char path[512];
    struct error e = {0};
    struct bytes text;
    struct graph expected;
    struct stream stream;
    struct profile p;
    snprintf(path, sizeof path, TEST_DATA "/gfcgaussiano/%s", file);
    assert_int_equal(file_read(&text, path, 1 << 20, &e), STATUS_OK);
    struct golden golden = golden_header((const char *)text.at);
    assert_int_equal(graph_parse(&expected, (const char *)text.at, text.len, path, &e), STATUS_OK);
    load_stream(&stream, file, (int)strcspn(file, "."));
    assert_int_equal(gaussian()->build(&p, &stream, SIZE_MAX, golden.values, &e), STATUS_OK);
    assert_int_equal(stream.batch_count, golden.batches);
    assert_int_equal(p.low, golden.low);
    assert_int_equal(p.high, golden.high);
    assert_int_equal(p.bins, golden.bins);
    assert_int_equal(p.graph.block_count, golden.blocks);
    assert_int_equal(p.graph.edge_count, golden.edges);
    assert_same_edges(&p.graph, &expected, file);
    profile_free(&p);
    graph_free(&expected);
    stream_free(&stream);
    bytes_free(&text);
}

/* Broken: another graph than the prototype's comes out of the prototype's input. */
static void test_golden(void **state) {
    (void)state;
    DIR *dir = opendir(TEST_DATA "/gfcgaussiano");
    assert_non_null(dir);
    int cases = 0;
    for (struct dirent *f; (f = readdir(dir)) != NULL;)
        if (strstr(f->d_name, ".txt") != NULL) {
            check_golden(f->d_name);
            cases++;
        }
    closedir(dir);
    assert_int_equal(cases, 8);
}

/* ---- what the golden streams do not show ---- */

static struct stream plain_stream(const uint32_t *pcs, size_t length, size_t count) {
    struct stream s = {.batch_length = length, .batch_count = count};
    s.batches = calloc(length * count + 1, sizeof *s.batches);
    assert_non_null(s.batches);
    for (size_t i = 0; i < length * count; i++)
        s.batches[i] = (struct sample){.pc = pcs[i], .size = 1, .kind = INSN_PLAIN};
    return s;
}

static struct profile built(const struct stream *s, const int64_t *values) {
    struct profile p;
    struct error e = {0};
    if (gaussian()->build(&p, s, SIZE_MAX, values, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    return p;
}

/* Broken: a batch whose deviation is exactly the threshold, as real streams have, is judged by the
 * rounding of a floating-point unit; or addresses near 2^32 overflow. */
static void test_exact_tie(void **state) {
    (void)state;
    static const uint32_t bases[] = {0, 0x8000, 0xFFFFFF00};
    const int64_t values[TECHNIQUE_PARAMETERS] = {8, 15, 1, 5, 0};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t more = 0; more < 2; more++) {
            uint32_t pcs[2] = {bases[i], bases[i] + 30 + more};
            struct stream s = plain_stream(pcs, 2, 1);
            struct profile p = built(&s, values);
            assert_int_equal(p.low, 1 - more);
            assert_int_equal(p.high, more);
            profile_free(&p);
            stream_free(&s);
        }
    uint32_t farthest[2] = {0, UINT32_MAX};
    struct stream s = plain_stream(farthest, 2, 1);
    struct profile p = built(&s, (int64_t[TECHNIQUE_PARAMETERS]){8, INT32_MAX, 1, 5, 0});
    assert_int_equal(p.high, 1); /* 2^31 - 1/2 is above 2^31 - 1 */
    profile_free(&p);
    stream_free(&s);
}

/* Broken: on a tie, or at either end, an instruction falls into another bin than the prototype's.
 */
static void test_nearest(void **state) {
    (void)state;
    static const struct {
        size_t count;
        double centroid[3]; /* of bins at 100, 110, 120 */
        uint32_t query;
        int expected;
    } cases[] = {
        {1, {100}, 90, 0},
        {1, {100}, 200, 0},
        {2, {100, 110}, 104, 0},
        {2, {100, 110}, 100, 0},
        {3, {100, 110, 120}, 105, 0}, /* neighbour over here */
        {3, {100, 110, 120}, 106, 1},
        {3, {100, 130, 120}, 110, 2}, /* after over before */
        {3, {100, 120, 120}, 110, 2},
        {3, {101, 130, 120}, 110, 0},
        {3, {99, 130, 120}, 110, 2},
        {3, {100, 110, 120}, 115, 1},
        {3, {100, 110, 114}, 112, 1},
        {2, {130, 110}, 120, 1},
        {3, {100, 105, 99}, 120, 1}, /* found by address, compared by centroid */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bins b;
        bool lost = false;
        assert_true(bins_init(&b, 8));
        for (size_t k = 0; k < cases[i].count; k++) {
            b.at[k].address = 100 + 10 * (uint32_t)k;
            b.centroid[k + 1] = cases[i].centroid[k];
        }
        b.count = cases[i].count;
        b.centroid[b.count + 1] = b.centroid[b.count + 2] = INFINITY;
        const struct bin *bin = bins_nearest(&b, cases[i].query, &lost);
        if (bin - b.at != cases[i].expected)
            fail_msg("case %zu: bin %td", i, bin - b.at);
        bins_free(&b);
    }
}

/* Broken: an experiment with impossible parameters ends in a crash or in a plausible result. */
static void test_refused(void **state) {
    (void)state;
    uint32_t pcs[2] = {1, 2};
    struct stream s = plain_stream(pcs, 2, 1);
    struct profile p;
    struct error e = {0};
    const int64_t wide[TECHNIQUE_PARAMETERS] = {8, 8, 3, 5, 0};
    assert_int_equal(gaussian()->build(&p, &s, SIZE_MAX, wide, &e), STATUS_ARGUMENT);
    assert_non_null(strstr(e.text, "window_size of 3"));
    assert_non_null(strstr(e.text, "2 instructions"));
    for (size_t i = 0; i < 5; i++)
        for (int side = 0; side < 2; side++) {
            const struct parameter *parameter = &gaussian()->parameters[i];
            int64_t values[TECHNIQUE_PARAMETERS] = {8, 8, 1, 5, 0};
            values[i] = side == 0 ? parameter->least - 1 : parameter->most + 1;
            assert_int_equal(gaussian()->build(&p, &s, SIZE_MAX, values, &e), STATUS_ARGUMENT);
            assert_non_null(strstr(e.text, parameter->name));
            assert_null(p.graph.edges);
        }
    stream_free(&s);
}

/* Broken: a recording that is one huge batch of branches overflows the stack. */
static void test_huge_batch(void **state) {
    (void)state;
    enum { LENGTH = 300000 };
    struct stream s = {.batch_length = LENGTH, .batch_count = 1};
    s.batches = calloc(LENGTH, sizeof *s.batches);
    assert_non_null(s.batches);
    for (size_t i = 0; i < LENGTH; i++)
        s.batches[i] = (struct sample){
            .pc = (uint32_t)i * 2, .target = (uint32_t)i * 2 + 2, .size = 2, .kind = INSN_JUMP};
    /* Every instruction is a block of its own that waits for the rest of the batch. */
    struct profile p = built(&s, (int64_t[TECHNIQUE_PARAMETERS]){INT32_MAX, INT32_MAX, 1, 0, 1});
    assert_int_equal(p.graph.block_count, LENGTH);
    assert_int_equal(p.graph.edge_count, LENGTH - 1);
    assert_int_equal(p.graph.edges[0].count, 2);
    profile_free(&p);
    stream_free(&s);
}

/* Broken: compare cannot tell which edges of the graph are busy-waits, because a block that an
 * interrupt ran into claims everything between the program and its handler. */
static void test_interrupted_block(void **state) {
    (void)state;
    static const uint32_t pcs[] = {0x10, 0x12, 0x14, 0x50, 0x52};
    static const uint8_t sizes[] = {2, 2, 2, 2, 2};
    struct stream s = plain_stream(pcs, 5, 1);
    for (size_t i = 0; i < 5; i++)
        s.batches[i].size = sizes[i];
    struct profile p = built(&s, (int64_t[TECHNIQUE_PARAMETERS]){1000, 1000, 1, 0, 1});
    assert_int_equal(p.graph.block_count, 1);
    assert_int_equal(p.graph.blocks[0].entry, 0x10);
    assert_int_equal(p.graph.blocks[0].last, 0x14);
    profile_free(&p);
    stream_free(&s);
}

/* Broken: the costs by which techniques are compared do not count what they say. */
static void test_costs(void **state) {
    (void)state;
    static const uint32_t pcs[] = {0x10, 0x11, 0x12, 0x10, 0x11, 0x12};
    struct stream s = plain_stream(pcs, 3, 2);
    struct profile p = built(&s, (int64_t[TECHNIQUE_PARAMETERS]){8, 8, 2, 5, 0});
    assert_int_equal(p.cost.records, 6);
    assert_int_equal(p.cost.observed, 6);
    assert_int_equal(p.cost.probes, 0);
    /* a batch: 2 means, their 2 searches, 3 instructions with a search each */
    assert_int_equal(p.cost.steps, 2 * (2 + 2 + 3 + 3));
    profile_free(&p);
    stream_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),     cmocka_unit_test(test_exact_tie),
        cmocka_unit_test(test_nearest),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_huge_batch), cmocka_unit_test(test_interrupted_block),
        cmocka_unit_test(test_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
