/*
 * Traces of programs whose execution is known by heart, and of a game on both engines. If these
 * fail, other traces are selected than the papers' rules say, what is executed in them is miscounted, or an
 * interrupt or an engine changes either.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "profile/profile.h"
#include "tests/support/profiled.h"

static struct profile of_guest(struct guest *(*program)(void), const char *technique,
                               int64_t threshold, int64_t other, unsigned frames,
                               const struct engine *engine) {
    const int64_t values[TECHNIQUE_PARAMETERS] = {threshold, other};
    return profiled_guest(program(), technique, values, frames, engine);
}

static bool has(const struct profile *p, uint32_t source, uint32_t target) {
    return graph_find_edge(&p->graph, source, target) != NULL;
}

/* In round 51 the next executing tail is recorded: 8002 800B. Each fourth round from 52 on leaves it for
 * 8008, 50 times until round 248. It comes back by RTS to 800B, as 12 rounds did before: from round 204 on
 * there is a trace. */
static void test_net(void **state) {
    (void)state;
    for (int engine = 0; engine < 2; engine++) {
        struct profile p =
            of_guest(guest_of_rounds, "net", 50, 128, 4, engine == 0 ? NULL : dbt_engine());
        const uint64_t transfers = counted(&p, "transfers");
        assert_true(transfers > 1000);
        assert_int_equal(counted(&p, "traces"), 3);
        assert_int_equal(counted(&p, "trace_bytes"), 9 + 4 + 3);
        assert_int_equal(p.graph.edge_count, 4);
        assert_true(graph_is_set(&p.graph));
        assert_true(has(&p, 0x8002, 0x800B) && has(&p, 0x800B, 0x8002));
        assert_true(has(&p, 0x8008, 0x8020) && has(&p, 0x8020, 0x800B));
        /* Outside: rounds 1 to 51, the call and the return of 50 rounds, and the jump of 38. */
        assert_int_equal(transfers - counted(&p, "inside"), 39 * 2 + 12 * 4 + 50 * 2 + 38);
        assert_int_equal(p.cost.records, 4); /* 8000, 8002, 8008, 800B */
        assert_int_equal(p.cost.probes, 1 + 50 + 50 + 50);
        assert_int_equal(p.cost.observed, 2 + 2 + 1);
        /* Rounds take 12 cycles, those with the call 23. The third trace, added before the jump of round
         * 248, executes three of ten transfers with the second. */
        assert_int_equal(counted(&p, "first_trace_cycle"), 9 + 39 * 12 + 12 * 23);
        assert_int_equal(counted(&p, "ninety_percent_cycle"), 9 + 62 * (3 * 12 + 23) - 3);
        /* The seventh of ten transfers leaves the trace, from round 52 on. */
        const uint64_t left = (transfers + 3) / 10 - 12;
        const uint64_t open = counted(&p, "entered") - counted(&p, "completed") - left;
        assert_in_range(open, 0, 1);
        profile_free(&p);
    }
}

/* Round 36 closes the 35th cycle to 8002, and is one with a call. From then on each other round leaves
 * this trace for 800B: it is reached by the 35th cycle in round 71. */
static void test_lei(void **state) {
    (void)state;
    for (int engine = 0; engine < 2; engine++) {
        struct profile p =
            of_guest(guest_of_rounds, "lei", 35, 500, 4, engine == 0 ? NULL : dbt_engine());
        assert_int_equal(counted(&p, "traces"), 2);
        assert_int_equal(counted(&p, "trace_bytes"), 6 + 3 + 1 + 3 + 3);
        assert_int_equal(p.graph.edge_count, 4);
        assert_true(has(&p, 0x8002, 0x8008) && has(&p, 0x8008, 0x8020));
        assert_true(has(&p, 0x8020, 0x800B) && has(&p, 0x800B, 0x8002));
        assert_int_equal(counted(&p, "transfers") - counted(&p, "inside"), 27 * 2 + 9 * 4 + 26);
        assert_int_equal(p.cost.records, 2);
        assert_int_equal(p.cost.probes, 35 + 35);
        assert_int_equal(p.cost.observed, 1 + 27 * 2 + 9 * 3 + 26 * 2 + 1);
        profile_free(&p);
    }
}

/* Calls of one function from two places:
 *
 *     8000  LDX #0
 *     8002  INX, JSR $8020
 *     8006  JSR $8020
 *     8009  JMP $8002
 *     8020  RTS
 *
 * The first head is 8006, by the return in round 36. Its trace ends where the function is called again; from there on
 * 8020 needs a trace of its own, which ends at 8006. */
static struct guest *twice(void) {
    struct guest *g = guest_new();
    guest_code(g, 0x8000, 0xA2, 0x00, 0xE8, 0x20, 0x20, 0x80, 0x20, 0x20, 0x80, 0x4C, 0x02, 0x80);
    guest_code(g, 0x8020, 0x60);
    guest_vectors(g, 0x8020, 0x8000, 0x8020);
    return g;
}

/* A loop in a loop, without a transfer into it:
 *
 *     8000  LDX #0
 *     8002  INY
 *     8003  INX, TXA, AND #3, BNE $8003
 *     8009  JMP $8002
 *
 * The inner loop is the first trace. That of 8002 runs on into it, and does not copy it. */
static struct guest *nested(void) {
    struct guest *g = guest_new();
    guest_code(g, 0x8000, 0xA2, 0x00, 0xC8, 0xE8, 0x8A, 0x29, 0x03, 0xD0, 0xFA, 0x4C, 0x02, 0x80);
    guest_vectors(g, 0x8000, 0x8000, 0x8000);
    return g;
}

static void test_lei_ends(void **state) {
    (void)state;
    for (int engine = 0; engine < 2; engine++) {
        struct profile p = of_guest(twice, "lei", 35, 500, 4, engine == 0 ? NULL : dbt_engine());
        assert_int_equal(counted(&p, "traces"), 2);
        assert_int_equal(counted(&p, "trace_bytes"), 3 + 1 + 3 + 4 + 1);
        assert_int_equal(p.graph.edge_count, 5);
        assert_in_range(counted(&p, "entered") - counted(&p, "completed"), 0, 1);
        profile_free(&p);
        p = of_guest(nested, "lei", 35, 500, 4, engine == 0 ? NULL : dbt_engine());
        assert_int_equal(counted(&p, "traces"), 3);
        assert_int_equal(counted(&p, "trace_bytes"), 6 + 1 + 3);
        assert_int_equal(p.graph.edge_count, 3);
        assert_true(has(&p, 0x8002, 0x8003) && has(&p, 0x8003, 0x8003) && has(&p, 0x8009, 0x8002));
        profile_free(&p);
    }
}

/* What is no longer in the buffer closes no cycle, as that of a call and its return, and a trace has no more transfers than it may have. */
static void test_limits(void **state) {
    (void)state;
    struct profile p = of_guest(guest_of_rounds, "lei", 35, 2, 4, NULL);
    assert_int_equal(counted(&p, "traces"), 1);
    assert_true(has(&p, 0x8002, 0x800B) && !has(&p, 0x8008, 0x8020));
    profile_free(&p);
    p = of_guest(guest_of_rounds, "net", 50, 1, 4, NULL);
    assert_int_equal(counted(&p, "traces"), 4);
    assert_int_equal(counted(&p, "trace_bytes"), 6 + 3 + 3 + 1);
    profile_free(&p);
}

static void test_interrupts(void **state) {
    (void)state;
    static const char *const names[] = {"net", "lei"};
    for (int k = 0; k < 4; k++) {
        const int64_t threshold = 10;
        struct profile p = of_guest(guest_interrupted, names[k / 2], threshold, 500, 40,
                                    k % 2 == 0 ? NULL : dbt_engine());
        assert_int_equal(counted(&p, "traces"), 2);
        assert_int_equal(counted(&p, "trace_bytes"), 6 + 5 + 3 + 1);
        assert_true(has(&p, 0x8002, 0x8008) && has(&p, 0x8008, 0x8002) && has(&p, 0x8020, 0x8030));
        /* It goes on in its trace after each interrupt: all that is entered is completed. */
        assert_in_range(counted(&p, "entered") - counted(&p, "completed"), 0, 1);
        assert_true(counted(&p, "entered") > 1000);
        /* Ten rounds are counted and one is recorded, by LEI the other way round; the handler runs ten
         * times outside. */
        assert_int_equal(counted(&p, "transfers") - counted(&p, "inside"), 11 * 2 + 10);
        profile_free(&p);
    }
}

/* ---- a game ---- */

enum { FRAMES = 300 };

static struct profile of_game(const char *technique, const struct engine *engine) {
    const int64_t values[TECHNIQUE_PARAMETERS] = {20, 100};
    return profiled_game(technique, values, "mazewisp", FRAMES, engine);
}

/* Broken: engines disagree, or what is active is miscounted. */
static void test_game(void **state) {
    (void)state;
    static const char *const names[] = {"net", "lei"};
    struct structure s = played_structure("mazewisp", FRAMES);
    uint64_t waits = 0;
    for (size_t i = 0; i < s.graph.edge_count; i++)
        waits += s.falls[i] ? 0 : s.graph.edges[i].count;
    assert_true(waits > 0);
    for (int k = 0; k < 2; k++) {
        struct profile p = of_game(names[k], NULL), q = of_game(names[k], dbt_engine());
        assert_same_profile(&p, &q);
        assert_int_equal(counted(&p, "transfers") - counted(&p, "transfers_active"), waits);
        assert_true(counted(&p, "inside") <= counted(&p, "transfers"));
        assert_true(counted(&p, "inside_active") * 10 > counted(&p, "transfers_active") * 7);
        assert_true(counted(&p, "first_trace_cycle") <= counted(&p, "ninety_percent_cycle"));
        profile_free(&p);
        profile_free(&q);
    }
    structure_free(&s);
}

/* Broken: what is given up in the midst stays attached, or leaks. */
static void test_abandon(void **state) {
    (void)state;
    const int64_t values[TECHNIQUE_PARAMETERS] = {5, 50};
    assert_abandons("net", values);
    assert_abandons("lei", values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_net),        cmocka_unit_test(test_lei),
        cmocka_unit_test(test_lei_ends),   cmocka_unit_test(test_limits),
        cmocka_unit_test(test_interrupts), cmocka_unit_test(test_game),
        cmocka_unit_test(test_abandon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
