/*
 * traced_blocks: recordings (nes_record()) in translated code. Private to core/dbt. Place: above
 * translate; dbt_run.c and block_table.c use it.
 */
#ifndef HOTGRAPH_DBT_TRACED_BLOCKS_H
#define HOTGRAPH_DBT_TRACED_BLOCKS_H

#include "dbt/state.h"

/* The number of instructions after which no further block may be entered for the recording, which
 * has begun or will begin. 0: the rest must be interpreted. */
uint16_t traced_until(const struct record *r, uint64_t cycle);
/* Call for each new traced block. False: out of memory. */
bool traced_keep(struct nes *n, struct block *b);
/* Reads the log of a run through traced blocks into d->record. The run began after `before`
 * instructions, with `banks` mapped. */
void traced_read(struct dbt *d, struct nes *n, uint64_t before, uint64_t banks);
/* As engine.recorded_code, for the recorder. */
const struct guest_insn *traced_code(const struct dbt *d, const struct nes *n, uint32_t code,
                                     uint64_t banks);
/* Records with the interpreter; pause: up to the next jump. Returns the deadline, which devices may
 * have moved. */
uint64_t traced_interpret(struct dbt *d, struct nes *n, uint64_t stop, uint64_t deadline,
                          bool pause);

#endif
