/*
 * experiment: what `hotgraph sweep` does with a configuration and a database.
 *
 *  - plan: what the configuration asks for, held against what the database has
 *  - filter: which part of it is wanted now
 *  - shard: one part of a plan that several machines share
 *  - store: the rows of the experiment itself, and of who computes it
 *  - noise (noise.h): whether the machine was quiet enough for its timings
 *  - work: does what the plan says is missing, on several threads
 *  - digest: whether what came out is what was expected
 *
 * The way of a row: work.c takes a game's stream and exact graph from source.c, gives each
 * configuration to a technique, and hands what comes out as jobs (rows.c) to the one thread that
 * writes (writer.c).
 */
#ifndef HOTGRAPH_EXPERIMENT_H
#define HOTGRAPH_EXPERIMENT_H

#include "cli/cli.h"
#include "config/config.h"
#include "db/db.h"
#include "experiment/plan/noise.h"
#include "nes/movie.h"

/*
 * plan: what a configuration asks for, held against what the database has.
 *
 * Building a plan reads every ROM, movie and configuration that will be needed, so that what is
 * wrong with them is said before the work begins and not in its middle. It writes nothing.
 */

enum { PLAN_KEY = 256, PLAN_VARIANT = 400 };

/* What the database knows of one configuration on one stream. */
struct plan_point {
    bool has_result, has_curve; /* whole, for all shares; version 1 stored less of a result */
    bool unfit;                 /* cannot be built from this stream: plan_fits() says why */
    bool elsewhere;             /* another shard's */
    char graph_hash[33];        /* "" or of the graph that was found */
};

/* One way of sampling one replay. */
struct plan_stream {
    const struct config_sampling *way; /* NULL: the pair's or program's own */
    char variant[PLAN_VARIANT];        /* of its game's streams; "" of the first */
    char sampling_key[PLAN_KEY];
    struct db_sampling sampling; /* its key is the one above */
    int64_t stream_id;           /* name of its row, there already or not */
    bool wanted;                 /* by the filter */
    bool has_stream;
    char hash[33];                  /* "" or what the database has */
    uint64_t batches, batch_length; /* of the stream in the database, then of the one made */
    struct plan_point *points;      /* one for each of the configuration's */
    size_t missing;                 /* results and curves to compute; 1 at least without a stream */
    size_t left;                    /* what is missing, too, but not wanted or another shard's */
};

/* One replay: a game with one of its movies. */
struct plan_game {
    const struct config_game *game;
    const char *movie_path;   /* NULL for a pair or program */
    char label[PLAN_VARIANT]; /* for people: its name, and the movie where it is not the first */
    bool wanted;              /* by the filter, or all are */
    bool present;             /* its ROM was found; false: to be skipped */
    bool named;               /* the names of its rows are known, also where it is absent */
    struct plan_game *same;   /* NULL or an earlier game of the same streams, whose rows it has */
    char absent[300];         /* of a program that is to be skipped: why */
    struct cartridge *cartridge; /* NULL for a pair or program, or when not present */
    struct movie movie;
    char console[NES_CONSOLE_TEXT]; /* as --console takes it; "": the usual one */
    char replay_key[PLAN_KEY];
    int64_t replay_id; /* name of its row, there already or not */
    bool has_exact;
    char exact_hash[33];         /* "" or what the database has */
    struct plan_stream *streams; /* one for each of the configuration's samplings; one of a pair or
                                    program */
    size_t stream_count;
    size_t missing; /* of all streams; 1 at least without the exact graph */
    size_t left;
};

struct plan {
    const struct config *config; /* borrowed */
    struct plan_game *games;     /* each of the configuration's once for each of its movies */
    size_t count;
    bool *wanted;   /* the configuration's points, by the filter */
    size_t missing; /* over all games that are wanted and present */
};

/* What shall be computed now; the experiment stays whole. All of it where a list is empty. */
struct plan_filter {
    const char *const *games; /* names */
    size_t game_count;
    const char *const *techniques; /* of the grid; the baseline always is among what is wanted */
    size_t technique_count;
    const char *const *where; /* "NAME=VALUE[,VALUE...]" of parameters, of samplings, or movie: all
                                 must hold; a configuration or stream that has no such thing is not
                                 wanted */
    size_t where_count;
};

/* STATUS_ARGUMENT unless it has the form of one of `where`; the message can stand behind "--where
 * ".
 */
enum status plan_check_condition(const char *text, struct error *e);
/* STATUS_ARGUMENT names what the file does not have of the filter's. filter: NULL for everything.
 * db: may be empty. */
enum status plan_make(struct plan *out, const struct config *config,
                      const struct plan_filter *filter, struct db *db, struct error *e);
void plan_free(struct plan *p);

/* How many things of the point are wanted and missing: its result, its curve. */
size_t plan_due(const struct plan *p, const struct plan_stream *s, size_t point);
/* Finds which configurations fit to the game's streams, as far as their batches are known, and what
 * is missing of the others. */
void plan_count(const struct plan *p, struct plan_game *game);
/* STATUS_ARGUMENT says why a configuration cannot be built from the game's stream, or is not to
 * be. */
enum status plan_fits(const struct plan_game *game, const struct plan_stream *stream,
                      const struct config_point *point, struct error *e);

/* Whether the database's recording of a program executed other files than its configuration says
 * that results are known of: text gets which one, in words, or "". An image that is expected and
 * was not executed is none that results could differ by. */
enum status plan_other_image(const struct plan_game *game, struct db *db, char *text, size_t size,
                             struct error *e);

/* Why something is missing of a game that is wanted and present, for people: "new", "changed:
 * movie", "12 configurations new, 3 results missing". db: the one that the plan was held against.
 */
enum status plan_why(const struct plan *p, const struct plan_game *game, struct db *db, char *out,
                     size_t size, struct error *e);

/* How much of it is to be computed: a guess, from what similar work in the database took. */
struct plan_size {
    size_t results, streams, replays;
    double seconds; /* of one processor */
    double bytes;   /* of memory, for each thread: each works on a game of its own */
};
enum status plan_estimate(const struct plan *p, struct db *db, struct plan_size *out,
                          struct error *e);

/* What work takes, in seconds of one processor: what was measured in the database, or what is
 * usual. */
struct plan_rates {
    double frame; /* that is played, and again for each sampler that watches it */
    double batch; /* that one of many configurations is built from */
    double solve; /* a technique that knows the structure takes for a graph, whatever the stream */
    double live;  /* a frame that a live technique watches */
};
struct plan_rates plan_usual_rates(void);
enum status plan_learn_rates(struct plan_rates *out, const struct config *config, struct db *db,
                             struct error *e);
enum {
    PLAN_RECORDING_SECONDS = 10
}; /* of a program, of which nothing is known before it has run */
/* How many batches a stream has in the database, or as its sampling lets expect; the latter alone.
 */
double plan_batches(const struct plan_game *game, const struct plan_stream *stream);
double plan_expected_batches(const struct plan_game *game, const struct plan_stream *stream);
/* Seconds for a game's streams and exact graph; for one configuration on a stream of so many
 * batches.
 */
double plan_source_seconds(const struct plan_rates *r, const struct plan_game *game);
double plan_point_seconds(const struct plan_rates *r, const struct plan *p,
                          const struct plan_game *game, double batches, size_t point);

/* The name of a configuration's row. */
int64_t plan_configuration_id(const struct config_point *point);
/* The marks of a stream of so many batches: the configuration's, and its end. The caller frees
 * *out. */
enum status plan_marks(const struct config *config, uint64_t batches, size_t **out, size_t *count,
                       struct error *e);

/*
 * shard: a plan in N parts for as many machines. Which part has what follows from what is swept
 * alone (the games that are wanted and present, by the hashes of their inputs; the configurations,
 * by their keys), so all parts together are the whole, on whatever machine and in whatever order,
 * and a part that is done again is the same part. A game's configurations are only divided where
 * the slowest shard ends earlier for it, since each of them has to replay the game then. Shards may
 * be empty.
 */

enum { SHARDS_MOST = 100000 };

struct shard {
    uint64_t number, count; /* number from 1, 0: no part at all; count 0: not divided */
};
/* "I/N" into a struct shard; the message can stand behind "--shard ". */
enum status shard_parse(void *to, const char *text, struct error *e);
/* Leaves in the plan what this shard has to do: other games are not wanted, other points
 * `elsewhere`. */
enum status plan_shard(struct plan *p, struct shard shard, struct error *e);

/* Leaves out what `known`, a plan of the same configuration for another database, says is there. */
void plan_leave(struct plan *p, const struct plan *known);

/* The rule by itself. Costs are in any unit. */
struct shard_share {
    int64_t id;             /* a hash of what it is; all differ */
    double whole, each;     /* cost of what each slice needs, and of each item */
    size_t items;           /* at least 1 */
    uint64_t first, slices; /* filled, as the rest: its items are spread over these shards */
    size_t head, body;      /* 0: evenly; else so many are in the first, and in each other one */
};
/* Divides the shares, the same for shares in any order, so that the slowest shard costs little:
 * dealt out whole or cut evenly, or one shard filled after the other, whichever is less. */
enum status shard_divide(struct shard_share *shares, size_t count, uint64_t shards,
                         struct error *e);
/* Which shard has that item of the share. */
uint64_t shard_of(const struct shard_share *share, size_t item);

/*
 * store: the rows of the experiment itself, and of who computes it.
 */

/* Games, configurations and which streams belong to the experiment. Writes nothing where that is so
 * already. */
enum status store_experiment(const struct plan *plan, struct db *db, int64_t *experiment_id,
                             struct error *e);

struct store_run {
    const char *version, *commit; /* of the program */
    const char *arguments, *engine;
    int jobs;
    struct shard shard;
};
/* A row for the work that is about to begin, with all that a reader may want to know a year later.
 */
enum status store_run(const struct plan *plan, struct db *db, const struct store_run *about,
                      int64_t *run_id, struct error *e);

/* Stores, for each stream that is there, the configurations that do not fit it: plan_fits() is the
 * rule, and the views count what it says. */
enum status store_unfit(const struct plan *plan, struct db *db, int64_t experiment_id,
                        struct error *e);

/* Best, median, worst and baseline of every game of the plan that is complete and whole. */
enum status store_roles(const struct plan *plan, struct db *db, int64_t experiment_id,
                        struct error *e);

/*
 * work: does what a plan says is missing, on several threads, and hands every row to the writer.
 *
 * Each game is a chain of OpenMP tasks: its replay, then one for each group of configurations that
 * are built together, sharing the stream read-only, and at the end one that lets the stream go and
 * begins another game. So no more streams are held than there are threads. No row depends on the
 * number of threads or on the order in which they happen to finish.
 */

struct work_options {
    int jobs; /* threads, at least 1 */
    struct engine_choice engine;
    bool direct;                /* techniques by the plain implementation of their definition */
    const char *engine_options; /* as --engine takes them */
    int64_t run_id;
    int (*stopped)(void); /* nonzero: finish what is under way and end; may be NULL */
};

/* Adds the results to plan->games[].points and sets `missing` to 0 for games that are complete. A
 * game that cannot be played is reported on standard
 * error and counted in *failed; the others go on. STATUS_INTERRUPTED when stopped; other failures
 * end everything. In any case all rows that were finished are committed, if the database lets us.
 */
enum status work_run(struct plan *plan, struct db *db, const struct work_options *options,
                     size_t *failed, struct error *e);

/*
 * digest: whether a sweep found what it should: a hash for each row or group of rows, kept in a
 * text file beside the configuration and compared stream by stream. A file of more than DIGEST_ROWS
 * would be as large as what it is there to replace: it has one hash for all rows of a stream.
 *
 *     # comment
 *     definition <tab> hash of the experiment's definition
 *     GAME/KIND/NUMBER <tab> hash     of the game's only or first stream
 *     GAME@VARIANT/KIND/NUMBER <tab> hash
 *
 * or, by stream,
 *
 *     GAME@VARIANT <tab> hash
 */

enum { DIGEST_ROWS = 5000 };

struct digest_line {
    char *key;
    char hash[33];
};

struct digest {
    char definition[33]; /* "" where unknown */
    char total[33];      /* over all lines */
    bool by_stream;      /* a line a stream */
    VEC(struct digest_line) lines;
};

/* Of all of an experiment's rows. */
enum status digest_take(struct digest *out, struct db *db, const char *experiment, struct error *e);
/* The lines of some games or streams alone: "GAME" names all of its streams, "GAME/" and
 * "GAME@VARIANT/" one. `whole` has rows. */
enum status digest_part(struct digest *out, const struct digest *whole, const char *const *names,
                        size_t name_count, struct error *e);
/* The lines of what a plan's filter asks for and has: the same whatever else the database has. Of
 * streams that lack results, none; of the graphs that stand for whole games (the best, the worst),
 * none unless the filter takes games whole. `whole` has rows. */
enum status digest_of_filter(struct digest *out, const struct digest *whole, const struct plan *p,
                             struct error *e);
/* Of rows, a line for each stream. */
enum status digest_by_stream(struct digest *out, const struct digest *rows, struct error *e);
enum status digest_read(struct digest *out, const char *path, struct error *e);
enum status digest_write(const struct digest *d, const char *path, const char *experiment,
                         struct error *e);
void digest_free(struct digest *d);

enum digest_verdict {
    DIGEST_SAME,
    DIGEST_CHANGED,    /* *key has another hash */
    DIGEST_MISSING,    /* *key is expected, but not here */
    DIGEST_UNEXPECTED, /* *key is here, but not expected */
};
/* Compares the streams that both have; *compared gets their number, *others that of streams that
 * only `ours` has. Both have rows, or both streams. On a difference, *key is the first, borrowed
 * from either. */
enum status digest_compare(const struct digest *ours, const struct digest *expected,
                           enum digest_verdict *verdict, const char **key, size_t *compared,
                           size_t *others, struct error *e);

#endif
