/* The table of opcodes, and the disassembler. */
#include <stdio.h>

#include "nes/nes.h"

enum {
#define MNEMONIC(name, kind, reads, writes)                                                        \
    KIND_##name = INSN_##kind, READS_##name = (reads), WRITES_##name = (writes),
#define MODE(mode, size, reads) SIZE_##mode = (size), BY_##mode = (reads),
#include "nes/isa/ops.def"
};

enum { UNOFFICIAL, DOCUMENTED };
enum { NONE, READ, WRITE, MODIFY, MANGLE, STACK, FLOW };

#define IN_MEMORY(mode)         (MODE_##mode != MODE_IMM && MODE_##mode != MODE_ACC)
#define ACCUMULATOR(mode)       (MODE_##mode == MODE_ACC ? REG_A : 0)
#define READS_MEMORY(mode, acc) (IN_MEMORY(mode) && (acc == READ || acc == MODIFY))
#define WRITES_MEMORY(mode, acc)                                                                   \
    (IN_MEMORY(mode) && (acc == WRITE || acc == MODIFY || acc == MANGLE))

const struct opcode_info *opcode_info(uint8_t opcode) {
    static const struct opcode_info table[256] = {
#define OP(code, mnemonic, am, access, time, status)                                               \
    [code] = {                                                                                     \
        .name = #mnemonic,                                                                         \
        .mode = MODE_##am,                                                                         \
        .size = (int)KIND_##mnemonic == INSN_BRK ? 2 : SIZE_##am,                                  \
        .cycles = time,                                                                            \
        .kind = MODE_##am == MODE_IND ? INSN_JUMP_INDIRECT : KIND_##mnemonic,                      \
        .reads_memory = READS_MEMORY(am, access) || MODE_##am == MODE_IND,                         \
        .writes_memory = WRITES_MEMORY(am, access),                                                \
        .uses_stack = ((READS_##mnemonic & REG_S) && access == FLOW) || access == STACK,           \
        .documented = status == DOCUMENTED,                                                        \
        .reads = READS_##mnemonic | BY_##am | ACCUMULATOR(am),                                     \
        .writes = WRITES_##mnemonic | ACCUMULATOR(am),                                             \
    },
#include "nes/isa/ops.def"
    };
    return &table[opcode];
}

bool opcode_may_wait(const uint8_t bytes[3]) {
    const struct opcode_info *op = opcode_info(bytes[0]);
    if (op->writes_memory || op->uses_stack || op->kind == INSN_JAM)
        return false;
    const unsigned operand = bytes[1] | (unsigned)bytes[2] << 8;
    switch ((enum addressing_mode)op->mode) {
    case MODE_IMP:
    case MODE_ACC:
    case MODE_IMM:
    case MODE_ZP:
    case MODE_REL:
        return true;
    case MODE_ABS:
        return operand < 0x2000 || operand >= 0x8000 || operand == 0x2002;
    default:
        return false;
    }
}

void disassemble(char text[32], uint16_t pc, const uint8_t bytes[3]) {
    static const char *const shapes[] = {
        [MODE_IMP] = "%s",           [MODE_ACC] = "%s A",         [MODE_IMM] = "%s #$%02X",
        [MODE_ZP] = "%s $%02X",      [MODE_ZPX] = "%s $%02X,X",   [MODE_ZPY] = "%s $%02X,Y",
        [MODE_IZX] = "%s ($%02X,X)", [MODE_IZY] = "%s ($%02X),Y", [MODE_ABS] = "%s $%04X",
        [MODE_ABX] = "%s $%04X,X",   [MODE_ABY] = "%s $%04X,Y",   [MODE_IND] = "%s ($%04X)",
        [MODE_REL] = "%s $%04X",
    };
    const struct opcode_info *info = opcode_info(bytes[0]);
    unsigned operand = bytes[1];
    if (info->mode == MODE_REL)
        operand = (uint16_t)(pc + 2 + (int8_t)bytes[1]);
    else if (info->size == 3)
        operand |= (unsigned)bytes[2] << 8;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, 32, shapes[info->mode], info->name, operand);
#pragma GCC diagnostic pop
}
