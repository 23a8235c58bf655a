/*
 * Guest programs from a seed that wait: loops that read devices, work on memory and the stack,
 * unmask the IRQ for a few instructions (CLI, PLP, RTI), take 1 to 256 passes to come back to the
 * same state, run from ROM, RAM and the cartridge's RAM, in banks that are switched; interrupted by
 * NMIs and by IRQs of the frame counter, samples and an MMC3, whose handlers acknowledge them or
 * not. The programs go on for ever.
 */
#ifndef HOTGRAPH_TESTS_WAITS_H
#define HOTGRAPH_TESTS_WAITS_H

#include "tests/support/program_writer.h"

enum {
    WAITS_FLAGS = 0x10,   /* four bytes that handlers change and loops read */
    WAITS_COUNTS = 0x18,  /* four bytes that loops count in */
    WAITS_SINK = 0x1C,    /* what was read from devices */
    WAITS_NMIS = 0x20,    /* how many came */
    WAITS_IRQS = 0x21,    /* the same */
    WAITS_TURN = 0x23,    /* the next loop */
    WAITS_BANK = 0x22,    /* bit 0: the bank that is mapped */
    WAITS_RAM = 0x0300,   /* address of a loop that was copied, */
    WAITS_WRAM = 0x6000,  /* or here */
    WAITS_LONGEST = 0xF0, /* bytes of it */
};

/* The kind of a program: waits that are found statically (wait.h), loops of any shape that access
 * memory, registers and pads (spin.h), or both. */
enum waits_kind { WAITS_STILL, WAITS_SPIN, WAITS_ANY, WAITS_KINDS };
struct waits_taste {
    enum waits_kind kind;
    unsigned unmasks, devices, counts, stack, memory, banks; /* percent of pieces */
    bool frame_irq, sample_irq, samples, board_irq, nmi, renders;
};

static inline struct waits_taste waits_taste(struct writer *w) {
    struct waits_taste t = {
        .kind =
            (enum waits_kind)ONE_OF(w, WAITS_STILL, WAITS_STILL, WAITS_SPIN, WAITS_SPIN, WAITS_ANY),
        .unmasks = ONE_OF(w, 0, 15, 30, 45),
        .banks = w->g->cart.mapper != 0 ? ONE_OF(w, 0, 10, 20) : 0,
        .frame_irq = chance(w, 50),
        .samples = chance(w, 45),
        .sample_irq = chance(w, 50),
        .board_irq = w->g->cart.mapper == 4 && chance(w, 70),
        .nmi = chance(w, 70),
        .renders = chance(w, 40),
    };
    if (t.kind == WAITS_STILL)
        return t;
    t.counts = ONE_OF(w, 0, 0, 15, 30);
    t.stack = ONE_OF(w, 0, 10, 20);
    t.memory = ONE_OF(w, 0, 10, 25);
    t.devices = t.kind == WAITS_ANY ? ONE_OF(w, 5, 10, 30) : 0;
    return t;
}

static inline unsigned waits_flag(struct writer *w) {
    return WAITS_FLAGS + below(w, 4);
}

/* ---- pieces of a loop ---- */

/* Lets an IRQ in, for one instruction or more, or keeps it out. */
static inline void put_mask(struct writer *w) {
    switch (below(w, 5)) {
    case 0:
    case 1:
        PUT(w, CLI, SEI);
        break;
    case 2:
        PUT(w, CLI, NOP, SEI);
        break;
    default:
        put(w, chance(w, 50) ? CLI : SEI);
        break;
    }
}

/* Any of these. */
static inline void put_unmasking(struct writer *w) {
    switch (below(w, 8)) {
    default:
        put_mask(w);
        break;
    case 4: /* PLP that clears I, with other flags */
        put_load(w, below(w, 256) & ~4u);
        PUT(w, PHA, PLP);
        break;
    case 5: /* PLP that sets I, with or without a CLI before it */
        if (chance(w, 50))
            put(w, CLI);
        put_load(w, below(w, 256) | 4u);
        PUT(w, PHA, PLP);
        break;
    case 6: /* restored, but changed meanwhile */
        PUT(w, PHP, CLI);
        if (chance(w, 30))
            put(w, NOP);
        put(w, PLP);
        break;
    case 7: { /* RTI to what follows */
        put_load(w, 0);
        const uint16_t high = (uint16_t)(w->at - 1);
        put(w, PHA);
        put_load(w, 0);
        const uint16_t low = (uint16_t)(w->at - 1);
        put(w, PHA);
        put_load(w, chance(w, 50) ? 0x30 : 0x34);
        PUT(w, PHA, RTI);
        poke(w, high, here(w) >> 8);
        poke(w, low, here(w) & 0xff);
        break;
    }
    }
}

/* The board's IRQ is switched on or off, acknowledged, or its counter is restarted. */
static inline void put_board_irq(struct writer *w) {
    if (w->g->cart.mapper != 4) {
        put_word(w, LDA_ABS, 0x4015);
        return;
    }
    put_word(w, STA_ABS, ONE_OF(w, 0xE000, 0xE001, 0xE001, 0xC001));
}

static inline void put_wait_device(struct writer *w) {
    switch (below(w, 14)) {
    case 0:
    case 1:
    case 2:
        put_word(w, ONE_OF(w, BIT_ABS, LDA_ABS, LDX_ABS), 0x2002);
        break;
    case 3:
    case 4:
        put_word(w, ONE_OF(w, BIT_ABS, LDA_ABS), 0x4015);
        put2(w, STA_ZP, WAITS_SINK);
        break;
    case 5:
        put_word(w, LDA_ABS, 0x4016 + below(w, 2));
        put2(w, STA_ZP, WAITS_SINK + 1);
        break;
    case 6:
        put_store(w, below(w, 2), 0x4016);
        break;
    case 7:
    case 8:
        put_board_irq(w);
        break;
    case 9:
        put_store(w, ONE_OF(w, 0, 0x40, 0x80, 0xC0), 0x4017);
        break;
    case 10: /* a sample begins, or an IRQ of it is acknowledged */
        put_store(w, ONE_OF(w, 0x10, 0x10, 0x1F, 0x00), 0x4015);
        break;
    case 11: /* NMIs come and go */
        put_store(w, ONE_OF(w, 0x80, 0x00, 0x88), 0x2000);
        break;
    case 12:
        put_word(w, LDA_ABS, ONE_OF(w, 0x4030, 0x5123, 0x2007, 0x2004, 0x2000));
        put2(w, STA_ZP, WAITS_SINK + 2);
        break;
    default:
        put_store(w, chance(w, 50) ? 0x1E : 0x00, 0x2001);
        break;
    }
}

/* Returns to the same state after 2 to 256 passes, or never within a frame. */
static inline void put_count(struct writer *w) {
    const unsigned zp = WAITS_COUNTS + below(w, 4);
    switch (below(w, 9)) {
    case 0:
        put2(w, chance(w, 50) ? INC_ZP : DEC_ZP, zp);
        break;
    case 1: /* modulo 2, 4, ... 128 */
        put2(w, INC_ZP, zp);
        put2(w, LDA_ZP, zp);
        put2(w, AND_IMM, (2u << below(w, 7)) - 1);
        put2(w, STA_ZP, zp);
        break;
    case 2: { /* modulo anything */
        put2(w, INC_ZP, zp), put2(w, LDA_ZP, zp);
        put2(w, CMP_IMM, 2 + below(w, 250));
        put2(w, BCC, 4);
        put_load(w, 0), put2(w, STA_ZP, zp);
        break;
    }
    case 3: /* ROL A, in memory: nine passes, with the carry */
        put2(w, ONE_OF(w, 0x26, 0x66), zp);
        break;
    case 4:
        put(w, ONE_OF(w, INX, DEX, 0xC8, 0x88)); /* INY, DEY */
        break;
    case 5:
        put2(w, LDA_ZP, zp), put2(w, 0x49, 1 + below(w, 255)), put2(w, STA_ZP, zp); /* EOR */
        break;
    case 6: /* 16 bits */
        put2(w, INC_ZP, WAITS_COUNTS), put2(w, BNE, 2), put2(w, INC_ZP, WAITS_COUNTS + 1);
        break;
    case 7: /* the carry, by turns: over CLC and over SEC */
        PUT(w, BCC, 3, CLC, BCC, 1, 0x38);
        break;
    default: /* a delay */
        put2(w, LDX_IMM, 1 + below(w, 20));
        PUT(w, DEX, BNE, 0xFD);
        break;
    }
}

static inline void put_call(struct writer *w) {
    if (w->routine_count > 0)
        put_word(w, JSR, w->routines[below(w, w->routine_count)]);
}

static inline void put_stack_use(struct writer *w) {
    switch (below(w, 5)) {
    case 0:
        PUT(w, PHA, PLA);
        break;
    case 1:
        PUT(w, PHP, PLA);
        put2(w, STA_ZP, WAITS_SINK);
        break;
    case 2: /* unbalanced: the stack pointer returns after 256 passes */
        put(w, chance(w, 30) ? PHA : NOP);
        break;
    case 3:
        put(w, TSX);
        put_word(w, LDA_ABX, 0x0100);
        break;
    default:
        put_call(w);
        break;
    }
}

static inline void put_memory_use(struct writer *w) {
    switch (below(w, 6)) {
    case 0:
        put2(w, STA_ZP, WAITS_SINK + below(w, 4));
        break;
    case 1:
        put_word(w, STA_ABS, 0x0400 + below(w, 4));
        break;
    case 2:
        put_word(w, ONE_OF(w, STA_ABS, 0xEE, 0xCE, LDA_ABS), 0x7F00 + below(w, 4));
        break;
    case 3:
        PUT(w, INC_ZP, WAITS_COUNTS + 3, DEC_ZP, WAITS_COUNTS + 3);
        break;
    case 4: /* code that changes itself and back: the operand of a CMP */
        if (w->away) {
            put_load(w, below(w, 4));
            put_word(w, STA_ABS, here(w) + 4u);
            put2(w, CMP_IMM, 0);
        }
        break;
    default:
        put_word(w, LDA_ABX, 0x0400);
        break;
    }
}

static inline void put_bank_call(struct writer *w) {
    put_word(w, JSR, 0x8000 + 0x10 * below(w, 4));
}

/* Another bank at $8000, or back. Changes A. */
static inline void put_bank_change(struct writer *w) {
    const bool by_turns = chance(w, 60);
    if (w->g->cart.mapper == 4)
        put_store(w, 6, 0x8000);
    if (by_turns)
        PUT(w, INC_ZP, WAITS_BANK, LDA_ZP, WAITS_BANK, AND_IMM, 1);
    else
        put_load(w, below(w, 2));
    if (w->g->cart.mapper != 0)
        put_word(w, STA_ABS, w->g->cart.mapper == 4 ? 0x8001 : 0x8000);
}

static inline void put_bank_use(struct writer *w) {
    (chance(w, 50) ? put_bank_call : put_bank_change)(w);
}

/* As most waits have it. */
static inline void put_wait_read(struct writer *w) {
    switch (below(w, 12)) {
    case 0:
        put2(w, LDX_IMM, below(w, 2));
        break;
    case 1:
        put2(w, LDX_ZP, waits_flag(w));
        break;
    case 2:
        put2(w, CMP_ZP, waits_flag(w));
        break;
    case 3:
        put(w, ONE_OF(w, NOP, NOP, CLC, TAX, TSX));
        break;
    case 4:
        put_word(w, BIT_ABS, 0x2002);
        break;
    case 5:
        put_word(w, LDA_ABS, 0x800 + waits_flag(w)); /* a mirror of it */
        break;
    case 6: /* skips an instruction, or not */
        put2(w, ONE_OF(w, BEQ, BNE, BCC, BPL), 2);
        put2(w, LDA_ZP, waits_flag(w));
        break;
    default:
        put2(w, LDA_ZP, waits_flag(w));
        break;
    }
}

static inline void put_wait_piece(struct writer *w, const struct waits_taste *t) {
    const bool still = t->kind == WAITS_STILL;
    unsigned dice = below(w, 100);
    const struct {
        unsigned percent;
        void (*put)(struct writer *w);
    } pieces[] = {{t->unmasks, still ? put_mask : put_unmasking},
                  {t->devices, put_wait_device},
                  {t->counts, put_count},
                  {t->stack, put_stack_use},
                  {t->memory, put_memory_use},
                  {t->banks, t->kind == WAITS_ANY ? put_bank_use : put_bank_call},
                  {still ? 10 : 0, put_call}};
    for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        if (dice < pieces[i].percent) {
            pieces[i].put(w);
            return;
        }
        dice -= pieces[i].percent;
    }
    put_wait_read(w);
}

/* ---- loops ---- */

/* Reads a device; Z, or another flag, decides whether the loop continues. Returns the branch's
 * opcode. */
static inline unsigned put_poll(struct writer *w, const struct waits_taste *t) {
    const bool reads_apu = t->kind != WAITS_STILL && chance(w, 25);
    switch (reads_apu ? 3 : below(w, t->kind == WAITS_STILL ? 2 : 3)) {
    case 0: /* vertical blank, or sprite 0 */
        put_word(w, BIT_ABS, 0x2002);
        return ONE_OF(w, BPL, BPL, BVC);
    case 1:
        put_word(w, LDA_ABS, 0x2002);
        if (t->kind != WAITS_STILL)
            put2(w, STA_ZP, WAITS_SINK);
        put2(w, AND_IMM, ONE_OF(w, 0x80, 0xC0));
        return BEQ;
    case 2:
        put_word(w, LDA_ABS, 0x4016);
        put2(w, AND_IMM, 1);
        return BEQ;
    default: /* an IRQ, or the end of a sample */
        put_word(w, LDA_ABS, 0x4015);
        put2(w, AND_IMM, ONE_OF(w, 0x40, 0x80, 0x10, 0xD0));
        return ONE_OF(w, BEQ, BEQ, BNE);
    }
}

/* Branches back to `target` until something outside changes; some loops never end. */
static inline void put_wait_end(struct writer *w, const struct waits_taste *t, uint16_t target) {
    unsigned branch = ONE_OF(w, BEQ, BEQ, BNE, BPL);
    switch (chance(w, t->nmi ? 20 : 60) ? 5 : below(w, 5)) {
    case 0:
        put_word(w, JMP, target);
        return;
    case 1: /* until a flag has some value */
        PUT(w, LDA_ZP, (uint8_t)waits_flag(w), AND_IMM, (uint8_t)(1u << below(w, 3)), BNE, 3);
        put_word(w, JMP, target);
        return;
    case 2: /* otherwise */
        branch = ONE_OF(w, BCC, BVC, BEQ, BNE);
        break;
    case 3:
        put2(w, LDA_ZP, waits_flag(w));
        break;
    case 4: /* the next frame */
        PUT(w, LDA_ZP, WAITS_NMIS, CMP_ZP, WAITS_SINK + 3);
        branch = BEQ;
        break;
    default:
        branch = put_poll(w, t);
        break;
    }
    put2(w, branch, target - (here(w) + 2u));
}

/* Continues after itself once a handler has changed the awaited value. */
static inline void put_wait_loop(struct writer *w, const struct waits_taste *t) {
    enum { EXITS = 3 };
    uint16_t exits[EXITS];
    unsigned exit_count = 0;
    PUT(w, LDA_ZP, WAITS_NMIS, STA_ZP, WAITS_SINK + 3);
    const uint16_t target = here(w);
    for (unsigned i = below(w, chance(w, 70) ? 4 : 9) + (t->kind != WAITS_STILL); i-- > 0;) {
        put_wait_piece(w, t);
        if (exit_count < EXITS && chance(w, 7)) {
            put2(w, ONE_OF(w, BNE, BMI, BVS, BCS), 0);
            exits[exit_count++] = w->at;
        }
    }
    w->yield = here(w);
    put_wait_end(w, t, target);
    for (unsigned i = 0; i < exit_count; i++)
        poke(w, (uint16_t)(exits[i] - 1), w->at - exits[i]);
    put2(w, INC_ZP, WAITS_SINK + 2);
}

/* The loop is copied to RAM, and called there. */
static inline void put_wait_in_ram(struct writer *w, const struct waits_taste *t) {
    const uint16_t to = chance(w, 60) ? WAITS_RAM : WAITS_WRAM;
    const uint16_t over = put_jump(w, JMP), from = w->at;
    w->away = (uint16_t)(to - from);
    put_wait_loop(w, t);
    put(w, RTS);
    w->away = 0;
    const unsigned size = w->at - from;
    if (size > WAITS_LONGEST)
        abort();
    jump_here(w, over);
    put2(w, LDX_IMM, 0);
    const uint16_t top = w->at;
    put_word(w, LDA_ABX, from), put_word(w, STA_ABX, to), put(w, INX);
    put2(w, 0xE0, size); /* CPX */
    put2(w, BNE, top - (w->at + 2u));
    put_word(w, JSR, to);
}

/* All of them in rotation: each time, the next one comes first. */
static inline void put_loops(struct writer *w, const struct waits_taste *t) {
    enum { LOOPS = 3 };
    const uint16_t again = w->at;
    PUT(w, INC_ZP, WAITS_TURN, LDA_ZP, WAITS_TURN, AND_IMM, 3);
    for (unsigned i = 0; i < LOOPS; i++) {
        put2(w, CMP_IMM, i);
        put2(w, BNE, 3);
        const uint16_t over = put_jump(w, JMP);
        const uint16_t past = put_jump(w, JMP);
        jump_here(w, over);
        (chance(w, 75) ? put_wait_loop : put_wait_in_ram)(w, t);
        jump_here(w, past);
    }
    put_word(w, JMP, again);
}

/* ---- what surrounds them ---- */

static inline void put_beginning(struct writer *w, const struct waits_taste *t) {
    PUT(w, LDX_IMM, 0xFF, TXS);
    put_store(w, t->frame_irq ? ONE_OF(w, 0, 0, 0x80) : 0x40, 0x4017);
    if (t->samples) {
        const unsigned irq = t->sample_irq ? 0x80 : 0x40;
        put_store(w, irq | below(w, 16), 0x4010);
        put_store(w, below(w, 256), 0x4012);
        put_store(w, below(w, 4), 0x4013);
        put_store(w, 0x10, 0x4015);
    }
    if (t->board_irq) {
        put_store(w, 1 + below(w, 200), 0xC000);
        put_word(w, STA_ABS, 0xC001), put_word(w, STA_ABS, 0xE001);
    }
    if (t->renders)
        put_store(w, 0x1E, 0x2001);
    if (t->nmi)
        put_store(w, t->renders ? 0x88 : 0x80, 0x2000);
}

static inline void put_change(struct writer *w) {
    const unsigned flag = waits_flag(w);
    switch (below(w, 4)) {
    case 0:
        put2(w, INC_ZP, flag);
        break;
    case 1:
        put_load(w, below(w, 256)), put2(w, STA_ZP, flag);
        break;
    case 2:
        put2(w, DEC_ZP, flag);
        break;
    default:
        put2(w, LDA_ZP, flag), put2(w, 0x49, 0x80 | below(w, 8)), put2(w, STA_ZP, flag); /* EOR */
        break;
    }
}

/* IRQs of all sources or of one; some are never acknowledged. */
static inline void put_acknowledgement(struct writer *w, const struct waits_taste *t) {
    if (chance(w, 85))
        put_word(w, LDA_ABS, 0x4015);
    if (t->samples && chance(w, 85))
        put_store(w, 0x10, 0x4015);
    if (t->board_irq && chance(w, 85))
        put_word(w, STA_ABS, 0xE000), put_word(w, STA_ABS, 0xE001);
}

static inline uint16_t put_nmi_handler(struct writer *w, const struct waits_taste *t,
                                       uint16_t main) {
    const uint16_t at = w->at;
    PUT(w, PHA, INC_ZP, WAITS_NMIS);
    if (chance(w, 70)) { /* each, each second or each fourth one restarts the program */
        PUT(w, LDA_ZP, WAITS_NMIS, AND_IMM, (uint8_t)ONE_OF(w, 0, 1, 3), BNE, 6, LDX_IMM, 0xFF,
            TXS);
        put_word(w, JMP, main);
    }
    for (unsigned i = below(w, 3); i-- > 0;)
        put_change(w);
    if (chance(w, 20))
        put_wait_device(w);
    if (t->banks > 0 && chance(w, 50))
        put_bank_change(w);
    if (chance(w, 15))
        put_acknowledgement(w, t);
    PUT(w, PLA, RTI);
    return at;
}

/* Decides whether the interrupted code continues with or without IRQs. */
static inline void put_stacked_mask(struct writer *w) {
    const bool masks = chance(w, 50);
    PUT(w, 0x8A, PHA, TSX, LDA_ABX, 0x03, 0x01); /* TXA */
    put2(w, masks ? ORA_IMM : AND_IMM, masks ? 0x04 : 0xFB);
    PUT(w, STA_ABX, 0x03, 0x01, PLA, TAX);
}

static inline uint16_t put_irq_handler(struct writer *w, const struct waits_taste *t) {
    const uint16_t at = w->at;
    if (chance(w, 8)) { /* again and again */
        put(w, RTI);
        return at;
    }
    PUT(w, PHA, INC_ZP, WAITS_IRQS);
    put_acknowledgement(w, t);
    for (unsigned i = below(w, 3); i-- > 0;)
        put_change(w);
    if (chance(w, 30))
        put_stacked_mask(w);
    if (t->banks > 0 && chance(w, 20))
        put_bank_change(w);
    if (chance(w, 10))
        put(w, CLI);
    put(w, PLA);
    if (w->yield >= 0xC000 && chance(w, 10)) { /* into the middle of a loop, which was changed */
        PUT(w, PLA, PLA, PLA);
        put_word(w, JMP, w->yield);
    } else {
        put(w, RTI);
    }
    return at;
}

/* Different routines at the same addresses of each bank at $8000. */
static inline void waits_fill_banks(struct writer *w) {
    const unsigned size = w->g->cart.mapper == 4 ? 0x2000 : 0x4000;
    for (unsigned bank = 0; bank < 2; bank++)
        for (unsigned i = 0; i < 4; i++) {
            uint8_t *const to = w->g->prg + bank * size + i * 0x10;
            const uint8_t code[] = {NOP, LDA_ZP, (uint8_t)waits_flag(w), CLC, RTS};
            const uint8_t masks[] = {CLI, LDX_IMM, (uint8_t)below(w, 2), SEI, RTS};
            memcpy(to, chance(w, 75) ? code : masks, sizeof code);
            if (chance(w, 30)) /* shorter */
                memmove(to, to + 1, sizeof code - 1);
        }
}

/* Free it. */
static inline struct guest *waits_program(uint64_t seed) {
    struct guest *const g = guest_new();
    struct writer w = {.r.seed = seed, .g = g, .at = 0xC000};
    g->cart.mapper = ONE_OF(&w, 0, 4, 4, 2);
    g->cart.prg_size = g->cart.mapper != 0 ? GUEST_PRG_MOST : GUEST_PRG;
    g->cart.chr_is_ram = chance(&w, 50);
    memset(g->chr, chance(&w, 50) ? 0xFF : 0x5A, sizeof g->chr);
    w.rom = g->prg + g->cart.prg_size - WRITER_PIECE;
    memset(w.rom, RTS, WRITER_PIECE - 6);
    waits_fill_banks(&w);
    const struct waits_taste t = waits_taste(&w);
    for (unsigned i = 0; i < 3; i++) {
        w.routines[i] = w.at;
        put_wait_piece(&w, &t);
        put(&w, RTS);
        w.routine_count = i + 1;
    }
    const uint16_t reset = w.at;
    put_beginning(&w, &t);
    if (chance(&w, 50))
        put(&w, CLI);
    const uint16_t main = w.at;
    put_loops(&w, &t);
    const uint16_t nmi = put_nmi_handler(&w, &t, main), irq = put_irq_handler(&w, &t);
    for (unsigned i = 0; i < 6; i++)
        poke(&w, (uint16_t)(0xFFFA + i), (const uint16_t[]){nmi, reset, irq}[i / 2] >> i % 2 * 8);
    return g;
}

#endif
