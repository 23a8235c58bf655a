/* fair: the fair metrics. Private to core/graph. */
#ifndef HOTGRAPH_GRAPH_FAIR_H
#define HOTGRAPH_GRAPH_FAIR_H

#include "graph/ranked_edges.h"

/* Compares g with h. */
void fair_compare(struct fair_metrics *out, const struct ranked_edges *g,
                  const struct ranked_edges *h);

#endif
