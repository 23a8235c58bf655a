/* connection: an open database, its statements and locks. Private to db. */
#ifndef HOTGRAPH_DB_CONNECTION_H
#define HOTGRAPH_DB_CONNECTION_H

#include "db/schema.h"

#include <sqlite3.h>
#include <stdarg.h>

/* Prepared statements are cached: one for each SQL text in the program. */
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
    bool made; /* this connection created the file */
};

/* Turns SQLite's last error into one that names the file and a remedy. */
enum status db_fail(const struct db *db, struct error *e);
/* Runs statements; ignores rows. */
enum status db_script(struct db *db, const char *sql, struct error *e);

/* Fails if the database's path names another file now, or none: rows written into the old file
 * would be lost. */
enum status db_check_in_place(const struct db *db, struct error *e);
/* Opens a write transaction unless one is open. */
enum status db_ensure_transaction(struct db *db, struct error *e);

/* Waits a moment for a lock. False: it has waited too long. */
bool db_wait(struct db *db);
/* Call once the lock is taken. */
void db_waited(struct db *db);

/* Binds a statement's values in order. Keeps the first failure. */
struct binder {
    struct db *db;
    sqlite3_stmt *statement; /* NULL after a failure */
    int next;
};
struct binder db_bind(struct db *db, const char *sql);
void db_bind_integer(struct binder *b, int64_t value);
void db_bind_text(struct binder *b, const char *value);
void db_bind_list(struct binder *b, const char *format, va_list values); /* 'i', 't' */
/* Runs the statement to its end; ignores rows. */
enum status db_finish(struct binder *b, struct error *e);
/* db_bind, db_bind_list and db_finish in one. */
enum status db_execute(struct db *db, const char *sql, struct error *e, const char *format, ...);

/* A value as text: integers in decimal, reals in the fewest of 15, 16 or 17 digits that read back
 * the same. NULL for NULL; `room` holds numbers. */
const char *db_text(sqlite3_stmt *statement, int column, char room[40]);

#endif
