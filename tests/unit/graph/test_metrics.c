/*
 * Hot sets, and the metrics of a graph against the exact one. If these fail, configurations are
 * ranked by numbers that are not the paper's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "tests/support/random.h"

static struct graph parsed(const char *text) {
    struct graph g;
    struct error e = {0};
    if (graph_parse(&g, text, strlen(text), "test", &e) != STATUS_OK)
        fail_msg("%s", e.text);
    return g;
}

static struct metrics compared(const struct graph *g, const struct graph *h,
                               struct compare_options options) {
    struct metrics m;
    struct error e = {0};
    if (graph_compare(&m, g, h, options, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    return m;
}

/* NAN equals NAN here; other numbers must be equal to the last bit, because tables are compared
 * exactly. */
static void assert_number(double value, double expected) {
    if (isnan(expected) ? !isnan(value) : value != expected)
        fail_msg("%.17g, expected %.17g", value, expected);
}

/* ---- hot sets ---- */

static void assert_hot(const char *text, unsigned permille, const char *expected) {
    struct graph g = parsed(text);
    size_t hot[16];
    char got[64] = "";
    assert_true(g.edge_count <= 16);
    size_t count = graph_hot(&g, permille, false, hot);
    for (size_t i = 0; i < count; i++) {
        const struct edge *e = &g.edges[hot[i]];
        size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%x%x ", e->source, e->target);
    }
    assert_string_equal(got, expected);
    graph_free(&g);
}

/* Broken: the hot set, on which all similarity is measured, has a wrong edge, or one too many or
 * too few. */
static void test_hot(void **state) {
    (void)state;
    assert_hot("", 900, "");
    assert_hot("0x1\t0x2\t0\n", 900, "");
    assert_hot("0x1\t0x2\t1\n0x2\t0x1\t9\n", 900, "21 ");     /* exactly 90 % */
    assert_hot("0x1\t0x2\t2\n0x2\t0x1\t17\n", 900, "21 12 "); /* 89.47 % */
    assert_hot("0x1\t0x2\t1\n0x2\t0x1\t9\n", 901, "21 12 ");
    assert_hot("0x1\t0x2\t1\n0x2\t0x1\t9\n", 1000, "21 12 ");
    /* ties: by source, then target */
    assert_hot("0x3\t0x1\t5\n0x2\t0x2\t5\n0x2\t0x1\t5\n0x1\t0x9\t1\n", 600, "21 22 ");
    /* 3 * 10^18 would overflow 64 bits when multiplied by 1000; one more is less than 90 % */
    assert_hot("0x1\t0x2\t3000000000000000000\n0x1\t0x3\t300000000000000000\n"
               "0x1\t0x4\t33333333333333333\n",
               900, "12 ");
    assert_hot("0x1\t0x2\t3000000000000000000\n0x1\t0x3\t300000000000000000\n"
               "0x1\t0x4\t33333333333333334\n",
               900, "12 13 ");
}

/* ---- metrics by hand ---- */

static const char exact[] = "0x1\t0x2\t50\n0x2\t0x1\t40\n0x2\t0x3\t6\n0x3\t0x1\t4\n";

/* Broken: a column of the result table holds another number than its name promises. */
static void test_by_hand(void **state) {
    (void)state;
    struct graph h = parsed(exact), g = parsed("0x1\t0x2\t3\n0x2\t0x3\t1\n0x7\t0x8\t4\n");
    struct metrics m = compared(&g, &h, (struct compare_options){0});
    assert_int_equal(m.hot_edges, 2);
    assert_int_equal(m.edges, 3);
    assert_int_equal(m.common_edges, 2);
    assert_number(m.similarity, 1.0 / 2);
    assert_number(m.precision, 2.0 / 3);
    assert_number(m.f1, 4.0 / 7); /* 2 * 1/2 * 2/3 / (1/2 + 2/3) */
    assert_number(m.coverage, 56.0 / 100);
    /* min(3/8, 50/100) + min(1/8, 6/100) over 800: 300 + 48 */
    assert_number(m.overlap, 348.0 / 800);
    /* blocks of g: 1:3 2:3 3:1 7:4 8:4 of 15; of h: 1:50 2:50 3:6 of 106;
     * min(3/15, 50/106) twice, min(1/15, 6/106), over 1590: 318 + 318 + 90 */
    assert_number(m.block_overlap, 726.0 / 1590);
    graph_free(&g);
    graph_free(&h);
}

/* Broken: 0 divided by 0 enters the database as a number, or a real 0 as nothing. */
static void test_empty_sets(void **state) {
    (void)state;
    struct graph none = {0}, h = parsed(exact), other = parsed("0x7\t0x8\t4\n");
    struct graph weightless = parsed("0x1\t0x2\t0\n");
    struct metrics m = compared(&none, &h, (struct compare_options){0});
    assert_number(m.similarity, 0);
    assert_number(m.precision, NAN);
    assert_number(m.f1, NAN);
    assert_number(m.coverage, 0);
    assert_number(m.overlap, NAN);
    assert_number(m.block_overlap, NAN);
    m = compared(&h, &none, (struct compare_options){0});
    assert_number(m.similarity, NAN);
    assert_number(m.precision, 0);
    assert_number(m.f1, NAN);
    assert_number(m.coverage, NAN);
    assert_number(m.overlap, NAN);
    m = compared(&other, &h, (struct compare_options){0});
    assert_number(m.similarity, 0);
    assert_number(m.precision, 0);
    assert_number(m.f1, 0);
    assert_number(m.coverage, 0);
    assert_number(m.overlap, 0);
    assert_number(m.block_overlap, 0);
    m = compared(&weightless, &h, (struct compare_options){0});
    assert_number(m.precision, 1);
    assert_number(m.overlap, NAN);
    graph_free(&weightless);
    graph_free(&other);
    graph_free(&h);
}

/* ---- active ---- */

/* The wait is 0x20 (last 0x22) -> 0x20, and 0x30 <-> 0x40. */
static const char waiting[] = "#block 0x10 0x12\n#block 0x20 0x22\n#block 0x30 0x34\n"
                              "#block 0x40 0x40\n"
                              "0x10\t0x20\t10\t0\n0x20\t0x20\t900\t1\n0x20\t0x30\t10\t0\n"
                              "0x30\t0x40\t500\t1\n0x40\t0x30\t500\t1\n0x40\t0x10\t9\t0\n";

/* Broken: the active metrics still praise the wait for the next frame. */
static void test_active(void **state) {
    (void)state;
    const struct compare_options active = {.active = true};
    struct graph h = parsed(waiting);
    struct metrics m = compared(&h, &h, active);
    assert_int_equal(m.edges, 3);
    assert_int_equal(m.hot_edges, 3);
    assert_number(m.similarity, 1);
    assert_number(m.coverage, 1);
    /* g cut its blocks elsewhere: 0x1e..0x24 holds both transfer and target; 0x31 misses the
     * target 0x30, so 0x40 -> 0x31 stays; 0x23 misses the transfer at 0x22. */
    struct graph g = parsed("#block 0x1e 0x24\n#block 0x31 0x34\n#block 0x40 0x40\n"
                            "#block 0x23 0x24\n"
                            "0x1e\t0x1e\t9\n0x31\t0x40\t9\n0x40\t0x31\t9\n0x23\t0x1e\t9\n");
    m = compared(&g, &h, active);
    assert_int_equal(m.edges, 2);
    m = compared(&g, &h, (struct compare_options){0});
    assert_int_equal(m.edges, 4);
    graph_free(&g);
    graph_free(&h);
}

/* A block that runs past 0xffff holds what lies on both sides, and nothing between. */
static void test_active_wrapped_block(void **state) {
    (void)state;
    const struct compare_options active = {.active = true};
    struct graph h = parsed("#block 0x1 0x1\n0x1\t0x1\t5\t1\n");
    struct graph g = parsed("#block 0xfffe 0x2\n#block 0x8000 0x8002\n"
                            "0xfffe\t0xfffe\t5\n0x8000\t0x8000\t5\n");
    struct graph last = parsed("#block 0xfffe 0x1\n0xfffe\t0xfffe\t5\n");
    struct graph before = parsed("#block 0xfffe 0x0\n0xfffe\t0xfffe\t5\n");
    assert_int_equal(compared(&g, &h, active).edges, 1);
    assert_int_equal(compared(&last, &h, active).edges, 0);
    assert_int_equal(compared(&before, &h, active).edges, 1);
    graph_free(&before);
    graph_free(&last);
    graph_free(&g);
    graph_free(&h);
}

/* Broken: graphs that cannot have active metrics get some. */
static void test_active_needs_blocks(void **state) {
    (void)state;
    const struct compare_options active = {.active = true};
    struct graph h = parsed(waiting), plain = parsed(exact), none = {0};
    struct graph bare_h = parsed("0x20\t0x20\t900\t1\n");
    struct graph partial = parsed("#block 0x1 0x1\n0x1\t0x2\t5\n");
    struct metrics m;
    struct error e = {0};
    assert_int_equal(graph_compare(&m, &plain, &h, active, &e), STATUS_ARGUMENT);
    assert_non_null(strstr(e.text, "0x1"));
    assert_int_equal(graph_compare(&m, &partial, &h, active, &e), STATUS_ARGUMENT);
    assert_non_null(strstr(e.text, "0x2"));
    assert_int_equal(graph_compare(&m, &h, &bare_h, active, &e), STATUS_ARGUMENT);
    assert_number(compared(&plain, &plain, active).similarity,
                  1); /* no busy-waits, so no #block lines are needed */
    assert_number(compared(&none, &h, active).similarity, 0);
    graph_free(&partial);
    graph_free(&bare_h);
    graph_free(&plain);
    graph_free(&h);
}

/* ---- the fair metrics by hand ---- */

/* Blocks 0x10..0x12, 0x20..0x24, 0x30..0x30; weights 600, 250, 100, 50. */
static const char fair_h[] = "#block 0x10 0x12\n#block 0x20 0x24\n#block 0x30 0x30\n"
                             "0x10\t0x10\t600\t1\n0x10\t0x20\t250\t0\n"
                             "0x20\t0x30\t100\t0\n0x30\t0x10\t50\t0\n";

/* Broken: the ranking of techniques does not follow the definitions. */
static void test_fair_by_hand(void **state) {
    (void)state;
    struct graph h = parsed(fair_h);
    /* 0x10 was split at 0x11, and its outgoing edges come from the second half: no loss. */
    struct graph g = parsed("#block 0x10 0x10\n#block 0x11 0x12\n#block 0x20 0x24\n"
                            "0x10\t0x11\t1\n0x11\t0x10\t7\n0x11\t0x20\t2\n0x20\t0x10\t10\n");
    struct fair_metrics m = compared(&g, &h, (struct compare_options){0}).fair;
    assert_true(m.named);
    /* hot H: 600, 250 and 100 of 1000 (850 are too few). hot G: 10, 7 and 2 of 20. */
    assert_int_equal(m.hot_h, 3);
    assert_int_equal(m.hot_g, 3);
    assert_int_equal(m.common_hot, 2);
    assert_number(m.hot_recall, 2.0 / 3);
    assert_number(m.hot_precision, 2.0 / 3);
    assert_number(m.hot_f1, 4.0 / 6);
    /* threshold 100: of hot G two have 90 or more; of hot H those with 112 or more are both found
     */
    assert_number(m.hot_f1_10, 4.0 / 5); /* P = 2/3, R = 1 */
    /* min(7/20, 600/1000) + min(2/20, 250/1000) */
    assert_number(m.overlap, 9000.0 / 20000);
    /* 593 + 248 + 100 + 50 of H's edges, 10 and 1 of edges that H lacks */
    assert_number(m.count_error, 1002.0 / 1000);
    m = compared(&g, &h, (struct compare_options){.active = true}).fair;
    /* The wait 0x12 -> 0x10 is removed from both. hot H: 250, 100, 50 (350 of 400 are too few); hot
     * G: 10 and 2 of 13. */
    assert_int_equal(m.hot_h, 3);
    assert_int_equal(m.hot_g, 2);
    assert_number(m.hot_recall, 1.0 / 3);
    assert_number(m.hot_precision, 1.0 / 2);
    assert_number(m.hot_f1, 2.0 / 5);
    /* threshold 50: P = 1/2; clear are 250 and 100, of which one is found: R = 1/2 */
    assert_number(m.hot_f1_10, 1.0 / 2);
    assert_number(m.overlap, 800.0 / 5200); /* min(2/13, 250/400) */
    assert_number(m.count_error, 409.0 / 400);
    graph_free(&g);
    graph_free(&h);
}

/* At the edges of the tolerance: 9/10 of the threshold counts, and 10/9 of it is clear. */
static void test_fair_tolerance(void **state) {
    (void)state;
    /* Only one hot edge, so none is clear of the threshold: R is 1. */
    struct graph h = parsed("#block 0x1 0x1\n0x1\t0x2\t1000\n0x1\t0x3\t900\n0x1\t0x4\t899\n");
    struct graph near = parsed("#block 0x1 0x1\n0x1\t0x3\t1\n");
    struct graph far = parsed("#block 0x1 0x1\n0x1\t0x4\t1\n");
    const struct compare_options third = {.hot_permille = 333};
    assert_number(compared(&near, &h, third).fair.hot_f1, 0);
    assert_number(compared(&near, &h, third).fair.hot_f1_10, 1);
    assert_number(compared(&far, &h, third).fair.hot_f1_10, 0);
    graph_free(&near);
    graph_free(&far);
    graph_free(&h);
    /* 10/9 of the threshold exactly is clear: missing it halves R; a little less is not. */
    struct graph exactly = parsed("#block 0x1 0x1\n0x1\t0x2\t1000\n0x1\t0x3\t900\n");
    struct graph less = parsed("#block 0x1 0x1\n0x1\t0x2\t999\n0x1\t0x3\t900\n");
    struct graph g = parsed("#block 0x1 0x1\n0x1\t0x3\t1\n");
    assert_number(compared(&g, &exactly, (struct compare_options){0}).fair.hot_f1_10, 0);
    assert_number(compared(&g, &less, (struct compare_options){0}).fair.hot_f1_10, 1);
    graph_free(&g);
    graph_free(&exactly);
    graph_free(&less);
}

/* Broken: a set is judged by weights that it does not have, or a graph with all edges gets a good
 * score. */
static void test_fair_sets(void **state) {
    (void)state;
    struct graph h = parsed(fair_h);
    struct graph g = parsed("#block 0x10 0x12\n#block 0x20 0x24\n#block 0x30 0x30\n"
                            "0x10\t0x10\t0\n0x10\t0x20\t0\n0x20\t0x30\t0\n0x30\t0x10\t0\n");
    assert_true(graph_is_set(&g));
    assert_false(graph_is_set(&h));
    struct fair_metrics m = compared(&g, &h, (struct compare_options){0}).fair;
    assert_int_equal(m.hot_g, 4);
    assert_number(m.hot_recall, 1);
    assert_number(m.hot_precision, 3.0 / 4);
    assert_number(m.overlap, NAN);
    assert_number(m.count_error, NAN);
    /* A graph with one weight is no set, even if its active part has no weight: then no edge of it
     * is hot. */
    g.edges[0].count = 1;
    m = compared(&g, &h, (struct compare_options){.active = true}).fair;
    assert_int_equal(m.hot_g, 0);
    assert_number(m.hot_recall, 0);
    assert_number(m.hot_precision, NAN);
    assert_number(m.hot_f1, 0);
    assert_number(m.hot_f1_10, NAN);
    assert_number(m.overlap, NAN);
    assert_number(m.count_error, 1);
    graph_free(&g);
    graph_free(&h);
}

/* Two blocks of G may end at one instruction: their edges count as one, and the blocks must be
 * known. */
static void test_fair_names(void **state) {
    (void)state;
    struct graph h = parsed(fair_h);
    struct graph g = parsed("#block 0x10 0x12\n#block 0x11 0x12\n0x10\t0x20\t3\n0x11\t0x20\t4\n");
    struct metrics m = compared(&g, &h, (struct compare_options){0});
    assert_int_equal(m.edges, 2);
    assert_int_equal(m.fair.hot_g, 1);
    assert_number(m.fair.count_error, (600 + 243 + 100 + 50) / 1000.0);
    struct graph bare = parsed("0x10\t0x20\t3\n");
    m = compared(&bare, &h, (struct compare_options){0});
    assert_false(m.fair.named);
    assert_number(m.fair.hot_f1, NAN);
    assert_number(m.fair.overlap, NAN);
    assert_int_equal(m.common_edges, 1);
    graph_free(&bare);
    graph_free(&g);
    graph_free(&h);
}

/* Broken: a comparison depends on earlier ones, or on a graph that was freed. */
static void test_reference(void **state) {
    (void)state;
    struct graph h = parsed(fair_h),
                 g = parsed("#block 0x10 0x12\n#block 0x20 0x24\n0x10\t0x20\t3\n");
    struct error e = {0};
    struct reference *r;
    assert_int_equal(reference_new(&r, &h, 0, &e), STATUS_OK);
    struct metrics once[SCOPES], again;
    for (enum scope scope = SCOPE_WHOLE; scope < SCOPES; scope++)
        once[scope] = compared(&g, &h, (struct compare_options){.active = scope == SCOPE_ACTIVE});
    graph_free(&h);
    for (int i = 0; i < 4; i++) {
        enum status status = reference_compare(r, &again, &g, i % SCOPES, &e);
        assert_int_equal(status, STATUS_OK);
        assert_number(again.coverage, once[i % SCOPES].coverage);
        assert_number(again.fair.overlap, once[i % SCOPES].fair.overlap);
    }
    reference_free(r);
    assert_int_equal(reference_new(&r, &g, 1001, &e), STATUS_ARGUMENT);
    assert_null(r);
    graph_free(&g);
}

/* ---- what holds for all graphs ---- */

static struct graph random_graph(struct random *r, unsigned edges) {
    char text[4096] = "";
    bool used[8][8] = {0};
    for (unsigned i = 0; i < edges; i++) {
        uint32_t a = random_below(r, 8), b = random_below(r, 8);
        size_t len = strlen(text);
        if (!used[a][b])
            snprintf(text + len, sizeof text - len, "0x%x\t0x%x\t%u\n", a, b,
                     1 + random_below(r, 1000));
        used[a][b] = true;
    }
    return parsed(text);
}

/* Broken: a perfect profile does not get full marks. */
static void test_itself(void **state) {
    (void)state;
    struct random r = {.seed = 3};
    for (int round = 0; round < 300; round++) {
        struct graph g = random_graph(&r, 1 + random_below(&r, 40));
        struct metrics m = compared(&g, &g, (struct compare_options){0});
        assert_number(m.similarity, 1);
        assert_number(m.precision, 1);
        assert_number(m.f1, 1);
        assert_number(m.coverage, 1);
        assert_number(m.overlap, 1);
        assert_number(m.block_overlap, 1);
        graph_free(&g);
    }
}

/* Broken: finding one more true edge makes coverage or similarity worse, or a metric leaves 0..1.
 */
static void test_growing(void **state) {
    (void)state;
    struct random r = {.seed = 4};
    for (int round = 0; round < 200; round++) {
        struct graph h = random_graph(&r, 40), g = h;
        double coverage = 0, similarity = 0;
        for (g.edge_count = 1; g.edge_count <= h.edge_count; g.edge_count++) {
            struct metrics m = compared(&g, &h, (struct compare_options){0});
            assert_true(m.coverage > coverage && m.coverage <= 1);
            assert_true(m.similarity >= similarity && m.similarity <= 1);
            assert_true(m.overlap > 0 && m.overlap <= 1);
            assert_true(m.block_overlap > 0 && m.block_overlap <= 1);
            assert_number(m.precision, 1);
            coverage = m.coverage;
            similarity = m.similarity;
        }
        assert_number(coverage, 1);
        graph_free(&h);
    }
}

/* Broken: overlaps of random graphs differ from a plain computation in floating point. */
static void test_overlaps_roughly(void **state) {
    (void)state;
    struct random r = {.seed = 5};
    for (int round = 0; round < 200; round++) {
        struct graph h = random_graph(&r, 30), g = random_graph(&r, 30);
        struct metrics m = compared(&g, &h, (struct compare_options){0});
        double overlap = 0, out[2][8] = {{0}}, in[2][8] = {{0}}, sum[2] = {0}, blocks = 0;
        const struct graph *both[2] = {&g, &h};
        for (size_t i = 0; i < g.edge_count; i++) {
            const struct edge *x = &g.edges[i], *y = graph_find_edge(&h, x->source, x->target);
            if (y != NULL)
                overlap += fmin((double)x->count / (double)graph_weight(&g),
                                (double)y->count / (double)graph_weight(&h));
        }
        for (int k = 0; k < 2; k++) {
            for (size_t i = 0; i < both[k]->edge_count; i++) {
                out[k][both[k]->edges[i].source] += (double)both[k]->edges[i].count;
                in[k][both[k]->edges[i].target] += (double)both[k]->edges[i].count;
            }
            for (int b = 0; b < 8; b++)
                sum[k] += fmax(in[k][b], out[k][b]);
        }
        for (int b = 0; b < 8; b++)
            blocks += fmin(fmax(in[0][b], out[0][b]) / sum[0], fmax(in[1][b], out[1][b]) / sum[1]);
        assert_true(fabs(m.overlap - overlap) < 1e-12);
        assert_true(fabs(m.block_overlap - blocks) < 1e-12);
        graph_free(&g);
        graph_free(&h);
    }
}

/* Broken: a hot share above 100 % gives numbers instead of an error. */
static void test_shares(void **state) {
    (void)state;
    struct graph h = parsed("0x1\t0x2\t9\n0x2\t0x1\t1\n");
    struct metrics m;
    struct error e = {0};
    const struct compare_options all = {.hot_permille = 1000}, more = {.hot_permille = 1001};
    assert_int_equal(graph_compare(&m, &h, &h, all, &e), STATUS_OK);
    assert_int_equal(m.hot_edges, 2);
    assert_int_equal(graph_compare(&m, &h, &h, more, &e), STATUS_ARGUMENT);
    graph_free(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_hot),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_empty_sets),
        cmocka_unit_test(test_active),
        cmocka_unit_test(test_active_wrapped_block),
        cmocka_unit_test(test_active_needs_blocks),
        cmocka_unit_test(test_fair_by_hand),
        cmocka_unit_test(test_fair_tolerance),
        cmocka_unit_test(test_fair_sets),
        cmocka_unit_test(test_fair_names),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_itself),
        cmocka_unit_test(test_growing),
        cmocka_unit_test(test_overlaps_roughly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
