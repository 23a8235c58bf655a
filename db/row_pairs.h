/*
 * row_pairs: compares rows of two databases, by the one list of columns in tables.def.
 * Shared by merge.c, join.c and row_differences.c only.
 *
 * Statements made by row_select() have the columns in the order of tables.def. Text returned here
 * is to be freed with sqlite3_free(), and is NULL if out of memory.
 */
#ifndef HOTGRAPH_DB_ROWS_H
#define HOTGRAPH_DB_ROWS_H

#include "db/connection.h"

/* Notes may differ between two runs with equal results: timings, the run, the engine, the name of a
 * file. All other columns are results. */
bool row_is_note(const struct table *t, const struct column *c);
bool row_is_name(const struct column *c); /* the id or part of the key */

/* SELECT of all columns; `behind` follows the table's name. */
char *row_select(const struct table *t, const char *behind);
/* " WHERE key = ?1 AND ...", with arguments in the order of the KEY columns. */
char *row_where_key(const struct table *t);
sqlite3_stmt *row_prepare(struct db *db, char *sql); /* frees sql; NULL: the database has the
                                                        error */
/* Binds the KEY columns of `from` to a statement that ends with row_where_key(). */
int row_bind_key(sqlite3_stmt *to, const struct table *t, sqlite3_stmt *from);

/* A total order of values, NULL last: less than, equal to, or greater than 0. */
int row_compare(sqlite3_stmt *a, sqlite3_stmt *b, int column);

/* Describes the row for messages; ids are resolved. */
char *row_describe(struct db *db, const struct table *t, sqlite3_stmt *row);
/* The same for one value. */
char *row_value(struct db *db, const struct table *t, sqlite3_stmt *row, int column);
/* "run UUID, started TIME on HOST" of the run that found it, or "no run". */
char *row_run(struct db *db, const struct table *t, sqlite3_stmt *row);

/* Puts all rows of parts[part], which is open as `from`, into `to`, which has the rows of the
 * earlier parts. These are opened again if one of them contradicts. */
enum status join_table(struct db *to, const char *const *parts, size_t part, struct db *from,
                       const struct table *t, struct error *e);

#endif
