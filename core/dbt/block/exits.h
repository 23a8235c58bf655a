/*
 * exits: every way out of a block, to other blocks and to the machine; and the stubs behind it.
 * Private to core/dbt. Place: above instrument and translation; translate ends blocks with it, and
 * run acts on what they were left by.
 */
#ifndef HOTGRAPH_DBT_EXITS_H
#define HOTGRAPH_DBT_EXITS_H

#include "dbt/block/edges.h"

bool exits_open(struct exits *exits); /* false: out of memory */
/* All but number 0: their code is gone. */
void exits_forget(struct exits *exits);
void exits_close(struct exits *exits);
/* Binds an exit that was left by to the block of its pc, at `place` of the cache, or to whatever
 * the table will say of the pc when its window is not certain; e is where more code may go. */
void exit_link(struct exits *exits, struct emitter *e, uint32_t number, uint16_t pc,
               uint32_t place);

/* Overwrites the start of a block that is never to be executed again: whoever comes there leaves
 * translated code at its pc. */
void exit_always(struct emitter *e, uint32_t place, uint16_t pc);

/* To the block at a pc that is known. */
void exit_to(struct translation *t, uint16_t pc);
/* Behind the counted instruction `op`, which goes to its encoded target; and which goes to the pc
 * in ecx. Fires its probes. */
void exit_direct(struct translation *t, const struct guest_op *op, uint16_t target);
void exit_indirect(struct translation *t, const struct guest_op *op);
/* `jump` leads out, to the machine or the dispatcher at `pc`. */
void exit_if(struct translation *t, uint32_t jump, enum leave leave, uint16_t pc);
/* Emits what all the noted jumps of the block at entry_pc lead to. */
void emit_stubs(struct translation *t, uint16_t entry_pc);

#endif
