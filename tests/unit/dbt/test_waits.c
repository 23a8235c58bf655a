/*
 * Programs that wait, from a seed (waits.h), on both engines and on a machine without anything that
 * is there for speed alone: no skips, no fast paths. After each frame the whole states are
 * compared; for some programs also exact graphs and streams of samples at the end. If these fail, a
 * game's behaviour depends on how it is emulated. test_waits [FIRST [COUNT]] other programs: COUNT
 * of them, from seed FIRST on
 */
#include "tests/support/waits.h"

#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "dbt/dbt.h"
#include "tests/support/effort.h"

enum { FRAMES = 6 };

static uint64_t first = 0, count = EFFORT(600);

struct machine {
    struct nes *nes;
    void *exact;
    struct sampler *sampler;
};

static void must(enum status status, const struct error *e) {
    if (status != STATUS_OK)
        fail_msg("%s", e->text);
}

static struct machine begin(const struct guest *g, struct nes_options options, uint64_t seed) {
    struct error e = {0};
    options.console.no_warmup = true; /* NMIs from the start */
    struct machine m = {.nes = guest_machine(g, options)};
    if (seed % 4 == 2)
        must(technique_find("exact")->attach(&m.exact, m.nes, NULL, &e), &e);
    if (seed % 4 == 3 || seed % 8 == 2)
        must(sampler_attach(&m.sampler, m.nes, (struct sampler_options){.interval_us = 777}, &e),
             &e);
    return m;
}

static bool same_graphs(struct machine *a, struct machine *b) {
    struct profile p, q;
    must(technique_find("exact")->finish(a->exact, &p, NULL), NULL);
    must(technique_find("exact")->finish(b->exact, &q, NULL), NULL);
    const bool same =
        p.graph.edge_count == q.graph.edge_count && p.cost.probes == q.cost.probes &&
        p.cost.records == q.cost.records &&
        !memcmp(p.graph.edges, q.graph.edges, p.graph.edge_count * sizeof *p.graph.edges);
    profile_free(&p);
    profile_free(&q);
    return same;
}

static bool same_streams(struct machine *a, struct machine *b) {
    struct stream s, t;
    must(sampler_finish(a->sampler, &s, NULL), NULL);
    must(sampler_finish(b->sampler, &t, NULL), NULL);
    const bool same = s.batch_count == t.batch_count && stream_hash(&s) == stream_hash(&t);
    stream_free(&s);
    stream_free(&t);
    return same;
}

/* Compares at the end of a frame, or, for every fourth program, anywhere. */
static void run(struct machine *m, uint64_t seed, unsigned step) {
    nes_set_buttons(m->nes, 0, (uint8_t)(splitmix64(seed, step) >> 40));
    if (seed % 16 < 12 || step % 2)
        must(nes_run_frame(m->nes, NULL), NULL);
    else
        must(nes_run_to(m->nes, nes_cycle(m->nes) + splitmix64(seed, step) % 20000, NULL), NULL);
}

static bool same_states(const struct machine *truth, const struct machine *m, unsigned step) {
    struct nes_difference d;
    if (nes_differences(truth->nes, m->nes, &d, 1) == 0)
        return true;
    fprintf(stderr, "frame %u: %s %s is %llu, and in truth %llu\n", step, d.part, d.member,
            (unsigned long long)d.b, (unsigned long long)d.a);
    return false;
}

/* False: they differ, and the position was printed. */
static bool compare(const struct guest *g, uint64_t seed, struct nes_options options,
                    unsigned *waited) {
    struct machine truth = begin(g, (struct nes_options){.no_skip = true, .no_fast = true}, seed);
    struct machine m = begin(g, options, seed);
    bool same = true;
    for (unsigned step = 0; step < FRAMES && same; step++) {
        run(&truth, seed, step);
        run(&m, seed, step);
        same = same_states(&truth, &m, step);
    }
    *waited += nes_skipped(m.nes) > nes_instructions(m.nes) / 5;
    if (m.exact && !same_graphs(&truth, &m) && same)
        same = false, fprintf(stderr, "the exact graphs differ\n");
    if (m.sampler && !same_streams(&truth, &m) && same)
        same = false, fprintf(stderr, "the samples differ\n");
    if (!same)
        fprintf(stderr, "program %llu, %s\n", (unsigned long long)seed,
                options.engine ? "translated" : "interpreted");
    nes_free(truth.nes);
    nes_free(m.nes);
    return same;
}

/* Returns how many variants differ, 0 to 2. */
static unsigned compare_program(uint64_t seed, unsigned waited[2]) {
    struct guest *const g = waits_program(seed);
    const struct dbt_options translator = {.hot = seed % 3 ? 1 : 20,
                                           .cache_bytes = seed % 7 ? 0 : 4096};
    const struct nes_options translated = {.engine = dbt_engine(), .engine_options = &translator};
    unsigned differ = !compare(g, seed, (struct nes_options){0}, &waited[0]);
    if (dbt_engine())
        differ += !compare(g, seed, translated, &waited[1]);
    free(g);
    return differ;
}

static void programs(void **state) {
    (void)state;
    unsigned waited[2] = {0}, differ = 0;
    for (uint64_t seed = first; seed < first + count; seed++)
        differ += compare_program(seed, waited);
    assert_int_equal(differ, 0);
    assert_true(waited[0] >= count / 4);
    assert_true(!dbt_engine() || waited[1] >= count / 4);
}

/* In these a sample's last byte asserts the IRQ, which no deadline foretells, and the next pass
 * that is executed under the exact profiler clears I. Broken: the instruction behind CLI is
 * executed as if no IRQ waited for its end. */
static void irq_behind_cli(void **state) {
    (void)state;
    static const uint64_t seeds[] = {2003086, 2003710, 2004698, 2006066};
    unsigned waited[2] = {0}, differ = 0;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        differ += compare_program(seeds[i], waited);
    assert_int_equal(differ, 0);
}

/* The program waits, with equal states on all machines and with all observers. */
static void expect_waits(const struct guest *g) {
    for (uint64_t watched = 0; watched < 4; watched++) {
        unsigned waited = 0;
        assert_true(compare(g, watched, (struct nes_options){0}, &waited));
        assert_true(!dbt_engine() ||
                    compare(g, watched, (struct nes_options){.engine = dbt_engine()}, &waited));
        assert_int_equal(waited, dbt_engine() ? 2 : 1);
    }
}

/* The IRQ of each frame is only accepted between CLI and SEI, within a wait. Broken: the wait is
 * skipped although the IRQ is pending, and the IRQ is taken most of a frame late. */
static void unmasked_for_an_instruction(void **state) {
    (void)state;
    struct guest *const g = guest_new();
    guest_code(g, 0x8000, SEI, LDX_IMM, 0xFF, TXS, LDA_IMM, 0x00, STA_ABS, 0x17, 0x40, JMP, 0x10,
               0x80);
    guest_code(g, 0x8010, LDA_IMM, 0x00, STA_ZP, 0x13, CLI, SEI, LDA_ZP, 0x13, BEQ, 0xFA, INC_ZP,
               0x11, JMP, 0x10, 0x80);
    guest_code(g, 0x8080, PHA, LDA_ABS, 0x15, 0x40, INC_ZP, 0x13, PLA, RTI);
    guest_vectors(g, 0x8000, 0x8000, 0x8080);
    expect_waits(g);
    free(g);
}

/* An observer whose alarm attaches another one, which counts branches, and whose next alarm
 * detaches that one and itself. */
struct comer {
    struct nes *nes;
    unsigned id, other;
    uint32_t counters;
    unsigned alarms;
};
enum { STAYS = 1000 }; /* cycles */

static void count_branches(void *self, struct probe_site *site, const struct guest_insn *insn) {
    const struct comer *c = self;
    for (unsigned when = PROBE_TAKEN; insn->kind == INSN_BRANCH && when <= PROBE_NEXT; when++)
        probe_attach(site, when,
                     (struct probe){.kind = PROBE_ADD, .counter = c->counters + when, .value = 1});
}

static void come_and_go(void *self, uint64_t cycle) {
    struct comer *c = self;
    if (c->alarms++ == 0) {
        must(nes_attach(c->nes, &(struct observer){.self = c, .instrument = count_branches},
                        &c->other, NULL),
             NULL);
        nes_set_alarm(c->nes, c->id, cycle + STAYS);
    } else {
        nes_detach(c->nes, c->other);
        nes_detach(c->nes, c->id);
    }
}

/* Returns a number that tells what was counted, and the state in the end. */
static uint64_t come_in(const struct guest *g, struct nes_options options, uint64_t cycle) {
    struct comer c = {.nes = guest_machine(g, options)};
    c.counters = nes_counters_add(c.nes, PROBE_WHEN_COUNT);
    must(nes_attach(c.nes, &(struct observer){.self = &c, .alarm = come_and_go}, &c.id, NULL),
         NULL);
    nes_set_alarm(c.nes, c.id, cycle);
    must(nes_run_to(c.nes, 3 * STAYS, NULL), NULL);
    assert_int_equal(c.alarms, 2);
    nes_settle(c.nes);
    const uint64_t *const counted = nes_counters(c.nes) + c.counters;
    assert_true(counted[PROBE_TAKEN] > STAYS / 10);
    const uint64_t all = splitmix64(counted[PROBE_TAKEN] << 32 | counted[PROBE_NEXT],
                                    nes_state_hash(c.nes) ^ nes_instructions(c.nes));
    nes_free(c.nes);
    return all;
}

/* Observers come and go in alarms, at each cycle of a wait's first passes. Attaching makes a
 * translator forget its code, and with it the wait that has just been met. Broken: the machine
 * goes on with a wait that was freed, or counts for an observer that is gone. */
static void observers_come_in_a_wait(void **state) {
    (void)state;
    struct guest *const g = guest_new();
    guest_code(g, 0x8000, LDX_IMM, 0xFF, TXS, LDA_ZP, 0x10, BEQ, 0xFC);
    guest_vectors(g, 0x8000, 0x8000, 0x8000);
    static const struct dbt_options translator = {.hot = 1};
    for (uint64_t cycle = 1; cycle < 100; cycle++) {
        const uint64_t truth =
            come_in(g, (struct nes_options){.no_skip = true, .no_fast = true}, cycle);
        assert_int_equal(come_in(g, (struct nes_options){0}, cycle), truth);
        assert_int_equal(
            come_in(g, (struct nes_options){.engine = dbt_engine(), .engine_options = &translator},
                    cycle),
            truth);
    }
    free(g);
}

int main(int argc, char **argv) {
    if (argc > 1)
        first = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        count = strtoull(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unmasked_for_an_instruction), cmocka_unit_test(irq_behind_cli),
        cmocka_unit_test(observers_come_in_a_wait), cmocka_unit_test(programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
