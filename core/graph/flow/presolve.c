/*
 * Reduces a circulation of least cost before the search. Each step removes a node or an edge and is
 * recorded, so that its flow can be restored from the flow of the rest:
 *
 *   fold   A node has a single in-edge, which is linear (one price, no upper bound). Its inflow
 *          equals its outflow, so each out-edge takes over that price and starts one node earlier.
 *          Likewise for a single out-edge.
 *   chain  A node has one in-edge and one out-edge. Both carry the same flow, so they become one
 *          edge with the sum of their costs.
 *   loop   An edge from a node to itself carries whatever is cheapest.
 *   twin   Of two parallel linear edges, the more expensive one carries nothing.
 *
 * Most edges of a program's network were not sampled, or belong to a straight line of blocks: nine
 * of ten nodes are removed.
 */
#include "graph/flow/convex.h"

#include <stdlib.h>

#define NONE UINT32_MAX

enum step_kind { FOLD, CHAIN };
struct step {
    enum step_kind kind;
    uint32_t edge;       /* fold: carries the sum; chain: the in-edge */
    uint32_t other;      /* chain: the out-edge */
    uint32_t node;       /* that was removed */
    size_t first, count; /* fold: others[first ..] sum up to `edge`; chain: `first` is the new
                            edge */
};

/* Edge e has two ends: 2 * e at its `from`, 2 * e + 1 at its `to`. */
struct presolve {
    struct convex *x;
    VEC(struct step) steps;
    VEC(uint32_t) others;
    VEC(uint32_t) next; /* of each end, in the list of its node */
    VEC(uint32_t) previous;
    VEC(bool) gone;      /* of each edge: taken out */
    uint32_t *ends;      /* first end in each node's list */
    uint32_t *degree[2]; /* out-degree and in-degree of each node */
    VEC(uint32_t) work;  /* nodes to examine */
    bool *waiting;       /* of each node: it is in `work` */
    struct map linear;   /* from << 32 | to -> 1 + a linear edge */
    bool failed;         /* out of memory */
    bool infeasible, unlimited;
};

static uint32_t node_at(const struct presolve *p, uint32_t end) {
    const struct convex_edge *edge = &p->x->edges.at[end / 2];
    return end % 2 == 0 ? edge->from : edge->to;
}

static void look_again(struct presolve *p, uint32_t node) {
    if (p->waiting[node] || node + 1 == p->x->nodes)
        return;
    p->waiting[node] = true;
    p->failed |= !vec_push(&p->work, node);
}

static void attach(struct presolve *p, uint32_t end) {
    const uint32_t node = node_at(p, end);
    p->next.at[end] = p->ends[node];
    p->previous.at[end] = NONE;
    if (p->ends[node] != NONE)
        p->previous.at[p->ends[node]] = end;
    p->ends[node] = end;
    p->degree[end % 2][node]++;
    look_again(p, node);
}

static void detach(struct presolve *p, uint32_t end) {
    const uint32_t node = node_at(p, end), next = p->next.at[end], previous = p->previous.at[end];
    if (previous != NONE)
        p->next.at[previous] = next;
    else
        p->ends[node] = next;
    if (next != NONE)
        p->previous.at[next] = previous;
    p->degree[end % 2][node]--;
    look_again(p, node);
}

static void take_out(struct presolve *p, uint32_t edge) {
    detach(p, 2 * edge);
    detach(p, 2 * edge + 1);
    p->gone.at[edge] = true;
}

static int64_t least_flow(const struct presolve *p, uint32_t edge) {
    return convex_break_at(p->x, &p->x->edges.at[edge], 0);
}

/* True if the edge carries any amount from 0 on, every unit at the same cost. */
static bool is_linear(const struct presolve *p, uint32_t edge) {
    const struct convex_edge *it = &p->x->edges.at[edge];
    return it->count == 1 && convex_break_at(p->x, it, 0) == 0 &&
           convex_break_at(p->x, it, 1) == FLOW_UNBOUNDED;
}

/* ---- loops and twins, found when an edge is attached ---- */

static void settle_loop(struct presolve *p, uint32_t edge) {
    struct convex_edge *it = &p->x->edges.at[edge];
    uint32_t at = 0;
    while (at < it->count && convex_slope(p->x, it, at) < 0)
        at++;
    it->flow = convex_break_at(p->x, it, at);
    p->unlimited |= it->flow == FLOW_UNBOUNDED;
    it->in_tree = false;
    p->gone.at[edge] = true;
}

/* Takes out the more expensive of two parallel linear edges. */
static void compare_twins(struct presolve *p, uint32_t edge) {
    const struct convex_edge *it = &p->x->edges.at[edge];
    uint64_t *known = map_at(&p->linear, (uint64_t)it->from << 32 | it->to);
    if (known == NULL) {
        p->failed = true;
        return;
    }
    const uint32_t twin = *known == 0 ? NONE : (uint32_t)*known - 1;
    *known = (uint64_t)edge + 1;
    /* The twin may be gone or attached elsewhere by now. */
    if (twin == NONE || twin == edge || p->gone.at[twin])
        return;
    const struct convex_edge *other = &p->x->edges.at[twin];
    if (other->from != it->from || other->to != it->to)
        return;
    const bool this_one = convex_slope(p->x, it, 0) > convex_slope(p->x, other, 0);
    const uint32_t dearer = this_one ? edge : twin;
    *known = (uint64_t)(this_one ? twin : edge) + 1;
    take_out(p, dearer);
    p->x->edges.at[dearer].flow = 0;
    p->x->edges.at[dearer].in_tree = false;
}

static void hang(struct presolve *p, uint32_t edge) {
    const struct convex_edge *it = &p->x->edges.at[edge];
    if (it->from == it->to) {
        settle_loop(p, edge);
        return;
    }
    attach(p, 2 * edge);
    attach(p, 2 * edge + 1);
    if (is_linear(p, edge))
        compare_twins(p, edge);
}

/* ---- folds ---- */

/* The only end of one kind (0: out-edge, 1: in-edge) at the node. */
static uint32_t only_end(const struct presolve *p, uint32_t node, uint32_t kind) {
    uint32_t end = p->ends[node];
    while (end % 2 != kind)
        end = p->next.at[end];
    return end;
}

/* True if no edge of this kind at the node can carry negative flow, so that their sum is never
 * negative. */
static bool all_forwards(const struct presolve *p, uint32_t node, uint32_t kind) {
    for (uint32_t end = p->ends[node]; end != NONE; end = p->next.at[end])
        if (end % 2 == kind && least_flow(p, end / 2) < 0)
            return false;
    return true;
}

/* kind 1: removes the only in-edge; the out-edges start at its source instead. 0: the reverse. */
static bool fold(struct presolve *p, uint32_t node, uint32_t kind) {
    if (p->degree[kind][node] != 1 || p->degree[1 - kind][node] == 0)
        return false;
    const uint32_t edge = only_end(p, node, kind) / 2;
    if (!is_linear(p, edge) || !all_forwards(p, node, 1 - kind))
        return false;
    const __int128 price = convex_slope(p->x, &p->x->edges.at[edge], 0);
    const uint32_t far = kind == 1 ? p->x->edges.at[edge].from : p->x->edges.at[edge].to;
    struct step step = {.kind = FOLD, .edge = edge, .node = node, .first = p->others.len};
    take_out(p, edge);
    while (p->ends[node] != NONE && !p->failed) {
        const uint32_t other = p->ends[node] / 2;
        detach(p, 2 * other);
        detach(p, 2 * other + 1);
        p->failed |= !vec_push(&p->others, other);
        step.count++;
        struct convex_edge *it = &p->x->edges.at[other];
        it->shift += price;
        *(kind == 1 ? &it->from : &it->to) = far;
        hang(p, other);
    }
    p->failed |= !vec_push(&p->steps, step);
    return true;
}

/* ---- chains ---- */

/* Adds an edge whose cost is the sum of two; false if no flow satisfies both. */
static bool add_sum(struct presolve *p, const struct convex_edge *a, const struct convex_edge *b) {
    struct convex *x = p->x;
    struct convex_edge sum = {.from = a->from, .to = b->to, .in_tree = a->in_tree && b->in_tree};
    uint32_t i = 0, k = 0;
    const int64_t a_least = convex_break_at(x, a, 0), b_least = convex_break_at(x, b, 0);
    int64_t at = a_least > b_least ? a_least : b_least;
    while (i < a->count && convex_break_at(x, a, i + 1) <= at)
        i++;
    while (k < b->count && convex_break_at(x, b, k + 1) <= at)
        k++;
    if (convex_break_at(x, a, a->count) < at || convex_break_at(x, b, b->count) < at)
        return false;
    p->failed |= !convex_begin(x, &sum);
    while (i < a->count && k < b->count) {
        const struct convex_break piece = {.slope = convex_slope(x, a, i) + convex_slope(x, b, k),
                                           .at = at};
        p->failed |= !vec_push(&x->breaks, piece);
        sum.count++;
        const int64_t a_end = convex_break_at(x, a, i + 1), b_end = convex_break_at(x, b, k + 1);
        at = a_end < b_end ? a_end : b_end;
        i += a_end == at;
        k += b_end == at;
    }
    p->failed |= !convex_end(x, at) || !vec_push(&x->edges, sum) || !vec_push(&p->gone, false);
    for (int end = 0; end < 2; end++)
        p->failed |= !vec_push(&p->next, NONE) || !vec_push(&p->previous, NONE);
    return true;
}

static bool chain(struct presolve *p, uint32_t node) {
    if (p->degree[0][node] != 1 || p->degree[1][node] != 1)
        return false;
    const uint32_t in = only_end(p, node, 1) / 2, out = only_end(p, node, 0) / 2;
    const struct convex_edge a = p->x->edges.at[in], b = p->x->edges.at[out];
    const size_t sum = p->x->edges.len;
    if (!add_sum(p, &a, &b)) {
        p->infeasible = true;
        return false;
    }
    take_out(p, in);
    take_out(p, out);
    const struct step step = {.kind = CHAIN, .edge = in, .other = out, .node = node, .first = sum};
    p->failed |= !vec_push(&p->steps, step);
    if (!p->failed)
        hang(p, (uint32_t)sum);
    return true;
}

/* ---- presolving ---- */

static bool presolve_init(struct presolve *p, struct convex *x) {
    p->x = x;
    p->ends = calloc(x->nodes + 1, sizeof *p->ends);
    p->degree[0] = calloc(x->nodes + 1, sizeof *p->degree[0]);
    p->degree[1] = calloc(x->nodes + 1, sizeof *p->degree[1]);
    p->waiting = calloc(x->nodes + 1, sizeof *p->waiting);
    if (p->ends == NULL || p->degree[0] == NULL || p->degree[1] == NULL || p->waiting == NULL)
        return false;
    for (size_t v = 0; v <= x->nodes; v++)
        p->ends[v] = NONE;
    for (size_t i = 0; i < x->edges.len; i++)
        if (!vec_push(&p->gone, false) || !vec_push(&p->next, NONE) || !vec_push(&p->next, NONE) ||
            !vec_push(&p->previous, NONE) || !vec_push(&p->previous, NONE))
            return false;
    return true;
}

static void reduce(struct presolve *p) {
    const size_t edges = p->x->edges.len;
    for (size_t i = 0; i < edges && !p->failed; i++)
        hang(p, (uint32_t)i);
    while (p->work.len > 0 && !p->failed && !p->infeasible) {
        const uint32_t node = p->work.at[--p->work.len];
        p->waiting[node] = false;
        if (p->ends[node] != NONE && !fold(p, node, 1) && !fold(p, node, 0))
            chain(p, node);
    }
}

enum status presolve_reduce(struct presolve **out, struct convex *x,
                            struct circulation_result *result, struct error *e) {
    struct presolve *p = *out = calloc(1, sizeof *p);
    if (p == NULL || !presolve_init(p, x))
        return error_set(e, STATUS_MEMORY, "out of memory for a flow of least cost");
    reduce(p);
    if (p->failed)
        return error_set(e, STATUS_MEMORY, "out of memory for a flow of least cost");
    if (p->infeasible)
        result->outcome = CIRCULATION_INFEASIBLE;
    else if (p->unlimited)
        result->outcome = CIRCULATION_UNLIMITED;
    return STATUS_OK;
}

bool presolve_has_edge(const struct presolve *p, size_t edge) {
    return !p->gone.at[edge];
}

/* ---- restoring ---- */

/* The removed node gets the potential at which one edge of the tree has the reduced cost 0. */
static void restore_potential(struct convex *x, const struct step *step, uint32_t by) {
    const struct convex_edge *edge = &x->edges.at[by];
    const bool in = edge->to == step->node;
    const __int128 cost = convex_slope(x, edge, convex_piece(x, edge, edge->flow));
    struct convex_potential *potential = &x->potentials[step->node];
    *potential = x->potentials[in ? edge->from : edge->to];
    potential->value += (unsigned __int128)(in ? cost : -cost);
}

/* An edge outside the tree is at one of its breaks, so if the sum of a chain is outside, one of the
 * two is at a break, and the other one is in the tree. */
static void restore_chain(struct convex *x, const struct step *step) {
    struct convex_edge *in = &x->edges.at[step->edge], *out = &x->edges.at[step->other];
    const struct convex_edge *sum = &x->edges.at[step->first];
    in->flow = out->flow = sum->flow;
    if (x->potentials == NULL)
        return;
    const uint32_t piece = convex_piece(x, in, in->flow);
    const bool at_break =
        in->flow == convex_break_at(x, in, piece) || in->flow == convex_break_at(x, in, piece + 1);
    in->in_tree = sum->in_tree || !at_break;
    out->in_tree = sum->in_tree || at_break;
    restore_potential(x, step, in->in_tree ? step->edge : step->other);
}

enum status presolve_restore(const struct presolve *p, struct convex *x, struct error *e) {
    struct convex_edge *edges = x->edges.at;
    for (size_t i = p->steps.len; i-- > 0;) {
        const struct step *step = &p->steps.at[i];
        if (step->kind == CHAIN) {
            restore_chain(x, step);
            continue;
        }
        int64_t sum = 0;
        for (size_t k = step->first; k < step->first + step->count; k++)
            if (__builtin_add_overflow(sum, edges[p->others.at[k]].flow, &sum))
                return error_set(e, STATUS_ARGUMENT,
                                 "the flow passes 64 bits on an arc without bound");
        edges[step->edge].flow = sum;
        edges[step->edge].in_tree = true;
        if (x->potentials != NULL)
            restore_potential(x, step, step->edge);
    }
    return STATUS_OK;
}

void presolve_free(struct presolve *p) {
    if (p == NULL)
        return;
    vec_free(&p->steps);
    vec_free(&p->others);
    vec_free(&p->next);
    vec_free(&p->previous);
    vec_free(&p->gone);
    vec_free(&p->work);
    map_free(&p->linear);
    free(p->ends);
    free(p->degree[0]);
    free(p->degree[1]);
    free(p->waiting);
    free(p);
}
