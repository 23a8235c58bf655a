/*
 * exits: all exits of a block, to other blocks and to the machine; and the stubs after it. Private
 * to core/dbt. Place: above instrument and translation; translate ends blocks with it, and dbt_run
 * handles the exits.
 */
#ifndef HOTGRAPH_DBT_EXITS_H
#define HOTGRAPH_DBT_EXITS_H

#include "dbt/block/edges.h"

bool exits_open(struct exits *exits); /* false: out of memory */
/* Forgets all but number 0, once their code is freed. */
void exits_forget(struct exits *exits);
void exits_close(struct exits *exits);
/* Binds an exit to the block of its pc, at `place` in the cache; if the pc's window is not certain,
 * to a table look-up, which is emitted at `e`. */
void exit_link(struct exits *exits, struct emitter *e, uint32_t number, uint16_t pc,
               uint32_t place);

/* Binds a linked exit with a known target to that target's new version, at `place`. */
void exit_move(struct exits *exits, uint32_t number, const struct emitter *e, uint32_t place);

/* Overwrites the start of a block that must not be executed again: it leaves translated code at its
 * pc. */
void exit_always(struct emitter *e, uint32_t place, uint16_t pc);

/* Emits a jump to the block at a known pc. */
void exit_to(struct translation *t, uint16_t pc);
/* Emits the exit of the counted instruction `op`, to its encoded target or to the pc in ecx. Fires
 * its probes. */
void exit_direct(struct translation *t, const struct guest_op *op, uint16_t target);
void exit_indirect(struct translation *t, const struct guest_op *op);
/* Makes `jump` leave translated code at `pc`. */
void exit_if(struct translation *t, uint32_t jump, enum leave leave, uint16_t pc);
/* Emits the stubs of the block at entry_pc. */
void emit_stubs(struct translation *t, uint16_t entry_pc);

#endif
