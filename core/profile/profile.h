/*
 * profile: profiling techniques, one a file, and the sampler that feeds those that work on samples.
 *
 * A technique finds a control-flow graph. Live techniques watch a machine through probes while it
 * runs (exact, ...). Techniques on streams work on recorded batches of executed instructions
 * (gaussian, observed, ...). Both fill a struct profile: the graph and its costs. Each file
 * defines one `const struct technique technique_NAME`; the build lists them.
 *
 * Invariants
 *  - A technique is a pure function of what it observes and its parameters; it keeps no state
 *    outside its own struct.
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
    uint8_t unused; /* 0, so that equal samples are equal bytes */
};

enum stream_of {
    STREAM_OF_BATCHES,   /* consecutive instructions */
    STREAM_OF_TRANSFERS, /* single control transfers: each batch is two instructions, from and to */
    STREAM_OF_BRANCHES,  /* last taken branches: consecutive instructions from the oldest branch to
                            the target of the newest one; batches differ in length */
};
struct structure;

/* Programs repeat themselves: about a twentieth of a game's batches are distinct. Each distinct
 * batch is stored once, and the stream is their order. */
struct stream {
    size_t batch_length; /* STREAM_OF_BRANCHES: of the longest batch */
    size_t batch_count;
    struct sample *batches; /* one distinct batch after another */
    size_t *first;          /* STREAM_OF_BRANCHES: distinct batch i is batches[first[i]] to before
                               batches[first[i + 1]]; NULL if there are none, and in other streams,
                               whose batches are batch_length long */
    size_t distinct_count;
    uint32_t *order;   /* batch i is batches[order[i]]; NULL: batches[i], which may repeat */
    uint64_t overruns; /* 0 for foreign files */
    char program[41];  /* SHA-1 of what was run, as graph.h's; "" unknown */

    /* The population of the samples. */
    enum stream_of of;
    bool active;         /* only transfers outside of busy-waits */
    bool by_timer;       /* sampled at a timer of the machine: another run gives other samples */
    uint64_t population; /* number of executed instructions, or of executed transfers of that
                            kind; 0: unknown, as in foreign files */
    uint64_t executed;   /* instructions; 0: unknown */
    uint64_t probes;     /* number that fired during the recording */
    uint16_t *cycles;    /* weighted: cycles that each batch stands for, those of the instruction
                            before it, or since the transfer before it; else NULL */
    const struct structure *structure; /* of the program (profile/structure/structure.h), borrowed;
                                          may be NULL */
};
/* The samples of a distinct batch, and their number. */
static inline const struct sample *stream_distinct(const struct stream *s, size_t number) {
    return s->batches + (s->first != NULL ? s->first[number] : number * s->batch_length);
}
static inline size_t stream_distinct_length(const struct stream *s, size_t number) {
    return s->first != NULL ? s->first[number + 1] - s->first[number] : s->batch_length;
}
/* The same of batch i. */
static inline const struct sample *stream_batch(const struct stream *s, size_t i) {
    return stream_distinct(s, s->order != NULL ? s->order[i] : i);
}
static inline size_t stream_batch_length(const struct stream *s, size_t i) {
    return s->first != NULL ? stream_distinct_length(s, s->order[i]) : s->batch_length;
}

/* The weight of batch i: 720720 (a multiple of 1 to 16) divided by the cycles of the instruction
 * before it, since its chance to be sampled is proportional to them; 1 in a stream without
 * weights. */
static inline uint64_t stream_weight(const struct stream *s, size_t i) {
    return s->cycles == NULL ? 1 : 720720 / s->cycles[i];
}
/* Number of samples in the first `batches` batches. */
uint64_t stream_samples(const struct stream *s, size_t batches);
/* Instructions observed for the first `batches` batches; a transfer counts as one. */
static inline uint64_t stream_observed(const struct stream *s, size_t batches) {
    return s->of == STREAM_OF_TRANSFERS ? batches : stream_samples(s, batches);
}
/* For each distinct batch of a stream that has an order: the sum of its weights among the first
 * `batches` batches. The caller frees it; NULL: out of memory. */
uint64_t *stream_weights(const struct stream *s, size_t batches);

/* Makes a stream batch by batch:
 *
 *     struct stream_maker m = {.stream.batch_length = 25};
 *     if (!stream_add(&m, batch)) ...
 *     struct stream s = stream_made(&m);
 *
 * With .stream.of = STREAM_OF_BRANCHES, batches of any length above 0 are added by stream_add_some.
 *
 * stream_add returns false if out of memory, or after 2^32 - 1 distinct batches; the maker is unchanged
 * then. stream_made moves the stream out and leaves an empty maker; stream_unmake frees it. */
struct stream_maker {
    struct stream stream;
    uint32_t *table; /* distinct batches by hash: 1 + number; 0: free */
    size_t table_cap, batch_cap, first_cap, order_cap;
};
bool stream_add(struct stream_maker *m, const struct sample *batch);
bool stream_add_some(struct stream_maker *m, const struct sample *batch, size_t length);
bool stream_add_again(struct stream_maker *m, uint32_t number); /* repeats batch `number` */
struct stream stream_made(struct stream_maker *m);
void stream_unmake(struct stream_maker *m);
void stream_free(struct stream *s);
/* Draws a stream of `count` batches of s: a random one of each of `count` sections of equal length,
 * so that all phases of a program are sampled. Population and executed stay those of the whole
 * program. */
enum status stream_thin(struct stream *out, const struct stream *s, size_t count, uint64_t seed,
                        struct error *e);
/* Files are `isampling` text, which other tools share, or compact and binary (its layout is in
 * profile/stream/stream_binary.c). stream_write() chooses by the name: .hgstream is binary.
 * stream_read() recognises the content. Either form is compressed by gzip if the name ends in .gz;
 * an uncompressed binary file is mapped and read in place. *warning, if not NULL, becomes one
 * sentence or "". */
enum status stream_read(struct stream *out, const char *path, struct error *warning,
                        struct error *e);
/* Only what its batches are, which the file's beginning says. */
enum status stream_peek(enum stream_of *out, const char *path, struct error *e);
enum status stream_parse(struct stream *out, const void *data, size_t len, const char *name,
                         struct error *warning, struct error *e);
enum status stream_write(const struct stream *s, const char *path, const char *image,
                         struct error *e);
/* STATUS_ARGUMENT unless the name of an output file implies one of the two formats. Devices and
 * pipes may have any name. */
enum status stream_check_name(const char *path, struct error *e);
/* Hash of all that techniques use: batches, pc, target, size and kind. The opcode is only for
 * people, and is not in files. */
uint64_t stream_hash(const struct stream *s);
bool sample_is_transfer(const struct sample *s);
/* The target of the control transfer at index i of a batch: the encoded target, else the next pc of
 * the batch, else (at its end) STREAM_NOWHERE. */
uint64_t sample_target(const struct sample *batch, size_t batch_length, size_t i);
#define STREAM_NOWHERE UINT64_MAX

/* ---- the sampler: an observer that records batches of instructions, or single transfers ---- */

enum { SAMPLER_BATCH_MOST = 65536 };
/* By the clock: most transfers at a due cycle, most cycles of a window, and the least interval, which
 * is longer than a window. */
enum { SAMPLER_NEXT_MOST = 64, SAMPLER_WINDOW_MOST = 256, SAMPLER_CLOCK_LEAST_US = 200 };
/* Last taken branches: most entries of the stack. Skylake has 32. */
enum { SAMPLER_STACK_MOST = 64 };

enum sampler_by {
    SAMPLER_TIME,         /* emulated time, as in the paper */
    SAMPLER_INSTRUCTIONS, /* a batch in every `every` executed instructions */
    SAMPLER_TRANSFERS,    /* a transfer in every `every` executed transfers */
    SAMPLER_ACTIVE,       /* the same over transfers outside of busy-waits */
    SAMPLER_CLOCK,        /* transfers that start soon after each due cycle */
    SAMPLER_LBR,          /* the last taken branches before each due cycle */
    SAMPLER_LBR_TAKEN,    /* the last taken branches in every `every` taken ones */
};
enum sampler_place { /* the sample's offset in each `every`; not for SAMPLER_TIME */
                     SAMPLER_REGULAR,    /* a fixed offset, drawn from the seed */
                     SAMPLER_STRATIFIED, /* an offset drawn for each */
                     SAMPLER_GOLDEN,     /* of transfers: shifted by the golden ratio at each NMI */
                     SAMPLER_CALLS,      /* the same at each call and return, too */
};
/* Names of these, in the order of the enums; each list ends with NULL. */
extern const char *const sampler_by_words[], *const sampler_place_words[];

struct sampler_options {
    uint64_t interval_us;  /* 0 = 3000 */
    unsigned batch_length; /* 0 = 25; at most SAMPLER_BATCH_MOST */
    uint64_t jitter_us;    /* each batch is shifted by at most this much, earlier or later */
    uint64_t seed;         /* of the jitter and of offsets */
    uint64_t phase_cycles; /* added to every due cycle */
    unsigned
        next; /* SAMPLER_CLOCK: transfers taken at each due cycle; 0 = 1, at most SAMPLER_NEXT_MOST */
    unsigned window; /* SAMPLER_CLOCK: instead of the first ones, all within so many cycles */
    unsigned stack; /* SAMPLER_LBR, SAMPLER_LBR_TAKEN: taken branches that are remembered; 0 = 16 */
    unsigned skip;  /* the same: newest ones that are ignored; less than `stack` */
    bool weigh;     /* SAMPLER_TIME: record the cycles of the instruction before each batch */
    enum sampler_by by;
    enum sampler_place place;
    uint64_t every;
    /* Instead of `every`: most observed instructions in a million executed ones. Sampling of
     * transfers needs a structure that knows the number of transfers. A small stride is odd, unless
     * samples are stratified: loops whose passes have an even number of transfers would resonate with an even one. */
    uint64_t per_million;
    const struct structure *structure; /* SAMPLER_ACTIVE: knows busy-waits */
    /* If not NULL, receives each batch, and with `weigh` the cycles of the instruction before it
     * (else 0); no stream is kept then. Returns false if out of memory. */
    bool (*take)(void *user, const struct sample *batch, uint16_t cycles);
    void *user;
};
struct sampler;
enum status sampler_attach(struct sampler **out, struct nes *nes, struct sampler_options options,
                           struct error *e);
/* Detaches, moves the stream to the caller and frees the sampler. Drops an incomplete last
 * batch. */
enum status sampler_finish(struct sampler *s, struct stream *out, struct error *e);
/* Fills all of the stream but the batches themselves, as sampler_finish would now. */
void sampler_describe(const struct sampler *s, struct stream *out);
void sampler_free(struct sampler *s); /* detaches without a result; NULL is fine */

/* Several samplers by instructions, or by transfers, that share one observer: much faster, and each
 * gives the same stream as alone. All have the same `by` and `structure`. */
struct sampler_group;
bool sampler_may_share(const struct sampler_options *options);
enum status sampler_group_attach(struct sampler_group **out, struct nes *nes,
                                 const struct sampler_options *options, size_t count,
                                 struct error *e);
/* As sampler_finish(): moves a stream for each of the options to the caller. */
enum status sampler_group_finish(struct sampler_group *g, struct stream *out, struct error *e);
/* As sampler_describe(), for the sampler of options[number]. */
void sampler_group_describe(const struct sampler_group *g, size_t number, struct stream *out);
void sampler_group_free(struct sampler_group *g); /* NULL is fine */

/* Samples nothing; counts what samplers with `per_million` must know. Finishing sets s->executed
 * and s->transfers, and frees c. */
enum status sampler_attach_counting(struct sampler **out, struct nes *nes, struct error *e);
enum status sampler_finish_counting(struct sampler *c, struct structure *s, struct error *e);

/* ---- results ---- */

struct cost {          /* all deterministic */
    uint64_t records;  /* records stored */
    uint64_t probes;   /* probes executed */
    uint64_t observed; /* guest instructions observed one by one */
    uint64_t steps;    /* analysis steps, as defined in the technique's file */
    bool structure;    /* the program's structure was given */
};

/* Further deterministic counts of a technique: dropped entries, ... */
struct named_count {
    const char *name; /* borrowed, static */
    uint64_t value;
};
enum { PROFILE_COUNTS = 10 };

struct profile {
    struct graph graph;
    struct cost cost;
    uint64_t bins, low, high; /* techniques without bins leave them 0 */
    struct named_count counts[PROFILE_COUNTS];
    size_t count_count;
};
void profile_free(struct profile *p);

/* ---- techniques ---- */

struct parameter {
    const char *name; /* as on the command line and in configurations: bin_size */
    const char *help;
    int64_t least, most, standard;
    const char *const *words; /* names of the values least, least + 1, ..., then NULL; or NULL */
};
enum { TECHNIQUE_PARAMETERS = 8 };

/* A stream whose batches have one length, with dense numbers for addresses, for techniques with many
 * passes: made once, shared by all threads; refers to the stream. */
struct stream_index;
enum status stream_index_make(struct stream_index **out, const struct stream *stream,
                              struct error *e);
void stream_index_free(struct stream_index *x); /* NULL is fine */

/* One of many configurations that are built from one stream. */
struct build_point {
    const int64_t *values; /* one a parameter */
    const size_t *marks;   /* numbers of batches after which its profile is wanted; they rise, and
                              none is beyond the stream's end */
    size_t mark_count;
};

struct build_request {
    const struct stream *stream;
    const struct stream_index *index; /* of the stream; NULL: made if needed */
    const struct build_point *points;
    size_t point_count;
    bool direct;   /* use the direct implementation: slower, same result */
    bool together; /* never use it, even if it is cheaper: for tests */
    /* Receives the profile of the first `batches` batches by points[point]: for each point in the
     * order of its marks, the points in any order. It may move parts out of the profile, and sets
     * these to 0. A status other than STATUS_OK stops the building. */
    enum status (*each)(void *user, size_t point, size_t batches, struct profile *p,
                        struct error *e);
    bool (*stopped)(void *user); /* polled if not NULL; true: STATUS_INTERRUPTED */
    /* Receives each line that an external technique (exec) writes to its standard error, also if it
     * fails; may be NULL. */
    void (*said)(void *user, const char *line);
    void *user;
};

/* An incremental technique: takes batch by batch, for running machines. The result equals that of
 * build(). */
struct technique_growing {
    /* shape: a stream without batches; it and values are valid until the end. */
    enum status (*begin)(void **self, const struct stream *shape, const int64_t *values,
                         struct error *e);
    /* weight: as stream_weight(). False: out of memory; only end() may be called then. */
    bool (*take)(void *self, const struct sample *batch, uint64_t weight);
    /* Makes the profile of all `batches` batches taken so far. probes: fired for the sampler. */
    enum status (*now)(void *self, size_t batches, uint64_t probes, struct profile *out,
                       struct error *e);
    void (*end)(void *self);
};

/* Builds again and again while a machine runs. */
struct technique_again {
    /* As build() with all batches of a stream that has grown since the last time; the same profile,
     * but for cost.steps. *memory: what the technique remembers; NULL at first. */
    enum status (*build)(void **memory, struct profile *out, const struct stream *stream,
                         const int64_t *values, struct error *e);
    void (*forget)(void *memory); /* frees it; NULL is fine */
};

struct program_trace;
struct technique {
    const char *name, *summary, *source;               /* source: the paper */
    struct parameter parameters[TECHNIQUE_PARAMETERS]; /* ends with a NULL name */
    bool needs_structure;                              /* build() uses stream->structure */
    bool each_transfer; /* live and slow: called at each transfer; for estimates of time */
    bool in_hardware;   /* live: what it models, a processor does by itself; the model's host
                           instructions are not its cost */
    /* Techniques on streams: builds from the first `batches` batches (SIZE_MAX: all). values: one a
     * parameter. */
    enum status (*build)(struct profile *out, const struct stream *stream, size_t batches,
                         const int64_t *values, struct error *e);
    /* Optional: as technique_build_at(), in one pass over the stream; marks are valid. */
    enum status (*build_at)(const struct stream *stream, const size_t *marks, size_t mark_count,
                            const int64_t *values,
                            enum status (*each)(void *user, size_t batches, const struct profile *p,
                                                struct error *e),
                            void *user, struct error *e);
    /* Optional: as technique_build_many() for requests that are not direct; all is checked. */
    enum status (*build_many)(const struct build_request *request, struct error *e);
    const struct technique_growing *growing; /* optional */
    const struct technique_again *again;     /* optional */
    const struct exec *exec; /* an external program that builds, instead of all functions above;
                                `build` only marks the technique as one on streams. See
                                profile/exec/exec.h */
    /* Optional: STATUS_OK if the technique works on a stream with these values, which are in range.
     * It may look only at of, batch_length and batch_count: plans ask before there are samples. */
    enum status (*fits)(const struct stream *stream, const int64_t *values, struct error *e);
    /* Optional, with build_many: as technique_group(). */
    size_t (*group)(const int64_t *const *values, size_t count, size_t *groups);
    /* Live techniques: attach observes a machine; finish detaches and fills the profile. */
    enum status (*attach)(void **self, struct nes *nes, const int64_t *values, struct error *e);
    enum status (*finish)(void *self, struct profile *out, struct error *e); /* frees self */
    void (*abandon)(void *self); /* frees self; NULL is fine */
    /* Optional, of a live technique: finds the same of a recorded program, from its trace
     * (profile/program/program_trace.h). Emulated time is the program's clock. */
    enum status (*replay)(struct profile *out, const struct program_trace *program,
                          const int64_t *values, struct error *e);
    const char *only_machine; /* of a live technique without replay(): why it finds nothing there */
    /* Optional: what has been found up to now, between runs; the technique goes on. Only the graph is
     * filled. What is open in the midst (a trace, a path) is left out. */
    enum status (*now)(void *self, struct profile *out, struct error *e);
};

/* All techniques, sorted by name; *count becomes their number. */
const struct technique *const *techniques(size_t *count);
const struct technique *technique_find(const char *name); /* NULL if there is none */

/* STATUS_ARGUMENT, naming the parameter and its range, unless each value is in it. */
enum status technique_check(const struct technique *t, const int64_t *values, struct error *e);

/* STATUS_ARGUMENT unless the values are in range and the stream has what the technique needs. */
enum status technique_fits(const struct technique *t, const struct stream *stream,
                           const int64_t *values, struct error *e);

/* Builds many configurations, in one pass over the stream if the technique can, and delivers one
 * profile for each mark. For programs that repeat themselves this costs little more than building
 * one configuration.
 *
 *     size_t all = stream.batch_count;
 *     struct build_point points[2] = {{values[0], &all, 1}, {values[1], &all, 1}};
 *     struct build_request r = {
 *         .stream = &stream, .points = points, .point_count = 2, .each = take, .user = &results};
 *     if (technique_build_many(technique_find("gaussian"), &r, &err)) ...
 */
enum status technique_build_many(const struct technique *t, const struct build_request *request,
                                 struct error *e);

/* Builds the profile of one configuration from the first `batches` batches; SIZE_MAX: all. */
struct build_one {
    const struct stream *stream;
    const struct stream_index *index; /* may be NULL */
    size_t batches;
    const int64_t *values;
    bool direct;
};
enum status technique_build(struct profile *out, const struct technique *t,
                            const struct build_one *one, struct error *e);

/* Divides configurations into groups that should be built together, so that threads can share the
 * work: one request for each group, with one index, costs about as much as one request for all.
 * groups[i] becomes the number of the group of values[i], from 0. Returns the number of groups;
 * SIZE_MAX: out of memory. */
size_t technique_group(const struct technique *t, const int64_t *const *values, size_t count,
                       size_t *groups);

/* For convergence curves: calls each() with the profile of the first marks[i] batches, for every
 * mark in order. Marks must rise, and none may be beyond the stream's end (STATUS_ARGUMENT). The
 * profile is read-only. The first status of each() other than STATUS_OK ends the building, and is
 * returned. */
enum status technique_build_at(const struct technique *t, const struct stream *stream,
                               const size_t *marks, size_t mark_count, const int64_t *values,
                               enum status (*each)(void *user, size_t batches,
                                                   const struct profile *p, struct error *e),
                               void *user, struct error *e);

#endif
