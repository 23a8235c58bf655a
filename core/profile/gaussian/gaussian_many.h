/*
 * Private to core/profile: GFCGaussiano for up to 64 configurations of one window_size at once.
 *
 * Where bins and blocks have settled, a batch changes nothing; it only counts edges, and which ones
 * depends on nothing but pairs of neighbouring instructions. So each configuration has a bit, and
 * for each address there are sets of bits that say where it has settled. A batch is settled for
 * those in all sets of what it touches; for them its passages are counted together, in one place,
 * and a configuration takes them over as edges only when the meaning of a passage changes for it
 * (and at the end). The others follow the definition step by step.
 *
 * Terms
 *  - An evolution is a set of bins, shared by the configurations that differ in nothing but
 *    recurrent_threshold and builder.
 *  - The sets are of two kinds. Facts are always true: target, owned, and recurrent where it is
 *    known. The others (kept, voted, known, calm, clear, done) remember what was once found out:
 *    a bit that is missing means "find out", and everything that could make one wrong removes it.
 *  - The level of a batch is the number of different stdev_thresholds for which it is high.
 *
 * Bins never shrink, so a bin with more votes than every threshold needs no further counting.
 */
#ifndef HOTGRAPH_PROFILE_GAUSSIAN_MANY_H
#define HOTGRAPH_PROFILE_GAUSSIAN_MANY_H

#include "profile/gaussian/bins.h"
#include "profile/gaussian/gaussian.h"
#include "profile/gaussian/stream_index.h"

enum { GROUP_MOST = 64, STRETCH = 16 };

typedef uint64_t set; /* of the configurations of a group */

struct vote_bin {
    uint64_t count; /* of means put into it; not exact once it is above all thresholds */
    uint64_t sum;   /* of the different ones, */
    uint64_t means; /* and how many these are */
    set recurrent;  /* configurations whose threshold the count is above */
    uint32_t means_behind, places_behind; /* how many known means and places are <= its address */
};

struct evolution {
    set bits; /* its configurations */
    uint64_t bin_size;
    struct vote_bin *bins; /* by id, which is the order of creation, from 1: bins[id - 1] */
    size_t count, cap;
    uint32_t *id, *address; /* of the bins by address: first to last, */
    double *centroid;   /* and of number i in centroid[i + 1]; infinite before and behind them */
    uint32_t *member;   /* by mean: id of the bin that last took it; 0: none */
    struct map members; /* (id << 32 | mean) of every mean in every bin's set */
};

struct configuration {
    uint64_t threshold;  /* recurrent_threshold */
    unsigned class;      /* its stdev_threshold is the group's thresholds[class] */
    unsigned evolution;  /* index */
    uint32_t *owner;     /* by place: 1 + the oldest block that contains it, or NOBODY */
    uint64_t *taken;     /* by passage: how many of its counts have been taken over */
    int64_t other_steps; /* steps beyond those of settled batches */
    struct gaussian_graph graph;
    uint64_t last_edge, *last_count; /* the edge counted last */
    size_t next_mark;
};

struct group {
    const struct build_request *request;
    const struct stream_index *index;
    size_t points[GROUP_MOST]; /* of the request, by configuration */
    size_t length, window, window_count;
    size_t configuration_count, evolution_count, level_count;
    struct configuration configurations[GROUP_MOST];
    struct evolution evolutions[GROUP_MOST];
    uint64_t thresholds[GROUP_MOST]; /* the different stdev_thresholds, rising */
    set all, anywhere;               /* anywhere: those of builder 1 */
    set low[GROUP_MOST + 1];         /* by level: configurations for which a batch is low */
    bool lost;                       /* memory ran out: the state is not to be used */

    /* of different batches */
    uint8_t *level;
    uint32_t *means;       /* window_count for each: indexes into mean_values, in order */
    uint64_t *clean;       /* changes there had been when the batch was settled for all; 0: never */
    uint64_t changes;      /* how often a remembered bit was removed, from 1 */
    uint32_t *mean_values; /* rising */
    size_t mean_count;

    set *kept;  /* by mean: its nearest bin is within bin_size and has it in its set */
    set *voted; /* of those: the bin is recurrent for all, so another vote changes nothing */

    set *target, *owned, *recurrent; /* by place: facts */
    set *known;                      /* by place: recurrent is up to date */
    set *calm;                       /* by place: build() would start or continue no block here */
    set *done;                       /* by place: the block that owns it is done */
    set *kept_near, *known_near;     /* by STRETCH means or places: no bit of theirs is missing */
    set *clear;                      /* by passage: a high batch would build nothing at it */

    uint64_t *counts; /* by passage and level: how often it was executed in settled batches */
    uint64_t batches_of[GROUP_MOST + 1];   /* by level */
    uint64_t transfers_of[GROUP_MOST + 1]; /* in them */
    struct gaussian_frame *frames;
};

/* ---- gaussian_bins.c ---- */

bool group_bins_init(struct group *g); /* allocates; false when memory is out */
void group_bins_free(struct group *g);
/* Puts the means of a different batch into the bins of the evolutions in `who`, as far as that can
 * change anything. */
void group_vote(struct group *g, size_t batch, set who);
/* Configurations of evolution e for which the bin of a place is recurrent. */
set group_recurrent(const struct group *g, const struct evolution *e, uint32_t place);

/* ---- gaussian_build.c ---- */

/* Brings recurrent up to date at a place. */
void group_know(struct group *g, uint32_t place, set who);
/* Finds out where a different batch, low for some, high for others, is settled for `who`. */
void group_settle(struct group *g, size_t batch, set low, set high);
/* Step by step, for one configuration. */
void group_build(struct group *g, size_t configuration, size_t batch, bool low);
/* What is counted so far of the passages becomes edges. */
void group_take_over(struct group *g, size_t configuration);

/* A passage's counts that are configuration c's: in low batches, and in high ones where it is
 * recurrent. */
static inline uint64_t passage_count(const struct group *g, size_t c, size_t passage) {
    const uint64_t *counts = g->counts + passage * g->level_count;
    const bool high = g->recurrent[g->index->passages[passage].from] >> c & 1;
    const size_t end = high ? g->level_count : g->configurations[c].class + 1;
    uint64_t sum = 0;
    for (size_t i = 0; i < end; i++)
        sum += counts[i];
    return sum;
}

/* Removes bits from part of a remembered list. */
static inline void forget(struct group *g, set *list, size_t from, size_t to, set bits) {
    set removed = 0;
    for (size_t i = from; i < to; i++) {
        removed |= list[i] & bits;
        list[i] &= ~bits;
    }
    g->changes += removed != 0;
}

#endif
