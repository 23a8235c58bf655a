/*
 * charts_paper: the figures by which the paper explains its method.
 */
#ifndef HOTGRAPH_REPORT_CHARTS_PAPER_H
#define HOTGRAPH_REPORT_CHARTS_PAPER_H

#include "report/page/ask.h"

enum status page_paper(struct page *p, const char *game);

#endif
