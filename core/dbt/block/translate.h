/*
 * translate: translates whole blocks. Private to core/dbt. Place: above lower, instrument and
 * exits; block_table calls it.
 */
#ifndef HOTGRAPH_DBT_TRANSLATE_H
#define HOTGRAPH_DBT_TRANSLATE_H

#include "dbt/block/exits.h"
#include "dbt/host/cache.h"

struct block {
    struct content *home; /* its table refers to the block */
    uint16_t pc;
    uint16_t guest_bytes;
    uint8_t count; /* instructions */
    uint32_t address;
    uint32_t host, host_size;   /* place in the cache */
    uint32_t apart, apart_size; /* of a block in the hot part: where its stubs are */
    uint64_t executions;
    uint64_t carries; /* see struct translation */
    uint8_t *guest;   /* copy of the bytes */
    uint32_t first_exit, exits;
    struct positions *positions; /* of a traced block: see traced_blocks.c; else NULL */
};

/* What translation needs, and what the code in the cache refers to. */
struct translator {
    struct dbt_options options;
    struct cache cache;
    struct encodings encodings;
    struct fixed fixed;
    struct exits exits;
    struct all_targets targets;
    struct returns returns;
    struct loop_counts loops;
    struct stub *stubs; /* [STUBS], of the block in translation; too many for a thread's stack */
    bool recorded;      /* makes traced blocks; see traced_blocks.c */
    uint32_t number;    /* the next block's */
    const uint64_t *carries_before; /* see struct translation */
};
/* For zeroed memory. False: out of memory; translator_close() is allowed all the same. */
bool translator_open(struct translator *with);
/* Empties the cache, and frees what its code refers to. */
void translator_forget(struct translator *with);
void translator_close(struct translator *with);

/* NULL: the cache is full, or out of memory. */
struct block *dbt_translate(struct translator *with, struct nes *n, const struct guest_block *g);
void block_free(struct block *b); /* NULL is allowed */

#endif
