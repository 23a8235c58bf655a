/*
 * Busy-waits from a seed that call routines, jump, are left and come back to in the middle, and are
 * interrupted by handlers that go elsewhere; in a bank that is switched under them, too. Machines
 * that skip them are compared, at places from the seed, with one that executes everything:
 * states (what calls leave below the stack pointer included), probes of every kind, exact graphs
 * and streams. If these fail, a replay depends on whether busy-waits are skipped.
 */
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dbt/dbt.h"
#include "tests/support/effort.h"
#include "tests/support/program_writer.h"

enum {
    ROUTINES = 4,
    BANK = 0x4000,
    BANKS = 3,
    FIXED = BANKS * BANK,
    FLAGS = 0x10, /* four bytes that handlers change */
    TURNS = 0x20, /* NMIs */
    BANK_TABLE = 0xFFE0,
    LDA_STACK = 0x1FE, /* what a call has pushed, as a rule */
};

/* ---- programs ---- */

/* Does not change what it reads. */
static void put_quiet(struct writer *w) {
    const unsigned flag = FLAGS + below(w, 4);
    switch (below(w, 16)) {
    case 0:
        PUT(w, LDX_IMM, 0);
        break;
    case 1:
        PUT(w, LDX_ZP, (uint8_t)flag);
        break;
    case 2:
        PUT(w, NOP);
        break;
    case 3:
        PUT(w, CMP_ZP, (uint8_t)flag);
        break;
    case 4:
        PUT(w, LDY_IMM, 0x1F);
        break;
    case 5:
        put_word(w, BIT_ABS, 0x2002);
        break;
    case 6:
        put_word(w, LDA_ABS, 0x2002);
        break;
    case 7:
        put_word(w, LDA_ABS, 0x800 + flag);
        break; /* a mirror of it */
    case 8:
        PUT(w, TAX);
        break;
    case 9:
        PUT(w, CLC);
        break;
    case 10:
        chance(w, 30) ? put_word(w, LDA_ABS, LDA_STACK) : PUT(w, NOP);
        break;
    case 11:
        PUT(w, TSX);
        break;
    default:
        PUT(w, LDA_ZP, (uint8_t)flag);
        break;
    }
}

/* Now and then, an instruction that makes the loop no busy-wait. */
static void put_loud(struct writer *w) {
    switch (below(w, 5)) {
    case 0:
        PUT(w, INC_ZP, TURNS + 1);
        break;
    case 1:
        PUT(w, DEX);
        break;
    case 2:
        PUT(w, PHA, PLA);
        break;
    case 3:
        PUT(w, TXS);
        break;
    default:
        PUT(w, STA_ZP, TURNS + 2);
        break;
    }
}

static void put_routine(struct writer *w) {
    const uint16_t at = w->at;
    for (unsigned i = below(w, 3); i > 0; i--)
        chance(w, 98) ? put_quiet(w) : put_loud(w);
    if (w->routine_count > 0 && chance(w, 40))
        put_word(w, JSR, w->routines[below(w, w->routine_count)]);
    if (chance(w, 15)) { /* an early exit */
        PUT(w, (uint8_t)ONE_OF(w, 0xD0, 0x30, 0xB0), 1, RTS);
    }
    put_quiet(w);
    put(w, RTS);
    w->routines[w->routine_count++] = at;
}

/* In the switched banks: different routines at the same addresses. */
static void fill_banks(struct writer *w) {
    for (unsigned bank = 0; bank < BANKS; bank++)
        for (unsigned i = 0; i < ROUTINES; i++) {
            uint8_t *const to = w->g->prg + bank * BANK + i * 0x10;
            const uint8_t flag = (uint8_t)(FLAGS + below(w, 4));
            const uint8_t code[] = {LDA_ZP, flag, LDX_IMM, (uint8_t)below(w, 2), RTS};
            const uint8_t longer[] = {NOP, LDA_ZP, flag, CMP_IMM, 0, RTS};
            memcpy(to, chance(w, 70) ? code : longer, sizeof code);
            to[5] = RTS;
        }
}

static uint16_t some_routine(struct writer *w) {
    return chance(w, 30) ? (uint16_t)(0x8000 + 0x10 * below(w, ROUTINES))
                         : w->routines[below(w, w->routine_count)];
}

static void put_wait(struct writer *w) {
    uint16_t inside[12], out[4], out_count = 0;
    const unsigned length = 1 + below(w, chance(w, 80) ? 4 : 12);
    PUT(w, LDA_IMM, (uint8_t)below(w, 2), LDX_IMM, (uint8_t)below(w, 2));
    const uint16_t target = w->at;
    for (unsigned i = 0; i < length; i++) {
        inside[i] = w->at;
        if (chance(w, 30)) {
            put_word(w, JSR, some_routine(w));
        } else if (chance(w, 10)) {
            put_word(w, JMP, w->at + 5u);
            PUT(w, INC_ZP, TURNS + 3);
        } else if (out_count < 4 && chance(w, 10)) {
            PUT(w, (uint8_t)ONE_OF(w, 0xD0, 0x30, 0x70, 0x90), 0);
            out[out_count++] = w->at;
        } else {
            chance(w, 98) ? put_quiet(w) : put_loud(w);
        }
    }
    const uint16_t jump = w->at;
    if (chance(w, 20)) {
        put_word(w, JMP, target);
    } else {
        PUT(w, (uint8_t)ONE_OF(w, 0xF0, 0xF0, 0xF0, 0x10, 0x50, 0xB0));
        put(w, (uint8_t)(target - (w->at + 1)));
    }
    /* The target of an exit: the program continues there, or comes back. */
    for (unsigned i = 0; i < out_count; i++) {
        poke(w, (uint16_t)(out[i] - 1), w->at - out[i]);
        if (chance(w, 30))
            PUT(w, STX_ZP, (uint8_t)(FLAGS + below(w, 4)));
        if (chance(w, 60))
            put_word(w, JMP, chance(w, 50) ? jump : inside[below(w, length)]);
    }
    if (chance(w, 10)) /* for a handler */
        w->yield = jump;
}

static void put_nmi(struct writer *w, uint16_t main) {
    PUT(w, PHA, INC_ZP, TURNS, LDA_ZP, TURNS, AND_IMM, 0x07, 0xD0, 7);
    PUT(w, LDX_IMM, 0xFF, TXS, CLI); /* every eighth one discards its return and starts the program
                                        again */
    put_word(w, JMP, main);
    for (unsigned i = 1 + below(w, 2); i > 0; i--) {
        const uint8_t flag = (uint8_t)(FLAGS + below(w, 4));
        PUT(w, LDA_ZP, TURNS, AND_IMM, (uint8_t)below(w, 4), STA_ZP, flag);
    }
    if (chance(w, 30)) { /* PHA, TXA, PHA; another bank; PLA, TAX, PLA */
        PUT(w, 0x8A, PHA, LDA_ZP, TURNS, AND_IMM, 1, TAX);
        put_word(w, LDA_ABX, BANK_TABLE);
        put_word(w, STA_ABX, BANK_TABLE);
        PUT(w, PLA, TAX);
    }
    PUT(w, PLA, RTI);
}

static uint16_t put_irq(struct writer *w) {
    const uint16_t at = w->at;
    if (w->yield != 0 && chance(w, 50)) { /* into the middle of a wait, with the value for which it
                                             waits */
        PUT(w, STX_ZP, (uint8_t)(FLAGS + below(w, 4)));
        put_word(w, JMP, w->yield);
    } else if (chance(w, 20)) {
        PUT(w, RTI); /* again and again */
    } else {
        PUT(w, PHA);
        put_word(w, LDA_ABS, 0x4015);
        PUT(w, INC_ZP, FLAGS, PLA, RTI);
    }
    return at;
}

static struct guest *program(uint64_t seed) {
    struct guest *const g = guest_new();
    struct writer w = {.r.seed = seed, .g = g, .rom = g->prg + FIXED, .at = 0xC000};
    g->cart.mapper = 2;
    g->cart.prg_size = 4 * BANK;
    fill_banks(&w);
    for (unsigned i = 0; i < ROUTINES; i++)
        put_routine(&w);
    for (unsigned i = 0; i < BANKS; i++)
        poke(&w, (uint16_t)(BANK_TABLE + i), i);
    const uint16_t reset = w.at;
    PUT(&w, LDX_IMM, 0xFF, TXS, LDA_IMM, (uint8_t)(chance(&w, 50) ? 0 : 0x40));
    put_word(&w, STA_ABS, 0x4017);
    if (chance(&w, 40)) { /* samples all the time */
        PUT(&w, LDA_IMM, (uint8_t)(0x40 | below(&w, 16)));
        put_word(&w, STA_ABS, 0x4010);
        PUT(&w, LDA_IMM, 0x10);
        put_word(&w, STA_ABS, 0x4015);
    }
    PUT(&w, CLI);
    const uint16_t main = w.at;
    PUT(&w, LDA_IMM, 0x80);
    put_word(&w, STA_ABS, 0x2000);
    for (unsigned i = 1 + below(&w, 4); i > 0; i--) {
        if (chance(&w, 30)) {
            PUT(&w, LDX_ZP, TURNS);
            put_word(&w, LDA_ABX, BANK_TABLE);
            put_word(&w, STA_ABX, BANK_TABLE);
        }
        put_wait(&w);
    }
    put_word(&w, JMP, main);
    const uint16_t nmi = w.at;
    put_nmi(&w, main);
    const uint16_t irq = put_irq(&w);
    for (unsigned i = 0; i < 6; i++)
        poke(&w, (uint16_t)(0xFFFA + i), (const uint16_t[]){nmi, reset, irq}[i / 2] >> i % 2 * 8);
    return g;
}

/* ---- who watches ---- */

enum watching { NOBODY, SAMPLER, EXACT, EXACT_AND_SAMPLER, PROBES, WATCHINGS };

enum { COUNTERS = 64, CALLS = COUNTERS, CALLED_AT = 5000 };

struct machine {
    struct nes *nes;
    void *exact;
    struct sampler *sampler;
    uint32_t counters;
    uint64_t called; /* number of stops, and when */
    unsigned id;
};

static uint32_t counter_to(void *user, const struct probe_event *event) {
    const struct machine *const m = user;
    const uint32_t hash = event->from * 31 + event->to * 7;
    return hash % 16 == 0 ? UINT32_MAX : m->counters + hash % COUNTERS;
}

static void on_call(void *user, const struct probe_event *event) {
    struct machine *const m = user;
    m->called = splitmix64(m->called, nes_cycle(event->nes) ^ (uint64_t)event->to << 40);
    nes_counter_set(m->nes, m->counters + CALLS, m->called % 1000);
}

static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    struct machine *const m = self;
    for (int when = 0; when < PROBE_WHEN_COUNT; when++) {
        const uint32_t counter = m->counters + (insn->pc * 4u + (unsigned)when) % COUNTERS;
        const struct probe add = {.kind = PROBE_ADD, .counter = counter, .value = 3};
        const struct probe to = {
            .kind = PROBE_ADD_TO, .value = 2, .counter_to = counter_to, .user = m};
        const struct probe call = {.kind = PROBE_CALL_AT,
                                   .counter = m->counters + CALLS,
                                   .value = CALLED_AT,
                                   .call = on_call,
                                   .user = m};
        if (insn->kind == INSN_PLAIN && insn->pc % 4)
            continue;
        probe_attach(site, when, insn->kind == INSN_RETURN || insn->pc % 3 == 0 ? to : add);
        if (when == PROBE_TAKEN && insn->pc % 2)
            probe_attach(site, when, call);
    }
}

static void must(enum status status, const struct error *e) {
    if (status != STATUS_OK)
        fail_msg("%s", e->text);
}

static void start(struct machine *m, const struct guest *g, struct nes_options options,
                  enum watching watched) {
    struct error e = {0};
    options.console.no_warmup = true; /* NMIs from the start */
    *m = (struct machine){.nes = guest_machine(g, options)};
    if (watched == EXACT || watched == EXACT_AND_SAMPLER)
        must(technique_find("exact")->attach(&m->exact, m->nes, NULL, &e), &e);
    if (watched == SAMPLER || watched == EXACT_AND_SAMPLER)
        must(sampler_attach(&m->sampler, m->nes, (struct sampler_options){.interval_us = 777}, &e),
             &e);
    if (watched == PROBES) {
        m->counters = nes_counters_add(m->nes, COUNTERS + 1);
        const struct observer observer = {.self = m, .instrument = instrument};
        must(nes_attach(m->nes, &observer, &m->id, &e), &e);
    }
}

static void expect_same(struct machine *a, struct machine *b, enum watching watched) {
    if (a->exact) {
        struct profile p, q;
        must(technique_find("exact")->finish(a->exact, &p, NULL), NULL);
        must(technique_find("exact")->finish(b->exact, &q, NULL), NULL);
        assert_int_equal(p.graph.edge_count, q.graph.edge_count);
        assert_memory_equal(p.graph.edges, q.graph.edges,
                            p.graph.edge_count * sizeof *p.graph.edges);
        assert_int_equal(p.cost.probes, q.cost.probes);
        assert_int_equal(p.cost.records, q.cost.records);
        profile_free(&p);
        profile_free(&q);
    }
    if (a->sampler) {
        struct stream s, t;
        must(sampler_finish(a->sampler, &s, NULL), NULL);
        must(sampler_finish(b->sampler, &t, NULL), NULL);
        assert_true(s.batch_count > 10);
        assert_int_equal(s.batch_count, t.batch_count);
        assert_int_equal(stream_hash(&s), stream_hash(&t));
        stream_free(&s);
        stream_free(&t);
    }
    if (watched == PROBES) {
        nes_settle(a->nes);
        nes_settle(b->nes);
        assert_int_equal(nes_probes_fired(a->nes, a->id), nes_probes_fired(b->nes, b->id));
        assert_int_equal(a->called, b->called);
        assert_memory_equal(nes_counters(a->nes) + a->counters, nes_counters(b->nes) + b->counters,
                            (COUNTERS + 1) * sizeof(uint64_t));
    }
}

/* ---- in lockstep ---- */

/* Returns the share of instructions that were skipped. */
static double compare(const struct guest *g, uint64_t seed, bool resets,
                      const struct nes_options options, enum watching watched) {
    struct machine truth, m;
    struct nes_difference difference;
    uint64_t cycle = 0;
    start(&truth, g, (struct nes_options){.no_skip = true, .no_fast = seed % 8 == 0}, watched);
    start(&m, g, options, watched);
    for (unsigned step = 0; cycle < 600000; step++) {
        cycle += 1 + splitmix64(seed, step) % (step % 8 ? 2000 : 60000);
        must(nes_run_to(truth.nes, cycle, NULL), NULL);
        must(nes_run_to(m.nes, cycle, NULL), NULL);
        if (resets && step % 3 == 0) {
            nes_reset(truth.nes, false);
            nes_reset(m.nes, false);
        }
        if (nes_instructions(truth.nes) != nes_instructions(m.nes) ||
            nes_differences(truth.nes, m.nes, &difference, 1) != 0)
            fail_msg("seed %llu, watched %d, cycle %llu, %s: another state",
                     (unsigned long long)seed, (int)watched, (unsigned long long)cycle,
                     options.engine ? "translated" : "interpreted");
    }
    const double share = (double)nes_skipped(m.nes) / (double)nes_instructions(m.nes);
    assert_int_equal(nes_skipped(truth.nes), 0);
    expect_same(&truth, &m, watched);
    nes_free(truth.nes);
    nes_free(m.nes);
    return share;
}

static void waits_from_seeds(void **state) {
    (void)state;
    const struct dbt_options at_once = {.hot = 1}, crowded = {.hot = 1, .cache_bytes = 4096};
    unsigned waited[2] = {0};
    for (uint64_t seed = 0; seed < EFFORT(240); seed++) {
        struct guest *const g = program(seed);
        const enum watching watched = (enum watching)(seed % WATCHINGS);
        const struct nes_options translated = {
            .engine = dbt_engine(), .engine_options = seed % 7 == 0 ? &crowded : &at_once};
        waited[0] += compare(g, seed, false, (struct nes_options){0}, watched) > 0.5;
        if (dbt_engine())
            waited[1] += compare(g, seed, false, translated, watched) > 0.5;
        free(g);
    }
    assert_true(waited[0] > EFFORT(240) / 3);
    assert_true(!dbt_engine() || waited[1] > EFFORT(240) / 3);
}

/* ---- one by one ---- */

struct wait {
    const char *name;
    uint8_t code[24]; /* at $8020, from which it is called again and again */
    double least, most;
};
static const struct wait WAITS[] = {
    /* JSR $8010, TAX, BEQ: $8010 is LDA $10, LDX #0, RTS */
    {"a call", {JSR, 0x10, 0x80, TAX, 0xF0, 0xFA}, 0.9, 1},
    /* JSR $8018, JMP: $8018 is JSR $8010, JSR $8010, RTS */
    {"calls in a call", {JSR, 0x18, 0x80, JMP, 0x20, 0x80}, 0.9, 1},
    /* LDA $10, JMP over, (INC $11), BEQ */
    {"a jump", {LDA_ZP, 0x10, JMP, 0x27, 0x80, INC_ZP, 0x11, 0xF0, 0xF7}, 0.9, 1},
    {"fifteen instructions",
     {NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, LDA_ZP, 0x10, NOP, 0xF0, 0xEF},
     0.9,
     1},
    /* JSR $8010, LDA $01FE, BPL: reads the return address that the call pushed */
    {"reads the stack", {JSR, 0x10, 0x80, LDA_ABS, 0xFE, 0x01, 0x10, 0xF8}, 0, 0},
    /* JSR $8010, LDX #$E0, TXS, BNE */
    {"moves the stack", {JSR, 0x10, 0x80, LDX_IMM, 0xE0, TXS, 0xD0, 0xF8}, 0, 0},
    /* JSR $8114, BEQ: its RTS does not return to here */
    {"does not return", {JSR, 0x14, 0x81, 0xF0, 0xFB}, 0, 0},
    /* JSR to the instruction after it, LDA $10, BEQ: each pass pushes more */
    {"never returns", {JSR, 0x23, 0x80, LDA_ZP, 0x10, 0xF0, 0xF9}, 0, 0},
    /* LDA $11, BNE over to the JMP: taken, which takes a cycle more */
    {"a branch to the jump", {LDA_ZP, 0x11, 0xD0, 0x00, JMP, 0x20, 0x80}, 0, 1},
    /* LDA $11, BNE out, NOP, LDA $10, NOP, BEQ; out: INC $12, LDA #0, JMP to the BEQ: as many
     * instructions as those that it leaves out */
    {"comes back another way",
     {LDA_ZP, 0x11, 0xD0, 0x06, NOP, LDA_ZP, 0x10, NOP, 0xF0, 0xF6, INC_ZP, 0x12, LDA_IMM, 0x00,
      JMP, 0x28, 0x80},
     0,
     0},
};

static void one_by_one(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof WAITS / sizeof *WAITS; i++) {
        struct guest *const g = guest_new();
        guest_code(g, 0x8000, LDX_IMM, 0xFF, TXS, STX_ZP, 0x11, LDA_IMM, 0x00, STA_ZP, 0x10, JMP,
                   0x20, 0x80);
        guest_code(g, 0x8010, LDA_ZP, 0x10, LDX_IMM, 0x00, RTS);
        guest_code(g, 0x8018, JSR, 0x10, 0x80, JSR, 0x10, 0x80, RTS);
        guest_code(g, 0x8114, PLA, PLA, LDA_IMM, 0x00, JMP, 0x23, 0x80);
        guest_code(g, 0x8020 + sizeof WAITS[i].code, JMP, 0x00, 0x80);
        guest_bytes(g, 0x8020, WAITS[i].code, sizeof WAITS[i].code);
        guest_vectors(g, 0x8000, 0x8000, 0x8000);
        for (unsigned watched = 0; watched < WATCHINGS; watched++)
            for (unsigned translated = 0; translated < 1 + (dbt_engine() != NULL); translated++) {
                const struct nes_options options = {.engine = translated ? dbt_engine() : NULL};
                const double share = compare(g, i, false, options, (enum watching)watched);
                /* If no observer is notified of instructions, or it only counts them, spin
                 * detection applies (spin.h). */
                const bool may_spin = watched == NOBODY || watched == EXACT;
                if ((share > WAITS[i].most && !may_spin) ||
                    share < WAITS[i].least * (watched ? 0.8 : 1))
                    fail_msg("%s, watched %u: %.3f were skipped", WAITS[i].name, watched, share);
            }
        free(g);
    }
}

static void on_both_engines(const struct guest *g, bool resets, double least) {
    for (unsigned watched = 0; watched < WATCHINGS; watched++)
        for (unsigned translated = 0; translated < 1 + (dbt_engine() != NULL); translated++) {
            const struct dbt_options at_once = {.hot = 1};
            const struct nes_options options = {.engine = translated ? dbt_engine() : NULL,
                                                .engine_options = translated ? &at_once : NULL};
            const double share = compare(g, 1, resets, options, (enum watching)watched);
            if (share < least)
                fail_msg("watched %u, translated %u: %.3f were skipped", watched, translated,
                         share);
        }
}

/* An IRQ or a reset, whose handler stores what the program waits for and goes to the wait's jump,
 * in as many instructions as a pass has: LDA $10, NOP, BEQ; and STX $10, JMP to that BEQ. Broken:
 * that is taken for a pass, and the machine keeps waiting although the value has come. */
static void handlers_into_waits(void **state) {
    (void)state;
    struct guest *const g = guest_new();
    guest_code(g, 0x8000, LDX_IMM, 0xFF, TXS, LDA_IMM, 0x00, STA_ZP, 0x10, STA_ABS, 0x17, 0x40, CLI,
               LDX_ZP, 0x11, DEX, 0xD0, 0xFD, /* longer than ever before */
               LDX_IMM, 0x01, LDA_ZP, 0x10, NOP, 0xF0, 0xFB, INC_ZP, 0x11, LDA_ABS, 0x15, 0x40, JMP,
               0x00, 0x80);
    guest_code(g, 0x8040, STX_ZP, 0x10, JMP, 0x15, 0x80);
    guest_vectors(g, 0x8040, 0x8040, 0x8040);
    on_both_engines(g, false, 0.5);
    on_both_engines(g, true, 0.5);
    free(g);
}

/* Every second NMI switches the bank that the wait calls into; in the other bank the routine is a
 * cycle shorter. Broken: facts about one bank are used for the other. */
static void banks_under_calls(void **state) {
    (void)state;
    struct guest *const g = guest_new();
    uint8_t *const fixed = g->prg + FIXED;
    const uint8_t wait[] = {LDX_IMM, 0xFF, TXS,  LDA_IMM, 0x80, STA_ABS, 0x00, 0x20, LDA_IMM, 0x00,
                            JSR,     0x00, 0x80, 0xAA,    0xF0, 0xFA,    JMP,  0x00, 0xC0};
    const uint8_t nmi[] = {INC_ZP, 0x20, LDA_ZP,  0x20, AND_IMM, 0x02,    TAX,  LDA_ABX,
                           0xE0,   0xFF, STA_ABX, 0xE0, 0xFF,    LDA_IMM, 0x00, RTI};
    g->cart.mapper = 2;
    g->cart.prg_size = 4 * BANK;
    memcpy(g->prg, (const uint8_t[]){LDA_ZP, 0x10, LDX_IMM, 0x00, RTS}, 5);
    memcpy(g->prg + BANK, (const uint8_t[]){LDA_IMM, 0x00, LDX_IMM, 0x00, RTS}, 5);
    memcpy(fixed, wait, sizeof wait);
    memcpy(fixed + 0x40, nmi, sizeof nmi);
    memcpy(fixed + 0x3FE0, (const uint8_t[]){0, 0, 1}, 3);
    memcpy(fixed + 0x3FFA, (const uint8_t[]){0x40, 0xC0, 0x00, 0xC0, 0x40, 0xC0}, 6);
    on_both_engines(g, false, 0.2);
    free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_from_seeds),
        cmocka_unit_test(one_by_one),
        cmocka_unit_test(handlers_into_waits),
        cmocka_unit_test(banks_under_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
