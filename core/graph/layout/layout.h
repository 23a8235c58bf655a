/*
 * layout: what a graph is worth for laying out the code of the program.
 *
 * A layout is an order of the program's blocks. A conditional branch that falls through costs less
 * than one that is taken, so a good layout puts the likeliest successor of each block behind it,
 * and everything hot close together. The layout by a found graph G is scored by what the exact
 * graph H counts, and the score is put between that of the code as it is (0) and that of the layout
 * by H itself (1):
 *
 *     benefit = (S(L(G)) - S(original)) / (S(L(H)) - S(original))
 *
 * Which edges count
 *   layable  the source block runs on into the target, or ends with a conditional branch, or with a
 *            direct jump to an address that is not called: the target can be put behind it
 *   local    these, and indirect jumps to an address that is not called
 * Calls, returns, interrupts, edges between regions or in memory, and those of busy-waits are left
 * out. The block after a call stays behind it.
 *
 * S(L) = sum over the local edges of H of count times 1 where the target directly follows and the
 * edge is layable (else 0.1), 0.1 (1 - d / 1024) forwards over d < 1024 bytes, 0.1 (1 - d / 640)
 * backwards over d < 640 bytes, d from the end of the source to the start of the target. It is kept
 * as an integer, LAYOUT_FALL for 1.
 *
 * L(G): chains of blocks are merged, always those two whose merging gains most by G's weights: X Y,
 * or, where X has at most LAYOUT_SPLIT blocks, X1 Y X2, Y X2 X1, X2 X1 Y (layout_chains.c; Newell
 * and Pupyrev, "Improved Basic Block Reordering", 2018). Chains are then placed by density,
 * weight by size, region by region. Blocks without weight stay where they were.
 *
 * Invariants
 *  - A layout follows from program and graph alone, a score from layout and exact graph. No result
 *    depends on an order of input, on threads or on floating point but for one last division.
 *  - struct worth_reference is only read once made: any number of threads may share one.
 *
 *     struct worth_reference *r;
 *     struct worth w;
 *     if (worth_reference_new(&r, &program, &h, &e) == STATUS_OK &&
 *         worth_compare(r, &w, &g, &e) == STATUS_OK)
 *         ... w.as_found.benefit
 */
#ifndef HOTGRAPH_LAYOUT_H
#define HOTGRAPH_LAYOUT_H

#include "graph/graph.h"

enum { LAYOUT_FALL = 51200, LAYOUT_SPLIT = 128 };

/* How a block's last instruction goes on. */
enum block_end {
    END_NONE,     /* to the next one: no transfer */
    END_BRANCH,   /* conditional, direct */
    END_JUMP,     /* direct */
    END_INDIRECT, /* a jump to what is computed */
    END_CALL,     /* of either kind: the block behind it is where the call returns to */
    END_OTHER,    /* return, interrupt, ... */
    BLOCK_ENDS
};
extern const char *const block_end_words[BLOCK_ENDS]; /* as files have them: "none", ... */

struct block_shape {
    uint32_t size; /* bytes from its entry to its end */
    uint32_t insns;
    uint8_t end; /* enum block_end */
};

/* Code that is laid out by itself: a bank, a file. It reaches to the base of the next one. */
struct region {
    uint32_t base;
    bool memory; /* it may change: it is left alone */
};

/* A program: its blocks and edges, whose counts do not matter but whose busy-waits do. */
struct layout_program {
    const struct graph *graph;
    const struct block_shape *shapes; /* one a block */
    const struct region *regions;     /* by base; what lies before the first is memory */
    size_t region_count;
};

/* The worth of a graph in one variant. NAN if the divisor is 0. */
struct worth_variant {
    double benefit;    /* NAN where the layout by H gains less than 1 % of the local weight */
    double fall_share; /* of the layable weight of H: what falls through in L(G) */
    double hot_bytes;  /* share of the executed instructions in as many bytes of G's hottest blocks
                          as hold 99 % by H */
    double successor;  /* share of the weight of each block's likeliest edge, where it is likeliest
                          in G, too */
};

struct worth {
    struct worth_variant as_found;
    struct worth_variant
        inferred;    /* what comes into a block without a transfer goes on behind it */
    double lost;     /* share of G's weight that the program has no edge for */
    uint64_t placed; /* blocks that have a weight in G, so are laid out by it */
};

/* The same of the exact graph. */
struct worth_exact {
    uint64_t local_weight, layable_weight;
    double score_original, score_best; /* S by the local weight: as it is, and laid out by H */
    double fall_share_original, fall_share_best;
};

struct worth_reference;
/* exact: of the program, or of another run of it. Keeps nothing of either. STATUS_ARGUMENT where a
 * block of `exact` is missing. */
enum status worth_reference_new(struct worth_reference **out, const struct layout_program *program,
                                const struct graph *exact, struct error *e);
void worth_reference_free(struct worth_reference *r); /* NULL is fine */
const struct worth_exact *worth_of_exact(const struct worth_reference *r);
/* STATUS_ARGUMENT if a block of g is missing. A graph that is a set has each edge once. */
enum status worth_compare(const struct worth_reference *r, struct worth *out, const struct graph *g,
                          struct error *e);

/* A graph on the program. */
struct layout_weighing {
    uint64_t *edges; /* weight of each edge of program->graph, in its order; the caller frees it */
    uint64_t all, lost;  /* weight of g, and of that what the program has no edge for */
    uint64_t lost_edges; /* how many edges of g that is */
};
/* The weights that a layout goes by. Larger sums than 2^46 are halved until they are below. Those of
 * busy-waits of the program are 0. inferred: a block that ends without a transfer passes its inflow
 * on to the next one. */
enum status layout_weigh(struct layout_weighing *out, const struct layout_program *program,
                         const struct graph *g, bool inferred, struct error *e);

/* The layout by itself: where each block of the program begins, in its region. NULL for g: as it
 * is. */
enum status layout_positions(uint64_t *positions, const struct worth_reference *r,
                             const struct graph *g, bool inferred, struct error *e);

#endif
