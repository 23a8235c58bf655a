/*
 * mmio: accesses to memory-mapped devices. Private to core/dbt. Place: above translation; operands,
 * lower and translate use it.
 */
#ifndef HOTGRAPH_DBT_MMIO_H
#define HOTGRAPH_DBT_MMIO_H

#include "dbt/lower/translation.h"

/* Emits the access in the instruction's last cycle; a read returns where its value is. The code may
 * leave to nes_step before the access. */
operand mmio_read(struct translation *t, const struct guest_op *op);
void mmio_write(struct translation *t, const struct guest_op *op, operand value);
/* May the instruction's access move the deadline? */
bool mmio_moves_deadline(const struct nes *n, const struct guest_op *op);
/* Emits the body of STUB_MMIO: a read of $2002 that may differ from the last one, or a write (edx)
 * that cannot be queued. */
void mmio_otherwise(struct translation *t);

#endif
