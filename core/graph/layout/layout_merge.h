/* The state of merging chains, shared by layout_chains.c, which merges, and layout_gain.c, which
 * says what a merging gains. Private to both. */
#ifndef HOTGRAPH_LAYOUT_MERGE_H
#define HOTGRAPH_LAYOUT_MERGE_H

#include "graph/layout/layout_internal.h"

struct jump { /* a local arc that has a weight, between two blocks */
    uint32_t from, to;
    uint32_t next; /* of the list it is in: between two chains, or within one; LAYOUT_NONE */
    bool layable;
    int64_t weight;
};

struct jumps {
    uint32_t first, last;
};

struct chain { /* its number is that of its lowest block */
    uint32_t *blocks;
    uint32_t count;
    bool owned; /* blocks is from malloc */
    int64_t size;
    struct jumps inner;
    VEC(uint32_t) pairs; /* with other chains; some may be gone */
};

/* How two chains X and Y become one. */
enum merge_shape { MERGE_X_Y, MERGE_X1_Y_X2, MERGE_Y_X2_X1, MERGE_X2_X1_Y };
struct merge {
    int64_t gain; /* 0: none gains anything */
    bool swapped; /* X is the pair's b */
    uint8_t shape;
    uint32_t split; /* blocks of X1 */
};

struct pair {      /* of chains between which jumps lead */
    uint32_t a, b; /* a < b */
    uint32_t heap; /* where it is; LAYOUT_NONE: it is not there */
    bool gone;
    struct jumps between;
    struct merge best;
};

struct moved {          /* a jump, by where its ends are in their chains */
    uint32_t from, to;  /* ordinal numbers of the blocks */
    int64_t end, start; /* bytes: the end of the source, the start of the target */
    int64_t weight;
    bool layable, out; /* out: from X to Y */
};

struct merging {
    const struct layout_plan *plan;
    struct chain *chains;                /* one a block; count 0: merged into another */
    uint32_t *chain, *ordinal, *singles; /* of each block: its chain, its number there; itself */
    int64_t *offset;                     /* bytes from its chain's start */
    struct jump *jumps;
    uint32_t jump_count;
    VEC(struct pair) pairs;
    VEC(uint32_t) heap;
    uint32_t *mark; /* of each chain: 1 + a pair; 0 */
    /* For layout_gain.c: room for all jumps, and for the split points of the longest chain. */
    struct moved *between;
    size_t between_count;
    struct split_point {
        int64_t inserted, turned; /* how the score of X changes: X1 Y X2; X2 X1 */
        int64_t enters, leaves;   /* weight that could fall into Y, and out of it */
    } points[LAYOUT_SPLIT + 1];
};

/* The merging of the pair that gains most; of several, the first in the order: a b, b a, then a
 * split before its second block in the order of enum merge_shape, before its third, ..., then b. */
struct merge layout_merge_best(struct merging *m, const struct pair *pair);

#endif
