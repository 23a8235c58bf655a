/* Shared by the files of db/; nobody else includes it. */
#ifndef HOTGRAPH_DB_INTERNAL_H
#define HOTGRAPH_DB_INTERNAL_H

#include "db/db.h"

#include <sqlite3.h>
#include <stdarg.h>

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
};

/* Turns the connection's last error into one that names the file and the way out. */
enum status db_fail(const struct db *db, struct error *e);

/* Opens a write transaction unless one is open. */
enum status db_ensure_transaction(struct db *db, struct error *e);

/* A statement being given its values, in order. The first failure is kept. */
struct binder {
    struct db *db;
    sqlite3_stmt *statement; /* NULL after a failure */
    int next;
};
struct binder db_bind(struct db *db, const char *sql);
void bind_integer(struct binder *b, int64_t value);
void bind_real(struct binder *b, double value);
void bind_text(struct binder *b, const char *value);
void bind_list(struct binder *b, const char *format, va_list values); /* 'i', 'r', 't' */
/* Runs it to its end without looking at rows. */
enum status db_finish(struct binder *b, struct error *e);
/* db_bind, bind_list and db_finish in one. */
enum status db_execute(struct db *db, const char *sql, struct error *e, const char *format, ...);

/* A value as text: integers in decimal, reals in the fewest of 15, 16 or 17 digits that read back
 * the same. NULL for NULL; `room` holds numbers. */
const char *db_text(sqlite3_stmt *statement, int column, char room[40]);

/* In the generated file: the .sql files as text. */
extern const char db_schema_sql[], db_views_sql[];

#endif
