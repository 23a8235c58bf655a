/* The exact graph of each step of a run: differences of snapshots of all flow. */
#include "profile/exact.h"
#include "profile/window/windows.h"

#include <stdlib.h>
#include <string.h>

struct exact_steps {
    struct exact *exact; /* NULL: flows are handed over */
    bool waits;          /* busy-waits are looked for */
    /* Of each pair, up to the last mark, [1] as a transfer: where code changes, one pair may be both. */
    struct map counts[2];
    struct flow all;  /* the pairs of all steps; instructions and entries up to the last mark */
    VEC(size_t) ends; /* of each step, in the pairs */
};

static enum status out_of_memory(struct error *e) {
    return error_set(e, STATUS_MEMORY, "out of memory for the exact graphs of windows");
}

static uint64_t pair_of(uint32_t a, uint32_t b) {
    return (uint64_t)a << 32 | b;
}

static void free_counts(struct map counts[2]) {
    map_free(&counts[0]);
    map_free(&counts[1]);
}

enum status exact_steps_begin(struct exact_steps **out, void *exact, struct error *e) {
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return out_of_memory(e);
    (*out)->exact = exact;
    (*out)->waits = exact != NULL;
    return STATUS_OK;
}

void exact_steps_free(struct exact_steps *s) {
    if (s == NULL)
        return;
    free_counts(s->counts);
    flow_free(&s->all);
    vec_free(&s->ends);
    free(s);
}

/* ---- marks ---- */

/* Adds up pairs that were counted in several ways. */
static bool sum_pairs(struct map counts[2], const struct flow *flow) {
    for (size_t i = 0; i < flow->pairs.len; i++) {
        const struct flow_pair *p = &flow->pairs.at[i];
        uint64_t *at = map_at(&counts[p->transfer], pair_of(p->a, p->b));
        if (at == NULL)
            return false;
        *at += p->count;
    }
    return true;
}

static uint64_t count_of(const struct map *counts, uint64_t pair) {
    const uint64_t *at = map_find(counts, pair);
    return at != NULL ? *at : 0;
}

/* Notes what has been executed since the counts before. */
static bool note_pairs(struct exact_steps *s, const struct map *now, bool transfer) {
    uint64_t pair, count;
    for (size_t position = 0; map_next(now, &position, &pair, &count);) {
        const struct flow_pair p = {.a = (uint32_t)(pair >> 32),
                                    .b = (uint32_t)pair,
                                    .count = count - count_of(&s->counts[transfer], pair),
                                    .transfer = transfer};
        if (p.count != 0 && !vec_push(&s->all.pairs, p))
            return false;
    }
    return true;
}

enum status exact_steps_mark(struct exact_steps *s, struct error *e) {
    struct flow flow = {0};
    const enum status status = exact_flow(s->exact, true, &flow, e);
    return status == STATUS_OK ? exact_steps_take(s, &flow, e) : status;
}

enum status exact_steps_take(struct exact_steps *s, struct flow *flow, struct error *e) {
    struct map now[2] = {{0}, {0}};
    const bool noted = sum_pairs(now, flow) && note_pairs(s, &now[0], false) &&
                       note_pairs(s, &now[1], true) && vec_push(&s->ends, s->all.pairs.len);
    free_counts(s->counts);
    memcpy(s->counts, now, sizeof now);
    vec_free(&s->all.insns);
    vec_free(&s->all.entries);
    memcpy(&s->all.insns, &flow->insns, sizeof flow->insns);
    memcpy(&s->all.entries, &flow->entries, sizeof flow->entries);
    vec_free(&flow->pairs);
    *flow = (struct flow){0};
    return noted ? STATUS_OK : out_of_memory(e);
}

enum status exact_steps_end(struct exact_steps *s, const struct graph *whole, struct error *e) {
    struct map sums[2] = {{0}, {0}};
    s->exact = NULL;
    if (!sum_pairs(sums, &s->all)) {
        free_counts(sums);
        return out_of_memory(e);
    }
    size_t i = 0;
    for (; i < whole->edge_count; i++) {
        const struct edge *edge = &whole->edges[i];
        const struct block *source = graph_find_block(whole, edge->source);
        const uint64_t pair = source != NULL ? pair_of(source->last, edge->target) : 0;
        if (count_of(&sums[0], pair) + count_of(&sums[1], pair) != edge->count)
            break;
    }
    free_counts(sums);
    return i == whole->edge_count
               ? STATUS_OK
               : error_set(e, STATUS_GUEST,
                           "the exact graphs of the windows do not add up to the whole one at the "
                           "edge 0x%x -> 0x%x; this is a bug in the engine",
                           whole->edges[i].source, whole->edges[i].target);
}

/* ---- graphs ---- */

/* The entries that were executed in a part. */
static bool keep_entries(struct flow *part, const struct flow *all) {
    struct map met = {0};
    bool kept = true;
    for (size_t i = 0; kept && i < part->pairs.len; i++) {
        uint64_t *at = map_at(&met, part->pairs.at[i].a);
        kept = at != NULL;
        if (kept)
            *at = 1;
    }
    for (size_t i = 0; kept && i < all->entries.len; i++)
        if (map_find(&met, all->entries.at[i]) != NULL)
            kept = vec_push(&part->entries, all->entries.at[i]);
    map_free(&met);
    return kept;
}

enum status exact_steps_graph(const struct exact_steps *s, size_t from, size_t to,
                              struct graph *out, struct error *e) {
    struct flow part = {0};
    bool made = true;
    *out = (struct graph){0};
    for (size_t i = from > 0 ? s->ends.at[from - 1] : 0; made && i < s->ends.at[to - 1]; i++)
        made = vec_push(&part.pairs, s->all.pairs.at[i]);
    made = made && keep_entries(&part, &s->all);
    memcpy(&part.insns, &s->all.insns, sizeof part.insns); /* borrowed */
    const enum status status = made ? graph_from_flow(out, &part, s->waits, e) : out_of_memory(e);
    memset(&part.insns, 0, sizeof part.insns);
    flow_free(&part);
    return status;
}
