/*
 * source: the sample stream and the exact graph of one game, from one replay that feeds the sampler
 * and the exact profiler together, or from a foreign pair of files.
 */
#ifndef HOTGRAPH_SOURCE_H
#define HOTGRAPH_SOURCE_H

#include "sweep/engines.h"
#include "sweep/plan.h"

struct source {
    struct stream stream;
    struct graph exact;
    /* What the rows of the database want to know; the replay's numbers are DB_NULL for a pair. */
    int64_t instructions, cycles;
    char ram_hash[17], frames_hash[33]; /* "" for a pair */
    char exact_hash[33], stream_hash[17];
    const char *engine; /* that ran; NULL for a pair */
    struct cost exact_cost;
    double seconds;       /* processor time */
    struct error warning; /* text "": nothing to warn of */
};

struct source_hooks {
    int (*stopped)(void); /* nonzero: end with STATUS_INTERRUPTED; may be NULL */
    void (*frame)(void *user, uint64_t done, uint64_t total); /* now and then; may be NULL */
    void *user;
};

/* STATUS_GUEST when the program jams; STATUS_FORMAT when the database has other hashes for this
 * game than what comes out now: its rows would not be of one experiment. */
enum status source_make(struct source *out, const struct plan_game *game,
                        const struct sampler_options *sampling, const struct engine_choice *engine,
                        const struct source_hooks *hooks, struct error *e);
void source_free(struct source *s);

/* Processor time of the calling thread, in seconds. */
double source_clock(void);

#endif
