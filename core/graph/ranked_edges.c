/*
 * Prepares a graph for comparison: the edges of a scope, the weights of blocks, and the edges by
 * names that do not depend on how blocks were split, with the hot ones marked.
 */
#include "graph/ranked_edges.h"
#include "graph/graph_order.h"

#include <stdlib.h>

static int hot_compare(const void *a, const void *b, void *edges) {
    const struct edge *x = (const struct edge *)edges + *(const size_t *)a;
    const struct edge *y = (const struct edge *)edges + *(const size_t *)b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return edge_compare(x, y);
}

size_t graph_hot(const struct graph *g, unsigned permille, bool skip_busy, size_t *out) {
    size_t count = 0, hot = 0;
    wide weight = 0, sum = 0;
    for (size_t i = 0; i < g->edge_count; i++) {
        if (skip_busy && g->edges[i].busy)
            continue;
        out[count++] = i;
        weight += g->edges[i].count;
    }
    qsort_r(out, count, sizeof *out, hot_compare, g->edges);
    while (hot < count && 1000 * sum < permille * weight)
        sum += g->edges[out[hot++]].count;
    return hot;
}

bool graph_is_set(const struct graph *g) {
    return g->edge_count > 0 && graph_weight(g) == 0;
}

/* ---- block weights: summed by entry, sorted ---- */

static int weight_compare(const void *a, const void *b) {
    const struct block_weight *x = a, *y = b;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

static bool weigh_blocks(struct ranked_edges *v) {
    struct block_weight *at = calloc(2 * v->edge_count + 1, sizeof *at);
    if (at == NULL)
        return false;
    size_t n = 0, count = 0;
    for (size_t i = 0; i < v->edge_count; i++) {
        const struct edge *edge = &v->edges[i];
        at[n++] = (struct block_weight){.entry = edge->source, .out = edge->count};
        at[n++] = (struct block_weight){.entry = edge->target, .in = edge->count};
    }
    qsort(at, n, sizeof *at, weight_compare);
    for (size_t i = 0; i < n; i++) {
        if (count > 0 && at[count - 1].entry == at[i].entry) {
            at[count - 1].in += at[i].in;
            at[count - 1].out += at[i].out;
        } else {
            at[count++] = at[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (at[i].out > at[i].in)
            at[i].in = at[i].out;
        v->block_weight += at[i].in;
    }
    v->blocks = at;
    v->block_count = count;
    return true;
}

/* ---- names ---- */

static int name_compare(const void *a, const void *b) {
    const struct name *x = a, *y = b;
    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

/* Weight descending, then by name. */
static int name_hotter(const void *a, const void *b, void *names) {
    const struct name *x = (const struct name *)names + *(const size_t *)a;
    const struct name *y = (const struct name *)names + *(const size_t *)b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return name_compare(x, y);
}

/* Overlapping blocks of G may end at the same instruction; their edges to one target become one. */
static bool name_edges(struct ranked_edges *v, const struct graph *g) {
    v->names = calloc(v->edge_count + 1, sizeof *v->names);
    if (v->names == NULL)
        return false;
    size_t count = 0;
    for (size_t i = 0; i < v->edge_count; i++) {
        const struct block *source = graph_find_block(g, v->edges[i].source);
        if (source == NULL)
            return true;
        v->names[i] = (struct name){source->last, v->edges[i].target, v->edges[i].count, false};
    }
    qsort(v->names, v->edge_count, sizeof *v->names, name_compare);
    for (size_t i = 0; i < v->edge_count; i++) {
        if (count > 0 && name_compare(&v->names[count - 1], &v->names[i]) == 0)
            v->names[count - 1].count += v->names[i].count;
        else
            v->names[count++] = v->names[i];
    }
    v->name_count = count;
    v->named = true;
    return true;
}

static bool mark_hot_names(struct ranked_edges *v, unsigned permille) {
    size_t *order = calloc(v->name_count + 1, sizeof *order);
    if (order == NULL)
        return false;
    for (size_t i = 0; i < v->name_count; i++)
        order[i] = i;
    qsort_r(order, v->name_count, sizeof *order, name_hotter, v->names);
    wide sum = 0;
    while (v->hot_names < v->name_count && (v->set || 1000 * sum < permille * (wide)v->weight)) {
        struct name *name = &v->names[order[v->hot_names++]];
        name->hot = true;
        sum += name->count;
        v->least_hot = name->count;
    }
    free(order);
    return true;
}

enum status ranked_edges_make(struct ranked_edges *v, const struct graph *g, const bool *leave_out,
                              unsigned hot_permille, struct error *e) {
    *v = (struct ranked_edges){.edges = calloc(g->edge_count + 1, sizeof *v->edges),
                               .set = graph_is_set(g)};
    bool ok = v->edges != NULL;
    for (size_t i = 0; ok && i < g->edge_count; i++) {
        if (leave_out != NULL && leave_out[i])
            continue;
        v->edges[v->edge_count++] = g->edges[i];
        v->weight += g->edges[i].count;
    }
    ok = ok && weigh_blocks(v) && name_edges(v, g) && mark_hot_names(v, hot_permille);
    if (ok)
        return STATUS_OK;
    ranked_edges_free(v);
    return error_set(e, STATUS_MEMORY, "out of memory");
}

void ranked_edges_free(struct ranked_edges *v) {
    free(v->edges);
    free(v->blocks);
    free(v->names);
    *v = (struct ranked_edges){0};
}
