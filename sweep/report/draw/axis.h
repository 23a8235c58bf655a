/*
 * axis: maps values to pixels, with ticks at round values.
 */
#ifndef HOTGRAPH_REPORT_AXIS_H
#define HOTGRAPH_REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

struct axis {
    double low, high; /* values at the ends */
    double from, to;  /* pixels */
    bool logarithmic; /* base 10 */
};
double axis_at(const struct axis *a, double value);
/* An axis whose ends are round values around least .. most. */
struct axis axis_around(double least, double most, double from, double to);
double axis_step(const struct axis *a); /* distance of its ticks, as a value */
/* Shifts n positions (at most 64; more stay as they are), in place, so that they are at least `gap`
 * apart, at least `least` and, if there is room, at most `most`: as little as possible (least squares),
 * and in the same order by value. */
void spread(double *places, size_t n, double gap, double least, double most);

#endif
