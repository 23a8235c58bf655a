/*
 * operands: addressing modes: finds the operand of a guest instruction. Private to core/dbt. Place:
 * above mmio; lower uses it.
 */
#ifndef HOTGRAPH_DBT_OPERANDS_H
#define HOTGRAPH_DBT_OPERANDS_H

#include "dbt/lower/translation.h"

/* Emits code that finds the operand. May leave to nes_step, so guest state must not have changed
 * yet. Uses rax and rcx; rdx is free. */
operand operand_place(struct translation *t, const struct guest_op *op);
/* The guest's memory at `at` + index (or ZYDIS_REGISTER_NONE), which must be contiguous, as mapped
 * for reads or for writes. May use rax. */
operand operand_in_memory(struct translation *t, uint16_t at, ZydisRegister index, bool write);
/* Emit the bodies of STUB_CARRY and STUB_OUTSIDE. */
void operand_carried(struct translation *t);
void operand_outside(struct translation *t);

#endif
