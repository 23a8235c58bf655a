/*
 * circulation: minimum-cost flow. The input is a network with bounds and costs, the output a flow.
 * Nothing here knows what the network stands for.
 *
 * Each arc carries a flow between `lower` and `upper`. Inflow equals outflow at every node. The sum
 * of cost times flow is minimal. A supply is an arc of an extra node with lower == upper. Parallel
 * arcs, loops and negative costs are allowed; parallel arcs make a convex cost.
 *
 * Invariants
 *  - All numbers are 64-bit integers. A network whose numbers could overflow is refused.
 *  - The flow depends only on the network, the order of its arcs, and the solver with its limit.
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

#define ARC_UNBOUNDED     INT64_MAX /* as upper: no bound */
#define CIRCULATION_LARGE 2048      /* see circulation_options */

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
    /* Saturates the arcs of negative cost, sends the resulting excess back along shortest paths
     * (Edmonds and Karp 1972), then cancels cycles of negative cost (Klein 1967). */
    CIRCULATION_KLEIN,
};

/* Where a solution ended, for the next one of a similar network to begin with: the edges of its tree
 * and the potentials of its nodes. */
struct circulation_basis;
struct circulation_basis *circulation_basis_new(void);    /* empty; NULL: out of memory */
void circulation_basis_free(struct circulation_basis *b); /* NULL is fine */

struct circulation_options {
    enum circulation_solver solver;
    /* Klein: cancel at most this many cycles; 0: all. */
    uint64_t cancel_limit;
    /* Simplex, if not NULL: begins with this basis, and replaces it by that of this solution. The
     * flow is the same as without, the steps are fewer. */
    struct circulation_basis *basis;
    const uint64_t *names; /* with a basis: of each node, by which it is known in later networks */
    /* Simplex: networks of at least so many nodes, after presolving, are solved in a way that suits
     * large ones; 0: CIRCULATION_LARGE. The flow is the same, the steps are others. */
    size_t large_nodes;
};

enum circulation_outcome {
    CIRCULATION_OPTIMAL,
    CIRCULATION_LIMITED,    /* a feasible flow, but the limit was reached */
    CIRCULATION_INFEASIBLE, /* no flow satisfies all bounds */
    CIRCULATION_UNLIMITED,  /* the cost has no minimum: it falls for ever along unbounded arcs */
};

struct circulation_result {
    enum circulation_outcome outcome;
    int64_t cost;
    uint64_t steps; /* pivots; with Klein: augmentations plus cancelled cycles */
    bool anew;      /* the basis led to an optimum that may not be the only one, so the network was
                       solved once more, without it */
};

/* STATUS_ARGUMENT: contradictory bounds, nodes that do not exist, numbers that would overflow, or
 * no flow of minimal cost (the outcome says why). The arcs' flows are then undefined. */
enum status circulation_solve(struct circulation *c, struct circulation_options options,
                              struct circulation_result *result, struct error *e);

/* The limit of GCC's solver (mcf.c): 10 + 1,000,000 / (nodes * arcs) cycles. */
uint64_t circulation_gcc_limit(size_t nodes, size_t arcs);

/* ---- DIMACS files: `p min NODES ARCS`, `n NODE SUPPLY`, `a FROM TO LOWER UPPER COST`, `c` ---- */

struct dimacs {
    struct circulation network; /* the file's arcs first, in file order, then the arcs of
                                   supplies */
    size_t arcs;                /* number of arcs from the file */
};
void dimacs_free(struct dimacs *d);
enum status dimacs_parse(struct dimacs *out, const char *text, size_t len, const char *name,
                         struct error *e);
enum status dimacs_read(struct dimacs *out, const char *path, struct error *e);

#endif
