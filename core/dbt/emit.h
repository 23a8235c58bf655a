/*
 * emit: writes x86-64 instructions, encoded by Zydis. Private to core/dbt.
 *
 *     EMIT(e, ADD, REG(RAX), imm(5));                // add rax, 5
 *     EMIT(e, MOVZX, REG(ECX), mem(1, NES, 16));     // movzx ecx, byte [rbx + 16]
 *     const uint32_t jump = emit_jump(e, JNZ);       // jnz ...
 *     emit_bind(e, jump, emit_here(e));              // ...:
 *
 * When the room is used up nothing more is written and `full` is set; the caller looks once, at the
 * end. Places in the code are offsets from the start of the cache, the same in both of its views.
 */
#ifndef HOTGRAPH_DBT_EMIT_H
#define HOTGRAPH_DBT_EMIT_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

/* Forms of instructions that were encoded before: Zydis takes a thousand times as long as copying
 * one and writing its numbers into it, and most of a program's come again and again. */
struct encodings {
    struct encoding {
        struct {
            uint32_t mnemonic, operands;
            uint32_t
                what[2]; /* of each operand: type, size, registers, scale, width of its number */
        } of;
        uint8_t length, bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
        struct {
            uint8_t at, size; /* in `bytes`; size 0: it is not written there */
        } number[2];
    } at[1024]; /* length 0: empty */
};

struct emitter {
    uint8_t *code; /* start of the cache, to write */
    uint32_t at, end;
    struct encodings *encodings;
    bool full;
};

typedef ZydisEncoderOperand operand;

#define EMIT(e, mnemonic, ...)                                                                     \
    emit_((e), ZYDIS_MNEMONIC_##mnemonic, (const operand[]){__VA_ARGS__},                          \
          sizeof((const operand[]){__VA_ARGS__}) / sizeof(operand))
#define REG(name) reg(ZYDIS_REGISTER_##name)

static inline operand reg(ZydisRegister name) {
    return (operand){.type = ZYDIS_OPERAND_TYPE_REGISTER, .reg.value = name};
}
static inline operand imm(int64_t value) {
    return (operand){.type = ZYDIS_OPERAND_TYPE_IMMEDIATE, .imm.s = value};
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
    return (operand){.type = ZYDIS_OPERAND_TYPE_MEMORY,
                     .mem = {.base = base, .displacement = displacement, .size = (ZyanU16)size}};
}
/* [base + index * scale + displacement] */
static inline operand memx(unsigned size, ZydisRegister base, ZydisRegister index, unsigned scale,
                           int64_t displacement) {
    operand m = mem(size, base, displacement);
    m.mem.index = index;
    m.mem.scale = (ZyanU8)scale;
    return m;
}

void emit_(struct emitter *e, ZydisMnemonic mnemonic, const operand *operands, unsigned count);
void emit_ret(struct emitter *e);
/* And pops so many bytes more. */
void emit_ret_popping(struct emitter *e, unsigned bytes);

static inline uint32_t emit_here(const struct emitter *e) {
    return e->at;
}
/* A jump (JMP, CALL, Jcc) with a 32-bit displacement, to the next instruction until it is bound;
 * returns where the displacement is. */
#define emit_jump(e, mnemonic) emit_jump_((e), ZYDIS_MNEMONIC_##mnemonic)
uint32_t emit_jump_(struct emitter *e, ZydisMnemonic mnemonic);
void emit_bind(struct emitter *e, uint32_t jump, uint32_t target);
/* reg = address of the place `target` of the cache. */
void emit_address(struct emitter *e, ZydisRegister to, uint32_t target);

#endif
