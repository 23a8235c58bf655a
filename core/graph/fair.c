/*
 * The fair metrics of a graph G against the exact graph H. An edge is named by the last instruction
 * of its source block and the first of its target block; w are weights, W their sums.
 *
 *   hot(X)         the shortest prefix of X's edges (by descending weight, then by name) that holds
 *                  900 permille of W_X, by X's own weights; of a set: all edges
 *   hot_recall     |hot G and hot H| / |hot H|
 *   hot_precision  |hot G and hot H| / |hot G|
 *   hot_f1         2 |hot G and hot H| / (|hot G| + |hot H|)
 *   hot_f1_10      2PR / (P + R), with t the least weight in hot H, P the share of hot G with
 *                  w_H >= 9/10 t, and R the share of {e in hot H: w_H >= 10/9 t} that lies in hot G
 *                  (1 if that set is empty): edges near the threshold may lie on either side
 *   hot_weight     sum of w_H over hot G and hot H, / that over hot H
 *   overlap        sum over e of min(w_G / W_G, w_H / W_H)
 *   count_error    sum over e of |w_G - w_H|, / W_H: not normalised, so it reveals a wrong scale
 *
 * Each is one division of two integers.
 */
#include "graph/fair.h"

struct tally {
    uint64_t common_hot;
    uint64_t near;               /* edges of hot G with w_H >= 9/10 of the threshold */
    uint64_t clear, clear_found; /* edges of hot H with w_H >= 10/9 of the threshold; those that are
                                    in hot G */
    wide hot_weight, found_weight; /* of hot H; of those edges that are in hot G */
    wide common;                   /* sum of min(w_G W_H, w_H W_G) */
    wide error;
};

/* Adds one edge name; in_g or in_h is NULL if that graph lacks it. */
static void tally_name(struct tally *t, const struct name *in_g, const struct name *in_h,
                       const struct ranked_edges *g, const struct ranked_edges *h) {
    const wide w_g = in_g != NULL ? in_g->count : 0, w_h = in_h != NULL ? in_h->count : 0;
    const bool hot_g = in_g != NULL && in_g->hot, hot_h = in_h != NULL && in_h->hot;
    const wide threshold = h->least_hot;
    t->common_hot += hot_g && hot_h;
    t->hot_weight += hot_h ? w_h : 0;
    t->found_weight += hot_g && hot_h ? w_h : 0;
    t->near += hot_g && 10 * w_h >= 9 * threshold;
    if (hot_h && 9 * w_h >= 10 * threshold) {
        t->clear++;
        t->clear_found += hot_g;
    }
    t->common += w_g * h->weight < w_h * g->weight ? w_g * h->weight : w_h * g->weight;
    t->error += w_g > w_h ? w_g - w_h : w_h - w_g;
}

static int name_order(const struct name *a, const struct name *b) {
    if (a->last != b->last)
        return a->last < b->last ? -1 : 1;
    return (a->target > b->target) - (a->target < b->target);
}

static struct tally tally_names(const struct ranked_edges *g, const struct ranked_edges *h) {
    struct tally t = {0};
    size_t i = 0, k = 0;
    while (i < g->name_count || k < h->name_count) {
        int order = i == g->name_count   ? 1
                    : k == h->name_count ? -1
                                         : name_order(&g->names[i], &h->names[k]);
        tally_name(&t, order <= 0 ? &g->names[i] : NULL, order >= 0 ? &h->names[k] : NULL, g, h);
        i += order <= 0;
        k += order >= 0;
    }
    return t;
}

/* 2PR / (P + R) over one denominator, with P = near / |hot G| and R = found / clear. */
static double tolerant_f1(const struct tally *t, uint64_t hot_g, uint64_t hot_h) {
    if (hot_g == 0 || hot_h == 0)
        return NAN;
    wide clear = t->clear == 0 ? 1 : t->clear, found = t->clear == 0 ? 1 : t->clear_found;
    wide sum = t->near * clear + found * hot_g;
    return sum == 0 ? 0 : ratio(2 * t->near * found, sum);
}

void fair_compare(struct fair_metrics *out, const struct ranked_edges *g,
                  const struct ranked_edges *h) {
    *out = (struct fair_metrics){
        .hot_recall = NAN,
        .hot_precision = NAN,
        .hot_f1 = NAN,
        .hot_f1_10 = NAN,
        .hot_weight = NAN,
        .overlap = NAN,
        .count_error = NAN,
    };
    if (!g->named || !h->named)
        return;
    const struct tally t = tally_names(g, h);
    out->named = true;
    out->hot_g = g->hot_names;
    out->hot_h = h->hot_names;
    out->common_hot = t.common_hot;
    out->hot_recall = ratio(t.common_hot, h->hot_names);
    out->hot_precision = ratio(t.common_hot, g->hot_names);
    out->hot_f1 = ratio(2 * (wide)t.common_hot, (wide)g->hot_names + h->hot_names);
    out->hot_weight = ratio(t.found_weight, t.hot_weight);
    out->hot_f1_10 = tolerant_f1(&t, g->hot_names, h->hot_names);
    if (g->set)
        return;
    out->overlap = ratio(t.common, (wide)g->weight * h->weight);
    out->count_error = ratio(t.error, h->weight);
}
