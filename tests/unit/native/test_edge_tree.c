/* The counters of an exact native graph: flows of random graphs must follow from those that are
 * counted, and no other choice may count less. If this fails, native graphs are wrong or refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "native/edges/edge_tree.h"

enum { PIECES = 40, ARCS = TREE_ARCS * PIECES, VERTICES = TREE_VERTICES * PIECES + 1 };

static uint32_t draw(uint32_t *seed, uint32_t below) {
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(*seed >> 8) * below >> 24);
}

struct trial {
    struct tree_piece pieces[PIECES];
    struct tree_arc arcs[ARCS];
    uint64_t flow[ARCS]; /* the true ones */
    size_t count;
    uint32_t vertex[2 * VERTICES], order[ARCS];
    uint64_t balance[VERTICES];
    struct tree_work work;
};

static void random_pieces(struct trial *t, uint32_t *seed) {
    uint32_t hubs[PIECES], hub_count = 0;
    bool returned[PIECES] = {false}; /* something of a hub leads there: nothing else enters */
    for (uint32_t i = 0; i < PIECES; i++) {
        t->pieces[i] =
            (struct tree_piece){.ends = "nnjbbbccarlsww"[draw(seed, 14)],
                                .next = i + 1 < PIECES ? i + 1 : TREE_NONE,
                                .target = draw(seed, 9) > 0 ? draw(seed, PIECES) : TREE_NONE,
                                .back = TREE_NONE,
                                .arm_of = TREE_NONE,
                                .may_enter = draw(seed, 3) == 0,
                                .far = draw(seed, 2) == 0};
        if (t->pieces[i].ends == 'r')
            hubs[hub_count++] = i;
        if (t->pieces[i].ends == 'l')
            t->pieces[i].target = TREE_NONE;
    }
    for (uint32_t i = 0; i + 1 < PIECES && hub_count > 0; i++)
        if (t->pieces[i].ends == 'c' && draw(seed, 2) == 0) {
            t->pieces[i].back = hubs[draw(seed, hub_count)];
            returned[i + 1] = true;
        }
    for (uint32_t i = 0; i < PIECES; i++) {
        const uint32_t table = draw(seed, PIECES);
        if (returned[i]) {
            t->pieces[i].may_enter = false;
        } else if (t->pieces[table].ends == 'w') {
            t->pieces[i].arm_of = table;
            t->pieces[i].may_enter = false;
        }
    }
}

static void random_graph(struct trial *t, uint32_t *seed) {
    random_pieces(t, seed);
    t->count = tree_arcs(t->pieces, PIECES, t->arcs);
    t->work = (struct tree_work){t->vertex, t->balance, t->order, tree_vertices(PIECES)};
    assert_true(t->count <= ARCS);
    for (size_t k = 0; k < t->count; k++)
        t->arcs[k].weight = (uint8_t)draw(seed, TREE_WEIGHTS);
}

/* Adds flow along random circles, so that it is balanced everywhere. */
static void random_flow(struct trial *t, uint32_t *seed) {
    memset(t->flow, 0, sizeof t->flow);
    for (int turn = 0; turn < 60; turn++) {
        size_t path[VERTICES], steps = 0;
        uint32_t at = draw(seed, VERTICES), seen[VERTICES] = {0};
        while (seen[at] == 0) {
            size_t out[ARCS], n = 0;
            seen[at] = (uint32_t)steps + 1;
            for (size_t k = 0; k < t->count; k++)
                if (t->arcs[k].from == at)
                    out[n++] = k;
            if (n == 0)
                break;
            path[steps] = out[draw(seed, (uint32_t)n)];
            at = t->arcs[path[steps++]].to;
        }
        const bool circle = steps > 0 && t->arcs[path[steps - 1]].to == at && seen[at] != 0 &&
                            t->arcs[path[seen[at] - 1 < steps ? seen[at] - 1 : 0]].from == at;
        const uint64_t more = draw(seed, 1000);
        for (size_t k = circle ? seen[at] - 1 : steps; k < steps; k++)
            t->flow[path[k]] += more;
    }
}

static void measure(struct trial *t) {
    memset(t->balance, 0, sizeof t->balance);
    for (size_t k = 0; k < t->count; k++)
        t->arcs[k].flow = t->arcs[k].counted ? t->flow[k] : 12345;
}

static uint64_t counted_weight(const struct trial *t, size_t *counters) {
    uint64_t sum = 0;
    *counters = 0;
    for (size_t k = 0; k < t->count; k++)
        if (t->arcs[k].counted) {
            assert_true(tree_can_count(&t->arcs[k]));
            sum += t->arcs[k].weight;
            ++*counters;
        }
    return sum;
}

static void test_flows_follow(void **state) {
    (void)state;
    static struct trial t;
    size_t solved = 0, all = 0, counters = 0, n;
    for (uint32_t seed = 1; seed <= 2000; seed++) {
        uint32_t s = seed * 77u;
        struct tree_fault fault;
        random_graph(&t, &s);
        if (!tree_choose(t.arcs, t.count, &t.work))
            continue;
        random_flow(&t, &s);
        measure(&t);
        if (!tree_solve(t.arcs, t.count, &t.work, &fault))
            fail_msg("seed %u: piece %u, by %llu", seed, fault.piece, (unsigned long long)fault.by);
        for (size_t k = 0; k < t.count; k++)
            if (t.arcs[k].flow != t.flow[k])
                fail_msg("seed %u: arc %zu of piece %u", seed, k, t.arcs[k].piece);
        solved++;
        counted_weight(&t, &n);
        counters += n;
        for (size_t k = 0; k < t.count; k++)
            all += tree_can_count(&t.arcs[k]);
    }
    assert_true(solved > 1000);
    assert_true(counters * 10 < all * 8);
}

/* Any other forest, found by other weights, counts at least as much. */
static void test_fewest_executions(void **state) {
    (void)state;
    static struct trial t;
    for (uint32_t seed = 1; seed <= 500; seed++) {
        uint32_t s = seed * 31u;
        uint8_t weight[ARCS];
        size_t best_counters, counters;
        random_graph(&t, &s);
        if (!tree_choose(t.arcs, t.count, &t.work))
            continue;
        const uint64_t best = counted_weight(&t, &best_counters);
        for (size_t k = 0; k < t.count; k++) {
            weight[k] = t.arcs[k].weight;
            t.arcs[k].weight = (uint8_t)draw(&s, TREE_WEIGHTS);
            t.arcs[k].counted = false;
        }
        assert_true(tree_choose(t.arcs, t.count, &t.work));
        for (size_t k = 0; k < t.count; k++)
            t.arcs[k].weight = weight[k];
        assert_true(counted_weight(&t, &counters) >= best);
        assert_int_equal(counters, best_counters);
    }
}

static bool open_at(const struct trial *t, uint32_t vertex) {
    for (size_t k = 0; k < t->count; k++)
        if (!t->arcs[k].counted && (t->arcs[k].from == vertex || t->arcs[k].to == vertex))
            return true;
    return vertex == 0;
}

/* Where everything around a vertex is counted, no wrong count goes unnoticed. */
static void test_wrong_counts(void **state) {
    (void)state;
    static struct trial t;
    size_t tried = 0;
    for (uint32_t seed = 1; seed <= 500; seed++) {
        uint32_t s = seed * 13u;
        struct tree_fault fault;
        random_graph(&t, &s);
        if (!tree_choose(t.arcs, t.count, &t.work))
            continue;
        for (size_t k = 0; k < t.count; k++)
            t.arcs[k].counted |= tree_can_count(&t.arcs[k]);
        random_flow(&t, &s);
        for (size_t wrong = 0; wrong < t.count; wrong++) {
            const struct tree_arc *a = &t.arcs[wrong];
            if (!a->counted || a->from == a->to || (open_at(&t, a->from) && open_at(&t, a->to)))
                continue;
            measure(&t);
            t.arcs[wrong].flow += 7;
            tried++;
            assert_false(tree_solve(t.arcs, t.count, &t.work, &fault));
            assert_true(fault.by > 0);
        }
        measure(&t);
        assert_true(tree_solve(t.arcs, t.count, &t.work, &fault));
    }
    assert_true(tried > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flows_follow),
        cmocka_unit_test(test_fewest_executions),
        cmocka_unit_test(test_wrong_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
