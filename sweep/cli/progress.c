#include "cli/cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 24 };
#define BAR_PERIOD    0.1
#define PLAIN_PERIOD  30
#define ESTIMATE_FROM 0.1

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void progress_start(struct progress *p, double total) {
    const double t = now();
    *p = (struct progress){.terminal = isatty(STDERR_FILENO),
                           .total = total,
                           .period = PLAIN_PERIOD,
                           .started = t,
                           .shown = t};
}

static void clear_bar(struct progress *p) {
    if (p->line_open)
        fputs("\r\033[K", stderr);
    p->line_open = false;
}

/* " 12 % 3:20 left". No estimate at the beginning: the replays, which come first, predict little of
 * what follows. */
static void put_share(const struct progress *p, double t) {
    const double share = p->total > 0 ? fmin(p->done / p->total, 1) : 1;
    fprintf(stderr, "%3.0f %%", 100 * share);
    if (share >= ESTIMATE_FROM && share < 1) {
        const long left = lround((t - p->started) * (1 - share) / share);
        fprintf(stderr, "  %ld:%02ld left", left / 60, left % 60);
    }
}

static void show_bar(struct progress *p, const char *what, double t) {
    const double share = p->total > 0 ? fmin(p->done / p->total, 1) : 1;
    const int filled = (int)(share * BAR);
    clear_bar(p);
    fprintf(stderr, "[%.*s%*s] ", filled, "========================", BAR - filled, "");
    put_share(p, t);
    fprintf(stderr, "  %.60s", what);
    fflush(stderr);
    p->line_open = true;
}

void progress_show(struct progress *p, const char *what) {
    const double t = now();
    if (t - p->shown < (p->terminal ? BAR_PERIOD : p->period))
        return;
    p->shown = t;
    if (p->terminal) {
        show_bar(p, what, t);
        return;
    }
    put_share(p, t);
    fprintf(stderr, "  ");
    print_safe(stderr, what);
    fputc('\n', stderr);
}

void progress_line(struct progress *p, const char *format, ...) {
    clear_bar(p);
    char *text;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    print_safe(stderr, text != NULL ? text : "out of memory");
    fputc('\n', stderr);
    free(text);
    p->shown = p->terminal ? 0 : now();
}

void progress_end(struct progress *p) {
    clear_bar(p);
    fflush(stderr);
}
