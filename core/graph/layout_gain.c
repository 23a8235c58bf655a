/*
 * What merging two chains gains: the score of one chain less those of the two. The jumps between
 * them begin to count, and those across the place where one is split change.
 *
 * Trying every split costs as many looks at every jump. So each place is asked first what it could
 * gain at most: a jump between the chains can fall through only where it leaves or enters Y's ends,
 * and what fell through at the place does no more.
 */
#include "graph/layout_merge.h"

#include <string.h>

enum { NEAR = LAYOUT_FALL / 10, FALL_ONLY = LAYOUT_FALL - NEAR };

static int64_t score(const struct moved *j, int64_t end, int64_t start) {
    return j->weight * layout_gain(j->layable, end, start);
}

/* ---- where the jumps are ---- */

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

static void gather_inner(struct merging *m, const struct chain *x) {
    m->inner_count = 0;
    for (uint32_t i = x->inner.first; i != LAYOUT_NONE; i = m->jumps[i].next)
        m->inner[m->inner_count++] = moved_of(m, &m->jumps[i]);
}

/* ---- X Y ---- */

static int64_t concatenated(const struct merging *m, int64_t x_size, bool swapped) {
    int64_t gain = 0;
    for (size_t i = 0; i < m->between_count; i++) {
        const struct moved *j = &m->between[i];
        const bool first = j->out != swapped; /* from the chain that comes first */
        gain += score(j, j->end + (first ? 0 : x_size), j->start + (first ? x_size : 0));
    }
    return gain;
}

/* ---- X split ---- */

struct split {
    int64_t first, second, y; /* bytes of X1, X2 and Y */
};

/* How far X1, X2 and Y are moved by a shape. */
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

/* The jumps across the place, before and after. */
static int64_t inner_change(const struct merging *m, uint32_t at, struct shifts by) {
    int64_t sum = 0;
    for (size_t i = 0; i < m->inner_count; i++) {
        const struct moved *j = &m->inner[i];
        if ((j->from < at) == (j->to < at))
            continue;
        sum += score(j, j->end + (j->from < at ? by.first : by.second),
                     j->start + (j->to < at ? by.first : by.second)) -
               score(j, j->end, j->start);
    }
    return sum;
}

/* What bounds the gains of all places. */
struct bounds {
    int64_t between; /* weight */
    int64_t around;  /* from X's end to its start */
};

static void bound_inner(struct merging *m, const struct chain *x, struct bounds *b) {
    struct place *places = m->places;
    for (size_t i = 0; i < m->inner_count; i++) {
        const struct moved *j = &m->inner[i];
        const uint32_t low = j->from < j->to ? j->from : j->to;
        const uint32_t high = j->from < j->to ? j->to : j->from;
        const int64_t scored = score(j, j->end, j->start);
        places[low + 1].across += j->weight; /* from here on; summed up below */
        places[low + 1].scored += scored;
        places[high + 1].across -= j->weight;
        places[high + 1].scored -= scored;
        if (j->layable && j->to == j->from + 1)
            places[j->to].broken += j->weight;
        if (j->layable && j->from == x->count - 1 && j->to == 0)
            b->around += j->weight;
    }
    for (uint32_t at = 1; at < x->count; at++) {
        places[at].across += places[at - 1].across;
        places[at].scored += places[at - 1].scored;
    }
}

static struct bounds find_bounds(struct merging *m, const struct chain *x, const struct chain *y) {
    struct bounds b = {0};
    memset(m->places, 0, (x->count + 1) * sizeof *m->places);
    bound_inner(m, x, &b);
    for (size_t i = 0; i < m->between_count; i++) {
        const struct moved *j = &m->between[i];
        b.between += j->weight;
        if (j->layable && j->out && j->to == 0)
            m->places[j->from + 1].enters += j->weight;
        if (j->layable && !j->out && j->from == y->count - 1)
            m->places[j->to].leaves += j->weight;
    }
    return b;
}

/* No shape gains more at that place. Between X1 and X2 nothing comes closer when Y goes between. */
static int64_t gain_at_most(const struct place *p, const struct bounds *b, enum merge_shape shape) {
    const int64_t enters = shape != MERGE_Y_X2_X1 ? p->enters : 0;
    const int64_t leaves = shape != MERGE_X2_X1_Y ? p->leaves : 0;
    const int64_t inner = shape == MERGE_X1_Y_X2
                              ? -FALL_ONLY * p->broken
                              : FALL_ONLY * b->around + NEAR * p->across - p->scored;
    return NEAR * b->between + FALL_ONLY * (enters + leaves) + inner;
}

static void try_splits(struct merging *m, const struct pair *pair, uint32_t x_number,
                       struct merge *best) {
    const bool swapped = x_number == pair->b;
    const struct chain *x = &m->chains[x_number], *y = &m->chains[swapped ? pair->a : pair->b];
    if (x->count < 2 || x->count > LAYOUT_SPLIT)
        return;
    gather_between(m, pair, x_number);
    gather_inner(m, x);
    const struct bounds bounds = find_bounds(m, x, y);
    for (uint32_t at = 1; at < x->count; at++) {
        if (m->plan->glued[x->blocks[at - 1]] == x->blocks[at])
            continue;
        const int64_t first = m->offset[x->blocks[at]];
        const struct split split = {.first = first, .second = x->size - first, .y = y->size};
        for (enum merge_shape shape = MERGE_X1_Y_X2; shape <= MERGE_X2_X1_Y; shape++) {
            if (gain_at_most(&m->places[at], &bounds, shape) <= best->gain)
                continue;
            const struct shifts by = shifts_of(&split, shape);
            const int64_t gain = between_score(m, at, by) + inner_change(m, at, by);
            if (gain > best->gain)
                *best = (struct merge){gain, swapped, (uint8_t)shape, at};
        }
    }
}

struct merge merge_best(struct merging *m, const struct pair *pair) {
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
