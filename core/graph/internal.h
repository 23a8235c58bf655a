/* Private to core/graph. */
#ifndef HOTGRAPH_GRAPH_INTERNAL_H
#define HOTGRAPH_GRAPH_INTERNAL_H

#include "graph/graph.h"

/* For sorting edges by (source, target) and blocks by entry with qsort. */
int edge_compare(const void *a, const void *b);
int block_compare(const void *a, const void *b);

/* The instructions of every block, block after block: those of g->blocks[i] are
 * address[start[i]] .. address[start[i + 1] - 1]. */
struct block_chains {
    uint32_t *address;
    size_t *start; /* g->block_count + 1 */
};

/* Sets `busy` on the busy-wait edges of g (busy.c). */
enum status busy_mark(struct graph *g, const struct block_chains *chains,
                      const struct flow_insn *insns, size_t insn_count, struct error *e);

#endif
