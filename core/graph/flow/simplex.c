/*
 * The network simplex method on edges of convex cost. Each edge outside a spanning tree carries the
 * flow at one of its breaks; the edges of the tree carry whatever balances the nodes. Potentials
 * make the reduced cost of every tree edge 0 on its current piece. An edge outside the tree enters
 * it if one unit more (or less) reduces the cost; flow then goes round the cycle that it closes.
 *
 * The flow does not stop at the first break on the cycle. An edge that reaches the end of its piece
 * continues on the next one, at that piece's cost, as long as a unit round the cycle still reduces
 * the total. The edge at whose break this ends leaves the tree.
 *
 * This equals the simplex method on parallel arcs, one for each piece, with several pivots made at
 * once, so its theory applies. Trees are kept strongly feasible (Cunningham 1976): along the pieces
 * of the tree, some flow can be sent from every node to the root. If several edges reach a break at
 * the same time, the last one blocks, counted from the cycle's top in the direction of the flow. So
 * no sequence of pivots repeats.
 */
#include "graph/flow/simplex.h"

#include <stdlib.h>

/* ---- the tree ---- */

static void unlink_child(struct simplex *s, uint32_t v) {
    struct tree_node *n = &s->nodes[v];
    if (n->previous != NO_NODE)
        s->nodes[n->previous].next = n->next;
    else
        s->nodes[n->parent].first_child = n->next;
    if (n->next != NO_NODE)
        s->nodes[n->next].previous = n->previous;
}

/* Adds to the potentials in the subtree of `top`, except in the subtrees of two nodes. */
static void shift_subtree(struct simplex *s, uint32_t top, uint32_t without, uint32_t and_without,
                          __int128 by) {
    const struct tree_node *nodes = s->nodes;
    uint32_t v = top;
    for (;;) {
        uint32_t next = NO_NODE;
        if (v != without && v != and_without) {
            s->potential[v] += (unsigned __int128)by;
            next = nodes[v].first_child;
        }
        while (next == NO_NODE && v != top) {
            next = nodes[v].next;
            if (next == NO_NODE)
                v = nodes[v].parent;
        }
        if (next == NO_NODE)
            return;
        v = next;
    }
}

/* Moves the subtree of `cut` below `outside`, with its node `inside` as the new top. */
static void rehang(struct simplex *s, uint32_t cut, uint32_t inside, uint32_t outside,
                   uint32_t edge) {
    const uint32_t size = s->nodes[cut].size;
    uint32_t v = inside, parent = outside, below = 0;
    for (;;) {
        const struct tree_node old = s->nodes[v];
        unlink_child(s, v);
        link_child(s, v, parent, edge);
        s->nodes[v].size = size - below;
        if (v == cut)
            return;
        below = old.size;
        parent = v;
        v = old.parent;
        edge = old.edge;
    }
}

static void resize_path(struct simplex *s, uint32_t from, uint32_t top, uint32_t by) {
    for (uint32_t v = from; v != top; v = s->nodes[v].parent)
        s->nodes[v].size += by;
}

/* ---- the amount of flow ---- */

static bool comes_before(const struct event *a, const struct event *b) {
    return a->amount != b->amount ? a->amount < b->amount : a->place > b->place;
}

static void sink_event(struct simplex *s, size_t i) {
    const struct event moved = s->events[i];
    for (size_t child; (child = 2 * i + 1) < s->event_count; i = child) {
        if (child + 1 < s->event_count && comes_before(&s->events[child + 1], &s->events[child]))
            child++;
        if (!comes_before(&s->events[child], &moved))
            break;
        s->events[i] = s->events[child];
    }
    s->events[i] = moved;
}

/* Flow that fits until the edge reaches the end of its piece, in the direction of the cycle. */
static int64_t room(const struct simplex *s, const struct link *l, int64_t flow) {
    const struct tree_edge *edge = &s->edges[l->edge];
    const int64_t end = break_at(s, edge, l->along ? edge->at + 1 : edge->at);
    if (end == FLOW_UNBOUNDED || end == FLOW_NO_LEAST)
        return FLOW_UNBOUNDED;
    return l->along ? end - flow : flow - end;
}

static void find_events(struct simplex *s) {
    s->event_count = 0;
    for (size_t i = 0; i < s->cycle_length; i++) {
        const struct link *l = &s->cycle[i];
        const int64_t amount = room(s, l, s->edges[l->edge].flow);
        if (amount != FLOW_UNBOUNDED)
            s->events[s->event_count++] = (struct event){.amount = amount, .place = (uint32_t)i};
    }
    for (size_t i = s->event_count / 2; i-- > 0;)
        sink_event(s, i);
}

/* Moves the edge of the first event on to its next piece, and adds the change to *cost, that of a
 * unit round the cycle. False if there is no such piece, or if a unit no longer reduces the
 * cost. */
static bool pass_break(struct simplex *s, __int128 *cost) {
    struct link *l = &s->cycle[s->events[0].place];
    struct tree_edge *edge = &s->edges[l->edge];
    if (l->along ? edge->at + 1 == edge->count : edge->at == 0)
        return false;
    const uint32_t next = l->along ? edge->at + 1 : edge->at - 1;
    const __int128 change = slope(s, edge, next) - slope(s, edge, edge->at);
    const __int128 then = *cost + (l->along ? change : -change);
    if (then >= 0)
        return false;
    *cost = then;
    edge->at = next;
    const int64_t end = break_at(s, edge, l->along ? next + 1 : next);
    if (end == FLOW_UNBOUNDED || end == FLOW_NO_LEAST) {
        s->events[0] = s->events[--s->event_count];
    } else {
        const int64_t begin = break_at(s, edge, l->along ? next : next + 1);
        s->events[0].amount += l->along ? end - begin : begin - end;
    }
    if (s->event_count > 0)
        sink_event(s, 0);
    return true;
}

/* ---- pivots ---- */

static enum status send_round(struct simplex *s, int64_t amount, struct error *e) {
    bool over = false;
    for (size_t i = 0; i < s->cycle_length; i++) {
        struct tree_edge *edge = &s->edges[s->cycle[i].edge];
        over |= s->cycle[i].along ? __builtin_add_overflow(edge->flow, amount, &edge->flow)
                                  : __builtin_sub_overflow(edge->flow, amount, &edge->flow);
    }
    return over ? error_set(e, STATUS_ARGUMENT, "the flow passes 64 bits on an arc without bound")
                : STATUS_OK;
}

/* Appends the nodes from `bottom` up to below the cycle's top as branches, topmost first; returns
 * the new count. */
static size_t add_branches(struct simplex *s, size_t count, uint32_t bottom) {
    size_t end = count;
    for (uint32_t v = bottom; v != s->top; v = s->nodes[v].parent)
        end++;
    size_t i = end;
    for (uint32_t v = bottom, below = NO_NODE; v != s->top; below = v, v = s->nodes[v].parent)
        s->branches[--i] = (struct branch){.node = v, .on_cycle = below};
    unsigned __int128 potential = s->potential[s->top];
    for (i = count; i < end; i++) {
        const uint32_t v = s->branches[i].node;
        potential += (unsigned __int128)potential_step(s, v);
        s->branches[i].shift = (__int128)(potential - s->potential[v]);
    }
    return end;
}

static uint32_t branch_size(const struct simplex *s, const struct branch *b) {
    return s->nodes[b->node].size - (b->on_cycle == NO_NODE ? 0 : s->nodes[b->on_cycle].size);
}

/* Recomputes potentials after a pivot. Two paths lead from the cycle's top down to `left` and
 * `right`. Only differences of potentials matter, so the largest part of the tree with a common
 * shift is left alone and everything else is shifted relative to it. */
static void renew_potentials(struct simplex *s, uint32_t left, uint32_t right) {
    const size_t middle = add_branches(s, 0, left), end = add_branches(s, middle, right);
    const uint32_t one = middle > 0 ? s->branches[0].node : NO_NODE;
    const uint32_t other = end > middle ? s->branches[middle].node : NO_NODE;
    uint32_t outside = s->nodes[s->root].size;
    outside -= one == NO_NODE ? 0 : s->nodes[one].size;
    outside -= other == NO_NODE ? 0 : s->nodes[other].size;
    uint64_t most = outside, run = 0;
    __int128 stays = 0;
    for (size_t i = 0; i < end; i++) {
        const struct branch *b = &s->branches[i];
        run = i > 0 && i != middle && b->shift == b[-1].shift ? run : 0;
        run += branch_size(s, b);
        if (run > most) {
            most = run;
            stays = b->shift;
        }
    }
    for (size_t i = 0; i < end; i++) {
        const struct branch *b = &s->branches[i];
        if (b->shift != stays)
            shift_subtree(s, b->node, b->on_cycle, NO_NODE, b->shift - stays);
    }
    if (stays != 0)
        shift_subtree(s, s->root, one, other, -stays);
}

/* Replaces the edge at `blocking` in the tree by the entering one. */
static void exchange(struct simplex *s, size_t blocking) {
    const struct link enters = s->cycle[s->entering_place], leaves = s->cycle[blocking];
    struct tree_edge *leaving = &s->edges[leaves.edge];
    const struct tree_edge *edge = &s->edges[enters.edge];
    const uint32_t tail = enters.along ? edge->from : edge->to;
    const uint32_t head = enters.along ? edge->to : edge->from;
    leaving->at += leaves.along;
    if (blocking == s->entering_place) {
        if (!s->large)
            renew_potentials(s, tail, head);
        return;
    }
    const bool cut_tail = blocking < s->entering_place;
    const uint32_t cut = s->nodes[leaving->from].edge == leaves.edge ? leaving->from : leaving->to;
    const uint32_t above = s->nodes[cut].parent, size = s->nodes[cut].size;
    const uint32_t outside = cut_tail ? head : tail;
    leaving->in_tree = false;
    rehang(s, cut, cut_tail ? tail : head, outside, enters.edge);
    resize_path(s, above, s->top, -size);
    resize_path(s, outside, s->top, size);
    if (!s->large)
        renew_potentials(s, above, cut);
}

/* Sends flow round the cycle of the entering edge. */
static enum status pivot(struct simplex *s, const struct candidate *entering,
                         struct circulation_result *result, struct error *e) {
    __int128 cost = entering->gain;
    s->edges[entering->edge].at -= !entering->more;
    find_events(s);
    while (s->event_count > 0 && pass_break(s, &cost)) {
    }
    if (s->event_count == 0) {
        result->outcome = CIRCULATION_UNLIMITED;
        return STATUS_OK;
    }
    const size_t blocking = s->events[0].place;
    enum status status = send_round(s, s->events[0].amount, e);
    exchange(s, blocking);
    return status;
}

static bool keeps_bounds(const struct simplex *s) {
    for (size_t i = 0; i < s->edge_count; i++) {
        const int64_t flow = s->edges[i].flow;
        if (i >= s->real_count) {
            if (flow != 0)
                return false;
            continue;
        }
        const struct convex_edge *edge = &s->x->edges.at[s->origin[i]];
        if (flow < convex_break_at(s->x, edge, 0) ||
            flow > convex_break_at(s->x, edge, edge->count))
            return false;
    }
    return true;
}

static enum status pivot_to_optimum(struct simplex *s, struct circulation_result *result,
                                    struct error *e) {
    enum status status = STATUS_OK;
    struct candidate entering;
    for (; status == STATUS_OK && result->outcome == CIRCULATION_OPTIMAL &&
           simplex_find_entering(s, &entering);
         result->steps++)
        status = pivot(s, &entering, result, e);
    if (status == STATUS_OK && result->outcome == CIRCULATION_OPTIMAL && !keeps_bounds(s))
        result->outcome = CIRCULATION_INFEASIBLE;
    return status;
}

/* True if no other flow can cost as little: one unit more or less on any edge outside the tree costs
 * something. */
static bool is_only_optimum(const struct simplex *s) {
    for (size_t i = 0; i < s->real_count; i++) {
        const struct tree_edge *edge = &s->edges[i];
        const __int128 gap = (__int128)(s->potential[edge->from] - s->potential[edge->to]);
        if (edge->in_tree)
            continue;
        if (edge->at < edge->count && slope(s, edge, edge->at) + gap == 0)
            return false;
        if (edge->at > 0 && slope(s, edge, edge->at - 1) + gap == 0)
            return false;
    }
    return true;
}

static void write_back(const struct simplex *s, struct convex *x) {
    for (size_t i = 0; i < s->real_count; i++) {
        x->edges.at[s->origin[i]].flow = s->edges[i].flow;
        x->edges.at[s->origin[i]].in_tree = s->edges[i].in_tree;
    }
    for (size_t v = 0; x->potentials != NULL && v < x->nodes; v++)
        if (s->number[v] != NO_NODE)
            x->potentials[v] =
                (struct convex_potential){.value = s->potential[s->number[v]], .known = true};
}

/* *only: the flow is the only optimum. */
static enum status solve_once(struct convex *x, const struct presolve *left, bool *only,
                              struct circulation_result *result, struct error *e) {
    struct simplex s;
    enum status status = simplex_start(&s, x, left, e);
    if (status == STATUS_OK)
        status = pivot_to_optimum(&s, result, e);
    if (status == STATUS_OK) {
        *only = result->outcome == CIRCULATION_OPTIMAL && is_only_optimum(&s);
        write_back(&s, x);
    }
    simplex_free(&s);
    return status;
}

static bool knows_earlier(const struct convex *x) {
    for (size_t v = 0; x->potentials != NULL && v < x->nodes; v++)
        if (x->potentials[v].known)
            return true;
    return false;
}

static void forget_earlier(struct convex *x) {
    for (size_t v = 0; v < x->nodes; v++)
        x->potentials[v].known = false;
    for (size_t i = 0; i < x->edges.len; i++)
        x->edges.at[i].in_tree = false;
}

enum status simplex_solve(struct convex *x, const struct presolve *left,
                          struct circulation_result *result, struct error *e) {
    if (x->nodes == 0)
        return STATUS_OK;
    const bool earlier = knows_earlier(x);
    bool only = false;
    enum status status = solve_once(x, left, &only, result, e);
    if (earlier && !only && status != STATUS_MEMORY) {
        result->outcome = CIRCULATION_OPTIMAL;
        result->anew = true;
        forget_earlier(x);
        status = solve_once(x, left, &only, result, e);
    }
    return status;
}
