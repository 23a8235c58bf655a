/*
 * The network simplex method on arcs of linear cost, plain and slow: what the one on convex edges
 * (core/graph/flow/simplex.c) is compared with.
 *
 * An extra node, the root, has an arc with every node, so dear that it is used only where there is
 * no other path; so there is a tree to start from. Trees are kept strongly feasible (Cunningham
 * 1976): the arc that leaves is the last one that blocks, going round from the cycle's top along
 * the flow.
 */
#ifndef HOTGRAPH_TESTS_LINEAR_SIMPLEX_H
#define HOTGRAPH_TESTS_LINEAR_SIMPLEX_H

#include "graph/flow/residual.h"

#include <stdlib.h>

enum { AT_EMPTY = 1, IN_TREE = 0, AT_FULL = -1 }; /* sign of the change that an arc can take */
#define NO_TREE_NODE UINT32_MAX

struct tree_node {
    uint32_t parent, first_child, next, previous; /* children are a doubly linked list */
    uint32_t depth;
    size_t arc; /* to the parent */
    bool up;    /* that arc runs from here to the parent */
    int64_t potential;
};

struct simplex {
    struct residual *r;
    struct residual_arc *arcs; /* the network's, then one a node with the root */
    size_t arc_count;
    int8_t *state;
    struct tree_node *nodes; /* the last is the root */
    uint32_t root;
    size_t block, next_arc; /* arcs are looked at in blocks, round and round */
};

/* ---- the tree ---- */

static void unlink_child(struct simplex *s, uint32_t v) {
    struct tree_node *n = &s->nodes[v];
    if (n->previous != NO_TREE_NODE)
        s->nodes[n->previous].next = n->next;
    else
        s->nodes[n->parent].first_child = n->next;
    if (n->next != NO_TREE_NODE)
        s->nodes[n->next].previous = n->previous;
}

static void link_child(struct simplex *s, uint32_t v, uint32_t parent, size_t arc, bool up) {
    struct tree_node *n = &s->nodes[v], *p = &s->nodes[parent];
    n->parent = parent;
    n->arc = arc;
    n->up = up;
    n->previous = NO_TREE_NODE;
    n->next = p->first_child;
    if (n->next != NO_TREE_NODE)
        s->nodes[n->next].previous = v;
    p->first_child = v;
}

/* Adds to the potentials of the whole subtree, and corrects its depths. */
static void lift_subtree(struct simplex *s, uint32_t top, int64_t by) {
    uint32_t v = top;
    for (;;) {
        struct tree_node *n = &s->nodes[v];
        n->potential += by;
        n->depth = s->nodes[n->parent].depth + 1;
        if (n->first_child != NO_TREE_NODE) {
            v = n->first_child;
            continue;
        }
        while (v != top && s->nodes[v].next == NO_TREE_NODE)
            v = s->nodes[v].parent;
        if (v == top)
            return;
        v = s->nodes[v].next;
    }
}

/* Hangs the subtree of `cut`, with `inside` in it as its new top, below `outside` by an arc. */
static void rehang(struct simplex *s, uint32_t cut, uint32_t inside, uint32_t outside, size_t arc,
                   bool up) {
    uint32_t v = inside, parent = outside;
    for (;;) {
        struct tree_node old = s->nodes[v];
        unlink_child(s, v);
        link_child(s, v, parent, arc, up);
        if (v == cut)
            return;
        parent = v;
        v = old.parent;
        arc = old.arc;
        up = !old.up;
    }
}

/* ---- pivots ---- */

static int64_t reduced_cost(const struct simplex *s, size_t arc) {
    const struct residual_arc *a = &s->arcs[arc];
    return a->cost + s->nodes[a->from].potential - s->nodes[a->to].potential;
}

/* The arc of the next block whose change saves most; false: none saves anything. */
static bool find_entering(struct simplex *s, size_t *entering) {
    int64_t best = 0;
    size_t left = s->block;
    for (size_t looked = 0; looked < s->arc_count; looked++) {
        size_t i = s->next_arc;
        s->next_arc = i + 1 == s->arc_count ? 0 : i + 1;
        int64_t gain = s->state[i] * reduced_cost(s, i);
        if (gain < best) {
            best = gain;
            *entering = i;
        }
        if (--left == 0) {
            if (best < 0)
                return true;
            left = s->block;
        }
    }
    return best < 0;
}

struct cycle {
    size_t entering;
    uint32_t tail, head; /* flow goes tail -> head along the entering arc, */
    uint32_t top;        /* head -> top up the tree, and top -> tail down */
    int64_t amount;      /* that it can take */
    uint32_t cut;        /* the arc above this node blocks; NO_TREE_NODE: the entering one does */
    bool cut_tail;       /* it lies between the top and the tail */
};

/* The remaining capacity from v to its parent, or in the other direction. */
static int64_t room(const struct simplex *s, uint32_t v, bool upwards) {
    const struct residual_arc *arc = &s->arcs[s->nodes[v].arc];
    return s->nodes[v].up == upwards ? residual_room(arc) : arc->flow;
}

static uint32_t common_ancestor(const struct simplex *s, uint32_t a, uint32_t b) {
    while (a != b) {
        if (s->nodes[a].depth >= s->nodes[b].depth)
            a = s->nodes[a].parent;
        else
            b = s->nodes[b].parent;
    }
    return a;
}

static struct cycle find_cycle(const struct simplex *s, size_t entering) {
    const struct residual_arc *arc = &s->arcs[entering];
    bool fill = s->state[entering] == AT_EMPTY;
    struct cycle c = {
        .entering = entering,
        .tail = fill ? arc->from : arc->to,
        .head = fill ? arc->to : arc->from,
        .amount = arc->cap,
        .cut = NO_TREE_NODE,
    };
    c.top = common_ancestor(s, c.tail, c.head);
    for (uint32_t v = c.tail; v != c.top; v = s->nodes[v].parent)
        if (room(s, v, false) < c.amount) {
            c.amount = room(s, v, false);
            c.cut = v;
            c.cut_tail = true;
        }
    for (uint32_t v = c.head; v != c.top; v = s->nodes[v].parent)
        if (room(s, v, true) <= c.amount) {
            c.amount = room(s, v, true);
            c.cut = v;
            c.cut_tail = false;
        }
    return c;
}

static bool send_round(struct simplex *s, const struct cycle *c) {
    bool ok = residual_push(&s->arcs[c->entering], s->state[c->entering] * c->amount);
    for (uint32_t v = c->tail; v != c->top; v = s->nodes[v].parent)
        ok &= residual_push(&s->arcs[s->nodes[v].arc], s->nodes[v].up ? -c->amount : c->amount);
    for (uint32_t v = c->head; v != c->top; v = s->nodes[v].parent)
        ok &= residual_push(&s->arcs[s->nodes[v].arc], s->nodes[v].up ? c->amount : -c->amount);
    return ok;
}

static void exchange(struct simplex *s, const struct cycle *c) {
    if (c->cut == NO_TREE_NODE) {
        s->state[c->entering] = (int8_t)-s->state[c->entering];
        return;
    }
    size_t leaving = s->nodes[c->cut].arc;
    s->state[leaving] = s->arcs[leaving].flow == 0 ? AT_EMPTY : AT_FULL;
    const struct residual_arc *arc = &s->arcs[c->entering];
    int64_t reduced = reduced_cost(s, c->entering);
    uint32_t inside = c->cut_tail ? c->tail : c->head, outside = c->cut_tail ? c->head : c->tail;
    bool up = arc->from == inside;
    rehang(s, c->cut, inside, outside, c->entering, up);
    lift_subtree(s, inside, up ? -reduced : reduced);
    s->state[c->entering] = IN_TREE;
}

/* ---- all of it ---- */

static bool simplex_init(struct simplex *s, struct residual *r) {
    *s = (struct simplex){.r = r, .arc_count = r->arc_count + r->nodes, .root = (uint32_t)r->nodes};
    s->arcs = calloc(s->arc_count + 1, sizeof *s->arcs);
    s->state = calloc(s->arc_count + 1, sizeof *s->state);
    s->nodes = calloc(r->nodes + 1, sizeof *s->nodes);
    if (s->arcs == NULL || s->state == NULL || s->nodes == NULL)
        return false;
    const int64_t dear = (r->largest_cost + 1) * (int64_t)(r->nodes + 1);
    for (size_t i = 0; i < r->arc_count; i++) {
        s->arcs[i] = r->arcs[i];
        s->state[i] = AT_EMPTY;
    }
    s->nodes[s->root] = (struct tree_node){.parent = NO_TREE_NODE, .first_child = NO_TREE_NODE};
    for (uint32_t v = 0; v < s->root; v++) {
        size_t arc = r->arc_count + v;
        bool up = r->excess[v] >= 0;
        s->arcs[arc] = (struct residual_arc){.from = up ? v : s->root,
                                             .to = up ? s->root : v,
                                             .cap = ARC_UNBOUNDED,
                                             .cost = dear,
                                             .flow = up ? r->excess[v] : -r->excess[v]};
        s->nodes[v] = (struct tree_node){
            .first_child = NO_TREE_NODE, .depth = 1, .potential = up ? -dear : dear};
        link_child(s, v, s->root, arc, up);
    }
    for (s->block = 10; s->block * s->block < s->arc_count;)
        s->block++;
    return true;
}

/* The least cost; false when no flow keeps all bounds. */
static bool pivot_to_optimum(struct simplex *s) {
    for (size_t entering; find_entering(s, &entering);) {
        struct cycle c = find_cycle(s, entering);
        assert_true(c.amount != ARC_UNBOUNDED);
        assert_true(send_round(s, &c));
        exchange(s, &c);
    }
    for (size_t i = s->r->arc_count; i < s->arc_count; i++)
        if (s->arcs[i].flow > 0)
            return false;
    return true;
}

/* Bounds and costs must be small, and the least cost finite. */
static bool by_linear_simplex(const struct circulation *c, int64_t *cost) {
    struct residual r = {.nodes = c->nodes,
                         .arc_count = c->arcs.len,
                         .arcs = calloc(c->arcs.len + 1, sizeof *r.arcs),
                         .excess = calloc(c->nodes + 1, sizeof *r.excess)};
    struct simplex s;
    assert_true(r.arcs != NULL && r.excess != NULL);
    *cost = 0;
    for (size_t i = 0; i < c->arcs.len; i++) {
        const struct arc *arc = &c->arcs.at[i];
        r.arcs[i] = (struct residual_arc){
            .from = arc->from,
            .to = arc->to,
            .cap = arc->upper == ARC_UNBOUNDED ? ARC_UNBOUNDED : arc->upper - arc->lower,
            .cost = arc->cost};
        r.excess[arc->to] += arc->lower;
        r.excess[arc->from] -= arc->lower;
        *cost += arc->lower * arc->cost;
        if (llabs(arc->cost) > r.largest_cost)
            r.largest_cost = llabs(arc->cost);
    }
    assert_true(simplex_init(&s, &r));
    const bool feasible = pivot_to_optimum(&s);
    for (size_t i = 0; i < r.arc_count; i++)
        *cost += s.arcs[i].flow * s.arcs[i].cost;
    free(s.arcs);
    free(s.state);
    free(s.nodes);
    free(r.arcs);
    free(r.excess);
    return feasible;
}

#endif
