/*
 * gaussian_watch: GFCGaussiano at work on one stream, for drawings of the technique: which batches
 * are low, how an insertion changes the bins, how often each path is taken. It uses the direct
 * implementation (gaussian.c), so it finds what the technique finds.
 */
#ifndef HOTGRAPH_GAUSSIAN_WATCH_H
#define HOTGRAPH_GAUSSIAN_WATCH_H

#include "profile/profile.h"

/* Counters. ORDER PATH: as gaussian_path_names */
enum gaussian_path {
    PATH_BATCHES,
    PATH_LOW,       /* batches whose means lie close together */
    PATH_HIGH,      /* and the others */
    PATH_MEANS,     /* window means of low batches, */
    PATH_NEW_BIN,   /* those of them that made a bin */
    PATH_WALKED,    /* instructions at which build() decided, */
    PATH_GROWN,     /* those at which it grew a block, */
    PATH_CALLED,    /* after which it called itself at a transfer */
    PATH_TRANSFERS, /* transfers in high batches, */
    PATH_RECURRENT, /* those out of a known block whose bin is recurrent, */
    PATH_BUILT,     /* those for which build() was called, no block being there, */
    PATH_EDGES,     /* and those that became an edge */
    GAUSSIAN_PATHS,
};
extern const char *const gaussian_path_names[GAUSSIAN_PATHS];

struct gaussian_bin {
    uint32_t address; /* the mean that made it */
    uint64_t count;   /* means put into it */
    double centroid;
};

enum { GAUSSIAN_NEIGHBOURS = 5 };
/* Some adjacent bins, by address; `first` is the index of the first one. */
struct gaussian_bins {
    size_t first, count;
    struct gaussian_bin at[GAUSSIAN_NEIGHBOURS];
};
struct gaussian_insertion {
    size_t batch; /* from 0 */
    uint32_t mean;
    bool made; /* it made a new bin; else it moved a centroid by at least 1 byte */
    struct gaussian_bins before, after; /* around the insertion */
};

struct gaussian_watch {
    void *user;
    /* Reports all bins, by address, after these numbers of batches (ascending, from 1). */
    const uint64_t *marks;
    size_t mark_count;
    void (*mark)(void *user, uint64_t batches, const struct gaussian_bin *bins, size_t count);
    /* Each may be NULL. deviation: of the means, in bytes. */
    void (*batch)(void *user, size_t number, double deviation, bool low);
    /* Insertions in batch `from` and later, until it returns false. */
    size_t from;
    bool (*insertion)(void *user, const struct gaussian_insertion *insertion);
    uint64_t paths[GAUSSIAN_PATHS]; /* filled at the end */
};
/* values: one for each of the technique's parameters. */
enum status gaussian_watch(struct gaussian_watch *w, const struct stream *stream,
                           const int64_t *values, struct error *e);

#endif
