#include "sweep/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 24 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void progress_start(struct progress *p, double total) {
    *p = (struct progress){.terminal = isatty(STDERR_FILENO), .total = total, .started = now()};
}

static void clear_bar(struct progress *p) {
    if (p->line_open)
        fputs("\r\033[K", stderr);
    p->line_open = false;
}

void progress_show(struct progress *p, const char *what) {
    double t = now();
    if (!p->terminal || t - p->shown < 0.1)
        return;
    p->shown = t;
    double share = p->total > 0 ? fmin(p->done / p->total, 1) : 1;
    int filled = (int)(share * BAR);
    clear_bar(p);
    fprintf(stderr, "[%.*s%*s] %3.0f %%", filled, "========================", BAR - filled, "",
            100 * share);
    /* Too early, an estimate is only noise. */
    if (share > 0.02) {
        long left = lround((t - p->started) * (1 - share) / share);
        fprintf(stderr, "  %ld:%02ld left", left / 60, left % 60);
    }
    fprintf(stderr, "  %.60s", what);
    fflush(stderr);
    p->line_open = true;
}

void progress_line(struct progress *p, const char *format, ...) {
    clear_bar(p);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    p->shown = 0;
}

void progress_end(struct progress *p) {
    clear_bar(p);
    fflush(stderr);
}
