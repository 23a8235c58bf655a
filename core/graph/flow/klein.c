/*
 * Minimum-cost flow by textbook methods. First, every arc of negative cost is saturated, which
 * unbalances its ends. Then excess flows to nodes with a deficit along paths of fewest arcs
 * (Edmonds and Karp 1972). Finally, flow is sent round cycles of negative cost until there are none
 * (Klein 1967); the method of Bellman and Ford finds them.
 */
#include "graph/flow/residual.h"

#include <stdlib.h>

#define NO_STEP SIZE_MAX

struct klein {
    struct residual *r;
    size_t *first;   /* index of each node's first step; nodes + 1 entries */
    size_t *steps;   /* by the node that they leave: 2 * arc, along it, and 2 * arc + 1, against
                        it */
    size_t *by;      /* the step that reached each node */
    uint32_t *queue; /* queue of the search; marks while `by` is followed */
    int64_t *distance;
};

static uint32_t step_from(const struct residual *r, size_t step) {
    return step % 2 == 0 ? r->arcs[step / 2].from : r->arcs[step / 2].to;
}

static uint32_t step_to(const struct residual *r, size_t step) {
    return step % 2 == 0 ? r->arcs[step / 2].to : r->arcs[step / 2].from;
}

static int64_t step_room(const struct residual *r, size_t step) {
    const struct residual_arc *arc = &r->arcs[step / 2];
    return step % 2 == 0 ? residual_room(arc) : arc->flow;
}

static int64_t step_cost(const struct residual *r, size_t step) {
    int64_t cost = r->arcs[step / 2].cost;
    return step % 2 == 0 ? cost : -cost;
}

static bool step_push(struct residual *r, size_t step, int64_t amount) {
    return residual_push(&r->arcs[step / 2], step % 2 == 0 ? amount : -amount);
}

static bool klein_init(struct klein *k, struct residual *r) {
    size_t n = r->nodes;
    *k = (struct klein){
        .r = r,
        .first = calloc(n + 2, sizeof *k->first),
        .steps = calloc(2 * r->arc_count + 1, sizeof *k->steps),
        .by = calloc(n + 1, sizeof *k->by),
        .queue = calloc(n + 1, sizeof *k->queue),
        .distance = calloc(n + 1, sizeof *k->distance),
    };
    if (k->first == NULL || k->steps == NULL || k->by == NULL || k->queue == NULL ||
        k->distance == NULL)
        return false;
    for (size_t step = 0; step < 2 * r->arc_count; step++)
        k->first[step_from(r, step) + 2]++;
    for (size_t v = 0; v < n; v++)
        k->first[v + 2] += k->first[v + 1];
    for (size_t step = 0; step < 2 * r->arc_count; step++)
        k->steps[k->first[step_from(r, step) + 1]++] = step;
    return true;
}

static void klein_free(struct klein *k) {
    free(k->first);
    free(k->steps);
    free(k->by);
    free(k->queue);
    free(k->distance);
}

/* ---- a feasible flow ---- */

static bool fill_paying_arcs(struct residual *r) {
    for (size_t i = 0; i < r->arc_count; i++) {
        struct residual_arc *arc = &r->arcs[i];
        if (arc->cost >= 0 || arc->cap == ARC_UNBOUNDED)
            continue;
        arc->flow = arc->cap;
        if (__builtin_add_overflow(r->excess[arc->to], arc->cap, &r->excess[arc->to]) ||
            __builtin_sub_overflow(r->excess[arc->from], arc->cap, &r->excess[arc->from]))
            return false;
    }
    return true;
}

/* Breadth-first search from all nodes with excess. Returns the first node reached that has a
 * deficit, or UINT32_MAX. */
static uint32_t find_path(struct klein *k) {
    struct residual *r = k->r;
    size_t head = 0, tail = 0;
    for (uint32_t v = 0; v < r->nodes; v++) {
        k->by[v] = r->excess[v] > 0 ? NO_STEP - 1 : NO_STEP; /* a start, or not reached */
        if (r->excess[v] > 0)
            k->queue[tail++] = v;
    }
    while (head < tail) {
        uint32_t v = k->queue[head++];
        for (size_t i = k->first[v]; i < k->first[v + 1]; i++) {
            uint32_t to = step_to(r, k->steps[i]);
            if (k->by[to] != NO_STEP || step_room(r, k->steps[i]) == 0)
                continue;
            k->by[to] = k->steps[i];
            if (r->excess[to] < 0)
                return to;
            k->queue[tail++] = to;
        }
    }
    return UINT32_MAX;
}

static bool augment(struct klein *k, uint32_t sink) {
    struct residual *r = k->r;
    int64_t amount = r->excess[sink] == INT64_MIN ? INT64_MAX : -r->excess[sink];
    uint32_t v = sink;
    for (; k->by[v] != NO_STEP - 1; v = step_from(r, k->by[v]))
        if (step_room(r, k->by[v]) < amount)
            amount = step_room(r, k->by[v]);
    if (r->excess[v] < amount)
        amount = r->excess[v];
    r->excess[v] -= amount;
    r->excess[sink] += amount;
    bool ok = true;
    for (v = sink; k->by[v] != NO_STEP - 1; v = step_from(r, k->by[v]))
        ok &= step_push(r, k->by[v], amount);
    return ok;
}

static bool balanced(const struct residual *r) {
    for (size_t v = 0; v < r->nodes; v++)
        if (r->excess[v] != 0)
            return false;
    return true;
}

/* ---- lowering the cost ---- */

/* Returns a node on a cycle of `by`, or UINT32_MAX. */
static uint32_t find_circle(struct klein *k) {
    struct residual *r = k->r;
    for (size_t v = 0; v < r->nodes; v++)
        k->queue[v] = UINT32_MAX;
    for (uint32_t start = 0; start < r->nodes; start++) {
        uint32_t v = start;
        while (k->queue[v] == UINT32_MAX) {
            k->queue[v] = start;
            if (k->by[v] == NO_STEP)
                break;
            v = step_from(r, k->by[v]);
        }
        if (k->by[v] != NO_STEP && k->queue[v] == start)
            return v; /* visited before in this walk */
    }
    return UINT32_MAX;
}

/* Bellman and Ford, from all nodes at once. While `by` has no cycle, every distance is that of a
 * simple path, so nothing overflows. */
static uint32_t find_negative_cycle(struct klein *k) {
    struct residual *r = k->r;
    for (size_t v = 0; v < r->nodes; v++) {
        k->distance[v] = 0;
        k->by[v] = NO_STEP;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t step = 0; step < 2 * r->arc_count; step++) {
            if (step_room(r, step) == 0)
                continue;
            int64_t through = k->distance[step_from(r, step)] + step_cost(r, step);
            uint32_t to = step_to(r, step);
            if (through >= k->distance[to])
                continue;
            k->distance[to] = through;
            k->by[to] = step;
            changed = true;
        }
        uint32_t on_cycle = changed ? find_circle(k) : UINT32_MAX;
        if (on_cycle != UINT32_MAX)
            return on_cycle;
    }
    return UINT32_MAX;
}

/* False if a sum exceeds 64 bits. */
static bool cancel(struct klein *k, uint32_t on_cycle, bool *unlimited) {
    struct residual *r = k->r;
    int64_t amount = ARC_UNBOUNDED;
    uint32_t v = on_cycle;
    do {
        if (step_room(r, k->by[v]) < amount)
            amount = step_room(r, k->by[v]);
        v = step_from(r, k->by[v]);
    } while (v != on_cycle);
    *unlimited = amount == ARC_UNBOUNDED;
    if (*unlimited)
        return true;
    bool ok = true;
    do {
        ok &= step_push(r, k->by[v], amount);
        v = step_from(r, k->by[v]);
    } while (v != on_cycle);
    return ok;
}

static enum status too_large(struct error *e) {
    return error_set(e, STATUS_ARGUMENT,
                     "the bounds or costs are so large that a sum of them could pass 64 bits");
}

static enum status make_flow(struct klein *k, struct circulation_result *result, struct error *e) {
    if (!fill_paying_arcs(k->r))
        return too_large(e);
    for (uint32_t sink; (sink = find_path(k)) != UINT32_MAX; result->steps++)
        if (!augment(k, sink))
            return too_large(e);
    result->outcome = balanced(k->r) ? CIRCULATION_OPTIMAL : CIRCULATION_INFEASIBLE;
    return STATUS_OK;
}

static enum status cancel_cycles(struct klein *k, uint64_t limit, struct circulation_result *result,
                                 struct error *e) {
    for (uint64_t cancelled = 0;; cancelled++, result->steps++) {
        uint32_t on_cycle = find_negative_cycle(k);
        if (on_cycle == UINT32_MAX)
            return STATUS_OK;
        bool unlimited;
        if (limit != 0 && cancelled == limit) {
            result->outcome = CIRCULATION_LIMITED;
            return STATUS_OK;
        }
        if (!cancel(k, on_cycle, &unlimited))
            return too_large(e);
        if (unlimited) {
            result->outcome = CIRCULATION_UNLIMITED;
            return STATUS_OK;
        }
    }
}

enum status klein_solve(struct residual *r, uint64_t cancel_limit,
                        struct circulation_result *result, struct error *e) {
    /* A pass may lower a distance by the cost of every arc in both directions. */
    if ((__int128)r->largest_cost * ((__int128)r->nodes + 2 * (__int128)r->arc_count + 1) >
        INT64_MAX)
        return too_large(e);
    struct klein k;
    enum status status = STATUS_OK;
    if (!klein_init(&k, r))
        status =
            error_set(e, STATUS_MEMORY, "out of memory for a network of %zu arcs", r->arc_count);
    if (status == STATUS_OK)
        status = make_flow(&k, result, e);
    if (status == STATUS_OK && result->outcome == CIRCULATION_OPTIMAL)
        status = cancel_cycles(&k, cancel_limit, result, e);
    klein_free(&k);
    return status;
}
