/* What graphs tell of the paths of a replay. */
#include "profile/path/path_judge.h"

#include <stdlib.h>

#include "graph/layout/layout.h"
#include "profile/path/path_counts.h"

struct path_truth {
    struct structure own;              /* of a machine; empty for a program */
    const struct structure *structure; /* that one, or the trace's */
    struct path_profile profile;       /* refers to the structure */
    struct path_totals totals;
};

struct judge {
    struct path_counts counts; /* first: the hooks of path_counts.h take it for all */
    struct path_truth *truth;
};

/* Fills the truth, of which `s` is a part; *out stays empty. */
static enum status read_paths(struct profile *out, const struct traces *t,
                              const struct structure *s, struct error *e) {
    (void)out;
    const struct judge *j = t->own;
    struct path_profile *p = &j->truth->profile;
    j->truth->structure = s;
    const enum status status = path_profile_make(p, &j->counts, t, s, e);
    if (status == STATUS_OK)
        paths_measure(&j->truth->totals, &p->program, &p->paths);
    return status;
}

static const struct trace_policy policy = {.name = "the judge of paths",
                                           .own_size = sizeof(struct judge),
                                           .arrives = path_counts_arrives,
                                           .ends = path_counts_ends,
                                           .stops = path_counts_stops,
                                           .release = path_counts_release,
                                           .profile = read_paths};

enum status path_judge_attach(void **out, struct nes *nes, struct error *e) {
    return traces_attach(out, nes, &policy, NULL, e);
}

enum status path_judge_finish(void *self, struct path_truth **out, struct error *e) {
    struct judge *j = ((struct traces *)self)->own;
    struct profile nothing = {0};
    *out = j->truth = calloc(1, sizeof **out);
    if (*out == NULL) {
        traces_abandon(self);
        return error_set(e, STATUS_MEMORY, "out of memory for paths");
    }
    const enum status status = traces_finish_on(self, &nothing, &(*out)->own, e);
    profile_free(&nothing);
    if (status != STATUS_OK) {
        path_truth_free(*out);
        *out = NULL;
    }
    return status;
}

static void tell_judge(void *own, void *truth) {
    ((struct judge *)own)->truth = truth;
}

enum status path_judge_replay(struct path_truth **out, const struct program_trace *program,
                              struct error *e) {
    struct profile nothing;
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for paths");
    const struct traces_preparation prepare = {tell_judge, *out};
    const enum status status =
        traces_replay_prepared(&nothing, program, &policy, NULL, &prepare, e);
    profile_free(&nothing);
    if (status != STATUS_OK) {
        path_truth_free(*out);
        *out = NULL;
    }
    return status;
}

void path_judge_abandon(void *self) {
    traces_abandon(self);
}

const struct path_totals *path_truth_totals(const struct path_truth *t) {
    return &t->totals;
}

enum status path_truth_judge(const struct path_truth *t, const struct graph *g,
                             struct path_knowledge *out, struct error *e) {
    const struct graph *blocks = &t->structure->graph;
    const struct path_profile *p = &t->profile;
    const struct layout_program program = shapes_program(&t->structure->shapes, blocks);
    struct layout_weighing w = {0};
    enum status status = layout_weigh(&w, &program, g, true, e);
    if (status == STATUS_OK) {
        paths_scale(w.edges, &p->program, &p->paths);
        for (size_t i = 0; i < blocks->edge_count; i++)
            if (blocks->edges[i].busy)
                w.edges[i] = p->edges[PATHS_EACH][i];
        status = paths_known_by_edges(out, &p->program, &p->paths, w.edges, e);
    }
    free(w.edges);
    return status;
}

void path_truth_free(struct path_truth *t) {
    if (t == NULL)
        return;
    path_profile_free(&t->profile);
    structure_free(&t->own);
    free(t);
}
