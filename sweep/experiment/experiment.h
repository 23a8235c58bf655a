/*
 * experiment: what `hotgraph sweep` does with a configuration and a database.
 *
 *  - plan: compares what the configuration asks for with what the database has
 *  - filter: selects the part of the plan that is wanted now
 *  - shard: selects this machine's part of a plan
 *  - store: writes the rows that describe the experiment and the run
 *  - noise (noise.h): tells whether the machine was quiet enough for its timings
 *  - work: computes what is missing, on several threads
 *  - digest: compares the results with the expected ones
 *
 * The path of a row: work.c gets a game's stream and exact graph from source.c, runs a technique
 * with each configuration, and passes the results as jobs (rows.c) to the only thread that writes
 * (writer.c).
 */
#ifndef HOTGRAPH_EXPERIMENT_H
#define HOTGRAPH_EXPERIMENT_H

#include "cli/cli.h"
#include "config/config.h"
#include "db/db.h"
#include "experiment/plan/noise.h"
#include "nes/movie.h"

/*
 * plan: compares what a configuration asks for with what the database has.
 *
 * Building a plan reads every ROM, movie and configuration that will be needed, so that their
 * errors are reported before the work begins. It writes nothing.
 */

enum { PLAN_KEY = 256, PLAN_VARIANT = 400 };

/* What the database has for one configuration on one stream. */
struct plan_point {
    bool has_result, has_curve; /* complete, for all hot shares; version 1 of the schema stored
                                   less */
    bool has_windows;           /* all rows of windows, if there are any */
    bool has_paths;             /* what its graph tells of the paths */
    bool unfit;                 /* the stream cannot feed it; plan_fits() says why */
    bool elsewhere;             /* belongs to another shard */
    char graph_hash[33];        /* of the technique's graph; "": unknown */
};

/* One sampling of one replay. */
struct plan_stream {
    const struct config_sampling *configured; /* NULL: the pair's or program's own, ... */
    const struct config_budget *budget; /* ... of a program this one; NULL: that of its entry */
    enum stream_of of;                  /* what its batches are; transfers of games are batches,
                                           as far as plans know */
    char variant[PLAN_VARIANT];         /* tells the game's streams apart; "" for the first */
    char sampling_key[PLAN_KEY];
    struct db_sampling sampling; /* its `key` points to the array above */
    int64_t stream_id;           /* id of its row, which need not exist yet */
    bool wanted;                 /* selected by the filter */
    bool has_stream;
    char hash[33];                  /* in the database; "": none */
    uint64_t batches, batch_length; /* of the stream in the database, later of the new one */
    size_t window_rows;             /* of quality in windows, for each configuration; 0: none */
    bool judges_paths;              /* results say what they tell of the paths */
    struct plan_point *points;      /* one for each of the configuration's points */
    size_t missing; /* results, curves, windows and paths to compute; at least 1 if the stream is
                                       missing */
    size_t left;    /* missing as well, but not wanted or another shard's */
};

/* One replay: a game with one of its movies. */
struct plan_game {
    const struct config_game *game;
    const char *movie_path;      /* NULL for a pair or program */
    char label[PLAN_VARIANT];    /* for display: its name, and the movie unless it is the first */
    bool wanted;                 /* selected by the filter, or there is no filter */
    bool present;                /* its ROM was found; false: skip it */
    bool named;                  /* the ids of its rows are known, even if it is absent */
    struct plan_game *same;      /* an earlier game with the same streams, whose rows it shares; or
                                 NULL */
    char absent[300];            /* why a program is skipped */
    struct cartridge *cartridge; /* NULL for a pair or program, or when not present */
    struct movie movie;
    struct movie other;   /* the one that live techniques may watch instead; empty: none */
    char other_input[41]; /* hash of that movie, or of a program's other run; "": none */
    char console[NES_CONSOLE_TEXT]; /* in the syntax of --console; "": the default */
    char replay_key[PLAN_KEY];
    int64_t replay_id;     /* id of its row, which need not exist yet */
    uint64_t instructions; /* of its replay in the database; 0: unknown */
    bool has_exact;
    bool judges_paths, has_paths; /* the paths are to be counted; the database has their number */
    char exact_hash[33];          /* in the database; "": none */
    struct plan_stream *streams;  /* one for each sampling of the configuration; a pair has one; a
                                    program one for each budget, or one, and one of its other run if
                                    a sampling asks for it */
    size_t stream_count;
    size_t missing; /* in all streams; at least 1 if the exact graph is missing */
    size_t left;
};

struct plan {
    const struct config *config; /* borrowed */
    struct plan_game *games;     /* one for each movie of each of the configuration's games */
    size_t count;
    bool *wanted;   /* one for each of the configuration's points */
    size_t missing; /* in all games that are wanted and present */
};

/* What to compute now; the definition of the experiment does not change. An empty list selects
 * everything. */
struct plan_filter {
    const char *const *games; /* names */
    size_t game_count;
    const char *const *techniques; /* of the grid; the baseline is always selected */
    size_t technique_count;
    const char *const *where; /* "NAME=VALUE[,VALUE...]" of parameters, of samplings, or movie; all
                                 must hold; a configuration or stream without NAME is not
                                 selected */
    size_t where_count;
};

/* STATUS_ARGUMENT unless it has the form of an element of `where`; the message continues "--where
 * ". */
enum status plan_check_condition(const char *text, struct error *e);
/* STATUS_ARGUMENT names a filter's word that the file does not contain. filter: NULL selects
 * everything. db: may be empty. */
enum status plan_make(struct plan *out, const struct config *config,
                      const struct plan_filter *filter, struct db *db, struct error *e);
void plan_free(struct plan *p);

/* How many of the point's result, curve, windows and paths are wanted and missing: 0 to 4. */
size_t plan_due(const struct plan *p, const struct plan_stream *s, size_t point);
/* Finds which configurations fit the game's streams, as far as their batches are known, and which
 * results of those are missing. */
void plan_count(const struct plan *p, struct plan_game *game);
/* False: the technique works on samples and the stream has none, or the other way round. */
bool plan_applies(const struct plan_stream *stream, const struct config_point *point);
/* STATUS_ARGUMENT: the stream cannot feed the configuration, or must not; the message says why. */
enum status plan_fits(const struct plan_game *game, const struct plan_stream *stream,
                      const struct config_point *point, struct error *e);

/* Compares the files that the recorded program executed with the configuration's `images`, for
 * which results are known. `text` gets the first difference in words, or "". An expected image that
 * was not executed cannot change results and does not count. */
enum status plan_other_image(const struct plan_game *game, struct db *db, char *text, size_t size,
                             struct error *e);

/* Why results are missing of a game that is wanted and present, in words: "new", "changed: movie",
 * "12 configurations new, 3 results missing". db: the one that the plan was made for. */
enum status plan_why(const struct plan *p, const struct plan_game *game, struct db *db, char *out,
                     size_t size, struct error *e);

/* An estimate of the work to do, from what similar work in the database took. */
struct plan_size {
    size_t results, streams, replays;
    double seconds; /* processor time */
    double bytes;   /* of memory per thread; each thread works on a game of its own */
};
enum status plan_estimate(const struct plan *p, struct db *db, struct plan_size *out,
                          struct error *e);

/* Costs in seconds of processor time: measured values from the database, or defaults. */
struct plan_rates {
    double frame; /* to play it, and again for each sampler attached */
    double batch; /* per configuration, when many are built together */
    double solve; /* one graph by a technique that uses the structure, whatever the stream */
    double live;  /* one frame watched by a live technique, */
    double model; /* or by one that models hardware */
};
struct plan_rates plan_usual_rates(void);
enum status plan_learn_rates(struct plan_rates *out, const struct config *config, struct db *db,
                             struct error *e);
enum { PLAN_RECORDING_SECONDS = 10 }; /* to record a program; unknown before it has run */
/* The number of batches of a stream: in the database, else as expected from its sampling; and the
 * expected number alone. */
double plan_batches(const struct plan_game *game, const struct plan_stream *stream);
double plan_expected_batches(const struct plan_game *game, const struct plan_stream *stream);
/* Seconds for a game's streams and exact graph; and for one configuration on a stream of the
 * game, which has or is expected to have `batches`; of what watches by itself, for the frames that it
 * watches. */
double plan_source_seconds(const struct plan_rates *r, const struct plan_game *game);
double plan_point_seconds(const struct plan_rates *r, const struct plan *p,
                          const struct plan_game *game, const struct plan_stream *stream,
                          double batches, size_t point);

/* The id of a configuration's row. */
int64_t plan_configuration_id(const struct config_point *point);
/* The marks of a stream of `batches` batches: the configuration's marks and the stream's end. The
 * caller frees *out. */
enum status plan_marks(const struct config *config, uint64_t batches, size_t **out, size_t *count,
                       struct error *e);

/*
 * shard: divides a plan into N parts for N machines. The division depends only on what is swept:
 * the games that are wanted and present (by the hashes of their inputs) and the configurations (by
 * their keys). So the parts add up to the whole, on any machines and in any order, and repeating a
 * part gives the same part. A game's configurations are split across shards only if the slowest
 * shard ends earlier for it, since each of these shards must replay the game. Shards may be empty.
 */

enum { SHARDS_MOST = 100000 };

struct shard {
    uint64_t number, count; /* number: from 1; 0: an empty part; count 0: not divided */
};
/* Parses "I/N" into a struct shard; the message continues "--shard ". */
enum status shard_parse(void *to, const char *text, struct error *e);
/* Reduces the plan to this shard's part: other games are not wanted, other points `elsewhere`. */
enum status plan_shard(struct plan *p, struct shard shard, struct error *e);

/* Drops the results that exist in the database of `known`, a plan of the same configuration. */
void plan_leave(struct plan *p, const struct plan *known);

/* The rule of division alone. Costs are in any unit. */
struct shard_share {
    int64_t id;             /* a hash of its identity; unique */
    double whole, each;     /* cost that every slice repeats, and cost of an item */
    size_t items;           /* at least 1 */
    uint64_t first, slices; /* output, like the rest: the shards that get its items */
    size_t head, body;      /* items in the first shard, and in each other one; head 0: spread
                               evenly */
};
/* Divides the shares so that the slowest shard costs little, whatever the order of the shares.
 * Takes the cheaper of two plans: shares dealt whole or cut evenly; or shards filled one after the
 * other. */
enum status shard_divide(struct shard_share *shares, size_t count, uint64_t shards,
                         struct error *e);
/* The shard that gets that item of the share. */
uint64_t shard_of(const struct shard_share *share, size_t item);

/* Hashes the arguments of a program's command, the content of those that are files (scripts,
 * sources), and the additions to its environment. False: out of memory. */
bool program_hash_command(const struct config_program *program, char **words, char hex[33]);

/*
 * store: the rows that describe the experiment and the run.
 */

/* Stores the experiment's games, configurations and streams. Writes nothing that is already
 * stored. */
enum status store_experiment(const struct plan *plan, struct db *db, int64_t *experiment_id,
                             struct error *e);

struct store_run {
    const char *version, *commit; /* of the program */
    const char *arguments, *engine;
    int jobs;
    struct shard shard;
};
/* Adds a row for the run that is about to begin, with all that a reader may want to know a year
 * later. */
enum status store_run(const struct plan *plan, struct db *db, const struct store_run *about,
                      int64_t *run_id, struct error *e);

/* Stores, for each existing stream, the configurations that do not fit it. plan_fits() is the rule;
 * the views count its results. */
enum status store_unfit(const struct plan *plan, struct db *db, int64_t experiment_id,
                        struct error *e);

/* Stores the best, median, worst and baseline of every game of the plan whose results are
 * complete. */
enum status store_roles(const struct plan *plan, struct db *db, int64_t experiment_id,
                        struct error *e);

/*
 * work: computes what a plan lacks, on several threads, and passes every row to the writer.
 *
 * Each game is a chain of OpenMP tasks: its replay; then one task for each group of configurations
 * that are built together, which share the stream read-only; at the end one that frees the stream
 * and begins another game. So at most one game's streams per thread are in memory. No row depends
 * on the number of threads or on the order in which they finish.
 */

struct work_options {
    int jobs; /* threads, at least 1 */
    struct engine_choice engine;
    bool direct;                /* use each technique's plain reference implementation */
    const char *engine_options; /* in the syntax of --engine */
    int64_t run_id;
    int (*stopped)(void); /* nonzero: finish running tasks and end; may be NULL */
};

struct work_failures {
    size_t games;   /* that could not be played, or whose work ended early */
    size_t results; /* whose program (a technique by `exec`) failed; nothing else fails with it */
};

/* Adds the results to plan->games[].points and sets `missing` to 0 for games that are complete. A
 * game that cannot be played is reported on standard error and counted in *failed; the others
 * continue, as do the other results of a game one of whose programs failed. STATUS_INTERRUPTED when stopped; other failures end everything. Finished rows are
 * committed in every case, if the database permits. */
enum status work_run(struct plan *plan, struct db *db, const struct work_options *options,
                     struct work_failures *failed, struct error *e);

/*
 * digest: checks that a sweep found the expected results. A text file beside the configuration
 * holds a hash for each row or group of rows; streams are compared one by one. A file with more
 * than DIGEST_ROWS rows would be as large as the results that it replaces, so it has one hash per
 * stream.
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
    char definition[33]; /* "": unknown */
    char total[33];      /* over all lines */
    bool by_stream;      /* one line per stream */
    VEC(struct digest_line) lines;
};

/* The row of the option table for --update-digest, which makes a run's results the expected ones. */
struct option_spec update_digest_option(bool *to);
/* The name of a configuration's digest file: CONFIG without ".cfg", and ".digest". The caller frees
 * it; NULL: out of memory. */
char *digest_path(const char *config_path);

/* Sets the total of lines that were added one by one, unless `status` is a failure already; returns
 * the status. A digest that failed is freed. */
enum status digest_add_up(struct digest *d, enum status status, struct error *e);
/* Computes the digest of all rows of an experiment. */
enum status digest_take(struct digest *out, struct db *db, const char *experiment, struct error *e);
/* Selects the lines of some games or streams: "GAME" names all of its streams, "GAME/" and
 * "GAME@VARIANT/" a single one. `whole` must have rows. */
enum status digest_part(struct digest *out, const struct digest *whole, const char *const *names,
                        size_t name_count, struct error *e);
/* Selects the lines that a plan's filter wants, whatever else the database has. Streams that lack
 * results have no lines. Graphs that depend on a whole game (the best, the worst) have lines only
 * if the filter selects whole games. `whole` must have rows. */
enum status digest_of_filter(struct digest *out, const struct digest *whole, const struct plan *p,
                             struct error *e);
/* Reduces rows to one line per stream. */
enum status digest_by_stream(struct digest *out, const struct digest *rows, struct error *e);
enum status digest_read(struct digest *out, const char *path, struct error *e);
enum status digest_write(const struct digest *d, const char *path, const char *experiment,
                         struct error *e);
void digest_free(struct digest *d);

enum digest_verdict {
    DIGEST_SAME,
    DIGEST_CHANGED,    /* *key has another hash */
    DIGEST_MISSING,    /* *key is expected but missing */
    DIGEST_UNEXPECTED, /* *key exists but is not expected */
};
/* Compares the streams that both have. *compared gets their number, *others the number of streams
 * only in `ours`. Both must have rows, or both streams. On a difference, *key is the first one,
 * borrowed from either digest. */
enum status digest_compare(const struct digest *ours, const struct digest *expected,
                           enum digest_verdict *verdict, const char **key, size_t *compared,
                           size_t *others, struct error *e);

#endif
