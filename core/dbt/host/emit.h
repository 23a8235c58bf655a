/*
 * emit: writes x86-64 instructions, encoded by Zydis. Private to core/dbt.
 *
 *     EMIT(e, ADD, REG(RAX), imm(5));                // add rax, 5
 *     EMIT(e, MOVZX, REG(ECX), mem(1, NES, 16));     // movzx ecx, byte [rbx + 16]
 *     const uint32_t jump = emit_jump(e, JNZ);       // jnz ...
 *     emit_bind(e, jump, emit_here(e));              // ...:
 *
 * When the room is used up nothing more is written and `full` is set; the caller checks once, at
 * the end. Places in the code are offsets from the start of the cache, the same in both of its
 * views.
 */
#ifndef HOTGRAPH_DBT_EMIT_H
#define HOTGRAPH_DBT_EMIT_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

/* A cache of encoded forms of instructions: encoding with Zydis takes a thousand times as long as
 * copying a form and writing its numbers, and most forms recur. */
struct encodings {
    struct encoding {
        uint64_t operands; /* the form of each */
        uint32_t mnemonic;
        uint8_t length, bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
        struct {
            uint8_t at, size; /* in `bytes`; size 0: not encoded */
        } number[2];
    } at[2048]; /* length 0: empty */
};

struct emitter {
    uint8_t *code; /* start of the cache, to write */
    uint32_t at, end;
    struct encodings *encodings;
    bool full;
    bool over; /* overwrites code: bytes after it must stay */
};

/* Small, and mostly a compile-time constant: translation makes many operands. */
typedef struct {
    uint32_t form;  /* everything but the number itself: see the shifts */
    int64_t number; /* an immediate, a displacement */
} operand;
enum { NO_OPERAND, OPERAND_REGISTER, OPERAND_MEMORY, OPERAND_IMMEDIATE, OPERAND_TYPE = 3 };
enum {
    BASE_SHIFT = 2, /* or the register */
    INDEX_SHIFT = 11,
    SCALE_SHIFT = 20, /* half of it; so is the size in bytes */
    SIZE_SHIFT = 23,
    WIDTH_SHIFT = 26, /* of the number */
};

#define EMIT(e, mnemonic, ...)                                                                     \
    EMIT_TWO((e), ZYDIS_MNEMONIC_##mnemonic, __VA_ARGS__, (operand){0}, (operand){0})
#define EMIT_TWO(e, mnemonic, a, b, ...) emit_(e, mnemonic, a, b)
#define REG(name)                        reg(ZYDIS_REGISTER_##name)

/* Numbers of the same width are encoded in the same form. 0 and 1 have forms of their own: no
 * displacement, and shifts by 1. */
static inline uint32_t width_of(int64_t n) {
    if (n == (int8_t)n)
        return n >> 1 ? 2 : (uint32_t)n;
    return n == (uint8_t)n             ? 3
           : n == (int16_t)n           ? 4
           : n == (int64_t)(uint16_t)n ? 5
           : n == (int32_t)n           ? 6
           : n == (int64_t)(uint32_t)n ? 7
                                       : 8;
}

static inline operand reg(ZydisRegister name) {
    return (operand){.form = OPERAND_REGISTER | (uint32_t)name << BASE_SHIFT};
}
static inline operand imm(int64_t value) {
    return (operand){.form = OPERAND_IMMEDIATE | width_of(value) << WIDTH_SHIFT, .number = value};
}
static inline bool is_imm(operand o) {
    return (o.form & OPERAND_TYPE) == OPERAND_IMMEDIATE;
}
/* Immediates are signed and as wide as the operation. */
static inline operand imm8(unsigned value) {
    return imm((int8_t)value);
}
static inline operand imm16(unsigned value) {
    return imm((int16_t)value);
}
static inline operand imm32(uint32_t value) {
    return imm((int32_t)value);
}
static inline operand imm_pointer(const void *pointer) {
    return imm((int64_t)(uintptr_t)pointer);
}
/* [base + displacement], `size` bytes. */
static inline operand mem(unsigned size, ZydisRegister base, int64_t displacement) {
    return (operand){.form = OPERAND_MEMORY | (uint32_t)base << BASE_SHIFT |
                             size / 2 << SIZE_SHIFT | width_of(displacement) << WIDTH_SHIFT,
                     .number = displacement};
}
/* [base + index * scale + displacement] */
static inline operand memx(unsigned size, ZydisRegister base, ZydisRegister index, unsigned scale,
                           int64_t displacement) {
    operand m = mem(size, base, displacement);
    m.form |= (uint32_t)index << INDEX_SHIFT | scale / 2 << SCALE_SHIFT;
    return m;
}

void emit_(struct emitter *e, ZydisMnemonic mnemonic, operand a, operand b);
/* Without operands. */
#define emit_plain(e, mnemonic) emit_((e), ZYDIS_MNEMONIC_##mnemonic, (operand){0}, (operand){0})
void emit_ret(struct emitter *e);
/* ret `bytes`: pops that many bytes more. */
void emit_ret_popping(struct emitter *e, unsigned bytes);

/* A data byte. */
void emit_byte(struct emitter *e, uint8_t byte);
/* Inverts the condition of a jump (Jcc). */
void emit_invert(struct emitter *e, uint32_t jump);
static inline uint32_t emit_here(const struct emitter *e) {
    return e->at;
}
/* A jump (JMP, CALL, Jcc) with a 32-bit displacement, to the next instruction until it is bound.
 * Returns the offset of the displacement. */
#define emit_jump(e, mnemonic) emit_jump_((e), ZYDIS_MNEMONIC_##mnemonic)
uint32_t emit_jump_(struct emitter *e, ZydisMnemonic mnemonic);
void emit_bind(struct emitter *e, uint32_t jump, uint32_t target);
/* Copies `size` bytes of code from `from`; returns the copy's offset. Relative references must be
 * rewritten. */
uint32_t emit_again(struct emitter *e, uint32_t from, unsigned size);
/* Writes a 32-bit number at offset `at` of an instruction. */
void emit_number(struct emitter *e, uint32_t at, int32_t number);
/* reg = address of the place `target` of the cache. */
void emit_address(struct emitter *e, ZydisRegister to, uint32_t target);

#endif
