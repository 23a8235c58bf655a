/* Guest programs from a seed: noise, and programs with a structure, for tests that run one program
 * in several ways. */
#ifndef HOTGRAPH_TESTS_PROGRAMS_H
#define HOTGRAPH_TESTS_PROGRAMS_H

#include "guest.h"
#include "random.h"

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
    for (unsigned at = 0, size; at + 3 < sizeof g->prg; at += size)
        random_instruction(&r, g->prg + at, &size);
    guest_vectors(g, (uint16_t)(0x8000 + random_below(&r, 0x7000)), 0x8000,
                  (uint16_t)(0x8000 + random_below(&r, 0x7000)));
    return g;
}

/* ---- programs with a structure: loops, subroutines, code in RAM that is patched, devices, bank
 * switches, busy-waits, interrupts; they go on for ever ---- */

struct writer {
    struct random r;
    struct guest *g;
    uint16_t at;
    uint16_t routines[16]; /* JSR goes to those written before */
    unsigned routine_count;
    bool banked, in_handler;
};

static inline void put(struct writer *w, unsigned byte) {
    w->g->prg[w->at - 0x8000] = (uint8_t)byte;
    w->at++;
}
static inline void put_word(struct writer *w, unsigned opcode, unsigned word) {
    put(w, opcode);
    put(w, word & 0xff);
    put(w, word >> 8);
}
/* A RAM address that holds data: not the stack, nor the code at $0300-$033F. */
static inline uint16_t data_address(struct writer *w) {
    return (uint16_t)(random_chance(&w->r, 50) ? random_below(&w->r, 0x100)
                                               : 0x400 + random_below(&w->r, 0x3C0));
}

/* Any instruction that works on registers, RAM or ROM and goes nowhere. */
static inline void put_work(struct writer *w) {
    uint8_t bytes[3];
    const struct opcode_info *op;
    do {
        bytes[0] = (uint8_t)random_below(&w->r, 256);
        op = opcode_info(bytes[0]);
    } while (op->kind != INSN_PLAIN || op->uses_stack || bytes[0] == 0x9A /* TXS */ ||
             bytes[0] == 0x9B /* TAS */ || bytes[0] == 0xBB /* LAS */ || bytes[0] == 0x58 ||
             (op->writes_memory && (op->mode == MODE_IZX || op->mode == MODE_IZY ||
                                    op->mode == MODE_ABX || op->mode == MODE_ABY)));
    put(w, bytes[0]);
    uint16_t at = data_address(w);
    if (!op->writes_memory && random_chance(&w->r, 40))
        at = (uint16_t)(0x8000 + random_below(&w->r, 0x8000));
    if (op->size > 1)
        put(w, op->size == 2 ? random_below(&w->r, 256) : at & 0xff);
    if (op->size > 2)
        put(w, at >> 8);
}

static inline void put_indexed_write(struct writer *w) {
    static const uint8_t opcodes[] = {0x9D, 0x99, 0xFE, 0xDE, 0x1E, 0x5E, 0x3E, 0x7E, 0xDF, 0xDB};
    put_word(w, opcodes[random_below(&w->r, sizeof opcodes)],
             0x400 + random_below(&w->r, 0x2C0)); /* $0400-$07BF with the index */
}

static inline void put_pointer_access(struct writer *w) {
    const unsigned zp = random_below(&w->r, 0xF0);
    const uint16_t to =
        random_chance(&w->r, 60) ? data_address(w) : (uint16_t)random_below(&w->r, 0x10000);
    put(w, 0xA9), put(w, to & 0xff);               /* LDA #lo */
    put(w, 0x85), put(w, zp);                      /* STA zp */
    put(w, 0xA9), put(w, 0x04 | (to >> 8 & 0x83)); /* LDA #hi: RAM at $04xx-$07xx, or ROM */
    put(w, 0x85), put(w, zp + 1);
    put(w, random_chance(&w->r, 50) ? 0xB1 : 0xD1), put(w, zp); /* LDA, CMP (zp),Y */
}

static inline void put_loop(struct writer *w) {
    const bool by_y = random_chance(&w->r, 50);
    put(w, by_y ? 0xA0 : 0xA2), put(w, 1 + random_below(&w->r, 40));
    const uint16_t top = w->at;
    static const uint8_t body[] = {0x0A, 0x4A, 0x2A, 0x6A, 0x18, 0x38,
                                   0xEA, 0x49, 0x69, 0xE9, 0x29};
    for (unsigned i = random_below(&w->r, 5); i-- > 0;) {
        const uint8_t opcode = body[random_below(&w->r, sizeof body)];
        put(w, opcode);
        if (opcode_info(opcode)->size == 2)
            put(w, random_below(&w->r, 256));
    }
    put(w, by_y ? 0x88 : 0xCA);                         /* DEY, DEX */
    put(w, 0xD0), put(w, (uint8_t)(top - (w->at + 1))); /* BNE top */
}

static inline void put_branch(struct writer *w) {
    put(w, 0x10 | random_below(&w->r, 8) << 5); /* over one instruction of two bytes */
    put(w, 2);
    put(w, 0xE6), put(w, random_below(&w->r, 256)); /* INC zp */
}

static inline void put_device(struct writer *w) {
    static const uint16_t reads[] = {0x2002, 0x2007, 0x2004, 0x4015, 0x4016, 0x4017, 0x3002};
    static const uint16_t writes[] = {0x2000, 0x2001, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007,
                                      0x4014, 0x4015, 0x4016, 0x4017, 0x4010, 0x4003, 0x4000};
    if (random_chance(&w->r, 50)) {
        put_word(w, random_chance(&w->r, 60) ? 0xAD : 0x2C,
                 reads[random_below(&w->r, sizeof reads / sizeof *reads)]);
        return;
    }
    const uint16_t to = writes[random_below(&w->r, sizeof writes / sizeof *writes)];
    put(w, 0xA9);
    put(w, to == 0x2000 ? 0x80 | random_below(&w->r, 128) : random_below(&w->r, 256));
    put_word(w, 0x8D, to);
}

/* Changes a byte of the code in RAM: an operand mostly. */
static inline void put_patch(struct writer *w) {
    static const uint8_t opcodes[] = {0xE6, 0xC6, 0xA6, 0xC9, 0x65};
    const unsigned slot = random_below(&w->r, 8) * 2;
    const bool operand = random_chance(&w->r, 75);
    put(w, 0xA9);
    put(w, operand ? random_below(&w->r, 256) : opcodes[random_below(&w->r, sizeof opcodes)]);
    put_word(w, 0x8D, 0x0300 + slot + operand);
}

static inline void put_bank_switch(struct writer *w) {
    put(w, 0xA9), put(w, random_below(&w->r, 256));
    put_word(w, 0x8D, 0x8000 + random_below(&w->r, 0x8000));
}

static inline void put_call(struct writer *w) {
    if (w->routine_count == 0 || w->in_handler)
        return;
    uint16_t to = w->routines[random_below(&w->r, w->routine_count)];
    if (random_chance(&w->r, 30))
        to -= 0x4000; /* its copy, in a bank that is switched */
    switch (random_below(&w->r, 4)) {
    case 0: /* the RTS trick, and back by JMP */
        put(w, 0xA9), put(w, (w->at + 9) >> 8), put(w, 0x48);
        put(w, 0xA9), put(w, (uint8_t)(w->at + 6)), put(w, 0x48);
        put(w, 0xEA), put(w, 0xEA);
        put_word(w, 0x4C, to);
        put(w, 0xEA);
        break;
    case 1: /* a pointer in RAM; the routine returns to here */
        put(w, 0xA9), put(w, to & 0xff), put_word(w, 0x8D, 0x07F0);
        put(w, 0xA9), put(w, to >> 8), put_word(w, 0x8D, 0x07F1);
        put_word(w, 0x20, w->at + 6);
        put_word(w, 0x4C, w->at + 6);
        put_word(w, 0x6C, 0x07F0);
        break;
    default:
        put_word(w, 0x20, to);
        break;
    }
}

static inline void put_wait(struct writer *w) {
    if (w->in_handler)
        return;
    if (random_chance(&w->r, 50)) { /* flag of the NMI handler; NMI on */
        put(w, 0xA9), put(w, 0x80), put_word(w, 0x8D, 0x2000);
        put(w, 0xA5), put(w, 0xF8);
        put(w, 0xC5), put(w, 0xF8);
        put(w, 0xF0), put(w, 0xFC);
    } else { /* vertical blank */
        put_word(w, 0x2C, 0x2002);
        put(w, 0x10), put(w, 0xFB);
    }
}

static inline void put_something(struct writer *w) {
    const unsigned dice = random_below(&w->r, 100);
    if (dice < 45)
        put_work(w);
    else if (dice < 52)
        put_indexed_write(w);
    else if (dice < 57)
        put_pointer_access(w);
    else if (dice < 65)
        put_loop(w);
    else if (dice < 73)
        put_branch(w);
    else if (dice < 78)
        put_device(w);
    else if (dice < 82)
        put_patch(w);
    else if (dice < 86 && !w->in_handler)
        put_word(w, 0x20, 0x0300); /* the code in RAM */
    else if (dice < 88 && w->banked)
        put_bank_switch(w);
    else if (dice < 90)
        put(w, 0x08), put(w, 0x28); /* PHP, PLP */
    else if (dice < 92)
        put(w, 0x48), put(w, 0x68); /* PHA, PLA */
    else if (dice < 93)
        put(w, random_chance(&w->r, 70) ? 0x58 : 0x78); /* CLI, SEI */
    else if (dice < 94 && !w->in_handler)
        put(w, 0x00), put(w, 0xEA); /* BRK */
    else if (dice < 99)
        put_call(w);
    else
        put_wait(w);
}

static inline void put_handler(struct writer *w) {
    w->in_handler = true;
    put(w, 0x48), put(w, 0xE6), put(w, 0xF8); /* PHA, INC $F8 */
    for (unsigned i = random_below(&w->r, 12); i-- > 0;)
        put_something(w);
    put_word(w, 0xAD, 0x4015); /* the frame IRQ is acknowledged */
    put(w, 0x68), put(w, 0x40);
    w->in_handler = false;
}

static inline void put_start(struct writer *w) {
    static const uint8_t code[17] = {0xE6, 0x10, 0xA6, 0x11, 0xC9, 0x12, 0x65, 0x13, 0xE6,
                                     0x14, 0x86, 0x15, 0x24, 0x16, 0xC6, 0x17, 0x60};
    put(w, 0xA2), put(w, 0xFF), put(w, 0x9A); /* LDX #$FF, TXS */
    for (unsigned i = 0; i < sizeof code; i++) {
        put(w, 0xA9), put(w, code[i]);
        put_word(w, 0x8D, 0x0300 + i);
    }
}

/* In each 16 KiB half the same program, so that a bank switch leads to sensible code. The caller
 * frees it; its mapper is one of those with banks, or 0. */
static inline struct guest *structured_program(uint64_t seed, unsigned mapper) {
    struct guest *g = guest_new();
    struct writer w = {.r = {.seed = seed}, .g = g, .at = 0xC000, .banked = mapper != 0};
    g->cart.mapper = mapper;
    for (unsigned i = 0; i < 16; i++) {
        w.routines[w.routine_count] = w.at;
        for (unsigned k = 2 + random_below(&w.r, 10); k-- > 0;)
            put_something(&w);
        put(&w, 0x60);
        w.routine_count++;
    }
    const uint16_t nmi = w.at;
    put_handler(&w);
    const uint16_t irq = w.at;
    put_handler(&w);
    const uint16_t reset = w.at;
    put_start(&w);
    const uint16_t main_loop = w.at;
    for (unsigned i = 0; i < 40; i++)
        put_something(&w);
    put_word(&w, 0x4C, main_loop);
    memcpy(g->prg, g->prg + 0x4000, 0x4000);
    guest_vectors(g, nmi, reset, irq);
    memcpy(g->prg + 0x3FFA, g->prg + 0x7FFA, 6);
    return g;
}

#endif
