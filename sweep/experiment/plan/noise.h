/*
 * noise: whether the timings of a run can be trusted. While it goes on, a thread repeats a fixed
 * piece of work four times a second; how far apart the processor times of the repeats are says how
 * evenly this machine computes (frequency, neighbours on the same core or cache). /proc/stat says
 * how much of the machine other programs used meanwhile. Neither changes any result.
 *
 *     struct noise *noise = noise_start();
 *     ...
 *     struct noise_report report;
 *     noise_end(noise, &report);
 *     if (report.warning[0] != '\0') ...
 */
#ifndef HOTGRAPH_NOISE_H
#define HOTGRAPH_NOISE_H

#include <stddef.h>

/* From where on timings carry a warning. */
#define NOISE_SPREAD  0.25 /* of the repeats */
#define NOISE_LOAD    0.10 /* share of the machine that others used ... */
#define NOISE_IDLE    0.10 /* ... while less than this was left */
#define NOISE_SECONDS 0.5  /* of the machine's processors: of less, load and idle are not known */

struct noise_report {
    double spread;     /* (90th percentile - 10th) / median of the repeats' processor times */
    double load, idle; /* shares of the machine: that others used, that nobody did. NAN: unknown */
    char warning[200]; /* "" or why timings are not to be trusted */
};

struct noise;
/* NULL where memory or threads are out: then nothing is known. */
struct noise *noise_start(void);
/* Fills *out and frees; noise may be NULL. */
void noise_end(struct noise *noise, struct noise_report *out);

/* The two rules by themselves. Sorts the times; NAN of fewer than two. */
double noise_spread(double *times, size_t count);
/* Fills `warning` from the numbers; what is NAN is not held against a machine. */
void noise_judge(struct noise_report *report);

#endif
