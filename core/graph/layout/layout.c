/*
 * Prepares a program for layout: which edges are local, which can fall through, which blocks stay
 * together. Assigns addresses to blocks by a layout.
 */
#include "graph/layout/layout_internal.h"

#include <stdlib.h>
#include <string.h>

const char *const block_end_words[BLOCK_ENDS] = {"none",     "branch", "jump",
                                                 "indirect", "call",   "other"};

/* ---- look-up ---- */

uint32_t layout_plan_block(const struct layout_plan *p, uint32_t entry) {
    const struct block key = {.entry = entry};
    const struct block *found =
        p->block_count == 0 ? NULL
                            : bsearch(&key, p->blocks, p->block_count, sizeof key, block_compare);
    return found == NULL ? LAYOUT_NONE : (uint32_t)(found - p->blocks);
}

static int last_compare(const void *a, const void *b) {
    const struct last_insn *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

uint32_t layout_plan_ending(const struct layout_plan *p, uint32_t last) {
    size_t low = 0, high = p->block_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (p->lasts[middle].address < last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->block_count && p->lasts[low].address == last ? p->lasts[low].block
                                                                 : LAYOUT_NONE;
}

size_t layout_plan_arc(const struct layout_plan *p, uint32_t from, uint32_t to) {
    size_t low = p->first_arc[from], high = p->first_arc[from + 1];
    const size_t end = high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (p->arcs[middle].to < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && p->arcs[low].to == to ? low : SIZE_MAX;
}

size_t layout_count_up_to(const void *items, size_t count, size_t size, uint32_t address) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        uint32_t at;
        memcpy(&at, (const char *)items + middle * size, sizeof at);
        if (at <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- preparing ---- */

/* 1 + the region of the address; 0: writable memory. */
static uint32_t region_of(const struct layout_program *program, uint32_t address) {
    const size_t low = layout_count_up_to(program->regions, program->region_count,
                                          sizeof *program->regions, address);
    return low == 0 || program->regions[low - 1].memory ? 0 : (uint32_t)low;
}

static bool reserve(struct layout_plan *p, const struct graph *g) {
    p->blocks = calloc(g->block_count + 1, sizeof *p->blocks);
    p->shapes = calloc(g->block_count + 1, sizeof *p->shapes);
    p->region = calloc(g->block_count + 1, sizeof *p->region);
    p->glued = calloc(g->block_count + 1, sizeof *p->glued);
    p->lasts = calloc(g->block_count + 1, sizeof *p->lasts);
    p->first_arc = calloc(g->block_count + 2, sizeof *p->first_arc);
    p->arcs = calloc(g->edge_count + 1, sizeof *p->arcs);
    return p->blocks != NULL && p->shapes != NULL && p->region != NULL && p->glued != NULL &&
           p->lasts != NULL && p->first_arc != NULL && p->arcs != NULL;
}

static void take_blocks(struct layout_plan *p, const struct layout_program *program) {
    const struct graph *g = program->graph;
    p->block_count = g->block_count;
    p->region_count = program->region_count;
    for (size_t b = 0; b < p->block_count; b++) {
        p->blocks[b] = g->blocks[b];
        p->shapes[b] = program->shapes[b];
        p->region[b] = region_of(program, g->blocks[b].entry);
        p->lasts[b] = (struct last_insn){g->blocks[b].last, (uint32_t)b};
    }
    if (p->block_count > 0)
        qsort(p->lasts, p->block_count, sizeof *p->lasts, last_compare);
}

static bool take_arcs(struct layout_plan *p, const struct graph *g) {
    p->arc_count = g->edge_count;
    for (size_t i = 0, from = 0; i < g->edge_count; i++) {
        const struct edge *edge = &g->edges[i];
        while (from < p->block_count && p->blocks[from].entry < edge->source)
            p->first_arc[++from] = (uint32_t)i;
        const uint32_t to = layout_plan_block(p, edge->target);
        if (from == p->block_count || p->blocks[from].entry != edge->source || to == LAYOUT_NONE)
            return false;
        p->arcs[i] = (struct layout_arc){.from = (uint32_t)from, .to = to, .busy = edge->busy};
        p->first_arc[from + 1] = (uint32_t)(i + 1);
    }
    for (size_t b = 1; b <= p->block_count; b++)
        if (p->first_arc[b] < p->first_arc[b - 1])
            p->first_arc[b] = p->first_arc[b - 1];
    return true;
}

static bool *find_called(const struct layout_plan *p) {
    bool *called = calloc(p->block_count + 1, sizeof *called);
    for (size_t i = 0; called != NULL && i < p->arc_count; i++)
        if (p->shapes[p->arcs[i].from].end == END_CALL)
            called[p->arcs[i].to] = true;
    return called;
}

static void classify(const struct layout_plan *p, struct layout_arc *arc, const bool *called) {
    const uint32_t end = p->blocks[arc->from].entry + p->shapes[arc->from].size;
    const bool next = p->blocks[arc->to].entry == end;
    const enum block_end kind = p->shapes[arc->from].end;
    arc->falls = next && (kind == END_NONE || kind == END_BRANCH);
    if (arc->busy || p->region[arc->from] == 0 || p->region[arc->from] != p->region[arc->to])
        return;
    arc->layable =
        (kind == END_NONE && next) || kind == END_BRANCH || (kind == END_JUMP && !called[arc->to]);
    arc->local = arc->layable || (kind == END_INDIRECT && !called[arc->to]);
}

/* Keeps the block after a call behind it. If two calls end at one address, the lower one gets the
 * block. */
static void glue(struct layout_plan *p, bool *taken) {
    for (size_t b = 0; b < p->block_count; b++) {
        p->glued[b] = LAYOUT_NONE;
        if (p->shapes[b].end != END_CALL || p->region[b] == 0)
            continue;
        const uint32_t next = layout_plan_block(p, p->blocks[b].entry + p->shapes[b].size);
        if (next == LAYOUT_NONE || next <= b || taken[next] || p->region[next] != p->region[b])
            continue;
        taken[next] = true;
        p->glued[b] = next;
    }
}

enum status layout_plan_make(struct layout_plan *p, const struct layout_program *program,
                             struct error *e) {
    *p = (struct layout_plan){0};
    bool *called = NULL, *taken = calloc(program->graph->block_count + 1, sizeof *taken);
    enum status status = STATUS_OK;
    if (taken == NULL || !reserve(p, program->graph)) {
        status = error_set(e, STATUS_MEMORY, "out of memory");
    } else {
        take_blocks(p, program);
        if (!take_arcs(p, program->graph))
            status = error_set(e, STATUS_ARGUMENT,
                               "an edge of the program starts or ends outside its blocks");
    }
    if (status == STATUS_OK && (called = find_called(p)) == NULL)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; status == STATUS_OK && i < p->arc_count; i++)
        classify(p, &p->arcs[i], called);
    if (status == STATUS_OK)
        glue(p, taken);
    free(called);
    free(taken);
    if (status != STATUS_OK)
        layout_plan_free(p);
    return status;
}

void layout_plan_free(struct layout_plan *p) {
    free(p->blocks);
    free(p->shapes);
    free(p->region);
    free(p->glued);
    free(p->lasts);
    free(p->first_arc);
    free(p->arcs);
    *p = (struct layout_plan){0};
}

/* ---- assigning addresses ---- */

void layout_place_as_is(uint64_t *positions, const struct layout_plan *p) {
    for (size_t b = 0; b < p->block_count; b++)
        positions[b] = p->blocks[b].entry;
}

struct placed_chain {
    uint64_t weight, size;
    uint32_t region, number, lowest;
};

/* By region, then by density, densest first; of equal ones, the chain with the lowest block. */
static int chain_order(const void *a, const void *b) {
    const struct placed_chain *x = a, *y = b;
    if (x->region != y->region)
        return x->region < y->region ? -1 : 1;
    const wide left = (wide)x->weight * y->size, right = (wide)y->weight * x->size;
    if (left != right)
        return left > right ? -1 : 1;
    return (x->lowest > y->lowest) - (x->lowest < y->lowest);
}

static struct placed_chain sum_up(const struct layout_plan *p, const struct layout_chains *c,
                                  const struct layout_weights *w, size_t number) {
    struct placed_chain sum = {.number = (uint32_t)number, .lowest = LAYOUT_NONE};
    for (uint32_t i = c->start[number]; i < c->start[number + 1]; i++) {
        const uint32_t b = c->order[i];
        sum.weight += w->blocks[b];
        sum.size += p->shapes[b].size;
        sum.region = p->region[b];
        sum.lowest = b < sum.lowest ? b : sum.lowest;
    }
    return sum;
}

struct placing {
    struct placed_chain *chains; /* those with a weight, in layout order */
    size_t count;
    bool *placed;            /* of each block */
    uint64_t *full, *lowest; /* of each region: bytes used; lowest address among the unplaced
                                blocks */
};

static bool placing_begin(struct placing *g, const struct layout_plan *p,
                          const struct layout_chains *c, const struct layout_weights *w) {
    g->chains = calloc(c->count + 1, sizeof *g->chains);
    g->placed = calloc(p->block_count + 1, sizeof *g->placed);
    g->full = calloc(p->region_count + 1, sizeof *g->full);
    g->lowest = calloc(p->region_count + 1, sizeof *g->lowest);
    if (g->chains == NULL || g->placed == NULL || g->full == NULL || g->lowest == NULL)
        return false;
    for (size_t i = 0; i < c->count; i++) {
        const struct placed_chain chain = sum_up(p, c, w, i);
        if (chain.weight > 0 && chain.region != 0)
            g->chains[g->count++] = chain;
    }
    qsort(g->chains, g->count, sizeof *g->chains, chain_order);
    return true;
}

static void put_down(struct placing *g, uint64_t *positions, const struct layout_plan *p,
                     const struct layout_chains *c) {
    for (size_t i = 0; i < g->count; i++) {
        const size_t number = g->chains[i].number;
        uint64_t *const full = &g->full[g->chains[i].region];
        for (uint32_t k = c->start[number]; k < c->start[number + 1]; k++) {
            const uint32_t b = c->order[k];
            positions[b] = *full;
            *full += p->shapes[b].size;
            g->placed[b] = true;
        }
    }
}

/* Appends the unplaced blocks, with their original gaps. */
static void put_rest(struct placing *g, uint64_t *positions, const struct layout_plan *p) {
    for (size_t b = p->block_count; b-- > 0;)
        if (!g->placed[b])
            g->lowest[p->region[b]] = p->blocks[b].entry;
    for (size_t b = 0; b < p->block_count; b++)
        if (!g->placed[b])
            positions[b] = g->full[p->region[b]] + p->blocks[b].entry - g->lowest[p->region[b]];
}

enum status chains_place(uint64_t *positions, const struct layout_plan *p,
                         const struct layout_chains *c, const struct layout_weights *w,
                         struct error *e) {
    struct placing g = {0};
    const bool ok = placing_begin(&g, p, c, w);
    if (ok) {
        put_down(&g, positions, p, c);
        put_rest(&g, positions, p);
    }
    free(g.chains);
    free(g.placed);
    free(g.full);
    free(g.lowest);
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}
