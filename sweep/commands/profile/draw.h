/*
 * draw: a hot graph as Graphviz DOT, with what a technique found of it.
 */
#ifndef HOTGRAPH_DRAW_H
#define HOTGRAPH_DRAW_H

#include "graph/graph.h"

/* Writes the hot edges of the exact graph h, found (those that g has) in green and missed in red,
 * and the hot edges of g that are not hot in h: executed but not hot in grey, never executed in
 * orange. Busy-waits of h are dashed, widths are counts in h. */
enum status draw_comparison(const struct graph *g, const struct graph *h, unsigned hot_permille,
                            const char *path, struct error *e);

#endif
