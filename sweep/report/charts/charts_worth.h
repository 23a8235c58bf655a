/*
 * charts_worth: what graphs gain when code is laid out by them, where the experiment says it.
 */
#ifndef HOTGRAPH_REPORT_CHARTS_WORTH_H
#define HOTGRAPH_REPORT_CHARTS_WORTH_H

#include "report/page/ask.h"

enum status page_worth(struct page *p);

#endif
