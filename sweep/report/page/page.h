/*
 * page: index.html, one file that opens offline. Each drawing in it is also a file for paper.
 *
 * page.c assembles it: summary.h (the headline), findings.h, the charts of charts/charts.h and, for
 * each game, charts/game/charts_game.h, and the tables. They write with pieces.h what they queried
 * with ask.h, and none of them depends on the whole page.
 *
 * A chart is a function that queries the database, draws with draw/canvas.h or gnuplot
 * (charts/plot.h), and hands the drawing over. Its title is the question that it answers.
 */
#ifndef HOTGRAPH_REPORT_PAGE_H
#define HOTGRAPH_REPORT_PAGE_H

#include "report/page/ask.h"

enum status report_page(struct report *r, const char *digest);
/* The head of every page. title: escaped here. */
void page_head(struct page *p, const char *title);
void page_foot(struct page *p);

#endif
