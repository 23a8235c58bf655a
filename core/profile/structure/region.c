/* The edges that are reached from hot addresses, within routines; and what watches for these. */
#include "profile/structure/region.h"

#include <stdlib.h>

struct walk {
    const struct structure *s;
    bool by_shapes; /* calls and returns are in the structure's shapes */
    bool *inside;   /* reached blocks; each enters the queue at most once */
    size_t *queue;
    size_t count;
    uint64_t steps;
};

static void reach_from(struct walk *w, uint32_t entry) {
    const struct block *b = graph_find_block(&w->s->graph, entry);
    if (b == NULL || w->inside[b - w->s->graph.blocks])
        return;
    w->inside[b - w->s->graph.blocks] = true;
    w->queue[w->count++] = (size_t)(b - w->s->graph.blocks);
}

/* True if the routine goes on after its call, or ends, without an edge that says so. */
static bool ends_with_call(const struct walk *w, size_t block, uint32_t *after) {
    const struct block *b = &w->s->graph.blocks[block];
    const struct block_shape *shape = w->by_shapes ? &w->s->shapes.blocks[block] : NULL;
    *after =
        shape != NULL ? b->entry + shape->size : (b->last & 0xFFFF0000) | ((b->last + 3) & 0xFFFF);
    return shape != NULL ? shape->end == END_CALL : w->s->ends[block] == INSN_CALL;
}

static bool ends_with_return(const struct walk *w, size_t block) {
    return w->by_shapes ? w->s->shapes.blocks[block].end == END_OTHER
                        : w->s->ends[block] == INSN_RETURN;
}

/* The place of the first edge that begins at `source`, or of the first one after it. */
static size_t edges_from(const struct graph *g, uint32_t source) {
    size_t low = 0, high = g->edge_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (g->edges[middle].source < source)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void walk_on(struct walk *w, size_t block) {
    const struct graph *g = &w->s->graph;
    const uint32_t entry = g->blocks[block].entry;
    uint32_t after;
    w->steps++;
    if (ends_with_return(w, block))
        return;
    if (ends_with_call(w, block, &after)) {
        reach_from(w, after);
        return;
    }
    for (size_t i = edges_from(g, entry); i < g->edge_count && g->edges[i].source == entry; i++)
        reach_from(w, g->edges[i].target);
}

enum status region_of_edges(struct profile *out, const struct structure *s, const bool *edges,
                            struct error *e) {
    const struct graph *g = &s->graph;
    out->graph = (struct graph){.edges = calloc(g->edge_count + 1, sizeof *g->edges),
                                .blocks = calloc(g->block_count + 1, sizeof *g->blocks)};
    if (out->graph.edges == NULL || out->graph.blocks == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for a region");
    for (size_t b = 0; b < g->block_count; b++)
        out->graph.blocks[out->graph.block_count++] = g->blocks[b];
    for (size_t i = 0; i < g->edge_count; i++)
        if (edges[i]) {
            struct edge *edge = &out->graph.edges[out->graph.edge_count++];
            edge->source =
                g->edges[i].source; /* the padding stays 0: graphs are compared as bytes */
            edge->target = g->edges[i].target;
        }
    return STATUS_OK;
}

static enum status set_of(struct profile *out, const struct structure *s, bool by_shapes,
                          const uint32_t *heads, size_t count, struct error *e) {
    const struct graph *g = &s->graph;
    struct walk w = {.s = s,
                     .by_shapes = by_shapes,
                     .inside = calloc(g->block_count + 1, sizeof *w.inside),
                     .queue = calloc(g->block_count + 1, sizeof *w.queue)};
    bool *edges = calloc(g->edge_count + 1, sizeof *edges);
    const bool ok = w.inside != NULL && w.queue != NULL && edges != NULL;
    for (size_t i = 0; ok && i < count; i++)
        reach_from(&w, heads[i]);
    for (size_t i = 0; ok && i < w.count; i++)
        walk_on(&w, w.queue[i]);
    for (size_t i = 0; ok && i < g->edge_count; i++)
        edges[i] = w.inside[graph_find_block(g, g->edges[i].source) - g->blocks];
    const enum status status = ok ? region_of_edges(out, s, edges, e)
                                  : error_set(e, STATUS_MEMORY, "out of memory for a region");
    out->cost.steps += w.steps;
    free(w.inside);
    free(w.queue);
    free(edges);
    return status;
}

enum status region_set(struct profile *out, const struct structure *s, const uint32_t *heads,
                       size_t count, struct error *e) {
    return set_of(out, s, false, heads, count, e);
}

enum status region_set_of_program(struct profile *out, const struct structure *s,
                                  const uint32_t *heads, size_t count, struct error *e) {
    return set_of(out, s, true, heads, count, e);
}

/* ---- watching ---- */

enum status region_attach(struct region_watch *w, struct nes *nes, const struct observer *observer,
                          struct error *e) {
    w->nes = nes;
    enum status status = nes_attach(nes, observer, &w->id, e);
    if (status != STATUS_OK)
        return status;
    status = structure_attach(&w->recorder, nes, e);
    if (status != STATUS_OK)
        nes_detach(nes, w->id);
    return status;
}

void region_abandon(struct region_watch *w) {
    structure_abandon(w->recorder);
    nes_detach(w->nes, w->id);
}

enum status region_detach(struct region_watch *w, struct profile *out, struct structure *s,
                          struct error *e) {
    *out = (struct profile){.cost = {.probes = nes_probes_fired(w->nes, w->id), .structure = true}};
    nes_detach(w->nes, w->id);
    return structure_finish(w->recorder, s, e);
}

enum status region_finish(struct region_watch *w, struct profile *out, const uint32_t *heads,
                          size_t count, struct error *e) {
    struct structure s;
    enum status status = region_detach(w, out, &s, e);
    if (status == STATUS_OK)
        status = region_set(out, &s, heads, count, e);
    if (status != STATUS_OK)
        profile_free(out);
    structure_free(&s);
    return status;
}

enum status region_now(struct region_watch *w, struct profile *out, const uint32_t *heads,
                       size_t count, struct error *e) {
    struct structure s;
    *out = (struct profile){0};
    enum status status = structure_now(w->recorder, &s, e);
    if (status != STATUS_OK)
        return status;
    status = region_set(out, &s, heads, count, e);
    if (status != STATUS_OK)
        profile_free(out);
    structure_free(&s);
    return status;
}
