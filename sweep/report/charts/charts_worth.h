/*
 * charts_worth: what code layouts by the graphs gain, if the experiment says so.
 */
#ifndef HOTGRAPH_REPORT_CHARTS_WORTH_H
#define HOTGRAPH_REPORT_CHARTS_WORTH_H

#include "report/page/ask.h"

enum status page_worth(struct page *p);

#endif
