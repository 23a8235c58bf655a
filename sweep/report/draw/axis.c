/* Axes with round tick values. */
#include "report/draw/axis.h"

#include <math.h>
#include <stdlib.h>

double axis_at(const struct axis *a, double value) {
    const double low = a->logarithmic ? log10(a->low) : a->low,
                 high = a->logarithmic ? log10(a->high) : a->high;
    const double at = a->logarithmic ? log10(value) : value;
    return a->from + (a->to - a->from) * (at - low) / (high - low);
}

/* A power of ten times 1, 2 or 5 that divides the range into about `most` steps. */
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

/* The places of n positions in rising order of value; of equal ones the first comes first. */
static void rising(const double *values, size_t n, size_t *order) {
    for (size_t i = 0; i < n; i++) {
        size_t k = i;
        for (; k > 0 && values[order[k - 1]] > values[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

void spread(double *places, size_t n, double gap, double least, double most) {
    /* With the gaps before it subtracted from each position, positions only have to rise: isotonic
     * regression. Runs that fall take their mean (pool adjacent violators), so no label is moved
     * further than its neighbours require. */
    enum { MOST = 64 };
    size_t order[MOST], size[MOST], runs = 0;
    double mean[MOST];
    if (n > MOST)
        return;
    rising(places, n, order);
    for (size_t i = 0; i < n; i++) {
        mean[runs] = places[order[i]] - gap * (double)i;
        size[runs++] = 1;
        for (; runs > 1 && mean[runs - 2] > mean[runs - 1]; runs--) {
            const double weight = (double)size[runs - 1];
            size[runs - 2] += size[runs - 1];
            mean[runs - 2] += (mean[runs - 1] - mean[runs - 2]) * weight / (double)size[runs - 2];
        }
    }
    for (size_t run = 0, i = 0; run < runs; run++)
        for (size_t end = i + size[run]; i < end; i++)
            places[order[i]] =
                fmax(fmin(mean[run], most - gap * (double)(n - 1)), least) + gap * (double)i;
}
