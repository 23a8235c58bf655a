/*
 * charts_optimised: what BOLT makes of profiles, if the database has layouts by it.
 */
#ifndef HOTGRAPH_REPORT_CHARTS_OPTIMISED_H
#define HOTGRAPH_REPORT_CHARTS_OPTIMISED_H

#include "report/page/ask.h"

enum status page_optimised(struct page *p);

#endif
