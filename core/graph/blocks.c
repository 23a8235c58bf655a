/*
 * From recorded flow to canonical basic blocks: maximal basic blocks after Muchnick, "Advanced
 * Compiler Design and Implementation" (1997), chapter 7, on executed code instead of all code.
 *
 * Addresses are numbered in ascending order first ("nodes"), so everything below works on indexes
 * and its result cannot depend on the order in which the flow was recorded.
 */
#include "graph/internal.h"

#include <stdlib.h>

#define NONE SIZE_MAX

struct node {
    uint32_t address;
    size_t predecessors, successors; /* different ones */
    size_t successor;                /* node, when there is one only */
    size_t block;
    bool leader, reached;
};

struct arc { /* a pair between nodes; sorted by (a, b), unique */
    size_t a, b;
    uint64_t count;
    bool transfer;
};

struct work {
    struct node *nodes;
    size_t node_count;
    struct arc *arcs;
    size_t arc_count;
    struct block_chains chains;
};

void flow_free(struct flow *f) {
    vec_free(&f->insns);
    vec_free(&f->pairs);
    vec_free(&f->entries);
}

static void work_free(struct work *w) {
    free(w->nodes);
    free(w->arcs);
    free(w->chains.address);
    free(w->chains.start);
}

static int node_compare(const void *a, const void *b) {
    const struct node *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static int arc_compare(const void *a, const void *b) {
    const struct arc *x = a, *y = b;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static size_t node_at(const struct work *w, uint32_t address) {
    struct node key = {.address = address};
    const struct node *found =
        bsearch(&key, w->nodes, w->node_count, sizeof *w->nodes, node_compare);
    return (size_t)(found - w->nodes);
}

static bool collect_nodes(struct work *w, const struct flow *flow) {
    size_t most = 2 * flow->pairs.len + flow->entries.len;
    w->nodes = calloc(most + 1, sizeof *w->nodes);
    if (w->nodes == NULL)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < flow->pairs.len; i++) {
        if (flow->pairs.at[i].count == 0)
            continue;
        w->nodes[n++].address = flow->pairs.at[i].a;
        w->nodes[n++].address = flow->pairs.at[i].b;
    }
    for (size_t i = 0; i < flow->entries.len; i++)
        w->nodes[n++].address = flow->entries.at[i];
    qsort(w->nodes, n, sizeof *w->nodes, node_compare);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || w->nodes[i].address != w->nodes[w->node_count - 1].address)
            w->nodes[w->node_count++] = w->nodes[i];
    return true;
}

static enum status collect_arcs(struct work *w, const struct flow *flow, struct error *e) {
    w->arcs = calloc(flow->pairs.len + 1, sizeof *w->arcs);
    if (w->arcs == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    size_t n = 0;
    uint64_t weight = 0;
    for (size_t i = 0; i < flow->pairs.len; i++) {
        const struct flow_pair *p = &flow->pairs.at[i];
        if (p->count == 0)
            continue;
        if (p->count > GRAPH_WEIGHT_MAX - weight)
            return error_set(e, STATUS_ARGUMENT, "the counts of the flow sum to more than 2^62");
        weight += p->count;
        w->arcs[n++] = (struct arc){node_at(w, p->a), node_at(w, p->b), p->count, p->transfer};
    }
    qsort(w->arcs, n, sizeof *w->arcs, arc_compare);
    for (size_t i = 0; i < n; i++) {
        struct arc *last = w->arc_count > 0 ? &w->arcs[w->arc_count - 1] : NULL;
        if (last != NULL && last->a == w->arcs[i].a && last->b == w->arcs[i].b) {
            last->count += w->arcs[i].count;
            last->transfer |= w->arcs[i].transfer;
        } else {
            w->arcs[w->arc_count++] = w->arcs[i];
        }
    }
    return STATUS_OK;
}

static void find_leaders(struct work *w, const struct flow *flow) {
    for (size_t i = 0; i < w->arc_count; i++) {
        const struct arc *arc = &w->arcs[i];
        w->nodes[arc->a].successors++;
        w->nodes[arc->a].successor = arc->b;
        w->nodes[arc->b].predecessors++;
        w->nodes[arc->b].leader |= arc->transfer;
    }
    for (size_t i = 0; i < w->arc_count; i++)
        if (w->nodes[w->arcs[i].a].successors > 1)
            w->nodes[w->arcs[i].b].leader = true;
    for (size_t i = 0; i < flow->entries.len; i++)
        w->nodes[node_at(w, flow->entries.at[i])].leader = true;
    for (size_t i = 0; i < w->node_count; i++)
        w->nodes[i].leader |= w->nodes[i].predecessors != 1;
}

/* The node that continues the block of n, or NONE where the block ends. */
static size_t continuation(const struct work *w, size_t n) {
    if (w->nodes[n].successors != 1 || w->nodes[w->nodes[n].successor].leader)
        return NONE;
    return w->nodes[n].successor;
}

/* Whatever no leader reaches is a circle without one (straight-line code around the whole address
 * space): its lowest address becomes a leader. */
static void break_circles(struct work *w) {
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < w->node_count; i++) {
            if (pass == 1 && !w->nodes[i].reached)
                w->nodes[i].leader = true;
            if (w->nodes[i].leader)
                for (size_t n = i; n != NONE && !w->nodes[n].reached; n = continuation(w, n))
                    w->nodes[n].reached = true;
        }
}

static void grow_block(struct work *w, struct graph *g, size_t leader, size_t *used) {
    size_t block = g->block_count++, last = leader;
    w->chains.start[block] = *used;
    for (size_t n = leader; n != NONE; n = continuation(w, n)) {
        w->nodes[n].block = block;
        w->chains.address[(*used)++] = w->nodes[n].address;
        last = n;
    }
    w->chains.start[block + 1] = *used;
    g->blocks[block] = (struct block){w->nodes[leader].address, w->nodes[last].address};
}

/* Blocks come out in ascending order of their entries, so that chains and blocks share an index. */
static bool make_blocks(struct work *w, struct graph *g) {
    w->chains.address = calloc(w->node_count + 1, sizeof *w->chains.address);
    w->chains.start = calloc(w->node_count + 2, sizeof *w->chains.start);
    g->blocks = calloc(w->node_count + 1, sizeof *g->blocks);
    if (w->chains.address == NULL || w->chains.start == NULL || g->blocks == NULL)
        return false;
    break_circles(w);
    size_t used = 0;
    for (size_t i = 0; i < w->node_count; i++)
        if (w->nodes[i].leader)
            grow_block(w, g, i, &used);
    return true;
}

/* Only the last instruction of a block has leaders after it, so no two arcs give one edge. */
static bool make_edges(const struct work *w, struct graph *g) {
    g->edges = calloc(w->arc_count + 1, sizeof *g->edges);
    if (g->edges == NULL)
        return false;
    for (size_t i = 0; i < w->arc_count; i++) {
        const struct arc *arc = &w->arcs[i];
        if (!w->nodes[arc->b].leader)
            continue;
        g->edges[g->edge_count++] = (struct edge){
            .source = g->blocks[w->nodes[arc->a].block].entry,
            .target = w->nodes[arc->b].address,
            .count = arc->count,
        };
    }
    qsort(g->edges, g->edge_count, sizeof *g->edges, edge_compare);
    return true;
}

enum status graph_from_flow(struct graph *out, const struct flow *flow, bool mark_busy,
                            struct error *e) {
    *out = (struct graph){0};
    struct work w = {0};
    struct graph g = {0};
    enum status status = STATUS_OK;
    if (!collect_nodes(&w, flow))
        status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = collect_arcs(&w, flow, e);
    if (status == STATUS_OK) {
        find_leaders(&w, flow);
        if (!make_blocks(&w, &g) || !make_edges(&w, &g))
            status = error_set(e, STATUS_MEMORY, "out of memory");
    }
    if (status == STATUS_OK && mark_busy)
        status = busy_mark(&g, &w.chains, flow->insns.at, flow->insns.len, e);
    if (status == STATUS_OK)
        *out = g;
    else
        graph_free(&g);
    work_free(&w);
    return status;
}
