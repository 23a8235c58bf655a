/*
 * lower: one guest instruction as host instructions. Private to core/dbt. Place: above operands and
 * touch; what it leaves and what is to be counted it notes in the translation.
 */
#ifndef HOTGRAPH_DBT_LOWER_H
#define HOTGRAPH_DBT_LOWER_H

#include "dbt/lower/translation.h"

/* Emits everything of the current instruction but its flow and its counts. */
void dbt_lower(struct translation *t, const struct guest_op *op);

/* ---- lower_flow.c ---- */

/* What JSR pushes; and in STUB_PUSH_WRAPS, where S is less already. */
void lower_call(struct translation *t, const struct guest_op *op);
void lower_wrapped_call(struct translation *t);
/* A jump taken when the branch `op` is; returns where its displacement is. */
uint32_t lower_condition(struct translation *t, const struct guest_op *op);
/* What is left of an RTS in STUB_MISSED; its target is in ecx then. */
void lower_missed_return(struct translation *t);
/* S as it was, in STUB_PULL_WRAPS. */
void lower_unpull(struct translation *t);
/* The target of RTS or JMP (indirect) in ecx, or what an RTS has pulled where that was foretold:
 * the target less 1. */
void lower_target(struct translation *t, const struct guest_op *op);

#endif
