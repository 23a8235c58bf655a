/*
 * Builds canonical basic blocks from recorded flow: maximal basic blocks after Muchnick, "Advanced
 * Compiler Design and Implementation" (1997), chapter 7, over executed code instead of all code.
 *
 * Addresses are first numbered in ascending order ("nodes"). Everything below works on these
 * indices, so the result does not depend on the order in which the flow was recorded.
 */
#include "graph/busy.h"

#include <stdlib.h>

#define NONE SIZE_MAX

struct node {
    uint32_t address;
    size_t predecessors, successors; /* distinct ones */
    size_t successor;                /* node; valid if there is exactly one */
    size_t block;
    bool leader, reached;
};

struct arc { /* between two nodes; sorted by (a, b), unique */
    size_t a, b;
    uint64_t count;
    bool transfer;
};

struct work {
    /* The pairs that were executed. `places` holds their sources, their targets and all entries,
     * unsorted; node_of[i] is the node of places[i]. */
    const struct flow_pair **pairs;
    size_t pair_count, place_count;
    uint32_t *places, *node_of;
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
    free(w->pairs);
    free(w->places);
    free(w->node_of);
    free(w->nodes);
    free(w->arcs);
    free(w->chains.address);
    free(w->chains.start);
}

static bool collect_places(struct work *w, const struct flow *flow) {
    const size_t most = 2 * flow->pairs.len + flow->entries.len;
    w->pairs = calloc(flow->pairs.len + 1, sizeof *w->pairs);
    w->places = calloc(most + 1, sizeof *w->places);
    w->node_of = calloc(most + 1, sizeof *w->node_of);
    if (w->pairs == NULL || w->places == NULL || w->node_of == NULL)
        return false;
    for (size_t i = 0; i < flow->pairs.len; i++)
        if (flow->pairs.at[i].count > 0)
            w->pairs[w->pair_count++] = &flow->pairs.at[i];
    for (size_t i = 0; i < w->pair_count; i++) {
        w->places[i] = w->pairs[i]->a;
        w->places[w->pair_count + i] = w->pairs[i]->b;
    }
    w->place_count = 2 * w->pair_count;
    for (size_t i = 0; i < flow->entries.len; i++)
        w->places[w->place_count++] = flow->entries.at[i];
    return true;
}

static bool collect_nodes(struct work *w) {
    w->nodes = calloc(w->place_count + 1, sizeof *w->nodes);
    uint32_t *const order = sorted_order(w->places, w->place_count);
    if (w->nodes == NULL || order == NULL) {
        free(order);
        return false;
    }
    for (size_t i = 0; i < w->place_count; i++) {
        const uint32_t address = w->places[order[i]];
        if (i == 0 || address != w->nodes[w->node_count - 1].address)
            w->nodes[w->node_count++].address = address;
        w->node_of[order[i]] = (uint32_t)(w->node_count - 1);
    }
    free(order);
    return true;
}

/* Returns the pairs sorted by the nodes of their sources, then of their targets; NULL: out of
 * memory. */
static uint32_t *sort_pairs(const struct work *w) {
    uint32_t *const order = sorted_order(w->node_of + w->pair_count, w->pair_count);
    if (order != NULL && sort_by_key(order, w->node_of, w->pair_count))
        return order;
    free(order);
    return NULL;
}

static enum status collect_arcs(struct work *w, struct error *e) {
    uint64_t weight = 0;
    for (size_t i = 0; i < w->pair_count; i++) {
        if (w->pairs[i]->count > GRAPH_WEIGHT_MAX - weight)
            return error_set(e, STATUS_ARGUMENT, "the counts of the flow sum to more than 2^62");
        weight += w->pairs[i]->count;
    }
    w->arcs = calloc(w->pair_count + 1, sizeof *w->arcs);
    uint32_t *const order = sort_pairs(w);
    if (w->arcs == NULL || order == NULL) {
        free(order);
        return error_set(e, STATUS_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < w->pair_count; i++) {
        const struct flow_pair *p = w->pairs[order[i]];
        const size_t a = w->node_of[order[i]], b = w->node_of[w->pair_count + order[i]];
        struct arc *last = w->arc_count > 0 ? &w->arcs[w->arc_count - 1] : NULL;
        if (last != NULL && last->a == a && last->b == b) {
            last->count += p->count;
            last->transfer |= p->transfer;
        } else {
            w->arcs[w->arc_count++] = (struct arc){a, b, p->count, p->transfer};
        }
    }
    free(order);
    return STATUS_OK;
}

static void find_leaders(struct work *w) {
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
    for (size_t i = 2 * w->pair_count; i < w->place_count; i++) /* the entries */
        w->nodes[w->node_of[i]].leader = true;
    for (size_t i = 0; i < w->node_count; i++)
        w->nodes[i].leader |= w->nodes[i].predecessors != 1;
}

/* The node that continues the block of n; NONE: the block ends at n. */
static size_t continuation(const struct work *w, size_t n) {
    if (w->nodes[n].successors != 1 || w->nodes[w->nodes[n].successor].leader)
        return NONE;
    return w->nodes[n].successor;
}

/* Nodes that no leader reaches form a cycle without a leader (straight-line code around the whole
 * address space). Its lowest address becomes one. */
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

/* Makes the blocks in ascending order of their entries, so that a chain and its block share an
 * index. */
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

/* Only the last instruction of a block is followed by leaders. So every arc is a distinct edge, and
 * a block's arcs are already sorted by target. */
static bool make_edges(const struct work *w, struct graph *g) {
    const struct arc **const arcs = calloc(w->arc_count + 1, sizeof *arcs);
    uint32_t *const source = calloc(w->arc_count + 1, sizeof *source);
    uint32_t *order = NULL;
    size_t count = 0;
    g->edges = calloc(w->arc_count + 1, sizeof *g->edges);
    if (arcs != NULL && source != NULL && g->edges != NULL) {
        for (size_t i = 0; i < w->arc_count; i++)
            if (w->nodes[w->arcs[i].b].leader) {
                source[count] = (uint32_t)w->nodes[w->arcs[i].a].block;
                arcs[count++] = &w->arcs[i];
            }
        order = sorted_order(source, count);
    }
    for (size_t i = 0; order != NULL && i < count; i++)
        g->edges[g->edge_count++] = (struct edge){
            .source = g->blocks[source[order[i]]].entry,
            .target = w->nodes[arcs[order[i]]->b].address,
            .count = arcs[order[i]]->count,
        };
    const bool made = order != NULL;
    free(order);
    free(source);
    free(arcs);
    return made;
}

enum status graph_from_flow(struct graph *out, const struct flow *flow, bool mark_busy,
                            struct error *e) {
    *out = (struct graph){0};
    struct work w = {0};
    struct graph g = {0};
    enum status status = STATUS_OK;
    if (!collect_places(&w, flow) || !collect_nodes(&w))
        status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = collect_arcs(&w, e);
    if (status == STATUS_OK) {
        find_leaders(&w);
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
