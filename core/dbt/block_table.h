/*
 * block_table: finds, makes and forgets blocks, and keeps their versions. Private to core/dbt.
 * Place: above translate; dbt_run.c uses it.
 */
#ifndef HOTGRAPH_DBT_BLOCK_TABLE_H
#define HOTGRAPH_DBT_BLOCK_TABLE_H

#include "dbt/state.h"

enum found { FOUND, COLD, SLOW, INTERPRETED };
enum renewed { RENEWED, NOT_YET, NEVER_AGAIN };

/* Looks up the block at n's pc; translates it when it is hot. FOUND: *place is its code. */
enum found blocks_find(struct dbt *d, struct nes *n, uint32_t *place);
/* Links exit `number` to the block for pc, whose code is at `place`. */
void blocks_chain(struct dbt *d, uint32_t number, uint16_t pc, uint32_t place);
/* Call when no version of the block that was left by exit `number` matches the current bytes. */
enum renewed blocks_renew(struct dbt *d, struct nes *n, uint32_t number);
/* From now on the block at n's pc is left to the interpreter. */
void blocks_give_up(struct dbt *d, struct nes *n);
/* Translates the blocks in d->again again, and hot ones that are still to become superblocks. */
void blocks_make_again(struct dbt *d, struct nes *n);
/* Blocks with instructions at these pcs are to be translated again before they run. */
void blocks_probes_changed(struct dbt *d, const bool at_pc[0x10000]);
/* Selects the blocks for the banks that are mapped now. False: out of memory. */
bool blocks_select(struct dbt *d, const struct nes *n);
/* Forgets all blocks and execution counts, also of the recorder. */
void blocks_forget(struct dbt *d);
/* Frees the blocks. */
void blocks_free(struct dbt *d);

#endif
