/* The translator in lockstep with the interpreter over whatever program the fuzzer writes:
 * registers, RAM, devices, time, instruction counts and what observers see must agree, wherever the
 * two are stopped, also when states move from one to the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbt/dbt.h"
#include "profile/profile.h"
#include "tests/support/random_programs.h"
#include "tests/support/watcher.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* An input: how the machines are made and used, the vectors, and the program, which starts at
 * $C000. */
enum {
    CARTRIDGE,
    TRANSLATOR,
    USE,
    BEGINNING,
    NMI_VECTOR,
    IRQ_VECTOR = NMI_VECTOR + 2,
    PROGRAM = 8
};
/* In its first bytes: */
enum { MAPPER_BITS = 0x0F, PATTERNS_IN_ROM = 0x10, BANKS_DIFFER = 0x20 };
enum {
    HOT_BITS = 0x03,
    SMALL_CACHE = 4,
    NO_CHAINING = 8,
    SHORT_BLOCKS = 16,
    NO_SKIP = 32,
    PATHS_BITS = 0xC0,
    ADAPT = 3, /* in these bits */
};
enum { WATCHED_BITS = 0x03, MOVES_BITS = 0x0C, STOPS_BITS = 0x30, CYCLE_BY_CYCLE = 0x40 };
enum { NMI_ON = 1, RENDERING = 2, SAMPLES = 4, FRAME_IRQ = 8, BEGINNINGS = 16 };

static const uint8_t mappers[16] = {0, 1, 4, 2, 7, 4, 1, 66, 28, 4, 34, 11, 3, 1, 0, 4};

/* ---- cartridges ---- */

static void fill_bank(uint8_t *bank, const uint8_t *data, size_t size, bool other) {
    for (size_t at = 0; at < WRITER_PIECE; at++) {
        const bool elsewhere = other && at * at % 61 < 4;
        bank[at] = size ? data[(elsewhere ? 7 * at : at) % size] : 0;
    }
}

static struct guest *guest_from(const uint8_t *data, size_t size) {
    struct guest *const g = guest_new();
    const uint8_t bits = data[CARTRIDGE];
    g->cart.mapper = mappers[bits & MAPPER_BITS];
    g->cart.prg_size = g->cart.mapper ? GUEST_PRG_MOST : GUEST_PRG;
    g->cart.chr_is_ram = !(bits & PATTERNS_IN_ROM);
    for (unsigned i = 0; i < sizeof g->chr; i++)
        g->chr[i] = (uint8_t)(i * i % 251);
    const uint8_t *const last = g->prg + g->cart.prg_size - WRITER_PIECE;
    for (uint8_t *bank = g->prg; bank <= last; bank += WRITER_PIECE) {
        fill_bank(bank, data + PROGRAM, size - PROGRAM, bits & BANKS_DIFFER && bank < last);
        memcpy(bank + 0x3ffa, data + NMI_VECTOR, 2);
        memcpy(bank + 0x3ffc, (const uint8_t[]){0x00, 0xC0}, 2);
        memcpy(bank + 0x3ffe, data + IRQ_VECTOR, 2);
    }
    return g;
}

/* ---- where they begin: at $C000, when the PPU listens, with devices on ---- */

static void put_beginning(struct writer *w, unsigned bits) {
    w->at = 0xD000;
    PUT(w, LDX_IMM, 0xFF, TXS, BIT_ABS, 0x02, 0x20, BIT_ABS, 0x02, 0x20, BPL, 0xFB);
    PUT(w, BIT_ABS, 0x02, 0x20, BPL, 0xFB);
    if (bits & NMI_ON)
        put_store(w, 0x88, 0x2000);
    if (bits & RENDERING)
        put_store(w, 0x1E, 0x2001);
    put_store(w, 0xFF, 0x4012);
    if (bits & SAMPLES) {
        put_store(w, 0xCF, 0x4010);
        put_store(w, 0x10, 0x4015);
    }
    put_store(w, bits & FRAME_IRQ ? 0x00 : 0x40, 0x4017);
    put_word(w, JMP, 0xC000);
    w->at = 0xC000;
    put_word(w, JMP, 0xC000);
    w->at = 0xD100;
    put(w, RTI);
    for (unsigned v = 0; v < 3; v++)
        poke(w, (uint16_t)(0xFFFA + 2 * v), 0), poke(w, (uint16_t)(0xFFFB + 2 * v), 0xD1);
    poke(w, 0xFFFD, 0xD0);
}

/* Some thousand cycles before a vertical blank. */
static void run_to_beginning(struct nes *nes) {
    for (int i = 0; i < 4; i++)
        nes_run_frame(nes, NULL);
    nes_run_to(nes, nes_cycle(nes) + 22000, NULL);
    while (nes_registers(nes).pc != 0xC000)
        nes_run_to(nes, nes_cycle(nes) + 1, NULL);
}

static const struct bytes *beginning(const struct guest *g, unsigned bits) {
    static struct bytes states[256][2][BEGINNINGS];
    struct bytes *const state = &states[g->cart.mapper][g->cart.chr_is_ram][bits];
    if (state->len)
        return state;
    struct guest *const own = guest_new();
    struct writer w = {.g = own, .rom = own->prg + g->cart.prg_size - WRITER_PIECE};
    own->cart.mapper = g->cart.mapper;
    own->cart.prg_size = g->cart.prg_size;
    own->cart.chr_is_ram = g->cart.chr_is_ram;
    put_beginning(&w, bits);
    for (uint8_t *bank = own->prg; bank < w.rom; bank += WRITER_PIECE)
        memcpy(bank, w.rom, WRITER_PIECE);
    struct nes *const nes = guest_machine(own, (struct nes_options){0});
    run_to_beginning(nes);
    if (nes_save(nes, state, NULL) != STATUS_OK)
        abort();
    nes_free(nes);
    free(own);
    return state;
}

/* ---- machines ---- */

enum watching { NOBODY, PROBES, STEPS, SAMPLER };

struct machine {
    struct nes *nes;
    struct watcher watcher;
    struct sampler *sampler;
};

static void begin(struct machine *m, const struct guest *g, struct nes_options options,
                  const uint8_t *data) {
    const enum watching how = data[USE] & WATCHED_BITS;
    const struct bytes *const state = beginning(g, data[BEGINNING] % BEGINNINGS);
    *m = (struct machine){.nes = guest_machine(g, options)};
    m->watcher.nes = m->nes;
    if (nes_load(m->nes, state->at, state->len, "beginning", NULL) != STATUS_OK)
        abort();
    if (how == SAMPLER)
        sampler_attach(&m->sampler, m->nes, (struct sampler_options){.interval_us = 400}, NULL);
    if (how != PROBES && how != STEPS)
        return;
    unsigned id;
    m->watcher.counters = nes_counters_add(m->nes, WATCHER_COUNTERS);
    nes_attach(m->nes,
               &(struct observer){.self = &m->watcher,
                                  .thread = on_thread,
                                  .instrument = how == PROBES ? instrument : NULL,
                                  .step = how == STEPS ? on_step : NULL},
               &id, NULL);
    nes_observe(m->nes, id, how == STEPS ? 300 : 0);
}

static uint64_t end(struct machine *m) {
    uint64_t hash = 0;
    struct stream stream;
    if (m->sampler && sampler_finish(m->sampler, &stream, NULL) == STATUS_OK) {
        hash = stream_hash(&stream);
        stream_free(&stream);
    }
    nes_free(m->nes);
    return hash;
}

static void move_state(const struct machine *from, struct machine *to) {
    struct bytes state = {0};
    if (nes_save(from->nes, &state, NULL) != STATUS_OK ||
        nes_load(to->nes, state.at, state.len, "state", NULL) != STATUS_OK)
        abort();
    bytes_free(&state);
}

/* ---- lockstep ---- */

static void differ(const char *what, unsigned stop) {
    fprintf(stderr, "stop %u: %s differ\n", stop, what);
    abort();
}

static void compare_states(const struct machine *a, const struct machine *b, unsigned stop) {
    if (nes_state_hash(a->nes) != nes_state_hash(b->nes))
        differ("states", stop);
}

static void compare(const struct machine *a, const struct machine *b, unsigned stop) {
    const struct cpu_registers r = nes_registers(a->nes), s = nes_registers(b->nes);
    if (memcmp(&r, &s, offsetof(struct cpu_registers, p) + 1) != 0) /* without the padding */
        differ("registers", stop);
    if (nes_instructions(a->nes) != nes_instructions(b->nes) ||
        nes_cycle(a->nes) != nes_cycle(b->nes))
        differ("counts", stop);
    if (a->watcher.hash != b->watcher.hash || !same_counters(a->nes, b->nes) ||
        nes_probes_fired(a->nes, 0) != nes_probes_fired(b->nes, 0))
        differ("observations", stop);
}

/* At its vertical blank, or some thousand cycles later. */
static void run(struct machine *m, unsigned stop, uint64_t cycles, uint8_t buttons) {
    nes_set_buttons(m->nes, 0, buttons);
    if (stop == 1)
        nes_run_frame(m->nes, NULL);
    else
        nes_run_to(m->nes, nes_cycle(m->nes) + cycles, NULL);
}

static bool jammed(const struct machine *m) {
    uint32_t pc;
    uint64_t frame;
    return nes_jammed(m->nes, &pc, &frame);
}

static void lockstep(struct machine *a, struct machine *b, const uint8_t *data) {
    static const uint16_t lengths[4][5] = {{4000, 0, 3000, 5000, 9000},
                                           {7000, 0, 1, 7, 12000},
                                           {5, 0, 100, 2273, 3001},
                                           {3333, 0, 13000, 9, 1500}};
    const uint16_t *const length = lengths[(data[USE] & STOPS_BITS) >> 4];
    const unsigned moves = (data[USE] & MOVES_BITS) >> 2;
    for (unsigned stop = 0; stop < 5 && !jammed(a); stop++) {
        run(a, stop, length[stop], (uint8_t)(data[BEGINNING] ^ stop * 37));
        run(b, stop, length[stop], (uint8_t)(data[BEGINNING] ^ stop * 37));
        compare(a, b, stop);
        if (moves == 1 || moves == 2)
            compare_states(a, b, stop);
        /* All observers are notified of a load. */
        if (moves == 1)
            move_state(b, b), move_state(a, a);
        else if (moves == 2)
            move_state(a, b), move_state(b, a);
    }
    compare(a, b, 5);
    compare_states(a, b, 5);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < PROGRAM || !dbt_engine())
        return 0;
    struct guest *const g = guest_from(data, size);
    const uint8_t bits = data[TRANSLATOR];
    const unsigned paths = (bits & PATHS_BITS) >> 6;
    const struct dbt_options translator = {
        .hot = 1 + (bits & HOT_BITS) * (bits & HOT_BITS),
        .cache_bytes = bits & SMALL_CACHE ? 4096 : 1 << 18,
        .no_chaining = bits & NO_CHAINING,
        .block_length = bits & SHORT_BLOCKS ? 2 : 0,
        .random_paths = paths == ADAPT ? 0 : paths,
        .random_adapt = paths == ADAPT ? paths : 0,
    };
    struct machine a, b;
    /* One of the two executes busy-waits that the other may skip. */
    begin(&a, g,
          (struct nes_options){.no_fast = data[USE] & CYCLE_BY_CYCLE, .no_skip = !(bits & NO_SKIP)},
          data);
    begin(&b, g,
          (struct nes_options){
              .engine = dbt_engine(), .engine_options = &translator, .no_skip = bits & NO_SKIP},
          data);
    lockstep(&a, &b, data);
    if (end(&a) != end(&b))
        differ("streams", 5);
    free(g);
    return 0;
}

/* ---- mutations: pieces of programs at places where they work ---- */

static void write_piece(struct writer *w, size_t most) {
    const struct taste t = random_taste(w);
    w->at = (uint16_t)(0xC000 + below(w, (uint32_t)(most < 0x3000 ? most + 1 : 0x3000)));
    w->leaf = chance(w, 50);
    for (unsigned i = 1 + below(w, 4); i-- > 0;)
        put_something(w, &t);
    if (chance(w, 20))
        put_word(w, JMP, 0xC000 + below(w, 64));
    else if (chance(w, 10))
        put(w, chance(w, 50) ? RTS : RTI);
}

/* A main loop and two handlers. */
static void write_program(struct writer *w, uint8_t *data) {
    const struct taste t = random_taste(w);
    for (unsigned i = 0; i < PROGRAM; i++)
        data[i] = (uint8_t)below(w, 256);
    w->at = 0xC000;
    for (unsigned i = below(w, 12); i-- > 0;)
        put_something(w, &t);
    put_word(w, JMP, 0xC000);
    for (unsigned v = NMI_VECTOR; v <= IRQ_VECTOR; v += 2) {
        data[v] = (uint8_t)w->at, data[v + 1] = w->at >> 8;
        put_handler(w, &t, 0);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    static uint8_t rom[WRITER_PIECE];
    struct guest g = {.cart = {.mapper = size ? mappers[data[CARTRIDGE] & MAPPER_BITS] : 4}};
    struct writer w = {.r = {.seed = seed}, .g = &g, .rom = rom};
    if (size < PROGRAM || most < PROGRAM || chance(&w, 40))
        return LLVMFuzzerMutate(data, size, most);
    const size_t length = size - PROGRAM < WRITER_PIECE ? size - PROGRAM : WRITER_PIECE;
    size_t after = length;
    memset(rom, RTS, sizeof rom);
    memcpy(rom, data + PROGRAM, length);
    if (chance(&w, 5)) {
        write_program(&w, data);
        after = w.at - 0xC000;
    } else {
        write_piece(&w, length);
        if (w.at - 0xC000u > after)
            after = w.at - 0xC000u;
    }
    if (after > most - PROGRAM)
        after = most - PROGRAM;
    memcpy(data + PROGRAM, rom, after);
    return PROGRAM + after;
}
