/*
 * db: results in an SQLite database: what was executed, sampled and found, and views for the
 * paper's tables.
 *
 * tables.def defines the tables, and for each a struct and three functions:
 *
 *     struct db_replay row = db_new_replay();   all nullable columns are NULL
 *     row.key = "rom=..."; ...                  text and blobs are borrowed during the call
 *     db_put_replay(db, &row, &err);            sets row.replay_id; the row may exist already
 *     db_name_replay(&row);                     only sets row.replay_id, from the key columns
 *
 * NULL is DB_NULL in an integer, NAN in a real, a NULL pointer in text and blobs. A row's id is a
 * hash of its key, so ids are known before rows exist, and are the same in every database. The
 * table's policy says what a put does with an existing row; it writes nothing if nothing changes,
 * so work may be repeated, even with a read-only database.
 *
 * A connection belongs to one thread at a time. The first put opens a transaction and db_commit
 * ends it; committed rows survive a crash.
 *
 * Errors name the file and a remedy. A full disk or a lost connection leaves the database as it was
 * after the last commit.
 *
 *     struct db *db;
 *     if (db_open(&db, "results/hotgraph.db", DB_WRITE, &err) ||
 *         db_put_result(db, &row, &err) || db_commit(db, &err))
 *         ...
 *     db_close(db);
 *
 * Views (views.sql) have the experiment as a column and belong to the program: a file opened for
 * writing gets this version's views; a file opened for reading, of any version, is queried through
 * them.
 */
#ifndef HOTGRAPH_DB_H
#define HOTGRAPH_DB_H

#include "base/base.h"
#include "graph/graph.h"
#include "graph/layout/layout.h"
#include "profile/profile.h"

struct db;

/* The newest version of the schema that this program knows (PRAGMA user_version). */
enum { DB_VERSION = 2 };
/* PRAGMA application_id: "hotg". */
enum { DB_APPLICATION = 0x686F7467 };

enum db_mode {
    DB_READ,  /* the file must exist; an older version is upgraded in memory */
    DB_ROWS,  /* the same without views, which take most of the time to open */
    DB_WRITE, /* created if missing, upgraded if older */
};
enum status db_open(struct db **out, const char *path, enum db_mode mode, struct error *e);
/* The same, waiting for locks from the start (see db_on_wait). */
enum status db_open_patiently(struct db **out, const char *path, enum db_mode mode,
                              int (*waiting)(void *user, double seconds), void *user,
                              struct error *e);
/* An empty database in memory. */
enum status db_open_empty(struct db **out, struct error *e);
/* Rolls an open transaction back; NULL is fine. A file that db_open() made and that has no row is
 * removed again. */
void db_close(struct db *db);

/* Does nothing if nothing was put since the last commit. */
enum status db_commit(struct db *db, struct error *e);

/* ---- several programs on one file ---- */

/* While another program holds a lock, waiting() is called every now and then with the seconds that
 * were waited so far; what it returns other than 0 ends the wait with STATUS_IO. Without it, the
 * wait ends after ten seconds. */
void db_on_wait(struct db *db, int (*waiting)(void *user, double seconds), void *user);

/* From now on a statement that takes long ends with STATUS_INTERRUPTED once stopped(), which is
 * asked every few milliseconds, returns other than 0. NULL: none does. */
void db_stop_when(struct db *db, int (*stopped)(void));

/* One program at a time computes into a file: waits, as above, until this one may. Kept until
 * db_close; a program that dies gives it up. Where the file system has no such locks, or the file
 * may only be read, nothing is waited for. */
enum status db_reserve(struct db *db, struct error *e);

/* Before much is written: on a local file system readers are let in meanwhile (a write-ahead log).
 * db_close makes one plain file of it again. */
enum status db_begin_work(struct db *db, struct error *e);

/* ---- rows ---- */

#define DB_NULL INT64_MIN

struct db_blob {
    const void *at;
    size_t len;
};
struct db_value { /* an integer, or text where that is not NULL */
    const char *text;
    int64_t integer;
};

/* clang-format off */
#define DB_TYPE_INTEGER         int64_t
#define DB_TYPE_REAL            double
#define DB_TYPE_TEXT            const char *
#define DB_TYPE_BLOB            struct db_blob
#define DB_TYPE_VALUE           struct db_value
#define TABLE(t, policy, note)  struct db_##t {
#define ID(c)                   int64_t c;
#define KEY(type, c, rule, note)  DB_TYPE_##type c;
#define MUST(type, c, rule, note) DB_TYPE_##type c;
#define SOME(type, c, rule, note) DB_TYPE_##type c;
#define END(t)                                                                                     \
    }                                                                                              \
    ;                                                                                              \
    struct db_##t db_new_##t(void);                                                                \
    void db_name_##t(struct db_##t *row);                                                          \
    enum status db_put_##t(struct db *db, struct db_##t *row, struct error *e);
#include "db/tables.def"
#undef TABLE
#undef ID
#undef KEY
#undef MUST
#undef SOME
#undef END
/* clang-format on */

/* A new run's row: UUID and time of start. The texts are the row's own until db_end_run. */
struct db_run_text {
    char uuid[37], started[21];
};
void db_start_run(struct db_run *row, struct db_run_text *text);
enum status db_finish_run(struct db *db, int64_t run_id, struct error *e);
/* The load of the host: NAN if unknown; warning NULL: none. */
enum status db_note_run(struct db *db, int64_t run_id, double spread, double load,
                        const char *warning, struct error *e);
const char *db_library_version(void); /* of SQLite */

/* The columns of quality that metrics fill: the same before and after leaving busy-waits out. */
void db_set_metrics(struct db_quality *row, const struct metrics *whole,
                    const struct metrics *active);

/* The columns of result and of replay that layouts fill. */
void db_set_worth(struct db_result *row, const struct worth *worth);
void db_set_worth_exact(struct db_replay *row, const struct worth_exact *exact);

/* ---- graphs ----
 *
 * graph.data is numbers of seven bits a byte, the lowest first, the eighth bit set in all but the
 * last (LEB128); signed ones zigzag (0, -1, 1, -2, ...): 1 (the format); how many edges; of each,
 * source minus that of the one before, target minus source (signed), 2 * count + busy; how many
 * blocks; of each, entry minus that of the one before, last minus entry (signed). */

/* Puts the graph unless it exists; *id gets its name, made from `hash` (hash_graph). */
enum status db_put_whole_graph(struct db *db, const struct graph *g, const char *hash, int64_t *id,
                               struct error *e);
/* STATUS_ARGUMENT: no such graph; STATUS_FORMAT: damaged. The caller frees *out. */
enum status db_get_graph(struct db *db, int64_t graph_id, struct graph *out, struct error *e);
/* The same without a database; data is to be freed. */
enum status db_pack_graph(struct bytes *out, const struct graph *g, struct error *e);
enum status db_unpack_graph(struct graph *out, const void *data, size_t len, struct error *e);

/* ---- the rows that an experiment consists of ---- */

struct db_members {
    const char *name, *definition_hash;
    struct db_experiment_configuration *configurations;
    size_t configuration_count;
    struct db_experiment_stream *streams; /* those of other samplings are left out */
    size_t stream_count;
    const char *const *games; /* all that may be in it; streams of others are left out */
    size_t game_count;
    const int64_t *marks, *hot;
    size_t mark_count, hot_count;
};
/* Makes the experiment consist of these and no others; games that may be in it but have no stream
 * here keep those that they had, as long as they are of a sampling that is among the streams'. Rows
 * of what was found stay. Writes nothing where all of that is so already. experiment_id of the
 * members is filled. */
enum status db_put_members(struct db *db, const struct db_members *m, int64_t *experiment_id,
                           struct error *e);

/* Notes which configurations the stream cannot have results of: these and no others. */
enum status db_put_unfit_of(struct db *db, int64_t experiment_id, int64_t stream_id,
                            const int64_t *configurations, size_t count, struct error *e);

/* Finds best, median and worst by similarity (equals by similarity without busy-waits, f1 without
 * busy-waits, number) of each share that the experiment calls hot, and the baseline; stores them as
 * the stream's roles, and their graphs edge by edge. */
enum status db_put_roles(struct db *db, int64_t experiment_id, int64_t stream_id, struct error *e);

/* ---- queries ---- */

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

/* Computes views once that many queries ask: from then on this connection has temporary tables in
 * their places, in memory, so what they say does not change when rows are put. Name a view before
 * those that are made of it. Views that are held already stay so. */
struct db_held {
    const char *view, *index; /* columns to find rows by, "a, b"; NULL: none */
};
enum status db_hold(struct db *db, const struct db_held *views, size_t count, struct error *e);

/* ---- digest ---- */

/* Goes through all results of an experiment in key order, timings and ids left out: each() gets
 * "GAME/KIND/NUMBER" and the xxh3-128 of the row's canonical text (rows that only make sense
 * together, such as the edges of a graph, share a line). Where a game has several streams, those
 * but the first are "GAME@VARIANT". Independent of the order in which rows came, of threads and
 * runs. */
enum status db_digest(struct db *db, const char *experiment,
                      enum status (*each)(void *user, const char *key, const char hash[33],
                                          struct error *e),
                      void *user, struct error *e);

/* ---- several databases ----
 *
 * Rows are named by content, so the same row has the same name in every database. Merging:
 *  - The file depends on what the parts hold alone: not on their order, on parts that are given
 *    twice, or on how often they were merged before.
 *  - Of rows with the same key, the one with the smallest (seconds, run_id) stays, with what it has
 *    NULL for from the others. Where results differ, nothing is merged.
 *  - A file at `out` is one more part: no result in it is lost.
 *  - `out` appears whole or is as it was, also after a lost connection or a full disk.
 *  - Roles (best, median, worst) are found anew, since a part may not have seen a whole grid. */

struct db_merge {
    const char *out;
    const char *const *parts;
    size_t count;
    int (*stopped)(void); /* other than 0: stop, with STATUS_INTERRUPTED; may be NULL */
};
struct db_merged {
    int64_t rows;   /* in the file */
    bool joined;    /* the output file existed, and was none of the parts */
    bool unchanged; /* it was up to date, and was not written */
};
/* STATUS_FORMAT for a part that is damaged or no database of ours, STATUS_ARGUMENT where parts
 * contradict each other; the message names both rows, their files and their runs. */
enum status db_merge(const struct db_merge *request, struct db_merged *out, struct error *e);

/* Writes `in` as it is at one moment, though a sweep writes it, to `out`, which must not be there:
 * its rows as they lie, unchecked, in a tenth of the time of a merge. Not synced. stop: as stopped
 * in struct db_merge. After a failure there is no `out`. */
enum status db_copy(const char *in, const char *out, int (*stop)(void), struct error *e);

/* A row that differs. Texts are borrowed during the call. */
struct db_difference {
    const char *table, *row;       /* the row for people, with its key */
    const char *column;            /* the first that differs; NULL: one database lacks the row */
    const char *value[2], *run[2]; /* in a and b; NULL: none */
};
typedef enum status db_each_difference(void *user, const struct db_difference *d, struct error *e);

struct db_diff {
    const char *a, *b;
    uint64_t most; /* maximal differences reported for a table */
    db_each_difference *each;
    /* After each table: how many of its rows are the same, and how many are not. */
    enum status (*table)(void *user, const char *name, int64_t same, int64_t differ,
                         struct error *e);
    void *user;
    int (*stopped)(void);
};
/* Compares results and what experiments consist of: no timings, runs, engines, file names, titles,
 * and nothing that follows from the rest (roles, graphs edge by edge where they are there whole).
 */
enum status db_diff(const struct db_diff *request, int64_t *differ, struct error *e);

#endif
