/* Private to core/graph: the network that Klein's method works on. */
#ifndef HOTGRAPH_GRAPH_RESIDUAL_H
#define HOTGRAPH_GRAPH_RESIDUAL_H

#include "graph/flow/circulation.h"

/* A network whose lower bounds are 0: flows lie between 0 and cap. Node v must send `excess` more
 * than it receives. */
struct residual_arc {
    uint32_t from, to;
    int64_t cap; /* ARC_UNBOUNDED: no bound */
    int64_t cost, flow;
};
struct residual {
    size_t nodes, arc_count;
    struct residual_arc *arcs;
    int64_t *excess;
    int64_t largest_cost; /* largest absolute cost of an arc */
};

/* Fills in the flows, the outcome and the steps. */
enum status klein_solve(struct residual *r, uint64_t cancel_limit,
                        struct circulation_result *result, struct error *e);

/* Remaining capacity of an arc. */
static inline int64_t residual_room(const struct residual_arc *arc) {
    return arc->cap == ARC_UNBOUNDED ? ARC_UNBOUNDED : arc->cap - arc->flow;
}
/* Adds to the flow. False: the flow of an unbounded arc would exceed 64 bits. */
static inline bool residual_push(struct residual_arc *arc, int64_t amount) {
    return !__builtin_add_overflow(arc->flow, amount, &arc->flow);
}

#endif
