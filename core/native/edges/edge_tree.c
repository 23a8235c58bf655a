#include "native/edges/edge_tree.h"

#include <string.h>

enum { OUTSIDE = 0 };

static uint32_t end_of(uint32_t piece) {
    return tree_begin(piece) + 1;
}

/* Where all executions of the piece lead. */
static uint32_t after(const struct tree_piece *p, uint32_t piece) {
    switch (p->ends) {
    case 'n':
        return tree_begin(p->next);
    case 'j':
    case 'c':
        return tree_begin(p->target);
    case 'b':
    case 'r':
    case 'l':
    case 'w':
        return end_of(piece);
    default:
        return OUTSIDE;
    }
}

struct list {
    struct tree_arc *at;
    size_t n;
};

static void add(struct list *l, enum tree_kind kind, uint32_t piece, uint32_t from, uint32_t to) {
    l->at[l->n++] = (struct tree_arc){.kind = (uint8_t)kind,
                                      .piece = piece,
                                      .from = from,
                                      .to = to,
                                      .can_count = kind == TREE_NODE || kind == TREE_FALL};
}

size_t tree_arcs(const struct tree_piece *pieces, size_t n, struct tree_arc *out) {
    struct list l = {.at = out};
    for (uint32_t i = 0; i < n; i++) {
        const struct tree_piece *p = &pieces[i];
        add(&l, TREE_NODE, i, tree_begin(i), after(p, i));
        if (p->ends == 'b') {
            add(&l, TREE_FALL, i, end_of(i), tree_begin(p->next));
            add(&l, TREE_TAKEN, i, end_of(i), tree_begin(p->target));
            l.at[l.n - 1].can_count = p->far;
        } else if (p->ends == 'l') {
            add(&l, TREE_OUT, i, end_of(i), OUTSIDE);
            if (p->target != TREE_NONE)
                add(&l, TREE_LAZY, i, end_of(i), tree_begin(p->target));
        } else if (p->ends == 'c' && p->back != TREE_NONE) {
            add(&l, TREE_BACK, i, end_of(p->back), tree_begin(p->next));
        }
        if (p->arm_of != TREE_NONE)
            add(&l, TREE_ARM, i, end_of(p->arm_of), tree_begin(i));
        if (p->may_enter)
            add(&l, TREE_ENTER, i, OUTSIDE, tree_begin(i));
    }
    return l.n;
}

/* ---- the forest ---- */

/* Of each vertex: its parent, itself if it is a root; and of a root, how many are below it. */
static uint32_t *parent_of(const struct tree_work *w, uint32_t v) {
    return &w->vertex[2 * (size_t)v];
}

static uint32_t *size_of(const struct tree_work *w, uint32_t v) {
    return &w->vertex[2 * (size_t)v + 1];
}

static uint32_t root_of(const struct tree_work *w, uint32_t v) {
    for (uint32_t *up = parent_of(w, v); *up != v; up = parent_of(w, v))
        v = *up = *parent_of(w, *up);
    return v;
}

/* False: they were connected already. */
static bool connect(struct tree_work *w, const struct tree_arc *a) {
    uint32_t x = root_of(w, a->from), y = root_of(w, a->to);
    if (x == y)
        return false;
    if (*size_of(w, x) < *size_of(w, y)) {
        const uint32_t swap = x;
        x = y;
        y = swap;
    }
    *parent_of(w, y) = x;
    *size_of(w, x) += *size_of(w, y);
    return true;
}

/* The arcs that can have a counter and have none, heaviest first. Returns their number. */
static size_t by_weight(const struct tree_arc *arcs, size_t n, uint32_t *order) {
    size_t first[TREE_WEIGHTS + 1] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++)
        if (tree_can_count(&arcs[i]) && !arcs[i].counted)
            first[TREE_WEIGHTS - arcs[i].weight]++;
    for (size_t k = 0; k <= TREE_WEIGHTS; k++) {
        sum += first[k];
        first[k] = sum - first[k];
    }
    for (uint32_t i = 0; i < n; i++)
        if (tree_can_count(&arcs[i]) && !arcs[i].counted)
            order[first[TREE_WEIGHTS - arcs[i].weight]++] = i;
    return sum;
}

bool tree_choose(struct tree_arc *arcs, size_t n, struct tree_work *w) {
    for (uint32_t v = 0; v < w->vertices; v++) {
        *parent_of(w, v) = v;
        *size_of(w, v) = 1;
    }
    for (size_t i = 0; i < n; i++)
        if (!tree_can_count(&arcs[i]) && !connect(w, &arcs[i]))
            return false;
    const size_t m = by_weight(arcs, n, w->order);
    for (size_t k = 0; k < m; k++)
        if (!connect(w, &arcs[w->order[k]]))
            arcs[w->order[k]].counted = true;
    return true;
}

/* ---- flows ---- */

static bool negative(uint64_t flow) {
    return flow > INT64_MAX;
}

/* For each vertex: the number of arcs without a flow, and the XOR of all their numbers, which is
 * the number of the arc if there is only one. */
struct open {
    uint32_t *count, *arcs;
};

static void open_arc(struct open *o, uint32_t arc, uint32_t v, int by) {
    o->count[v] += (uint32_t)by;
    o->arcs[v] ^= arc;
}

/* Gives the only open arc of the vertex its flow. Returns its other end. */
static uint32_t settle(struct tree_arc *arcs, struct open *o, uint64_t *balance, uint32_t v) {
    const uint32_t arc = o->arcs[v];
    struct tree_arc *a = &arcs[arc];
    a->flow = a->from == v ? balance[v] : 0 - balance[v];
    balance[a->from] -= a->flow;
    balance[a->to] += a->flow;
    open_arc(o, arc, a->from, -1);
    open_arc(o, arc, a->to, -1);
    return a->from == v ? a->to : a->from;
}

bool tree_solve(struct tree_arc *arcs, size_t n, struct tree_work *w, struct tree_fault *fault) {
    struct open o = {.count = w->vertex, .arcs = w->vertex + w->vertices};
    memset(w->vertex, 0, 2 * w->vertices * sizeof *w->vertex);
    for (uint32_t i = 0; i < n; i++) {
        struct tree_arc *a = &arcs[i];
        if (a->counted) {
            w->balance[a->from] -= a->flow;
            w->balance[a->to] += a->flow;
        } else if (a->from != a->to) {
            open_arc(&o, i, a->from, 1);
            open_arc(&o, i, a->to, 1);
        }
    }
    for (uint32_t leaf = 1; leaf < w->vertices; leaf++)
        for (uint32_t v = leaf; v != OUTSIDE && o.count[v] == 1;)
            v = settle(arcs, &o, w->balance, v);
    for (uint32_t v = 1; v < w->vertices; v++)
        if (o.count[v] != 0 || w->balance[v] != 0) {
            const uint64_t b = w->balance[v];
            *fault = (struct tree_fault){(v - 1) / TREE_VERTICES, negative(b) ? 0 - b : b, false};
            return false;
        }
    for (size_t i = 0; i < n; i++)
        if (negative(arcs[i].flow)) {
            *fault = (struct tree_fault){arcs[i].piece, 0 - arcs[i].flow, true};
            return false;
        }
    return true;
}
