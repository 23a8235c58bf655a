/*
 * Paths of a small graph, whose possible counts can all be tried. If these fail, the flow of paths that an edge
 * profile determines, or what estimates are worth, is wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/path/path_flow.h"

/* Two decisions, one after the other: 1 -> 2 or 3 -> 4 -> 5 or 6 -> 7, which returns. */
enum { E12, E13, E24, E34, E45, E46, E57, E67, EDGES, BLOCKS = 7 };
static struct edge edges[EDGES + 1] = {{16, 32, 0, false},  {16, 48, 0, false}, {32, 64, 0, false},
                                       {48, 64, 0, false},  {64, 80, 0, false}, {64, 96, 0, false},
                                       {80, 112, 0, false}, {96, 112, 0, false}};
static struct block blocks[BLOCKS] = {{16, 18}, {32, 34}, {48, 50},  {64, 66},
                                      {80, 82}, {96, 98}, {112, 114}};
static const struct graph diamonds = {
    .edges = edges, .edge_count = EDGES, .blocks = blocks, .block_count = BLOCKS};
enum { ALL = 100, FIRST = 70, SECOND = 80 }; /* in all, through 2, and through 5 */

static struct path_program program_of(const struct graph *g, uint64_t begins) {
    struct path_program p;
    const bool leaves[BLOCKS] = {[6] = true};
    const uint64_t begin[BLOCKS] = {begins};
    assert_int_equal(path_program_make(&p, g, leaves, begin, NULL), STATUS_OK);
    return p;
}

static void add(struct path_set *s, uint64_t count, uint32_t first, uint32_t second) {
    const uint32_t steps[] = {first, first + 2, second, second + 2};
    assert_true(vec_push(&s->paths,
                         ((struct path){.first = s->edges.len, .edge_count = 4, .count = count})));
    for (int i = 0; i < 4; i++)
        assert_true(vec_push(&s->edges, steps[i]));
}

/* All paths with these counts of edges, if x of them take 2 and 5. */
static struct path_set diamond_paths(uint64_t x) {
    struct path_set s = {0};
    add(&s, x, E12, E45);
    add(&s, FIRST - x, E12, E46);
    add(&s, SECOND - x, E13, E45);
    add(&s, ALL - FIRST - SECOND + x, E13, E46);
    return s;
}

static const uint64_t counts[EDGES] = {FIRST,  ALL - FIRST,  FIRST,  ALL - FIRST,
                                       SECOND, ALL - SECOND, SECOND, ALL - SECOND};

/* Broken: more, or less, is said to be certain than in every set of paths with these edges. */
static void test_definite(void **state) {
    (void)state;
    struct path_program p = program_of(&diamonds, ALL);
    uint64_t least[4] = {ALL, ALL, ALL, ALL};
    for (uint64_t x = FIRST + SECOND - ALL; x <= FIRST; x++) {
        struct path_set s = diamond_paths(x);
        for (int i = 0; i < 4; i++)
            if (s.paths.at[i].count < least[i])
                least[i] = s.paths.at[i].count;
        path_set_free(&s);
    }
    for (uint64_t x = FIRST + SECOND - ALL; x <= FIRST; x++) {
        struct path_set s = diamond_paths(x);
        struct path_knowledge known;
        assert_int_equal(paths_known_by_edges(&known, &p, &s, counts, NULL), STATUS_OK);
        assert_int_equal(known.fixed, 2 * (least[0] + least[1] + least[2] + least[3]));
        /* Independent branches: 56, 14, 24 and 6 of 100. */
        static const uint64_t independent[] = {56, 14, 24, 6};
        uint64_t overlap = 0;
        for (int i = 0; i < 4; i++)
            overlap +=
                2 * (s.paths.at[i].count < independent[i] ? s.paths.at[i].count : independent[i]);
        assert_int_equal(known.match.overlap, overlap);
        path_set_free(&s);
    }
    path_program_free(&p);
}

/* Broken: an edge profile that is no flow is believed. Half as many come by as start. */
static void test_no_flow(void **state) {
    (void)state;
    struct path_program p = program_of(&diamonds, ALL);
    struct path_set s = diamond_paths(60);
    uint64_t half[EDGES];
    for (int i = 0; i < EDGES; i++)
        half[i] = counts[i] / 2;
    struct path_knowledge known;
    assert_int_equal(paths_known_by_edges(&known, &p, &s, half, NULL), STATUS_OK);
    /* Of 100 that start 35 reach 2, and at least 25 then 5; of the 15 that reach 3 at least 5 do. */
    assert_int_equal(known.fixed, 2 * (25 + 5));
    paths_scale(half, &p, &s);
    assert_memory_equal(half, counts, sizeof counts);
    path_set_free(&s);
    path_program_free(&p);
}

/* Broken: what ends paths, or what a decision is. */
static void test_program(void **state) {
    (void)state;
    struct edge some[] = {{16, 16, 0, true},  {16, 32, 0, false}, {32, 16, 0, false},
                          {32, 48, 0, false}, {48, 16, 0, false}, {48, 64, 0, false}};
    struct block four[] = {{16, 18}, {32, 34}, {48, 50}, {64, 66}};
    const struct graph g = {.edges = some, .edge_count = 6, .blocks = four, .block_count = 4};
    const bool leaves[] = {false, false, true, false};
    const uint64_t begins[] = {1, 0, 0, 0};
    struct path_program p;
    assert_int_equal(path_program_make(&p, &g, leaves, begins, NULL), STATUS_OK);
    static const bool cut[] = {true, false, true, false, true, true};
    static const bool decision[] = {false, true,  true,
                                    true,  false, false}; /* not a wait's, nor returns */
    assert_memory_equal(p.cut, cut, sizeof cut);
    assert_memory_equal(p.decision, decision, sizeof decision);
    path_program_free(&p);
    some[0].source = 8;
    assert_int_equal(path_program_make(&p, &g, leaves, begins, NULL), STATUS_ARGUMENT);
}

/* 800 executions of a path make one of another just hot, 801 do not. */
static void test_hot(void **state) {
    (void)state;
    struct path_program p = program_of(&diamonds, 0);
    for (uint64_t other = 799; other <= 800; other++) {
        struct path_set s = {0};
        add(&s, other, E12, E45);
        add(&s, 1, E13, E46);
        struct path_totals totals;
        paths_measure(&totals, &p, &s);
        assert_int_equal(totals.paths, 2);
        assert_int_equal(totals.flow, 2 * other + 2);
        assert_int_equal(totals.hot, other == 799 ? 2 : 1);
        assert_int_equal(totals.hot_flow, totals.flow - (other == 799 ? 0 : 2));
        path_set_free(&s);
    }
    path_program_free(&p);
}

/* Broken: estimates in another scale, or of paths that are not hot. */
static void test_estimates(void **state) {
    (void)state;
    struct path_program p = program_of(&diamonds, 0);
    struct path_set s = {0};
    add(&s, 600, E12, E45);
    add(&s, 300, E12, E46);
    add(&s, 100, E13, E45);
    add(&s, 1, E13, E46); /* 2 of 2002: not hot */
    struct path_match match;
    /* Hot are three; the three hottest by the estimates leave out the second one. */
    const uint64_t estimates[] = {30, 1, 10, 9};
    assert_int_equal(paths_compare(&match, &p, &s, estimates, 50, NULL), STATUS_OK);
    assert_int_equal(match.matched, 2 * (600 + 100));
    assert_int_equal(match.overlap, (50 * 1200 + 1 * 2002 + 50 * 200) / 50);
    const uint64_t none[4] = {0};
    assert_int_equal(paths_compare(&match, &p, &s, none, 0, NULL), STATUS_OK);
    assert_int_equal(match.matched, 0);
    assert_int_equal(match.overlap, 0);
    path_set_free(&s);
    path_program_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definite),  cmocka_unit_test(test_no_flow),
        cmocka_unit_test(test_program),   cmocka_unit_test(test_hot),
        cmocka_unit_test(test_estimates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
