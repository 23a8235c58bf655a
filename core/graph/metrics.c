/*
 * How well a graph G found the exact graph H. E are edge sets (a pair of block entries), w weights,
 * W the sum of all weights of a graph:
 *
 *   similarity     |E_G and E_hot| / |E_hot|                             (Napoli 2015)
 *   precision      |E_G and E_H| / |E_G|
 *   f1             harmonic mean of the two; 0 when both are 0
 *   coverage       sum of w_H(e) over e in E_G and E_H, / W_H
 *   overlap        sum over e of min(w_G(e) / W_G, w_H(e) / W_H)         (Arnold & Grove, CGO 2005)
 *   block_overlap  the same over block weights max(sum in, sum out)
 *
 * hot: the smallest prefix of H's edges (weight descending, then source, then target) that holds
 * 900 thousandths of W_H. Each metric is one division of two integers, so it is the same number
 * everywhere.
 *
 * The active metrics leave busy-wait edges out of both graphs first. H knows its own; an edge of G
 * is one if its source block holds the last instruction of the source block, and its target block
 * the entry of the target block, of one in H.
 */
#include "graph/internal.h"

#include <math.h>
#include <stdlib.h>

typedef unsigned __int128 wide;

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

/* Does the block hold the instruction at `address`? Blocks may run past the end of their 64 KiB. */
static bool block_holds(const struct block *b, uint32_t address) {
    if (b->entry <= b->last)
        return b->entry <= address && address <= b->last;
    return b->entry >> 16 == address >> 16 &&
           (uint16_t)(address - b->entry) <= (uint16_t)(b->last - b->entry);
}

static const struct block *find_or_complain(const struct graph *g, const char *name, uint32_t entry,
                                            struct error *e) {
    const struct block *b = graph_find_block(g, entry);
    if (b == NULL)
        error_set(e, STATUS_ARGUMENT,
                  "%s has an edge at 0x%x but no #block line for it, which the active metrics need",
                  name, entry);
    return b;
}

/* A copy of g's edges without those that `busy` marks. */
static enum status copy_edges(struct graph *out, const struct graph *g, const bool *busy,
                              struct error *e) {
    *out = (struct graph){.edges = calloc(g->edge_count + 1, sizeof *out->edges)};
    if (out->edges == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; i < g->edge_count; i++)
        if (!busy[i])
            out->edges[out->edge_count++] = g->edges[i];
    return STATUS_OK;
}

/* What a busy-wait edge of h asks of an edge that runs along it. */
struct wait {
    uint32_t transfer, target;
};

static enum status collect_waits(struct wait *waits, size_t *count, const struct graph *h,
                                 struct error *e) {
    *count = 0;
    for (size_t k = 0; k < h->edge_count; k++) {
        if (!h->edges[k].busy)
            continue;
        const struct block *from = find_or_complain(h, "the exact graph", h->edges[k].source, e);
        if (from == NULL)
            return STATUS_ARGUMENT;
        waits[(*count)++] = (struct wait){from->last, h->edges[k].target};
    }
    return STATUS_OK;
}

/* busy[i]: edge i of g runs along one of the waits. */
static enum status match_busy(bool *busy, const struct graph *g, const struct wait *waits,
                              size_t count, struct error *e) {
    for (size_t i = 0; count > 0 && i < g->edge_count; i++) {
        const struct block *source =
            find_or_complain(g, "the compared graph", g->edges[i].source, e);
        const struct block *target =
            source == NULL ? NULL
                           : find_or_complain(g, "the compared graph", g->edges[i].target, e);
        if (target == NULL)
            return STATUS_ARGUMENT;
        for (size_t k = 0; k < count && !busy[i]; k++)
            busy[i] =
                block_holds(source, waits[k].transfer) && block_holds(target, waits[k].target);
    }
    return STATUS_OK;
}

static enum status active_copies(struct graph *g_out, struct graph *h_out, const struct graph *g,
                                 const struct graph *h, struct error *e) {
    size_t most = g->edge_count > h->edge_count ? g->edge_count : h->edge_count, count = 0;
    bool *busy = calloc(most + 1, sizeof *busy);
    struct wait *waits = calloc(h->edge_count + 1, sizeof *waits);
    enum status status = busy == NULL || waits == NULL
                             ? error_set(e, STATUS_MEMORY, "out of memory")
                             : collect_waits(waits, &count, h, e);
    if (status == STATUS_OK)
        status = match_busy(busy, g, waits, count, e);
    if (status == STATUS_OK)
        status = copy_edges(g_out, g, busy, e);
    for (size_t k = 0; status == STATUS_OK && k < h->edge_count; k++)
        busy[k] = h->edges[k].busy;
    if (status == STATUS_OK)
        status = copy_edges(h_out, h, busy, e);
    free(busy);
    free(waits);
    return status;
}

static double ratio(wide part, wide whole) {
    return whole == 0 ? NAN : (double)part / (double)whole;
}

/* ---- block weights: sums per entry, sorted ---- */

struct weighted {
    uint32_t entry;
    wide in, out;
};

static int weighted_compare(const void *a, const void *b) {
    const struct weighted *x = a, *y = b;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

/* Fills at (room for twice the edges) with the blocks that edges touch; their weights end in
 * `in`. Returns how many. */
static size_t block_weights(struct weighted *at, const struct graph *g) {
    size_t n = 0, count = 0;
    for (size_t i = 0; i < g->edge_count; i++) {
        at[n++] = (struct weighted){.entry = g->edges[i].source, .out = g->edges[i].count};
        at[n++] = (struct weighted){.entry = g->edges[i].target, .in = g->edges[i].count};
    }
    qsort(at, n, sizeof *at, weighted_compare);
    for (size_t i = 0; i < n; i++) {
        if (count > 0 && at[count - 1].entry == at[i].entry) {
            at[count - 1].in += at[i].in;
            at[count - 1].out += at[i].out;
        } else {
            at[count++] = at[i];
        }
    }
    for (size_t i = 0; i < count; i++)
        at[i].in = at[i].in > at[i].out ? at[i].in : at[i].out;
    return count;
}

static wide smaller(wide a, wide b) {
    return a < b ? a : b;
}

static enum status block_overlap(double *out, const struct graph *g, const struct graph *h,
                                 struct error *e) {
    struct weighted *a = calloc(2 * g->edge_count + 1, sizeof *a);
    struct weighted *b = calloc(2 * h->edge_count + 1, sizeof *b);
    if (a == NULL || b == NULL) {
        free(a);
        free(b);
        return error_set(e, STATUS_MEMORY, "out of memory");
    }
    size_t a_count = block_weights(a, g), b_count = block_weights(b, h);
    wide a_sum = 0, b_sum = 0, common = 0;
    for (size_t i = 0; i < a_count; i++)
        a_sum += a[i].in;
    for (size_t i = 0; i < b_count; i++)
        b_sum += b[i].in;
    for (size_t i = 0, k = 0; i < a_count && k < b_count;) {
        if (a[i].entry == b[k].entry)
            common += smaller(a[i].in * b_sum, b[k].in * a_sum);
        if (a[i].entry <= b[k].entry)
            i++;
        else
            k++;
    }
    *out = ratio(common, a_sum * b_sum);
    free(a);
    free(b);
    return STATUS_OK;
}

/* ---- the metrics over edges; g and h hold just the edges that count ---- */

static void edge_metrics(struct metrics *m, const struct graph *g, const struct graph *h) {
    wide g_weight = graph_weight(g), h_weight = graph_weight(h), covered = 0, common = 0;
    for (size_t i = 0; i < g->edge_count; i++) {
        const struct edge *in_h = graph_find_edge(h, g->edges[i].source, g->edges[i].target);
        if (in_h == NULL)
            continue;
        m->common_edges++;
        covered += in_h->count;
        common += smaller(g->edges[i].count * h_weight, in_h->count * g_weight);
    }
    m->edges = g->edge_count;
    m->precision = ratio(m->common_edges, m->edges);
    m->coverage = ratio(covered, h_weight);
    m->overlap = ratio(common, g_weight * h_weight);
}

static enum status hot_metrics(struct metrics *m, const struct graph *g, const struct graph *h,
                               unsigned permille, struct error *e) {
    size_t *hot = calloc(h->edge_count + 1, sizeof *hot);
    if (hot == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    m->hot_edges = graph_hot(h, permille, false, hot);
    wide found = 0;
    for (size_t i = 0; i < m->hot_edges; i++) {
        const struct edge *edge = &h->edges[hot[i]];
        found += graph_find_edge(g, edge->source, edge->target) != NULL;
    }
    free(hot);
    m->similarity = ratio(found, m->hot_edges);
    /* 2sp / (s + p) with s = found / hot and p = common / edges, over one denominator. */
    wide sum = found * m->edges + (wide)m->common_edges * m->hot_edges;
    if (m->hot_edges == 0 || m->edges == 0)
        m->f1 = NAN;
    else
        m->f1 = sum == 0 ? 0 : ratio(2 * found * m->common_edges, sum);
    return STATUS_OK;
}

enum status graph_compare(struct metrics *out, const struct graph *g, const struct graph *h,
                          struct compare_options options, struct error *e) {
    *out = (struct metrics){0};
    struct graph active_g = {0}, active_h = {0};
    enum status status = STATUS_OK;
    if (options.hot_permille > 1000)
        return error_set(e, STATUS_ARGUMENT, "a hot set of %u thousandths is more than everything",
                         options.hot_permille);
    if (options.active) {
        status = active_copies(&active_g, &active_h, g, h, e);
        g = &active_g;
        h = &active_h;
    }
    if (status == STATUS_OK) {
        edge_metrics(out, g, h);
        status = hot_metrics(out, g, h, options.hot_permille == 0 ? 900 : options.hot_permille, e);
    }
    if (status == STATUS_OK)
        status = block_overlap(&out->block_overlap, g, h, e);
    graph_free(&active_g);
    graph_free(&active_h);
    return status;
}
