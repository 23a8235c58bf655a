/*
 * axis: from values to pixels, with round numbers at its marks.
 */
#ifndef HOTGRAPH_REPORT_AXIS_H
#define HOTGRAPH_REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

struct axis {
    double low, high; /* values at its ends */
    double from, to;  /* pixels */
    bool logarithmic; /* base 10 */
};
double axis_at(const struct axis *a, double value);
/* From round numbers to round numbers around least .. most. */
struct axis axis_around(double least, double most, double from, double to);
double axis_step(const struct axis *a); /* between its marks */
/* Moves n wished-for places so that they are at least `gap` apart and none is beyond `most`, in
 * place; they keep the order that they have by value. */
void spread(double *places, size_t n, double gap, double most);

#endif
