/*
 * Which edges of a flow graph need counters, and what the others are (Knuth and Stevenson, 1973;
 * Ball and Larus, 1994).
 *
 * As much flow leaves each vertex as enters it. So arcs without counters may form a forest: the
 * flow of each follows from those with counters, a leaf at a time. The forest of the greatest
 * weight leaves the fewest executions to count. Arcs that cannot have a counter always belong to
 * it.
 *
 * Vertex 0 is all other code: what starts or ends there need not be balanced. Each piece of code
 * (text/code_pieces.h) has a vertex where it begins and, if it can go to several others, one where
 * it ends. A component of the forest without vertex 0 has one equation more than it needs: it
 * checks the counts.
 *
 *     size_t n = tree_arcs(pieces, count, arcs);         the arcs, with room for TREE_ARCS a piece
 *     tree_choose(arcs, n, &work);                       sets `counted` of those that need it
 *     tree_solve(arcs, n, &work, &fault);                sets `flow` of the others
 *
 * No memory is allocated, because the library and the command have different allocators.
 */
#ifndef HOTGRAPH_NATIVE_EDGE_TREE_H
#define HOTGRAPH_NATIVE_EDGE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TREE_NONE UINT32_MAX
enum { TREE_ARCS = 5, TREE_VERTICES = 2, TREE_WEIGHTS = 256 };

/* Other pieces are named by their index; TREE_NONE: none that is known. */
struct tree_piece {
    uint32_t next;   /* the one after it */
    uint32_t target; /* of a jump or call; of ends l: what follows until the symbol is resolved */
    uint32_t back;   /* of a call: the one whose return leads to `next`, ends r */
    uint32_t arm_of; /* the one whose jump through a table may lead here, ends w */
    char ends;       /* session.h has the letters */
    bool may_enter;  /* from other code */
    bool far;        /* of a branch: how often it is taken can be counted */
};

enum tree_kind {
    TREE_NODE,  /* executions of the piece */
    TREE_FALL,  /* its branch was not taken */
    TREE_TAKEN, /* its branch was taken: has a counter if the piece is `far` */
    /* These cannot have a counter: */
    TREE_ENTER, /* from other code */
    TREE_BACK,  /* of a call: the return from it */
    TREE_OUT,   /* from a linkage stub to other code */
    TREE_LAZY,  /* to what resolves its symbol */
    TREE_ARM,   /* from a jump through a table */
};

struct tree_arc {
    uint32_t from, to, piece;
    uint8_t kind, weight; /* weight: of a counter's executions, ascending; set by the caller */
    bool can_count;       /* can have a counter */
    bool counted;         /* has one, or is known otherwise */
    uint64_t flow;
};

/* The caller's arrays. N pieces have TREE_VERTICES * N + 1 vertices and TREE_ARCS * N arcs. */
struct tree_work {
    uint32_t *vertex;  /* two for each vertex */
    uint64_t *balance; /* one for each, of tree_solve(): 0, or what enters less what leaves that no
                          arc stands for */
    uint32_t *order;   /* one for each arc */
    size_t vertices;
};
static inline size_t tree_vertices(size_t pieces) {
    return TREE_VERTICES * pieces + 1;
}

static inline bool tree_can_count(const struct tree_arc *a) {
    return a->can_count;
}
/* The vertex where the piece begins. */
static inline uint32_t tree_begin(uint32_t piece) {
    return piece == TREE_NONE ? 0 : 1 + TREE_VERTICES * piece;
}

/* Writes the arcs of each piece, the node's first; weights are 0. Returns their number. */
size_t tree_arcs(const struct tree_piece *pieces, size_t n, struct tree_arc *out);
/* Counts the arcs outside of a maximum forest of those that are not counted yet. False: arcs that
 * cannot have a counter form a cycle. */
bool tree_choose(struct tree_arc *arcs, size_t n, struct tree_work *work);
/* Where the counts contradict each other. */
struct tree_fault {
    uint32_t piece;
    uint64_t by;   /* the difference */
    bool negative; /* a flow would be below zero; else what enters and what leaves differ */
};
/* Sets the flow of what is not counted. False: the flows are not balanced. */
bool tree_solve(struct tree_arc *arcs, size_t n, struct tree_work *work, struct tree_fault *fault);

#endif
