/*
 * Skipping spins, which are busy-waits of any shape, must change nothing but the run time. Broken:
 * an effect of an iteration is not compared, or an iteration that differs the next time is taken
 * for a spin; results then depend on an optimisation.
 */
#include "dbt/dbt.h"
#include "tests/support/effort.h"
#include "tests/support/random_programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { SPIN = 0xC100, ROUTINE = 0xC200, NMI = 0xC300, IRQ = 0xC380 };

/* Once the PPU accepts writes, NMIs are on; then `code` at SPIN. */
static struct guest *spinning(const uint8_t *code, size_t size, const uint8_t *routine,
                              size_t routine_size, const uint8_t *nmi, size_t nmi_size) {
    struct guest *const g = guest_new();
    struct writer w = {.g = g, .rom = g->prg + GUEST_PRG - WRITER_PIECE, .at = 0xC000};
    g->cart.chr_is_ram = false; /* sprite 0 hits */
    memset(g->chr, 0xFF, sizeof g->chr);
    PUT(&w, LDX_IMM, 0xFF, TXS, BIT_ABS, 0x02, 0x20, BIT_ABS, 0x02, 0x20, BPL, 0xFB);
    PUT(&w, BIT_ABS, 0x02, 0x20, BPL, 0xFB);
    put_store(&w, 0x80, 0x2000);
    put_store(&w, 0x40, 0x4017);
    put_word(&w, JMP, SPIN);
    w.at = SPIN;
    put_bytes(&w, code, size);
    w.at = ROUTINE;
    put_bytes(&w, routine, routine_size);
    w.at = NMI;
    put_bytes(&w, nmi, nmi_size);
    w.at = IRQ;
    PUT(&w, PHA, LDA_ABS, 0x15, 0x40, INC_ZP, 0x22, PLA, RTI);
    guest_vectors(g, NMI, 0xC000, IRQ);
    return g;
}

struct way {
    const struct engine *engine;
    unsigned hot;
};

static struct nes *machine(const struct guest *g, const struct way *way) {
    const struct dbt_options options = {.hot = way ? way->hot : 0};
    return guest_machine(g, (struct nes_options){.engine = way ? way->engine : NULL,
                                                 .engine_options = &options,
                                                 .no_skip = way == NULL});
}

static void expect_same(const struct nes *a, const struct nes *b, const char *name) {
    if (nes_instructions(a) != nes_instructions(b) || nes_cycle(a) != nes_cycle(b) ||
        nes_state_hash(a) != nes_state_hash(b))
        fail_msg("%s: another state at cycle %llu (%llu), instruction %llu (%llu)", name,
                 (unsigned long long)nes_cycle(a), (unsigned long long)nes_cycle(b),
                 (unsigned long long)nes_instructions(a), (unsigned long long)nes_instructions(b));
}

/* ---- an observer that counts, in all ways but by calls ---- */

enum { ADDRESSES = 0x400, PAIRS = 0x400, COUNTS = 4 * ADDRESSES + PAIRS };

struct counting {
    unsigned id;
    uint32_t first; /* counter: the same numbers in each machine */
};

static uint32_t pair_counter(void *user, const struct probe_event *event) {
    const struct counting *const c = user;
    const uint32_t hash = (event->from * 0x9E3779B1u ^ event->to * 0x85EBCA77u) >> 16;
    return event->to == 0 ? UINT32_MAX : c->first + 4 * ADDRESSES + hash % PAIRS;
}

static void count_all(void *self, struct probe_site *site, const struct guest_insn *insn) {
    struct counting *const c = self;
    const uint32_t at = c->first + 4 * (insn->address % ADDRESSES);
    probe_attach(site, PROBE_BEFORE,
                 (struct probe){.kind = PROBE_ADD, .counter = at, .value = insn->size});
    probe_attach(site, PROBE_TAKEN,
                 (struct probe){
                     .kind = PROBE_ADD, .counter = at + 1, .value = 1, .quiet = insn->pc % 2 == 0});
    probe_attach(site, PROBE_NEXT, (struct probe){.kind = PROBE_ONCE, .counter = at + 2});
    probe_attach(site, PROBE_NEXT,
                 (struct probe){.kind = PROBE_STORE, .counter = at + 3, .value = insn->pc});
    probe_attach(
        site, PROBE_INDIRECT,
        (struct probe){.kind = PROBE_ADD_TO, .value = 3, .counter_to = pair_counter, .user = c});
}

/* As exact counting does: an instruction fires nothing or adds 1, so that the loops for known runs execute it. */
static void count_transfers(void *self, struct probe_site *site, const struct guest_insn *insn) {
    struct counting *const c = self;
    const uint32_t at = c->first + 4 * (insn->address % ADDRESSES);
    if (insn->kind == INSN_PLAIN)
        return;
    for (unsigned i = 0; i < 2; i++)
        probe_attach(
            site, i == 0 ? PROBE_TAKEN : PROBE_NEXT,
            (struct probe){.kind = PROBE_ADD, .counter = at + i, .value = 1, .quiet = true});
    probe_attach(
        site, PROBE_INDIRECT,
        (struct probe){.kind = PROBE_ADD_TO, .value = 1, .counter_to = pair_counter, .user = c});
}

enum counted { UNCOUNTED, ALL, TRANSFERS };

static void count(struct nes *n, struct counting *c, enum counted counted) {
    const struct observer observer = {.self = c,
                                      .instrument = counted == ALL ? count_all : count_transfers};
    c->first = nes_counters_add(n, COUNTS);
    assert_int_equal(nes_attach(n, &observer, &c->id, NULL), STATUS_OK);
}

static void expect_same_counts(struct nes *a, struct nes *b, const struct counting c[2],
                               const char *name) {
    nes_settle(a);
    nes_settle(b);
    const uint64_t *const i = nes_counters(a) + c[0].first, *const k = nes_counters(b) + c[1].first;
    if (memcmp(i, k, COUNTS * sizeof *i) != 0)
        fail_msg("%s: other counts at cycle %llu", name, (unsigned long long)nes_cycle(a));
    assert_int_equal(nes_probes_fired(a, c[0].id), nes_probes_fired(b, c[1].id));
}

/* The machines of one run: one in each of these ways, and a plain one, the last, which executes every iteration. */
enum { WAYS = 3 };

struct race {
    struct nes *nes[WAYS + 1];
    struct counting counting[WAYS + 1];
    size_t ways;
};

static void start(struct race *race, const struct guest *g, const struct way *const *ways,
                  size_t count_ways, enum counted counted) {
    *race = (struct race){.ways = count_ways};
    for (size_t i = 0; i <= count_ways; i++) {
        race->nes[i] = machine(g, i < count_ways ? ways[i] : NULL);
        if (counted != UNCOUNTED)
            count(race->nes[i], &race->counting[i], counted);
    }
}

/* Runs all to a cycle, and compares each with the plain one. */
static void go_on(struct race *race, uint64_t to, uint8_t buttons, enum counted counted,
                  const char *name) {
    struct nes *const plain = race->nes[race->ways];
    for (size_t i = 0; i <= race->ways; i++) {
        nes_set_buttons(race->nes[i], 0, buttons);
        assert_int_equal(nes_run_to(race->nes[i], to, NULL), STATUS_OK);
    }
    for (size_t i = 0; i < race->ways; i++) {
        expect_same(race->nes[i], plain, name);
        if (counted != UNCOUNTED)
            expect_same_counts(race->nes[i], plain,
                               (struct counting[]){race->counting[i], race->counting[race->ways]},
                               name);
    }
}

/* Runs them for some frames and stops anywhere. With seed 0, no buttons are pressed and no state is
 * loaded. counted: an observer counts the instructions of each. skipped: the share that each way
 * skipped. */
static void run(const struct guest *g, const struct way *const *ways, size_t count_ways,
                enum counted counted, uint64_t seed, const char *name, double *skipped) {
    struct race race;
    start(&race, g, ways, count_ways, counted);
    struct random r = {.seed = seed};
    for (unsigned i = 0; i < 60; i++) {
        const uint8_t buttons = seed && random_chance(&r, 25) ? (uint8_t)random_below(&r, 256) : 0;
        const uint32_t most = random_chance(&r, 20) ? 30 : random_chance(&r, 50) ? 5000 : 60000;
        go_on(&race, nes_cycle(race.nes[0]) + 1 + random_below(&r, most), buttons, counted, name);
        if (!seed || !random_chance(&r, 10))
            continue;
        for (size_t k = 0; k < count_ways; k++) {
            struct bytes state = {0};
            assert_int_equal(nes_save(race.nes[k], &state, NULL), STATUS_OK);
            assert_int_equal(nes_load(race.nes[k], state.at, state.len, "state", NULL), STATUS_OK);
            bytes_free(&state);
        }
    }
    for (size_t i = 0; i < count_ways; i++)
        skipped[i] = (double)nes_skipped(race.nes[i]) / (double)nes_instructions(race.nes[i]);
    for (size_t i = 0; i <= count_ways; i++)
        nes_free(race.nes[i]);
}

static const struct way *ways(size_t i) {
    static struct way all[WAYS] = {{NULL, 0}, {NULL, 1}, {NULL, 20}};
    if (i == 0)
        return &all[0];
    all[i].engine = dbt_engine();
    return all[i].engine ? &all[i] : &all[0];
}

/* ---- each kind of spin, and what looks like one ---- */

static const uint8_t count_frames[] = {INC_ZP, 0x20, RTI};

static const struct spin {
    const char *name;
    uint8_t code[60], routine[40], nmi[12]; /* nmi: if empty, the handler counts frames */
    double least, most; /* share that must be skipped; a tenth is before the spin */
} spins[] = {
    /* a branch forwards in the pass, taken */
    {"branch within",
     {LDA_ZP, 0x04, AND_IMM, 8, BEQ, 2, LDA_ZP, 0, BEQ, 0xF6, JMP, 0, 0xC1},
     {RTS},
     {0},
     .7,
     1},
    {"carry that alternates", {BCS, 4, 0x38, JMP, 0, 0xC1, CLC, JMP, 0, 0xC1}, {RTS}, {0}, .7, 1},
    {"call", {JSR, 0, 0xC2, BEQ, 0xFB, JMP, 0, 0xC1}, {LDA_ZP, 0x10, RTS}, {0}, .7, 1},
    {"call until a frame has passed",
     {LDA_ZP, 0x20, STA_ZP, 0x21, JSR, 0, 0xC2, BEQ, 0xFB, JMP, 0, 0xC1},
     {LDA_ZP, 0x20, CMP_ZP, 0x21, RTS},
     {0},
     .7,
     1},
    {"stack", {PHA, PHP, PLP, PLA, JMP, 0, 0xC1}, {RTS}, {0}, .7, 1},
    {"stack that wraps", {JSR, 0, 0xC1}, {RTS}, {0}, .4, 1},
    {"memory there and back", {INC_ZP, 0x10, DEC_ZP, 0x10, JMP, 0, 0xC1}, {RTS}, {0}, .7, 1},
    {"counter of 8 bits in a register", {DEX, BNE, 0xFD, JMP, 0, 0xC1}, {RTS}, {0}, .3, 1},
    {"counter of 8 bits in memory", {INC_ZP, 0x10, JMP, 0, 0xC1}, {RTS}, {0}, 0, 1},
    {"counter of 8 bits in the cartridge", {0xEE, 0, 0x60, JMP, 0, 0xC1}, {RTS}, {0}, 0, 1},
    {"counter of 16 bits", {INC_ZP, 0x10, BNE, 2, INC_ZP, 0x11, JMP, 0, 0xC1}, {RTS}, {0}, 0, .25},
    {"counter of 16 bits, half of it in the cartridge",
     {0xEE, 0, 0x60, BNE, 2, INC_ZP, 0x11, JMP, 0, 0xC1},
     {RTS},
     {0},
     0,
     .25},
    {"counter of 16 bits in the cartridge",
     {0xEE, 0, 0x60, BNE, 3, 0xEE, 1, 0x7F, JMP, 0, 0xC1},
     {RTS},
     {0},
     0,
     .25},
    {"status, stored",
     {LDX_IMM, 0, LDA_ABS, 2, 0x20, STA_ABS, 0,    4,   AND_IMM, 0x80,
      BNE,     3, JMP,     0, 0xC1, INC_ZP,  0x30, JMP, 0,       0xC1},
     {RTS},
     {0},
     .3,
     1},
    {"status without NMIs",
     {LDA_IMM, 0, STA_ABS, 0, 0x20, JSR, 0, 0xC2, BPL, 0xFB, INC_ZP, 0x30, JMP, 5, 0xC1},
     {BIT_ABS, 2, 0x20, RTS},
     {0},
     .3,
     1},
    {"sprite 0",
     {LDA_IMM, 0x1E, STA_ABS, 1, 0x20, JSR, 0,    0xC2, BVC, 0xFB,
      INC_ZP,  0x30, JSR,     0, 0xC2, BVS, 0xFB, JMP,  5,   0xC1},
     {BIT_ABS, 2, 0x20, RTS},
     {0},
     .3,
     1},
    {"status in a routine",
     {JSR, 0, 0xC2, BPL, 0xFB, INC_ZP, 0x30, JMP, 0, 0xC1},
     {BIT_ABS, 2, 0x20, RTS},
     {0},
     .3,
     1},
    {"status and a pad",
     {JSR, 0, 0xC2, BPL, 0xFB, INC_ZP, 0x30, JMP, 0, 0xC1},
     {LDA_ABS, 0x16, 0x40, STA_ZP, 0x11, BIT_ABS, 2, 0x20, RTS},
     {0},
     .3,
     1},
    {"sprite 0 and a pad",
     {LDA_IMM, 0x1E, STA_ABS, 1, 0x20, JSR, 0,    0xC2, BVC, 0xFB,
      INC_ZP,  0x30, JSR,     0, 0xC2, BVS, 0xFB, JMP,  5,   0xC1},
     {LDA_ABS, 0x16, 0x40, STA_ZP, 0x11, BIT_ABS, 2, 0x20, RTS},
     {0},
     .3,
     1},
    {"open bus",
     {LDA_ABS, 0x30, 0x40, CMP_IMM, 0x4D, BEQ, 3, JMP, 0, 0xC1, INC_ZP, 0x30},
     {RTS},
     {0},
     .7,
     1},
    {"data of the PPU", {LDA_ABS, 7, 0x20, JMP, 0, 0xC1}, {RTS}, {0}, 0, .25},
    {"status of the APU", {LDA_ABS, 0x15, 0x40, JMP, 0, 0xC1}, {RTS}, {0}, 0, .25},
    {"PPU written", {STA_ABS, 5, 0x20, JMP, 0, 0xC1}, {RTS}, {0}, 0, .25},
    {"frame counter written",
     {LDA_IMM, 0x40, STA_ABS, 0x17, 0x40, JMP, 0, 0xC1},
     {RTS},
     {0},
     0,
     .25},
    /* LDA #1, STA $4016, LSR A, STA $4016, eight times LDA $4016, LSR A, ROL $11; a button ends it
     */
    {"pad",
     {JSR, 0, 0xC2, BEQ, 0xFB, INC_ZP, 0x30, JMP, 0, 0xC1},
     {LDA_IMM, 1,    STA_ABS, 0x16, 0x40, LSR_A, STA_ABS, 0x16, 0x40,   LDX_IMM, 8,  LDA_ABS,
      0x16,    0x40, LSR_A,   0x26, 0x11, DEX,   BNE,     0xF7, LDA_ZP, 0x11,    RTS},
     {0},
     .6,
     1},
    /* the same without a strobe: the pad's bits run out */
    {"pad that runs dry",
     {LDA_ABS, 0x16, 0x40, AND_IMM, 1, BNE, 0xF9, INC_ZP, 0x30, JMP, 0, 0xC1},
     {RTS},
     {0},
     0,
     1},
    /* written twice by one instruction, in adjacent cycles */
    {"strobe in every other cycle",
     {LDA_IMM, 1, 0x8D, 0x16, 0x40, 0xCE, 0x16, 0x40, LDA_ABS, 0x16, 0x40, STA_ZP, 0x11, LDA_ZP, 4,
      JMP, 0, 0xC1},
     {RTS},
     {0},
     0,
     1},
    {"strobe up",
     {LDX_IMM, 1, STX_ABS, 0x16, 0x40, LDA_ABS, 0x16, 0x40, STA_ZP, 0x11, JMP, 5, 0xC1},
     {RTS},
     {0},
     .7,
     1},
    {"strobe last",
     {JMP, 3, 0xC1, LDX_IMM, 1, STX_ABS, 0x16, 0x40, DEX, STX_ABS, 0x16, 0x40, JMP, 3, 0xC1},
     {RTS},
     {0},
     0,
     1},
    /* the handler does not return: it contains the spin */
    {"in a handler", {JMP, 0, 0xC1}, {LDA_ZP, 0x10, RTS}, {JSR, 0, 0xC2, BEQ, 0xFB, RTI}, .3, 1},
    {"IRQ of each frame",
     {LDA_IMM, 0, STA_ABS, 0x17, 0x40, CLI, JSR, 0, 0xC2, BEQ, 0xFB, JMP, 0, 0xC1},
     {LDA_ZP, 0x12, RTS},
     {0},
     .7,
     1},
    /* each fetch takes cycles */
    {"samples",
     {LDA_IMM, 0x40, STA_ABS, 0x10, 0x40, LDA_IMM, 0xFF, STA_ABS, 0x13, 0x40, LDA_IMM, 0x10,
      STA_ABS, 0x15, 0x40,    JSR,  0,    0xC2,    BEQ,  0xFB,    JMP,  0,    0xC1},
     {LDA_ZP, 0x12, RTS},
     {0},
     .3,
     1},
    {"IRQ of a sample",
     {LDA_IMM, 0x80, STA_ABS, 0x10, 0x40, LDA_IMM, 0,      STA_ABS, 0x13,   0x40,
      LDA_IMM, 0x10, STA_ABS, 0x15, 0x40, CLI,     LDA_ZP, 0x22,    STA_ZP, 0x23,
      JSR,     0,    0xC2,    BEQ,  0xFB, JMP,     0,      0xC1},
     {LDA_ZP, 0x22, CMP_ZP, 0x23, RTS},
     {0},
     .1,
     1},
};
enum { SPINS = sizeof spins / sizeof *spins };

static size_t used(const uint8_t *code, size_t size) {
    while (size > 0 && code[size - 1] == 0)
        size--;
    return size;
}

/* Only without buttons is it known how much is skipped. */
static void expect_skipped(const struct spin *s, uint64_t seed, const double share[WAYS]) {
    for (size_t k = 0; k < WAYS; k++)
        if (!seed && (share[k] < s->least || share[k] > s->most))
            fail_msg("%s, way %zu: %.3f of the instructions were skipped", s->name, k, share[k]);
}

static void kinds(void **state) {
    (void)state;
    for (size_t i = 0; i < SPINS; i++) {
        const struct spin *const s = &spins[i];
        const size_t nmi_size = used(s->nmi, sizeof s->nmi);
        struct guest *const g =
            spinning(s->code, sizeof s->code, s->routine, sizeof s->routine,
                     nmi_size ? s->nmi : count_frames, nmi_size ? nmi_size : sizeof count_frames);
        const struct way *const all[WAYS] = {ways(0), ways(1), ways(2)};
        for (uint64_t seed = 0; seed < 4; seed++) {
            double share[WAYS], counted[WAYS];
            run(g, all, WAYS, UNCOUNTED, seed, s->name, share);
            run(g, all, WAYS, ALL, seed, s->name, counted);
            expect_skipped(s, seed, share);
            run(g, all, WAYS, TRANSFERS, seed, s->name, share);
            expect_skipped(s, seed, share);
        }
        free(g);
    }
}

/* ---- random ones ---- */

static void put_piece(struct writer *w) {
    const unsigned zp = 0x10 + below(w, 3), at = data_address(w);
    switch (below(w, 14)) {
    case 0:
        put2(w, LDA_ZP, zp);
        break;
    case 1:
        put2(w, STA_ZP, zp);
        break;
    case 2:
        PUT(w, PHA, PLA);
        break;
    case 3:
        put_word(w, JSR, ROUTINE);
        break;
    case 4:
        put_word(w, LDA_ABS, ONE_OF(w, 0x4016, 0x4017, 0x2002, 0x4016, 0x4030, 0x5123, 0x4015));
        break;
    case 5:
        put_load(w, below(w, 2));
        put_word(w, ONE_OF(w, STA_ABS, STA_ABS, 0xCE, 0xEE), 0x4016);
        break;
    case 6:
        put_word(w, STA_ABS, at);
        break;
    case 7:
        put2(w, ONE_OF(w, INC_ZP, DEC_ZP, 0x06, 0x26, 0x46), zp);
        break;
    case 8:
        put2(w, ONE_OF(w, LDX_IMM, LDY_IMM, LDA_IMM), below(w, 256));
        break;
    case 9:
        put2(w, ONE_OF(w, BEQ, BNE, BCC, BPL), 2);
        put2(w, ONE_OF(w, STA_ZP, LDA_ZP), zp);
        break;
    case 10:
        put(w, ONE_OF(w, INX, DEX, TAX, NOP, CLC, LSR_A));
        break;
    case 11:
        put_word(w, LDA_ABX, 0x0400 + below(w, 16));
        break;
    case 12:
        put2(w, ONE_OF(w, AND_IMM, ORA_IMM, CMP_IMM), below(w, 256));
        break;
    default:
        put2(w, LDX_IMM, 1 + below(w, 12));
        PUT(w, DEX, BNE, 0xFD);
        break;
    }
}

/* A loop of some random pieces, and NMIs that change their data. */
static struct guest *random_spin(uint64_t seed) {
    struct guest *const g = spinning((uint8_t[]){NOP}, 1, (uint8_t[]){NOP}, 1, (uint8_t[]){RTI}, 1);
    struct writer w = {
        .r = {.seed = seed}, .g = g, .rom = g->prg + GUEST_PRG - WRITER_PIECE, .at = SPIN};
    if (chance(&w, 30)) { /* an IRQ each frame, or samples with their IRQs */
        put_store(&w, 0, 0x4017);
        put(&w, CLI);
    } else if (chance(&w, 40)) {
        put_store(&w, ONE_OF(&w, 0x8F, 0x40, 0x80, 0x81), 0x4010);
        put_store(&w, below(&w, 3), 0x4013);
        put_store(&w, 0x10, 0x4015);
        put(&w, CLI);
    }
    const uint16_t start = w.at;
    for (unsigned i = 1 + below(&w, 8); i-- > 0;)
        put_piece(&w);
    put_word(&w, JMP, start);
    w.at = ROUTINE;
    PUT(&w, LDA_ZP, 0x10, CMP_IMM, 7, NOP);
    put(&w, RTS);
    w.at = NMI;
    put(&w, PHA);
    for (unsigned i = below(&w, 3); i-- > 0;)
        put2(&w, ONE_OF(&w, INC_ZP, DEC_ZP), 0x10 + below(&w, 3));
    PUT(&w, PLA, RTI);
    w.at = IRQ;
    put(&w, PHA);
    if (chance(&w, 80)) /* it is acknowledged */
        put_word(&w, LDA_ABS, 0x4015);
    put_store(&w, 0x10, 0x4015);
    put2(&w, ONE_OF(&w, INC_ZP, DEC_ZP), 0x10 + below(&w, 3));
    PUT(&w, PLA, RTI);
    return g;
}

static void random_spins(void **state) {
    (void)state;
    unsigned passed = 0, counted = 0, tallied = 0;
    for (uint64_t seed = 0; seed < EFFORT(600); seed++) {
        char name[32];
        struct guest *const g = random_spin(seed);
        snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
        const struct way *const way = ways(seed % WAYS);
        double share;
        run(g, &way, 1, UNCOUNTED, seed, name, &share);
        passed += share > 0.2;
        run(g, &way, 1, ALL, seed, name, &share);
        counted += share > 0.2;
        run(g, &way, 1, TRANSFERS, seed, name, &share);
        tallied += share > 0.2;
        free(g);
    }
    assert_true(passed > EFFORT(200));
    assert_true(counted > EFFORT(200));
    assert_true(tallied > EFFORT(200));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),
        cmocka_unit_test(random_spins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
