/*
 * Joins islands. An island is executed according to the repaired profile, but no path of executed
 * edges leads to it from a block where a context begins. Like LLVM's profile inference, this adds
 * one execution of each island: along the path from an entry with the fewest edges without flow,
 * and on to a block where a context may end.
 */
#include "profile/flow/flow.h"

#include <stdlib.h>

struct joining {
    const struct structure *s;
    int64_t *flow;
    size_t *target; /* block that each edge leads to */
    size_t *source; /* block that each edge leaves */
    bool *reached;
    size_t *by; /* edge by which a path reaches a block; SIZE_MAX: the path starts there */
    size_t *distance;
    size_t *queue; /* 2 * edges + blocks entries; filled from the middle in both directions */
};

static bool joining_init(struct joining *j, const struct structure *s, int64_t *flow) {
    const struct graph *g = &s->graph;
    *j = (struct joining){
        .s = s,
        .flow = flow,
        .target = calloc(g->edge_count + 1, sizeof *j->target),
        .source = calloc(g->edge_count + 1, sizeof *j->source),
        .reached = calloc(g->block_count + 1, sizeof *j->reached),
        .by = calloc(g->block_count + 1, sizeof *j->by),
        .distance = calloc(g->block_count + 1, sizeof *j->distance),
        .queue = calloc(g->block_count + 1, sizeof *j->queue),
    };
    if (j->target == NULL || j->source == NULL || j->reached == NULL || j->by == NULL ||
        j->distance == NULL || j->queue == NULL)
        return false;
    for (size_t i = 0; i < g->edge_count; i++) {
        j->source[i] = (size_t)(graph_find_block(g, g->edges[i].source) - g->blocks);
        j->target[i] = (size_t)(graph_find_block(g, g->edges[i].target) - g->blocks);
    }
    return true;
}

static void joining_free(struct joining *j) {
    free(j->target);
    free(j->source);
    free(j->reached);
    free(j->by);
    free(j->distance);
    free(j->queue);
}

/* Edges are sorted by source, so the edges of a block are adjacent. */
static size_t first_edge(const struct joining *j, size_t block) {
    size_t low = 0, high = j->s->graph.edge_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (j->source[middle] < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void mark_reached(struct joining *j) {
    const struct graph *g = &j->s->graph;
    size_t count = 0;
    for (size_t b = 0; b < g->block_count; b++) {
        j->reached[b] = j->s->begins[b] != 0;
        if (j->reached[b])
            j->queue[count++] = b;
    }
    for (size_t at = 0; at < count; at++)
        for (size_t i = first_edge(j, j->queue[at]);
             i < g->edge_count && j->source[i] == j->queue[at]; i++)
            if (j->flow[i] > 0 && !j->reached[j->target[i]]) {
                j->reached[j->target[i]] = true;
                j->queue[count++] = j->target[i];
            }
}

/* Finds paths with the fewest edges without flow from the given starts, by plain relaxation, since
 * paths are short. */
static void find_paths(struct joining *j) {
    const struct graph *g = &j->s->graph;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < g->edge_count; i++) {
            const size_t a = j->source[i], b = j->target[i];
            const size_t step = j->flow[i] > 0 ? 0 : 1;
            if (j->distance[a] == SIZE_MAX || j->distance[a] + step >= j->distance[b])
                continue;
            j->distance[b] = j->distance[a] + step;
            j->by[b] = i;
            changed = true;
        }
    }
}

static void add_path(struct joining *j, size_t to) {
    for (size_t b = to; j->by[b] != SIZE_MAX; b = j->source[j->by[b]])
        j->flow[j->by[b]]++;
}

static void start_nowhere(struct joining *j) {
    for (size_t b = 0; b < j->s->graph.block_count; b++) {
        j->distance[b] = SIZE_MAX;
        j->by[b] = SIZE_MAX;
    }
}

/* Adds one execution through `island`; false if no path leads to it. */
static bool join(struct joining *j, size_t island) {
    const size_t blocks = j->s->graph.block_count;
    start_nowhere(j);
    for (size_t b = 0; b < blocks; b++)
        if (j->s->begins[b] != 0)
            j->distance[b] = 0;
    find_paths(j);
    if (j->distance[island] == SIZE_MAX)
        return false;
    add_path(j, island);
    start_nowhere(j);
    j->distance[island] = 0;
    find_paths(j);
    size_t end = SIZE_MAX;
    for (size_t b = 0; b < blocks; b++)
        if (j->s->sink[b] && j->distance[b] != SIZE_MAX &&
            (end == SIZE_MAX || j->distance[b] < j->distance[end]))
            end = b;
    if (end != SIZE_MAX)
        add_path(j, end);
    return true;
}

enum status flow_join(int64_t *edge_flow, const struct structure *s, uint64_t *joined,
                      struct error *e) {
    struct joining j;
    *joined = 0;
    if (!joining_init(&j, s, edge_flow)) {
        joining_free(&j);
        return error_set(e, STATUS_MEMORY, "out of memory for flow");
    }
    mark_reached(&j);
    for (size_t i = 0; i < s->graph.edge_count; i++)
        if (edge_flow[i] > 0 && !j.reached[j.source[i]] && join(&j, j.source[i])) {
            ++*joined;
            mark_reached(&j);
        }
    joining_free(&j);
    return STATUS_OK;
}
