/* Axes: round numbers, few lines, units. */
#include "report/draw/axis.h"

#include <math.h>
#include <stdlib.h>

double axis_at(const struct axis *a, double value) {
    const double low = a->logarithmic ? log10(a->low) : a->low,
                 high = a->logarithmic ? log10(a->high) : a->high;
    const double at = a->logarithmic ? log10(value) : value;
    return a->from + (a->to - a->from) * (at - low) / (high - low);
}

/* 1, 2 or 5 times a power of ten, so that about `most` steps are in a range. */
static double round_step(double range, double most) {
    const double rough = range / most, power = pow(10, floor(log10(rough)));
    const double times = rough / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

struct axis axis_around(double least, double most, double from, double to) {
    if (!isfinite(least) || !isfinite(most)) {
        least = 0;
        most = 1;
    }
    if (most - least < 1e-9) {
        least -= 0.5;
        most += 0.5;
    }
    const double step = round_step(most - least, 5);
    return (struct axis){.low = step * floor(least / step + 1e-9),
                         .high = step * ceil(most / step - 1e-9),
                         .from = from,
                         .to = to};
}

double axis_step(const struct axis *a) {
    return round_step(a->high - a->low, 5);
}

/* 0.01, 1, 10 k, 1 M */
static void name_power(double value, char *out, size_t size) {
    if (value >= 1e6)
        snprintf(out, size, "%.0f M", value / 1e6);
    else if (value >= 1e3)
        snprintf(out, size, "%.0f k", value / 1e3);
    else
        snprintf(out, size, "%g", value);
}

/* The marks of an axis; returns how many, at most `room`. */
static size_t marks_of(const struct axis *a, double *at, size_t room) {
    size_t n = 0;
    if (a->logarithmic) {
        for (double power = ceil(log10(a->low) - 1e-9); power <= log10(a->high) + 1e-9; power++)
            if (n < room)
                at[n++] = pow(10, power);
        return n;
    }
    const double step = axis_step(a);
    for (double value = step * ceil(a->low / step - 1e-9); value <= a->high + step * 1e-6;
         value += step)
        if (n < room)
            at[n++] = fabs(value) < step * 1e-6 ? 0 : value;
    return n;
}

static void name_mark(const struct axis *a, double value, char *out, size_t size) {
    if (a->logarithmic)
        name_power(value, out, size);
    else
        snprintf(out, size, "%g", round(value * 1e6) / 1e6);
}

enum { MARKS = 16 };

void axis_across(struct canvas *c, const struct axis *a, double y1, double y2, const char *what) {
    double at[MARKS];
    const size_t n = marks_of(a, at, MARKS);
    for (size_t i = 0; i < n; i++) {
        char name[40];
        name_mark(a, at[i], name, sizeof name);
        const double x = axis_at(a, at[i]);
        canvas_line(c, x, y1, x, y2, INK_GRID, 1, STROKE_SOLID);
        canvas_text(c, x, y2 + 17, ANCHOR_MIDDLE, INK_MUTED, "%s", name);
    }
    canvas_text(c, a->to, y2 + 35, ANCHOR_RIGHT, INK_MUTED, "%s", what);
}

void axis_down(struct canvas *c, const struct axis *a, double x1, double x2, const char *what) {
    double at[MARKS];
    const size_t n = marks_of(a, at, MARKS);
    for (size_t i = 0; i < n; i++) {
        char name[40];
        name_mark(a, at[i], name, sizeof name);
        const double y = axis_at(a, at[i]);
        canvas_line(c, x1, y, x2, y, INK_GRID, 1, STROKE_SOLID);
        canvas_text(c, x1 - 7, y + 5, ANCHOR_RIGHT, INK_MUTED, "%s", name);
    }
    canvas_text(c, 2, a->to - 12, ANCHOR_LEFT, INK_MUTED, "%s", what);
}

void spread(double *places, size_t n, double gap, double most) {
    /* Pairs that are too close push each other apart; few labels, so this settles quickly. */
    for (unsigned round = 0; round < 200; round++) {
        bool moved = false;
        for (size_t i = 0; i < n; i++) {
            moved |= places[i] > most + 0.01;
            places[i] = fmin(places[i], most);
        }
        for (size_t i = 0; i < n; i++)
            for (size_t k = i + 1; k < n; k++) {
                const double lack = gap - fabs(places[i] - places[k]);
                if (lack < 0.01)
                    continue;
                const double push = (lack / 2 + 0.01) * (places[i] <= places[k] ? -1 : 1);
                places[i] += push;
                places[k] -= push;
                moved = true;
            }
        if (!moved)
            break;
    }
}
