/*
 * charts_grid: heatmaps of the grid's configurations on one game.
 */
#ifndef HOTGRAPH_REPORT_CHARTS_GRID_H
#define HOTGRAPH_REPORT_CHARTS_GRID_H

#include "report/page/ask.h"

enum status page_heatmaps(struct page *p, const char *game); /* one for each technique */

#endif
