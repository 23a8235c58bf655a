/*
 * charts_study: figures that combine the results of one study, and what replays and techniques
 * cost.
 */
#ifndef HOTGRAPH_REPORT_CHARTS_STUDY_H
#define HOTGRAPH_REPORT_CHARTS_STUDY_H

#include "report/page/ask.h"

enum status page_interactions(struct page *p); /* of parameters */
enum status page_agreement(struct page *p);    /* of games */
enum status page_budgets(struct page *p);      /* the best technique of each: a table */
enum status page_costs(struct page *p);        /* of replays and techniques: a table */

#endif
