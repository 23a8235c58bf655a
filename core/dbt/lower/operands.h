/*
 * operands: where the operand of a guest instruction is. Private to core/dbt. Place: above mmio;
 * lower asks it.
 */
#ifndef HOTGRAPH_DBT_OPERANDS_H
#define HOTGRAPH_DBT_OPERANDS_H

#include "dbt/lower/translation.h"

/* Emits what finds the operand; may leave to nes_step, so guest state must not have changed yet.
 * rax and rcx are in use afterwards; rdx is free. */
operand operand_place(struct translation *t, const struct guest_op *op);
/* The guest's memory at `at` + index (which may be ZYDIS_REGISTER_NONE), all in one piece, as
 * readers or writers see it; may use rax. */
operand operand_in_memory(struct translation *t, uint16_t at, ZydisRegister index, bool write);
/* What STUB_CARRY and STUB_OUTSIDE do. */
void operand_carried(struct translation *t);
void operand_outside(struct translation *t);

#endif
