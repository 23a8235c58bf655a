/*
 * charts_graph: figures that are graphs: the hot graph, and a hot loop.
 */
#ifndef HOTGRAPH_REPORT_CHARTS_GRAPH_H
#define HOTGRAPH_REPORT_CHARTS_GRAPH_H

#include "report/page/ask.h"

enum status page_graphs(struct page *p, const char *game);

#endif
