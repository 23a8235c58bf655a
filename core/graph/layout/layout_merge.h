/* The state while chains are merged. layout_chains.c merges them; layout_gain.c computes what a
 * merge gains. Private to both. */
#ifndef HOTGRAPH_LAYOUT_MERGE_H
#define HOTGRAPH_LAYOUT_MERGE_H

#include "graph/layout/layout_internal.h"

struct jump { /* a local arc with a weight, between two blocks */
    uint32_t from, to;
    uint32_t next; /* next jump of its list, which is between two chains or within one;
                      LAYOUT_NONE */
    bool layable;
    int64_t weight;
};

struct jumps {
    uint32_t first, last;
};

struct chain { /* numbered by its lowest block */
    uint32_t *blocks;
    uint32_t count;
    bool owned; /* `blocks` was allocated */
    int64_t size;
    struct jumps inner;
    VEC(uint32_t) pairs; /* pairs with other chains; some may be `gone` */
};

/* How two chains X and Y become one. */
enum merge_shape { MERGE_X_Y, MERGE_X1_Y_X2, MERGE_Y_X2_X1, MERGE_X2_X1_Y };
struct merge {
    int64_t gain; /* 0: no merge gains anything */
    bool swapped; /* X is the pair's b */
    uint8_t shape;
    uint32_t split; /* number of blocks in X1 */
};

struct pair {      /* two chains with jumps between them */
    uint32_t a, b; /* a < b */
    uint32_t heap; /* position in the heap; LAYOUT_NONE: not in it */
    bool gone;
    struct jumps between;
    struct merge best;
};

struct moved {          /* a jump, with its ends as positions in their chains */
    uint32_t from, to;  /* positions of the two blocks in their chains, in blocks */
    int64_t end, start; /* in bytes: end of the source, start of the target */
    int64_t weight;
    bool layable, out; /* out: from X to Y */
};

struct merging {
    const struct layout_plan *plan;
    struct chain *chains;                /* one for each block; count 0: merged into another
                                            chain */
    uint32_t *chain, *ordinal, *singles; /* of each block: its chain, its position there, and the
                                            block itself */
    int64_t *offset;                     /* of each block: bytes from the start of its chain */
    struct jump *jumps;
    uint32_t jump_count;
    VEC(struct pair) pairs;
    VEC(uint32_t) heap;
    uint32_t *mark; /* of each chain: 1 + the number of a pair, or 0 */
    /* For layout_gain.c: room for all jumps and for the split points of the longest chain. */
    struct moved *between;
    size_t between_count;
    struct split_point {
        int64_t inserted, turned; /* change of X's score as X1 Y X2, and as X2 X1 */
        int64_t enters, leaves;   /* weight that could fall into Y, and out of Y */
    } points[LAYOUT_SPLIT + 1];
};

/* The merge of the pair with the largest gain. Of equal ones the first wins, in this order: a b, b a,
 * then a split before its second block (in the order of enum merge_shape), before its third, and so
 * on; then b split in the same way. */
struct merge layout_merge_best(struct merging *m, const struct pair *pair);

#endif
