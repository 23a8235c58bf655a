/*
 * circulation: flows of least cost. A network with bounds and costs in, a flow out; nothing here
 * knows what the network stands for.
 *
 * Each arc carries a flow from `lower` to `upper`; at every node as much comes in as goes out; the
 * sum of cost times flow is the least there is. Supplies are arcs of an extra node with lower ==
 * upper. Parallel arcs, loops and negative costs are fine; a convex cost is parallel arcs.
 *
 * Invariants
 *  - All numbers are 64-bit integers; what could pass them is refused, never wrapped.
 *  - The flow is a function of the network, its arcs in their order, and the options alone.
 *
 *     struct circulation c = {.nodes = 2};
 *     vec_push(&c.arcs, ((struct arc){.from = 0, .to = 1, .upper = 5, .cost = -3}));
 *     vec_push(&c.arcs, ((struct arc){.from = 1, .to = 0, .upper = ARC_UNBOUNDED, .cost = 1}));
 *     struct circulation_result result;
 *     if (circulation_solve(&c, (struct circulation_options){0}, &result, &err) == STATUS_OK)
 *         ... c.arcs.at[0].flow is 5, result.cost -10
 */
#ifndef HOTGRAPH_CIRCULATION_H
#define HOTGRAPH_CIRCULATION_H

#include "base/base.h"

#define ARC_UNBOUNDED INT64_MAX /* as upper: no bound */

struct arc {
    uint32_t from, to; /* nodes, from 0 */
    int64_t lower, upper, cost;
    int64_t flow; /* filled in by circulation_solve */
};

struct circulation {
    size_t nodes;
    VEC(struct arc) arcs;
};
void circulation_free(struct circulation *c);

enum circulation_solver {
    /* The network simplex method on strongly feasible trees (Cunningham 1976). */
    CIRCULATION_SIMPLEX,
    /* Arcs that pay are filled, what that leaves unbalanced flows back by augmenting along shortest
     * paths (Edmonds and Karp 1972), then cycles of negative cost are cancelled (Klein 1967). */
    CIRCULATION_KLEIN,
};

struct circulation_options {
    enum circulation_solver solver;
    /* Klein: at most this many cycles are cancelled; 0: until there is none. */
    uint64_t cancel_limit;
};

enum circulation_outcome {
    CIRCULATION_OPTIMAL,
    CIRCULATION_LIMITED,    /* a flow, but the limit came first */
    CIRCULATION_INFEASIBLE, /* no flow keeps all bounds */
    CIRCULATION_UNLIMITED,  /* the cost has no least: it falls for ever along unbounded arcs */
};

struct circulation_result {
    enum circulation_outcome outcome;
    int64_t cost;
    uint64_t steps; /* pivots; or augmentations and cancelled cycles */
};

/* STATUS_ARGUMENT for impossible bounds, nodes that there are not, numbers that would overflow, and
 * where there is no flow of least cost (the outcome says why); the arcs' flows are void then. */
enum status circulation_solve(struct circulation *c, struct circulation_options options,
                              struct circulation_result *result, struct error *e);

/* As GCC limits its solver (mcf.c): 10 + 1,000,000 / (nodes * arcs) cycles. */
uint64_t circulation_gcc_limit(size_t nodes, size_t arcs);

/* ---- DIMACS files: `p min NODES ARCS`, `n NODE SUPPLY`, `a FROM TO LOWER UPPER COST`, `c` ---- */

struct dimacs {
    struct circulation network; /* the file's arcs first, in its order, then those of supplies */
    size_t arcs;                /* how many are the file's */
};
void dimacs_free(struct dimacs *d);
enum status dimacs_parse(struct dimacs *out, const char *text, size_t len, const char *name,
                         struct error *e);
enum status dimacs_read(struct dimacs *out, const char *path, struct error *e);

#endif
