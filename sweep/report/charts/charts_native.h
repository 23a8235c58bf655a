/*
 * charts_native: probes in native programs, if the database has measurements of them.
 */
#ifndef HOTGRAPH_REPORT_CHARTS_NATIVE_H
#define HOTGRAPH_REPORT_CHARTS_NATIVE_H

#include "report/page/ask.h"

enum status page_native(struct page *p);

#endif
