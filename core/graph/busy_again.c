/*
 * Maps the busy-waits of an exact graph H to a graph whose blocks may be split differently. An edge
 * lies on a busy-wait if some busy-wait edge of H has its last source instruction in this edge's
 * source block, and its target's entry in this edge's target block.
 */
#include "graph/busy_again.h"

#include <stdlib.h>

/* True if the block holds the instruction at `address`. A block may run past the end of its 64
 * KiB. */
static bool block_holds(const struct block *b, uint32_t address) {
    if (b->entry <= b->last)
        return b->entry <= address && address <= b->last;
    return b->entry >> 16 == address >> 16 &&
           (uint16_t)(address - b->entry) <= (uint16_t)(b->last - b->entry);
}

static const struct block *find_or_complain(const struct graph *g, const char *name, uint32_t entry,
                                            struct error *e) {
    const struct block *b = graph_find_block(g, entry);
    if (b == NULL)
        error_set(e, STATUS_ARGUMENT,
                  "%s has an edge at 0x%x but no #block line for it, which the active metrics need",
                  name, entry);
    return b;
}

void waits_free(struct waits *w) {
    free(w->at);
    *w = (struct waits){0};
}

enum status waits_collect(struct waits *w, const struct graph *h, struct error *e) {
    *w = (struct waits){.at = calloc(h->edge_count + 1, sizeof *w->at)};
    if (w->at == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t k = 0; k < h->edge_count; k++) {
        if (!h->edges[k].busy)
            continue;
        const struct block *from = find_or_complain(h, "the exact graph", h->edges[k].source, e);
        if (from == NULL)
            return STATUS_ARGUMENT;
        w->at[w->count++] = (struct wait){from->last, h->edges[k].target};
    }
    return STATUS_OK;
}

enum status waits_match(const struct waits *w, bool *along, const struct graph *g,
                        struct error *e) {
    for (size_t i = 0; w->count > 0 && i < g->edge_count; i++) {
        const struct block *source =
            find_or_complain(g, "the compared graph", g->edges[i].source, e);
        const struct block *target =
            source == NULL ? NULL
                           : find_or_complain(g, "the compared graph", g->edges[i].target, e);
        if (target == NULL)
            return STATUS_ARGUMENT;
        for (size_t k = 0; k < w->count && !along[i]; k++)
            along[i] =
                block_holds(source, w->at[k].transfer) && block_holds(target, w->at[k].target);
    }
    return STATUS_OK;
}
