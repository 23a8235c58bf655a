/* Graphs: sorting, look-up and weights. */
#include "graph/graph_order.h"

#include <stdlib.h>
#include <string.h>

void graph_free(struct graph *g) {
    free(g->edges);
    free(g->blocks);
    *g = (struct graph){0};
}

enum status graph_copy(struct graph *out, const struct graph *g, struct error *e) {
    *out = *g;
    out->edges = malloc(g->edge_count * sizeof *out->edges + 1);
    out->blocks = malloc(g->block_count * sizeof *out->blocks + 1);
    if (out->edges == NULL || out->blocks == NULL) {
        graph_free(out);
        return error_set(e, STATUS_MEMORY, "out of memory");
    }
    if (g->edge_count > 0)
        memcpy(out->edges, g->edges, g->edge_count * sizeof *out->edges);
    if (g->block_count > 0)
        memcpy(out->blocks, g->blocks, g->block_count * sizeof *out->blocks);
    return STATUS_OK;
}

int edge_compare(const void *a, const void *b) {
    const struct edge *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

int block_compare(const void *a, const void *b) {
    const struct block *x = a, *y = b;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

void graph_sort(struct graph *g) {
    if (g->edge_count > 0)
        qsort(g->edges, g->edge_count, sizeof *g->edges, edge_compare);
    if (g->block_count > 0)
        qsort(g->blocks, g->block_count, sizeof *g->blocks, block_compare);
}

const struct edge *graph_find_edge(const struct graph *g, uint32_t source, uint32_t target) {
    struct edge key = {.source = source, .target = target};
    return g->edge_count == 0 ? NULL
                              : bsearch(&key, g->edges, g->edge_count, sizeof key, edge_compare);
}

const struct block *graph_find_block(const struct graph *g, uint32_t entry) {
    struct block key = {.entry = entry};
    return g->block_count == 0
               ? NULL
               : bsearch(&key, g->blocks, g->block_count, sizeof key, block_compare);
}

uint64_t graph_weight(const struct graph *g) {
    uint64_t sum = 0;
    for (size_t i = 0; i < g->edge_count; i++)
        sum += g->edges[i].count;
    return sum;
}
