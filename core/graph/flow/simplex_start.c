/*
 * Initial state of the network simplex method. Each edge outside the tree carries the flow that is
 * cheapest for it alone; the tree consists of the edges that are expected to carry most. Where this
 * forces a tree edge beyond its ends, it pays the price for that (convex.h) until pivots correct
 * it.
 *
 * If an earlier solution of a similar network is known, its edges come first in the tree, and each
 * other edge carries the flow that is cheapest at its potentials. With the same network this is
 * already the optimum.
 */
#include "graph/flow/simplex.h"

#include <stdlib.h>

/* Numbers the nodes that have edges left; the last one is the root. */
static bool number_nodes(struct simplex *s, const struct presolve *left) {
    const struct convex *x = s->x;
    uint32_t *number = s->number = malloc((x->nodes + 1) * sizeof *number);
    if (number == NULL)
        return false;
    for (size_t v = 0; v < x->nodes; v++)
        number[v] = NO_NODE;
    for (size_t i = 0; i < x->edges.len; i++) {
        if (!presolve_has_edge(left, i))
            continue;
        s->real_count++;
        const uint32_t ends[] = {x->edges.at[i].from, x->edges.at[i].to};
        for (int k = 0; k < 2; k++)
            if (number[ends[k]] == NO_NODE)
                number[ends[k]] = (uint32_t)s->node_count++;
    }
    if (number[x->nodes - 1] == NO_NODE)
        number[x->nodes - 1] = (uint32_t)s->node_count++;
    s->root = number[x->nodes - 1];
    return true;
}

static bool simplex_init(struct simplex *s) {
    s->large = s->node_count >= s->x->large_nodes;
    const size_t edges = s->real_count + s->node_count;
    s->edges = calloc(edges, sizeof *s->edges);
    s->origin = calloc(edges, sizeof *s->origin);
    s->nodes = calloc(s->node_count, sizeof *s->nodes);
    s->potential = calloc(s->node_count, sizeof *s->potential);
    s->cycle = calloc(s->node_count + 1, sizeof *s->cycle);
    s->events = calloc(s->node_count + 1, sizeof *s->events);
    s->branches = calloc(s->node_count + 1, sizeof *s->branches);
    for (s->block = 10; s->block * s->block < s->real_count;)
        s->block++;
    s->candidates =
        calloc(s->large ? s->real_count + 1 : CANDIDATES + s->block, sizeof *s->candidates);
    for (size_t v = 0; s->nodes != NULL && v < s->node_count; v++)
        s->nodes[v] = (struct tree_node){
            .parent = NO_NODE, .first_child = NO_NODE, .edge = NO_EDGE, .size = 1};
    return s->edges != NULL && s->origin != NULL && s->nodes != NULL && s->potential != NULL &&
           s->cycle != NULL && s->events != NULL && s->branches != NULL && s->candidates != NULL;
}

void simplex_free(struct simplex *s) {
    free(s->edges);
    free(s->origin);
    free(s->number);
    free(s->nodes);
    free(s->potential);
    free(s->cycle);
    free(s->events);
    free(s->branches);
    free(s->candidates);
}

/* What the known potentials add to each slope of an edge. */
static __int128 known_gap(const struct convex *x, const struct convex_edge *edge) {
    if (x->potentials == NULL || !x->potentials[edge->from].known || !x->potentials[edge->to].known)
        return 0;
    return (__int128)(x->potentials[edge->from].value - x->potentials[edge->to].value);
}

/* Sets every edge to its own cheapest flow. */
static void take_edges(struct simplex *s, const struct presolve *left) {
    const struct convex *x = s->x;
    for (size_t i = 0; i < x->edges.len; i++) {
        const struct convex_edge *edge = &x->edges.at[i];
        if (!presolve_has_edge(left, i))
            continue;
        const bool ends = convex_break_at(x, edge, edge->count) != FLOW_UNBOUNDED;
        const __int128 gap = known_gap(x, edge);
        uint32_t at = 0;
        while (at < edge->count && convex_slope(x, edge, at) + gap < 0 &&
               convex_break_at(x, edge, at + 1) != FLOW_UNBOUNDED)
            at++;
        s->origin[s->edge_count] = (uint32_t)i;
        s->edges[s->edge_count++] = (struct tree_edge){.from = s->number[edge->from],
                                                       .to = s->number[edge->to],
                                                       .first = edge->first - 1,
                                                       .count = edge->count + 1 + ends,
                                                       .at = at + 1,
                                                       .shift = edge->shift,
                                                       .flow = convex_break_at(x, edge, at)};
    }
}

/* Sort key: least if the edge was in the earlier tree; small if it is expected to carry much, or if
 * nothing is known of it. */
static uint32_t tree_key(const struct simplex *s, size_t i) {
    const struct tree_edge *edge = &s->edges[i];
    if (s->x->edges.at[s->origin[i]].in_tree)
        return 0;
    if (edge->count == 2 && break_at(s, edge, 1) == 0)
        return 1;
    if (edge->flow <= 0)
        return UINT32_MAX;
    const int exponent = 63 - __builtin_clzll((uint64_t)edge->flow);
    const uint64_t fraction = ((uint64_t)edge->flow << (63 - exponent) << 1) >> 39;
    return UINT32_MAX - 1 - (uint32_t)((uint64_t)exponent << 25 | fraction);
}

static uint32_t find_set(uint32_t *set, uint32_t v) {
    while (set[v] != v)
        v = set[v] = set[set[v]];
    return v;
}

static void add_to_tree(struct simplex *s, uint32_t *set, uint32_t i) {
    struct tree_edge *edge = &s->edges[i];
    const uint32_t a = find_set(set, edge->from), b = find_set(set, edge->to);
    set[a] = b;
    edge->in_tree = a != b;
}

/* Kruskal's method. Each unconnected part is joined to the root by an artificial edge that should
 * carry nothing. */
static bool choose_tree(struct simplex *s) {
    struct convex *x = s->x;
    struct convex_edge none = {.count = 0};
    uint32_t *key = malloc((s->real_count + 1) * sizeof *key);
    uint32_t *set = malloc(s->node_count * sizeof *set), *order = NULL;
    for (size_t i = 0; key != NULL && i < s->real_count; i++)
        key[i] = tree_key(s, i);
    if (key != NULL && set != NULL)
        order = sorted_order(key, s->real_count);
    const bool ok = order != NULL && convex_begin(x, &none) && convex_end(x, 0);
    for (uint32_t v = 0; ok && v < s->node_count; v++)
        set[v] = v;
    for (size_t i = 0; ok && i < s->real_count; i++)
        add_to_tree(s, set, order[i]);
    for (uint32_t v = 0; ok && v < s->node_count; v++) {
        if (find_set(set, v) == find_set(set, s->root))
            continue;
        s->edges[s->edge_count] = (struct tree_edge){
            .from = v, .to = s->root, .first = none.first - 1, .count = 2, .at = 1};
        add_to_tree(s, set, (uint32_t)s->edge_count++);
    }
    free(key);
    free(set);
    free(order);
    return ok;
}

/* Tree edges at each node v: ends[first[v] .. first[v + 1]). */
struct ends {
    uint32_t *first, *of;
};

static bool list_ends(struct ends *out, const struct simplex *s) {
    *out = (struct ends){.first = calloc(s->node_count + 2, sizeof *out->first),
                         .of = calloc(2 * s->node_count, sizeof *out->of)};
    if (out->first == NULL || out->of == NULL)
        return false;
    for (size_t i = 0; i < s->edge_count; i++)
        if (s->edges[i].in_tree) {
            out->first[s->edges[i].from + 2]++;
            out->first[s->edges[i].to + 2]++;
        }
    for (size_t v = 2; v <= s->node_count + 1; v++)
        out->first[v] += out->first[v - 1];
    for (size_t i = 0; i < s->edge_count; i++)
        if (s->edges[i].in_tree) {
            out->of[out->first[s->edges[i].from + 1]++] = (uint32_t)i;
            out->of[out->first[s->edges[i].to + 1]++] = (uint32_t)i;
        }
    return true;
}

/* Breadth-first search from the root, so that parents precede their children in the queue. */
static void hang_tree(struct simplex *s, const struct ends *ends, uint32_t *queue) {
    size_t tail = 0;
    queue[tail++] = s->root;
    for (size_t head = 0; head < tail; head++) {
        const uint32_t parent = queue[head];
        for (uint32_t k = ends->first[parent]; k < ends->first[parent + 1]; k++) {
            const struct tree_edge *edge = &s->edges[ends->of[k]];
            const uint32_t v = edge->to == parent ? edge->from : edge->to;
            if (ends->of[k] == s->nodes[parent].edge)
                continue;
            link_child(s, v, parent, ends->of[k]);
            queue[tail++] = v;
        }
    }
}

/* Computes inflow minus outflow of each node, without tree edges; false if a sum exceeds 64
 * bits. */
static bool find_excess(const struct simplex *s, int64_t *excess) {
    bool ok = true;
    for (size_t i = 0; i < s->real_count; i++) {
        const struct tree_edge *edge = &s->edges[i];
        ok &= edge->in_tree ||
              (!__builtin_add_overflow(excess[edge->to], edge->flow, &excess[edge->to]) &&
               !__builtin_sub_overflow(excess[edge->from], edge->flow, &excess[edge->from]));
    }
    return ok;
}

/* The piece in which a tree edge can send more towards the parent. */
static uint32_t piece_at(const struct simplex *s, const struct tree_edge *edge, bool up) {
    uint32_t low = 0, high = edge->count - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low + 1) / 2;
        const int64_t at = break_at(s, edge, middle);
        if (up ? at <= edge->flow : at < edge->flow)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* From the leaves up: each tree edge carries the excess of its subtree. */
static bool fill_tree(struct simplex *s, const uint32_t *queue, int64_t *excess) {
    bool ok = true;
    for (size_t i = s->node_count; i-- > 1;) {
        const struct tree_node *n = &s->nodes[queue[i]];
        struct tree_edge *edge = &s->edges[n->edge];
        const bool up = edge->from == queue[i];
        ok &= !__builtin_sub_overflow(up ? excess[queue[i]] : 0, up ? 0 : excess[queue[i]],
                                      &edge->flow) &&
              !__builtin_add_overflow(excess[n->parent], excess[queue[i]], &excess[n->parent]);
        edge->at = piece_at(s, edge, up);
        s->nodes[n->parent].size += n->size;
    }
    for (size_t i = 1; i < s->node_count; i++)
        s->potential[queue[i]] = s->potential[s->nodes[queue[i]].parent] +
                                 (unsigned __int128)potential_step(s, queue[i]);
    return ok;
}

static enum status make_first_tree(struct simplex *s, struct error *e) {
    int64_t *excess = calloc(s->node_count, sizeof *excess);
    uint32_t *queue = calloc(s->node_count, sizeof *queue);
    struct ends ends = {0};
    enum status status = STATUS_OK;
    if (excess == NULL || queue == NULL || !choose_tree(s) || !list_ends(&ends, s))
        status = error_set(e, STATUS_MEMORY, "out of memory for a flow of least cost");
    if (status == STATUS_OK) {
        hang_tree(s, &ends, queue);
        if (!find_excess(s, excess) || !fill_tree(s, queue, excess))
            status =
                error_set(e, STATUS_ARGUMENT,
                          "the bounds or costs are so large that a sum of them could pass 64 bits");
    }
    free(excess);
    free(queue);
    free(ends.first);
    free(ends.of);
    return status;
}

enum status simplex_start(struct simplex *s, struct convex *x, const struct presolve *left,
                          struct error *e) {
    *s = (struct simplex){.x = x};
    if (!number_nodes(s, left) || !simplex_init(s))
        return error_set(e, STATUS_MEMORY, "out of memory for a flow of least cost");
    take_edges(s, left);
    return make_first_tree(s, e);
}
