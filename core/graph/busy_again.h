/* busy_again: finds the busy-waits of an exact graph in another graph. Private to core/graph. */
#ifndef HOTGRAPH_GRAPH_BUSY_AGAIN_H
#define HOTGRAPH_GRAPH_BUSY_AGAIN_H

#include "graph/graph.h"

/* A busy-wait edge of the exact graph, as the instructions that an edge along it must have. */
struct wait {
    uint32_t transfer, target;
};
struct waits {
    struct wait *at;
    size_t count;
};
enum status waits_collect(struct waits *w, const struct graph *h, struct error *e);
void waits_free(struct waits *w);
/* Sets along[i] if edge i of g runs along one of the waits. */
enum status waits_match(const struct waits *w, bool *along, const struct graph *g, struct error *e);

#endif
