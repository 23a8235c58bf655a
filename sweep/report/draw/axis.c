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

void spread(double *places, size_t n, double gap, double most) {
    /* Labels that are too close push each other apart. There are few, so this converges quickly. */
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
