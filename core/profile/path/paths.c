/*
 * paths: every acyclic path of the program, counted exactly (Ball and Larus 1996, "Efficient path
 * profiling"). What a path is stands in path_counts.h, hot paths and flow in graph/path/path_flow.h. Ball and
 * Larus number the paths of a routine so that a sum of values on edges is the path's counter; here each
 * path has its place in a tree, which gives the same counts, needs no graph before the program runs, and
 * has no limit on the number of possible paths. Calls end paths, because on this machine a routine need
 * not return to its caller.
 *
 * The graph has the counts of edges that follow from those of paths: all of them, so it is the exact
 * graph. Further counts compare this graph, an edge profile, with the paths: how much of their flow it
 * determines, and how well paths are estimated from it.
 *
 * Costs, of numbered paths: records are counters of paths; probes the transfers that were taken, each of
 * which adds to a path's number, and the ends of paths, which count; a step is a node of the tree.
 */
#include "profile/path/path_counts.h"

extern const struct technique technique_paths;

static void tell_paths(struct profile *out, const struct path_counts *counts,
                       const struct path_totals *totals, const struct path_knowledge *known) {
    const struct named_count told[] = {
        {"paths", totals->paths},
        {"hot_paths", totals->hot},
        {"path_flow", totals->flow},
        {"hot_path_flow", totals->hot_flow},
        {"path_ends", counts->ended},
        {"fixed_flow", known->fixed},
        {"edges_overlap", known->match.overlap},
        {"edges_matched", known->match.matched},
    };
    _Static_assert(sizeof told / sizeof *told <= PROFILE_COUNTS, "room for them");
    out->count_count = sizeof told / sizeof *told;
    for (size_t i = 0; i < out->count_count; i++)
        out->counts[i] = told[i];
    out->cost.probes = counts->transfers + counts->ended;
    out->cost.steps += counts->nodes.len;
}

static enum status profile(struct profile *out, const struct traces *t, const struct structure *s,
                           struct error *e) {
    const struct path_counts *counts = t->own;
    struct path_profile p;
    struct path_totals totals;
    struct path_knowledge known;
    enum status status = path_profile_make(&p, counts, t, s, e);
    if (status != STATUS_OK)
        return status;
    paths_measure(&totals, &p.program, &p.paths);
    status = paths_known_by_edges(&known, &p.program, &p.paths, p.edges[PATHS_EACH], e);
    if (status == STATUS_OK)
        status = path_profile_graph(out, s, p.edges[PATHS_EACH], e);
    if (status == STATUS_OK) {
        tell_paths(out, counts, &totals, &known);
        out->cost.records = p.paths.paths.len;
    }
    path_profile_free(&p);
    return status;
}

static const struct trace_policy policy = {.name = "paths",
                                           .own_size = sizeof(struct path_counts),
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

const struct technique technique_paths = {
    .name = "paths",
    .summary = "every acyclic path, counted exactly",
    .source = "Ball, Larus (1996)",
    .each_transfer = true,
    .attach = attach,
    .finish = traces_finish,
    .abandon = traces_abandon,
    .replay = replay,
    .now = traces_ask,
};
