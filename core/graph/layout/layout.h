/*
 * layout: what a graph is worth for laying out the code of its program.
 *
 * A layout is an order of the program's blocks. A conditional branch that falls through costs less
 * than a taken one. So a good layout places the likeliest successor of each block directly behind
 * it, and all hot code close together. A layout made from a found graph G is scored with the counts
 * of the exact graph H. The benefit is 0 for the code as it is and 1 for the layout made from H
 * itself:
 *
 *     benefit = (S(L(G)) - S(original)) / (S(L(H)) - S(original))
 *
 * Which edges count
 *     layable  the target can be placed directly behind the source: the source block runs on into the
 *              target, or ends with a conditional branch, or with a direct jump to an address that is
 *              not called
 *     local    these, and indirect jumps to an address that is not called
 * Calls, returns, interrupts, edges between regions or in memory, and edges of busy-waits are left
 * out. The block after a call stays behind it.
 *
 * S(L) is the sum over the local edges of H of count times a factor. Let d be the distance from the
 * end of the source to the start of the target. The factor is 1 if the target directly follows and
 * the edge is layable (else 0.1), 0.1 (1 - d / 1024) forwards over d < 1024 bytes, and 0.1 (1 - d /
 * 640) backwards over d < 640 bytes. S is an integer, in which LAYOUT_FALL stands for 1.
 *
 * L(G) merges chains of blocks; each step merges the two chains that gain most by G's weights. The
 * possible shapes are X Y and, if X has at most LAYOUT_SPLIT blocks, X1 Y X2, Y X2 X1 and X2 X1 Y
 * (layout_chains.c; Newell and Pupyrev, "Improved Basic Block Reordering", 2018). The chains of
 * each region are then placed by density, which is weight by size. Blocks without weight stay where
 * they were.
 *
 * Invariants
 *  - A layout depends only on the program and the graph, a score only on the layout and the exact
 *    graph. No result depends on the order of input or on threads, and floating point is used only
 *    for one last division.
 *  - A finished struct worth_reference is read-only: any number of threads may share it.
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

/* How execution continues after a block's last instruction. */
enum block_end {
    END_NONE,     /* into the next block: no transfer */
    END_BRANCH,   /* conditional, direct */
    END_JUMP,     /* direct */
    END_INDIRECT, /* a jump to a computed address */
    END_CALL,     /* direct or indirect: it returns to the block behind it */
    END_OTHER,    /* return, interrupt, ... */
    BLOCK_ENDS
};
extern const char *const block_end_words[BLOCK_ENDS]; /* the words used in files: "none", ... */

struct block_shape {
    uint32_t size; /* bytes from its entry to its end */
    uint32_t insns;
    uint8_t end; /* enum block_end */
};

/* Code that is laid out separately: a bank or a file. It reaches to the base of the next region. */
struct region {
    uint32_t base;
    bool memory; /* its code may change, so it is left alone */
};

/* A program: its blocks and edges. The edges' counts do not matter; their busy-waits do. */
struct layout_program {
    const struct graph *graph;
    const struct block_shape *shapes; /* one for each block */
    const struct region *regions;     /* by base; everything before the first is memory */
    size_t region_count;
};

/* The worth of a graph in one variant. NAN if the divisor is 0. */
struct worth_variant {
    double benefit;    /* NAN where the layout by H gains less than 1 % of the local weight */
    double fall_share; /* share of H's layable weight that falls through in L(G) */
    double hot_bytes;  /* share of the executed instructions that lie in G's hottest blocks;
                          these blocks have as many bytes as the blocks that hold 99 % of the
                          instructions by H */
    double successor;  /* take each block's likeliest edge by H: the share of their weight that
                          is likeliest in G, too */
};

struct worth {
    struct worth_variant as_found;
    struct worth_variant
        inferred;    /* the inflow of a block without a transfer continues behind it */
    double lost;     /* share of G's weight on edges that the program lacks */
    uint64_t placed; /* blocks with a weight in G, which are laid out by it */
};

/* The same for the exact graph. */
struct worth_exact {
    uint64_t local_weight, layable_weight;
    double score_original, score_best; /* S divided by the local weight, of the original layout
                                          and of L(H) */
    double fall_share_original, fall_share_best;
};

struct worth_reference;
/* `exact` describes the program, or another run of it. Copies what it needs of both.
 * STATUS_ARGUMENT if a block of `exact` is missing. */
enum status worth_reference_new(struct worth_reference **out, const struct layout_program *program,
                                const struct graph *exact, struct error *e);
void worth_reference_free(struct worth_reference *r); /* NULL is fine */
const struct worth_exact *worth_of_exact(const struct worth_reference *r);
/* STATUS_ARGUMENT if a block of g is missing. In a graph that is a set, each edge counts once. */
enum status worth_compare(const struct worth_reference *r, struct worth *out, const struct graph *g,
                          struct error *e);

/* A graph mapped onto the program. */
struct layout_weighing {
    uint64_t *edges; /* weight of each edge of program->graph, in its order; freed by the caller */
    uint64_t all, lost;  /* weight of g; the part of it on edges that the program lacks */
    uint64_t lost_edges; /* number of g's edges that the program lacks */
};
/* The weights that a layout uses. If they sum to more than 2^46, all are halved until they do not.
 * Busy-waits of the program weigh 0. inferred: a block that ends without a transfer passes its
 * inflow on to the next block. */
enum status layout_weigh(struct layout_weighing *out, const struct layout_program *program,
                         const struct graph *g, bool inferred, struct error *e);

/* Computes the layout: the position of each block of the program in its region. g NULL: the
 * original layout. */
enum status layout_positions(uint64_t *positions, const struct worth_reference *r,
                             const struct graph *g, bool inferred, struct error *e);

#endif
