/* Guest programs from a seed: noise, and programs with a structure, for tests that run one program
 * in several ways. */
#ifndef HOTGRAPH_TESTS_PROGRAMS_H
#define HOTGRAPH_TESTS_PROGRAMS_H

#include "tests/support/idioms_flow.h"
#include "tests/support/idioms_io.h"

/* ---- random programs: whatever the processor may meet ---- */

/* Operands that reach registers now and then, memory mostly. */
static inline uint16_t random_operand(struct random *r) {
    static const uint16_t registers[] = {0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005,
                                         0x2006, 0x2007, 0x4014, 0x4015, 0x4016, 0x4017,
                                         0x4010, 0x4012, 0x4013, 0x4000, 0x4003, 0x3FFF};
    if (random_chance(r, 6))
        return registers[random_below(r, sizeof registers / sizeof *registers)];
    if (random_chance(r, 30))
        return (uint16_t)(0x8000 + random_below(r, 0x8000));
    return (uint16_t)random_below(r, random_chance(r, 90) ? 0x800 : 0x10000);
}

static inline void random_instruction(struct random *r, uint8_t *to, unsigned *size) {
    const struct opcode_info *info;
    do {
        to[0] = (uint8_t)random_below(r, 256);
        info = opcode_info(to[0]);
    } while (info->kind == INSN_JAM || (info->kind == INSN_BRK && random_chance(r, 90)) ||
             (info->kind == INSN_RTI && random_chance(r, 80)));
    uint16_t operand = info->size == 3 ? random_operand(r) : (uint16_t)random_below(r, 256);
    if (info->kind == INSN_JUMP || info->kind == INSN_CALL || info->kind == INSN_JUMP_INDIRECT)
        operand = (uint16_t)(0x8000 + random_below(r, 0x8000));
    if (info->kind == INSN_BRANCH)
        operand = (uint8_t)(random_below(r, 40) - 12);
    to[1] = (uint8_t)operand;
    to[2] = (uint8_t)(operand >> 8);
    *size = info->size;
}

static inline struct guest *random_program(uint64_t seed) {
    struct guest *g = guest_new();
    struct random r = {.seed = seed};
    for (unsigned at = 0, size; at + 3 < GUEST_PRG; at += size)
        random_instruction(&r, g->prg + at, &size);
    guest_vectors(g, (uint16_t)(0x8000 + random_below(&r, 0x7000)), 0x8000,
                  (uint16_t)(0x8000 + random_below(&r, 0x7000)));
    return g;
}

/* ---- programs with a structure: loops, subroutines, code in RAM that is patched, devices, bank
 * switches, busy-waits, interrupts; they go on for ever ---- */

static inline void put_pointer_access(struct writer *w) {
    const uint16_t to = chance(w, 60) ? data_address(w) : (uint16_t)below(w, 0x10000);
    const uint8_t zp = put_pointer(w, 0x400 | (to & 0x83ff)); /* RAM at $04xx-$07xx, or ROM */
    put2(w, chance(w, 50) ? 0xB1 : 0xD1, zp);                 /* LDA, CMP (zp),Y */
}

static inline void put_indexed_write(struct writer *w) {
    static const uint8_t opcodes[] = {0x9D, 0x99, 0xFE, 0xDE, 0x1E, 0x5E, 0x3E, 0x7E, 0xDF, 0xDB};
    put_word(w, opcodes[below(w, sizeof opcodes)], 0x400 + below(w, 0x2C0)); /* to $07BF */
}

static inline void put_stack_pair(struct writer *w) {
    if (chance(w, 50))
        PUT(w, PHP, PLP);
    else
        PUT(w, PHA, PLA);
}

static inline void put_irq_mask(struct writer *w) {
    put(w, chance(w, 70) ? CLI : SEI);
}

/* Where a piece may be used. */
enum { ANYWHERE, NOT_IN_LEAVES, IN_MAIN, WITH_BANKS };

static const struct idiom {
    void (*put)(struct writer *w);
    uint8_t weight, where;
} idioms[] = {
    {put_work, 60, ANYWHERE},
    {put_indexed_write, 6, ANYWHERE},
    {put_pointer_access, 4, ANYWHERE},
    {put_loop, 6, ANYWHERE},
    {put_branch, 10, ANYWHERE},
    {put_overlap, 2, ANYWHERE},
    {put_stack_pair, 4, ANYWHERE},
    {put_irq_mask, 2, ANYWHERE},
    {put_patch, 5, ANYWHERE},
    {put_patch_ahead, 8, ANYWHERE},
    {put_call_ram, 8, NOT_IN_LEAVES},
    {put_code_before_stack, 1, NOT_IN_LEAVES},
    {put_call_onto_itself, 1, NOT_IN_LEAVES},
    {put_brk, 2, NOT_IN_LEAVES},
    {put_jump_by_return, 3, ANYWHERE},
    {put_dropped_return, 3, ANYWHERE},
    {put_inline_data, 3, ANYWHERE},
    {put_stack_move, 2, ANYWHERE},
    {put_yield, 4, NOT_IN_LEAVES},
    {put_recursion, 3, IN_MAIN},
    {put_dispatch, 4, ANYWHERE},
    {put_call, 12, NOT_IN_LEAVES},
    {put_call_nowhere, 2, NOT_IN_LEAVES},
    {put_device, 12, ANYWHERE},
    {put_devices, 4, ANYWHERE},
    {put_device_loop, 3, ANYWHERE},
    {put_open_bus, 4, ANYWHERE},
    {put_dmc, 4, ANYWHERE},
    {put_oam_dma, 4, ANYWHERE},
    {put_frame_counter, 3, ANYWHERE},
    {put_pads, 3, ANYWHERE},
    {put_rendering, 3, ANYWHERE},
    {put_video_memory, 4, ANYWHERE},
    {put_nmi_toggle, 3, ANYWHERE},
    {put_status_loop, 1, NOT_IN_LEAVES},
    {put_sprite_poll, 2, NOT_IN_LEAVES},
    {put_wait, 1, NOT_IN_LEAVES},
    {put_masked_device, 4, ANYWHERE},
    {put_bank_switch, 10, WITH_BANKS},
    {put_video_clock, 3, WITH_BANKS},
    {put_ram_switch, 3, WITH_BANKS},
};
enum { IDIOMS = sizeof idioms / sizeof *idioms };

/* How often each piece is taken: every program has its own favourites. */
struct taste {
    unsigned weights[IDIOMS], sum;
};

static inline struct taste random_taste(struct writer *w) {
    struct taste t = {0};
    for (unsigned i = 0; i < IDIOMS; i++) {
        t.weights[i] = idioms[i].weight * ONE_OF(w, 0, 1, 1, 4);
        if (i == 0)
            t.weights[i] = idioms[i].weight;
        t.sum += t.weights[i];
    }
    return t;
}

static inline bool may_stand(const struct writer *w, unsigned where) {
    return where == ANYWHERE || (where == NOT_IN_LEAVES && !w->leaf) ||
           (where == IN_MAIN && w->in_main) || (where == WITH_BANKS && w->g->cart.mapper != 0);
}

static inline void put_something(struct writer *w, const struct taste *t) {
    for (;;) {
        unsigned dice = below(w, t->sum), i = 0;
        while (dice >= t->weights[i])
            dice -= t->weights[i++];
        if (!may_stand(w, idioms[i].where))
            continue;
        if (w->at < 0xF600) /* the rest is reserved for the required parts */
            idioms[i].put(w);
        return;
    }
}

/* ---- their parts ---- */

/* A routine that is copied to `to`: jumps within it stay in the copy. */
static inline void put_copied_routine(struct writer *w, const struct taste *t, uint16_t to,
                                      unsigned most) {
    const uint16_t start = w->at;
    w->leaf = true;
    w->away = (uint16_t)(to - start);
    put(w, NOP), put(w, NOP);
    while (w->at - start < (int)most - 120) /* the longest piece is shorter */
        put_something(w, t);
    put(w, RTS);
    w->leaf = false;
    w->away = 0;
}

/* Copies up to 256 bytes. */
static inline void put_copy_loop(struct writer *w, uint16_t from, uint16_t to, unsigned size) {
    put2(w, LDX_IMM, 0);
    const uint16_t top = w->at;
    put_word(w, LDA_ABX, from), put_word(w, STA_ABX, to), put(w, INX);
    put2(w, 0xE0, size); /* CPX */
    put2(w, BNE, top - (w->at + 2u));
}

static inline void put_code_in_ram(struct writer *w) {
    static const uint8_t code[17] = {0xE6, 0x10, 0xA6, 0x11, 0xC9, 0x12, 0x65, 0x13, 0xE6,
                                     0x14, 0x86, 0x15, 0x24, 0x16, 0xC6, 0x17, 0x60};
    put_at(w, RAM_CODE, code, sizeof code);
}

/* The subroutine that switches to the other stack, and the code that runs there. */
static inline uint16_t put_coroutine(struct writer *w, const struct taste *t) {
    w->yield = w->at;
    PUT(w, TSX, LDA_ZP, ZP_OTHER, STX_ZP, ZP_OTHER, TAX, TXS, RTS);
    const uint16_t start = w->at;
    for (unsigned i = 0; i < 4; i++)
        put_something(w, t);
    put_word(w, JSR, w->yield);
    put_word(w, JMP, start);
    return start;
}

static inline void put_coroutine_start(struct writer *w, uint16_t start) {
    put_store(w, (start - 1) >> 8, 0x017F);
    put_store(w, (start - 1) & 0xff, 0x017E);
    put_load(w, 0x7D), put2(w, STA_ZP, ZP_OTHER);
}

/* Acknowledges interrupts that would come again at once. */
static inline void put_acknowledge(struct writer *w) {
    if (chance(w, 30)) { /* or not: the thread continues with interrupts masked */
        PUT(w, PLA, ORA_IMM, 0x04, PHA);
        return;
    }
    put_word(w, LDA_ABS, 0x4015);
    put_store(w, chance(w, 50) ? 0x1F : 0x0F, 0x4015);
    if (w->g->cart.mapper == 4)
        put_word(w, STA_ABS, 0xE000), put_word(w, STA_ABS, 0xE001);
}

/* Returns to the main loop after some frames, wherever the program is. */
static inline void put_way_back(struct writer *w, uint16_t main_loop) {
    PUT(w, INC_ZP, ZP_LATE, LDA_ZP, ZP_LATE, CMP_IMM, 4, BCC, 3);
    put_word(w, JMP, main_loop);
}

static inline uint16_t put_handler(struct writer *w, const struct taste *t, uint16_t main_loop) {
    const uint16_t start = w->at;
    const bool keeps_all = chance(w, 60);
    w->leaf = true;
    put(w, PHA);
    if (keeps_all)
        PUT(w, 0x8A, PHA, 0x98, PHA); /* TXA, PHA, TYA, PHA */
    put2(w, INC_ZP, ZP_NMIS);
    if (main_loop)
        put_way_back(w, main_loop);
    for (unsigned i = below(w, 8); i-- > 0;)
        put_something(w, t);
    if (keeps_all)
        PUT(w, PLA, 0xA8, PLA, TAX); /* TAY */
    put(w, PLA);
    put_acknowledge(w);
    put(w, RTI);
    w->leaf = false;
    return start;
}

static inline uint16_t put_main(struct writer *w, const struct taste *t, uint16_t coroutine) {
    const uint16_t start = w->at;
    w->in_main = true;
    PUT(w, LDX_IMM, 0xFF, TXS);
    put_load(w, 0), put2(w, STA_ZP, ZP_LATE), put2(w, STA_ZP, ZP_TOGGLING);
    put_coroutine_start(w, coroutine);
    if (chance(w, 60))
        put_store(w, 0x80 | below(w, 128), 0x2000);
    if (chance(w, 60))
        put_store(w, 0x18, 0x2001);
    if (chance(w, 50))
        put_dmc(w);
    if (chance(w, 50))
        put_frame_counter(w);
    if (chance(w, 60))
        put(w, CLI);
    for (unsigned i = 0; i < 40; i++)
        put_something(w, t);
    put_word(w, JMP, start);
    w->in_main = false;
    return start;
}

/* ---- their banks ---- */

/* Fills the rest: mostly returns, in case the program goes there. */
static inline void fill(struct writer *w) {
    for (unsigned i = 0; i < w->g->cart.prg_size; i++)
        w->g->prg[i] = (uint8_t)(chance(w, 70) ? RTS : below(w, 256));
}

/* The other pieces of 16 KiB hold the same program, so that a bank switch leads to sensible code;
 * sometimes with different instructions here and there, so that a switch has an effect. */
static inline void fill_other_banks(struct writer *w) {
    const bool alike = chance(w, 40);
    for (uint8_t *bank = w->g->prg; bank < w->rom; bank += WRITER_PIECE) {
        memcpy(bank, w->rom, WRITER_PIECE);
        for (unsigned i = 0; !alike && i < w->swap_count; i++) {
            uint8_t bytes[3];
            if (!chance(w, 25))
                continue;
            while (random_work(w, bytes) != w->swaps[i].size)
                ;
            memcpy(bank + w->swaps[i].at - 0xC000, bytes, w->swaps[i].size);
        }
    }
}

static inline void random_patterns(struct writer *w) {
    w->g->cart.chr_is_ram = false;
    for (unsigned i = 0; i < sizeof w->g->chr; i++)
        w->g->chr[i] = (uint8_t)below(w, 256);
}

static inline struct writer new_writer(uint64_t seed, unsigned mapper) {
    struct guest *const g = guest_new();
    struct writer w = {.r = {.seed = seed}, .g = g, .at = 0xC000};
    g->cart.mapper = mapper;
    g->cart.prg_size = mapper ? GUEST_PRG_MOST : GUEST_PRG;
    w.rom = g->prg + g->cart.prg_size - WRITER_PIECE;
    fill(&w);
    if (random_chance(&w.r, 50))
        random_patterns(&w);
    return w;
}

static inline void write_vectors(struct writer *w, uint16_t nmi, uint16_t reset, uint16_t irq) {
    const uint16_t to[3] = {nmi, reset, irq};
    for (unsigned i = 0; i < 6; i++)
        poke(w, (uint16_t)(0xFFFA + i), to[i / 2] >> 8 * (i % 2));
}

/* The caller frees it. */
static inline struct guest *structured_program(uint64_t seed, unsigned mapper) {
    struct writer w = new_writer(seed, mapper);
    const struct taste t = random_taste(&w);
    const uint16_t in_ram = w.at;
    put_copied_routine(&w, &t, RAM_COPY, 176);
    const uint16_t in_wram = w.at;
    put_copied_routine(&w, &t, WRAM_COPY, 240);
    const unsigned wram_size = w.at - in_wram;
    for (unsigned i = 0; i < 12; i++) {
        w.routines[w.routine_count] = w.at;
        for (unsigned k = 2 + below(&w, 8); k-- > 0;)
            put_something(&w, &t);
        put(&w, RTS);
        w.routine_count++;
    }
    const uint16_t coroutine = put_coroutine(&w, &t);
    const uint16_t main_loop = put_main(&w, &t, coroutine);
    const uint16_t nmi = put_handler(&w, &t, main_loop);
    const uint16_t irq = put_handler(&w, &t, 0);
    const uint16_t reset = w.at;
    put_code_in_ram(&w);
    put_copy_loop(&w, in_ram, RAM_COPY, in_wram - in_ram);
    put_copy_loop(&w, in_wram, WRAM_COPY, wram_size);
    PUT(&w, BIT_ABS, 0x02, 0x20, BPL, 0xFB, BIT_ABS, 0x02, 0x20, BPL, 0xFB);
    put_word(&w, JMP, main_loop);
    write_vectors(&w, nmi, reset, irq);
    fill_other_banks(&w);
    return w.g;
}

#endif
