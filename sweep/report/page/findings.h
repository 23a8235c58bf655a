/*
 * findings: the results in sentences, for each hot share and sampling configuration.
 */
#ifndef HOTGRAPH_REPORT_FINDINGS_H
#define HOTGRAPH_REPORT_FINDINGS_H

#include "report/page/ask.h"

enum status page_findings(struct page *p);

#endif
