/*
 * placed_names: puts names beside points of a chart, so that they cover neither points nor each other
 * where there is room.
 */
#ifndef HOTGRAPH_REPORT_PLACED_NAMES_H
#define HOTGRAPH_REPORT_PLACED_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct box {
    double left, top, right, bottom; /* pixels */
};
/* Where a name may stand. */
struct anchor_point {
    double x, y;   /* pixels */
    size_t name;   /* the one that may stand beside it */
    bool is_drawn; /* a point that should stay visible */
};
struct name {
    double width, height; /* pixels */
    size_t first;  /* of its anchor points the one that it should stand at, other things being
                             equal */
    struct box at; /* the result */
};
struct crowd {
    struct box frame; /* names stay inside */
    const struct anchor_point *points;
    size_t count;
    struct box line; /* a line that names should not cross; empty if right <= left */
};
/* Sets at of each of n names. A name without anchor points is not placed. */
void place_names(struct name *names, size_t n, const struct crowd *crowd);

#endif
