/* The edges of traces, and what execution in them amounted to. */
#include <stdlib.h>

#include "profile/trace/traces.h"

struct reading {
    const struct traces *t;
    const struct structure *s;
    bool *edges; /* of the structure: in a trace */
    uint64_t bytes, steps;
    bool only_waits; /* this trace so far */
};

static const struct edge *take_edge(struct reading *r, uint32_t source, uint32_t target) {
    const struct graph *g = &r->s->graph;
    const struct edge *edge = graph_find_edge(g, source, target);
    if (edge == NULL)
        return NULL;
    r->edges[edge - g->edges] = true;
    r->only_waits &= edge->busy;
    return edge;
}

/* Takes the blocks from `at` to the transfer of this step, or before the block at `into`, and the edges
 * between and after them. */
static void read_step(struct reading *r, uint32_t at, const struct trace_step *step,
                      uint32_t into) {
    const struct graph *g = &r->s->graph;
    for (size_t n = 0; n < g->block_count && at != into; n++) {
        const struct block *b = graph_find_block(g, at);
        if (b == NULL)
            return;
        r->steps++;
        r->bytes += r->s->shapes.blocks != NULL ? r->s->shapes.blocks[b - g->blocks].size : 0;
        const uint64_t *next = map_find(&r->t->next_at, b->last);
        if (b->last == step->from || next == NULL) {
            take_edge(r, b->entry, step->to);
            return;
        }
        at = (uint32_t)*next;
        if (take_edge(r, b->entry, at) == NULL)
            return;
    }
}

/* True if the trace is nothing but a busy-wait. */
static bool read_trace(struct reading *r, const struct trace *trace) {
    enum { NOWHERE = UINT32_MAX }; /* no transfer leads to an instruction there */
    const struct trace_step none = {.from = NOWHERE, .to = NOWHERE};
    uint32_t at = trace->head;
    r->only_waits = true;
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_step *step = &r->t->steps.at[trace->first + i];
        read_step(r, at, step, NOWHERE);
        at = step->to;
    }
    if (trace->open || trace->runs_on)
        read_step(r, at, &none, trace->open ? NOWHERE : trace->into);
    return r->only_waits;
}

/* ---- counts ---- */

/* Is this outcome of the instruction an edge of a busy-wait? */
static bool is_wait(const struct reading *r, const struct insn_place *places,
                    const struct trace_site *site, bool taken) {
    const struct graph *g = &r->s->graph;
    const uint64_t *next = map_find(&r->t->next_at, site->address);
    const size_t block = structure_block_of(places, structure_insn_count(r->s), site->address);
    if (block == SIZE_MAX || next == NULL || (taken && site->target == 0))
        return false;
    const struct edge *edge =
        graph_find_edge(g, g->blocks[block].entry, taken ? site->target : (uint32_t)*next);
    return edge != NULL && edge->busy;
}

struct sums {
    uint64_t transfers, inside, transfers_active, inside_active;
};

static enum status sum_sites(struct sums *sum, const struct reading *r, struct error *e) {
    struct insn_place *places;
    const enum status status = structure_places(&places, r->s, e);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < r->t->sites.len; i++) {
        const struct trace_site *site = r->t->sites.at[i];
        for (int way = 0; way < 2; way++) {
            const bool waiting = is_wait(r, places, site, way == 1);
            sum->transfers += site->all[way];
            sum->inside += site->inside[way];
            sum->transfers_active += waiting ? 0 : site->all[way];
            sum->inside_active += waiting ? 0 : site->inside[way];
        }
    }
    free(places);
    return STATUS_OK;
}

/* Totals of the traces that are more than a busy-wait. */
struct working {
    uint64_t entered, completed;
    uint64_t first_cycle;  /* in which the first of them was added */
    uint64_t ninety_cycle; /* by which those had been added, oldest first, that execute nine tenths
                              of the transfers in traces */
};

static struct working add_up_traces(const struct traces *t, const bool *only_waits) {
    struct working w = {0};
    unsigned __int128 all = 0, so_far = 0;
    for (size_t i = 0; i < t->all.len; i++)
        all += only_waits[i] ? 0 : t->all.at[i].inside;
    for (size_t i = 0; i < t->all.len; i++) {
        const struct trace *trace = &t->all.at[i];
        if (only_waits[i])
            continue;
        if (w.first_cycle == 0)
            w.first_cycle = trace->cycle;
        if (10 * so_far < 9 * all)
            w.ninety_cycle = trace->cycle;
        so_far += trace->inside;
        w.entered += trace->entered;
        w.completed += trace->completed;
    }
    return w;
}

static void tell(struct profile *out, const struct reading *r, const struct sums *sum,
                 const bool *only_waits) {
    const struct traces *t = r->t;
    const struct working w = add_up_traces(t, only_waits);
    const struct named_count counts[] = {
        {"traces", t->all.len},
        {"trace_bytes", r->bytes},
        {"entered", w.entered},
        {"completed", w.completed},
        {"transfers", sum->transfers},
        {"inside", sum->inside},
        {"transfers_active", sum->transfers_active},
        {"inside_active", sum->inside_active},
        {"first_trace_cycle", w.first_cycle},
        {"ninety_percent_cycle", w.ninety_cycle},
    };
    _Static_assert(sizeof counts / sizeof *counts <= PROFILE_COUNTS, "room for them");
    out->count_count = sizeof counts / sizeof *counts;
    for (size_t i = 0; i < out->count_count; i++)
        out->counts[i] = counts[i];
    out->cost.records = t->counters.len;
    out->cost.probes = t->counted;
    out->cost.observed = t->recorded;
    out->cost.steps += r->steps;
}

enum status traces_profile(struct profile *out, const struct traces *t, const struct structure *s,
                           struct error *e) {
    struct reading r = {.t = t, .s = s, .edges = calloc(s->graph.edge_count + 1, sizeof *r.edges)};
    bool *only_waits = calloc(t->all.len + 1, sizeof *only_waits);
    struct sums sum = {0};
    enum status status = r.edges == NULL || only_waits == NULL
                             ? error_set(e, STATUS_MEMORY, "out of memory for traces")
                             : STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < t->all.len; i++)
        only_waits[i] = read_trace(&r, &t->all.at[i]);
    if (status == STATUS_OK)
        status = sum_sites(&sum, &r, e);
    if (status == STATUS_OK)
        status = region_of_edges(out, s, r.edges, e);
    if (status == STATUS_OK)
        tell(out, &r, &sum, only_waits);
    free(r.edges);
    free(only_waits);
    return status;
}
