/*
 * devices: fixed code that goes to C functions, most of all to the machine's devices. Private to
 * core/dbt. Place: above host and frame; fixed has all of it emitted, touch calls it.
 */
#ifndef HOTGRAPH_DBT_DEVICES_H
#define HOTGRAPH_DBT_DEVICES_H

#include "dbt/host.h"

/* Places in the cache of accesses in the last cycle of an instruction. rax: how many cycles after
 * the budget's place (signed) that is; ecx: the address; edx: what is written; eax: what was read.
 * But for the first two, nothing that they do moves a deadline. */
struct devices {
    uint32_t read, write;         /* anything */
    uint32_t read_ppu, write_ppu; /* registers that have nothing to do with lines */
    uint32_t write_apu;           /* the same */
    uint32_t write_strobe;        /* $4016 */
    uint32_t read_pad[2];         /* $4016, $4017 */
};

/* Emits all of it. */
void devices_code(struct devices *devices, struct emitter *e);

/* Calls a C function on the host's own stack, with the frame and what is in other arguments'
 * places. Only rax outlives it. */
void emit_call(struct emitter *e, int64_t function);
/* Code that calls a function with the frame, eax and rdx, and gives back eax. Returns its place. */
uint32_t emit_function(struct emitter *e, int64_t function);

#endif
