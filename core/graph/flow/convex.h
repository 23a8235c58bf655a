/*
 * Private to core/graph: a circulation as edges of convex cost, the form that the network simplex
 * method works on.
 *
 * Parallel arcs become one edge. Its cost is a chain of straight pieces, the cheapest first. An arc
 * in the opposite direction becomes a piece of the same edge if it can only reduce what the edge
 * must carry. So a count with one price for more and another price for less is one edge.
 *
 * Costs have 128 bits. One unit of an arc's cost is COST_UNIT. The bits below hold a hash of the
 * arc's ends, so small that the hashes along any cycle sum to less than COST_UNIT. Two flows of the
 * same cost therefore differ in their hashes, and only one flow is optimal, no matter how it was
 * found. (Where two paths cost the same, the hashes are equal with a probability of about 2^-24.)
 * COST_DEAR, far above every sum of costs, is the price of each unit beyond an edge's ends. So the
 * search may start with any flow, and a flow within all bounds is always cheaper.
 */
#ifndef HOTGRAPH_GRAPH_CONVEX_H
#define HOTGRAPH_GRAPH_CONVEX_H

#include "graph/flow/circulation.h"

#define FLOW_UNBOUNDED INT64_MAX /* position of an edge's last break: the edge has no upper end */
#define FLOW_NO_LEAST  INT64_MIN /* position of the break before the first: no lower end */

#define COST_UNIT  ((__int128)1 << 42)
#define COST_DEAR  ((__int128)1 << 104)
#define NODES_MOST (1u << 22) /* a path of that many edges at COST_DEAR still fits */

struct convex_break {
    __int128 slope; /* of the piece that begins here */
    int64_t at;
};

struct convex_edge {
    uint32_t from, to;
    /* breaks[first .. first + count] are the two ends and the breaks between them. One more break
     * on each side makes the pieces beyond the ends look like all others. */
    uint32_t first, count;
    __int128 shift; /* added to each slope */
    int64_t flow;
    bool in_tree; /* of an earlier solution, until simplex_solve() sets it */
};

/* A node's potential. Before simplex_solve() it is that of an earlier solution, if that knew the
 * node. */
struct convex_potential {
    unsigned __int128 value; /* only differences matter, so it may wrap */
    bool known;
};

struct convex {
    size_t nodes;
    size_t
        large_nodes; /* so many nodes after presolving are a large network (simplex_entering.c) */
    struct convex_potential *potentials; /* of each node; NULL: nobody asks for a basis */
    VEC(struct convex_edge) edges;
    VEC(struct convex_break) breaks;
    /* For convex_read_back(): the arcs of edge e are order[arcs[e] .. arcs[e + 1]), by slope. */
    size_t made; /* edges made of arcs; presolving adds more */
    uint32_t *order;
    size_t *arcs;
    bool *against; /* for each arc: it runs against its edge */
};

/* The caller (circulation.c) has checked bounds and costs. */
enum status convex_make(struct convex *out, const struct circulation *c, struct error *e);
void convex_free(struct convex *x);
/* Divides each edge's flow among its arcs. */
void convex_read_back(const struct convex *x, struct circulation *c);

/* Cost of one more unit on piece `piece`, counted from 0. */
static inline __int128 convex_slope(const struct convex *x, const struct convex_edge *edge,
                                    uint32_t piece) {
    return x->breaks.at[edge->first + piece].slope + edge->shift;
}
static inline int64_t convex_break_at(const struct convex *x, const struct convex_edge *edge,
                                      uint32_t piece) {
    return x->breaks.at[edge->first + piece].at;
}

/* The piece that contains this flow; at a break the piece before it. */
static inline uint32_t convex_piece(const struct convex *x, const struct convex_edge *edge,
                                    int64_t flow) {
    uint32_t piece = 0;
    while (piece + 1 < edge->count && convex_break_at(x, edge, piece + 1) < flow)
        piece++;
    return piece;
}

/* Begins an edge. The caller then pushes its breaks, the last one with convex_end(). False: out of
 * memory. */
bool convex_begin(struct convex *x, struct convex_edge *edge);
bool convex_end(struct convex *x, int64_t at);

/* ---- presolve.c: steps that need no search ---- */

struct presolve;
/* Removes nodes and edges whose flow follows from others. `live` and `alive` say what remains; the
 * last node always does. */
enum status presolve_reduce(struct presolve **out, struct convex *x,
                            struct circulation_result *result, struct error *e);
bool presolve_has_edge(const struct presolve *p, size_t edge);
/* Computes the flows of the removed edges from those of the remaining ones; with potentials also
 * which of them are in the tree, and the potentials of the removed nodes. */
enum status presolve_restore(const struct presolve *p, struct convex *x, struct error *e);
void presolve_free(struct presolve *p);

/* ---- simplex.c ---- */

/* Sets the flow of each remaining edge; with potentials also the tree and the potentials. It begins
 * with the tree and the potentials that are already there. */
enum status simplex_solve(struct convex *x, const struct presolve *left,
                          struct circulation_result *result, struct error *e);

/* ---- basis.c ---- */

/* Writes an earlier basis into the network, before presolving. */
enum status basis_propose(const struct circulation_basis *b, const uint64_t *names,
                          const struct circulation *c, struct convex *x, struct error *e);
/* Replaces the basis by the network's; an empty one if memory is out. */
void basis_keep(struct circulation_basis *b, const uint64_t *names, const struct circulation *c,
                const struct convex *x);

#endif
