/*
 * Private to core/graph: a circulation as edges of convex cost, which the network simplex method
 * works on.
 *
 * Parallel arcs are one edge, whose cost is a chain of straight pieces, the cheapest first. An arc
 * that runs against its edge and can only take away from what the edge must carry is a piece, too:
 * so a count with a price for more and a price for less is one edge.
 *
 * Costs have 128 bits: a unit of an arc's cost is COST_UNIT. Below it is a hash of the arc's ends,
 * small enough that a whole cycle of them stays below the unit. So two flows of the same cost
 * differ in their hashes: only one flow is optimal (but for a chance of about 2^-24 wherever two
 * paths cost the same), and it does not matter how it was found. Far above every sum of costs is
 * COST_DEAR, the price of each unit beyond an edge's ends: any flow can thus be begun with, and
 * what keeps all bounds is cheaper than what does not.
 */
#ifndef HOTGRAPH_GRAPH_CONVEX_H
#define HOTGRAPH_GRAPH_CONVEX_H

#include "graph/flow/circulation.h"

#define FLOW_UNBOUNDED INT64_MAX /* as the position of an edge's last break: it has no end */
#define FLOW_NO_LEAST  INT64_MIN /* as that of the break before its first */

#define COST_UNIT  ((__int128)1 << 42)
#define COST_DEAR  ((__int128)1 << 104)
#define NODES_MOST (1u << 22) /* a path of that many edges at COST_DEAR still fits */

struct convex_break {
    __int128 slope; /* of the piece that begins here */
    int64_t at;
};

struct convex_edge {
    uint32_t from, to;
    /* breaks[first .. first + count] are its ends and what lies between; around them one more on
     * each side, so that the pieces beyond the ends are pieces like others. */
    uint32_t first, count;
    __int128 shift; /* added to each slope */
    int64_t flow;
};

struct convex {
    size_t nodes;
    VEC(struct convex_edge) edges;
    VEC(struct convex_break) breaks;
    /* For reading back: arcs of edge e are order[arcs[e] .. arcs[e + 1]), by slope. */
    size_t made; /* edges that were made of arcs; presolving adds more */
    uint32_t *order;
    size_t *arcs;
    bool *against; /* one an arc: it runs against its edge */
};

/* Bounds and costs have been checked (circulation.c). */
enum status convex_make(struct convex *out, const struct circulation *c, struct error *e);
void convex_free(struct convex *x);
/* Divides each edge's flow among its arcs. */
void convex_read_back(const struct convex *x, struct circulation *c);

/* Cost of one more unit on piece `piece`, from 0. */
static inline __int128 convex_slope(const struct convex *x, const struct convex_edge *edge,
                                    uint32_t piece) {
    return x->breaks.at[edge->first + piece].slope + edge->shift;
}
static inline int64_t convex_break_at(const struct convex *x, const struct convex_edge *edge,
                                      uint32_t piece) {
    return x->breaks.at[edge->first + piece].at;
}

/* Begins the breaks of an edge, which the caller then pushes; the last one with convex_end(). False
 * where memory is out. */
bool convex_begin(struct convex *x, struct convex_edge *edge);
bool convex_end(struct convex *x, int64_t at);

/* ---- presolve.c: what needs no search ---- */

struct presolve;
/* Takes out nodes and edges whose flow follows from others'. `live` and `alive` tell what is left;
 * the last node always is. */
enum status presolve_reduce(struct presolve **out, struct convex *x,
                            struct circulation_result *result, struct error *e);
bool presolve_has_edge(const struct presolve *p, size_t edge);
/* The flows of what was taken out, from those of what is left. */
enum status presolve_restore(const struct presolve *p, struct convex *x, struct error *e);
void presolve_free(struct presolve *p);

/* ---- simplex.c ---- */

/* Fills in the flow of each edge that is left. */
enum status simplex_solve(struct convex *x, const struct presolve *left,
                          struct circulation_result *result, struct error *e);

#endif
