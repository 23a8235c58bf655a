/*
 * charts_bins: where bins lie after more and more batches.
 */
#ifndef HOTGRAPH_REPORT_CHARTS_BINS_H
#define HOTGRAPH_REPORT_CHARTS_BINS_H

#include "report/page/ask.h"

enum status page_bins(struct page *p, const char *game);

#endif
