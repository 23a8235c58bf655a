/* Program pieces that transfer control or change code; for random_programs.h. Each one continues
 * after itself (unless its data was overwritten), with A, X, Y and the flags changed. */
#ifndef HOTGRAPH_TESTS_IDIOMS_FLOW_H
#define HOTGRAPH_TESTS_IDIOMS_FLOW_H

#include "tests/support/program_writer.h"

static inline void put_loop(struct writer *w) {
    const bool by_y = chance(w, 50);
    put2(w, by_y ? LDY_IMM : LDX_IMM, 1 + below(w, 40));
    const uint16_t top = w->at;
    static const uint8_t body[] = {0x0A, 0x4A, 0x2A, 0x6A, 0x18, 0x38,
                                   0xEA, 0x49, 0x69, 0xE9, 0x29};
    for (unsigned i = below(w, 5); i-- > 0;) {
        const uint8_t opcode = body[below(w, sizeof body)];
        put(w, opcode);
        if (opcode_info(opcode)->size == 2)
            put(w, below(w, 256));
    }
    put(w, by_y ? 0x88 : DEX); /* DEY */
    put2(w, BNE, top - (w->at + 2u));
}

static inline void put_branch(struct writer *w) {
    put2(w, 0x10 | below(w, 8) << 5, 2); /* over one instruction of two bytes */
    put2(w, INC_ZP, below(w, DATA_END));
}

/* A branch into the middle of BIT, where another instruction lies. */
static inline void put_overlap(struct writer *w) {
    put2(w, 0x10 | below(w, 8) << 5, 1);
    put(w, BIT_ABS);
    put2(w, chance(w, 50) ? LDA_IMM : LDX_IMM,
         chance(w, 40) ? 0x20 + below(w, 0x21) : below(w, 256));
}

/* ---- code in RAM ---- */

/* Changes one of its bytes, usually an operand. */
static inline void put_patch(struct writer *w) {
    static const uint8_t opcodes[] = {INC_ZP, DEC_ZP, LDX_ZP, CMP_IMM, 0x65};
    uint16_t slot = (uint16_t)(RAM_CODE + below(w, 8) * 2);
    uint8_t bytes[3] = {opcodes[below(w, sizeof opcodes)], (uint8_t)below(w, DATA_END)};
    if (w->copied_count && chance(w, 60)) {
        const struct swap *const s = &w->copied[below(w, w->copied_count)];
        slot = s->at;
        while (random_work(w, bytes) != s->size)
            ;
        if (s->size == 3) {
            put_store(w, bytes[2], slot + 2u);
            put_store(w, bytes[1], slot + 1u);
            put_store(w, bytes[0], slot);
            return;
        }
        if (s->size == 2 && chance(w, 50))
            put_store(w, bytes[1], slot + 1u);
        put_store(w, bytes[0], slot);
        return;
    }
    if (chance(w, 75))
        put_store(w, bytes[1], slot + 1u);
    else
        put_store(w, bytes[0], slot);
}

/* The operand of one of the next instructions. */
static inline void put_patch_ahead(struct writer *w) {
    if (!w->away)
        return;
    put_load(w, below(w, 256));
    const uint16_t operand = put_jump(w, STA_ABS);
    for (unsigned i = below(w, 3); i-- > 0;)
        put(w, NOP);
    put(w, ADC_IMM);
    jump_here(w, operand);
    put(w, below(w, 256));
    put2(w, STA_ZP, ZP_SINK);
}

static inline void put_call_ram(struct writer *w) {
    put_word(w, JSR, ONE_OF(w, RAM_CODE, RAM_COPY, WRAM_COPY));
}

static inline void put_at(struct writer *w, uint16_t to, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        put_store(w, bytes[i], (unsigned)(to + i));
}
#define PUT_AT(w, to, ...)                                                                         \
    put_at(w, to, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

/* Code whose start is in zero page, and whose end in the page of the stack. */
static inline void put_code_before_stack(struct writer *w) {
    const uint8_t zp = (uint8_t)below(w, DATA_END);
    PUT_AT(w, ZP_CODE, INX, INC_ZP, zp, INX, NOP, INC_ZP, zp, RTS);
    put_word(w, JSR, ZP_CODE);
}

/* JSR that pushes onto its own operand, and then code in RAM that puts the stack back. */
static inline void put_call_onto_itself(struct writer *w) {
    const bool onto_both = chance(w, 50);
    const uint8_t s = onto_both ? 0x13 : 0x12;
    put(w, TSX), put_word(w, STX_ABS, RAM_STACK);
    PUT_AT(w, 0x110, JSR, 0x20, 0x02);
    /* It comes to $0120, or, where the low byte has been pushed last, to $1220. */
    const uint16_t target = onto_both ? 0x0220 : 0x0120;
    PUT_AT(w, target, LDX_ABS, RAM_STACK & 0xff, RAM_STACK >> 8, TXS, JMP);
    put_load(w, 0);
    const uint16_t low = (uint16_t)(w->at - 1);
    put_word(w, STA_ABS, target + 5u);
    put_load(w, 0);
    const uint16_t high = (uint16_t)(w->at - 1);
    put_word(w, STA_ABS, target + 6u);
    put2(w, LDX_IMM, s), put(w, TXS);
    put_word(w, JMP, 0x110);
    poke(w, low, here(w) & 0xff);
    poke(w, high, here(w) >> 8);
}

/* ---- the stack ---- */

static inline void put_brk(struct writer *w) {
    put2(w, BRK, NOP);
}

/* RTI as a jump, RTS as a jump: to what follows. */
static inline void put_jump_by_return(struct writer *w) {
    const bool rti = chance(w, 50);
    const uint16_t start = w->at;
    put_push(w, 0);
    if (rti && chance(w, 50))
        put(w, PHP);
    else if (rti)
        put_load(w, below(w, 256)), put(w, PHA);
    for (unsigned i = below(w, 3); i-- > 0;)
        put(w, NOP);
    put(w, rti ? RTI : RTS);
    const uint16_t to = (uint16_t)(here(w) - !rti);
    poke(w, start + 1, to >> 8);
    poke(w, start + 4, to & 0xff);
}

/* The return address of a JSR is thrown away, one level below or two. */
static inline void put_dropped_return(struct writer *w) {
    if (chance(w, 50)) {
        jump_here(w, put_jump(w, JSR));
        PUT(w, PLA, PLA);
        return;
    }
    const uint16_t outer = put_jump(w, JSR), over = put_jump(w, JMP);
    jump_here(w, outer);
    const uint16_t inner = put_jump(w, JSR);
    PUT(w, NOP, RTS);
    jump_here(w, inner);
    PUT(w, PLA, PLA, RTS);
    jump_here(w, over);
}

/* Data behind a JSR, which the routine steps over. */
static inline void put_inline_data(struct writer *w) {
    const uint8_t size = (uint8_t)(1 + below(w, 3));
    const uint16_t call = put_jump(w, JSR);
    for (unsigned i = 0; i < size; i++)
        put(w, below(w, 256));
    const uint16_t over = put_jump(w, JMP);
    jump_here(w, call);
    PUT(w, PLA, CLC, ADC_IMM, size, STA_ZP, ZP_SUM, PLA, ADC_IMM, 0, PHA);
    PUT(w, LDA_ZP, ZP_SUM, PHA, RTS);
    jump_here(w, over);
}

static inline void put_stack_move(struct writer *w) {
    PUT(w, TSX, DEX, DEX, TXS);
    if (chance(w, 50))
        put(w, PHA), put_work(w), put(w, PLA);
    PUT(w, TSX, INX, INX, TXS);
}

static inline void put_yield(struct writer *w) {
    if (w->yield)
        put_word(w, JSR, w->yield);
}

/* Deeper than the page of the stack, at times: then the bottom returns for ever, to itself. */
static inline void put_recursion(struct writer *w) {
    const unsigned depth = chance(w, 50) ? 2 + below(w, 30) : 100 + below(w, 100);
    PUT(w, TSX, STX_ZP, ZP_STACK);
    put_load(w, depth), put2(w, STA_ZP, ZP_DEPTH);
    put_load(w, depth < 128 ? 256 - depth : below(w, 200)), put2(w, STA_ZP, ZP_DEPTH + 1);
    const uint16_t top = here(w);
    PUT(w, DEC_ZP, ZP_DEPTH, BEQ, 3);
    put_word(w, JSR, top);
    PUT(w, INC_ZP, ZP_DEPTH + 1, BEQ, 1, RTS);
    PUT(w, LDX_ZP, ZP_STACK, TXS);
}

/* ---- many targets ---- */

/* Goes to the address in the tables at X. */
static inline void put_indirect_jump(struct writer *w, uint16_t tables[2]) {
    if (chance(w, 35)) {
        tables[1] = put_jump(w, LDA_ABX), put(w, PHA);
        tables[0] = put_jump(w, LDA_ABX), put(w, PHA);
        if (chance(w, 50))
            put(w, RTS);
        else
            PUT(w, PHP, RTI);
        return;
    }
    const uint16_t pointer = ONE_OF(w, 0x07F6, 0x07FF, 0x00F6, 0x03FF, 0x0FFF);
    tables[0] = put_jump(w, LDA_ABX), put_word(w, STA_ABS, pointer);
    tables[1] = put_jump(w, LDA_ABX);
    put_word(w, STA_ABS, (pointer & 0xff00) | (uint8_t)(pointer + 1));
    put_word(w, JMP_IND, pointer);
}

/* A loop over an indirect jump with one target or several in turn. */
static inline void put_dispatch(struct writer *w) {
    const unsigned targets = 1u << below(w, 3);
    uint16_t tables[2], to[4], end[4];
    put_load(w, 1 + below(w, 12)), put2(w, STA_ZP, ZP_COUNT);
    const uint16_t top = here(w);
    PUT(w, INC_ZP, ZP_TURN, LDA_ZP, ZP_TURN, AND_IMM, targets - 1, TAX);
    put_indirect_jump(w, tables);
    const bool by_rts = w->rom[w->at - 1 - 0xC000] == RTS;
    const bool neighbours = chance(w, 30); /* one after the other */
    for (unsigned i = 0; i < targets; i++) {
        to[i] = (uint16_t)(here(w) - by_rts);
        if (neighbours && i + 1 < targets) {
            end[i] = 0;
            put(w, INX);
            continue;
        }
        put_work(w);
        if (!w->leaf && chance(w, 40))
            put_call_ram(w);
        end[i] = put_jump(w, JMP);
    }
    for (unsigned part = 0; part < 2; part++) {
        jump_here(w, tables[part]);
        for (unsigned i = 0; i < targets; i++)
            put(w, to[i] >> 8 * part & 0xff);
    }
    for (unsigned i = 0; i < targets; i++)
        if (end[i])
            jump_here(w, end[i]);
    PUT(w, DEC_ZP, ZP_COUNT, BEQ, 3);
    put_word(w, JMP, top);
}

/* ---- subroutines ---- */

static inline void put_call(struct writer *w) {
    if (w->routine_count == 0)
        return;
    uint16_t to = w->routines[below(w, w->routine_count)];
    if (chance(w, 30))
        to -= 0x4000; /* its copy, in a bank that is switched */
    uint16_t back, pointer;
    switch (below(w, 5)) {
    case 0: /* by JMP; the routine returns to here */
        back = w->at;
        put_push(w, 0);
        put_word(w, JMP, to);
        poke(w, back + 1, (here(w) - 1) >> 8);
        poke(w, back + 4, (here(w) - 1) & 0xff);
        break;
    case 1: /* a pointer in RAM */
        pointer = ONE_OF(w, 0x07F0, 0x07FF);
        put_store(w, to & 0xff, pointer);
        put_store(w, to >> 8, pointer == 0x07F0 ? 0x07F1 : 0x0700);
        put_word(w, JSR, here(w) + 6u);
        put_word(w, JMP, here(w) + 6u);
        put_word(w, JMP_IND, pointer);
        break;
    default:
        put_word(w, JSR, to);
        break;
    }
}

/* RTI, which the processor reads where nothing answers: the high byte of the address is left. */
static inline void put_return_from_nowhere(struct writer *w) {
    const uint16_t start = w->at, nowhere = (uint16_t)(0x4018 + below(w, 0xE0));
    put_push(w, 0);
    put(w, PHP);
    if (chance(w, 50)) {
        put_word(w, JMP, nowhere);
    } else {
        put_store(w, nowhere & 0xff, 0x07F6);
        put_store(w, nowhere >> 8, 0x07F7);
        put_word(w, JMP_IND, 0x07F6);
    }
    poke(w, start + 1, here(w) >> 8);
    poke(w, start + 4, here(w) & 0xff);
}

/* Code in open bus, where the processor reads the high byte of the address again and again, up to
 * the cartridge's RAM. */
static inline void put_call_nowhere(struct writer *w) {
    if (chance(w, 60)) {
        put_return_from_nowhere(w);
    } else if (chance(w, 80)) {
        put_word(w, JSR, 0x5FF0 + below(w, 16));
    } else {
        put_word(w, JSR, 0x2000 + below(w, 0x2018));
    }
}

#endif
