/*
 * The translator against the interpreter, in lockstep: the same program, state hashes after every
 * frame, and everything that an observer can see. If this failed, results would depend on the
 * engine.
 */
#include <assert.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dbt/dbt.h"
#include "nes/movie.h"
#include "profile/profile.h"
#include "tests/support/effort.h"
#include "tests/support/random_programs.h"
#include "tests/support/tiny_rom.h"
#include "tests/support/watcher.h"

/* ---- machines ---- */

static const struct {
    const char *name;
    struct dbt_options options;
    bool no_skip;
} variants[] = {
    {"as usual", {0}, false},
    {"at first sight", {.hot = 1}, false},
    {"unchained", {.hot = 1, .no_chaining = true}, false},
    {"without return stack", {.hot = 1, .no_return_stack = true}, false},
    {"without inline caches", {.hot = 3, .no_inline_cache = true}, false},
    {"in 4 KiB", {.hot = 2, .cache_bytes = 4096}, false},
    {"one by one", {.hot = 1, .block_length = 1}, false},
    {"late", {.hot = 100}, false},
    {"without skipping", {.hot = 1}, true},
    {"counted", {.hot = 1, .block_length = 3, .count_blocks = true}, false},
    {"along random paths", {.hot = 1, .random_paths = 1}, false},
    {"adapting", {.hot = 1, .random_adapt = 1}, false},
    {"adapting in little room", {.hot = 2, .random_adapt = 4, .cache_bytes = 12288}, true},
    {"along other paths in little room", {.hot = 2, .random_paths = 6, .cache_bytes = 8192}, true},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* How a machine is watched. */
enum watching { NOBODY, PROBES, STEPS_NOW_AND_THEN, PROBES_FOR_A_WHILE, WATCHINGS };
/* PROBES_FOR_A_WHILE: from the first of these frames on, and up to the second. */
enum { WATCHED_FROM = 4, WATCHED_TO = 9 };

struct machine {
    struct nes *nes;
    struct watcher watcher;
};

static void watch(struct machine *m, enum watching how) {
    m->watcher.nes = m->nes;
    if (how == NOBODY)
        return;
    const bool probes = how != STEPS_NOW_AND_THEN;
    m->watcher.counters = nes_counters_add(m->nes, WATCHER_COUNTERS);
    m->watcher.asks = probes;
    const struct observer o = {.self = &m->watcher,
                               .thread = on_thread,
                               .alarm = on_alarm,
                               .instrument = probes ? instrument : NULL,
                               .step = on_step};
    assert_int_equal(nes_attach(m->nes, &o, &m->watcher.id, NULL), STATUS_OK);
}

/* variant -1: the interpreter, cycle by cycle. m stays where it is. */
static void start(struct machine *m, const struct cartridge *cartridge, int variant,
                  enum watching how) {
    *m = (struct machine){0};
    struct nes_options options = {.cartridge = cartridge};
    if (variant < 0) {
        options.no_fast = true;
    } else {
        options.engine = dbt_engine();
        options.engine_options = &variants[variant].options;
        options.no_skip = variants[variant].no_skip;
    }
    assert_int_equal(nes_create(&m->nes, &options, NULL), STATUS_OK);
    watch(m, how == PROBES_FOR_A_WHILE ? NOBODY : how);
}

static void run_frame(struct machine *m, uint64_t seed, unsigned frame, enum watching how) {
    uint32_t pc;
    uint64_t jam_frame;
    if (nes_jammed(m->nes, &pc, &jam_frame) || frame % 40 == 39)
        nes_reset(m->nes, frame % 3 == 0);
    nes_set_buttons(m->nes, 0, (uint8_t)splitmix64(seed, frame));
    if (how == STEPS_NOW_AND_THEN && frame % 2)
        nes_observe(m->nes, m->watcher.id, 100 * frame);
    if (how == PROBES_FOR_A_WHILE && frame == WATCHED_FROM)
        watch(m, how);
    if (how == PROBES_FOR_A_WHILE && frame == WATCHED_TO)
        nes_detach(m->nes, m->watcher.id);
    assert_int_equal(nes_run_frame(m->nes, NULL), STATUS_OK);
}

/* ---- lockstep ---- */

static void expect_same(const struct machine *a, const struct machine *b, const char *what,
                        uint64_t seed, unsigned frame) {
    if (nes_state_hash(a->nes) != nes_state_hash(b->nes) ||
        nes_cycle(a->nes) != nes_cycle(b->nes) ||
        nes_instructions(a->nes) != nes_instructions(b->nes))
        fail_msg("%s, seed %llu, frame %u: the machines differ", what, (unsigned long long)seed,
                 frame);
    if (a->watcher.hash != b->watcher.hash)
        fail_msg("%s, seed %llu, frame %u: the observers saw different things", what,
                 (unsigned long long)seed, frame);
    if (!same_counters(a->nes, b->nes) ||
        nes_probes_fired(a->nes, 0) != nes_probes_fired(b->nes, 0))
        fail_msg("%s, seed %llu, frame %u: the counters differ", what, (unsigned long long)seed,
                 frame);
}

/* The variants first, first + step, ... */
static void lockstep_of(const struct cartridge *cartridge, uint64_t seed, unsigned frames,
                        enum watching how, int first, int step) {
    struct machine truth, m[VARIANTS];
    start(&truth, cartridge, -1, how);
    for (int i = first; i < VARIANTS; i += step)
        start(&m[i], cartridge, i, how);
    for (unsigned frame = 0; frame < frames; frame++) {
        run_frame(&truth, seed, frame, how);
        for (int i = first; i < VARIANTS; i += step) {
            run_frame(&m[i], seed, frame, how);
            expect_same(&truth, &m[i], variants[i].name, seed, frame);
        }
    }
    for (int i = first; i < VARIANTS; i += step)
        nes_free(m[i].nes);
    nes_free(truth.nes);
}

static void lockstep(const struct cartridge *cartridge, uint64_t seed, unsigned frames,
                     enum watching how) {
    lockstep_of(cartridge, seed, frames, how, 0, 1);
}

static void noise(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= EFFORT(18); seed++) {
        struct guest *g = random_program(seed);
        lockstep(&g->cart, seed, 12, (enum watching)(seed % WATCHINGS));
        free(g);
    }
}

/* In half of the translator's variants. */
static void program(uint64_t seed) {
    static const unsigned mappers[] = {0, 4, 1, 2, 4, 7, 1, 0, 4, 66, 28, 1, 34, 3, 11};
    struct guest *g = structured_program(seed, mappers[seed % (sizeof mappers / sizeof *mappers)]);
    lockstep_of(&g->cart, seed, 12, (enum watching)(seed / 2 % WATCHINGS), seed % 2, 2);
    free(g);
}

static void programs(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= EFFORT(48); seed++)
        program(seed);
    program(2598); /* a callback makes a request after a JMP (indirect) into open bus */
}

static void the_tiny_program(void **state) {
    (void)state;
    struct cartridge *cartridge = tiny_program();
    for (int how = 0; how < WATCHINGS; how++)
        lockstep(cartridge, 5, 60, (enum watching)how);
    cartridge_free(cartridge);
}

/* ---- profilers ---- */

/* A machine has room for NES_OBSERVERS, so a part of the live techniques watches it: every PARTS-th. */
enum { PARTS = 4 };

struct profiled {
    struct nes *nes;
    void *self[64]; /* by the number of the technique; NULL: it does not watch */
    struct sampler *sampler;
};

static void start_profiled(struct profiled *p, const struct cartridge *cartridge, bool translated,
                           unsigned part) {
    size_t count;
    const struct technique *const *all = techniques(&count);
    struct error e = {0};
    *p = (struct profiled){0};
    assert_true(count <= sizeof p->self / sizeof *p->self);
    const struct nes_options options = {.cartridge = cartridge,
                                        .engine = translated ? dbt_engine() : NULL};
    assert_int_equal(nes_create(&p->nes, &options, &e), STATUS_OK);
    unsigned live = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t values[TECHNIQUE_PARAMETERS] = {0};
        for (int k = 0; k < TECHNIQUE_PARAMETERS && all[i]->parameters[k].name; k++)
            values[k] = all[i]->parameters[k].standard;
        if (all[i]->attach && live++ % PARTS == part)
            assert_int_equal(all[i]->attach(&p->self[i], p->nes, values, &e), STATUS_OK);
    }
    assert_int_equal(
        sampler_attach(&p->sampler, p->nes, (struct sampler_options){.interval_us = 777}, &e),
        STATUS_OK);
}

static void expect_same_profile(const struct profile *a, const struct profile *b) {
    assert_int_equal(a->graph.edge_count, b->graph.edge_count);
    assert_memory_equal(a->graph.edges, b->graph.edges,
                        a->graph.edge_count * sizeof *a->graph.edges);
    assert_true(a->cost.records == b->cost.records && a->cost.probes == b->cost.probes &&
                a->cost.observed == b->cost.observed && a->cost.steps == b->cost.steps);
    assert_true(a->bins == b->bins && a->low == b->low && a->high == b->high);
}

/* Ends both; compares the stream, the graph of each live technique, and the graphs of the
 * techniques on streams. */
static void finish_profiled(struct profiled *a, struct profiled *b) {
    size_t count;
    const struct technique *const *all = techniques(&count);
    struct error e = {0};
    for (size_t i = 0; i < count; i++) {
        struct profile p, q;
        if (!a->self[i])
            continue;
        assert_int_equal(all[i]->finish(a->self[i], &p, &e), STATUS_OK);
        assert_int_equal(all[i]->finish(b->self[i], &q, &e), STATUS_OK);
        expect_same_profile(&p, &q);
        profile_free(&p);
        profile_free(&q);
    }
    struct stream s, t;
    assert_int_equal(sampler_finish(a->sampler, &s, &e), STATUS_OK);
    assert_int_equal(sampler_finish(b->sampler, &t, &e), STATUS_OK);
    assert_true(s.batch_count > 10);
    assert_int_equal(s.batch_count, t.batch_count);
    assert_int_equal(stream_hash(&s), stream_hash(&t));
    stream_free(&s);
    stream_free(&t);
}

static void part_of_profilers(const struct cartridge *cartridge, const struct movie *movie,
                              unsigned frames, unsigned part) {
    struct profiled interpreted, translated;
    struct nes *alone;
    start_profiled(&interpreted, cartridge, false, part);
    start_profiled(&translated, cartridge, true, part);
    assert_int_equal(
        nes_create(&alone, &(struct nes_options){.cartridge = cartridge, .engine = dbt_engine()},
                   NULL),
        STATUS_OK);
    struct nes *const all[] = {interpreted.nes, translated.nes, alone};
    for (unsigned frame = 0; frame < frames; frame++) {
        for (int i = 0; i < 3; i++)
            assert_int_equal(movie_play_frame(movie, all[i], NULL), STATUS_OK);
        for (int i = 1; i < 3; i++)
            if (nes_state_hash(all[i]) != nes_state_hash(all[0]))
                fail_msg("%s, frame %u: the machines differ", cartridge->name, frame);
    }
    finish_profiled(&interpreted, &translated);
    for (int i = 0; i < 3; i++)
        nes_free(all[i]);
}

/* Every profiler on both engines. Neither may disturb the guest, which a third machine plays
 * unobserved. One part of them, `longest`, watches it for more frames than the others. */
static void profilers(const struct cartridge *cartridge, const struct movie *movie, unsigned frames,
                      unsigned longest, unsigned most_frames) {
    for (unsigned part = 0; part < PARTS; part++)
        part_of_profilers(cartridge, movie, part == longest ? most_frames : frames, part);
}

/* Broken: observers would be notified of an instruction in the bank that was just switched away. */
static void a_bank_is_switched_under_the_code(void **state) {
    (void)state;
    static uint8_t prg[4 * 0x8000], chr[0x2000];
    static const struct movie movie;
    static const uint8_t code[] = {0xE8, 0x8A, 0x8D, 0x00, 0x90, 0x4C, 0x00, 0x80};
    /*                             INX   TXA   STA $9000         JMP $8000 */
    memset(prg, 0xff, sizeof prg); /* a value that a bus conflict does not change */
    for (unsigned bank = 0; bank < 4; bank++) {
        memcpy(prg + bank * 0x8000, code, sizeof code);
        memcpy(prg + bank * 0x8000 + 0x7ffc, (const uint8_t[]){0x00, 0x80}, 2);
    }
    const struct cartridge cartridge = {.name = "banks.nes",
                                        .mapper = 7,
                                        .prg = prg,
                                        .prg_size = sizeof prg,
                                        .chr = chr,
                                        .chr_size = sizeof chr,
                                        .chr_is_ram = true,
                                        .sha1 = "0123456789abcdef0123456789abcdef01234567"};
    profilers(&cartridge, &movie, 30, 0, 30);
}

static void bundled_games(void **state) {
    (void)state;
    glob_t games;
    assert_int_equal(glob(GAMES_FOLDER "/*.nes", 0, NULL, &games), 0);
    for (size_t i = 0; i < games.gl_pathc; i++) {
        struct cartridge *cartridge;
        struct movie movie;
        struct error e = {0};
        char path[4096];
        const char *const name = strrchr(games.gl_pathv[i], '/') + 1;
        snprintf(path, sizeof path, MOVIES_FOLDER "/%.*s.fm2", (int)strcspn(name, "."), name);
        if (cartridge_load(&cartridge, games.gl_pathv[i], &e) != STATUS_OK ||
            movie_load(&movie, path, &e) != STATUS_OK)
            fail_msg("%s", e.text);
        profilers(cartridge, &movie, EFFORT(300), i % PARTS, EFFORT(1200));
        movie_free(&movie);
        cartridge_free(cartridge);
    }
    globfree(&games);
}

/* Broken: after a bank switch the old bank's code would continue to run, or be reported. */
static void banks_change_under_the_code(void **state) {
    (void)state;
    struct guest *g = guest_new();
    g->cart.mapper = 2;
    guest_vectors(g, 0xC020, 0x8000, 0xC020);
    guest_code(g, 0x8000, 0xA9, 0x01, 0x8D, 0x00, 0x80); /* LDA #1, STA $8000: bank 1 */
    guest_code(g, 0xC005, 0xA9, 0x00, 0x8D, 0x00, 0x80); /* there: LDA #0, STA $8000: bank 0 */
    guest_code(g, 0x800A, 0xE6, 0x10, 0xA9, 0x00, 0x8D, 0x00, 0x80); /* here: bank 0 again */
    guest_code(g, 0x8011, 0x4C, 0x00, 0x80);
    guest_code(g, 0xC020, 0x40);
    for (int how = 0; how < WATCHINGS; how++)
        lockstep(&g->cart, 1, 12, (enum watching)how);
    free(g);
}

/* Changes scroll, tables and masks during the whole picture, and reads through v, or the status,
 * now and then. */
static void fill_raster(struct guest *g) {
    static const uint8_t loop[] = {
        0xE8, 0x8E, 0x05, 0x20, 0x8E, 0x05, /* INX, STX $2005 */
        0x20, 0x8E, 0x05, 0x20, 0x8E, 0x05, /* many times */
        0x20, 0x8E, 0x05, 0x20, 0x8E, 0x05, /* */
        0x20, 0x8E, 0x05, 0x20, 0x8E, 0x05, /* */
        0x20, 0x8E, 0x05, 0x20, 0xE8,       /* INX */
        0x20, 0x80, 0x80, 0x8D, 0x05, 0x20, /* JSR random, STA $2005 */
        0x20, 0x80, 0x80, 0x8D, 0x06, 0x20, /* and $2006 */
        0x20, 0x80, 0x80, 0x29, 0x03, 0x05, /* JSR random, AND #3, ORA $12: */
        0x12, 0x8D, 0x00, 0x20,             /* the tables, and the NMI: STA $2000 */
        0x20, 0x80, 0x80, 0x29, 0x1F,       /* JSR random, AND #1F */
        0x05, 0x13, 0x8D, 0x01, 0x20,       /* ORA $13, STA $2001 */
        0xC6, 0x11, 0xD0, 0xBF,             /* DEC $11, BNE loop */
        0x20, 0x80, 0x80, 0x85, 0x11,       /* random times */
        0x20, 0x80, 0x80, 0x29, 0x98, 0x85, /* other tables */
        0x12, 0xA5, 0x10, 0x29, 0x18, 0x85, /* LDA $10, AND #18: what is always rendered */
        0x13, 0x8D, 0x07, 0x20,             /* STA $2007 */
        0xAD, 0x07, 0x20, 0x4D, 0x02, 0x20, /* LDA $2007, EOR $2002 */
        0x8E, 0x05, 0x20, 0x4D, 0x02, 0x20, /* STX $2005, EOR $2002 */
        0x8D, 0x05, 0x20, 0x4D, 0x02, 0x20, /* STA $2005, EOR $2002 */
        0x45, 0x20, 0x85, 0x20,             /* EOR $20, STA $20 */
        0x8D, 0x00, 0xC0, 0x8D, 0x01, 0xE0, /* STA $C000, STA $E001: a board's IRQ */
        0x4C, 0x00, 0x80,                   /* JMP loop */
    };
    static const uint8_t random[] = {
        0xA5, 0x10, 0x0A, 0x90, 0x02, 0x49, 0x1D, /* LDA $10, ASL, BCC +2, EOR #1D */
        0x85, 0x10, 0xE6, 0x14, 0xD0, 0x02,       /* STA $10, INC $14, BNE +2 */
        0xE6, 0x10, 0x60,                         /* INC $10, RTS */
    };
    static_assert(sizeof loop <= 0x80, "random");
    guest_bytes(g, 0x8000, loop, sizeof loop);
    guest_bytes(g, 0x8080, random, sizeof random);
    guest_vectors(g, 0x8090, 0x8000, 0x8090);
    guest_code(g, 0x8090, 0xE6, 0x21, 0x8D, 0x00, 0xE0, 0x40); /* INC $21, STA $E000, RTI */
}

/* Runs beside the interpreter; both stop anywhere, usually within `most` cycles. */
static void in_steps(const struct guest *g, unsigned mapper, unsigned most, const char *what) {
    struct machine truth, m;
    start(&truth, &g->cart, -1, NOBODY);
    start(&m, &g->cart, 0, NOBODY);
    uint64_t cycle = 0;
    for (unsigned step = 0; step < EFFORT(1500); step++) {
        cycle += 1 + splitmix64(mapper, step) % (step % 16 ? most : 50000);
        assert_int_equal(nes_run_to(truth.nes, cycle, NULL), STATUS_OK);
        assert_int_equal(nes_run_to(m.nes, cycle, NULL), STATUS_OK);
        expect_same(&truth, &m, what, mapper, step);
    }
    nes_free(m.nes);
    nes_free(truth.nes);
}

/* Broken: writes that translated code defers would be applied late, twice, or not at all. */
static void writes_into_the_picture(void **state) {
    (void)state;
    struct guest *g = guest_new();
    fill_raster(g);
    for (unsigned mapper = 0; mapper <= 4; mapper += 4) {
        g->cart.mapper = mapper;
        lockstep(&g->cart, mapper, 12, PROBES);
        in_steps(g, mapper, 500, "raster");
    }
    free(g);
}

/* Copies to OAM at every alignment, from pages of RAM, ROM and registers, in a handler, during the
 * picture, with interrupts and samples meanwhile, and by code in RAM. */
static void fill_copies(struct guest *g) {
    static const uint8_t loop[] = {
        0x78, 0xA9, 0x00, 0x8D, 0x17, 0x40,             /* SEI, frame IRQs */
        0xA9, 0x80, 0x8D, 0x00, 0x20,                   /* NMIs */
        0xA5, 0x20, 0x29, 0x1F, 0x8D, 0x01, 0x20,       /* rendering at times */
        0xA5, 0x20, 0x29, 0x10, 0x8D, 0x15, 0x40,       /* samples at times */
        0xA9, 0x4F, 0x8D, 0x10, 0x40, 0xE6, 0x20,       /* again and again; INC $20 */
        0xA5, 0x20, 0x29, 0x04, 0xF0, 0x01, 0x58,       /* CLI at times */
        0xA6, 0x20, 0xCA, 0xD0, 0xFD,                   /* LDX $20, DEX, BNE */
        0xA9, 0x02, 0x8D, 0x14, 0x40,                   /* LDA #2, STA $4014 */
        0x8D, 0x03, 0x20, 0xAD, 0x04, 0x20, 0x85, 0x21, /* STA $2003, LDA $2004, STA $21 */
        0xA6, 0x20, 0x8E, 0x14, 0x40, 0xE6, 0x22,       /* LDX $20, STX $4014, INC $22 */
        0xA5, 0x20, 0x9D, 0x00, 0x02, 0x8D, 0x14, 0x40, /* LDA $20, STA $0200,X, STA $4014 */
        0x8D, 0x14, 0x40, 0xA9, 0x40, 0x20, 0xFD, 0x07, /* STA $4014, LDA #$40, JSR $07FD */
        0x4C, 0x00, 0x80,                               /* JMP loop */
    };
    static const uint8_t begin[] = {0xA9, 0x8D, 0x8D, 0xFD, 0x07, 0xA9, 0x14, 0x8D, 0xFE,
                                    0x07, 0xA9, 0x40, 0x8D, 0xFF, 0x07, 0xA9, 0x60, 0x85,
                                    0x00, 0xA2, 0xFF, 0x9A, 0x4C, 0x00, 0x80};
    static_assert(sizeof loop <= 0x80, "begin");
    guest_bytes(g, 0x8000, loop, sizeof loop);
    guest_bytes(g, 0x8080, begin, sizeof begin); /* $07FD: STA $4014; $0800, that is $00: RTS */
    guest_vectors(g, 0x80B0, 0x8080, 0x80C0);
    guest_code(g, 0x80B0, 0x48, 0xA9, 0x02, 0x8D, 0x14, 0x40, 0xE6, 0x23, 0x68, 0x40);
    guest_code(g, 0x80C0, 0xE6, 0x24, 0x2C, 0x15, 0x40, 0x40); /* INC $24, BIT $4015, RTI */
}

/* Broken: a copy that is performed together with its instruction ends in another cycle, or beyond
 * the machine's stop. */
static void copies_to_oam(void **state) {
    (void)state;
    struct guest *g = guest_new();
    fill_copies(g);
    for (int how = 0; how < WATCHINGS; how++)
        lockstep(&g->cart, 3, 24, (enum watching)how);
    for (unsigned mapper = 0; mapper <= 4; mapper += 4) {
        g->cart.mapper = mapper;
        in_steps(g, mapper, 700, "copies");
    }
    free(g);
}

/* ---- many arrangements of banks, many contents of a routine ---- */

enum { BANK = 0x2000, BANKS = 16 };

/* An MMC3 program that maps 72 pairs of banks at $8000 and $A000, and runs code in both that reads
 * and calls code at $A000. */
static void fill_banks(uint8_t prg[BANKS * BANK]) {
    static const uint8_t routine[] = {0xA5, 0x30, 0x69, 0x00, 0x4D, 0x10, 0xA0, /* LDA, ADC, EOR */
                                      0x85, 0x30, 0x20, 0x20, 0xA0, 0x60};      /* STA, JSR, RTS */
    static const uint8_t callee[] = {0xE6, 0x31, 0xAD, 0x10, 0x80, 0x85, 0x32, 0x60};
    static const uint8_t loop[] = {
        0xA2, 0x00, 0xA0, 0x00,                         /* LDX #0; LDY #0 */
        0xA9, 0x06, 0x8D, 0x00, 0x80, 0x8E, 0x01, 0x80, /* bank X at $8000 */
        0xA9, 0x07, 0x8D, 0x00, 0x80, 0x8C, 0x01, 0x80, /* bank Y at $A000 */
        0x20, 0x00, 0x80, 0x20, 0x00, 0xA0,             /* JSR $8000, JSR $A000 */
        0xE6, 0x20, 0xC8, 0xC0, 0x08, 0xD0, 0xE3,       /* INC $20, INY, CPY #8, BNE */
        0xE8, 0xE0, 0x09, 0xD0, 0xDC,                   /* INX, CPX #9, BNE */
        0xE6, 0x21, 0x4C, 0x00, 0xE0,                   /* INC $21, JMP $E000 */
    };
    for (unsigned bank = 0; bank < BANKS; bank++) {
        uint8_t *const at = prg + bank * BANK;
        memcpy(at, routine, sizeof routine);
        at[3] = (uint8_t)(3 * bank + 1);
        at[0x10] = (uint8_t)(37 * bank);
        memcpy(at + 0x20, callee, sizeof callee);
    }
    memcpy(prg + (BANKS - 1) * BANK, loop, sizeof loop);
    prg[BANKS * BANK - 0x100] = 0x40; /* RTI */
    memcpy(prg + BANKS * BANK - 6, (const uint8_t[]){0x00, 0xFF, 0x00, 0xE0, 0x00, 0xFF}, 6);
}

/* Everything has been executed. */
static struct dbt_statistics statistics_after(const struct cartridge *cartridge, int variant,
                                              unsigned frames) {
    struct machine m = {0};
    struct dbt_statistics s;
    const struct nes_options options = {.cartridge = cartridge,
                                        .engine = dbt_engine(),
                                        .engine_options = &variants[variant].options,
                                        .no_skip = true};
    assert_int_equal(nes_create(&m.nes, &options, NULL), STATUS_OK);
    for (unsigned frame = 0; frame < frames; frame++)
        run_frame(&m, 1, frame, NOBODY);
    dbt_statistics(m.nes, &s);
    nes_free(m.nes);
    return s;
}

/* Broken: every 65th arrangement of banks would discard all translated code. */
static void many_arrangements_of_banks(void **state) {
    (void)state;
    enum { FRAMES = 20 };
    static uint8_t prg[BANKS * BANK], chr[0x2000];
    fill_banks(prg);
    const struct cartridge cartridge = {.name = "arrangements.nes",
                                        .mapper = 4,
                                        .prg = prg,
                                        .prg_size = sizeof prg,
                                        .chr = chr,
                                        .chr_size = sizeof chr,
                                        .chr_is_ram = true,
                                        .sha1 = "0123456789abcdef0123456789abcdef01234567"};
    for (int how = 0; how < WATCHINGS; how++)
        lockstep(&cartridge, 1, FRAMES, (enum watching)how);
    struct machine m;
    start(&m, &cartridge, 1, NOBODY);
    for (unsigned frame = 0; frame < FRAMES; frame++)
        run_frame(&m, 1, frame, NOBODY);
    assert_in_range(nes_ram(m.nes)[0x21], 3, 255); /* it has mapped all of them */
    nes_free(m.nes);
    const struct dbt_statistics s = statistics_after(&cartridge, 1, FRAMES);
    assert_in_range(s.flushes, 0, 4);   /* when the window is recognised as switched */
    assert_in_range(s.blocks, 50, 250); /* a few for each bank in each window */
}

/* A routine in RAM, patched to `contents` different ones in turn, and called. */
static struct guest *patched(unsigned contents) {
    struct guest *const g = guest_new();
    guest_vectors(g, 0x8080, 0x8000, 0x8080);
    guest_code(g, 0x8080, 0x40);
    guest_code(g, 0x8000, 0xA2, 0x06, 0xBD, 0x60, 0x80, 0x9D, 0x00, 0x03, 0xCA, 0x10, 0xF7);
    guest_code(g, 0x8060, 0xA9, 0x00, 0x65, 0x30, 0x85, 0x30, 0x60); /* LDA #, ADC, STA, RTS */
    guest_code(g, 0x800B, 0xA2, 0x00, 0x8E, 0x01, 0x03);             /* LDX #0; STX $0301 */
    guest_code(g, 0x8010, 0x20, 0x00, 0x03, 0x20, 0x00, 0x03);       /* JSR $0300 twice */
    guest_code(g, 0x8016, 0xE8, 0xE0, (uint8_t)contents, 0xD0, 0xF2, 0x4C, 0x0B, 0x80);
    return g;
}

/* Broken: the ninth content of a routine would be interpreted until the cache is full. */
static void many_contents_of_a_routine(void **state) {
    (void)state;
    struct guest *g = patched(12);
    for (int how = 0; how < WATCHINGS; how++)
        lockstep(&g->cart, 1, 12, (enum watching)how);
    const struct dbt_statistics s = statistics_after(&g->cart, 1, 30);
    assert_int_equal(s.stale, 11);
    assert_int_equal(s.flushes, 0);
    free(g);
    g = patched(33); /* as many as there may be, each of which comes again only after all others */
    assert_int_equal(statistics_after(&g->cart, 1, 60).stale, 32);
    free(g);
}

/* Broken: a routine whose bytes never repeat would be translated again and again, or each of its
 * blocks would be looked up among all earlier versions. */
static void endless_contents_of_a_routine(void **state) {
    (void)state;
    struct guest *g = patched(0); /* 256 */
    for (int how = 0; how < WATCHINGS; how++)
        lockstep(&g->cart, 1, 12, (enum watching)how);
    const struct dbt_statistics early = statistics_after(&g->cart, 1, 10);
    const struct dbt_statistics late = statistics_after(&g->cart, 1, 38);
    assert_in_range(early.stale, 8, 8); /* none of them comes again soon enough */
    assert_int_equal(late.stale, early.stale);
    assert_in_range(late.dispatched - early.dispatched, 0,
                    28 * 500); /* it is interpreted from then on */
    free(g);
}

/* Broken: after a routine whose bytes never repeat, other code would be interpreted, too. */
static void code_after_endless_contents(void **state) {
    (void)state;
    struct guest *const g = patched(0);
    guest_code(g, 0x8010, 0x20, 0x00, 0x03, 0x4C, 0x20, 0x80); /* JSR $0300; JMP $8020 */
    guest_code(g, 0x8020, 0xA0, 0x40, 0x88, 0xD0, 0xFD,        /* LDY #$40; DEY; BNE */
               0xE8, 0xD0, 0xE6, 0x4C, 0x0B, 0x80);            /* INX; BNE $800D; JMP $800B */
    for (int how = 0; how < WATCHINGS; how++)
        lockstep(&g->cart, 1, 12, (enum watching)how);
    const struct dbt_statistics early = statistics_after(&g->cart, 1, 20);
    const struct dbt_statistics late = statistics_after(&g->cart, 1, 40);
    /* 20 frames of 85 rounds, each with 132 instructions and four in RAM */
    assert_in_range(late.executed - early.executed, 20 * 80 * 130, 20 * 90 * 136);
    free(g);
}

/* ---- calls and returns ---- */

/* Broken: every RTS costs a look-up, unnoticed. */
static void returns_are_foretold(void **state) {
    (void)state;
    struct guest *g = guest_new();
    guest_vectors(g, 0x8020, 0x8000, 0x8020);
    guest_code(g, 0x8000, 0x20, 0x10, 0x80, 0x20, 0x10, 0x80, 0x4C, 0x00, 0x80);
    guest_code(g, 0x8010, 0x20, 0x18, 0x80, 0x20, 0x18, 0x80, 0x60); /* JSR, JSR, RTS */
    guest_code(g, 0x8018, 0xE6, 0x10, 0x60);                         /* INC $10, RTS */
    guest_code(g, 0x8020, 0x40);
    const struct dbt_statistics s = statistics_after(&g->cart, 1, 10);
    assert_true(s.executed > 20000);
    assert_in_range(s.return_misses, 0, 100); /* at the frames' edges */
    assert_in_range(s.dispatched, 1, 200);
    assert_int_equal(statistics_after(&g->cart, 3, 10).return_misses,
                     0); /* there is no return stack */
    /* The caller's address is dropped: the entry below the top has it. */
    guest_code(g, 0x8018, 0x68, 0x68, 0x60); /* PLA, PLA, RTS */
    const struct dbt_statistics dropped = statistics_after(&g->cart, 1, 10);
    assert_true(dropped.return_misses > 1000);
    assert_in_range(dropped.dispatched, 1, 200);
    free(g);
}

/* Broken: each deadline would cost look-ups of the calls that it falls into. */
static void returns_are_foretold_across_deadlines(void **state) {
    (void)state;
    struct guest *g = guest_new();
    guest_vectors(g, 0x8080, 0x8000, 0x8080);
    guest_code(g, 0x8000, 0xA9, 0x80, 0x8D, 0x00, 0x20); /* LDA #$80; STA $2000 */
    for (unsigned i = 0; i < 6; i++)                     /* five calls deep */
        guest_code(g, (uint16_t)(0x8010 + 8 * i), 0x20, (uint8_t)(0x18 + 8 * i), 0x80, 0x60);
    guest_code(g, 0x8038, 0xE8, 0xD0, 0xFD, 0x60); /* INX; BNE; RTS */
    guest_code(g, 0x8005, 0x20, 0x10, 0x80, 0x4C, 0x05, 0x80);
    guest_code(g, 0x8080, 0x40);
    const struct dbt_statistics early = statistics_after(&g->cart, 1, 20);
    const struct dbt_statistics late = statistics_after(&g->cart, 1, 220);
    assert_true(late.dispatched - early.dispatched >= 200);
    assert_in_range(late.return_misses - early.return_misses, 0, 200);
    lockstep(&g->cart, 1, 60, PROBES);
    free(g);
}

/* What `exact` finds if nobody else watches. It is looked at in between, too. */
static void exact_alone(const struct cartridge *cartridge, bool translated, struct profile *out) {
    enum { FRAMES = 20 };
    const struct technique *const exact = technique_find("exact");
    struct error e = {0};
    struct nes *nes;
    void *self;
    const struct nes_options options = {.cartridge = cartridge,
                                        .engine = translated ? dbt_engine() : NULL};
    assert_int_equal(nes_create(&nes, &options, &e), STATUS_OK);
    assert_int_equal(exact->attach(&self, nes, NULL, &e), STATUS_OK);
    for (unsigned i = 0; i < FRAMES; i++) {
        assert_int_equal(nes_run_frame(nes, NULL), STATUS_OK);
        if (i % 8 == 0)
            nes_settle(nes);
    }
    assert_int_equal(exact->finish(self, out, &e), STATUS_OK);
    nes_free(nes);
}

/* Broken: where control may go anywhere, an exact profile would count too little, or at the wrong address. */
static void control_goes_anywhere(void **state) {
    (void)state;
    static const struct movie movie;
    struct guest *g = guest_new();
    guest_vectors(g, 0x8080, 0x8000, 0x8080);
    guest_code(g, 0x8000, 0xA9, 0x4C, 0x85, 0x00, 0xA9, 0x10, 0x85, 0x01, /* JMP $8010 to $0000 */
               0xA9, 0x80, 0x85, 0x02, 0xA2, 0xFF, 0x9A, 0xEA);           /* LDX #$FF; TXS */
    guest_code(g, 0x8010, 0xE6, 0x08, 0xA5, 0x08, 0x29, 0x0E, 0xA8, /* INC; LDA; AND #$0E; TAY */
               0xB9, 0x60, 0x80, 0x85, 0x0A, 0xB9, 0x61, 0x80, 0x85, 0x0B, /* the table's, to $0A */
               0x6C, 0x0A, 0x00);                                          /* JMP ($000A) */
    guest_code(g, 0x8030, 0x4C, 0x10, 0x80);                               /* JMP $8010 */
    guest_code(g, 0x8034, 0xA9, 0xFF, 0x48, 0x48, 0x60);                   /* to $0000 by RTS */
    guest_code(g, 0x803A, 0xA9, 0x80, 0x48, 0xA9, 0x2F, 0x48, 0x60);       /* to $8030 by RTS */
    guest_code(g, 0x8042, 0x20, 0x48, 0x80, 0x4C, 0x10, 0x80, 0x60);       /* JSR $8048; JMP; RTS */
    guest_code(
        g, 0x804A, 0x20, 0x50, 0x80, 0xEA, 0xEA, 0xEA, 0x68, 0x68,  /* JSR $8050; $8050: PLA; */
        0xA5, 0x08, 0x4A, 0x48, 0x48, 0xA9, 0x80, 0x48, 0xA9, 0x2F, /* PLA; ...; and to $8030 */
        0x48, 0x60);
    guest_code(g, 0x8060 + 0x20, 0x40); /* RTI */
    guest_code(g, 0x8070, 0xEA);
    static const uint8_t table[] = {0x30, 0x80, 0x34, 0x80, 0x3A, 0x80, 0x42, 0x80,
                                    0x4A, 0x80, 0x00, 0x00, 0x30, 0x80, 0x30, 0x80};
    for (unsigned i = 0; i < sizeof table; i++)
        guest_code(g, (uint16_t)(0x8060 + i), table[i]);
    struct profile interpreted, translated;
    exact_alone(&g->cart, false, &interpreted);
    exact_alone(&g->cart, true, &translated);
    expect_same_profile(&interpreted, &translated);
    profile_free(&interpreted);
    profile_free(&translated);
    profilers(&g->cart, &movie, 20, 0, 20);
    free(g);
}

/* Broken: calls without an end would run over the host's stack. */
static void calls_without_end(void **state) {
    (void)state;
    struct guest *g = guest_new();
    guest_vectors(g, 0x8020, 0x8000, 0x8020);
    guest_code(g, 0x8000, 0x20, 0x00, 0x80); /* JSR to itself */
    guest_code(g, 0x8020, 0x40);
    lockstep(&g->cart, 1, 60, NOBODY);
    const struct dbt_statistics s = statistics_after(&g->cart, 1, 30);
    assert_true(s.executed > 100000 && s.dispatched < 1000);
    free(g);
}

/* A frame's RTI, and a program at $8000. */
static struct guest *directed(const uint8_t *code, size_t size) {
    struct guest *g = guest_new();
    guest_vectors(g, 0x80F0, 0x8000, 0x80F0);
    guest_bytes(g, 0x8000, code, size);
    guest_code(g, 0x80F0, 0x40);
    return g;
}

/* Broken: ARR's overflow, which depends on two bits of its result, would differ from the
 * processor's. */
static void arr_sets_every_flag(void **state) {
    (void)state;
    static const uint8_t code[] = {
        0xE4, 0x10, 0x8A,       /* CPX $10; TXA: any byte, with either carry */
        0x6B, 0xFF, 0x08, 0x68, /* ARR #$FF; PHP; PLA */
        0x65, 0x10, 0x85, 0x10, /* ADC $10; STA $10 */
        0xE8, 0x4C, 0x00, 0x80, /* INX; JMP $8000 */
    };
    struct guest *g = directed(code, sizeof code);
    lockstep(&g->cart, 1, 6, NOBODY);
    free(g);
}

/* Broken: N, Z and C, which are materialised late from where they were computed, would be those of
 * a later value there; at each kind of block exit. */
static void flags_outlive_where_they_came_from(void **state) {
    (void)state;
    static const uint8_t code[] = {
        0xE6, 0x10, 0x84, 0x10, 0x08, 0x68, /* INC $10; STY $10; PHP; PLA */
        0x86, 0x14, 0xC6, 0x14, 0x95, 0xF4, /* STX $14; DEC $14; STA $F4,X: there for X = $20 */
        0xF0, 0x02, 0x66, 0x11,             /* BEQ +2; ROR $11 */
        0xC9, 0x80, 0x6A, 0x66, 0x12, 0x4A, /* CMP #$80; ROR A; ROR $12; LSR A */
        0xE5, 0x12, 0xE9, 0x33, 0x26, 0x11, /* SBC $12; SBC #$33; ROL $11 */
        0x79, 0x90, 0x02, 0x99, 0x90, 0x02, /* ADC $0290,Y; STA $0290,Y */
        0xE0, 0x77, 0x20, 0x31, 0x80,       /* CPX #$77; JSR $8031 */
        0xE8, 0xC8, 0xC8, 0x46, 0x12,       /* INX; INY; INY; LSR $12 */
        0x4C, 0x00, 0x80, 0xEA, 0xEA,       /* JMP $8000; NOP; NOP */
        0x08, 0x68, 0x85, 0x13, 0x60,       /* $8031: PHP; PLA; STA $13; RTS */
    };
    assert_int_equal(sizeof code, 0x36); /* the JSR goes to its end */
    struct guest *g = directed(code, sizeof code);
    lockstep(&g->cart, 1, 6, NOBODY);
    free(g);
}

/* Broken: V, N and Z of BIT, which are materialised late from the byte that it read, would depend
 * on later values of A or V, or on only a part of that byte. */
static void flags_of_bit_stay_in_what_it_read(void **state) {
    (void)state;
    static const uint8_t code[] = {
        0xA5, 0x10, 0x24, 0x11, 0x08, 0x68, 0x85, 0x12, /* LDA $10; BIT $11; PHP; PLA; STA $12 */
        0xA5, 0x11, 0x24, 0x10, 0x50, 0x02, 0xE6, 0x13, /* LDA $11; BIT $10; BVC; INC $13 */
        0x24, 0x11, 0xB8, 0xF0, 0x02, 0xE6, 0x14,       /* BIT $11; CLV; BEQ; INC $14 */
        0x24, 0x10, 0x30, 0x04, 0xF0, 0x02, 0xE6, 0x15, /* BIT $10; BMI; BEQ; INC $15 */
        0x24, 0x11, 0x65, 0x10, 0x50, 0x02, 0xE6, 0x16, /* BIT $11; ADC $10; BVC; INC $16 */
        0x24, 0x10, 0x84, 0x11, 0x20, 0x5E, 0x80,       /* BIT $10; STY $11; JSR $805E */
        0x24, 0x11, 0x70, 0x00, 0xD0, 0x00, 0x08, 0x68, /* BIT $11; BVS +0; BNE +0; PHP; PLA */
        0x85, 0x17, 0x24, 0x17, 0x6B, 0x77, 0x08, 0x68, /* STA $17; BIT $17; ARR #$77; PHP; PLA */
        0x48, 0x24, 0x10, 0x28, 0x70, 0x02, 0xE6, 0x18, /* PHA; BIT $10; PLP; BVS; INC $18 */
        0xA9, 0x40, 0x85, 0x21, 0x98, 0x24, 0x10,       /* LDA #$40; STA $21; TYA; BIT $10 */
        0xB1, 0x20, 0x50, 0x02, 0xE6, 0x19,             /* LDA ($20),Y: open bus; BVC; INC $19 */
        0x18, 0x65, 0x10, 0x69, 0x35, 0x85, 0x10,       /* CLC; ADC $10; ADC #$35; STA $10 */
        0xC8, 0x4C, 0x00, 0x80,                         /* INY; JMP $8000 */
        0x70, 0x02, 0xE6, 0x1A, 0x60,                   /* $805E: BVS; INC $1A; RTS */
    };
    struct guest *g = directed(code, sizeof code);
    for (int how = 0; how < WATCHINGS; how++)
        lockstep(&g->cart, 1, 6, (enum watching)how);
    free(g);
}

/* Broken: translated code repeats the last value of $2002 by itself. It would do so when the value
 * has changed, or drive the bus at another time. */
static void the_status_is_read_in_place(void **state) {
    (void)state;
    static const uint8_t code[] = {
        0x2C, 0x02, 0x20, 0x10, 0xFB,                         /* $8000: BIT $2002; BPL */
        0x18, 0xA5, 0x10, 0x6D, 0x02, 0x20,                   /* CLC; LDA $10; ADC $2002 */
        0x6D, 0x02, 0x20, 0x85, 0x10,                         /* ADC $2002; STA $10 */
        0xE6, 0x11, 0xA5, 0x11, 0x29, 0x07, 0xAA,             /* INC $11; LDA $11; AND #7; TAX */
        0xBD, 0x70, 0x80, 0x8D, 0x00, 0x20, 0x20, 0x60, 0x80, /* LDA $8070,X; STA $2000; JSR */
        0xBD, 0x78, 0x80, 0x8D, 0x01, 0x20, 0xA0, 0x00,       /* LDA $8078,X; STA $2001; LDY #0 */
        0x2C, 0x02, 0x20, 0x50, 0x02, 0xE6, 0x12,             /* $8028: BIT $2002; BVC; INC $12 */
        0x98, 0x8D, 0x03, 0x20, 0x4D, 0x02, 0x20,             /* TYA; STA $2003; EOR $2002 */
        0x4D, 0x07, 0x20, 0x4D, 0x02, 0x20,                   /* EOR $2007; EOR $2002 */
        0x4D, 0x02, 0x20, 0x45, 0x13, 0x85, 0x13,             /* EOR $2002; EOR $13; STA $13 */
        0x8D, 0x03, 0x20, 0x20, 0x60, 0x80,                   /* STA $2003; JSR */
        0x4D, 0x02, 0x20, 0x4D, 0x02, 0x20,                   /* EOR $2002; EOR $2002 */
        0xBD, 0x70, 0x80, 0x8D, 0x00, 0x20, 0x20, 0x60, 0x80, /* LDA $8070,X; STA $2000; JSR */
        0x88, 0xD0, 0xCD, 0x4C, 0x00, 0x80,                   /* DEY; BNE $8028; JMP $8000 */
    };
    static const uint8_t wait[] = {
        0x86, 0x15, 0xA2, 0x60, 0xE4, 0x14,  /* STX $15; LDX #96; CPX $14 */
        0xCA, 0xD0, 0xFB, 0xA6, 0x15, 0x60}; /* DEX; BNE; LDX $15; RTS */
    static const uint8_t ctrl[] = {0xC0, 0x40, 0xD0, 0x00, 0x48, 0xC0, 0x60, 0xE0};
    static const uint8_t mask[] = {0xFE, 0x58, 0xA0, 0x08, 0x10, 0x7E, 0xE0, 0x1E};
    struct guest *g = directed(code, sizeof code);
    guest_bytes(g, 0x8060, wait, sizeof wait);
    guest_bytes(g, 0x8070, ctrl, sizeof ctrl);
    guest_bytes(g, 0x8078, mask, sizeof mask);
    for (int how = 0; how < WATCHINGS; how++)
        lockstep(&g->cart, 1, 24, (enum watching)how);
    free(g);
}

/* Broken: the same, if translated code also writes PPU registers inline: in vertical blank, when
 * the state is not read afterwards, and during the picture. */
static void the_status_is_read_beside_writes_in_place(void **state) {
    (void)state;
    static const uint8_t code[] = {
        0x2C, 0x02, 0x20, 0x10, 0xFB, 0xA9, 0x1E, 0x8D, 0x01, 0x20, /* BIT $2002; BPL; STA $2001 */
        0x8D, 0x05, 0x20, 0x8D, 0x05, 0x20,                         /* STA $2005 twice */
        0xAD, 0x02, 0x20, 0x0D, 0x02, 0x20, 0x8D, 0x03, 0x20,       /* LDA, ORA $2002; STA $2003 */
        0xE6, 0x11, 0xA5, 0x11, 0x4A, 0xA0, 0x14, 0xB0, 0x02,       /* INC $11; LSR; LDY #20; BCS */
        0xA0, 0x03,                                                 /* LDY #3 */
        0xA2, 0x00, 0xE4, 0x14, 0xCA, 0xD0, 0xFB, 0x88, 0xD0, 0xF6, /* $8024: so many turns */
        0xA5, 0x11, 0x4A, 0xB0, 0x21, 0xA0, 0x28, /* LDA $11; LSR; BCS $8054; LDY #40 */
        0x8C, 0x05, 0x20, 0x8C, 0x05, 0x20,       /* $8035: STY $2005 twice */
        0xAD, 0x02, 0x20, 0x4D, 0x02, 0x20,       /* LDA $2002; EOR $2002 */
        0x8C, 0x05, 0x20, 0x6D, 0x02, 0x20,       /* STY $2005; ADC $2002 */
        0x8C, 0x05, 0x20, 0x6D, 0x02, 0x20,       /* STY $2005; ADC $2002 */
        0x65, 0x13, 0x85, 0x13, 0x88, 0xD0, 0xE1, /* ADC $13; STA $13; DEY; BNE $8035 */
        0x4C, 0x00, 0x80,
    };
    struct guest *g = directed(code, sizeof code);
    for (int how = 0; how < WATCHINGS; how++)
        lockstep(&g->cart, 1, 24, (enum watching)how);
    free(g);
}

/* Code at *pc: LDA #value; STA at. */
static void poke_code(struct guest *g, uint16_t *pc, uint16_t at, uint8_t value) {
    guest_code(g, *pc, 0xA9, value, 0x8D, (uint8_t)at, (uint8_t)(at >> 8));
    *pc = (uint16_t)(*pc + 5);
}

/* Broken: a JSR that pushes onto its own last byte would go where it says, not where it goes:
 * JSR $8080 in $00FE or $00FF, onto whose $80 it pushes $01, goes to $0180. */
static void calls_push_onto_their_target(void **state) {
    (void)state;
    static const uint8_t here[] = {0xE6, 0x10, 0x4C, 0x00, 0x80}; /* INC $10; JMP $8000 */
    for (uint16_t at = 0xFE; at <= 0xFF; at++) {
        const uint8_t call[] = {0x20, 0x80, 0x80};
        const uint8_t start[] = {0xA2, (uint8_t)(at + 2), 0x9A}; /* LDX #; TXS */
        struct guest *g = directed(start, sizeof start);
        uint16_t pc = 0x8000 + sizeof start;
        for (unsigned i = 0; i < sizeof call; i++)
            poke_code(g, &pc, (uint16_t)(at + i), call[i]);
        for (unsigned i = 0; i < sizeof here; i++)
            poke_code(g, &pc, (uint16_t)(0x180 + i), here[i]);
        guest_code(g, pc, 0x4C, (uint8_t)at, 0x00);
        guest_code(g, 0x8080, 0xE6, 0x11, 0x4C, 0x00, 0x80); /* INC $11; JMP $8000 */
        lockstep(&g->cart, 1, 6, NOBODY);
        free(g);
    }
}

/* A routine that modifies one of its own operands: its code at `at`, and the three bytes of the
 * store to at + `number`. The store comes before or after the use of the operand. */
struct writing {
    uint16_t at;
    uint8_t number, store[3];
    uint8_t s; /* with which the routine is called */
};

static struct guest *writes_onto_itself(const struct writing *w, bool before) {
    const uint8_t lo = (uint8_t)w->at, hi = (uint8_t)(w->at >> 8), *const store = w->store;
    const uint8_t early[] = {0xA2,     0x05,                                /* LDX #5 */
                             store[0], store[1], store[2], 0xEA, 0xEA,      /* the store; NOPs */
                             0x69,     0x01,     0x85,     0x11,            /* ADC #1; STA $11 */
                             0xCA,     0xD0,     0xF4,     0x60};           /* DEX; BNE; RTS */
    const uint8_t late[] = {0xA2,     0x05,     0xEA,     0xEA, 0xEA, 0xEA, /* LDX #5; NOPs */
                            0xEA,     0x69,     0x01,     0x85, 0x11,       /* NOP; ADC #1; STA */
                            store[0], store[1], store[2], 0xCA, 0xD0, 0xF1, 0x60};
    const uint8_t start[] = {0xA2, 18,
                             0xBD, 0x80,
                             0x80, 0x9D,
                             lo,   hi,
                             0xCA, 0x10,
                             0xF7, /* copies it */
                             0xA9, (uint8_t)(w->at + w->number),
                             0x85, 0x20,
                             0xA9, hi,
                             0x85, 0x21, /* ($20): number */
                             0xA0, 0x00,
                             0xA2, w->s,
                             0x9A, 0x18,
                             0xA5, 0x11,
                             0x20, lo,
                             hi, /* LDA $11; JSR */
                             0xE6, 0x12,
                             0xA5, 0x12,
                             0x29, 0x3F,
                             0xD0, 0xEE, /* 64 times */
                             0x4C, 0x00,
                             0x80};
    struct guest *const g = directed(start, sizeof start);
    before ? guest_bytes(g, 0x8080, early, sizeof early)
           : guest_bytes(g, 0x8080, late, sizeof late);
    return g;
}

/* Broken: a block in RAM continues past stores that cannot hit it, and loops to its beginning
 * without comparing its bytes. It would execute code that was overwritten. */
static void code_writes_onto_itself(void **state) {
    (void)state;
    static const struct writing all[] = {
        {0x0300, 8, {0xEE, 0x08, 0x03}, 0xFF}, /* INC $0308 */
        {0x0300, 8, {0xEE, 0x08, 0x0B}, 0xFF}, /* INC $0B08: the same byte */
        {0x0080, 8, {0xE6, 0x88, 0xEA}, 0xFF}, /* INC $88 */
        {0x0080, 8, {0xF6, 0x85, 0xEA}, 0xFF}, /* INC $85,X for X = 3 */
        {0x0300, 8, {0xFE, 0x05, 0x03}, 0xFF}, /* INC $0305,X for X = 3 */
        {0x0704, 8, {0xFE, 0x09, 0x07}, 0xFF}, /* INC $0709,X: its pages end here */
        {0x0140, 8, {0x48, 0x68, 0xEA}, 0x4A}, /* PHA; PLA */
        {0x0140, 8, {0x08, 0x28, 0xEA}, 0x4A}, /* PHP; PLP */
        {0x0300, 8, {0x91, 0x20, 0xEA}, 0xFF}, /* STA ($20),Y */
        {0x6100, 8, {0xEE, 0x08, 0x61}, 0xFF}, /* INC $6108 */
        {0x0300, 8, {0xEE, 0x10, 0x03}, 0xFF}, /* INC $0310: no byte of the block, or the branch */
        {0x0300, 8, {0xFE, 0x40, 0x03}, 0xFF}, /* INC $0340,X: never a byte of the block */
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (int before = 0; before < 2; before++) {
            struct guest *g = writes_onto_itself(&all[i], before);
            lockstep(&g->cart, 1, 6, NOBODY);
            lockstep(&g->cart, 1, 6, PROBES);
            free(g);
        }
    }
}

/* ---- the rest ---- */

/* Broken: a translated program could change the translator's code. */
static void nothing_is_writable_and_executable(void **state) {
    (void)state;
    struct cartridge *cartridge = tiny_program();
    struct machine m;
    start(&m, cartridge, 1, NOBODY);
    for (unsigned frame = 0; frame < 10; frame++)
        run_frame(&m, 1, frame, NOBODY);
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    char line[4096];
    unsigned views = 0;
    while (fgets(line, sizeof line, maps)) {
        assert_null(strstr(line, " rwx"));
        views += strstr(line, "hotgraph-code") != NULL;
    }
    fclose(maps);
    assert_int_equal(views, 2);
    nes_free(m.nes);
    cartridge_free(cartridge);
}

/* Broken: saved states would depend on the engine, or old code would run after a load. */
static void states_move_between_engines(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct guest *g = structured_program(seed, seed % 2 ? 4 : 2);
        struct machine truth, m;
        start(&truth, &g->cart, -1, NOBODY);
        start(&m, &g->cart, 1, NOBODY);
        for (unsigned frame = 0; frame < 30; frame++) {
            run_frame(&truth, seed, frame, NOBODY);
            run_frame(&m, seed, frame, NOBODY);
            if (frame % 5 == 4) { /* m goes back to where truth was before its last frame */
                struct bytes saved = {0};
                assert_int_equal(nes_save(truth.nes, &saved, NULL), STATUS_OK);
                run_frame(&m, seed ^ 1, frame + 1, NOBODY);
                assert_int_equal(nes_load(m.nes, saved.at, saved.len, "state", NULL), STATUS_OK);
                bytes_free(&saved);
            }
            expect_same(&truth, &m, "states", seed, frame);
        }
        nes_free(truth.nes);
        nes_free(m.nes);
        free(g);
    }
}

static void begins_where_jumps_lead(void *user, const struct dbt_block *b) {
    unsigned *const blocks = user;
    assert_true(b->pc == 0x8000 || b->pc == 0x8010);
    ++*blocks;
}

/* Broken: code that is not hot yet is interpreted up to the middle of a block, or beyond its end, so
 * that a translated block begins at an address that is no jump target. The reads cross a page. */
static void what_is_cold_is_interpreted_in_blocks(void **state) {
    (void)state;
    enum { LATE = 7 };
    static const uint8_t code[] = {
        0xA2, 0xFF, 0xBD, 0x02, 0x81,    /* LDX #$FF; LDA $8102,X */
        0xBD, 0x02, 0x81, 0xE6, 0x10,    /* LDA $8102,X; INC $10 */
        0x4C, 0x10, 0x80, 0,    0,    0, /* JMP $8010 */
        0xE8, 0x8A, 0x85, 0x11,          /* $8010: INX; TXA; STA $11 */
        0x4C, 0x00, 0x80,                /* JMP $8000 */
    };
    struct guest *g = directed(code, sizeof code);
    struct machine m;
    start(&m, &g->cart, LATE, NOBODY);
    unsigned blocks = 0;
    for (unsigned frame = 0; frame < 2; frame++)
        run_frame(&m, 1, frame, NOBODY);
    dbt_each_block(m.nes, begins_where_jumps_lead, &blocks);
    assert_int_equal(blocks, 2);
    nes_free(m.nes);
    free(g);
}

struct seen {
    unsigned blocks, executed, bad;
};

static void look(void *user, const struct dbt_block *b) {
    struct seen *const seen = user;
    char text[96];
    seen->blocks++;
    seen->executed += b->executions > 0;
    for (size_t at = 0, length; at < b->host_size; at += length) {
        length = dbt_disassemble(text, b->host + at, b->host_size - at, b->host_address + at);
        if (length == 0 || strlen(text) < 3) {
            seen->bad++;
            return;
        }
    }
}

/* All bytes of a block belong to instructions, and the counts add up. */
static void blocks_can_be_read(void **state) {
    (void)state;
    enum { COUNTED = 9 };
    assert_true(variants[COUNTED].options.count_blocks);
    struct cartridge *cartridge = tiny_program();
    struct machine m;
    start(&m, cartridge, COUNTED, NOBODY);
    for (unsigned frame = 0; frame < 30; frame++)
        run_frame(&m, 1, frame, NOBODY);
    struct seen seen = {0};
    dbt_each_block(m.nes, look, &seen);
    struct dbt_statistics s;
    dbt_statistics(m.nes, &s);
    assert_int_equal(seen.bad, 0);
    assert_int_equal(s.flushes, 0);
    assert_int_equal(seen.blocks, s.blocks);
    assert_true(seen.blocks > 10 && seen.executed > seen.blocks / 2);
    assert_true(s.links > 5 && s.executed > s.dispatched && s.cache_used < s.cache_bytes);
    nes_free(m.nes);
    cartridge_free(cartridge);
}

/* ---- hot code ---- */

struct placed {
    const struct dbt_profile *profile;
    uint64_t end_of_others;
    unsigned apart, others; /* apart: hot blocks far behind all others */
};

static bool is_named_hot(const struct placed *p, const struct dbt_block *b) {
    bool hot = false;
    for (size_t i = 0; i < p->profile->hot_count; i++)
        hot = hot || p->profile->hot[i] == b->address;
    return hot;
}

static void place_other(void *user, const struct dbt_block *b) {
    struct placed *const p = user;
    if (is_named_hot(p, b))
        return;
    p->others++;
    if (b->host_address + b->host_size > p->end_of_others)
        p->end_of_others = b->host_address + b->host_size;
}

static void place_hot(void *user, const struct dbt_block *b) {
    struct placed *const p = user;
    p->apart += is_named_hot(p, b) && b->host_address > p->end_of_others + (1 << 20);
}

/* Four routines in turn; the middle of each is an unlikely branch. */
static const uint8_t routines[] = {
    0x20, 0x10, 0x80, 0x20, 0x20, 0x80,                                  /* JSR $8010; JSR $8020 */
    0x20, 0x30, 0x80, 0x20, 0x40, 0x80,                                  /* JSR $8030; JSR $8040 */
    0x4C, 0x00, 0x80, 0,                                                 /* JMP $8000 */
    0xE6, 0x10, 0xD0, 0x02, 0xE6, 0x11, 0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* INC $10; BNE; .. */
    0xE6, 0x12, 0xD0, 0x02, 0xE6, 0x13, 0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0xE6, 0x14, 0xD0, 0x02, 0xE6, 0x15, 0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0xE6, 0x16, 0xD0, 0x02, 0xE6, 0x17, 0x60,
};

static void expect_placed(const struct machine *m, const struct dbt_profile *profile, bool late) {
    struct placed p = {.profile = profile};
    struct dbt_statistics s;
    dbt_each_block(m->nes, place_other, &p);
    dbt_each_block(m->nes, place_hot, &p);
    dbt_statistics(m->nes, &s);
    assert_int_equal(p.apart, 2);
    assert_true(p.others >= 4);
    assert_int_equal(s.superblocks, 2);
    assert_int_equal(s.retranslated, late ? 2 : 0);
    assert_int_equal(s.flushes, 0);
    assert_true(s.cache_used < 32 << 10); /* the gap is not counted */
}

/* Broken: the code that a profile calls hot lies among the rest, whether the profile is given at
 * the start or after everything is translated. */
static void hot_code_lies_together(void **state) {
    (void)state;
    struct guest *g = directed(routines, sizeof routines);
    struct machine truth, m;
    start(&truth, &g->cart, -1, NOBODY);
    const uint32_t base = nes_code_address(truth.nes, 0x8000);
    const struct dbt_likely likely[] = {{base + 0x12, base + 0x16, DBT_ALWAYS},
                                        {base + 0x32, base + 0x36, DBT_ALWAYS}};
    const uint32_t hot[] = {base + 0x10, base + 0x30};
    const struct dbt_profile profile = {likely, 2, hot, 2};
    for (unsigned frame = 0; frame < 4; frame++)
        run_frame(&truth, 1, frame, NOBODY);
    for (int late = 0; late < 2; late++) {
        const struct dbt_options options = {.hot = 1, .profile = late ? NULL : &profile};
        m = (struct machine){0};
        assert_int_equal(nes_create(&m.nes,
                                    &(struct nes_options){.cartridge = &g->cart,
                                                          .engine = dbt_engine(),
                                                          .engine_options = &options},
                                    NULL),
                         STATUS_OK);
        for (unsigned frame = 0; frame < 4; frame++) {
            if (late && frame == 2)
                assert_int_equal(dbt_use_profile(m.nes, &profile, NULL), STATUS_OK);
            run_frame(&m, 1, frame, NOBODY);
        }
        expect_same(&truth, &m, "hot code", 1, 3);
        expect_placed(&m, &profile, late);
        nes_free(m.nes);
    }
    nes_free(truth.nes);
    free(g);
}

/* NAME: only tests with this name (* stands for anything). FIRST LAST: only the programs with these
 * seeds, for a long run. */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tiny_program),
        cmocka_unit_test(noise),
        cmocka_unit_test(programs),
        cmocka_unit_test(a_bank_is_switched_under_the_code),
        cmocka_unit_test(bundled_games),
        cmocka_unit_test(banks_change_under_the_code),
        cmocka_unit_test(writes_into_the_picture),
        cmocka_unit_test(copies_to_oam),
        cmocka_unit_test(many_arrangements_of_banks),
        cmocka_unit_test(many_contents_of_a_routine),
        cmocka_unit_test(endless_contents_of_a_routine),
        cmocka_unit_test(code_after_endless_contents),
        cmocka_unit_test(returns_are_foretold),
        cmocka_unit_test(returns_are_foretold_across_deadlines),
        cmocka_unit_test(control_goes_anywhere),
        cmocka_unit_test(calls_without_end),
        cmocka_unit_test(arr_sets_every_flag),
        cmocka_unit_test(flags_outlive_where_they_came_from),
        cmocka_unit_test(flags_of_bit_stay_in_what_it_read),
        cmocka_unit_test(the_status_is_read_in_place),
        cmocka_unit_test(the_status_is_read_beside_writes_in_place),
        cmocka_unit_test(calls_push_onto_their_target),
        cmocka_unit_test(code_writes_onto_itself),
        cmocka_unit_test(states_move_between_engines),
        cmocka_unit_test(nothing_is_writable_and_executable),
        cmocka_unit_test(what_is_cold_is_interpreted_in_blocks),
        cmocka_unit_test(blocks_can_be_read),
        cmocka_unit_test(hot_code_lies_together),
    };
    if (!dbt_engine()) {
        printf("no translator for this processor\n");
        return 77;
    }
    if (argc == 3) {
        for (uint64_t seed = strtoull(argv[1], NULL, 10); seed <= strtoull(argv[2], NULL, 10);
             seed++)
            program(seed);
        return 0;
    }
    if (argc == 2)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
