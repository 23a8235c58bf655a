/*
 * page: index.html, one file that opens offline, and the drawings in it, each of them also as a file
 * for paper.
 *
 * page.c puts it together: summary.h (the headline), findings.h, then the charts of charts/charts.h
 * and, of one game, charts/game/charts_game.h, and the tables. All of them write with pieces.h what
 * ask.h has asked, and none of them knows the page as a whole.
 *
 * A chart is a function that asks the database, draws with draw/canvas.h or has gnuplot draw
 * (charts/plot.h), and hands the drawing over. Its title is the question that it answers.
 */
#ifndef HOTGRAPH_REPORT_PAGE_H
#define HOTGRAPH_REPORT_PAGE_H

#include "report/page/ask.h"

enum status report_page(struct report *r, const char *digest);
/* What stands around everything else. title: escaped here. */
void page_head(struct page *p, const char *title);
void page_foot(struct page *p);

#endif
