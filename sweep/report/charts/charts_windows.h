/*
 * charts_windows: what techniques find in windows of a replay, by the windows' length.
 */
#ifndef HOTGRAPH_REPORT_CHARTS_WINDOWS_H
#define HOTGRAPH_REPORT_CHARTS_WINDOWS_H

#include "report/page/ask.h"

/* Nothing if the experiment has no windows. */
enum status page_windows(struct page *p);

#endif
