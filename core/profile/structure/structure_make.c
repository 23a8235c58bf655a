#include "profile/structure/structure_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int pair_order(const void *a, const void *b) {
    const struct flow_pair *x = a, *y = b;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* Index of the first pair from `at`; pairs are sorted. */
static size_t first_pair(const struct flow *flow, uint32_t at) {
    size_t low = 0, high = flow->pairs.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (flow->pairs.at[middle].a < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Each instruction inside a block has exactly one successor. */
static enum status list_insns(struct structure *s, struct flow *flow, struct error *e) {
    VEC(uint32_t) insns = {0};
    s->first = calloc(s->graph.block_count + 1, sizeof *s->first);
    bool ok = s->first != NULL;
    if (flow->pairs.len > 0)
        qsort(flow->pairs.at, flow->pairs.len, sizeof *flow->pairs.at, pair_order);
    for (size_t i = 0; ok && i < s->graph.block_count; i++) {
        const struct block *b = &s->graph.blocks[i];
        for (uint32_t at = b->entry; ok;) {
            ok = vec_push(&insns, at);
            if (at == b->last)
                break;
            at = flow->pairs.at[first_pair(flow, at)].b;
        }
        s->first[i + 1] = insns.len;
    }
    s->insns = insns.at;
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory for the structure");
}

/* Marks edges whose pair was never executed as a transfer. */
static void mark_falls(struct structure *s, const struct flow *flow) {
    for (size_t i = 0; i < s->graph.edge_count; i++) {
        const struct edge *edge = &s->graph.edges[i];
        const uint32_t last = graph_find_block(&s->graph, edge->source)->last;
        s->falls[i] = true;
        for (size_t k = first_pair(flow, last); k < flow->pairs.len && flow->pairs.at[k].a == last;
             k++)
            s->falls[i] &= flow->pairs.at[k].b != edge->target || !flow->pairs.at[k].transfer;
    }
}

enum status structure_of_blocks(struct structure *s, struct flow *flow, struct error *e) {
    for (size_t i = 0; i < s->graph.edge_count; i++)
        if (!s->graph.edges[i].busy)
            s->graph.edges[i].count = 0;
    s->begins = calloc(s->graph.block_count + 1, sizeof *s->begins);
    s->sink = calloc(s->graph.block_count + 1, sizeof *s->sink);
    s->falls = calloc(s->graph.edge_count + 1, sizeof *s->falls);
    s->ends = calloc(s->graph.block_count + 1, sizeof *s->ends);
    if (s->begins == NULL || s->sink == NULL || s->falls == NULL || s->ends == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for the structure");
    memset(s->ends, INSN_PLAIN, s->graph.block_count);
    enum status status = list_insns(s, flow, e);
    if (status == STATUS_OK)
        mark_falls(s, flow);
    return status;
}

void structure_free(struct structure *s) {
    graph_free(&s->graph);
    free(s->insns);
    free(s->first);
    free(s->begins);
    free(s->sink);
    free(s->falls);
    free(s->ends);
    shapes_free(&s->shapes);
    for (size_t i = 0; i < s->image_count; i++)
        free(s->images[i].path);
    free(s->images);
    *s = (struct structure){0};
}

bool structure_add_image(struct structure *s, uint32_t base, const char *hash, const char *path,
                         size_t path_len) {
    struct structure_image *grown = realloc(s->images, (s->image_count + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    s->images = grown;
    struct structure_image *image = &grown[s->image_count];
    *image = (struct structure_image){.base = base, .path = strndup(path, path_len)};
    if (image->path == NULL)
        return false;
    snprintf(image->hash, sizeof image->hash, "%s", hash);
    s->image_count++;
    return true;
}

/* ---- from the exact graph of a program ---- */

static size_t block_at(const struct graph *g, uint32_t entry) {
    return (size_t)(graph_find_block(g, entry) - g->blocks);
}

/* Contexts end in blocks with more inflow than outflow. */
enum status structure_mark_sinks(struct structure *s, const struct graph *exact, struct error *e) {
    uint64_t *in = calloc(exact->block_count + 1, sizeof *in);
    uint64_t *out = calloc(exact->block_count + 1, sizeof *out);
    const bool ok = in != NULL && out != NULL;
    for (size_t b = 0; ok && b < exact->block_count; b++)
        in[b] = s->begins[b];
    for (size_t i = 0; ok && i < exact->edge_count; i++) {
        in[block_at(exact, exact->edges[i].target)] += exact->edges[i].count;
        out[block_at(exact, exact->edges[i].source)] += exact->edges[i].count;
    }
    for (size_t b = 0; ok && b < exact->block_count; b++)
        s->sink[b] = in[b] > out[b];
    free(in);
    free(out);
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory for the structure");
}

enum status structure_of_flow(struct structure *out, struct flow *flow, const struct graph *exact,
                              struct error *e) {
    *out = (struct structure){0};
    enum status status = graph_copy(&out->graph, exact, e);
    if (status == STATUS_OK)
        status = structure_of_blocks(out, flow, e);
    for (size_t i = 0; status == STATUS_OK && i < flow->entries.len; i++)
        out->begins[block_at(exact, flow->entries.at[i])]++;
    if (status == STATUS_OK)
        status = structure_mark_sinks(out, exact, e);
    if (status != STATUS_OK)
        structure_free(out);
    return status;
}
