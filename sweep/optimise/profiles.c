#include "optimise/profiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/layout/layout.h"
#include "profile/profile.h"

enum { RANDOM_SEED = 1, RANDOM_MOST = 1000 };

const char *const layout_kind_words[] = {"original", "none", "exact", "other", "random", "found"};

/* ---- the list ---- */

static bool fits(const struct config_point *p, const struct config_budget *b) {
    static const struct structure some;
    const struct stream shape = {.batch_length = b->batch > 0 ? b->batch : 2,
                                 .batch_count = 1,
                                 .of = config_budget_of(b),
                                 .structure = &some};
    return technique_fits(p->technique, &shape, p->values, NULL) == STATUS_OK;
}

static bool push_found(struct layouts *out, const struct config *c, const struct config_point *p,
                       bool branches) {
    bool ok = true;
    for (size_t i = 0; ok && i < c->budgets.len; i++) {
        if ((c->budgets.at[i].stack > 0) != branches)
            continue;
        struct layout l = {.kind = LAYOUT_FOUND, .point = p, .budget = i};
        config_budget_name(&c->budgets.at[i], l.sampling, sizeof l.sampling);
        if (!fits(p, &c->budgets.at[i]))
            continue;
        ok = vec_push(&out->list, l);
        l.inferred = true; /* a structure already has the falls */
        if (ok && !p->technique->needs_structure)
            ok = vec_push(&out->list, l);
    }
    return ok;
}

/* A layout's number names the folder of its program, and a program may depend on that name a little
 * (lua hashes it). So layouts by last branches come last: adding them leaves the others alone. */
enum status layouts_list(struct layouts *out, const struct config *c, struct error *e) {
    bool ok = true;
    *out = (struct layouts){0};
    for (int kind = LAYOUT_ORIGINAL; ok && kind < LAYOUT_FOUND; kind++)
        ok = vec_push(&out->list, ((struct layout){.kind = (enum layout_kind)kind}));
    for (size_t i = 0; ok && i < 2 * c->points.len; i++)
        ok = push_found(out, c, &c->points.at[i % c->points.len], i >= c->points.len);
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}

void layout_name(const struct layout *l, char *out, size_t size) {
    if (l->kind != LAYOUT_FOUND)
        snprintf(out, size, "%s", layout_kind_words[l->kind]);
    else
        snprintf(out, size, "%s, %s%s", l->point->key, l->sampling,
                 l->inferred ? ", falls inferred" : "");
}

/* ---- the runs ---- */

enum status recorded_prepare(struct recorded *r, struct error *e) {
    const struct structure *s = &r->base.structure;
    const struct layout_program program = shapes_program(&s->shapes, &s->graph);
    for (size_t i = 0; i < r->base.stream_count; i++)
        r->base.streams[i].structure = s;
    enum status status = worth_reference_new(&r->worth, &program, &r->base.graph, e);
    return status == STATUS_OK ? reference_new(&r->exact, &r->base.graph, 0, e) : status;
}

void recorded_free(struct recorded *r) {
    worth_reference_free(r->worth);
    reference_free(r->exact);
    qemu_result_free(&r->base);
    qemu_result_free(&r->other);
    *r = (struct recorded){0};
}

/* ---- one profile ---- */

static enum status make_random(struct graph *out, const struct graph *exact, struct error *e) {
    enum status status = graph_copy(out, exact, e);
    out->kind = GRAPH_BUILT;
    for (size_t i = 0; status == STATUS_OK && i < out->edge_count; i++)
        out->edges[i].count = 1 + splitmix64(RANDOM_SEED, i) % RANDOM_MOST;
    return status;
}

static enum status find(struct layout_profile *out, const struct layout *l,
                        const struct recorded *r, struct error *e) {
    struct profile profile = {0};
    const struct stream *stream = &r->base.streams[l->budget];
    const struct build_one one = {
        .stream = stream, .batches = SIZE_MAX, .values = l->point->values};
    enum status status = technique_build(&profile, l->point->technique, &one, e);
    if (status == STATUS_OK) {
        out->graph = profile.graph;
        profile.graph = (struct graph){0};
        out->observed = stream_observed(stream, stream->batch_count);
    }
    profile_free(&profile);
    return status;
}

static enum status judge(struct layout_profile *out, const struct layout *l,
                         const struct recorded *r, struct error *e) {
    struct worth worth;
    struct metrics metrics;
    enum status status = worth_compare(r->worth, &worth, &out->graph, e);
    if (status == STATUS_OK)
        status = reference_compare(r->exact, &metrics, &out->graph, SCOPE_WHOLE, e);
    if (status == STATUS_OK) {
        out->predicted = l->inferred ? worth.inferred.benefit : worth.as_found.benefit;
        out->overlap = metrics.fair.overlap;
    }
    return status;
}

enum status layout_profile_make(struct layout_profile *out, const struct layout *l,
                                const struct recorded *r, struct error *e) {
    *out = (struct layout_profile){.structure = &r->base.structure};
    enum status status = STATUS_OK;
    switch (l->kind) {
    case LAYOUT_OTHER:
        out->structure = &r->other.structure;
        out->observed = r->other.instructions;
        status = graph_copy(&out->graph, &r->other.graph, e);
        break;
    case LAYOUT_RANDOM:
        status = make_random(&out->graph, &r->base.graph, e);
        break;
    case LAYOUT_FOUND:
        status = find(out, l, r, e);
        break;
    default:
        out->observed = r->base.instructions;
        status = graph_copy(&out->graph, &r->base.graph, e);
    }
    if (status == STATUS_OK)
        status = judge(out, l, r, e);
    if (status != STATUS_OK)
        graph_free(&out->graph);
    return status;
}
