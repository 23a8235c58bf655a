/*
 * Scores a graph G against the exact graph H. E are edge sets (an edge is a pair of block entries),
 * w weights, W the sum of all weights of a graph:
 *
 *   similarity     |E_G and E_hot| / |E_hot|                             (Napoli 2015)
 *   precision      |E_G and E_H| / |E_G|
 *   f1             harmonic mean of the two; 0 when both are 0
 *   coverage       sum of w_H(e) over e in E_G and E_H, / W_H
 *   overlap        sum over e of min(w_G(e) / W_G, w_H(e) / W_H)         (Arnold & Grove, CGO 2005)
 *   block_overlap  the same over block weights max(sum in, sum out)
 *
 * hot: the shortest prefix of H's edges (by descending weight, then source, then target) that holds
 * 900 permille of W_H. Each metric is one division of two integers, so it is the same number on
 * every machine. fair.c has the fair metrics.
 *
 * A reference holds everything that comparisons need of H: a sweep compares hundreds of graphs with
 * one H.
 */
#include "graph/busy_again.h"
#include "graph/fair.h"
#include "graph/graph_order.h"

#include <stdlib.h>

struct prepared {       /* H in one scope */
    enum status status; /* whether H can be compared in this scope, or why not */
    struct error error;
    struct ranked_edges ranked;
    bool *hot; /* of each edge in `ranked` */
    size_t hot_count;
};

struct reference {
    unsigned hot_permille;
    struct waits waits;
    struct prepared scopes[SCOPES];
};

static wide smaller(wide a, wide b) {
    return a < b ? a : b;
}

/* ---- reference ---- */

static enum status mark_hot(struct prepared *p, unsigned permille, struct error *e) {
    const struct graph edges = {.edges = p->ranked.edges, .edge_count = p->ranked.edge_count};
    size_t *order = calloc(edges.edge_count + 1, sizeof *order);
    p->hot = calloc(edges.edge_count + 1, sizeof *p->hot);
    if (order == NULL || p->hot == NULL) {
        free(order);
        return error_set(e, STATUS_MEMORY, "out of memory");
    }
    p->hot_count = graph_hot(&edges, permille, false, order);
    for (size_t i = 0; i < p->hot_count; i++)
        p->hot[order[i]] = true;
    free(order);
    return STATUS_OK;
}

static enum status prepare(struct prepared *p, const struct graph *h, const bool *leave_out,
                           unsigned permille, struct error *e) {
    enum status status = ranked_edges_make(&p->ranked, h, leave_out, permille, e);
    return status != STATUS_OK ? status : mark_hot(p, permille, e);
}

static enum status prepare_active(struct reference *r, const struct graph *h, struct error *e) {
    struct prepared *active = &r->scopes[SCOPE_ACTIVE];
    active->status = waits_collect(&r->waits, h, &active->error);
    if (active->status == STATUS_ARGUMENT)
        return STATUS_OK; /* reported only if this scope is used */
    if (active->status != STATUS_OK)
        return error_set(e, active->status, "%s", active->error.text);
    bool *busy = calloc(h->edge_count + 1, sizeof *busy);
    if (busy == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; i < h->edge_count; i++)
        busy[i] = h->edges[i].busy;
    enum status status = prepare(active, h, busy, r->hot_permille, e);
    free(busy);
    return status;
}

enum status reference_new(struct reference **out, const struct graph *h, unsigned hot_permille,
                          struct error *e) {
    *out = NULL;
    if (hot_permille > 1000)
        return error_set(e, STATUS_ARGUMENT, "a hot share of %u thousandths is more than the whole",
                         hot_permille);
    struct reference *r = calloc(1, sizeof *r);
    if (r == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    r->hot_permille = hot_permille == 0 ? 900 : hot_permille;
    enum status status = prepare(&r->scopes[SCOPE_WHOLE], h, NULL, r->hot_permille, e);
    if (status == STATUS_OK)
        status = prepare_active(r, h, e);
    if (status == STATUS_OK)
        *out = r;
    else
        reference_free(r);
    return status;
}

void reference_free(struct reference *r) {
    if (r == NULL)
        return;
    waits_free(&r->waits);
    for (int i = 0; i < SCOPES; i++) {
        ranked_edges_free(&r->scopes[i].ranked);
        free(r->scopes[i].hot);
    }
    free(r);
}

/* ---- comparing ---- */

static double block_overlap(const struct ranked_edges *g, const struct ranked_edges *h) {
    wide common = 0;
    for (size_t i = 0, k = 0; i < g->block_count && k < h->block_count;) {
        const struct block_weight *a = &g->blocks[i], *b = &h->blocks[k];
        if (a->entry == b->entry)
            common += smaller(a->in * h->block_weight, b->in * g->block_weight);
        i += a->entry <= b->entry;
        k += b->entry <= a->entry;
    }
    return ratio(common, g->block_weight * h->block_weight);
}

static void edge_metrics(struct metrics *m, const struct ranked_edges *g,
                         const struct prepared *exact) {
    const struct ranked_edges *h = &exact->ranked;
    wide found = 0, covered = 0, common = 0;
    for (size_t i = 0, k = 0; i < g->edge_count && k < h->edge_count;) {
        int order = edge_compare(&g->edges[i], &h->edges[k]);
        if (order == 0) {
            m->common_edges++;
            found += exact->hot[k];
            covered += h->edges[k].count;
            common +=
                smaller((wide)g->edges[i].count * h->weight, (wide)h->edges[k].count * g->weight);
        }
        i += order <= 0;
        k += order >= 0;
    }
    m->edges = g->edge_count;
    m->hot_edges = exact->hot_count;
    m->similarity = ratio(found, m->hot_edges);
    m->precision = ratio(m->common_edges, m->edges);
    m->coverage = ratio(covered, h->weight);
    m->overlap = ratio(common, (wide)g->weight * h->weight);
    /* 2sp / (s + p) with s = found / hot and p = common / edges, over one denominator. */
    wide sum = found * m->edges + (wide)m->common_edges * m->hot_edges;
    if (m->hot_edges == 0 || m->edges == 0)
        m->f1 = NAN;
    else
        m->f1 = sum == 0 ? 0 : ratio(2 * found * m->common_edges, sum);
}

/* Ranks G's edges for the scope; the active scope leaves out edges on H's busy-waits. */
static enum status rank_in_scope(struct ranked_edges *v, const struct reference *r,
                                 const struct graph *g, enum scope scope, struct error *e) {
    if (scope == SCOPE_WHOLE)
        return ranked_edges_make(v, g, NULL, r->hot_permille, e);
    bool *along = calloc(g->edge_count + 1, sizeof *along);
    if (along == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    enum status status = waits_match(&r->waits, along, g, e);
    if (status == STATUS_OK)
        status = ranked_edges_make(v, g, along, r->hot_permille, e);
    free(along);
    return status;
}

enum status reference_compare(const struct reference *r, struct metrics *out, const struct graph *g,
                              enum scope scope, struct error *e) {
    *out = (struct metrics){0};
    const struct prepared *exact = &r->scopes[scope];
    if (exact->status != STATUS_OK)
        return error_set(e, exact->status, "%s", exact->error.text);
    struct ranked_edges ranked = {0};
    enum status status = rank_in_scope(&ranked, r, g, scope, e);
    if (status == STATUS_OK) {
        edge_metrics(out, &ranked, exact);
        out->block_overlap = block_overlap(&ranked, &exact->ranked);
        fair_compare(&out->fair, &ranked, &exact->ranked);
    }
    ranked_edges_free(&ranked);
    return status;
}

enum status graph_compare(struct metrics *out, const struct graph *g, const struct graph *h,
                          struct compare_options options, struct error *e) {
    *out = (struct metrics){0};
    struct reference *r;
    enum status status = reference_new(&r, h, options.hot_permille, e);
    if (status == STATUS_OK)
        status = reference_compare(r, out, g, options.active ? SCOPE_ACTIVE : SCOPE_WHOLE, e);
    reference_free(r);
    return status;
}
