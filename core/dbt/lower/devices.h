/*
 * devices: fixed code that calls C functions, mostly for the machine's devices. Private to
 * core/dbt. Place: above host and frame; fixed emits all of it, and mmio calls it.
 */
#ifndef HOTGRAPH_DBT_DEVICES_H
#define HOTGRAPH_DBT_DEVICES_H

#include "dbt/host/host.h"

/* Places in the cache of code for an access in an instruction's last cycle. rax: that cycle,
 * relative to the cycle that the budget stands for (signed); ecx: address; edx: value to write;
 * eax: value read. Only the first three can move a deadline. */
struct devices {
    uint32_t read, write;         /* anything */
    uint32_t copy_oam;            /* writes $4014; cpu.pc is that of the next instruction */
    uint32_t read_ppu, write_ppu; /* registers that affect no interrupt line */
    uint32_t write_ppu_at[8];     /* the same, to one of $2003-$2007 */
    uint32_t write_apu;           /* the same */
    uint32_t write_strobe;        /* $4016 */
    uint32_t read_pad[2];         /* $4016, $4017 */
};

/* Emits all but write_ppu_at. */
void devices_code(struct devices *devices, struct emitter *e);
/* Emits write_ppu_at, which falls back to write_ppu (devices_blank.c). Call after devices_code().
 */
void devices_blank(struct devices *devices, struct emitter *e);
/* Converts rax from the relative cycle of an access to its cycle number, and back. Clobbers
 * `scratch`. */
void emit_cycle_of_access(struct emitter *e, operand scratch);
void emit_place_of_access(struct emitter *e, operand scratch);

/* Calls a C function on the host's own stack. Its first argument is the frame; the caller has
 * placed the others. Only rax survives the call. */
void emit_call(struct emitter *e, int64_t function);
/* Emits code that calls function(frame, eax, rdx) and returns its result in eax. Returns its place.
 */
uint32_t emit_function(struct emitter *e, int64_t function);

#endif
