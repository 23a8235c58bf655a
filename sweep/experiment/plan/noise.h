/*
 * noise: tells whether the timings of a run can be trusted. During the run, a thread repeats a
 * fixed workload four times a second. The spread of its processor times shows how steadily this
 * machine computes (frequency, neighbours on the same core or cache). /proc/stat shows how much of
 * the machine other programs used meanwhile. Neither changes any result.
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

/* Thresholds above which timings carry a warning. */
#define NOISE_SPREAD  0.25 /* spread of the repeats */
#define NOISE_LOAD    0.10 /* share of the machine that other programs used ... */
#define NOISE_IDLE    0.10 /* ... while less than this share was idle */
#define NOISE_SECONDS 0.5  /* of the machine's processors: after less, load and idle are unknown */

struct noise_report {
    double spread;     /* (90th percentile - 10th) / median of the repeats' processor times */
    double load, idle; /* shares of the machine: used by others, idle; NAN: unknown */
    char warning[200]; /* why timings are unreliable; "": they are not */
};

struct noise;
/* Starts the thread. NULL if memory or threads are exhausted: the noise is then unknown. */
struct noise *noise_start(void);
/* Fills *out and frees noise, which may be NULL. */
void noise_end(struct noise *noise, struct noise_report *out);

/* The rule for spread alone. Sorts the times; NAN for fewer than two. */
double noise_spread(double *times, size_t count);
/* Fills `warning` from the numbers; a NAN causes no warning. */
void noise_judge(struct noise_report *report);

#endif
