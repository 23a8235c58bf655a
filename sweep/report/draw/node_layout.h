/*
 * layout: positions of blocks and edges from Graphviz, for a canvas to draw.
 * Names and labels come from the program alone: letters, digits, spaces, points and '$'.
 */
#ifndef HOTGRAPH_REPORT_LAYOUT_H
#define HOTGRAPH_REPORT_LAYOUT_H

#include "base/base.h"

#include <stdio.h>

enum { LAYOUT_INCH = 72 }; /* pixels */

struct layout_node {
    uint32_t name;
    double x, y, width, height; /* centre and size, in pixels, y downwards */
};
struct layout_edge {
    uint32_t source, target;
    double *xy; /* points of Bezier curves, 3 k + 1 of them */
    size_t points;
    bool labelled;
    double label_x, label_y; /* centre */
};
struct layout {
    double width, height;
    VEC(struct layout_node) nodes;
    VEC(struct layout_edge) edges;
};
void layout_free(struct layout *l);

bool graphviz_is_there(void);
/* dot: one "digraph ..." for each layout; a node is named x1a2b after its address. stopped: as for
 * child_run. */
enum status layout_make(struct layout *out, size_t count, const char *dot, int (*stopped)(void),
                        struct error *e);
/* Arranges unconnected parts beside and below each other, at most `width` wide and about as low as
 * possible. False if a single part is wider; then nothing moves. */
bool layout_pack(struct layout *l, double width);

#endif
