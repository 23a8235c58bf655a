/*
 * lower: one guest instruction as host instructions. Private to core/dbt. Place: above operands and
 * touch; what it leaves and what is to be counted it notes in the translation.
 */
#ifndef HOTGRAPH_DBT_LOWER_H
#define HOTGRAPH_DBT_LOWER_H

#include "dbt/translation.h"

/* Emits everything of the current instruction but its flow and its counts. */
void lower(struct translation *t, const struct guest_op *op);

/* ---- lower_flow.c ---- */

/* What JSR pushes. */
void lower_call(struct translation *t, const struct guest_op *op);
/* A jump taken when the branch `op` is; returns where its displacement is. */
uint32_t lower_condition(struct translation *t, const struct guest_op *op);
/* What is left of an RTS in STUB_MISSED; its target stays in ecx. */
void lower_missed_return(struct translation *t);
/* The target of RTS or JMP (indirect) in ecx; only where returns are foretold, if it was. */
void lower_target(struct translation *t, const struct guest_op *op);

#endif
