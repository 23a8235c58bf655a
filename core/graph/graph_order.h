/* graph_order: the order of edges and blocks in a graph. Private to core/graph. */
#ifndef HOTGRAPH_GRAPH_ORDER_H
#define HOTGRAPH_GRAPH_ORDER_H

#include "graph/graph.h"

/* For qsort: edges by (source, target), blocks by entry. */
int edge_compare(const void *a, const void *b);
int block_compare(const void *a, const void *b);

#endif
