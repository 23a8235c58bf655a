/*
 * Greedy merging of chains. Each block starts as a chain, except that the block after a call stays
 * behind it. Then the two chains with the largest gain are merged, until no merge gains anything.
 * The gain of a pair is cached until one of its chains changes; a heap holds the pairs with a
 * positive gain. Ties go to the pair whose lowest blocks are lower.
 *
 * Only chains that jumps connect are considered, so the time for a program is the sum of the times
 * for its routines.
 */
#include "graph/layout/layout_merge.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

static void append(struct merging *m, struct jumps *to, struct jumps list) {
    if (list.first == LAYOUT_NONE)
        return;
    if (to->first == LAYOUT_NONE)
        to->first = list.first;
    else
        m->jumps[to->last].next = list.first;
    to->last = list.last;
}

static const struct jumps no_jumps = {LAYOUT_NONE, LAYOUT_NONE};

/* ---- the heap ---- */

static bool goes_before(const struct merging *m, uint32_t a, uint32_t b) {
    const struct pair *x = &m->pairs.at[a], *y = &m->pairs.at[b];
    if (x->best.gain != y->best.gain)
        return x->best.gain > y->best.gain;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static void heap_set(struct merging *m, size_t at, uint32_t pair) {
    m->heap.at[at] = pair;
    m->pairs.at[pair].heap = (uint32_t)at;
}

static void heap_settle(struct merging *m, size_t at) {
    const uint32_t pair = m->heap.at[at];
    while (at > 0 && goes_before(m, pair, m->heap.at[(at - 1) / 2])) {
        heap_set(m, at, m->heap.at[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (size_t child; (child = 2 * at + 1) < m->heap.len; at = child) {
        if (child + 1 < m->heap.len && goes_before(m, m->heap.at[child + 1], m->heap.at[child]))
            child++;
        if (!goes_before(m, m->heap.at[child], pair))
            break;
        heap_set(m, at, m->heap.at[child]);
    }
    heap_set(m, at, pair);
}

static void heap_remove(struct merging *m, uint32_t pair) {
    const uint32_t at = m->pairs.at[pair].heap;
    if (at == LAYOUT_NONE)
        return;
    m->pairs.at[pair].heap = LAYOUT_NONE;
    const uint32_t last = m->heap.at[--m->heap.len];
    if (last != pair) {
        heap_set(m, at, last);
        heap_settle(m, at);
    }
}

/* Call after the pair's chains have changed. */
static bool heap_renew(struct merging *m, uint32_t pair) {
    struct pair *p = &m->pairs.at[pair];
    p->best = layout_merge_best(m, p);
    if (p->best.gain == 0) {
        heap_remove(m, pair);
        return true;
    }
    if (p->heap == LAYOUT_NONE) {
        if (!vec_push(&m->heap, pair))
            return false;
        heap_set(m, m->heap.len - 1, pair);
    }
    heap_settle(m, p->heap);
    return true;
}

/* ---- the initial chains ---- */

static bool reserve(struct merging *m) {
    const size_t blocks = m->plan->block_count + 1, arcs = m->plan->arc_count + 1;
    m->chains = calloc(blocks, sizeof *m->chains);
    m->chain = calloc(blocks, sizeof *m->chain);
    m->ordinal = calloc(blocks, sizeof *m->ordinal);
    m->singles = calloc(blocks, sizeof *m->singles);
    m->offset = calloc(blocks, sizeof *m->offset);
    m->mark = calloc(blocks, sizeof *m->mark);
    m->jumps = calloc(arcs, sizeof *m->jumps);
    m->between = calloc(arcs, sizeof *m->between);
    return m->chains != NULL && m->chain != NULL && m->ordinal != NULL && m->singles != NULL &&
           m->offset != NULL && m->mark != NULL && m->jumps != NULL && m->between != NULL;
}

/* Puts each call before the block glued to it: blocks of one chain are adjacent in `singles`. */
static void make_chains(struct merging *m) {
    const struct layout_plan *p = m->plan;
    uint32_t used = 0;
    for (uint32_t b = 0; b < p->block_count; b++)
        m->chain[b] = LAYOUT_NONE;
    for (uint32_t b = 0; b < p->block_count; b++) {
        if (m->chain[b] != LAYOUT_NONE)
            continue;
        struct chain *c = &m->chains[b];
        c->blocks = &m->singles[used];
        c->inner = no_jumps;
        for (uint32_t at = b; at != LAYOUT_NONE; at = p->glued[at]) {
            m->singles[used++] = at;
            m->chain[at] = b;
            m->ordinal[at] = c->count++;
            m->offset[at] = c->size;
            c->size += p->shapes[at].size;
        }
    }
}

static uint32_t pair_of(struct merging *m, uint32_t x, uint32_t y) {
    const uint32_t a = x < y ? x : y, b = x < y ? y : x;
    const struct chain *fewer = &m->chains[m->chains[a].pairs.len < m->chains[b].pairs.len ? a : b];
    for (size_t i = 0; i < fewer->pairs.len; i++) {
        const struct pair *p = &m->pairs.at[fewer->pairs.at[i]];
        if (p->a == a && p->b == b)
            return fewer->pairs.at[i];
    }
    const uint32_t number = (uint32_t)m->pairs.len;
    const struct pair pair = {.a = a, .b = b, .heap = LAYOUT_NONE, .between = no_jumps};
    return vec_push(&m->pairs, pair) && vec_push(&m->chains[a].pairs, number) &&
                   vec_push(&m->chains[b].pairs, number)
               ? number
               : LAYOUT_NONE;
}

static bool add_jump(struct merging *m, const struct layout_arc *arc, uint64_t weight) {
    const uint32_t number = m->jump_count++;
    const uint32_t from = m->chain[arc->from], to = m->chain[arc->to];
    m->jumps[number] = (struct jump){.from = arc->from,
                                     .to = arc->to,
                                     .next = LAYOUT_NONE,
                                     .layable = arc->layable,
                                     .weight = (int64_t)weight};
    if (from == to) {
        append(m, &m->chains[from].inner, (struct jumps){number, number});
        return true;
    }
    const uint32_t pair = pair_of(m, from, to);
    if (pair != LAYOUT_NONE)
        append(m, &m->pairs.at[pair].between, (struct jumps){number, number});
    return pair != LAYOUT_NONE;
}

static bool begin(struct merging *m, const struct layout_weights *w) {
    if (!reserve(m))
        return false;
    make_chains(m);
    bool ok = true;
    for (size_t i = 0; ok && i < m->plan->arc_count; i++) {
        const struct layout_arc *arc = &m->plan->arcs[i];
        if (arc->local && arc->from != arc->to && w->arcs[i] > 0)
            ok = add_jump(m, arc, w->arcs[i]);
    }
    for (uint32_t i = 0; ok && i < m->pairs.len; i++)
        ok = heap_renew(m, i);
    return ok;
}

/* ---- merging ---- */

static void copy(uint32_t **to, const uint32_t *from, size_t count) {
    memcpy(*to, from, count * sizeof *from);
    *to += count;
}

static bool join_blocks(struct chain *into, const struct chain *x, const struct chain *y,
                        struct merge how) {
    const uint32_t count = x->count + y->count, rest = x->count - how.split;
    uint32_t *blocks = malloc(count * sizeof *blocks), *to = blocks;
    if (blocks == NULL)
        return false;
    if (how.shape == MERGE_Y_X2_X1)
        copy(&to, y->blocks, y->count);
    if (how.shape == MERGE_Y_X2_X1 || how.shape == MERGE_X2_X1_Y)
        copy(&to, x->blocks + how.split, rest);
    copy(&to, x->blocks, how.shape == MERGE_X_Y ? x->count : how.split);
    if (how.shape != MERGE_Y_X2_X1)
        copy(&to, y->blocks, y->count);
    if (how.shape == MERGE_X1_Y_X2)
        copy(&to, x->blocks + how.split, rest);
    if (into->owned)
        free(into->blocks);
    into->blocks = blocks;
    into->owned = true;
    into->count = count;
    return true;
}

static void renumber(struct merging *m, uint32_t number) {
    struct chain *c = &m->chains[number];
    c->size = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const uint32_t b = c->blocks[i];
        m->chain[b] = number;
        m->ordinal[b] = i;
        m->offset[b] = c->size;
        c->size += m->plan->shapes[b].size;
    }
}

static uint32_t other_of(const struct pair *p, uint32_t chain) {
    return p->a == chain ? p->b : p->a;
}

/* Moves b's pairs to a. */
static bool join_pairs(struct merging *m, uint32_t a, uint32_t b) {
    struct chain *into = &m->chains[a], *from = &m->chains[b];
    size_t kept = 0;
    for (size_t i = 0; i < into->pairs.len; i++) {
        const uint32_t number = into->pairs.at[i];
        if (m->pairs.at[number].gone)
            continue;
        into->pairs.at[kept++] = number;
        m->mark[other_of(&m->pairs.at[number], a)] = 1 + number;
    }
    into->pairs.len = kept;
    bool ok = true;
    for (size_t i = 0; i < from->pairs.len; i++) {
        const uint32_t number = from->pairs.at[i];
        struct pair *p = &m->pairs.at[number];
        const uint32_t other = other_of(p, b);
        if (p->gone)
            continue;
        if (m->mark[other] != 0) {
            append(m, &m->pairs.at[m->mark[other] - 1].between, p->between);
            p->gone = true;
            heap_remove(m, number);
        } else {
            heap_remove(m, number); /* its rank changes; heap_renew() inserts it again */
            p->a = a < other ? a : other;
            p->b = a < other ? other : a;
            ok &= vec_push(&into->pairs, number);
        }
    }
    for (size_t i = 0; i < kept; i++)
        m->mark[other_of(&m->pairs.at[into->pairs.at[i]], a)] = 0;
    vec_free(&from->pairs);
    return ok;
}

static bool merge(struct merging *m, uint32_t number) {
    struct pair *p = &m->pairs.at[number];
    const uint32_t a = p->a, b = p->b;
    struct chain *into = &m->chains[a], *from = &m->chains[b];
    heap_remove(m, number);
    p->gone = true;
    append(m, &into->inner, from->inner);
    append(m, &into->inner, p->between);
    if (!join_blocks(into, p->best.swapped ? from : into, p->best.swapped ? into : from, p->best))
        return false;
    renumber(m, a);
    if (from->owned)
        free(from->blocks);
    from->owned = false;
    from->count = 0;
    bool ok = join_pairs(m, a, b);
    for (size_t i = 0; ok && i < into->pairs.len; i++)
        ok = heap_renew(m, into->pairs.at[i]);
    return ok;
}

/* ---- all chains ---- */

static bool hand_over(const struct merging *m, struct layout_chains *c) {
    const size_t blocks = m->plan->block_count;
    c->order = calloc(blocks + 1, sizeof *c->order);
    c->start = calloc(blocks + 1, sizeof *c->start);
    if (c->order == NULL || c->start == NULL)
        return false;
    uint32_t used = 0;
    for (size_t i = 0; i < blocks; i++) {
        const struct chain *chain = &m->chains[i];
        if (chain->count == 0)
            continue;
        memcpy(&c->order[used], chain->blocks, chain->count * sizeof *c->order);
        used += chain->count;
        c->start[++c->count] = used;
    }
    return true;
}

static void merging_free(struct merging *m) {
    for (size_t i = 0; m->chains != NULL && i < m->plan->block_count; i++) {
        if (m->chains[i].owned)
            free(m->chains[i].blocks);
        vec_free(&m->chains[i].pairs);
    }
    free(m->chains);
    free(m->chain);
    free(m->ordinal);
    free(m->singles);
    free(m->offset);
    free(m->mark);
    free(m->jumps);
    free(m->between);
    vec_free(&m->pairs);
    vec_free(&m->heap);
}

enum status chains_make(struct layout_chains *c, const struct layout_plan *p,
                        const struct layout_weights *w, struct error *e) {
    *c = (struct layout_chains){0};
    struct merging *m = calloc(1, sizeof *m);
    bool ok = m != NULL;
    if (ok) {
        m->plan = p;
        ok = begin(m, w);
        while (ok && m->heap.len > 0)
            ok = merge(m, m->heap.at[0]);
        ok = ok && hand_over(m, c);
        merging_free(m);
        free(m);
    }
    if (ok)
        return STATUS_OK;
    chains_free(c);
    return error_set(e, STATUS_MEMORY, "out of memory");
}

void chains_free(struct layout_chains *c) {
    free(c->order);
    free(c->start);
    *c = (struct layout_chains){0};
}
