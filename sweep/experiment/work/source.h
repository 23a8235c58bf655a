/*
 * source: the sample streams and the exact graph of one game, from one replay that feeds all
 * samplers and the exact profiler together, or from a foreign pair of files. The structure, where
 * it is needed, is recorded in the same replay; a sampler of active transfers must know it before,
 * so there is a replay before that for it. There is one more for every so many samplers as a
 * machine has no room for at once. Where techniques watch by themselves the stream is empty.
 */
#ifndef HOTGRAPH_SOURCE_H
#define HOTGRAPH_SOURCE_H

#include "cli/cli.h"
#include "experiment/experiment.h"
#include "experiment/work/tracer.h"
#include "profile/structure/structure.h"
#include "qemu/qemu.h"

struct source_stream {
    struct stream stream;       /* empty where nothing is missing of it */
    struct stream_index *index; /* of it; NULL until somebody makes one */
    char hash[17];
};

struct source {
    struct source_stream *streams; /* one for each of the game's in the plan */
    size_t stream_count;
    struct graph exact;
    struct structure structure;    /* of a game, where the configuration needs it: the streams' */
    struct reference **references; /* the exact graph, ready to be compared with: one a hot share */
    size_t reference_count;
    struct worth_reference *worth; /* the same for layouts; NULL for a pair, of which no code is
                                      known */
    /* What the rows of the database want to know; the replay's numbers are DB_NULL for a pair. */
    int64_t instructions, cycles;
    char ram_hash[17], frames_hash[33]; /* "" for a pair */
    char exact_hash[33];
    const char *engine; /* that ran; NULL for a pair */
    struct cost exact_cost;
    struct qemu_result recording; /* of a program: what it executed; graph and streams are above */
    struct qemu_symbols *symbols; /* of its images; NULL where it is no program */
    double seconds;               /* processor time, with that of a program that is recorded */
    struct error warning;         /* text "": nothing to warn of */
    struct trace_excerpt trace; /* of frame ILLUSTRATED_FRAME of a game that lasts so long, and the
                                   instructions of all of it; empty where nothing was played */
};

struct source_hooks {
    int (*stopped)(void); /* nonzero: end with STATUS_INTERRUPTED; may be NULL */
    void (*frame)(void *user, uint64_t done, uint64_t total); /* now and then; may be NULL */
    void *user;
};

/* STATUS_GUEST when the program jams; STATUS_FORMAT when the database has other hashes for this
 * game than what comes out now: its rows would not be of one experiment. */
enum status source_make(struct source *out, const struct plan_game *game,
                        const struct config *config, const struct engine_choice *engine,
                        const struct source_hooks *hooks, struct error *e);
void source_free(struct source *s);

/* One more replay, in which a live technique watches. */
enum status source_watch(struct profile *out, const struct plan_game *game,
                         const struct config_point *point, const struct engine_choice *engine,
                         const struct source_hooks *hooks, struct error *e);

/* Processor time of the calling thread, in seconds. */
double source_clock(void);

#endif
