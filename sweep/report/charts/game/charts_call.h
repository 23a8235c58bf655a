/*
 * charts_call: a hot loop and the routines that it calls.
 */
#ifndef HOTGRAPH_REPORT_CHARTS_CALL_H
#define HOTGRAPH_REPORT_CHARTS_CALL_H

#include "report/page/ask.h"

enum status page_calls(struct page *p, const char *game);

#endif
