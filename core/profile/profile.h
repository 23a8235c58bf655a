/*
 * profile: profiling techniques, one a file, and the sampler that feeds those that work on samples.
 *
 * A technique finds a control-flow graph. Live ones watch a machine through probes while it runs
 * (exact, ...); those on streams work on recorded batches of executed instructions (gaussian,
 * observed, ...). Either fills a struct profile: the graph and its deterministic costs. Each file
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
};
struct structure;

/* Programs repeat themselves: about a twentieth of a game's batches are distinct. Each distinct batch
 * is stored once, and the stream is their order. */
struct stream {
    size_t batch_length, batch_count;
    struct sample *batches; /* batch_length * distinct_count, one different batch after another */
    size_t distinct_count;
    uint32_t *order;   /* batch i is batches[order[i]]; NULL: batches[i], which may repeat */
    uint64_t overruns; /* 0 for foreign files */
    char program[41];  /* SHA-1 of what was run, as graph.h's; "" unknown */

    /* The population of the samples. */
    enum stream_of of;
    bool active;         /* only transfers outside of busy-waits */
    uint64_t population; /* instructions, or transfers of that kind, that were executed in all;
                            0: not known, as of foreign files */
    uint64_t executed;   /* instructions; 0: not known */
    uint64_t probes;     /* that fired while it was recorded */
    uint16_t *cycles;    /* weighting: those of the instruction before each batch; else NULL */
    const struct structure *structure; /* of the program (profile/structure/structure.h), borrowed;
                                          may be NULL */
};
/* The samples of batch i. */
static inline const struct sample *stream_batch(const struct stream *s, size_t i) {
    return s->batches + (s->order != NULL ? s->order[i] : i) * s->batch_length;
}

/* The weight of batch i: 720720 (a multiple of 1 to 16) divided by the cycles of the instruction before
 * it, since its chance to be sampled is proportional to them; 1 in a stream without weights. */
static inline uint64_t stream_weight(const struct stream *s, size_t i) {
    return s->cycles == NULL ? 1 : 720720 / s->cycles[i];
}
/* Instructions that were observed for the first `batches` batches: a transfer is one. */
static inline uint64_t stream_observed(const struct stream *s, size_t batches) {
    return s->of == STREAM_OF_TRANSFERS ? batches : (uint64_t)batches * s->batch_length;
}

/* Makes a stream batch by batch:
 *
 *     struct stream_maker m = {.stream.batch_length = 25};
 *     if (!stream_add(&m, batch)) ...
 *     struct stream s = stream_made(&m);
 *
 * stream_add returns false if out of memory, or after 2^32 - 1 distinct batches; the maker is unchanged
 * then. stream_made moves the stream out and leaves an empty maker; stream_unmake frees it. */
struct stream_maker {
    struct stream stream;
    uint32_t *table; /* distinct batches by hash: 1 + number; 0: free */
    size_t table_cap, batch_cap, order_cap;
};
bool stream_add(struct stream_maker *m, const struct sample *batch);
bool stream_add_again(struct stream_maker *m, uint32_t number); /* repeats batch `number` */
struct stream stream_made(struct stream_maker *m);
void stream_unmake(struct stream_maker *m);
void stream_free(struct stream *s);
/* Draws a stream of `count` batches of s: a random one of each of `count` sections of equal length, so
 * that all phases of a program are sampled. Population and executed stay those of the whole
 * program. */
enum status stream_thin(struct stream *out, const struct stream *s, size_t count, uint64_t seed,
                        struct error *e);
/* Files are `isampling` text, which other tools share, or compact and binary (the layout is in
 * profile/stream/stream_binary.c): stream_write goes by the name, and .hgstream is binary;
 * stream_read by the content. Either is compressed by gzip when the name ends in .gz; a binary file
 * that is not is mapped, and read in place. *warning, when not NULL, gets one sentence or "". */
enum status stream_read(struct stream *out, const char *path, struct error *warning,
                        struct error *e);
enum status stream_parse(struct stream *out, const void *data, size_t len, const char *name,
                         struct error *warning, struct error *e);
enum status stream_write(const struct stream *s, const char *path, const char *image,
                         struct error *e);
/* STATUS_ARGUMENT unless the name of an output file implies one of the two formats. Devices and pipes
 * may have any name. */
enum status stream_check_name(const char *path, struct error *e);
/* Hash of all that techniques use: batches, pc, target, size and kind. The opcode is only for people, and
 * is not in files. */
uint64_t stream_hash(const struct stream *s);
/* Is this kind of instruction a control transfer? */
bool sample_is_transfer(const struct sample *s);
/* The target of the control transfer at index i of a batch: the encoded target, else the next pc of the
 * batch, else (at its end) STREAM_NOWHERE. */
uint64_t sample_target(const struct sample *batch, size_t batch_length, size_t i);
#define STREAM_NOWHERE UINT64_MAX

/* ---- the sampler: an observer that records batches of instructions, or single transfers ---- */

enum { SAMPLER_BATCH_MOST = 65536 };

enum sampler_by {
    SAMPLER_TIME,         /* emulated time, as the paper has it */
    SAMPLER_INSTRUCTIONS, /* a batch in every `every` executed instructions */
    SAMPLER_TRANSFERS,    /* a transfer in every `every` executed transfers */
    SAMPLER_ACTIVE,       /* the same over transfers outside of busy-waits */
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
    uint64_t jitter_us;    /* each batch is moved by up to this much either way */
    uint64_t seed;         /* of the jitter and of offsets */
    uint64_t phase_cycles; /* added to every due cycle */
    bool weigh; /* SAMPLER_TIME: record the cycles of the instruction before each batch */
    enum sampler_by by;
    enum sampler_place place;
    uint64_t every;
    /* Instead of `every`: so that at most so many of each million executed instructions are
     * observed. Of transfers the structure must say how many there were. */
    uint64_t per_million;
    const struct structure *structure; /* SAMPLER_ACTIVE: knows busy-waits */
    /* Not NULL: gets each batch, and with `weigh` the cycles before it (else 0), instead of a
     * stream that is kept. False: memory was out. */
    bool (*take)(void *user, const struct sample *batch, uint16_t cycles);
    void *user;
};
struct sampler;
enum status sampler_attach(struct sampler **out, struct nes *nes, struct sampler_options options,
                           struct error *e);
/* Detaches, moves the stream to the caller and frees the sampler. Drops an incomplete last batch. */
enum status sampler_finish(struct sampler *s, struct stream *out, struct error *e);
/* Fills all of the stream but its batches, as sampler_finish would now. */
void sampler_describe(const struct sampler *s, struct stream *out);
void sampler_free(struct sampler *s); /* detaches without a result; NULL is fine */

/* Samples nothing, and counts what samplers with `per_million` must know: finish sets
 * s->executed and s->transfers, and frees it as sampler_free does. */
enum status sampler_attach_counting(struct sampler **out, struct nes *nes, struct error *e);
enum status sampler_finish_counting(struct sampler *c, struct structure *s, struct error *e);

/* ---- results ---- */

struct cost {          /* all deterministic */
    uint64_t records;  /* records stored */
    uint64_t probes;   /* probes executed */
    uint64_t observed; /* guest instructions observed one by one */
    uint64_t steps; /* analysis steps: what the technique's file counts as one is written there */
    bool structure; /* the program's structure was given */
};

/* Further counts of a technique, by name: dropped entries, ... Deterministic, too. */
struct named_count {
    const char *name; /* not the profile's own */
    uint64_t value;
};
enum { PROFILE_COUNTS = 8 };

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
    const char *const *words; /* where values have names: of least, least + 1, ..., then NULL */
};
enum { TECHNIQUE_PARAMETERS = 8 };

/* A stream with dense numbers for addresses, for techniques with many passes: made once, shared by all
 * threads; refers to the stream. */
struct stream_index;
enum status stream_index_make(struct stream_index **out, const struct stream *stream,
                              struct error *e);
void stream_index_free(struct stream_index *x); /* NULL is fine */

/* One of many configurations that are built from one stream. */
struct build_point {
    const int64_t *values; /* one a parameter */
    const size_t *marks;   /* where its profile is wanted, in batches: they rise, none is beyond the
                              stream's end */
    size_t mark_count;
};

struct build_request {
    const struct stream *stream;
    const struct stream_index *index; /* of the stream; NULL: one is made where it is needed */
    const struct build_point *points;
    size_t point_count;
    bool direct;   /* use the direct implementation: slower, same result */
    bool together; /* never use it, even if it is cheaper: for tests */
    /* Gets the profile of the first `batches` batches by points[point]: for each point in the order
     * of its marks, and the points in any order. The profile is each()'s to keep: what is taken out
     * of it is set to 0. Another status than STATUS_OK ends everything. */
    enum status (*each)(void *user, size_t point, size_t batches, struct profile *p,
                        struct error *e);
    bool (*stopped)(void *user); /* polled if not NULL; true: STATUS_INTERRUPTED */
    void *user;
};

/* A profile that grows batch by batch, for running machines: the same as build()'s. */
struct technique_growing {
    /* shape: a stream without batches; it and values are valid until the end. */
    enum status (*begin)(void **self, const struct stream *shape, const int64_t *values,
                         struct error *e);
    /* weight: as stream_weight(). False: memory was out, and there is nothing to be had any more.
     */
    bool (*take)(void *self, const struct sample *batch, uint64_t weight);
    /* Of the first `batches`, which are those that were taken. probes: of the sampler. */
    enum status (*now)(void *self, size_t batches, uint64_t probes, struct profile *out,
                       struct error *e);
    void (*end)(void *self);
};

struct technique {
    const char *name, *summary, *source;               /* source: the paper */
    struct parameter parameters[TECHNIQUE_PARAMETERS]; /* ends with a NULL name */
    bool needs_structure;                              /* build() uses stream->structure */
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
    /* Optional: as technique_build_many when it is not direct; all has been checked. */
    enum status (*build_many)(const struct build_request *request, struct error *e);
    const struct technique_growing *growing; /* optional */
    /* Optional: whether the technique can work on a stream with these values, which are in range.
     * It looks at batch_length and batch_count alone: a plan asks before there are samples. */
    enum status (*fits)(const struct stream *stream, const int64_t *values, struct error *e);
    /* Optional, with build_many: as technique_group. */
    size_t (*group)(const int64_t *const *values, size_t count, size_t *groups);
    /* Live techniques: attach observes a machine; finish detaches and fills the profile. */
    enum status (*attach)(void **self, struct nes *nes, const int64_t *values, struct error *e);
    enum status (*finish)(void *self, struct profile *out, struct error *e); /* frees self */
    void (*abandon)(void *self); /* frees self; NULL is fine */
};

/* All techniques, sorted by name; *count gets how many. */
const struct technique *const *techniques(size_t *count);
const struct technique *technique_find(const char *name); /* NULL if there is none */

/* STATUS_ARGUMENT, naming the parameter and its range, unless each value is in it. */
enum status technique_check(const struct technique *t, const int64_t *values, struct error *e);

/* STATUS_ARGUMENT unless the values are in range and the stream has what the technique needs. */
enum status technique_fits(const struct technique *t, const struct stream *stream,
                           const int64_t *values, struct error *e);

/* Builds many configurations in one pass along the stream, as far as the technique can, and hands
 * over one profile a mark. Costs little more than one of them where programs repeat themselves.
 *
 *     size_t all = stream.batch_count;
 *     struct build_point points[2] = {{values[0], &all, 1}, {values[1], &all, 1}};
 *     struct build_request r = {
 *         .stream = &stream, .points = points, .point_count = 2, .each = take, .user = &results};
 *     if (technique_build_many(technique_find("gaussian"), &r, &err)) ...
 */
enum status technique_build_many(const struct technique *t, const struct build_request *request,
                                 struct error *e);

/* One configuration's profile of the first `batches` batches, SIZE_MAX for all. */
struct build_one {
    const struct stream *stream;
    const struct stream_index *index; /* may be NULL, as in a request */
    size_t batches;
    const int64_t *values;
    bool direct;
};
enum status technique_build(struct profile *out, const struct technique *t,
                            const struct build_one *one, struct error *e);

/* Divides configurations into the groups that should be built together, for threads to share: a
 * request for each, with one index, costs about as much as one request for all. groups[i] gets the
 * number of the group of values[i], from 0; returns how many groups there are, SIZE_MAX when memory
 * is out. */
size_t technique_group(const struct technique *t, const int64_t *const *values, size_t count,
                       size_t *groups);

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
