/* Converts blocks and edges to graphs. */
#include "profile/gaussian/gaussian.h"

#include <stdlib.h>

void gaussian_graph_free(struct gaussian_graph *g) {
    vec_free(&g->blocks);
    map_free(&g->edges);
}

static int by_source(const void *a, const void *b) {
    const struct edge *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

static int by_entry(const void *a, const void *b) {
    const struct block *x = a, *y = b;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

enum status gaussian_export(const struct gaussian_graph *g, struct graph *out, struct error *e) {
    *out = (struct graph){
        .edges = calloc(g->edges.len + 1, sizeof *out->edges),
        .blocks = calloc(g->blocks.len + 1, sizeof *out->blocks),
    };
    if (out->edges == NULL || out->blocks == NULL) {
        graph_free(out);
        return error_set(e, STATUS_MEMORY, "out of memory for the graph");
    }
    uint64_t key, count;
    for (size_t at = 0; map_next(&g->edges, &at, &key, &count);)
        out->edges[out->edge_count++] = (struct edge){
            .source = g->blocks.at[(key >> 32) - 1].entry,
            .target = g->blocks.at[(uint32_t)key - 1].entry,
            .count = count,
        };
    for (size_t i = 0; i < g->blocks.len; i++)
        out->blocks[out->block_count++] =
            (struct block){g->blocks.at[i].entry, g->blocks.at[i].last};
    qsort(out->edges, out->edge_count, sizeof *out->edges, by_source);
    qsort(out->blocks, out->block_count, sizeof *out->blocks, by_entry);
    return STATUS_OK;
}
