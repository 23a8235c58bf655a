/*
 * summary: the headline of a page and its evidence.
 */
#ifndef HOTGRAPH_REPORT_SUMMARY_H
#define HOTGRAPH_REPORT_SUMMARY_H

#include "report/page/ask.h"

enum status page_summary(struct page *p);

#endif
