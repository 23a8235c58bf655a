/*
 * Maps a graph onto the program. An edge adds its weight to the program's edge with the same last
 * instruction and the same target. A block that spans several of the program's blocks adds its
 * weight to the falls between them. Weight without a counterpart is lost.
 */
#include "graph/layout/layout_internal.h"

#include <stdlib.h>
#include <string.h>

enum { SUM_BITS = 46 };

void weights_free(struct layout_weights *w) {
    free(w->arcs);
    free(w->blocks);
    *w = (struct layout_weights){0};
}

/* ---- weights of blocks ---- */

/* The larger of inflow and outflow. */
static bool weigh_blocks(struct layout_weights *w, const struct layout_plan *p) {
    uint64_t *out = calloc(p->block_count + 1, sizeof *out);
    if (out == NULL)
        return false;
    memset(w->blocks, 0, p->block_count * sizeof *w->blocks);
    for (size_t i = 0; i < p->arc_count; i++) {
        w->blocks[p->arcs[i].to] += w->arcs[i];
        out[p->arcs[i].from] += w->arcs[i];
    }
    for (size_t b = 0; b < p->block_count; b++)
        if (out[b] > w->blocks[b])
            w->blocks[b] = out[b];
    free(out);
    return true;
}

/* Scales the weights down: a layout depends only on their ratios. */
static void bound_sum(uint64_t *weights, size_t count) {
    wide sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += weights[i];
    unsigned shift = 0;
    while (sum >> shift >> SUM_BITS != 0)
        shift++;
    for (size_t i = 0; shift > 0 && i < count; i++)
        weights[i] >>= shift;
}

static enum status finish(struct layout_weights *w, const struct layout_plan *p, struct error *e) {
    bound_sum(w->arcs, p->arc_count);
    return weigh_blocks(w, p) ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}

/* ---- from a graph ---- */

struct projection {
    struct layout_weights *w;
    const struct layout_plan *p;
    const struct graph *g;
    const bool *along; /* of each edge: it lies on a busy-wait */
    bool set;
    uint64_t *in, *out; /* of each block of g */
    struct layout_loss *loss;
};

static void add(const struct projection *x, size_t arc, uint64_t weight) {
    if (!x->p->arcs[arc].busy)
        x->w->arcs[arc] += weight;
}

/* source: the edge's source block; NULL if g does not describe it. */
static enum status project_edge(const struct projection *x, size_t i, const struct block *source,
                                struct error *e) {
    const struct edge *edge = &x->g->edges[i];
    const struct block *target = graph_find_block(x->g, edge->target);
    const uint64_t weight = x->set ? 1 : edge->count;
    if (source == NULL)
        return error_set(e, STATUS_ARGUMENT,
                         "the graph has an edge at 0x%x but no #block line for it, which its "
                         "benefit needs",
                         edge->source);
    x->out[source - x->g->blocks] += weight;
    if (target != NULL)
        x->in[target - x->g->blocks] += weight;
    const uint32_t from = layout_plan_ending(x->p, source->last);
    const uint32_t to = layout_plan_block(x->p, edge->target);
    const size_t arc =
        from != LAYOUT_NONE && to != LAYOUT_NONE ? layout_plan_arc(x->p, from, to) : SIZE_MAX;
    x->loss->all += weight;
    if (arc == SIZE_MAX) {
        x->loss->lost += weight;
        x->loss->lost_edges++;
    } else {
        add(x, arc, weight);
    }
    return STATUS_OK;
}

/* Returns the program's block that contains the address; LAYOUT_NONE: none does. */
static uint32_t block_around(const struct layout_plan *p, uint32_t address) {
    const size_t low = layout_count_up_to(p->blocks, p->block_count, sizeof *p->blocks, address);
    return low > 0 && address - p->blocks[low - 1].entry < p->shapes[low - 1].size
               ? (uint32_t)(low - 1)
               : LAYOUT_NONE;
}

/* Adds the weight to each fall from the block that contains the entry up to the block's last
 * instruction. */
static void project_block(const struct projection *x, const struct block *block, uint64_t weight) {
    const struct layout_plan *p = x->p;
    uint32_t at = block_around(p, block->entry);
    while (at != LAYOUT_NONE) {
        const uint32_t end = p->blocks[at].entry + p->shapes[at].size;
        if (end <= p->blocks[at].entry || end > block->last)
            return;
        const uint32_t next = layout_plan_block(p, end);
        const size_t arc = next != LAYOUT_NONE ? layout_plan_arc(p, at, next) : SIZE_MAX;
        if (arc == SIZE_MAX || !p->arcs[arc].falls)
            return;
        add(x, arc, weight);
        at = next;
    }
}

static enum status project(const struct projection *x, struct error *e) {
    enum status status = STATUS_OK;
    const struct graph *g = x->g;
    for (size_t i = 0, b = 0; status == STATUS_OK && i < g->edge_count; i++) {
        while (b < g->block_count && g->blocks[b].entry < g->edges[i].source)
            b++; /* both arrays are sorted */
        const bool told = b < g->block_count && g->blocks[b].entry == g->edges[i].source;
        if (!x->along[i])
            status = project_edge(x, i, told ? &g->blocks[b] : NULL, e);
    }
    for (size_t b = 0; status == STATUS_OK && b < x->g->block_count; b++) {
        const uint64_t weight = x->in[b] > x->out[b] ? x->in[b] : x->out[b];
        if (weight > 0)
            project_block(x, &x->g->blocks[b], weight);
    }
    return status;
}

enum status weights_of_graph(struct layout_weights *w, struct layout_loss *loss,
                             const struct layout_plan *p, const struct waits *waits,
                             const struct graph *g, struct error *e) {
    *w = (struct layout_weights){.arcs = calloc(p->arc_count + 1, sizeof *w->arcs),
                                 .blocks = calloc(p->block_count + 1, sizeof *w->blocks)};
    *loss = (struct layout_loss){0};
    bool *along = calloc(g->edge_count + 1, sizeof *along);
    const struct projection x = {.w = w,
                                 .p = p,
                                 .g = g,
                                 .along = along,
                                 .set = graph_is_set(g),
                                 .in = calloc(g->block_count + 1, sizeof *x.in),
                                 .out = calloc(g->block_count + 1, sizeof *x.out),
                                 .loss = loss};
    enum status status =
        w->arcs != NULL && w->blocks != NULL && along != NULL && x.in != NULL && x.out != NULL
            ? waits_match(waits, along, g, e)
            : error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = project(&x, e);
    if (status == STATUS_OK)
        status = finish(w, p, e);
    free(along);
    free(x.in);
    free(x.out);
    if (status != STATUS_OK)
        weights_free(w);
    return status;
}

/* ---- with falls inferred ---- */

/* In one pass by address, inflow of a block that ends without a transfer continues to the next
 * block. */
enum status weights_infer(struct layout_weights *w, const struct layout_plan *p, struct error *e) {
    uint64_t *in = calloc(p->block_count + 1, sizeof *in);
    if (in == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; i < p->arc_count; i++)
        in[p->arcs[i].to] += w->arcs[i];
    for (uint32_t b = 0; b < p->block_count; b++)
        for (size_t i = p->first_arc[b]; i < p->first_arc[b + 1]; i++) {
            const struct layout_arc *arc = &p->arcs[i];
            if (p->shapes[b].end != END_NONE || !arc->falls || arc->busy || in[b] <= w->arcs[i])
                continue;
            in[arc->to] += in[b] - w->arcs[i];
            w->arcs[i] = in[b];
        }
    free(in);
    return finish(w, p, e);
}

/* ---- for others ---- */

enum status layout_weigh(struct layout_weighing *out, const struct layout_program *program,
                         const struct graph *g, bool inferred, struct error *e) {
    struct layout_plan plan = {0};
    struct waits waits = {0};
    struct layout_weights w = {0};
    struct layout_loss loss = {0};
    *out = (struct layout_weighing){0};
    enum status status = layout_plan_make(&plan, program, e);
    if (status == STATUS_OK)
        status = waits_collect(&waits, program->graph, e);
    if (status == STATUS_OK)
        status = weights_of_graph(&w, &loss, &plan, &waits, g, e);
    if (status == STATUS_OK && inferred)
        status = weights_infer(&w, &plan, e);
    if (status == STATUS_OK) {
        *out = (struct layout_weighing){w.arcs, loss.all, loss.lost, loss.lost_edges};
        w.arcs = NULL;
    }
    weights_free(&w);
    waits_free(&waits);
    layout_plan_free(&plan);
    return status;
}
