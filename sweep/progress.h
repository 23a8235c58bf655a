/*
 * progress: how far a sweep is: a bar with the time that is left on a terminal, a plain line now
 * and then elsewhere. Written to standard error. Not for several threads at once.
 */
#ifndef HOTGRAPH_PROGRESS_H
#define HOTGRAPH_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool terminal;
    double total, done;    /* in any unit of work */
    double started, shown; /* seconds on the clock */
    bool line_open;        /* the bar stands on the current line */
};

void progress_start(struct progress *p, double total);
/* `what` is being done now. Draws at most ten times a second, and only on a terminal. */
void progress_show(struct progress *p, const char *what);
/* A line that stays, on terminals above the bar. */
void progress_line(struct progress *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Takes the bar away. */
void progress_end(struct progress *p);

#endif
