/*
 * live: runs a technique on samples while the machine is sampled. Each complete batch goes to it
 * between two guest instructions (inline), or through a bounded queue to a thread of its own. The
 * result is the same as from the recorded stream, bit for bit, but for the steps of a technique that
 * remembers its last result (struct technique_again).
 *
 * Incremental techniques (struct technique_growing) get batch by batch. Others are rebuilt from all
 * samples and the structure so far, once for each second of emulated time, and at the end.
 *
 * Invariants
 *  - The machine's behaviour does not change, and results are the same on every engine.
 *  - With a thread, each() is called on it; the machine waits while the queue is full.
 *
 *     struct live *live;
 *     if (live_attach(&live, nes, &options, &err) == STATUS_OK) {
 *         ... play
 *         live_finish(live, &profile, &report, &err);
 *     }
 */
#ifndef HOTGRAPH_LIVE_H
#define HOTGRAPH_LIVE_H

#include "profile/profile.h"

enum { LIVE_QUEUE = 1024, LIVE_QUEUE_MOST = 1 << 20 };

struct live_options {
    const struct technique *technique; /* one that works on streams */
    const int64_t *values;             /* one for each parameter; copied */
    struct sampler_options sampling;   /* its structure must outlive the replay */
    bool thread;
    size_t queue; /* most batches that can wait; 0 = LIVE_QUEUE */
    /* Incremental techniques: each() gets the profile of the first marks[i] batches; marks rise.
     * Others: that of each second, and marks are ignored. May be NULL. The profile is read-only; a
     * status other than STATUS_OK ends the technique, and live_finish() returns it. */
    const size_t *marks;
    size_t mark_count;
    enum status (*each)(void *user, size_t batches, const struct profile *p, struct error *e);
    void *user;
    bool timed; /* measure the technique's time */
};

struct live_report {
    size_t batches, solves; /* solves: number of rebuilds */
    /* These depend on timing: */
    size_t longest; /* most batches that waited at once */
    uint64_t held;  /* number of times that the machine waited for room */
    /* Processor time of the technique, on whichever thread it ran: */
    double seconds;           /* for taking batches */
    double build_seconds;     /* for rebuilding */
    double first_us, last_us; /* microseconds a batch in the first and in the last quarter */
};

struct live;
enum status live_attach(struct live **out, struct nes *nes, const struct live_options *options,
                        struct error *e);
/* Detaches, waits for the thread, and frees. report may be NULL. */
enum status live_finish(struct live *live, struct profile *out, struct live_report *report,
                        struct error *e);
void live_abandon(struct live *live); /* NULL is fine */

#endif
