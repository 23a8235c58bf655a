/*
 * Skipping busy-waits must change nothing but the run time: states, exact graphs, streams and
 * probes are compared with those of a machine that executes them. If this fails, results depend on
 * an optimisation.
 */
#include "profile/profile.h"
#include "tests/support/tiny_rom.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* A sampler that observes nothing between its batches. */
enum watching { NOBODY, SAMPLER, EXACT_AND_SAMPLER, WATCHINGS };

struct machine {
    struct nes *nes;
    void *exact;
    struct sampler *sampler;
};

enum way { SKIPS, EXECUTES, GOES_CYCLE_BY_CYCLE };

static struct machine start(const struct cartridge *cartridge, enum way way,
                            enum watching watched) {
    struct machine m = {0};
    struct error e = {0};
    const struct nes_options options = {
        .cartridge = cartridge, .no_skip = way != SKIPS, .no_fast = way == GOES_CYCLE_BY_CYCLE};
    assert_int_equal(nes_create(&m.nes, &options, &e), STATUS_OK);
    if (watched == EXACT_AND_SAMPLER)
        assert_int_equal(technique_find("exact")->attach(&m.exact, m.nes, NULL, &e), STATUS_OK);
    if (watched != NOBODY)
        assert_int_equal(
            sampler_attach(&m.sampler, m.nes, (struct sampler_options){.interval_us = 777}, &e),
            STATUS_OK);
    return m;
}

static void expect_same_graphs(struct machine *a, struct machine *b) {
    struct profile p, q;
    assert_int_equal(technique_find("exact")->finish(a->exact, &p, NULL), STATUS_OK);
    assert_int_equal(technique_find("exact")->finish(b->exact, &q, NULL), STATUS_OK);
    assert_int_equal(p.graph.edge_count, q.graph.edge_count);
    assert_memory_equal(p.graph.edges, q.graph.edges, p.graph.edge_count * sizeof *p.graph.edges);
    assert_int_equal(p.cost.probes, q.cost.probes);
    assert_int_equal(p.cost.records, q.cost.records);
    profile_free(&p);
    profile_free(&q);
}

static void expect_same_streams(struct machine *a, struct machine *b) {
    struct stream s, t;
    assert_int_equal(sampler_finish(a->sampler, &s, NULL), STATUS_OK);
    assert_int_equal(sampler_finish(b->sampler, &t, NULL), STATUS_OK);
    assert_int_equal(s.batch_count, t.batch_count);
    assert_true(s.batch_count > 10);
    assert_int_equal(stream_hash(&s), stream_hash(&t));
    stream_free(&s);
    stream_free(&t);
}

/* Returns the share of instructions that were skipped by the first. */
static double run_ways(const struct cartridge *cartridge, enum way one, enum way other, int frames,
                       enum watching watched) {
    struct machine a = start(cartridge, one, watched), b = start(cartridge, other, watched);
    struct error e = {0};
    for (int i = 0; i < frames; i++) {
        const uint8_t buttons =
            (uint8_t)(splitmix64(5, (uint64_t)i / 9) & (i % 40 < 3 ? 0xFF : 0xF3));
        nes_set_buttons(a.nes, 0, buttons);
        nes_set_buttons(b.nes, 0, buttons);
        assert_int_equal(nes_run_frame(a.nes, &e), STATUS_OK);
        assert_int_equal(nes_run_frame(b.nes, &e), STATUS_OK);
        if (nes_instructions(a.nes) != nes_instructions(b.nes) ||
            nes_state_hash(a.nes) != nes_state_hash(b.nes))
            fail_msg("%s, frame %d, watched %d: %llu instructions, not %llu, or another state",
                     cartridge->name, i, (int)watched, (unsigned long long)nes_instructions(a.nes),
                     (unsigned long long)nes_instructions(b.nes));
    }
    assert_int_equal(nes_skipped(b.nes), 0);
    double share = (double)nes_skipped(a.nes) / (double)nes_instructions(a.nes);
    if (watched == EXACT_AND_SAMPLER)
        expect_same_graphs(&a, &b);
    if (watched != NOBODY)
        expect_same_streams(&a, &b);
    nes_free(a.nes);
    nes_free(b.nes);
    return share;
}

static double run_both(const struct cartridge *cartridge, int frames, enum watching watched) {
    return run_ways(cartridge, SKIPS, EXECUTES, frames, watched);
}

static void the_tiny_program(void **state) {
    (void)state;
    struct cartridge *cartridge = tiny_program();
    assert_true(run_both(cartridge, 300, NOBODY) > 0.8);
    assert_true(run_both(cartridge, 300, SAMPLER) > 0.6);
    assert_true(run_both(cartridge, 300, EXACT_AND_SAMPLER) > 0.6);
    cartridge_free(cartridge);
}

/* Waits of other kinds: each is a whole program at $8000; the NMI is a single RTI at $80F0. */
struct other {
    const char *name;
    uint8_t code[40];
    double least, most; /* share that must be skipped */
    bool spins;         /* without observers, it may be detected as a spin (spin.h) */
};
static const struct other OTHERS[] = {
    /* LDA #$80, STA $2000, JMP self, again and again */
    {"JMP self", {0xA9, 0x80, 0x8D, 0x00, 0x20, 0x4C, 0x05, 0x80}, 0.5, 1, false},
    {"LDA $2002, BPL", {0xAD, 0x02, 0x20, 0x10, 0xFB, 0xE6, 0x00, 0x4C, 0x00, 0x80}, 0.9, 1, false},
    {"BIT $2002, BVC (sprite 0 that never comes)",
     {0xA9, 0x1E, 0x8D, 0x01, 0x20, 0x2C, 0x02, 0x20, 0x50, 0xFB, 0x4C, 0x00, 0x80},
     0.9,
     1,
     false},
    /* LDA $10, CMP $10, BNE out, JMP start: two blocks, never left */
    {"two blocks",
     {0xA5, 0x10, 0xC5, 0x10, 0xD0, 0x03, 0x4C, 0x00, 0x80, 0x4C, 0x00, 0x80},
     0.9,
     1,
     false},
    /* DEX, BNE: no short busy-wait, every pass changes X */
    {"DEX, BNE", {0xCA, 0xD0, 0xFD, 0x4C, 0x00, 0x80}, 0, 0, true},
    /* LDA $10, ADC #1, BNE start, JMP start: the carry changes */
    {"carry goes round", {0xA5, 0x10, 0x69, 0x01, 0xD0, 0xFA, 0x4C, 0x00, 0x80}, 0, 0, true},
    {"INC $10, JMP", {0xE6, 0x10, 0x4C, 0x00, 0x80}, 0, 0, true},
    {"LDA $4015, JMP", {0xAD, 0x15, 0x40, 0x4C, 0x00, 0x80}, 0, 0, false},
    {"LDA $2007, JMP", {0xAD, 0x07, 0x20, 0x4C, 0x00, 0x80}, 0, 0, false},
    {"PHA, PLA, JMP", {0x48, 0x68, 0x4C, 0x00, 0x80}, 0, 0, true},
    /* LDA #0, STA $4017, CLI, JMP self: the handler is an RTI */
    {"an IRQ that nobody acknowledges",
     {0xA9, 0x00, 0x8D, 0x17, 0x40, 0x58, 0x4C, 0x06, 0x80},
     0.9,
     1,
     false},
    /* The same with NMIs, samples that are fetched all the time, and pushes that wrap: LDX #1, TXS,
     * LDA #$80, STA $2000, LDA #$4F, STA $4010, LDA #$10, STA $4015, LDA #0, STA $4017, CLI, JMP
     * self */
    {"an IRQ that nobody acknowledges, interrupted",
     {0xA2, 0x01, 0x9A, 0xA9, 0x80, 0x8D, 0x00, 0x20, 0xA9, 0x4F, 0x8D, 0x10, 0x40, 0xA9,
      0x10, 0x8D, 0x15, 0x40, 0xA9, 0x00, 0x8D, 0x17, 0x40, 0x58, 0x4C, 0x18, 0x80},
     0.8,
     1,
     false},
    /* LDA $10,X; BEQ: an index is not in the definition */
    {"LDA $10,X, JMP", {0xB5, 0x10, 0x4C, 0x00, 0x80}, 0, 0, true},
};

static struct cartridge *other_rom(size_t i) {
    uint8_t code[0x100] = {0};
    memcpy(code, OTHERS[i].code, sizeof OTHERS[i].code);
    code[0xF0] = 0x40; /* RTI */
    return tiny_rom(code, sizeof code, 0x80F0, 0x8000, 0x80F0);
}

static void other_waits(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        struct cartridge *cartridge = other_rom(i);
        for (int watched = 0; watched < WATCHINGS; watched++) {
            double share = run_both(cartridge, 60, (enum watching)watched);
            double least =
                watched ? OTHERS[i].least * 0.8 : OTHERS[i].least; /* batches are executed */
            const bool may_spin = OTHERS[i].spins && watched != EXACT_AND_SAMPLER;
            if (share < least || (share > OTHERS[i].most && !may_spin))
                fail_msg("%s, watched %d: %.3f of the instructions were skipped", OTHERS[i].name,
                         watched, share);
        }
        cartridge_free(cartridge);
    }
}

/* Interrupts and RTIs without events meanwhile are not executed cycle by cycle. Broken: they push
 * or pull other values, or take other cycles than the chip. */
static void interrupts_at_once(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        struct cartridge *cartridge = other_rom(i);
        for (int watched = 0; watched < WATCHINGS; watched++)
            run_ways(cartridge, EXECUTES, GOES_CYCLE_BY_CYCLE, 20, (enum watching)watched);
        cartridge_free(cartridge);
    }
}

/* Busy-waits while samples are fetched, at every rate and every alignment of the two: where a fetch
 * falls into a pass, it takes as many cycles as on the console, and the samples' IRQs come when
 * they do. */
static void samples_in_waits(void **state) {
    (void)state;
    static const struct {
        uint8_t size, code[10], least; /* percent that must be skipped */
    } waits[] = {
        {3, {0x4C, 0x20, 0x80}, 80},                                     /* JMP self */
        {5, {0xAD, 0x02, 0x20, 0x10, 0xFB}, 60},                         /* LDA $2002, BPL */
        {9, {0xA5, 0x10, 0xC5, 0x11, 0xD0, 0x03, 0x4C, 0x20, 0x80}, 60}, /* LDA, CMP, BNE, JMP */
    };
    for (unsigned of = 0; of < 16 * 3 * 2 * 3; of++) {
        const unsigned rate = of % 16, wait = of / 16 % 3, aligned = of / 48 % 2,
                       irq = of / 96 == 1, whole = of / 96 == 2; /* not a single repeated byte */
        const uint8_t begin[] = {0xA9,
                                 0x40,
                                 0x8D,
                                 0x17,
                                 0x40, /* no frame IRQ */
                                 0xA9,
                                 (uint8_t)((irq ? 0x80 : 0x40) | rate),
                                 0x8D,
                                 0x10,
                                 0x40, /* $4010 */
                                 whole ? 0x8D : 0xAD,
                                 0x13,
                                 0x40, /* STA $4013 or LDA $4013 */
                                 0x58, /* CLI */
                                 0xA9,
                                 0x10,
                                 0x8D,
                                 0x15,
                                 0x40, /* $4015 */
                                 aligned ? 0xEA : 0x05,
                                 aligned ? 0xEA : 0x10,
                                 0x4C,
                                 0x20,
                                 0x80}; /* ORA $10 or NOP, NOP */
        uint8_t code[0x100] = {0};
        memcpy(code, begin, sizeof begin);
        memcpy(code + 0x20, waits[wait].code, waits[wait].size);
        memcpy(code + 0x20 + waits[wait].size, "\x4C\x00\x80", 3); /* JMP start */
        memcpy(code + 0xE0, "\xA9\x10\x8D\x15\x40\x40", 6);        /* LDA #$10, STA $4015, RTI */
        struct cartridge *cartridge = tiny_rom(code, sizeof code, 0x80E5, 0x8000, 0x80E0);
        for (int watched = 0; watched < WATCHINGS; watched++) {
            const double share = run_both(cartridge, 12, (enum watching)watched);
            if (!watched && !irq && share * 100 < waits[wait].least)
                fail_msg("rate %u, wait %u: %.3f of the instructions were skipped", rate, wait,
                         share);
        }
        cartridge_free(cartridge);
    }
}

/* The bundled games, with buttons pressed. */
static void bundled_games(void **state) {
    (void)state;
    glob_t games;
    double sum = 0;
    assert_int_equal(glob(GAMES_FOLDER "/*.nes", 0, NULL, &games), 0);
    for (size_t i = 0; i < games.gl_pathc; i++) {
        struct cartridge *cartridge;
        struct error e = {0};
        if (cartridge_load(&cartridge, games.gl_pathv[i], &e) != STATUS_OK)
            fail_msg("%s", e.text);
        const double share = run_both(cartridge, 900, (enum watching)(i % WATCHINGS));
        assert_true(share > 0); /* some games hardly wait */
        sum += share;
        cartridge_free(cartridge);
    }
    assert_true(sum / (double)games.gl_pathc > 0.3);
    globfree(&games);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tiny_program),   cmocka_unit_test(other_waits),
        cmocka_unit_test(interrupts_at_once), cmocka_unit_test(samples_in_waits),
        cmocka_unit_test(bundled_games),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
