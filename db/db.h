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
/* The same, but also waits for locks while opening (see db_on_wait). */
enum status db_open_patiently(struct db **out, const char *path, enum db_mode mode,
                              int (*waiting)(void *user, double seconds), void *user,
                              struct error *e);
/* An empty database in memory. */
enum status db_open_empty(struct db **out, struct error *e);
/* Rolls back an open transaction; NULL is fine. Removes a file that db_open() created and that has
 * no rows. */
void db_close(struct db *db);

/* Does nothing if nothing was put since the last commit. */
enum status db_commit(struct db *db, struct error *e);

/* ---- several programs on one file ---- */

/* While another program holds a lock, waiting() is called from time to time with the seconds waited
 * so far; a result other than 0 ends the wait with STATUS_IO. Without it, the wait ends after ten
 * seconds. */
void db_on_wait(struct db *db, int (*waiting)(void *user, double seconds), void *user);

/* From now on a long-running statement ends with STATUS_INTERRUPTED once stopped(), which is polled
 * every few milliseconds, returns other than 0. NULL: never. */
void db_stop_when(struct db *db, int (*stopped)(void));

/* Only one program at a time computes into a file: waits, as above, until it is this one's turn.
 * Held until db_close() or the end of the process. Does nothing if the file system has no such
 * locks, or the file is read-only. */
enum status db_reserve(struct db *db, struct error *e);

/* Call before many rows are written: on a local file system others can read meanwhile (write-ahead
 * log). db_close() turns it into one plain file again. */
enum status db_begin_work(struct db *db, struct error *e);

/* ---- rows ---- */

#define DB_NULL INT64_MIN

struct db_blob {
    const void *at;
    size_t len;
};
struct db_value { /* an integer; or text, if that is not NULL */
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

/* A new run's row, with UUID and starting time. The texts belong to the row until db_end_run(). */
struct db_run_text {
    char uuid[37], started[21];
};
void db_start_run(struct db_run *row, struct db_run_text *text);
enum status db_finish_run(struct db *db, int64_t run_id, struct error *e);
/* Notes the host's load: NAN if unknown; warning NULL: none. */
enum status db_note_run(struct db *db, int64_t run_id, double spread, double load,
                        const char *warning, struct error *e);
const char *db_library_version(void); /* of SQLite */

/* Sets the columns of quality that hold metrics, with and without busy-waits. */
void db_set_metrics(struct db_quality *row, const struct metrics *whole,
                    const struct metrics *active);

/* Sets the columns of result and of replay that hold benefits of layouts. */
void db_set_worth(struct db_result *row, const struct worth *worth);
void db_set_worth_exact(struct db_replay *row, const struct worth_exact *exact);

/* ---- graphs ----
 *
 * graph.data is a sequence of LEB128 numbers: seven bits in each byte, the lowest first, the eighth
 * bit set in all bytes but the last. Signed numbers are zigzag encoded (0, -1, 1, -2, ...). In
 * order: 1 (the format); the number of edges; for each edge, its source minus the previous source,
 * target minus source (signed), 2 * count + busy; the number of blocks; for each block, its entry
 * minus the previous entry, last minus entry (signed). */

/* Puts the graph unless it exists; *id becomes its name, which is made from `hash`
 * (hash_graph()). */
enum status db_put_whole_graph(struct db *db, const struct graph *g, const char *hash, int64_t *id,
                               struct error *e);
/* STATUS_ARGUMENT: no such graph; STATUS_FORMAT: damaged. The caller frees *out. */
enum status db_get_graph(struct db *db, int64_t graph_id, struct graph *out, struct error *e);
/* The same without a database; the caller frees out->data. */
enum status db_pack_graph(struct bytes *out, const struct graph *g, struct error *e);
enum status db_unpack_graph(struct graph *out, const void *data, size_t len, struct error *e);

/* ---- the rows of an experiment ---- */

struct db_members {
    const char *name, *definition_hash;
    bool judges_paths;
    struct db_experiment_configuration *configurations;
    size_t configuration_count;
    struct db_experiment_stream *streams; /* streams of other samplings are not listed */
    size_t stream_count;
    const char *const *games; /* all games that may be in it; streams of others are ignored */
    size_t game_count;
    const int64_t *marks, *hot, *windows;
    size_t mark_count, hot_count, window_count;
    size_t program_window_count; /* further ones in `windows`, in instructions */
};
/* Makes these the members of the experiment, and no others. Games that may be in it but have no
 * stream here keep their streams, if these have a sampling of one of the given streams. Result rows
 * remain. Writes nothing if nothing changes. Sets experiment_id of the members. */
enum status db_put_members(struct db *db, const struct db_members *m, int64_t *experiment_id,
                           struct error *e);

/* Stores the complete list of configurations that cannot have results on the stream. */
enum status db_put_unfit_of(struct db *db, int64_t experiment_id, int64_t stream_id,
                            const int64_t *configurations, size_t count, struct error *e);

/* Determines the roles on the stream: best, median and worst by similarity (ties by similarity
 * without busy-waits, f1 without busy-waits, number) for each hot share of the experiment, and the
 * baseline. Stores them, and their graphs edge by edge. */
enum status db_put_roles(struct db *db, int64_t experiment_id, int64_t stream_id, struct error *e);

/* ---- queries ---- */

/* Calls each() for every row with `columns` texts, NULL for NULL. Equal numbers have equal texts on
 * every machine, and REALs keep all their digits. each() may be NULL; a result other than STATUS_OK
 * ends the query and is returned. `format` gives the types of the arguments: 'i' int64_t, 't' text;
 * "" for none. */
typedef enum status db_each(void *user, size_t columns, const char *const *names,
                            const char *const *values, struct error *e);
enum status db_query(struct db *db, const char *sql, db_each *each, void *user, struct error *e,
                     const char *format, ...);
/* The first column of the first row as an integer; `otherwise` if there is no row or it is NULL. */
enum status db_integer(struct db *db, const char *sql, int64_t otherwise, int64_t *out,
                       struct error *e, const char *format, ...);

/* Materialises views that many queries use: from then on this connection has temporary tables in
 * their place, so later rows do not change them. List a view before those that use it. Views
 * already materialised are left alone. */
struct db_view {
    const char *view, *index; /* columns of an index, "a, b"; NULL: none */
};
enum status db_materialise(struct db *db, const struct db_view *views, size_t count,
                           struct error *e);
/* Makes a SELECT a temporary view of this connection with this name, in a database opened for reading,
 * too. */
enum status db_name_select(struct db *db, const char *name, const char *select, struct error *e);

/* ---- digest ---- */

/* Visits all results of an experiment in key order, without timings and ids: each() gets
 * "GAME/KIND/NUMBER" and the xxh3-128 of the row's canonical text. Rows that belong together, such
 * as the edges of a graph, share a line. Streams of a game after the first one are "GAME@VARIANT".
 * The digest does not depend on the order of insertion, on threads or on runs. */
enum status db_digest(struct db *db, const char *experiment,
                      enum status (*each)(void *user, const char *key, const char hash[33],
                                          struct error *e),
                      void *user, struct error *e);

/* ---- merging databases ----
 *
 * Rows are named by content, so the same row has the same name in every database. Invariants:
 *  - The result depends only on the content of the parts: not on their order, on repeated parts, or
 *    on earlier merges.
 *  - Of rows with the same key, the one with the smallest (seconds, run_id) is kept; its NULLs are
 *    filled from the others. If results differ, nothing is merged.
 *  - An existing file at `out` is one more part: none of its results is lost.
 *  - `out` appears complete or is unchanged, even after a lost connection or a full disk.
 *  - Roles (best, median, worst) are determined again, because a part may lack a part of the
 *    grid. */

struct db_merge {
    const char *out;
    const char *const *parts;
    size_t count;
    int (*stopped)(void); /* a result other than 0 stops with STATUS_INTERRUPTED; may be NULL */
};
struct db_merged {
    int64_t rows;   /* in the file */
    bool joined;    /* the output file existed and was not one of the parts */
    bool unchanged; /* it was up to date, and was not written */
};
/* STATUS_FORMAT: a part is damaged or not one of our databases. STATUS_ARGUMENT: parts contradict
 * each other; the message names both rows, their files and their runs. */
enum status db_merge(const struct db_merge *request, struct db_merged *out, struct error *e);

/* Copies a snapshot of `in`, even while a sweep writes it, to `out`, which must not exist. Rows are
 * copied unchecked, in a tenth of the time of a merge. Not synced. stop: as `stopped` in struct
 * db_merge. After a failure `out` does not exist. */
enum status db_copy(const char *in, const char *out, int (*stop)(void), struct error *e);

/* A row that differs. Texts are borrowed during the call. */
struct db_difference {
    const char *table, *row;       /* row: its description for messages, with its key */
    const char *column;            /* the first column that differs; NULL: one database lacks the
                                      row */
    const char *value[2], *run[2]; /* in a and b; NULL: none */
};
typedef enum status db_each_difference(void *user, const struct db_difference *d, struct error *e);

struct db_diff {
    const char *a, *b;
    uint64_t most; /* most differences reported for each table */
    db_each_difference *each;
    /* Called after each table with the numbers of equal and of different rows. */
    enum status (*table)(void *user, const char *name, int64_t same, int64_t differ,
                         struct error *e);
    void *user;
    int (*stopped)(void);
};
/* Compares results and the members of experiments. Ignores timings, runs, engines, file names,
 * titles, and derived rows (roles, and edge rows of graphs that are stored whole). */
enum status db_diff(const struct db_diff *request, int64_t *differ, struct error *e);

#endif
