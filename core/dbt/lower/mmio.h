/*
 * mmio: accesses to devices. Private to core/dbt. Place: above translation; operands, lower and
 * translate use it.
 */
#ifndef HOTGRAPH_DBT_MMIO_H
#define HOTGRAPH_DBT_MMIO_H

#include "dbt/lower/translation.h"

/* Emits the access that the instruction ends with; a read returns where its value is. Before it the
 * instruction may be left to nes_step. */
operand mmio_read(struct translation *t, const struct guest_op *op);
void mmio_write(struct translation *t, const struct guest_op *op, operand value);
/* Whether what the instruction does to a device may move the deadline. */
bool mmio_moves_deadline(const struct nes *n, const struct guest_op *op);
/* The access of t->op where it cannot be done in place: a read of $2002 that may not be as the last
 * one was, or a write, in edx, that cannot be queued. */
void mmio_otherwise(struct translation *t);

#endif
