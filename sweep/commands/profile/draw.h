/*
 * draw: writes a hot graph as Graphviz DOT, with the edges that a technique found.
 */
#ifndef HOTGRAPH_DRAW_H
#define HOTGRAPH_DRAW_H

#include "graph/graph.h"

/* Writes the hot edges of the exact graph h: green if g has them (found), else red (missed). Also
 * writes the hot edges of g that are not hot in h: grey if executed, else orange. Busy-waits of h
 * are dashed; widths show counts in h. */
enum status draw_comparison(const struct graph *g, const struct graph *h, unsigned hot_permille,
                            const char *path, struct error *e);

#endif
