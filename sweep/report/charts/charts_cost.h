/*
 * charts_cost: quality against the sampled share, and against the host instructions that it costs.
 */
#ifndef HOTGRAPH_REPORT_CHARTS_COST_H
#define HOTGRAPH_REPORT_CHARTS_COST_H

#include "report/page/ask.h"

enum status page_cost_charts(struct page *p);
/* A table of what each technique costs and finds; nothing if no costs were counted. */
enum status page_frontier(struct page *p);

#endif
