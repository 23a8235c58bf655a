/*
 * charts: figures over all games.
 */
#ifndef HOTGRAPH_REPORT_CHARTS_H
#define HOTGRAPH_REPORT_CHARTS_H

#include "report/page/ask.h"

enum status page_charts(struct page *p);

#endif
