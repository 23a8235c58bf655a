/* busy: finds busy-wait edges. Private to core/graph. */
#ifndef HOTGRAPH_GRAPH_BUSY_H
#define HOTGRAPH_GRAPH_BUSY_H

#include "graph/graph.h"

/* The instructions of every block: those of g->blocks[i] are address[start[i]] .. address[start[i +
 * 1] - 1]. */
struct block_chains {
    uint32_t *address;
    size_t *start; /* g->block_count + 1 */
};

/* Sets `busy` on the busy-wait edges of g. */
enum status busy_mark(struct graph *g, const struct block_chains *chains,
                      const struct flow_insn *insns, size_t insn_count, struct error *e);

#endif
