/*
 * axis: from values to pixels, with round numbers at its marks.
 */
#ifndef HOTGRAPH_REPORT_AXIS_H
#define HOTGRAPH_REPORT_AXIS_H

#include "report/draw/canvas.h"

struct axis {
    double low, high; /* values at its ends */
    double from, to;  /* pixels */
    bool logarithmic; /* base 10 */
};
double axis_at(const struct axis *a, double value);
/* From round numbers to round numbers around least .. most. */
struct axis axis_around(double least, double most, double from, double to);
double axis_step(const struct axis *a); /* between its marks */
/* With grid lines from y1 to y2 (or x1 to x2), numbers, and what is counted in which unit. */
void axis_across(struct canvas *c, const struct axis *a, double y1, double y2, const char *what);
void axis_down(struct canvas *c, const struct axis *a, double x1, double x2, const char *what);
/* Moves n wished-for places so that they are at least `gap` apart and none is beyond `most`, in
 * place; they keep the order that they have by value. */
void spread(double *places, size_t n, double gap, double most);

#endif
