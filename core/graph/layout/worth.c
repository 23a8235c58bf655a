/*
 * Compares layouts made from a graph with those made from the exact one (layout.h has the
 * definitions). A reference holds the part that does not depend on the graph.
 */
#include "graph/layout/layout_internal.h"

#include <stdlib.h>

/* Score and falls of a layout, for weights up to 2^62. */
struct layout_score {
    wide score, falls;
};

struct hot_block {
    uint64_t weight;
    uint32_t block;
};

struct worth_reference {
    struct layout_plan plan;
    struct waits waits;
    struct layout_weights exact; /* H's counts, mapped onto the program */
    struct layout_score original, best;
    uint64_t local, layable; /* weights */
    wide executed;           /* instructions executed in movable blocks */
    uint64_t hot_bytes;      /* smallest size of blocks that hold 99 % of them */
    struct worth_exact said;
};

/* ---- scores ---- */

static struct layout_score score_of(const struct worth_reference *r, const uint64_t *positions) {
    const struct layout_plan *p = &r->plan;
    struct layout_score sum = {0};
    for (size_t i = 0; i < p->arc_count; i++) {
        const struct layout_arc *arc = &p->arcs[i];
        const uint64_t weight = r->exact.arcs[i];
        if (!arc->local || weight == 0)
            continue;
        const uint64_t end = positions[arc->from] + p->shapes[arc->from].size;
        const int64_t gain = layout_gain(arc->layable, (int64_t)end, (int64_t)positions[arc->to]);
        sum.score += (wide)weight * (uint64_t)gain;
        if (arc->layable && end == positions[arc->to])
            sum.falls += weight;
    }
    return sum;
}

static enum status layout_by(uint64_t *positions, const struct layout_plan *p,
                             const struct layout_weights *w, struct error *e) {
    struct layout_chains chains;
    enum status status = chains_make(&chains, p, w, e);
    if (status != STATUS_OK)
        return status;
    status = chains_place(positions, p, &chains, w, e);
    chains_free(&chains);
    return status;
}

static enum status score_layout(struct layout_score *out, const struct worth_reference *r,
                                const struct layout_weights *w, struct error *e) {
    uint64_t *positions = calloc(r->plan.block_count + 1, sizeof *positions);
    enum status status = positions != NULL ? layout_by(positions, &r->plan, w, e)
                                           : error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        *out = score_of(r, positions);
    free(positions);
    return status;
}

/* ---- hottest bytes ---- */

static int hotter(const void *a, const void *b) {
    const struct hot_block *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

/* Returns the blocks with a weight, hottest first; NULL: out of memory. */
static struct hot_block *rank_blocks(const struct layout_plan *p, const struct layout_weights *w,
                                     size_t *count) {
    struct hot_block *ranked = calloc(p->block_count + 1, sizeof *ranked);
    *count = 0;
    for (size_t b = 0; ranked != NULL && b < p->block_count; b++)
        if (w->blocks[b] > 0 && p->region[b] != 0)
            ranked[(*count)++] = (struct hot_block){w->blocks[b], (uint32_t)b};
    if (ranked != NULL)
        qsort(ranked, *count, sizeof *ranked, hotter);
    return ranked;
}

static wide executed_in(const struct worth_reference *r, uint32_t block) {
    return (wide)r->exact.blocks[block] * r->plan.shapes[block].insns;
}

static bool find_hot_bytes(struct worth_reference *r) {
    size_t count;
    struct hot_block *ranked = rank_blocks(&r->plan, &r->exact, &count);
    if (ranked == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        r->executed += executed_in(r, ranked[i].block);
    wide sum = 0;
    for (size_t i = 0; i < count && 100 * sum < 99 * r->executed; i++) {
        sum += executed_in(r, ranked[i].block);
        r->hot_bytes += r->plan.shapes[ranked[i].block].size;
    }
    free(ranked);
    return true;
}

/* A block that does not fit counts in proportion to the bytes that do. */
static bool hot_share(double *out, const struct worth_reference *r,
                      const struct layout_weights *w) {
    size_t count;
    struct hot_block *ranked = rank_blocks(&r->plan, w, &count);
    if (ranked == NULL)
        return false;
    wide sum = 0;
    uint64_t left = r->hot_bytes;
    for (size_t i = 0; i < count && left > 0; i++) {
        const uint32_t size = r->plan.shapes[ranked[i].block].size;
        const uint64_t fits = size < left ? size : left;
        sum += executed_in(r, ranked[i].block) * fits / size;
        left -= fits;
    }
    free(ranked);
    *out = ratio(sum, r->executed);
    return true;
}

/* ---- successors ---- */

/* Returns the block's heaviest local arc, of equal ones that with the lower target; SIZE_MAX:
 * none. */
static size_t likeliest(const struct layout_plan *p, const uint64_t *weights, size_t block) {
    size_t best = SIZE_MAX;
    for (size_t i = p->first_arc[block]; i < p->first_arc[block + 1]; i++)
        if (p->arcs[i].local && weights[i] > 0 && (best == SIZE_MAX || weights[i] > weights[best]))
            best = i;
    return best;
}

static double same_successor(const struct worth_reference *r, const struct layout_weights *w) {
    wide same = 0, all = 0;
    for (size_t b = 0; b < r->plan.block_count; b++) {
        const size_t best = likeliest(&r->plan, r->exact.arcs, b);
        if (best == SIZE_MAX)
            continue;
        all += r->exact.arcs[best];
        if (likeliest(&r->plan, w->arcs, b) == best)
            same += r->exact.arcs[best];
    }
    return ratio(same, all);
}

/* ---- reference ---- */

static void sum_weights(struct worth_reference *r) {
    for (size_t i = 0; i < r->plan.arc_count; i++) {
        r->local += r->plan.arcs[i].local ? r->exact.arcs[i] : 0;
        r->layable += r->plan.arcs[i].layable ? r->exact.arcs[i] : 0;
    }
}

static enum status prepare(struct worth_reference *r, struct error *e) {
    uint64_t *as_is = calloc(r->plan.block_count + 1, sizeof *as_is);
    if (as_is == NULL || !find_hot_bytes(r)) {
        free(as_is);
        return error_set(e, STATUS_MEMORY, "out of memory");
    }
    layout_place_as_is(as_is, &r->plan);
    r->original = score_of(r, as_is);
    free(as_is);
    enum status status = score_layout(&r->best, r, &r->exact, e);
    sum_weights(r);
    r->said = (struct worth_exact){
        .local_weight = r->local,
        .layable_weight = r->layable,
        .score_original = ratio(r->original.score, (wide)r->local * LAYOUT_FALL),
        .score_best = ratio(r->best.score, (wide)r->local * LAYOUT_FALL),
        .fall_share_original = ratio(r->original.falls, r->layable),
        .fall_share_best = ratio(r->best.falls, r->layable),
    };
    return status;
}

enum status worth_reference_new(struct worth_reference **out, const struct layout_program *program,
                                const struct graph *exact, struct error *e) {
    *out = NULL;
    struct worth_reference *r = calloc(1, sizeof *r);
    if (r == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    struct layout_loss loss;
    enum status status = layout_plan_make(&r->plan, program, e);
    if (status == STATUS_OK)
        status = waits_collect(&r->waits, exact, e);
    if (status == STATUS_OK)
        status = weights_of_graph(&r->exact, &loss, &r->plan, &r->waits, exact, e);
    if (status == STATUS_OK)
        status = prepare(r, e);
    if (status == STATUS_OK)
        *out = r;
    else
        worth_reference_free(r);
    return status;
}

void worth_reference_free(struct worth_reference *r) {
    if (r == NULL)
        return;
    layout_plan_free(&r->plan);
    waits_free(&r->waits);
    weights_free(&r->exact);
    free(r);
}

const struct worth_exact *worth_of_exact(const struct worth_reference *r) {
    return &r->said;
}

/* ---- one graph ---- */

/* (part - from) / (whole - from); NAN if less than 1 % can be gained. */
static double benefit_of(const struct worth_reference *r, wide score) {
    const wide from = r->original.score, best = r->best.score;
    if (best <= from || 100 * (best - from) < (wide)r->local * LAYOUT_FALL)
        return NAN;
    return score >= from ? ratio(score - from, best - from) : -ratio(from - score, best - from);
}

static enum status judge(struct worth_variant *out, const struct worth_reference *r,
                         const struct layout_weights *w, struct error *e) {
    struct layout_score found;
    enum status status = score_layout(&found, r, w, e);
    if (status != STATUS_OK)
        return status;
    out->benefit = benefit_of(r, found.score);
    out->fall_share = ratio(found.falls, r->layable);
    out->successor = same_successor(r, w);
    return hot_share(&out->hot_bytes, r, w) ? STATUS_OK
                                            : error_set(e, STATUS_MEMORY, "out of memory");
}

static uint64_t count_placed(const struct layout_plan *p, const struct layout_weights *w) {
    uint64_t count = 0;
    for (size_t b = 0; b < p->block_count; b++)
        count += w->blocks[b] > 0 && p->region[b] != 0;
    return count;
}

enum status worth_compare(const struct worth_reference *r, struct worth *out, const struct graph *g,
                          struct error *e) {
    struct layout_weights w;
    struct layout_loss loss;
    *out = (struct worth){0};
    enum status status = weights_of_graph(&w, &loss, &r->plan, &r->waits, g, e);
    if (status != STATUS_OK)
        return status;
    out->lost = ratio(loss.lost, loss.all);
    out->placed = count_placed(&r->plan, &w);
    status = judge(&out->as_found, r, &w, e);
    if (status == STATUS_OK)
        status = weights_infer(&w, &r->plan, e);
    if (status == STATUS_OK)
        status = judge(&out->inferred, r, &w, e);
    weights_free(&w);
    return status;
}

enum status layout_positions(uint64_t *positions, const struct worth_reference *r,
                             const struct graph *g, bool inferred, struct error *e) {
    struct layout_weights w;
    struct layout_loss loss;
    if (g == NULL) {
        layout_place_as_is(positions, &r->plan);
        return STATUS_OK;
    }
    enum status status = weights_of_graph(&w, &loss, &r->plan, &r->waits, g, e);
    if (status != STATUS_OK)
        return status;
    if (inferred)
        status = weights_infer(&w, &r->plan, e);
    if (status == STATUS_OK)
        status = layout_by(positions, &r->plan, &w, e);
    weights_free(&w);
    return status;
}
