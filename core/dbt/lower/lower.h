/*
 * lower: one guest instruction as host instructions. Private to core/dbt. Place: above operands and
 * mmio; adds stubs and pending counts to the translation.
 */
#ifndef HOTGRAPH_DBT_LOWER_H
#define HOTGRAPH_DBT_LOWER_H

#include "dbt/lower/translation.h"

/* Emits the current instruction, without its control flow and counts. */
void dbt_lower(struct translation *t, const struct guest_op *op);

/* ---- lower_flow.c ---- */

/* Emits the push of JSR; and the body of STUB_PUSH_WRAPS, where S is already decremented. */
void lower_call(struct translation *t, const struct guest_op *op);
void lower_wrapped_call(struct translation *t);
/* Emits a jump that is taken if the branch `op` is. Returns the offset of its displacement. */
uint32_t lower_condition(struct translation *t, const struct guest_op *op);
/* Emits an RTS that returns to the JSR of its superblock. */
void lower_inlined_return(struct translation *t, const struct guest_op *op);
/* Emits the rest of an RTS in STUB_MISSED; leaves its target in ecx. */
void lower_missed_return(struct translation *t);
/* Restores S, in STUB_PULL_WRAPS. */
void lower_unpull(struct translation *t);
/* Loads the target of RTS or JMP (indirect) into ecx; for a predicted RTS the value it pulls, its
 * target less 1. */
void lower_target(struct translation *t, const struct guest_op *op);

#endif
