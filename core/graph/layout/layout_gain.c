/*
 * Gain of merging two chains: the score of the merged chain less the scores of the two. The jumps
 * between them start to count, and jumps in X across the point where it is split change.
 *
 * For a given jump this change is the same at every split point that it crosses. With Y inserted,
 * the jump becomes longer by Y. With X2 before X1, a jump of d bytes forwards becomes one backwards
 * over all of X but d. So the changes at all split points are prefix sums along X, computed once.
 * Jumps between the chains are few; they are examined only if they could outweigh the change.
 */
#include "graph/layout/layout_merge.h"

#include <string.h>

enum { NEAR = LAYOUT_FALL / 10, FALL_ONLY = LAYOUT_FALL - NEAR };

static int64_t score(const struct moved *j, int64_t end, int64_t start) {
    return j->weight * layout_gain(j->layable, end, start);
}

/* ---- positions of jumps ---- */

static struct moved moved_of(const struct merging *m, const struct jump *j) {
    return (struct moved){
        .from = m->ordinal[j->from],
        .to = m->ordinal[j->to],
        .end = m->offset[j->from] + m->plan->shapes[j->from].size,
        .start = m->offset[j->to],
        .weight = j->weight,
        .layable = j->layable,
    };
}

static void gather_between(struct merging *m, const struct pair *pair, uint32_t x) {
    m->between_count = 0;
    for (uint32_t i = pair->between.first; i != LAYOUT_NONE; i = m->jumps[i].next) {
        struct moved *to = &m->between[m->between_count++];
        *to = moved_of(m, &m->jumps[i]);
        to->out = m->chain[m->jumps[i].from] == x;
    }
}

/* ---- X Y ---- */

static int64_t concatenated(const struct merging *m, int64_t x_size, bool swapped) {
    int64_t gain = 0;
    for (size_t i = 0; i < m->between_count; i++) {
        const struct moved *j = &m->between[i];
        const bool first = j->out != swapped; /* it leaves the chain that comes first */
        gain += score(j, j->end + (first ? 0 : x_size), j->start + (first ? x_size : 0));
    }
    return gain;
}

/* ---- X split ---- */

struct split {
    int64_t first, second, y; /* bytes of X1, X2 and Y */
};

/* Distance by which a shape moves X1, X2 and Y. */
struct shifts {
    int64_t first, second, y;
};

static struct shifts shifts_of(const struct split *s, enum merge_shape shape) {
    switch (shape) {
    case MERGE_X1_Y_X2:
        return (struct shifts){.second = s->y, .y = s->first};
    case MERGE_Y_X2_X1:
        return (struct shifts){.first = s->y + s->second, .second = s->y - s->first};
    case MERGE_X2_X1_Y:
        return (struct shifts){.first = s->second, .second = -s->first, .y = s->first + s->second};
    default:
        return (struct shifts){.y = s->first + s->second};
    }
}

static int64_t between_score(const struct merging *m, uint32_t at, struct shifts by) {
    int64_t sum = 0;
    for (size_t i = 0; i < m->between_count; i++) {
        const struct moved *j = &m->between[i];
        const uint32_t in_x = j->out ? j->from : j->to;
        const int64_t x = in_x < at ? by.first : by.second;
        sum += score(j, j->end + (j->out ? x : by.y), j->start + (j->out ? by.y : x));
    }
    return sum;
}

/* Adds a jump within X to all split points that it crosses. */
static void add_across(struct split_point *points, const struct moved *j, const struct chain *x,
                       const struct chain *y) {
    const bool forwards = j->from < j->to;
    const uint32_t low = forwards ? j->from : j->to, high = forwards ? j->to : j->from;
    const int64_t before = score(j, j->end, j->start);
    const int64_t inserted =
        score(j, j->end + (forwards ? 0 : y->size), j->start + (forwards ? y->size : 0)) - before;
    const int64_t turned =
        score(j, j->end + (forwards ? x->size : 0), j->start + (forwards ? 0 : x->size)) - before;
    points[low + 1].inserted += inserted; /* the caller forms the prefix sums */
    points[low + 1].turned += turned;
    points[high + 1].inserted -= inserted;
    points[high + 1].turned -= turned;
}

/* Fills in all split points of X. Returns the total weight of the jumps between the chains. */
static int64_t find_split_points(struct merging *m, const struct chain *x, const struct chain *y) {
    struct split_point *points = m->points;
    int64_t between = 0;
    memset(points, 0, (x->count + 1) * sizeof *points);
    for (uint32_t i = x->inner.first; i != LAYOUT_NONE; i = m->jumps[i].next) {
        const struct moved j = moved_of(m, &m->jumps[i]);
        add_across(points, &j, x, y);
    }
    for (uint32_t at = 1; at < x->count; at++) {
        points[at].inserted += points[at - 1].inserted;
        points[at].turned += points[at - 1].turned;
    }
    for (size_t i = 0; i < m->between_count; i++) {
        const struct moved *j = &m->between[i];
        between += j->weight;
        if (j->layable && j->out && j->to == 0)
            points[j->from + 1].enters += j->weight;
        if (j->layable && !j->out && j->from == y->count - 1)
            points[j->to].leaves += j->weight;
    }
    return between;
}

static void try_split(const struct merging *m, int64_t between, const struct split *split,
                      uint32_t at, bool swapped, struct merge *best) {
    const struct split_point *p = &m->points[at];
    for (enum merge_shape shape = MERGE_X1_Y_X2; shape <= MERGE_X2_X1_Y; shape++) {
        const int64_t inner = shape == MERGE_X1_Y_X2 ? p->inserted : p->turned;
        const int64_t falls =
            (shape != MERGE_Y_X2_X1 ? p->enters : 0) + (shape != MERGE_X2_X1_Y ? p->leaves : 0);
        if (NEAR * between + FALL_ONLY * falls + inner <= best->gain)
            continue;
        const int64_t gain = between_score(m, at, shifts_of(split, shape)) + inner;
        if (gain > best->gain)
            *best = (struct merge){gain, swapped, (uint8_t)shape, at};
    }
}

static void try_splits(struct merging *m, const struct pair *pair, uint32_t x_number,
                       struct merge *best) {
    const bool swapped = x_number == pair->b;
    const struct chain *x = &m->chains[x_number], *y = &m->chains[swapped ? pair->a : pair->b];
    if (x->count < 2 || x->count > LAYOUT_SPLIT)
        return;
    gather_between(m, pair, x_number);
    const int64_t between = find_split_points(m, x, y);
    for (uint32_t at = 1; at < x->count; at++) {
        if (m->plan->glued[x->blocks[at - 1]] == x->blocks[at])
            continue;
        const int64_t first = m->offset[x->blocks[at]];
        const struct split split = {.first = first, .second = x->size - first, .y = y->size};
        try_split(m, between, &split, at, swapped, best);
    }
}

struct merge layout_merge_best(struct merging *m, const struct pair *pair) {
    struct merge best = {0};
    gather_between(m, pair, pair->a);
    for (int swapped = 0; swapped < 2; swapped++) {
        const uint32_t x = swapped ? pair->b : pair->a;
        const int64_t gain = concatenated(m, m->chains[x].size, swapped != 0);
        if (gain > best.gain)
            best = (struct merge){.gain = gain, .swapped = swapped != 0, .shape = MERGE_X_Y};
    }
    try_splits(m, pair, pair->a, &best);
    try_splits(m, pair, pair->b, &best);
    return best;
}
