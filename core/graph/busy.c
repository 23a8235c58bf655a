/*
 * Finds busy-waits: cycles of at most four distinct blocks that only poll something that an
 * interrupt or the picture will change.
 *
 * Each block is summarised once: may all its instructions wait; which registers and flags are read
 * before the block has definitely written them; which are definitely written; which may be written.
 * A round of a cycle, starting at the entry of one block, changes nothing if no register that it
 * reads before writing is written anywhere in it. Where an address held several instructions, "may"
 * is the union of their sets and "definitely" the intersection.
 */
#include "graph/busy.h"
#include "graph/busy_again.h"

#include <stdlib.h>

enum { CYCLE_BLOCKS = 4 };

struct summary {
    bool waits;
    uint16_t reads_first, surely_writes, may_write;
};

struct search {
    struct graph *g;
    struct summary *blocks;
    size_t *first_edge; /* index of each block's first edge; block_count + 1 entries */
    size_t *target;     /* block that each edge leads to */
    size_t path[CYCLE_BLOCKS], edge[CYCLE_BLOCKS];
};

/* Returns the instructions sorted by address, owned by the caller; NULL: out of memory. */
static struct flow_insn *sort_insns(const struct flow_insn *insns, size_t count) {
    struct flow_insn *sorted = calloc(count + 1, sizeof *sorted);
    uint32_t *address = calloc(count + 1, sizeof *address), *order = NULL;
    if (sorted != NULL && address != NULL) {
        for (size_t i = 0; i < count; i++)
            address[i] = insns[i].address;
        order = sorted_order(address, count);
    }
    for (size_t i = 0; order != NULL && i < count; i++)
        sorted[i] = insns[order[i]];
    free(address);
    if (order == NULL) {
        free(sorted);
        return NULL;
    }
    free(order);
    return sorted;
}

/* Combined effects of all instructions that an address held. An address without a description is no
 * part of a busy-wait. */
static struct summary address_summary(const struct flow_insn *insns, size_t count,
                                      uint32_t address) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (insns[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    struct summary s = {.waits = low < count && insns[low].address == address,
                        .surely_writes = UINT16_MAX};
    for (size_t i = low; i < count && insns[i].address == address; i++) {
        s.waits &= insns[i].waits;
        s.reads_first |= insns[i].reads;
        s.may_write |= insns[i].writes;
        s.surely_writes &= insns[i].writes;
    }
    return s;
}

/* Effects of `a` followed by `b`. */
static struct summary summary_then(struct summary a, struct summary b) {
    return (struct summary){
        .waits = a.waits && b.waits,
        .reads_first = (uint16_t)(a.reads_first | (b.reads_first & ~a.surely_writes)),
        .surely_writes = (uint16_t)(a.surely_writes | b.surely_writes),
        .may_write = (uint16_t)(a.may_write | b.may_write),
    };
}

static bool changes_nothing(const struct search *s, size_t length) {
    for (size_t from = 0; from < length; from++) {
        struct summary round = {.waits = true};
        for (size_t i = 0; i < length; i++)
            round = summary_then(round, s->blocks[s->path[(from + i) % length]]);
        if ((round.reads_first & round.may_write) == 0)
            return true;
    }
    return false;
}

/* Extends the path of `length` blocks. Each cycle is found once, from its lowest block. */
static void search_from(struct search *s, size_t length) {
    size_t at = s->path[length - 1];
    for (size_t i = s->first_edge[at]; i < s->first_edge[at + 1]; i++) {
        size_t next = s->target[i];
        s->edge[length - 1] = i;
        if (next == s->path[0] && changes_nothing(s, length))
            for (size_t k = 0; k < length; k++)
                s->g->edges[s->edge[k]].busy = true;
        if (next <= s->path[0] || length == CYCLE_BLOCKS || !s->blocks[next].waits)
            continue;
        bool visited = false;
        for (size_t k = 0; k < length; k++)
            visited |= s->path[k] == next;
        if (visited)
            continue;
        s->path[length] = next;
        search_from(s, length + 1);
    }
}

static bool search_prepare(struct search *s, const struct block_chains *chains,
                           const struct flow_insn *insns, size_t insn_count) {
    const struct graph *g = s->g;
    struct flow_insn *sorted = sort_insns(insns, insn_count);
    s->blocks = calloc(g->block_count + 1, sizeof *s->blocks);
    s->first_edge = calloc(g->block_count + 1, sizeof *s->first_edge);
    s->target = calloc(g->edge_count + 1, sizeof *s->target);
    if (sorted == NULL || s->blocks == NULL || s->first_edge == NULL || s->target == NULL) {
        free(sorted);
        return false;
    }
    size_t edge = 0;
    for (size_t b = 0; b < g->block_count; b++) {
        s->blocks[b].waits = true;
        for (size_t i = chains->start[b]; i < chains->start[b + 1]; i++)
            s->blocks[b] =
                summary_then(s->blocks[b], address_summary(sorted, insn_count, chains->address[i]));
        s->first_edge[b] = edge;
        for (; edge < g->edge_count && g->edges[edge].source == g->blocks[b].entry; edge++)
            s->target[edge] = (size_t)(graph_find_block(g, g->edges[edge].target) - g->blocks);
    }
    s->first_edge[g->block_count] = edge;
    free(sorted);
    return true;
}

enum status busy_mark(struct graph *g, const struct block_chains *chains,
                      const struct flow_insn *insns, size_t insn_count, struct error *e) {
    struct search s = {.g = g};
    bool ok = search_prepare(&s, chains, insns, insn_count);
    for (size_t b = 0; ok && b < g->block_count; b++)
        if (s.blocks[b].waits) {
            s.path[0] = b;
            search_from(&s, 1);
        }
    free(s.blocks);
    free(s.first_edge);
    free(s.target);
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}
