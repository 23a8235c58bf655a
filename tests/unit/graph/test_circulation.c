/*
 * Minimum-cost flows. If these fail, counts are not repaired to the likeliest ones, and `hotgraph
 * flow` gives wrong answers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/flow/circulation.h"
#include "tests/support/linear_simplex.h"
#include "tests/support/random.h"

static const struct circulation_options simplex = {.solver = CIRCULATION_SIMPLEX};
static const struct circulation_options large = {.solver = CIRCULATION_SIMPLEX, .large_nodes = 1};
static const struct circulation_options klein = {.solver = CIRCULATION_KLEIN};

static void add(struct circulation *c, uint32_t from, uint32_t to, int64_t lower, int64_t upper,
                int64_t cost) {
    struct arc arc = {.from = from, .to = to, .lower = lower, .upper = upper, .cost = cost};
    assert_true(vec_push(&c->arcs, arc));
}

/* ---- a third solver, for the tests alone: successive shortest paths ---- */

struct paths { /* flow, from 0 to cap; arcs of negative cost were filled first */
    const struct circulation *c;
    int64_t *flow, *excess, *distance;
    size_t *by;
};

/* Bellman-Ford from one node; fills by[]. */
static void shortest_paths(struct paths *p, uint32_t from) {
    const struct circulation *c = p->c;
    for (size_t v = 0; v < c->nodes; v++)
        p->distance[v] = INT64_MAX;
    p->distance[from] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t k = 0; k < 2 * c->arcs.len; k++) {
            const struct arc *a = &c->arcs.at[k / 2];
            bool back = k % 2 == 1;
            uint32_t u = back ? a->to : a->from, v = back ? a->from : a->to;
            int64_t room = back ? p->flow[k / 2] : a->upper - a->lower - p->flow[k / 2];
            int64_t cost = back ? -a->cost : a->cost;
            if (room == 0 || p->distance[u] == INT64_MAX || p->distance[u] + cost >= p->distance[v])
                continue;
            p->distance[v] = p->distance[u] + cost;
            p->by[v] = k;
            changed = true;
        }
    }
}

/* Sends as much as possible from one node; false if a rest cannot go anywhere. */
static bool drain(struct paths *p, uint32_t from) {
    const struct circulation *c = p->c;
    while (p->excess[from] > 0) {
        shortest_paths(p, from);
        uint32_t to = UINT32_MAX;
        for (uint32_t v = 0; v < c->nodes; v++)
            if (p->excess[v] < 0 && p->distance[v] != INT64_MAX &&
                (to == UINT32_MAX || p->distance[v] < p->distance[to]))
                to = v;
        if (to == UINT32_MAX)
            return false;
        int64_t amount = p->excess[from] < -p->excess[to] ? p->excess[from] : -p->excess[to];
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t v = to; v != from;) {
                const struct arc *a = &c->arcs.at[p->by[v] / 2];
                bool back = p->by[v] % 2 == 1;
                int64_t *flow = &p->flow[p->by[v] / 2];
                int64_t room = back ? *flow : a->upper - a->lower - *flow;
                if (pass == 0 && room < amount)
                    amount = room;
                if (pass == 1)
                    *flow += back ? -amount : amount;
                v = back ? a->to : a->from;
            }
        p->excess[from] -= amount;
        p->excess[to] += amount;
    }
    return true;
}

/* False when infeasible; all bounds must be finite. */
static bool by_shortest_paths(const struct circulation *c, int64_t *cost) {
    struct paths p = {.c = c,
                      .flow = calloc(c->arcs.len + 1, sizeof *p.flow),
                      .excess = calloc(c->nodes + 1, sizeof *p.excess),
                      .distance = calloc(c->nodes + 1, sizeof *p.distance),
                      .by = calloc(c->nodes + 1, sizeof *p.by)};
    for (size_t i = 0; i < c->arcs.len; i++) {
        const struct arc *a = &c->arcs.at[i];
        p.flow[i] = a->cost < 0 ? a->upper - a->lower : 0;
        p.excess[a->to] += a->lower + p.flow[i];
        p.excess[a->from] -= a->lower + p.flow[i];
    }
    bool feasible = true;
    for (uint32_t v = 0; v < c->nodes && feasible; v++)
        feasible = drain(&p, v);
    *cost = 0;
    for (size_t i = 0; i < c->arcs.len; i++)
        *cost += (p.flow[i] + c->arcs.at[i].lower) * c->arcs.at[i].cost;
    free(p.flow);
    free(p.excess);
    free(p.distance);
    free(p.by);
    return feasible;
}

/* ---- checks ---- */

static void assert_flow(const struct circulation *c, int64_t cost) {
    int64_t *balance = calloc(c->nodes + 1, sizeof *balance);
    int64_t sum = 0;
    assert_non_null(balance);
    for (size_t i = 0; i < c->arcs.len; i++) {
        const struct arc *a = &c->arcs.at[i];
        assert_true(a->flow >= a->lower && a->flow <= a->upper);
        balance[a->from] -= a->flow;
        balance[a->to] += a->flow;
        sum += a->flow * a->cost;
    }
    for (size_t v = 0; v < c->nodes; v++)
        assert_int_equal(balance[v], 0);
    assert_int_equal(sum, cost);
    free(balance);
}

static struct circulation_result solution(struct circulation *c,
                                          struct circulation_options options) {
    struct circulation_result result;
    struct error e = {0};
    if (circulation_solve(c, options, &result, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    assert_int_equal(result.outcome, CIRCULATION_OPTIMAL);
    assert_flow(c, result.cost);
    return result;
}

static int64_t *copy_flow(const struct circulation *c) {
    int64_t *flow = calloc(c->arcs.len + 1, sizeof *flow);
    assert_non_null(flow);
    for (size_t i = 0; i < c->arcs.len; i++)
        flow[i] = c->arcs.at[i].flow;
    return flow;
}

static void assert_same_flow(const struct circulation *c, const int64_t *flow) {
    for (size_t i = 0; i < c->arcs.len; i++)
        assert_int_equal(c->arcs.at[i].flow, flow[i]);
}

/* The simplex method has one answer, whether it takes the network for a large one or not. */
static int64_t solved(struct circulation *c, struct circulation_options options) {
    const struct circulation_result result = solution(c, options);
    if (options.solver == CIRCULATION_SIMPLEX) {
        int64_t *flow = copy_flow(c);
        assert_int_equal(solution(c, large).cost, result.cost);
        assert_same_flow(c, flow);
        free(flow);
    }
    return result.cost;
}

static void assert_all_agree(struct circulation *c) {
    int64_t expected;
    struct circulation_result result;
    struct error e = {0};
    if (by_shortest_paths(c, &expected)) {
        assert_int_equal(solved(c, simplex), expected);
        assert_int_equal(solved(c, klein), expected);
        return;
    }
    assert_int_equal(circulation_solve(c, simplex, &result, &e), STATUS_ARGUMENT);
    assert_int_equal(result.outcome, CIRCULATION_INFEASIBLE);
    assert_int_equal(circulation_solve(c, large, &result, &e), STATUS_ARGUMENT);
    assert_int_equal(result.outcome, CIRCULATION_INFEASIBLE);
    assert_int_equal(circulation_solve(c, klein, &result, &e), STATUS_ARGUMENT);
    assert_int_equal(result.outcome, CIRCULATION_INFEASIBLE);
    assert_non_null(strstr(e.text, "no flow keeps"));
}

/* ---- known answers ---- */

static void test_by_hand(void **state) {
    (void)state;
    struct circulation c = {.nodes = 0};
    assert_int_equal(solved(&c, simplex), 0);
    assert_int_equal(solved(&c, klein), 0);
    c.nodes = 4;
    /* 4 units from 0 to 3: a unit through node 1 costs 3, at most 2 of them; through node 2 it
     * costs 5; from 1 to 2 it costs 1. */
    add(&c, 3, 0, 4, 4, 0);
    add(&c, 0, 1, 0, 3, 1);
    add(&c, 1, 3, 0, 2, 2);
    add(&c, 0, 2, 0, 4, 2);
    add(&c, 2, 3, 0, 4, 3);
    add(&c, 1, 2, 0, 9, -1);
    for (int i = 0; i < 2; i++) {
        /* 0-1-2-3 costs 3 as well: 3 units through 1, and one through 2 */
        assert_int_equal(solved(&c, i == 0 ? simplex : klein), 3 * 3 + 5);
        assert_int_equal(c.arcs.at[0].flow, 4);
        assert_int_equal(c.arcs.at[1].flow, 3);
    }
    circulation_free(&c);
}

/* Loops, parallel arcs, negative lower bounds, arcs with equal bounds. */
static void test_shapes(void **state) {
    (void)state;
    struct circulation c = {.nodes = 2};
    add(&c, 0, 0, 0, 7, -2);  /* a loop of negative cost: 7 */
    add(&c, 0, 0, 1, 7, 2);   /* one that costs: 1 */
    add(&c, 0, 1, -3, 3, 1);  /* its lower bound: -3 */
    add(&c, 1, 0, 0, 0, -50); /* no flow */
    add(&c, 1, 0, -9, 5, 0);  /* -3 back */
    assert_int_equal(solved(&c, simplex), -14 + 2 - 3);
    assert_int_equal(solved(&c, klein), -15);
    assert_int_equal(c.arcs.at[4].flow, -3);
    circulation_free(&c);
}

static void test_refused(void **state) {
    (void)state;
    const struct {
        struct arc arcs[3];
        enum circulation_outcome outcome;
        const char *text;
    } cases[] = {
        {{{0, 2, 0, 1, 0, 0}}, CIRCULATION_OPTIMAL, "there are 2 nodes"},
        {{{0, 1, 2, 1, 0, 0}}, CIRCULATION_OPTIMAL, "at least 2 and at most 1"},
        {{{0, 1, 1, 2, 0, 0}}, CIRCULATION_INFEASIBLE, "no flow"},
        {{{0, 1, 0, ARC_UNBOUNDED, -1, 0}, {1, 0, 0, ARC_UNBOUNDED, 0, 0}},
         CIRCULATION_UNLIMITED,
         "fall without limit"},
        {{{0, 0, 0, ARC_UNBOUNDED, -1, 0}}, CIRCULATION_UNLIMITED, "fall without limit"},
        {{{0, 1, INT64_MIN, INT64_MAX - 1, 0, 0}}, CIRCULATION_OPTIMAL, "64 bits"},
        {{{0, 1, -1, INT64_MAX - 1, 0, 0}}, CIRCULATION_OPTIMAL, "64 bits"},
        {{{0, 1, 0, 1, INT64_MIN, 0}}, CIRCULATION_OPTIMAL, "64 bits"},
        {{{0, 1, 0, 1, INT64_MAX / 2, 0}}, CIRCULATION_OPTIMAL, "64 bits"},
        {{{0, 1, INT64_MAX - 1, INT64_MAX - 1, 0, 0}, {0, 1, 2, 2, 0, 0}},
         CIRCULATION_OPTIMAL,
         "64 bits"},
        /* the least cost itself: 2^62 units at -4 each */
        {{{0, 1, 0, INT64_MAX / 2, -4, 0}, {1, 0, 0, ARC_UNBOUNDED, 0, 0}},
         CIRCULATION_OPTIMAL,
         "64 bits"},
    };
    const struct circulation_options solvers[] = {simplex, large, klein};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
            struct circulation c = {.nodes = 2};
            for (int arc = 0; arc < 3; arc++)
                assert_true(vec_push(&c.arcs, cases[i].arcs[arc]));
            struct circulation_result result;
            struct error e = {0};
            assert_int_equal(circulation_solve(&c, solvers[k], &result, &e), STATUS_ARGUMENT);
            assert_int_equal(result.outcome, cases[i].outcome);
            if (strstr(e.text, cases[i].text) == NULL)
                fail_msg("%s", e.text);
            circulation_free(&c);
        }
}

/* Large numbers that still fit 64 bits. */
static void test_large_numbers(void **state) {
    (void)state;
    struct circulation c = {.nodes = 2};
    add(&c, 0, 1, 0, INT64_MAX / 8, -7);
    add(&c, 1, 0, 0, ARC_UNBOUNDED, 0);
    assert_int_equal(solved(&c, simplex), -(INT64_MAX / 8) * 7);
    assert_int_equal(solved(&c, klein), -(INT64_MAX / 8) * 7);
    c.arcs.at[0].upper = 3;
    c.arcs.at[0].cost = -(INT64_MAX / 64);
    assert_int_equal(solved(&c, simplex), -(INT64_MAX / 64) * 3);
    assert_int_equal(solved(&c, klein), -(INT64_MAX / 64) * 3);
    circulation_free(&c);
}

/* ---- against the third solver ---- */

static struct circulation random_network(struct random *r) {
    struct circulation c = {.nodes = 1 + random_below(r, 9)};
    uint32_t n = (uint32_t)c.nodes, arcs = random_below(r, 40);
    int64_t cap = 1 + random_below(r, 20), cost = 1 + random_below(r, 30);
    for (uint32_t i = 0; i < arcs; i++) {
        int64_t lower = random_chance(r, 20) ? (int64_t)random_below(r, 3) - 1 : 0;
        add(&c, random_below(r, n), random_below(r, n), lower,
            lower + random_below(r, (uint32_t)cap),
            (int64_t)random_below(r, (uint32_t)(2 * cost)) - cost / 2);
    }
    return c;
}

static void test_random(void **state) {
    (void)state;
    struct random r = {.seed = 11};
    for (int round = 0; round < 6000; round++) {
        struct circulation c = random_network(&r);
        assert_all_agree(&c);
        circulation_free(&c);
    }
}

/* The networks that repair profiles: a row of blocks with branches forwards and backwards; parallel
 * arcs give each block and edge a convex cost around its sampled count. */
static struct circulation random_program(struct random *r, uint32_t blocks) {
    struct circulation c = {.nodes = 2 * blocks + 1};
    const uint32_t world = 2 * blocks;
    add(&c, world, 0, 0, 1000000, 0);
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t sampled = random_chance(r, 30) ? 0 : random_below(r, 1 + random_below(r, 500));
        for (uint32_t k = 0, at = 0; k < 6; k++) {
            uint32_t width = k == 5 ? 100000 : sampled / 4 + 1;
            add(&c, 2 * b, 2 * b + 1, 0, width, (int64_t)(at * 1000) - (int64_t)sampled * 700);
            at += width;
        }
        if (b + 1 < blocks)
            add(&c, 2 * b + 1, 2 * (b + 1), 0, 1000000, 0);
        if (random_chance(r, 60))
            add(&c, 2 * b + 1, 2 * random_below(r, blocks), 0, 1000000, 0);
        if (b + 1 == blocks || random_chance(r, 5))
            add(&c, 2 * b + 1, world, 0, 1000000, 0);
    }
    return c;
}

static void test_programs(void **state) {
    (void)state;
    struct random r = {.seed = 12};
    for (int round = 0; round < 300; round++) {
        struct circulation c = random_program(&r, 2 + random_below(&r, 12));
        assert_all_agree(&c);
        circulation_free(&c);
    }
    /* larger ones, by simplex and Klein alone */
    for (int round = 0; round < 3; round++) {
        struct circulation c = random_program(&r, 120);
        assert_int_equal(solved(&c, simplex), solved(&c, klein));
        circulation_free(&c);
    }
}

/* ---- networks as profiles make them, against the method on linear arcs ---- */

/* The cost of a count: none if nothing was sampled, else one price for each unit of deviation, or a
 * convex cost of many pieces. */
static void add_count(struct circulation *c, struct random *r, uint32_t from, uint32_t to) {
    const int64_t sampled = random_below(r, 1 + random_below(r, 3000));
    if (random_chance(r, 40)) {
        add(c, from, to, 0, ARC_UNBOUNDED, random_chance(r, 50) ? 0 : random_below(r, 50));
    } else if (random_chance(r, 30)) {
        add(c, from, to, sampled, sampled, 0);
        add(c, from, to, 0, ARC_UNBOUNDED, random_below(r, 90));
        add(c, to, from, 0, sampled, random_below(r, 90));
    } else {
        int64_t at = -(int64_t)random_below(r, 4000);
        for (int k = 0; k < 12 && sampled > 0; k++) {
            add(c, from, to, 0, 1 + sampled / 6, at);
            at += random_below(r, 700);
        }
        add(c, from, to, 0, ARC_UNBOUNDED, at > 0 ? at : 0);
    }
}

static struct circulation random_profile(struct random *r, uint32_t blocks) {
    struct circulation c = {.nodes = blocks + 1};
    for (uint32_t b = 0; b < blocks; b++) {
        if (b + 1 < blocks && random_chance(r, 80))
            add_count(&c, r, b, b + 1);
        for (uint32_t k = random_below(r, 3); k > 0; k--)
            add_count(&c, r, b, random_below(r, blocks));
        if (b == 0 || random_chance(r, 8))
            add(&c, blocks, b, 0, ARC_UNBOUNDED, 0);
        if (b + 1 == blocks || random_chance(r, 8))
            add(&c, b, blocks, 0, ARC_UNBOUNDED, 0);
    }
    return c;
}

/* If this fails, a repaired profile is not the likeliest: presolving drops or mixes up a flow, or
 * pivots stop too early. */
static void test_profiles(void **state) {
    (void)state;
    struct random r = {.seed = 14};
    for (int round = 0; round < 2000; round++) {
        struct circulation c = random_profile(&r, 1 + random_below(&r, round < 1900 ? 30 : 400));
        int64_t expected;
        assert_true(by_linear_simplex(&c, &expected));
        assert_int_equal(solved(&c, simplex), expected);
        circulation_free(&c);
    }
}

/* Among flows of equal cost, the choice must not depend on the order of the arcs, and so not on the
 * solver's starting point. */
static void test_one_optimum(void **state) {
    (void)state;
    struct random r = {.seed = 15};
    for (int round = 0; round < 300; round++) {
        struct circulation c = random_profile(&r, 2 + random_below(&r, 60));
        int64_t *flow = calloc(c.nodes * c.nodes, sizeof *flow);
        assert_non_null(flow);
        const int64_t cost = solved(&c, simplex);
        for (size_t i = 0; i < c.arcs.len; i++)
            flow[c.arcs.at[i].from * c.nodes + c.arcs.at[i].to] += c.arcs.at[i].flow;
        for (size_t i = c.arcs.len; i > 1; i--) {
            const size_t k = random_below(&r, (uint32_t)i);
            const struct arc moved = c.arcs.at[i - 1];
            c.arcs.at[i - 1] = c.arcs.at[k];
            c.arcs.at[k] = moved;
        }
        assert_int_equal(solved(&c, simplex), cost);
        for (size_t i = 0; i < c.arcs.len; i++)
            flow[c.arcs.at[i].from * c.nodes + c.arcs.at[i].to] -= c.arcs.at[i].flow;
        for (size_t i = 0; i < c.nodes * c.nodes; i++)
            assert_int_equal(flow[i], 0);
        free(flow);
        circulation_free(&c);
    }
}

/* If this fails, networks of big programs are solved as small ones are, ten times as slowly. */
static void test_large(void **state) {
    (void)state;
    struct random r = {.seed = 17};
    struct circulation c = random_profile(&r, 4000), some = random_profile(&r, 400);
    assert_int_equal(solution(&c, simplex).steps, solution(&c, large).steps);
    assert_int_not_equal(solution(&some, simplex).steps, solution(&some, large).steps);
    circulation_free(&c);
    circulation_free(&some);
}

/* ---- solutions that begin where the last one ended ---- */

/* The same program a little later: some counts have changed, some arcs are new, and the nodes have
 * other numbers. place[v]: the new number of node v. */
static struct circulation grown(const struct circulation *c, struct random *r, uint32_t *place) {
    struct circulation out = {.nodes = c->nodes + random_below(r, 4)};
    for (uint32_t v = 0; v < c->nodes; v++)
        place[v] = v;
    for (uint32_t v = (uint32_t)c->nodes - 1; v > 1 && random_chance(r, 50); v--) {
        const uint32_t k = random_below(r, v), moved = place[v - 1];
        place[v - 1] = place[k];
        place[k] = moved;
    }
    place[c->nodes - 1] = (uint32_t)out.nodes - 1; /* the world */
    for (uint32_t v = (uint32_t)c->nodes - 1; v + 1 < out.nodes; v++)
        add_count(&out, r, random_below(r, v), v);
    for (size_t i = 0; i < c->arcs.len; i++) {
        const struct arc *a = &c->arcs.at[i];
        const int64_t cost = a->cost != 0 && random_chance(r, 30) ? a->cost + 1 : a->cost;
        add(&out, place[a->from], place[a->to], a->lower, a->upper, cost);
    }
    for (uint32_t v = (uint32_t)c->nodes - 1; v + 1 < out.nodes; v++)
        add(&out, v, (uint32_t)out.nodes - 1, 0, ARC_UNBOUNDED, 0);
    return out;
}

struct pivots {
    uint64_t warm, cold;
};

/* The flow is that of a cold solution. Adds the steps of both. */
static void solve_both(struct circulation *c, struct circulation_basis *basis,
                       const uint64_t *names, size_t large_nodes, struct pivots *sum) {
    const struct circulation_options options = {
        .basis = basis, .names = names, .large_nodes = large_nodes};
    struct circulation_options without = options;
    without.basis = NULL;
    const struct circulation_result cold = solution(c, without);
    int64_t *flow = copy_flow(c);
    const struct circulation_result warm = solution(c, options);
    assert_int_equal(warm.cost, cold.cost);
    assert_same_flow(c, flow);
    free(flow);
    sum->warm += warm.steps;
    sum->cold += cold.steps;
}

enum { GROWN_NODES = 400 };

static void solve_growing(struct random *r, uint32_t blocks, struct pivots *sum) {
    struct pivots again = {0};
    struct circulation c = random_profile(r, blocks);
    struct circulation_basis *basis = circulation_basis_new();
    uint64_t names[GROWN_NODES], next_name = c.nodes;
    uint32_t place[GROWN_NODES];
    assert_non_null(basis);
    for (size_t v = 0; v < c.nodes; v++)
        names[v] = v * 0x9E3779B97F4A7C15;
    for (int round = 0; round < 6; round++) {
        const size_t large_nodes = random_below(r, 2);
        solve_both(&c, basis, names, large_nodes, sum);
        solve_both(&c, basis, names, large_nodes, &again);
        struct circulation later = grown(&c, r, place);
        uint64_t moved[GROWN_NODES] = {0};
        assert_true(later.nodes <= GROWN_NODES);
        for (size_t v = 0; v < later.nodes; v++)
            moved[v] = next_name++ * 0x9E3779B97F4A7C15;
        for (size_t v = 0; v < c.nodes; v++)
            moved[place[v]] = names[v];
        memcpy(names, moved, sizeof names);
        circulation_free(&c);
        c = later;
    }
    assert_int_equal(again.warm, 0); /* nothing had changed */
    int64_t expected;
    assert_true(by_linear_simplex(&c, &expected));
    struct circulation_result result;
    struct error e = {0};
    const struct circulation_options options = {.basis = basis, .names = names};
    assert_int_equal(circulation_solve(&c, options, &result, &e), STATUS_OK);
    assert_int_equal(result.cost, expected);
    circulation_free(&c);
    circulation_basis_free(basis);
}

/* If this fails, a profile that is repaired while the machine runs depends on how often it was
 * repaired before. */
static void test_warm(void **state) {
    (void)state;
    struct random r = {.seed = 16};
    struct pivots sum = {0};
    for (int round = 0; round < 100; round++)
        solve_growing(&r, 2 + random_below(&r, round < 95 ? 40 : 360), &sum);
    assert_true(2 * sum.warm < sum.cold);
}

/* ---- two optima ---- */

enum { TIED_NODES = 1 << 18, TIED_PATHS = 1 << 14 };

/* A path of two arcs from node 0 to node 1; by its hash. */
struct tied_path {
    uint64_t hash;
    uint32_t through;
};

static int compare_paths(const void *a, const void *b) {
    const struct tied_path *x = a, *y = b;
    return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1) : 0;
}

/* The hashes of convex.c have 23 bits in a network of 2^18 nodes, so some paths have equal sums. */
static uint64_t arc_hash(uint64_t from, uint64_t to) {
    return splitmix64(from << 32 | to, 0) >> (64 - 23);
}

/* Paths that all cost nothing, each of room for one unit. So many units must go that one of two
 * paths with equal hashes is used, and either gives an optimum. */
static struct circulation tied_network(uint32_t tied[2]) {
    static struct tied_path paths[TIED_PATHS];
    struct circulation c = {.nodes = TIED_NODES};
    for (uint32_t i = 0; i < TIED_PATHS; i++) {
        paths[i] = (struct tied_path){arc_hash(0, i + 2) + arc_hash(i + 2, 1), i + 2};
        add(&c, 0, i + 2, 0, 1, 0);
        add(&c, i + 2, 1, 0, ARC_UNBOUNDED, 0);
    }
    qsort(paths, TIED_PATHS, sizeof *paths, compare_paths);
    int64_t units = 1;
    while (units < TIED_PATHS && paths[units - 1].hash != paths[units].hash)
        units++;
    assert_true(units < TIED_PATHS);
    tied[0] = paths[units - 1].through;
    tied[1] = paths[units].through;
    add(&c, 1, 0, units, units, 0);
    return c;
}

static struct arc *first_arc(struct circulation *c, uint32_t through) {
    return &c->arcs.at[2 * (through - 2)];
}

/* Where hashes tie, an earlier basis may lead to another optimum. This must be noticed. */
static void test_two_optima(void **state) {
    (void)state;
    uint32_t tied[2];
    struct circulation c = tied_network(tied);
    struct circulation_basis *basis = circulation_basis_new();
    uint64_t *names = calloc(TIED_NODES, sizeof *names);
    assert_true(basis != NULL && names != NULL);
    for (uint64_t v = 0; v < TIED_NODES; v++)
        names[v] = v;
    const struct circulation_options options = {.basis = basis, .names = names};
    struct circulation_result result;
    struct error e = {0};
    solved(&c, simplex);
    const int cold = first_arc(&c, tied[0])->flow == 1 ? 0 : 1;
    assert_int_equal(first_arc(&c, tied[1 - cold])->flow, 0);
    first_arc(&c, tied[cold])->cost = 1;
    assert_int_equal(circulation_solve(&c, options, &result, &e), STATUS_OK);
    assert_int_equal(first_arc(&c, tied[1 - cold])->flow, 1);
    assert_false(result.anew);
    first_arc(&c, tied[cold])->cost = 0;
    assert_int_equal(circulation_solve(&c, options, &result, &e), STATUS_OK);
    assert_true(result.anew);
    assert_int_equal(first_arc(&c, tied[cold])->flow, 1);
    assert_int_equal(first_arc(&c, tied[1 - cold])->flow, 0);
    circulation_free(&c);
    circulation_basis_free(basis);
    free(names);
}

/* With GCC's limit the solver stops before the optimum and says so; its result is still a flow. */
static void test_limit(void **state) {
    (void)state;
    struct random r = {.seed = 13};
    assert_int_equal(circulation_gcc_limit(10, 20), 10 + 5000);
    assert_int_equal(circulation_gcc_limit(2000, 3000), 10);
    assert_int_equal(circulation_gcc_limit(0, 0), 10);
    struct circulation c = random_program(&r, 100);
    int64_t best = solved(&c, simplex);
    struct circulation_result result;
    struct error e = {0};
    const struct circulation_options limited = {
        .solver = CIRCULATION_KLEIN, .cancel_limit = circulation_gcc_limit(c.nodes, c.arcs.len)};
    assert_int_equal(circulation_solve(&c, limited, &result, &e), STATUS_OK);
    assert_int_equal(result.outcome, CIRCULATION_LIMITED);
    assert_flow(&c, result.cost);
    assert_true(result.cost > best);
    circulation_free(&c);
}

/* ---- DIMACS ---- */

static void test_dimacs(void **state) {
    (void)state;
    static const char text[] = "c a comment\nc\n\np min 4 6\r\nn 1 4\nn\t4 -4\n"
                               "a 1 2 0 3 1\na 2 4 0 2 2\n a 1 3 0 4 2 \na 3 4 0 4 3\n"
                               "a 2 3 0 9 -1\na 2 3 0 9223372036854775807 +8";
    struct dimacs d;
    struct error e = {0};
    if (dimacs_parse(&d, text, strlen(text), "x.min", &e) != STATUS_OK)
        fail_msg("%s", e.text);
    assert_int_equal(d.arcs, 6);
    assert_int_equal(d.network.arcs.len, 8);
    assert_int_equal(d.network.arcs.at[5].upper, ARC_UNBOUNDED);
    assert_int_equal(d.network.arcs.at[4].cost, -1);
    assert_int_equal(solved(&d.network, simplex), 14);
    assert_int_equal(solved(&d.network, klein), 14);
    dimacs_free(&d);
}

static void test_dimacs_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", "x.min:0: there is no line"},
        {"c only\n", "x.min:1: there is no line"},
        {"a 1 2 0 1 1\n", "x.min:1: \"p min NODES ARCS\" must come first"},
        {"p max 2 1\n", "x.min:1: only minimum-cost flow"},
        {"p min 2\n", "x.min:1: expected \"p min"},
        {"p min -2 1\n", "x.min:1: expected \"p min"},
        {"p min 2 1 1\n", "x.min:1: expected \"p min"},
        {"p minimal 2 1\n", "x.min:1: only minimum-cost"},
        {"p min 100000001 1\n", "x.min:1: more than"},
        {"p min 2 0\np min 2 0\n", "x.min:2: a second p line"},
        {"p min 2 1\nn 3 1\n", "x.min:2: expected \"n NODE"},
        {"p min 2 1\nn 0 1\n", "x.min:2: expected \"n NODE"},
        {"p min 2 1\nn 1\n", "x.min:2: expected \"n NODE"},
        {"p min 2 1\nn 1 1\nn 1 1\n", "x.min:3: a second n line"},
        {"p min 2 1\na 1 2 0 1\n", "x.min:2: expected \"a FROM"},
        {"p min 2 1\na 1 3 0 1 1\n", "x.min:2: expected \"a FROM TO LOWER UPPER COST\", nodes"},
        {"p min 2 1\na 1 2 0 1 1.5\n", "x.min:2: expected \"a FROM"},
        {"p min 2 1\na 1 2 0 9223372036854775808 1\n", "x.min:2: expected \"a FROM"},
        {"p min 2 1\na 1 2 3 1 1\n", "x.min:2: the lower bound"},
        {"p min 2 1\na 1 2 0 1 1\na 1 2 0 1 1\n", "x.min:3: more arcs"},
        {"p min 2 2\na 1 2 0 1 1\n", "x.min:2: it ends after 1 of 2 arcs"},
        {"p min 2 0\nx\n", "x.min:2: expected a line"},
        {"p min 2 0\nn1 2\n", "x.min:2: expected a line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct dimacs d;
        struct error e = {0};
        assert_int_equal(dimacs_parse(&d, cases[i][0], strlen(cases[i][0]), "x.min", &e),
                         STATUS_FORMAT);
        if (strncmp(e.text, cases[i][1], strlen(cases[i][1])) != 0)
            fail_msg("%s", e.text);
        assert_null(d.network.arcs.at);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),    cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_large_numbers),
        cmocka_unit_test(test_random),     cmocka_unit_test(test_programs),
        cmocka_unit_test(test_profiles),   cmocka_unit_test(test_one_optimum),
        cmocka_unit_test(test_large),      cmocka_unit_test(test_warm),
        cmocka_unit_test(test_two_optima), cmocka_unit_test(test_limit),
        cmocka_unit_test(test_dimacs),     cmocka_unit_test(test_dimacs_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
