#include "commands/native/native_placement.h"
#include "commands/native/native_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/session.h"

/* The part of a graph that lies in the program's file. */
struct part {
    const struct graph *graph;
    uint32_t base;
    uint64_t size; /* of the file */
};

static bool inside(const struct part *p, uint32_t address) {
    return address >= p->base && address - p->base < p->size;
}

static size_t block_number(const struct graph *g, uint32_t entry) {
    const struct block *b = graph_find_block(g, entry);
    return b != NULL ? (size_t)(b - g->blocks) : SIZE_MAX;
}

/* Sets how often each block was executed: what enters it, or what leaves it, since libraries are no
 * part of some graphs. NULL: out of memory. */
static uint64_t *block_counts(const struct graph *g) {
    uint64_t *counts = calloc(2 * g->block_count + 1, sizeof *counts);
    for (size_t i = 0; counts != NULL && i < g->edge_count; i++) {
        const size_t from = block_number(g, g->edges[i].source),
                     to = block_number(g, g->edges[i].target);
        if (from != SIZE_MAX)
            counts[2 * from] += g->edges[i].count;
        if (to != SIZE_MAX)
            counts[2 * to + 1] += g->edges[i].count;
    }
    for (size_t i = 0; counts != NULL && i < g->block_count; i++) {
        const uint64_t out = counts[2 * i], in = counts[2 * i + 1];
        const uint64_t most = out > in ? out : in;
        counts[i] = most > 0 ? most : 1;
    }
    return counts;
}

static void put(struct file_writer *w, const struct part *p, uint32_t from, uint32_t to,
                uint64_t count) {
    const struct session_weight weight = {
        .from = from - p->base, .to = to - p->base, .count = count};
    file_write(w, &weight, sizeof weight);
}

static enum status part_write(const struct part *p, const char *folder, const uint64_t *counts,
                              struct error *e) {
    const struct graph *g = p->graph;
    char path[4096];
    struct file_writer *w;
    uint64_t blocks = 0;
    snprintf(path, sizeof path, "%s/placement", folder);
    enum status s = file_open(&w, path, e);
    if (s != STATUS_OK)
        return s;
    for (size_t i = 0; i < g->block_count; i++)
        blocks += inside(p, g->blocks[i].entry);
    file_write(w, &blocks, sizeof blocks);
    for (size_t i = 0; i < g->block_count; i++)
        if (inside(p, g->blocks[i].entry))
            put(w, p, g->blocks[i].entry, g->blocks[i].last, counts[i]);
    for (size_t i = 0; i < g->edge_count; i++)
        if (inside(p, g->edges[i].source) && inside(p, g->edges[i].target))
            put(w, p, g->edges[i].source, g->edges[i].target, g->edges[i].count);
    return file_commit(w, e);
}

/* Is it a graph of this file, and where does the file begin in it? */
static enum status find_part(struct part *p, const struct native_placement_request *request,
                             struct error *e) {
    struct file_view view;
    char hash[41];
    enum status s = file_view_path(&view, request->program, (size_t)1 << 31, e);
    if (s != STATUS_OK)
        return s;
    p->size = view.len;
    sha1_hex(view.at, view.len, hash);
    file_view_free(&view);
    if (p->graph->program[0] != 0 && strcmp(p->graph->program, hash) != 0)
        return error_set(e, STATUS_ARGUMENT,
                         "%s: is of another program than %s, or of another build of it",
                         request->graph, request->program);
    if ((s = native_graph_base(&p->base, request->images, request->program, e)) != STATUS_OK)
        return s;
    size_t mine = 0;
    for (size_t i = 0; i < p->graph->block_count; i++)
        mine += inside(p, p->graph->blocks[i].entry);
    if (mine > 0 && (request->images != NULL || mine == p->graph->block_count))
        return STATUS_OK;
    return error_set(e, STATUS_ARGUMENT,
                     "%s: has other addresses than %s; give the structure of its recording, too: "
                     "--images FILE.structure",
                     request->graph, request->program);
}

enum status native_placement_write(const char *folder,
                                   const struct native_placement_request *request,
                                   struct error *e) {
    struct graph g = {0};
    struct part p = {.graph = &g};
    enum status s = graph_read(&g, request->graph, e);
    if (s == STATUS_OK)
        s = find_part(&p, request, e);
    uint64_t *counts = s == STATUS_OK ? block_counts(&g) : NULL;
    if (s == STATUS_OK)
        s = counts != NULL ? part_write(&p, folder, counts, e)
                           : error_set(e, STATUS_MEMORY, "out of memory");
    free(counts);
    graph_free(&g);
    return s;
}
