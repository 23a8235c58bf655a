/*
 * figures: the heatmap of the grid and the convergence curve of each game, as files beside the page.
 */
#ifndef HOTGRAPH_REPORT_FIGURES_H
#define HOTGRAPH_REPORT_FIGURES_H

#include "report/paths.h"

enum status report_figures(struct report *r);

#endif
