/*
 * host: the registers of translated code, and the machine's fields as operands. Private to
 * core/dbt. Place: above emit and frame.
 *
 * Registers while translated code runs:
 *
 *     r8  A      rbx  struct nes                        rax, rcx, rdx  scratch
 *     r9  X      r12  remaining budget in cycles, times 2^16, plus executed instructions (frame.h)
 *     r10 Y      r13  struct frame
 *     r11 S      r14  counters of the probes
 *     esi NZ     r15  the cartridge's PRG
 *     edi C
 *     ebp V
 *
 * rsp is the return stack (see exits.c), in memory of its own: a multiple of 16 in every block.
 * [rsp + 8] is the value that an RTS is predicted to pull: its target less 1.
 *
 * Guest registers and flags have the form of struct registers, and their upper bits are zero. PC is
 * known at translation; I and D stay in struct registers. Flags are in their registers only at a
 * block's edges: within a block, NZ may be in A, X or Y, and C may be a known constant.
 */
#ifndef HOTGRAPH_DBT_HOST_H
#define HOTGRAPH_DBT_HOST_H

#include "dbt/host/emit.h"
#include "dbt/lower/frame.h"

#define A8       REG(R8B)
#define A32      REG(R8D)
#define X8       REG(R9B)
#define X32      REG(R9D)
#define Y8       REG(R10B)
#define Y32      REG(R10D)
#define S8       REG(R11B)
#define S32      REG(R11D)
#define NZ8      REG(SIL)
#define NZ16     REG(SI)
#define NZ32     REG(ESI)
#define C8       REG(DIL)
#define C32      REG(EDI)
#define V8       REG(BPL)
#define V32      REG(EBP)
#define BUDGET   REG(R12)
#define NES      ZYDIS_REGISTER_RBX
#define FRAME_AT ZYDIS_REGISTER_R13
#define COUNTERS ZYDIS_REGISTER_R14
#define PRG      ZYDIS_REGISTER_R15
/* Fields as operands, as wide as they are: of struct nes and struct frame. */
#define FIELD_OF_NES(field)                                                                        \
    mem((unsigned)sizeof(((struct nes *)0)->field), NES, (int64_t)offsetof(struct nes, field))
#define FRAME(field)                                                                               \
    mem((unsigned)sizeof(((struct frame *)0)->field), FRAME_AT,                                    \
        (int64_t)offsetof(struct frame, field))
#define CPU(field) FIELD_OF_NES(cpu.r.field)
#define COUNTER(i) mem(8, COUNTERS, (int64_t)(i)*8)
#define MEMORY(offset_in_ram)                                                                      \
    mem(1, NES, (int64_t)offsetof(struct nes, memory.ram) + (offset_in_ram))
#define MEMORY_AT(index, offset_in_ram)                                                            \
    memx(1, NES, ZYDIS_REGISTER_##index, 1,                                                        \
         (int64_t)offsetof(struct nes, memory.ram) + (offset_in_ram))
#define PAGE_OF(table, index)                                                                      \
    memx(8, NES, ZYDIS_REGISTER_##index, 8, (int64_t)offsetof(struct nes, table))

#endif
