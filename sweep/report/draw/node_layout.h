/*
 * layout: where Graphviz would put the blocks and edges of graphs, so that a canvas can draw them.
 * Names and labels are the program's own: letters, digits, spaces, points and '$'.
 */
#ifndef HOTGRAPH_REPORT_LAYOUT_H
#define HOTGRAPH_REPORT_LAYOUT_H

#include "base/base.h"

#include <stdio.h>

enum { LAYOUT_INCH = 72 }; /* pixels */

struct layout_node {
    uint32_t name;
    double x, y, width, height; /* middle and size, in pixels, y downwards */
};
struct layout_edge {
    uint32_t source, target;
    double *xy; /* points of Bezier curves, 3 k + 1 of them */
    size_t points;
    bool labelled;
    double label_x, label_y; /* middle */
};
struct layout {
    double width, height;
    VEC(struct layout_node) nodes;
    VEC(struct layout_edge) edges;
};
void layout_free(struct layout *l);

bool graphviz_is_there(void);
/* dot: "digraph ..." as often as there are layouts; nodes are named x1a2b after their address.
 * stopped: as for child_run. */
enum status layout_make(struct layout *out, size_t count, const char *dot, int (*stopped)(void),
                        struct error *e);
/* Puts the parts that no edge connects beside and below each other, so that all is at most that
 * wide and hardly higher than it must be. False where one part alone is wider: then nothing moves.
 */
bool layout_pack(struct layout *l, double width);

#endif
