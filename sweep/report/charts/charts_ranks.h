/*
 * charts_ranks: do games order configurations alike, or by chance?
 */
#ifndef HOTGRAPH_REPORT_CHARTS_RANKS_H
#define HOTGRAPH_REPORT_CHARTS_RANKS_H

#include "report/page/ask.h"

enum status page_ranks(struct page *p);

#endif
