/* Converts parallel arcs to edges of convex cost and back. */
#include "graph/flow/convex.h"

#include <stdlib.h>

struct piece {
    __int128 slope;
    int64_t width; /* FLOW_UNBOUNDED: infinite */
    uint32_t arc;
};

struct maker {
    struct convex *x;
    const struct circulation *c;
    VEC(struct piece) pieces; /* of the edge under construction */
    size_t read;              /* entries of `order` filled so far */
    int hash_bits;
    uint64_t hashed, hash; /* the last arc's ends, and their hash */
};

static enum status too_large(struct error *e) {
    return error_set(e, STATUS_ARGUMENT,
                     "the bounds or costs are so large that a sum of them could pass 64 bits");
}

static enum status no_memory(struct error *e) {
    return error_set(e, STATUS_MEMORY, "out of memory for a flow of least cost");
}

/* The hashes along any cycle sum to less than one unit. */
static __int128 unit_cost(struct maker *m, const struct arc *arc) {
    const uint64_t ends = (uint64_t)arc->from << 32 | arc->to;
    if (m->hash == 0 || m->hashed != ends) {
        m->hashed = ends;
        m->hash = splitmix64(ends, 0) >> (64 - m->hash_bits);
    }
    return arc->cost * COST_UNIT + (__int128)m->hash;
}

static int compare_pieces(const void *a, const void *b) {
    const struct piece *x = a, *y = b;
    if (x->slope != y->slope)
        return x->slope < y->slope ? -1 : 1;
    return x->arc < y->arc ? -1 : x->arc > y->arc;
}

static bool add_piece(struct maker *m, uint32_t i, bool against) {
    const struct arc *arc = &m->c->arcs.at[i];
    const __int128 cost = unit_cost(m, arc);
    m->x->against[i] = against;
    if (m->pieces.len == m->pieces.cap && !vec_reserve(&m->pieces, m->pieces.len + 1))
        return false;
    m->pieces.at[m->pieces.len++] = (struct piece){
        .slope = against ? -cost : cost,
        .width = arc->upper == ARC_UNBOUNDED ? FLOW_UNBOUNDED : arc->upper - arc->lower,
        .arc = i,
    };
    return true;
}

bool convex_begin(struct convex *x, struct convex_edge *edge) {
    const struct convex_break below = {.slope = -COST_DEAR, .at = FLOW_NO_LEAST};
    edge->first = (uint32_t)x->breaks.len + 1;
    return vec_push(&x->breaks, below);
}

bool convex_end(struct convex *x, int64_t at) {
    const struct convex_break last = {.slope = COST_DEAR, .at = at};
    const struct convex_break beyond = {.at = FLOW_UNBOUNDED};
    return vec_push(&x->breaks, last) && vec_push(&x->breaks, beyond) && x->breaks.len < UINT32_MAX;
}

/* Adds a break wherever the slope changes, up to the first unbounded piece. */
static enum status add_breaks(struct maker *m, struct convex_edge *edge, int64_t least,
                              struct error *e) {
    struct convex_break end = {.at = least};
    if (!convex_begin(m->x, edge) || !vec_reserve(&m->x->breaks, m->x->breaks.len + m->pieces.len))
        return no_memory(e);
    for (size_t i = 0; i < m->pieces.len && end.at != FLOW_UNBOUNDED; i++) {
        const struct piece *piece = &m->pieces.at[i];
        if (piece->width == 0)
            continue;
        if (edge->count == 0 || m->x->breaks.at[m->x->breaks.len - 1].slope != piece->slope) {
            end.slope = piece->slope;
            m->x->breaks.at[m->x->breaks.len++] = end;
            edge->count++;
        }
        if (piece->width == FLOW_UNBOUNDED)
            end.at = FLOW_UNBOUNDED;
        else if (__builtin_add_overflow(end.at, piece->width, &end.at) || end.at == FLOW_UNBOUNDED)
            return too_large(e);
    }
    return convex_end(m->x, end.at) ? STATUS_OK : no_memory(e);
}

/* Makes one edge from the collected pieces. */
static enum status add_edge(struct maker *m, uint32_t from, uint32_t to, struct error *e) {
    struct convex_edge edge = {.from = from, .to = to};
    int64_t least = 0;
    for (size_t i = 0; i < m->pieces.len; i++) {
        const struct arc *arc = &m->c->arcs.at[m->pieces.at[i].arc];
        if (m->x->against[m->pieces.at[i].arc] ? __builtin_sub_overflow(least, arc->upper, &least)
                                               : __builtin_add_overflow(least, arc->lower, &least))
            return too_large(e);
    }
    bool ascending = true;
    for (size_t i = 1; i < m->pieces.len && ascending; i++)
        ascending = compare_pieces(&m->pieces.at[i - 1], &m->pieces.at[i]) < 0;
    if (!ascending)
        qsort(m->pieces.at, m->pieces.len, sizeof *m->pieces.at, compare_pieces);
    enum status status = add_breaks(m, &edge, least, e);
    m->x->arcs[m->x->edges.len] = m->read;
    for (size_t i = 0; i < m->pieces.len; i++)
        m->x->order[m->read++] = m->pieces.at[i].arc;
    edge.flow = least;
    if (status == STATUS_OK && !vec_push(&m->x->edges, edge))
        status = no_memory(e);
    m->x->arcs[m->x->edges.len] = m->read;
    m->pieces.len = 0;
    return status;
}

/* True if the arcs against the edge can cancel at most what the forward arcs must carry. */
static bool only_take_away(const struct circulation *c, const uint32_t *arcs, size_t count) {
    const struct arc *first = &c->arcs.at[arcs[0]];
    int64_t must = 0, back = 0;
    for (size_t i = 0; i < count; i++) {
        const struct arc *arc = &c->arcs.at[arcs[i]];
        const bool against = arc->from != first->from;
        if (against && (arc->upper == ARC_UNBOUNDED || arc->lower < 0 ||
                        __builtin_add_overflow(back, arc->upper, &back)))
            return false;
        if (!against && __builtin_add_overflow(must, arc->lower, &must))
            return false;
    }
    return back <= must;
}

/* Makes the edges for all arcs between two nodes, which are sorted by number. */
static enum status add_group(struct maker *m, const uint32_t *arcs, size_t count, struct error *e) {
    const struct arc *first = &m->c->arcs.at[arcs[0]];
    const bool together = only_take_away(m->c, arcs, count);
    enum status status = STATUS_OK;
    for (int back = 0; back < 2 && status == STATUS_OK; back++) {
        for (size_t i = 0; i < count; i++) {
            const bool against = m->c->arcs.at[arcs[i]].from != first->from;
            if ((together ? back == 0 : against == (back == 1)) &&
                !add_piece(m, arcs[i], together && against))
                return no_memory(e);
        }
        if (m->pieces.len > 0)
            status = back == 0 ? add_edge(m, first->from, first->to, e)
                               : add_edge(m, first->to, first->from, e);
    }
    return status;
}

static bool same_nodes(const struct arc *a, const struct arc *b) {
    return (a->from == b->from && a->to == b->to) || (a->from == b->to && a->to == b->from);
}

/* Arcs between the same two nodes mostly follow one another. Such a run is sorted as one. */
struct runs {
    uint32_t *first, *low, *high; /* of each run: its first arc, and its nodes */
    size_t count;
};

static bool find_runs(struct runs *r, const struct circulation *c) {
    const struct arc *arcs = c->arcs.at;
    *r = (struct runs){.first = calloc(c->arcs.len + 1, sizeof *r->first),
                       .low = calloc(c->arcs.len + 1, sizeof *r->low),
                       .high = calloc(c->arcs.len + 1, sizeof *r->high)};
    if (r->first == NULL || r->low == NULL || r->high == NULL)
        return false;
    for (size_t i = 0; i < c->arcs.len; i++) {
        if (i > 0 && same_nodes(&arcs[i - 1], &arcs[i]))
            continue;
        r->first[r->count] = (uint32_t)i;
        r->low[r->count] = arcs[i].from < arcs[i].to ? arcs[i].from : arcs[i].to;
        r->high[r->count++] = arcs[i].from > arcs[i].to ? arcs[i].from : arcs[i].to;
    }
    r->first[r->count] = (uint32_t)c->arcs.len;
    return true;
}

/* Returns the arcs sorted by their lower, then their higher node; both directions together. NULL:
 * out of memory. */
static uint32_t *sort_by_nodes(const struct circulation *c) {
    struct runs r;
    uint32_t *sorted = calloc(c->arcs.len + 1, sizeof *sorted), *order = NULL;
    const bool found = find_runs(&r, c);
    if (found)
        order = sorted_order(r.high, r.count);
    const bool ok = sorted != NULL && order != NULL && sort_by_key(order, r.low, r.count);
    for (size_t i = 0, len = 0; ok && i < r.count; i++)
        for (uint32_t arc = r.first[order[i]]; arc < r.first[order[i] + 1]; arc++)
            sorted[len++] = arc;
    free(order);
    free(r.first);
    free(r.low);
    free(r.high);
    if (ok)
        return sorted;
    free(sorted);
    return NULL;
}

static enum status add_all(struct maker *m, const uint32_t *sorted, struct error *e) {
    const struct arc *arcs = m->c->arcs.at;
    enum status status = STATUS_OK;
    for (size_t i = 0, len = 0; i < m->c->arcs.len && status == STATUS_OK; i += len) {
        for (len = 1;
             i + len < m->c->arcs.len && same_nodes(&arcs[sorted[i]], &arcs[sorted[i + len]]);)
            len++;
        status = add_group(m, &sorted[i], len, e);
    }
    return status;
}

enum status convex_make(struct convex *out, const struct circulation *c, struct error *e) {
    const size_t count = c->arcs.len;
    *out = (struct convex){
        .nodes = c->nodes,
        .order = calloc(count + 1, sizeof *out->order),
        .arcs = calloc(2 * count + 2, sizeof *out->arcs),
        .against = calloc(count + 1, sizeof *out->against),
    };
    struct maker m = {.x = out, .c = c, .hash_bits = 42};
    for (size_t n = c->nodes; n > 0; n /= 2)
        m.hash_bits--;
    uint32_t *sorted = count < UINT32_MAX ? sort_by_nodes(c) : NULL;
    enum status status = STATUS_OK;
    if (count >= UINT32_MAX || c->nodes > NODES_MOST)
        status = error_set(e, STATUS_ARGUMENT, "%zu nodes and %zu arcs are more than %u and 2^32",
                           c->nodes, count, NODES_MOST);
    else if (out->order == NULL || out->arcs == NULL || out->against == NULL || sorted == NULL)
        status = no_memory(e);
    if (status == STATUS_OK)
        status = add_all(&m, sorted, e);
    out->made = out->edges.len;
    vec_free(&m.pieces);
    free(sorted);
    return status;
}

void convex_free(struct convex *x) {
    vec_free(&x->edges);
    vec_free(&x->breaks);
    free(x->order);
    free(x->arcs);
    free(x->against);
    free(x->potentials);
    *x = (struct convex){0};
}

void convex_read_back(const struct convex *x, struct circulation *c) {
    for (size_t i = 0; i < x->made; i++) {
        const struct convex_edge *edge = &x->edges.at[i];
        __int128 left = (__int128)edge->flow - convex_break_at(x, edge, 0);
        for (size_t k = x->arcs[i]; k < x->arcs[i + 1]; k++) {
            struct arc *arc = &c->arcs.at[x->order[k]];
            const int64_t width =
                arc->upper == ARC_UNBOUNDED ? FLOW_UNBOUNDED : arc->upper - arc->lower;
            const int64_t part = left < width ? (int64_t)left : width;
            arc->flow = x->against[x->order[k]] ? arc->upper - part : arc->lower + part;
            left -= part;
        }
    }
}
