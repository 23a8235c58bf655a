/* Paths, and what edge profiles tell of them. */
#include "graph/path/path_flow.h"

#include <stdlib.h>

#include "graph/ratio.h"

/* ---- programs and sets ---- */

void path_program_free(struct path_program *p) {
    free(p->cut);
    free(p->decision);
    free(p->begins);
    *p = (struct path_program){0};
}

/* Edges are sorted by source: those of one block are edges[i] to before edges[end]. */
static size_t end_of_block(const struct graph *g, size_t i) {
    size_t end = i;
    while (end < g->edge_count && g->edges[end].source == g->edges[i].source)
        end++;
    return end;
}

static size_t block_number(const struct graph *g, uint32_t entry) {
    const struct block *b = graph_find_block(g, entry);
    return b == NULL ? SIZE_MAX : (size_t)(b - g->blocks);
}

static enum status describe(struct path_program *p, const bool *leaves, struct error *e) {
    const struct graph *g = p->graph;
    for (size_t i = 0, end = 0; i < g->edge_count; i = end) {
        end = end_of_block(g, i);
        const size_t source = block_number(g, g->edges[i].source);
        if (source == SIZE_MAX)
            return error_set(e, STATUS_ARGUMENT, "the graph has no block at 0x%x",
                             g->edges[i].source);
        for (size_t k = i; k < end; k++) {
            p->cut[k] = leaves[source] || g->edges[k].target <= g->blocks[source].last;
            p->decision[k] = end - i > 1 && !leaves[source] && !g->edges[k].busy;
        }
    }
    return STATUS_OK;
}

enum status path_program_make(struct path_program *out, const struct graph *graph,
                              const bool *leaves, const uint64_t *begins, struct error *e) {
    *out = (struct path_program){.graph = graph,
                                 .cut = calloc(graph->edge_count + 1, sizeof *out->cut),
                                 .decision = calloc(graph->edge_count + 1, sizeof *out->decision),
                                 .begins = calloc(graph->block_count + 1, sizeof *out->begins)};
    enum status status = out->cut == NULL || out->decision == NULL || out->begins == NULL
                             ? error_set(e, STATUS_MEMORY, "out of memory for paths")
                             : describe(out, leaves, e);
    for (size_t b = 0; status == STATUS_OK && b < graph->block_count; b++)
        out->begins[b] = begins[b];
    if (status != STATUS_OK)
        path_program_free(out);
    return status;
}

void path_set_free(struct path_set *s) {
    vec_free(&s->paths);
    vec_free(&s->edges);
}

/* ---- flow ---- */

uint64_t path_decisions(const struct path_program *p, const struct path_set *s,
                        const struct path *path) {
    uint64_t decisions = 0;
    for (size_t i = 0; i < path->edge_count; i++)
        decisions += p->decision[s->edges.at[path->first + i]];
    return decisions;
}

static uint64_t path_flow(const struct path_program *p, const struct path_set *s, size_t i) {
    const struct path *path = &s->paths.at[i];
    return path->count * path_decisions(p, s, path);
}

static bool flow_is_hot(uint64_t flow, uint64_t all) {
    return flow > 0 && (wide)flow * PATHS_HOT_PART >= all;
}

void paths_measure(struct path_totals *out, const struct path_program *p,
                   const struct path_set *s) {
    *out = (struct path_totals){0};
    for (size_t i = 0; i < s->paths.len; i++) {
        const uint64_t flow = path_flow(p, s, i);
        out->paths += flow > 0;
        out->flow += flow;
    }
    for (size_t i = 0; i < s->paths.len; i++) {
        const uint64_t flow = path_flow(p, s, i);
        if (!flow_is_hot(flow, out->flow))
            continue;
        out->hot++;
        out->hot_flow += flow;
    }
}

/* ---- estimates ---- */

struct ranked_path {
    uint64_t estimate;
    size_t number;
};

static int hotter_first(const void *a, const void *b) {
    const struct ranked_path *x = a, *y = b;
    if (x->estimate != y->estimate)
        return x->estimate > y->estimate ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Marks the `most` paths with the largest estimates; those of 0 are none. */
static bool mark_hottest(bool *hottest, const uint64_t *estimates, size_t count, uint64_t most) {
    struct ranked_path *ranks = calloc(count + 1, sizeof *ranks);
    if (ranks == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        ranks[i] = (struct ranked_path){estimates[i], i};
    qsort(ranks, count, sizeof *ranks, hotter_first);
    for (size_t i = 0; i < count && i < most; i++)
        hottest[ranks[i].number] = ranks[i].estimate > 0;
    free(ranks);
    return true;
}

enum status paths_compare(struct path_match *out, const struct path_program *p,
                          const struct path_set *s, const uint64_t *estimates, uint64_t all,
                          struct error *e) {
    struct path_totals totals;
    paths_measure(&totals, p, s);
    *out = (struct path_match){0};
    bool *hottest = calloc(s->paths.len + 1, sizeof *hottest);
    const bool ok = hottest != NULL && mark_hottest(hottest, estimates, s->paths.len, totals.hot);
    wide overlap = 0; /* in units of 1 / all */
    for (size_t i = 0; ok && i < s->paths.len; i++) {
        const uint64_t flow = path_flow(p, s, i);
        if (!flow_is_hot(flow, totals.flow))
            continue;
        const wide mine = (wide)flow * all, its = (wide)estimates[i] * totals.flow;
        overlap += mine < its ? mine : its;
        out->matched += hottest[i] ? flow : 0;
    }
    out->overlap = all == 0 ? 0 : (uint64_t)(overlap / all);
    free(hottest);
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory for paths");
}

/* ---- edge profiles ---- */

/* An edge profile as flow through blocks. */
struct edge_flow {
    uint64_t *starts;  /* of each block: paths that start there */
    uint64_t *through; /* of each block: the larger of inflow and outflow */
    uint32_t *source;  /* of each edge: its block */
};

static void edge_flow_free(struct edge_flow *f) {
    free(f->starts);
    free(f->through);
    free(f->source);
}

static enum status edge_flow_make(struct edge_flow *f, const struct path_program *p,
                                  const uint64_t *counts, struct error *e) {
    const struct graph *g = p->graph;
    uint64_t *out = calloc(g->block_count + 1, sizeof *out);
    *f = (struct edge_flow){.starts = calloc(g->block_count + 1, sizeof *f->starts),
                            .through = calloc(g->block_count + 1, sizeof *f->through),
                            .source = calloc(g->edge_count + 1, sizeof *f->source)};
    const bool ok = out != NULL && f->starts != NULL && f->through != NULL && f->source != NULL;
    for (size_t b = 0; ok && b < g->block_count; b++)
        f->starts[b] = f->through[b] = p->begins[b];
    for (size_t i = 0; ok && i < g->edge_count; i++) {
        const size_t source = block_number(g, g->edges[i].source);
        const size_t target = block_number(g, g->edges[i].target);
        f->source[i] = (uint32_t)source;
        out[source] += counts[i];
        if (target == SIZE_MAX)
            continue;
        f->through[target] += counts[i];
        f->starts[target] += p->cut[i] ? counts[i] : 0;
    }
    for (size_t b = 0; ok && b < g->block_count; b++)
        if (out[b] > f->through[b])
            f->through[b] = out[b];
    free(out);
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory for paths");
}

/* What the path has in every set of paths with these edge counts. */
static uint64_t definite_count(const struct edge_flow *f, const struct path_set *s,
                               const struct path *path, const uint64_t *counts) {
    uint64_t count = f->starts[path->start];
    for (size_t i = 0; i < path->edge_count; i++) {
        const uint32_t edge = s->edges.at[path->first + i];
        const uint64_t leaves = f->through[f->source[edge]] - counts[edge];
        if (leaves >= count)
            return 0;
        count -= leaves;
    }
    return count;
}

/* The count that the path has if each branch is independent of those before it. */
static double independent_count(const struct edge_flow *f, const struct path_set *s,
                                const struct path *path, const uint64_t *counts) {
    double count = (double)f->starts[path->start];
    for (size_t i = 0; i < path->edge_count && count > 0; i++) {
        const uint32_t edge = s->edges.at[path->first + i];
        count = count * (double)counts[edge] / (double)f->through[f->source[edge]];
    }
    return count;
}

/* Each execution of a decision is flow of some path. */
static uint64_t decisions_made(const struct path_program *p, const uint64_t *counts) {
    uint64_t made = 0;
    for (size_t i = 0; i < p->graph->edge_count; i++)
        made += p->decision[i] ? counts[i] : 0;
    return made;
}

void paths_scale(uint64_t *counts, const struct path_program *p, const struct path_set *s) {
    struct path_totals totals;
    paths_measure(&totals, p, s);
    const wide made = decisions_made(p, counts);
    for (size_t i = 0; made > 0 && i < p->graph->edge_count; i++)
        counts[i] = (uint64_t)(((wide)counts[i] * totals.flow + made / 2) / made);
}

enum status paths_known_by_edges(struct path_knowledge *out, const struct path_program *p,
                                 const struct path_set *s, const uint64_t *counts,
                                 struct error *e) {
    *out = (struct path_knowledge){0};
    struct edge_flow f;
    uint64_t *estimates = calloc(s->paths.len + 1, sizeof *estimates);
    enum status status = edge_flow_make(&f, p, counts, e);
    if (status == STATUS_OK && estimates == NULL)
        status = error_set(e, STATUS_MEMORY, "out of memory for paths");
    for (size_t i = 0; status == STATUS_OK && i < s->paths.len; i++) {
        const struct path *path = &s->paths.at[i];
        const uint64_t decisions = path_decisions(p, s, path);
        const uint64_t definite = definite_count(&f, s, path, counts);
        out->fixed += decisions * (definite < path->count ? definite : path->count);
        estimates[i] = (uint64_t)(independent_count(&f, s, path, counts) * (double)decisions + 0.5);
    }
    if (status == STATUS_OK)
        status = paths_compare(&out->match, p, s, estimates, decisions_made(p, counts), e);
    free(estimates);
    edge_flow_free(&f);
    return status;
}
