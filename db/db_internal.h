/* Shared by the files of db/; nobody else includes it. */
#ifndef HOTGRAPH_DB_INTERNAL_H
#define HOTGRAPH_DB_INTERNAL_H

#include "db/db.h"

#include <sqlite3.h>
#include <stdarg.h>

/* ---- tables ---- */

enum column_type { COLUMN_INTEGER, COLUMN_REAL, COLUMN_TEXT, COLUMN_BLOB, COLUMN_VALUE };
enum column_use { COLUMN_ID, COLUMN_KEY, COLUMN_MUST, COLUMN_SOME };
enum put_policy { PUT_KEEP, PUT_FILL, PUT_LATEST };

struct column {
    const char *name;
    enum column_type type;
    enum column_use use;
    size_t offset; /* in the struct of the row */
    const char *rule, *note;
};
struct table {
    const char *name, *note;
    enum put_policy policy;
    const struct column *columns;
    size_t count;
};
/* clang-format off */
enum table_name {
#define TABLE(t, policy, note) TABLE_##t,
#define ID(c)
#define KEY(type, c, rule, note)
#define MUST(type, c, rule, note)
#define SOME(type, c, rule, note)
#define END(t)
#include "db/tables.def"
#undef TABLE
#undef ID
#undef KEY
#undef MUST
#undef SOME
#undef END
    TABLE_COUNT,
};
/* clang-format on */
const struct table *table_of(enum table_name name);
/* "CREATE TABLE ..." and "name TYPE rule", to be freed with sqlite3_free; NULL: out of memory. */
char *table_schema(const struct table *t);
char *column_schema(const struct column *c);
enum status table_put(struct db *db, enum table_name name, void *row, struct error *e);

/* ---- connections ---- */

/* Prepared statements are kept, one for each SQL text in the program. */
enum { DB_STATEMENTS = 64 };

struct db {
    sqlite3 *handle;
    char *path;
    struct {
        const char *sql; /* compared as a pointer: all texts are constants */
        sqlite3_stmt *prepared;
    } statements[DB_STATEMENTS];
    size_t statement_count;
    struct {
        sqlite3_stmt *look, *insert;
    } puts[TABLE_COUNT];
    int (*waiting)(void *user, double seconds);
    void *waiting_user;
    int (*stopped)(void);
    double waited_since; /* 0: not waiting */
    int reserved;        /* descriptor that holds the lock, or -1 */
    bool write_ahead;
    bool made; /* the file was not there before this connection */
};

/* Turns the connection's last error into one that names the file and the way out. */
enum status db_fail(const struct db *db, struct error *e);
/* Runs statements without looking at rows. */
enum status db_script(struct db *db, const char *sql, struct error *e);

/* Fails where another file, or none, is at the database's path now: what is written into the old
 * one would be lost. */
enum status db_check_in_place(const struct db *db, struct error *e);
/* Opens a write transaction unless one is open. */
enum status db_ensure_transaction(struct db *db, struct error *e);

/* Waits a moment for a lock that was not to be had: false when that has lasted too long. */
bool db_wait(struct db *db);
void db_waited(struct db *db); /* the lock was to be had */

/* A statement being given its values, in order. The first failure is kept. */
struct binder {
    struct db *db;
    sqlite3_stmt *statement; /* NULL after a failure */
    int next;
};
struct binder db_bind(struct db *db, const char *sql);
void bind_integer(struct binder *b, int64_t value);
void bind_text(struct binder *b, const char *value);
void bind_list(struct binder *b, const char *format, va_list values); /* 'i', 't' */
/* Runs it to its end without looking at rows. */
enum status db_finish(struct binder *b, struct error *e);
/* db_bind, bind_list and db_finish in one. */
enum status db_execute(struct db *db, const char *sql, struct error *e, const char *format, ...);

/* A value as text: integers in decimal, reals in the fewest of 15, 16 or 17 digits that read back
 * the same. NULL for NULL; `room` holds numbers. */
const char *db_text(sqlite3_stmt *statement, int column, char room[40]);

/* ---- names of rows ---- */

/* 63 bits of a hash; never 0. */
struct row_name {
    struct hash *hash;
};
struct row_name row_name_start(const char *table);
void row_name_add(struct row_name *n, const char *value);
int64_t row_name_finish(struct row_name *n);

/* ---- versions ---- */

/* Brings what is open up to our version; a transaction is open. */
enum status db_upgrade(struct db *db, int64_t version, struct error *e);
/* Are our tables with all their columns there? */
enum status db_is_complete(struct db *db, bool *complete, struct error *e);
/* Replaces views that differ from ours; in a file that may only be read, ours go before them. */
enum status db_renew_views(struct db *db, bool write, struct error *e);

/* In the generated file: the .sql files as text. */
extern const char db_paper_sql[], db_views_sql[], db_version1_sql[];

#endif
