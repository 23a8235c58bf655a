/* Minimum-cost circulation: checks the bounds, reduces lower bounds to 0, runs a solver, and adds
 * the bounds again. */
#include "graph/flow/circulation.h"

#include "graph/flow/convex.h"
#include "graph/flow/residual.h"

#include <stdlib.h>

/* Potentials of the simplex method stay below a small multiple of nodes * cost. */
#define POTENTIAL_MAX (INT64_MAX / 8)

void circulation_free(struct circulation *c) {
    vec_free(&c->arcs);
    *c = (struct circulation){0};
}

uint64_t circulation_gcc_limit(size_t nodes, size_t arcs) {
    unsigned __int128 size = (unsigned __int128)nodes * arcs;
    return 10 + (size == 0 || size > 1000000 ? 0 : 1000000 / (uint64_t)size);
}

static enum status too_large(struct error *e) {
    return error_set(e, STATUS_ARGUMENT,
                     "the bounds or costs are so large that a sum of them could pass 64 bits");
}

static enum status check_arc(const struct circulation *c, size_t i, struct error *e) {
    const struct arc *arc = &c->arcs.at[i];
    if (arc->from >= c->nodes || arc->to >= c->nodes)
        return error_set(e, STATUS_ARGUMENT, "arc %zu is from %u to %u, and there are %zu nodes", i,
                         arc->from, arc->to, c->nodes);
    if (arc->lower > arc->upper)
        return error_set(e, STATUS_ARGUMENT, "arc %zu carries at least %lld and at most %lld", i,
                         (long long)arc->lower, (long long)arc->upper);
    return STATUS_OK;
}

/* Checks all numbers. For Klein's method, which has arcs, it also substitutes f = lower + flow, with
 * 0 <= flow <= upper - lower. */
static enum status take_out_bounds(struct residual *r, const struct circulation *c,
                                   struct error *e) {
    for (size_t i = 0; i < c->arcs.len; i++) {
        const struct arc *arc = &c->arcs.at[i];
        enum status status = check_arc(c, i, e);
        if (status != STATUS_OK)
            return status;
        int64_t cap = ARC_UNBOUNDED;
        if ((arc->upper != ARC_UNBOUNDED &&
             (__builtin_sub_overflow(arc->upper, arc->lower, &cap) || cap == ARC_UNBOUNDED)) ||
            __builtin_add_overflow(r->excess[arc->to], arc->lower, &r->excess[arc->to]) ||
            __builtin_sub_overflow(r->excess[arc->from], arc->lower, &r->excess[arc->from]) ||
            arc->cost == INT64_MIN)
            return too_large(e);
        int64_t cost = arc->cost < 0 ? -arc->cost : arc->cost;
        r->largest_cost = cost > r->largest_cost ? cost : r->largest_cost;
        if (r->arcs != NULL)
            r->arcs[i] = (struct residual_arc){
                .from = arc->from, .to = arc->to, .cap = cap, .cost = arc->cost};
    }
    /* Total excess; also bounds the flow on the extra arc of any node. */
    int64_t sum = 0;
    for (size_t v = 0; v < c->nodes; v++)
        if (r->excess[v] > 0 && __builtin_add_overflow(sum, r->excess[v], &sum))
            return too_large(e);
    if ((__int128)r->largest_cost * ((__int128)c->nodes + 2) > POTENTIAL_MAX)
        return too_large(e);
    return STATUS_OK;
}

static enum status put_back_bounds(struct circulation *c, const struct residual *r,
                                   struct error *e) {
    for (size_t i = 0; i < c->arcs.len; i++)
        if (__builtin_add_overflow(r->arcs[i].flow, c->arcs.at[i].lower, &c->arcs.at[i].flow))
            return too_large(e);
    return STATUS_OK;
}

static enum status sum_costs(const struct circulation *c, struct circulation_result *result,
                             struct error *e) {
    __int128 cost = 0;
    for (size_t i = 0; i < c->arcs.len; i++) {
        const struct arc *arc = &c->arcs.at[i];
        if (__builtin_add_overflow(cost, (__int128)arc->flow * arc->cost, &cost))
            return too_large(e);
    }
    if (cost < INT64_MIN || cost > INT64_MAX)
        return error_set(e, STATUS_ARGUMENT, "the least cost itself is beyond 64 bits");
    result->cost = (int64_t)cost;
    return STATUS_OK;
}

static enum status tell_outcome(const struct circulation_result *result, struct error *e) {
    switch (result->outcome) {
    case CIRCULATION_INFEASIBLE:
        return error_set(e, STATUS_ARGUMENT, "no flow keeps all bounds and supplies");
    case CIRCULATION_UNLIMITED:
        return error_set(e, STATUS_ARGUMENT,
                         "there is no least cost: arcs without a bound let it fall without limit");
    default:
        return STATUS_OK;
    }
}

static enum status solve_convex(struct circulation *c, struct circulation_options options,
                                struct circulation_result *result, struct error *e) {
    struct convex x = {0};
    struct presolve *left = NULL;
    enum status status = convex_make(&x, c, e);
    x.large_nodes = options.large_nodes != 0 ? options.large_nodes : CIRCULATION_LARGE;
    if (status == STATUS_OK && options.basis != NULL)
        status = basis_propose(options.basis, options.names, c, &x, e);
    if (status == STATUS_OK)
        status = presolve_reduce(&left, &x, result, e);
    if (status == STATUS_OK && result->outcome != CIRCULATION_INFEASIBLE)
        status = simplex_solve(&x, left, result, e);
    if (status == STATUS_OK)
        status = tell_outcome(result, e);
    if (status == STATUS_OK)
        status = presolve_restore(left, &x, e);
    if (status == STATUS_OK)
        convex_read_back(&x, c);
    if (status == STATUS_OK && options.basis != NULL)
        basis_keep(options.basis, options.names, c, &x);
    presolve_free(left);
    convex_free(&x);
    return status;
}

enum status circulation_solve(struct circulation *c, struct circulation_options options,
                              struct circulation_result *result, struct error *e) {
    *result = (struct circulation_result){0};
    if (c->nodes >= UINT32_MAX)
        return error_set(e, STATUS_ARGUMENT, "%zu nodes are more than 2^32 - 2", c->nodes);
    const bool klein = options.solver == CIRCULATION_KLEIN;
    struct residual r = {
        .nodes = c->nodes,
        .arc_count = c->arcs.len,
        .arcs = klein ? calloc(c->arcs.len + 1, sizeof *r.arcs) : NULL,
        .excess = calloc(c->nodes + 1, sizeof *r.excess),
    };
    enum status status = STATUS_OK;
    if ((klein && r.arcs == NULL) || r.excess == NULL)
        status =
            error_set(e, STATUS_MEMORY, "out of memory for a network of %zu arcs", c->arcs.len);
    if (status == STATUS_OK)
        status = take_out_bounds(&r, c, e);
    if (status == STATUS_OK)
        status = klein ? klein_solve(&r, options.cancel_limit, result, e)
                       : solve_convex(c, options, result, e);
    if (status == STATUS_OK)
        status = tell_outcome(result, e);
    if (status == STATUS_OK && klein)
        status = put_back_bounds(c, &r, e);
    if (status == STATUS_OK)
        status = sum_costs(c, result, e);
    free(r.arcs);
    free(r.excess);
    return status;
}
