/*
 * charts_ranks: do games rank configurations alike, or is the agreement chance?
 */
#ifndef HOTGRAPH_REPORT_CHARTS_RANKS_H
#define HOTGRAPH_REPORT_CHARTS_RANKS_H

#include "report/page/ask.h"

enum status page_ranks(struct page *p);

#endif
