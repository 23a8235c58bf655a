/*
 * devices: fixed code that goes to C functions, most of all to the machine's devices. Private to
 * core/dbt. Place: above host and frame; fixed has all of it emitted, mmio calls it.
 */
#ifndef HOTGRAPH_DBT_DEVICES_H
#define HOTGRAPH_DBT_DEVICES_H

#include "dbt/host/host.h"

/* Places in the cache of accesses in the last cycle of an instruction. rax: how many cycles after
 * the budget's place (signed) that is; ecx: the address; edx: what is written; eax: what was read.
 * But for the first three, nothing that they do moves a deadline. */
struct devices {
    uint32_t read, write;         /* anything */
    uint32_t copy_oam;            /* $4014 is written, and cpu.pc is that of the next instruction */
    uint32_t read_ppu, write_ppu; /* registers that have nothing to do with lines */
    uint32_t write_ppu_at[8];     /* the same, to one of $2003-$2007 */
    uint32_t write_apu;           /* the same */
    uint32_t write_strobe;        /* $4016 */
    uint32_t read_pad[2];         /* $4016, $4017 */
};

/* Emits all but write_ppu_at. */
void devices_code(struct devices *devices, struct emitter *e);
/* Behind it: write_ppu_at, which falls back to write_ppu (devices_blank.c). */
void devices_blank(struct devices *devices, struct emitter *e);
/* rax = the cycle of the access whose place is in rax, and the other way round; `scratch` goes. */
void emit_cycle_of_access(struct emitter *e, operand scratch);
void emit_place_of_access(struct emitter *e, operand scratch);

/* Calls a C function on the host's own stack, with the frame and what is in other arguments'
 * places. Only rax outlives it. */
void emit_call(struct emitter *e, int64_t function);
/* Code that calls a function with the frame, eax and rdx, and gives back eax. Returns its place. */
uint32_t emit_function(struct emitter *e, int64_t function);

#endif
