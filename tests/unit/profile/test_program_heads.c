/*
 * Counters along a program's trace that are halved by the program's clock. If these fail, other routines and loops
 * become hot than those that reach the threshold between two halvings, a million instructions being a millisecond.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/program/program_trace.h"

/* head: call routine; branch to head. routine: return */
enum { HEAD = 0x10000, BRANCH = HEAD + 5, END = BRANCH + 2, ROUTINE = HEAD + 0x100 };
enum { PASSES = 800000, INSNS = 3, MILLISECOND = 1000000 };

static void make_trace(struct program_trace *t, struct packet_writer *w) {
    static const struct code_insn insns[] = {{HEAD, BRANCH, ROUTINE, INSN_CALL},
                                             {BRANCH, END, HEAD, INSN_BRANCH},
                                             {END, END + 1, 0, INSN_PLAIN},
                                             {ROUTINE, ROUTINE + 1, 0, INSN_RETURN}};
    struct error e = {0};
    *t = (struct program_trace){.instructions = PASSES * INSNS};
    *w = (struct packet_writer){.psb = 1 << 16, .tnt_most = PACKET_TNT_LONG};
    for (size_t i = 0; i < sizeof insns / sizeof *insns; i++)
        assert_true(vec_push(&t->insns, insns[i]));
    packets_enable(w, HEAD);
    for (int i = 1; i <= PASSES; i++) {
        packets_call(w, BRANCH);
        packets_return(w, BRANCH);
        packets_branch(w, i < PASSES, i < PASSES ? HEAD : END);
    }
    packets_disable(w, END);
    t->packets = w->out.at;
    t->length = w->out.len;
    assert_int_equal(program_trace_learn(t, &e), STATUS_OK);
}

static uint64_t counted(const struct profile *p, const char *name) {
    for (size_t i = 0; i < p->count_count; i++)
        if (strcmp(p->counts[i].name, name) == 0)
            return p->counts[i].value;
    fail_msg("no count %s", name);
    return 0;
}

/* The instructions before the one that makes a head hot which is counted by instruction `first` of each pass;
 * UINT64_MAX: it never is. */
static uint64_t hot_at(uint64_t first, uint64_t threshold, uint64_t period, uint64_t count) {
    uint64_t due = period;
    for (uint64_t i = 0; i < PASSES; i++) {
        const uint64_t executed = i * INSNS + first;
        for (; period != 0 && due <= executed; due += period)
            count /= 2;
        if (++count == threshold)
            return executed;
    }
    return UINT64_MAX;
}

static void assert_hot(const struct program_trace *t, uint64_t threshold, uint64_t period) {
    const int64_t values[TECHNIQUE_PARAMETERS] = {(int64_t)threshold, (int64_t)period};
    struct profile p;
    struct error e = {0};
    assert_int_equal(technique_find("decay")->replay(&p, t, values, &e), STATUS_OK);
    const uint64_t routine = hot_at(0, threshold, period * MILLISECOND, 0);
    /* Execution begins at the head; the last pass does not go back. */
    const uint64_t head = threshold == 1 ? 0 : hot_at(2, threshold, period * MILLISECOND, 1);
    const uint64_t hot = (routine != UINT64_MAX) + (head < PASSES * INSNS - 1);
    assert_int_equal(counted(&p, "hot_heads"), hot);
    assert_int_equal(counted(&p, "halvings"),
                     period == 0 ? 0 : PASSES * INSNS / (period * MILLISECOND));
    if (hot > 0)
        assert_int_equal(counted(&p, "first_hot_cycle"), routine < head ? routine : head);
    assert_int_equal(p.cost.probes, 2 * PASSES - 1);
    assert_int_equal(p.cost.records, 2);
    profile_free(&p);
}

static void test_halving(void **state) {
    (void)state;
    struct program_trace t;
    struct packet_writer w;
    make_trace(&t, &w);
    static const uint64_t thresholds[] = {1, 300000, 400000, PASSES, PASSES + 1};
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++)
        for (uint64_t period = 0; period <= 3; period++)
            assert_hot(&t, thresholds[i], period);
    program_trace_free(&t);
    packets_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_halving)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
