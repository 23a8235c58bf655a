/*
 * profile: profiling techniques, one a file, and the sampler that feeds those that work on samples.
 *
 * A technique finds a control-flow graph. Live ones watch a machine through probes while it runs
 * (exact, ...); those on streams work on recorded batches of executed instructions (gaussian,
 * observed, ...). Either fills a struct profile: the graph and its deterministic costs. Each file
 * defines one `const struct technique technique_NAME`; the build lists them.
 *
 * Invariants
 *  - A technique is a pure function of what it watches and its parameters; it keeps no state
 * outside its own struct.
 *  - Streams are read-only once recorded: any number of threads may build graphs from one.
 */
#ifndef HOTGRAPH_PROFILE_H
#define HOTGRAPH_PROFILE_H

#include "base/base.h"
#include "graph/graph.h"
#include "nes/nes.h"

/* ---- sample streams ---- */

struct sample {
    uint32_t pc;     /* code address */
    uint32_t target; /* encoded target of a direct transfer, else 0 */
    uint8_t size;
    uint8_t kind;   /* enum insn_kind */
    uint8_t opcode; /* 0 and meaningless when read from a foreign file */
};

struct stream {
    struct sample *samples; /* batch_length * batch_count, batch after batch */
    size_t batch_length, batch_count;
    /* Where it came from; zero for foreign files. */
    uint64_t overruns;
};
void stream_free(struct stream *s);
/* `isampling` text (gzip when the name ends in .gz). *warning, when not NULL, gets one sentence or
 * "". */
enum status stream_read(struct stream *out, const char *path, struct error *warning,
                        struct error *e);
enum status stream_parse(struct stream *out, const char *text, size_t len, const char *name,
                         struct error *warning, struct error *e);
enum status stream_write(const struct stream *s, const char *path, const char *image,
                         struct error *e);
/* Hash of everything a technique may look at: batches, pc, target, size and kind. The opcode is for
 * people to read and does not survive a file. */
uint64_t stream_hash(const struct stream *s);
/* Is this kind of instruction a control transfer? */
bool sample_is_transfer(const struct sample *s);
/* Where a control transfer at index i of a batch goes: its encoded target, or the next pc of the
 * batch, or (last of a batch) STREAM_NOWHERE. */
uint64_t sample_target(const struct sample *batch, size_t batch_length, size_t i);
#define STREAM_NOWHERE UINT64_MAX

/* ---- the sampler: an observer that records batches in emulated time ---- */

struct sampler_options {
    uint64_t interval_us;  /* 0 = 3000 */
    unsigned batch_length; /* 0 = 25 */
    uint64_t jitter_us;    /* each batch is moved by up to this much either way */
    uint64_t seed;         /* of the jitter */
    uint64_t phase_cycles; /* added to every due cycle */
};
struct sampler;
enum status sampler_attach(struct sampler **out, struct nes *nes, struct sampler_options options,
                           struct error *e);
/* Detaches and hands the stream over; an unfinished last batch is dropped. Frees the sampler. */
enum status sampler_finish(struct sampler *s, struct stream *out, struct error *e);
void sampler_free(struct sampler *s); /* detaches without a result; NULL is fine */

/* ---- results ---- */

struct cost {          /* all deterministic */
    uint64_t records;  /* records stored */
    uint64_t probes;   /* probes executed */
    uint64_t observed; /* guest instructions observed one by one */
    uint64_t steps; /* analysis steps: what the technique's file counts as one is written there */
};

struct profile {
    struct graph graph;
    struct cost cost;
    uint64_t bins, low, high; /* techniques without bins leave them 0 */
};
void profile_free(struct profile *p);

/* ---- techniques ---- */

struct parameter {
    const char *name; /* as on the command line and in configurations: bin_size */
    const char *help;
    int64_t least, most, standard;
};
enum { TECHNIQUE_PARAMETERS = 8 };

struct technique {
    const char *name, *summary, *source;               /* source: the paper */
    struct parameter parameters[TECHNIQUE_PARAMETERS]; /* ends with a NULL name */
    /* Techniques on streams: builds from the first `batches` batches (SIZE_MAX: all). values: one a
     * parameter. */
    enum status (*build)(struct profile *out, const struct stream *stream, size_t batches,
                         const int64_t *values, struct error *e);
    /* Optional: as technique_build_at, in one go along the stream; marks are in range and rise. */
    enum status (*build_at)(const struct stream *stream, const size_t *marks, size_t mark_count,
                            const int64_t *values,
                            enum status (*each)(void *user, size_t batches, const struct profile *p,
                                                struct error *e),
                            void *user, struct error *e);
    /* Live techniques: watch a machine from now on; finish detaches and fills the profile. */
    enum status (*attach)(void **self, struct nes *nes, const int64_t *values, struct error *e);
    enum status (*finish)(void *self, struct profile *out, struct error *e); /* frees self */
    void (*abandon)(void *self); /* frees self; NULL is fine */
};

/* All techniques, sorted by name; *count gets how many. */
const struct technique *const *techniques(size_t *count);
const struct technique *technique_find(const char *name); /* NULL if there is none */

/* STATUS_ARGUMENT, naming the parameter and its range, unless each value is in it. */
enum status technique_check(const struct technique *t, const int64_t *values, struct error *e);

/* For convergence curves: calls each() with the profile of the first marks[i] batches, for every
 * mark, in order; marks rise and none is beyond the stream's end (else STATUS_ARGUMENT). The
 * profile is each()'s to read only. Ends early with the first status of each() that is not
 * STATUS_OK. */
enum status technique_build_at(const struct technique *t, const struct stream *stream,
                               const size_t *marks, size_t mark_count, const int64_t *values,
                               enum status (*each)(void *user, size_t batches,
                                                   const struct profile *p, struct error *e),
                               void *user, struct error *e);

#endif
