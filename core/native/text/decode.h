/* One x86-64 instruction, decoded. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_DECODE_H
#define HOTGRAPH_NATIVE_DECODE_H

#include "native/text/object.h"

#include <Zydis/Zydis.h>

enum flow {
    FLOW_NEXT,
    FLOW_JUMP,      /* direct, unconditional */
    FLOW_BRANCH,    /* direct, conditional */
    FLOW_LOOP,      /* loop, loope, loopne, jrcxz */
    FLOW_CALL,      /* direct */
    FLOW_CALL_AWAY, /* indirect */
    FLOW_JUMP_AWAY, /* indirect */
    FLOW_RETURN,
    FLOW_STOP,    /* ud2, hlt */
    FLOW_SYSTEM,  /* syscall, int: returns to the next instruction */
    FLOW_REFUSED, /* xbegin, far transfers, iret: cannot be moved */
};
struct insn {
    uintptr_t at;
    const uint8_t *bytes;
    uint8_t length, opcode, flow;
    bool nop, relative_memory;
    bool kills_unsure; /* may leave the flags alone: a shift by a count, a repeated string op */
    uint8_t disp_offset, modrm_offset, imm_offset, imm_size; /* 0: none */
    uint32_t flags_read, flags_written;
    uintptr_t target; /* of a direct transfer */
    uintptr_t memory; /* address of a RIP-relative operand */
};
/* Decodes the instruction at `at`; reads no byte from `end` on. False: not an instruction. */
bool insn_decode(struct insn *out, uintptr_t at, uintptr_t end);
/* The same, without the shortcut for common instructions (quick.h). */
bool insn_decode_fully(struct insn *out, uintptr_t at, uintptr_t end);
/* The fields that insn_quick() sets, of any instruction. False: there is none. */
bool insn_outline(struct insn *out, uintptr_t at, uintptr_t end);
/* Decodes what the file has at `at`: patched text leads elsewhere. */
bool insn_decode_file(struct insn *out, const struct object *o, uintptr_t at);
/* Decodes a copy of an instruction that belongs at `at`: 16 bytes are readable at `bytes`. */
bool insn_decode_copy(struct insn *out, const uint8_t *bytes, uintptr_t at);
static inline bool insn_ends_block(const struct insn *i) {
    return i->flow == FLOW_JUMP || i->flow == FLOW_JUMP_AWAY || i->flow == FLOW_RETURN ||
           i->flow == FLOW_STOP;
}
/* The displacement of an operand in memory with a SIB byte, whose ModRM byte is at `modrm`. */
int32_t insn_displacement(const uint8_t *modrm);
/* Does the instruction at `bytes` name or imply rsp? */
bool insn_uses_stack(const uint8_t *bytes);
/* The decoder for 64-bit code, shared by all threads. */
const ZydisDecoder *insn_decoder(void);
/* The address after the endbr64 at `at`; `at` if there is none. */
uintptr_t after_endbr(const struct object *o, uintptr_t at);

#endif
