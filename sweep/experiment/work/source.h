/*
 * source: the sample streams and the exact graph of one game, from one replay that feeds all
 * samplers and the exact profiler together, or from a foreign pair of files. The structure, if it
 * is needed, is recorded in the same replay. A sampler of active transfers needs it earlier, so an
 * extra replay comes first. If a machine has no room for all samplers, there are further replays.
 * For live techniques the stream is empty.
 */
#ifndef HOTGRAPH_SOURCE_H
#define HOTGRAPH_SOURCE_H

#include "cli/cli.h"
#include "experiment/experiment.h"
#include "experiment/work/tracer.h"
#include "profile/path/path_judge.h"
#include "profile/structure/structure.h"
#include "qemu/qemu.h"

struct source_stream {
    struct stream stream;       /* empty if the plan's stream lacks nothing */
    struct stream_index *index; /* of the stream; NULL until first needed */
    char hash[17];
    struct stream
        *moments; /* with windows: described at the start and after each step; of a program only
                               the number of batches, the population and `executed` */
};

/* Processor time of each way in which a program ran, in seconds; 0: it did not. */
struct source_times {
    double native, probes, recorded;
    uint64_t probed,
        traps; /* executions of probes, and of those among them that are traps, at most */
};

struct source_windows;

struct source {
    struct source_stream *streams; /* one for each of the game's streams in the plan */
    size_t stream_count;
    struct graph exact;
    struct source_windows
        *windows;               /* of a game or a recorded program, if there are some; else NULL */
    struct structure structure; /* of a game, if the configuration needs it */
    struct reference **references; /* the exact graph prepared for comparison, one for each hot
                                      share */
    size_t reference_count;
    struct worth_reference *worth; /* the same for layouts; NULL for a pair, whose code is
                                      unknown */
    struct path_truth *paths;      /* of a game or a recorded program, if the configuration asks for
                                      paths; else NULL */
    /* Values for the database's rows; the replay's numbers are DB_NULL for a pair. */
    int64_t instructions, cycles;
    char ram_hash[17], frames_hash[33]; /* "" for a pair */
    char exact_hash[33];
    const char *engine; /* the engine that ran; NULL for a pair */
    struct cost exact_cost;
    struct graph other; /* of a program: the exact graph of its other run, at the addresses
                                      of `exact`; empty unless a stream of the plan lacks it */
    struct qemu_result recording; /* of a program, recorded or native: the files it executed; graph
                                     and streams are above */
    struct program_trace program_trace; /* of a program, if techniques follow it; else empty */
    struct qemu_symbols *symbols;       /* of its images; NULL unless it is a program */
    struct source_times times;          /* of a native program */
    double seconds;                     /* processor time, including that of a recorded program */
    struct error warning;               /* text "": no warning */
    struct trace_excerpt trace; /* frame ILLUSTRATED_FRAME, if the game lasts that long, and all
                                   decoded instructions; empty if nothing was played */
};

struct source_hooks {
    int (*stopped)(void); /* nonzero: end with STATUS_INTERRUPTED; may be NULL */
    void (*frame)(void *user, uint64_t done, uint64_t total); /* called now and then; may be NULL */
    void *user;
};

/* STATUS_GUEST: the program jams. STATUS_FORMAT: the hashes differ from the database's for this
 * game, so old and new rows would not belong to one experiment. */
enum status source_make(struct source *out, const struct plan_game *game,
                        const struct config *config, const struct engine_choice *engine,
                        const struct source_hooks *hooks, struct error *e);
void source_free(struct source *s);

/* Replays the game once more with a live technique attached: for as long as the live sampling says,
 * with the input that it says. Of a program: copies the graph of its other run, or follows its trace. */
enum status source_watch(struct profile *out, const struct source *s, const struct plan_game *game,
                         const struct config_sampling *way, const struct config_point *point,
                         const struct engine_choice *engine, const struct source_hooks *hooks,
                         struct error *e);

/* Processor time of the calling thread, in seconds. */
double source_clock(void);

#endif
