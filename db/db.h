/*
 * db: the results in an SQLite database: what was replayed, sampled and found, and the paper's
 * tables over it.
 *
 * A connection belongs to one thread at a time. The first row that is put opens a transaction and
 * db_commit ends it; what was committed survives anything. Putting a row whose key is there already
 * changes nothing (and writes nothing), so work may be repeated.
 *
 * Errors name the file and the way out. A full disk or a lost connection leaves the database as it
 * was after the last commit.
 *
 *     struct db *db;
 *     if (db_open(&db, "results/hotgraph.db", DB_WRITE, &err) ||
 *         db_put_result(db, &row, &err) || db_commit(db, &err))
 *         ...
 *     db_close(db);
 */
#ifndef HOTGRAPH_DB_H
#define HOTGRAPH_DB_H

#include "base/base.h"
#include "graph/graph.h"
#include "profile/profile.h"

struct db;

/* The newest version of the schema that this program knows (PRAGMA user_version). */
enum { DB_VERSION = 1 };
/* PRAGMA application_id: "hotg". */
enum { DB_APPLICATION = 0x686F7467 };

enum db_mode {
    DB_READ,  /* the file must be there, and of this version */
    DB_WRITE, /* made where it is missing, brought up to this version where it is older */
};
enum status db_open(struct db **out, const char *path, enum db_mode mode, struct error *e);
/* Rolls an open transaction back; NULL is fine. */
void db_close(struct db *db);

/* Does nothing where nothing was put since the last commit. */
enum status db_commit(struct db *db, struct error *e);

/* ---- rows: text is borrowed during the call; DB_NULL stands for NULL in integers, NAN in numbers,
 * a NULL pointer in text. Each put fills *id, where there is one, with the row's id, old or new.
 * ---- */

#define DB_NULL INT64_MIN

struct db_run {
    const char *version, *source_commit, *host, *compiler, *configuration_file, *definition_hash;
    int64_t jobs;
};
/* Stamps the row with the present time. */
enum status db_put_run(struct db *db, const struct db_run *row, int64_t *id, struct error *e);
enum status db_finish_run(struct db *db, int64_t id, struct error *e);

struct db_game {
    const char *name, *title;
    const char *paper_game; /* one of the paper's names, or NULL */
    bool untested;
};
/* Title, paper_game and untested follow the newest put. */
enum status db_put_game(struct db *db, const struct db_game *row, int64_t *id, struct error *e);

enum status db_put_movie(struct db *db, const char *sha1, const char *file, int64_t lines,
                         int64_t *id, struct error *e);

struct db_replay {
    int64_t game_id;
    const char *key;
    const char *rom_sha1; /* NULL and DB_NULL down to engine for a foreign pair */
    int64_t movie_id, frames, instructions, cycles;
    const char *ram_hash, *frames_hash, *engine;
    int64_t blocks, edges, busy_edges, weight, busy_weight, hot_edges, hot_edges_active;
    const char *exact_hash;
    int64_t exact_records, exact_probes, exact_observed, exact_steps;
    double seconds;
    int64_t run_id;
};
enum status db_put_replay(struct db *db, const struct db_replay *row, int64_t *id, struct error *e);

struct db_exact_edge {
    uint32_t source, target;
    uint64_t count;
    bool busy, hot, hot_active;
};
enum status db_put_exact_edge(struct db *db, int64_t replay_id, const struct db_exact_edge *row,
                              struct error *e);

struct db_stream {
    int64_t replay_id;
    const char *key;
    int64_t interval_us, jitter_us, seed, phase_cycles; /* DB_NULL for a foreign stream */
    int64_t batch_length, batches, samples, overruns;
    const char *hash;
    int64_t run_id;
};
enum status db_put_stream(struct db *db, const struct db_stream *row, int64_t *id, struct error *e);

/* Values by the names the columns have; other parameters are in the key alone. */
struct db_configuration {
    const char *key, *technique;
    int64_t bin_size, stdev_threshold, window_size, recurrent_threshold, builder;
};
enum status db_put_configuration(struct db *db, const struct db_configuration *row, int64_t *id,
                                 struct error *e);

struct db_result {
    int64_t stream_id, configuration_id;
    uint64_t bins, low, high, blocks;
    struct metrics whole, active;
    char graph_hash[33];
    struct cost cost;
    double seconds;
    int64_t run_id;
};
enum status db_put_result(struct db *db, const struct db_result *row, struct error *e);

struct db_convergence {
    int64_t stream_id, configuration_id;
    uint64_t batches, bins, blocks;
    struct metrics whole, active;
    int64_t run_id;
};
enum status db_put_convergence(struct db *db, const struct db_convergence *row, struct error *e);

enum status db_put_graph_edge(struct db *db, int64_t stream_id, int64_t configuration_id,
                              const struct edge *edge, struct error *e);

/* ---- the experiment that the views show ---- */

struct db_member {
    int64_t configuration_id;
    int64_t number;    /* DB_NULL for the baseline */
    const char *label; /* NULL without a convergence curve */
};
/* Makes the experiment of that name the current one, with exactly these members. Writes nothing
 * where all of that is so already. */
enum status db_choose_experiment(struct db *db, const char *name, const char *definition_hash,
                                 const struct db_member *members, size_t count, int64_t *id,
                                 struct error *e);
/* Which stream stands for a game; an earlier one steps back but keeps its rows. */
enum status db_choose_stream(struct db *db, int64_t experiment_id, int64_t game_id,
                             int64_t stream_id, struct error *e);
/* Takes games out of the experiment that are not among the names; their rows stay. */
enum status db_keep_games(struct db *db, int64_t experiment_id, const char *const *names,
                          size_t count, struct error *e);

/* ---- asking ---- */

/* Calls each() for every row with `columns` texts, NULL for NULL. Numbers are written so that equal
 * values have equal texts on every machine and REALs keep all their digits. each() may be NULL;
 * what it returns other than STATUS_OK ends the query and is returned. `format` says of the
 * arguments what they are: 'i' int64_t, 't' text; "" for none. */
typedef enum status db_each(void *user, size_t columns, const char *const *names,
                            const char *const *values, struct error *e);
enum status db_query(struct db *db, const char *sql, db_each *each, void *user, struct error *e,
                     const char *format, ...);
/* The first column of the first row as an integer, `otherwise` if there is none or it is NULL. */
enum status db_integer(struct db *db, const char *sql, int64_t otherwise, int64_t *out,
                       struct error *e, const char *format, ...);

/* ---- digest ---- */

/* Goes through all results of the current experiment in key order, timings and ids left out:
 * each() gets "GAME/KIND/NUMBER" and the xxh3-128 of the row's canonical text (rows that only make
 * sense together, such as the edges of a graph, share a line). Independent of the order in which
 * rows came, of threads and runs. games: only those names; NULL: all. */
enum status db_digest(struct db *db, const char *const *games, size_t game_count,
                      enum status (*each)(void *user, const char *key, const char hash[33],
                                          struct error *e),
                      void *user, struct error *e);

#endif
