/* Layouts and their benefit, computed directly from the definitions: all merges are tried, nothing
 * is cached. For small programs. */
#ifndef HOTGRAPH_TESTS_LAYOUT_SLOW_H
#define HOTGRAPH_TESTS_LAYOUT_SLOW_H

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/layout/layout.h"

enum { BLOCKS = 200, EDGES = 1000, REGIONS = 3 };

/* A program with its exact graph, in memory of its own. */
struct program {
    struct block blocks[BLOCKS];
    struct block_shape shapes[BLOCKS];
    struct edge edges[EDGES];
    struct region regions[REGIONS];
    struct graph graph;
    struct layout_program layout;
};

static int edge_order(const void *a, const void *b) {
    const struct edge *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

static void finish(struct program *p) {
    p->graph.blocks = p->blocks;
    p->graph.edges = p->edges;
    qsort(p->edges, p->graph.edge_count, sizeof *p->edges, edge_order);
    p->layout = (struct layout_program){&p->graph, p->shapes, p->regions, p->layout.region_count};
}

static void add_edge(struct program *p, size_t from, size_t to, uint64_t count) {
    const uint32_t source = p->blocks[from].entry, target = p->blocks[to].entry;
    for (size_t i = 0; i < p->graph.edge_count; i++)
        if (p->edges[i].source == source && p->edges[i].target == target)
            return;
    assert_true(p->graph.edge_count < EDGES);
    p->edges[p->graph.edge_count++] = (struct edge){source, target, count, false};
}

/* ---- the definitions, directly ---- */

struct slow {
    const struct program *p;
    size_t count; /* blocks */
    double arcs[EDGES], blocks[BLOCKS];
};

static size_t block_at(const struct program *p, uint32_t entry) {
    for (size_t b = 0; b < p->graph.block_count; b++)
        if (p->blocks[b].entry == entry)
            return b;
    return SIZE_MAX;
}

static uint32_t end_of(const struct program *p, size_t b) {
    return p->blocks[b].entry + p->shapes[b].size;
}

static int region_of(const struct program *p, size_t b) {
    int region = -1;
    for (size_t i = 0; i < p->layout.region_count; i++)
        if (p->regions[i].base <= p->blocks[b].entry)
            region = p->regions[i].memory ? -1 : (int)i;
    return region;
}

static bool is_called(const struct program *p, uint32_t entry) {
    for (size_t i = 0; i < p->graph.edge_count; i++)
        if (p->edges[i].target == entry &&
            p->shapes[block_at(p, p->edges[i].source)].end == END_CALL)
            return true;
    return false;
}

static bool in_one_region(const struct program *p, const struct edge *edge) {
    const int from = region_of(p, block_at(p, edge->source));
    return !edge->busy && from >= 0 && from == region_of(p, block_at(p, edge->target));
}

static bool is_layable(const struct program *p, const struct edge *edge) {
    const size_t from = block_at(p, edge->source);
    if (!in_one_region(p, edge))
        return false;
    switch (p->shapes[from].end) {
    case END_NONE:
        return edge->target == end_of(p, from);
    case END_BRANCH:
        return true;
    case END_JUMP:
        return !is_called(p, edge->target);
    default:
        return false;
    }
}

static bool is_local(const struct program *p, const struct edge *edge) {
    return is_layable(p, edge) ||
           (in_one_region(p, edge) && p->shapes[block_at(p, edge->source)].end == END_INDIRECT &&
            !is_called(p, edge->target));
}

/* By the formula, times LAYOUT_FALL, so that all values are integers. */
static double execution(bool layable, int64_t end, int64_t start) {
    if (start == end)
        return (layable ? 1 : 0.1) * LAYOUT_FALL;
    const double d = (double)(start > end ? start - end : end - start);
    if (start > end)
        return d < 1024 ? round(0.1 * (1 - d / 1024) * LAYOUT_FALL) : 0;
    return d < 640 ? round(0.1 * (1 - d / 640) * LAYOUT_FALL) : 0;
}

static double score_at(const struct slow *s, const uint64_t *positions, const bool *among) {
    double sum = 0;
    for (size_t i = 0; i < s->p->graph.edge_count; i++) {
        const struct edge *edge = &s->p->edges[i];
        const size_t from = block_at(s->p, edge->source), to = block_at(s->p, edge->target);
        if (s->arcs[i] > 0 && among[from] && among[to] && is_local(s->p, edge))
            sum += s->arcs[i] * execution(is_layable(s->p, edge),
                                          (int64_t)positions[from] + s->p->shapes[from].size,
                                          (int64_t)positions[to]);
    }
    return sum;
}

struct order {
    size_t at[BLOCKS], count;
};

static double score_of(const struct slow *s, const struct order *o) {
    uint64_t positions[BLOCKS] = {0}, at = 0;
    bool among[BLOCKS] = {false};
    for (size_t i = 0; i < o->count; i++) {
        positions[o->at[i]] = at;
        among[o->at[i]] = true;
        at += s->p->shapes[o->at[i]].size;
    }
    return score_at(s, positions, among);
}

static void put(struct order *to, const struct order *from, size_t first, size_t last) {
    for (size_t i = first; i < last; i++)
        to->at[to->count++] = from->at[i];
}

/* shape 0: X Y, 1: X1 Y X2, 2: Y X2 X1, 3: X2 X1 Y */
static struct order merged(const struct order *x, const struct order *y, int shape, size_t at) {
    struct order o = {.count = 0};
    const size_t end = shape == 0 ? x->count : at;
    if (shape == 2)
        put(&o, y, 0, y->count);
    if (shape >= 2)
        put(&o, x, at, x->count);
    put(&o, x, 0, end);
    if (shape != 2)
        put(&o, y, 0, y->count);
    if (shape == 1)
        put(&o, x, at, x->count);
    return o;
}

static size_t glued_to(const struct program *p, size_t b) {
    if (p->shapes[b].end != END_CALL || region_of(p, b) < 0)
        return SIZE_MAX;
    const size_t next = block_at(p, end_of(p, b));
    return next != SIZE_MAX && region_of(p, next) == region_of(p, b) ? next : SIZE_MAX;
}

static bool connected(const struct slow *s, const struct order *x, const struct order *y) {
    bool in[2][BLOCKS] = {{false}};
    for (size_t i = 0; i < x->count; i++)
        in[0][x->at[i]] = true;
    for (size_t i = 0; i < y->count; i++)
        in[1][y->at[i]] = true;
    for (size_t i = 0; i < s->p->graph.edge_count; i++) {
        const size_t from = block_at(s->p, s->p->edges[i].source);
        const size_t to = block_at(s->p, s->p->edges[i].target);
        if (s->arcs[i] > 0 && is_local(s->p, &s->p->edges[i]) &&
            ((in[0][from] && in[1][to]) || (in[1][from] && in[0][to])))
            return true;
    }
    return false;
}

struct choice {
    double gain;
    size_t a, b;
    struct order order;
};

static void try_pair(const struct slow *s, const struct order *chains, size_t a, size_t b,
                     struct choice *best) {
    const double before = score_of(s, &chains[a]) + score_of(s, &chains[b]);
    for (int split = 0; split < 2; split++)
        for (int swapped = 0; swapped < 2; swapped++) {
            const struct order *x = &chains[swapped ? b : a], *y = &chains[swapped ? a : b];
            if (split && x->count > LAYOUT_SPLIT)
                continue;
            for (size_t at = 1; at < (split ? x->count : 2); at++)
                for (int shape = split; shape <= (split ? 3 : 0); shape++) {
                    if (split && glued_to(s->p, x->at[at - 1]) == x->at[at])
                        continue;
                    const struct order o = merged(x, y, shape, at);
                    const double gain = score_of(s, &o) - before;
                    if (gain > best->gain)
                        *best = (struct choice){gain, a, b, o};
                }
        }
}

/* Each chain is stored at its lowest block. */
static void merge_all(const struct slow *s, struct order *chains) {
    bool taken[BLOCKS] = {false};
    memset(chains, 0, s->count * sizeof *chains);
    for (size_t b = 0; b < s->count; b++)
        for (size_t at = b; at != SIZE_MAX && !taken[at]; at = glued_to(s->p, at)) {
            taken[at] = true;
            chains[b].at[chains[b].count++] = at;
        }
    for (;;) {
        struct choice best = {0};
        for (size_t a = 0; a < s->count; a++)
            for (size_t b = a + 1; b < s->count; b++)
                if (chains[a].count > 0 && chains[b].count > 0 &&
                    connected(s, &chains[a], &chains[b]))
                    try_pair(s, chains, a, b, &best);
        if (best.gain == 0)
            return;
        chains[best.a] = best.order;
        chains[best.b].count = 0;
    }
}

static double density(const struct slow *s, const struct order *o, bool *weighs) {
    double weight = 0, size = 0;
    for (size_t i = 0; i < o->count; i++) {
        weight += s->blocks[o->at[i]];
        size += s->p->shapes[o->at[i]].size;
    }
    *weighs = weight > 0;
    return weight / size;
}

static void place(const struct slow *s, const struct order *chains, uint64_t *positions) {
    for (int region = -1; region < (int)s->p->layout.region_count; region++) {
        uint64_t at = 0;
        bool placed[BLOCKS] = {false};
        for (;;) { /* the densest remaining one */
            size_t next = SIZE_MAX;
            double most = 0;
            for (size_t i = 0; i < s->count; i++) {
                bool weighs;
                if (chains[i].count == 0 || placed[chains[i].at[0]] || region < 0 ||
                    region_of(s->p, chains[i].at[0]) != region)
                    continue;
                const double dense = density(s, &chains[i], &weighs);
                if (weighs && (next == SIZE_MAX || dense > most)) {
                    next = i;
                    most = dense;
                }
            }
            if (next == SIZE_MAX)
                break;
            for (size_t k = 0; k < chains[next].count; k++) {
                positions[chains[next].at[k]] = at;
                placed[chains[next].at[k]] = true;
                at += s->p->shapes[chains[next].at[k]].size;
            }
        }
        uint32_t lowest = UINT32_MAX;
        for (size_t b = 0; b < s->count; b++)
            if (!placed[b] && region_of(s->p, b) == region) {
                lowest = lowest == UINT32_MAX ? s->p->blocks[b].entry : lowest;
                positions[b] = at + s->p->blocks[b].entry - lowest;
            }
    }
}

static void weigh_blocks(struct slow *s) {
    double in[BLOCKS] = {0}, out[BLOCKS] = {0};
    for (size_t i = 0; i < s->p->graph.edge_count; i++) {
        out[block_at(s->p, s->p->edges[i].source)] += s->arcs[i];
        in[block_at(s->p, s->p->edges[i].target)] += s->arcs[i];
    }
    for (size_t b = 0; b < s->count; b++)
        s->blocks[b] = in[b] > out[b] ? in[b] : out[b];
}

/* For graphs without busy-waits, or with the program's blocks. */
static double project(struct slow *s, const struct program *p, const struct graph *g) {
    *s = (struct slow){.p = p, .count = p->graph.block_count};
    double lost = 0, all = 0, in[BLOCKS] = {0}, out[BLOCKS] = {0};
    for (size_t i = 0; i < g->edge_count; i++) {
        const struct block *source = graph_find_block(g, g->edges[i].source);
        const struct block *target = graph_find_block(g, g->edges[i].target);
        bool found = false, busy = false;
        for (size_t k = 0; k < p->graph.edge_count; k++)
            if (p->blocks[block_at(p, p->edges[k].source)].last == source->last &&
                p->edges[k].target == g->edges[i].target) {
                found = true;
                busy = p->edges[k].busy;
                s->arcs[k] += busy ? 0 : (double)g->edges[i].count;
            }
        if (busy)
            continue;
        all += (double)g->edges[i].count;
        lost += found ? 0 : (double)g->edges[i].count;
        out[source - g->blocks] += (double)g->edges[i].count;
        if (target != NULL)
            in[target - g->blocks] += (double)g->edges[i].count;
    }
    for (size_t b = 0; b < g->block_count; b++)
        for (size_t k = 0; k < p->graph.edge_count; k++) { /* falls inside the block */
            const size_t from = block_at(p, p->edges[k].source);
            const uint32_t end = end_of(p, from);
            if (p->edges[k].target == end && end > g->blocks[b].entry && end <= g->blocks[b].last &&
                !p->edges[k].busy &&
                (p->shapes[from].end == END_NONE || p->shapes[from].end == END_BRANCH))
                s->arcs[k] += in[b] > out[b] ? in[b] : out[b];
        }
    weigh_blocks(s);
    return lost / all;
}

static void infer(struct slow *s) {
    for (size_t b = 0; b < s->count; b++) {
        double in = 0;
        for (size_t i = 0; i < s->p->graph.edge_count; i++)
            if (s->p->edges[i].target == s->p->blocks[b].entry)
                in += s->arcs[i];
        for (size_t i = 0; i < s->p->graph.edge_count; i++)
            if (s->p->edges[i].source == s->p->blocks[b].entry && !s->p->edges[i].busy &&
                s->p->shapes[b].end == END_NONE && s->p->edges[i].target == end_of(s->p, b) &&
                in > s->arcs[i])
                s->arcs[i] = in;
    }
    weigh_blocks(s);
}

static void lay_out(const struct slow *s, uint64_t *positions) {
    static struct order chains[BLOCKS];
    merge_all(s, chains);
    place(s, chains, positions);
}

#endif
