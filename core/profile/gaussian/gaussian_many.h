/*
 * Private to core/profile: GFCGaussiano for up to 64 configurations of one window_size at once.
 *
 * Once bins and blocks have settled, a batch changes neither. It only counts edges, and these
 * depend only on pairs of consecutive instructions. So each configuration is a bit, and each
 * address has sets of bits that say for which configurations it has settled. A batch is settled for
 * the configurations in the sets of everything that it contains. For them its passages are counted
 * once, in common; a configuration converts these counts to edges only when the meaning of a
 * passage changes for it, and at the end. All other configurations follow the definition step by
 * step.
 *
 * Terms
 *  - An evolution is a set of bins, shared by the configurations that differ only in
 *    recurrent_threshold and builder.
 *  - Sets of bits are facts or caches. Facts are always right: target, owned, and, at places that
 *    are known, recurrent. Caches (kept, voted, known, calm, clear, done) hold results of earlier
 *    checks: a missing bit means "check again", and every change that could invalidate a bit
 *    removes it.
 *  - The level of a batch is the number of distinct stdev_thresholds for which it is high.
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
    uint64_t count; /* number of means put into it; inexact above all thresholds */
    uint64_t sum;   /* of the distinct ones, */
    uint64_t means; /* and their number */
    set recurrent;  /* configurations whose threshold it exceeds */
    uint32_t means_behind, places_behind; /* number of known means and places <= its address */
};

struct evolution {
    set bits; /* its configurations */
    uint64_t bin_size;
    struct vote_bin *bins; /* by id, in order of creation, from 1: bins[id - 1] */
    size_t count, cap;
    uint32_t *id, *address; /* of the bins, sorted by address, */
    double *centroid;       /* and that of bin i in centroid[i + 1]; infinite before and after */
    uint32_t *member;       /* by mean: id of the last bin that it was put into; 0: none */
    struct map members;     /* (id << 32 | mean) of every mean in every bin's set */
};

struct configuration {
    uint64_t threshold;  /* recurrent_threshold */
    unsigned class;      /* its stdev_threshold is the group's thresholds[class] */
    unsigned evolution;  /* index */
    uint32_t *owner;     /* by place: 1 + the oldest block that contains it, or NOBODY */
    uint64_t *taken;     /* by passage: counts already converted to edges */
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
    uint64_t thresholds[GROUP_MOST]; /* the distinct stdev_thresholds, ascending */
    set all, anywhere;               /* anywhere: those of builder 1 */
    set low[GROUP_MOST + 1];         /* by level: configurations for which a batch is low */
    bool lost;                       /* out of memory: the state is invalid */

    /* by distinct batch */
    uint8_t *level;
    uint32_t *means;       /* window_count for each batch: indices into mean_values, in order */
    uint64_t *clean;       /* `changes` when the batch was last settled for all; 0: never */
    uint64_t changes;      /* 1 + number of bits removed from caches */
    uint32_t *mean_values; /* ascending */
    size_t mean_count;

    set *kept;  /* by mean: its nearest bin is within bin_size and contains it */
    set *voted; /* of these: the bin is recurrent for all, so votes change nothing */

    set *target, *owned, *recurrent; /* by place: facts */
    set *known;                      /* by place: recurrent is up to date */
    set *calm;                       /* by place: build() would start or continue no block here */
    set *done;                       /* by place: the block that owns it is done */
    set *kept_near, *known_near;     /* by STRETCH means or places: some of them may have the bit */
    set *clear;                      /* by passage: a high batch would build nothing there */

    uint64_t *counts;                      /* by passage and level: executions in settled batches */
    uint64_t batches_of[GROUP_MOST + 1];   /* by level */
    uint64_t transfers_of[GROUP_MOST + 1]; /* in them */
    struct gaussian_frame *frames;
};

/* ---- gaussian_bins.c ---- */

bool group_bins_init(struct group *g); /* false: out of memory */
void group_bins_free(struct group *g);
/* Puts the means of a distinct batch into the bins of the evolutions in `who`, unless that changes
 * nothing. */
void group_vote(struct group *g, size_t batch, set who);
/* Configurations of evolution e for which the bin of a place is recurrent. */
set group_recurrent(const struct group *g, const struct evolution *e, uint32_t place);

/* ---- gaussian_build.c ---- */

/* Updates `recurrent` at a place. */
void group_know(struct group *g, uint32_t place, set who);
/* Updates the caches at everything that a distinct batch contains, for the configurations in `low`
 * and `high`. */
void group_settle(struct group *g, size_t batch, set low, set high);
/* Executes the definition step by step, for one configuration. */
void group_build(struct group *g, size_t configuration, size_t batch, bool low);
/* Converts the counts of all passages to edges. */
void group_take_over(struct group *g, size_t configuration);

/* Executions of a passage that count for configuration c: in low batches, and in high ones if its
 * source is recurrent. */
static inline uint64_t passage_count(const struct group *g, size_t c, size_t passage) {
    const uint64_t *counts = g->counts + passage * g->level_count;
    const bool high = g->recurrent[g->index->passages[passage].from] >> c & 1;
    const size_t end = high ? g->level_count : g->configurations[c].class + 1;
    uint64_t sum = 0;
    for (size_t i = 0; i < end; i++)
        sum += counts[i];
    return sum;
}

/* Removes bits from a part of a cache. */
static inline void forget(struct group *g, set *list, size_t from, size_t to, set bits) {
    set removed = 0;
    for (size_t i = from; i < to; i++) {
        removed |= list[i] & bits;
        list[i] &= ~bits;
    }
    g->changes += removed != 0;
}

#endif
