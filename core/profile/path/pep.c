/*
 * pep: sampled paths (Bond and McKinley 2005, "Continuous path and edge profiling"). The path's number is
 * kept all the time, which is cheap, but paths are counted only in bursts. A timer ticks each `period`
 * milliseconds of emulated time. Then a few path ends are ignored, 0 after the first tick and one more
 * after each, up to `stride` - 1, and the next `samples` paths that end are counted. The edge profile
 * follows from the counted paths.
 *
 * Paths end where they do for `paths`, with backward transfers; in PEP they end at heads of loops, where
 * the virtual machine already has yield points. Passes of busy-waits are paths like any others, and are
 * sampled as often as they are executed.
 *
 * All paths are counted beside that, only to compare: further counts say what the sampled paths are worth,
 * and how well paths would be estimated from the sampled edges.
 *
 * Costs: records are sampled paths, counted once each; observed the samples; probes are the transfers
 * that were taken, each of which adds to a path's number, and the samples; a step is a node of the tree
 * of all paths. What is not in these: the check at each path end, which a virtual machine has anyway.
 */
#include "profile/path/path_counts.h"

#include <stdlib.h>

extern const struct technique technique_pep;

enum { SAMPLES, STRIDE, PERIOD };

struct pep_result {
    struct path_totals totals;
    struct path_match match;        /* of sampled paths */
    struct path_knowledge by_edges; /* of edges of sampled paths */
    uint64_t distinct;
};

static void tell_samples(struct profile *out, const struct path_counts *counts,
                         const struct pep_result *r) {
    const struct named_count told[] = {
        {"paths", r->totals.paths},
        {"hot_paths", r->totals.hot},
        {"path_flow", r->totals.flow},
        {"hot_path_flow", r->totals.hot_flow},
        {"sampled_paths", r->distinct},
        {"hot_overlap", r->match.overlap},
        {"hot_matched", r->match.matched},
        {"fixed_flow", r->by_edges.fixed},
        {"edges_overlap", r->by_edges.match.overlap},
        {"edges_matched", r->by_edges.match.matched},
    };
    _Static_assert(sizeof told / sizeof *told <= PROFILE_COUNTS, "room for them");
    out->count_count = sizeof told / sizeof *told;
    for (size_t i = 0; i < out->count_count; i++)
        out->counts[i] = told[i];
    out->cost.records = r->distinct;
    out->cost.observed = counts->sampling.taken;
    out->cost.probes = counts->transfers + counts->sampling.taken;
    out->cost.steps += counts->nodes.len;
}

/* Scales the edges of samples to the run. */
static enum status compare_samples(struct pep_result *r, struct path_profile *p, struct error *e) {
    uint64_t all = 0;
    uint64_t *estimates = calloc(p->paths.paths.len + 1, sizeof *estimates);
    if (estimates == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for pep");
    for (size_t i = 0; i < p->paths.paths.len; i++) {
        estimates[i] =
            p->sampled[i] * path_decisions(&p->program, &p->paths, &p->paths.paths.at[i]);
        all += estimates[i];
        r->distinct += p->sampled[i] > 0;
    }
    paths_measure(&r->totals, &p->program, &p->paths);
    enum status status = paths_compare(&r->match, &p->program, &p->paths, estimates, all, e);
    if (status == STATUS_OK) {
        uint64_t *edges = p->edges[PATHS_SAMPLED];
        paths_scale(edges, &p->program, &p->paths);
        status = paths_known_by_edges(&r->by_edges, &p->program, &p->paths, edges, e);
    }
    free(estimates);
    return status;
}

static enum status profile(struct profile *out, const struct traces *t, const struct structure *s,
                           struct error *e) {
    struct path_profile p;
    struct pep_result result = {0};
    enum status status = path_profile_make(&p, t->own, t, s, e);
    if (status != STATUS_OK)
        return status;
    status = path_profile_graph(out, s, p.edges[PATHS_SAMPLED], e);
    if (status == STATUS_OK)
        status = compare_samples(&result, &p, e);
    if (status == STATUS_OK)
        tell_samples(out, t->own, &result);
    path_profile_free(&p);
    return status;
}

/* Before anything of the program is seen. */
static void set_up(void *own, const struct traces *t) {
    struct path_counts *counts = own;
    struct path_sampling *s = &counts->sampling;
    s->samples = (uint64_t)t->values[SAMPLES];
    s->stride = (uint64_t)t->values[STRIDE];
    s->period = (uint64_t)t->values[PERIOD] * t->clock.ticks / 1000;
    s->due = traces_now(t) + s->period;
}

static const struct trace_policy policy = {.name = "pep",
                                           .parameters = 3,
                                           .own_size = sizeof(struct path_counts),
                                           .set_up = set_up,
                                           .arrives = path_counts_arrives,
                                           .ends = path_counts_ends,
                                           .stops = path_counts_stops,
                                           .release = path_counts_release,
                                           .profile = profile};

static enum status attach(void **self, struct nes *nes, const int64_t *values, struct error *e) {
    return traces_attach(self, nes, &policy, values, e);
}

static enum status replay(struct profile *out, const struct program_trace *program,
                          const int64_t *values, struct error *e) {
    return traces_replay(out, program, &policy, values, e);
}

const struct technique technique_pep = {
    .name = "pep",
    .summary = "acyclic paths, counted in bursts after each tick of a timer",
    .source = "Bond, McKinley (2005)",
    .parameters =
        {
            {"samples", "paths that are counted after a tick", 1, INT64_C(1) << 40, 64, NULL},
            {"stride", "at most one path less is ignored before these", 1, INT64_C(1) << 40, 17,
             NULL},
            {"period", "milliseconds of emulated time between ticks", 1, 1000000, 20, NULL},
        },
    .each_transfer = true,
    .attach = attach,
    .finish = traces_finish,
    .abandon = traces_abandon,
    .replay = replay,
    .now = traces_ask,
};
