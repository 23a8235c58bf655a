/* What a graph tells of the paths that are counted beside it. */
#include "profile/path/path_judge.h"

#include <stdlib.h>

#include "graph/layout/layout.h"
#include "profile/path/path_counts.h"

struct judge {
    struct path_counts counts; /* first: the hooks of path_counts.h take it for all */
    const struct graph *judged;
    struct path_judgement *out;
};

/* Fills the judgement; *out stays empty. */
static enum status judge_graph(struct profile *out, const struct traces *t,
                               const struct structure *s, struct error *e) {
    (void)out;
    const struct judge *j = t->own;
    const struct layout_program program = shapes_program(&s->shapes, &s->graph);
    struct layout_weighing w = {0};
    struct path_profile p;
    enum status status = path_profile_make(&p, &j->counts, t, s, e);
    if (status != STATUS_OK)
        return status;
    status = layout_weigh(&w, &program, j->judged, true, e);
    if (status == STATUS_OK) {
        paths_measure(&j->out->totals, &p.program, &p.paths);
        paths_scale(w.edges, &p.program, &p.paths);
        for (size_t i = 0; i < s->graph.edge_count; i++)
            if (s->graph.edges[i].busy)
                w.edges[i] = p.edges[PATHS_EACH][i];
        status = paths_known_by_edges(&j->out->known, &p.program, &p.paths, w.edges, e);
    }
    free(w.edges);
    path_profile_free(&p);
    return status;
}

static const struct trace_policy policy = {.name = "the judge of paths",
                                           .own_size = sizeof(struct judge),
                                           .arrives = path_counts_arrives,
                                           .ends = path_counts_ends,
                                           .stops = path_counts_stops,
                                           .release = path_counts_release,
                                           .profile = judge_graph};

enum status path_judge_attach(void **out, struct nes *nes, struct error *e) {
    return traces_attach(out, nes, &policy, NULL, e);
}

enum status path_judge_finish(void *self, const struct graph *g, struct path_judgement *out,
                              struct error *e) {
    struct judge *j = ((struct traces *)self)->own;
    struct profile nothing = {0};
    *out = (struct path_judgement){0};
    j->judged = g;
    j->out = out;
    const enum status status = traces_finish(self, &nothing, e);
    profile_free(&nothing);
    return status;
}

void path_judge_abandon(void *self) {
    traces_abandon(self);
}
