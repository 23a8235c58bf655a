/*
 * charts_cost: quality against the sampled share, and against the host instructions that it costs.
 */
#ifndef HOTGRAPH_REPORT_CHARTS_COST_H
#define HOTGRAPH_REPORT_CHARTS_COST_H

#include "report/page/ask.h"

enum status page_cost_charts(struct page *p);
/* What each technique adds and finds: a table; nothing where no costs were counted. */
enum status page_frontier(struct page *p);

#endif
