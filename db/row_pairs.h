/*
 * row_pairs: compares rows of two databases, by the one list of columns in tables.def.
 * Shared by merge.c, join.c and row_differences.c only.
 *
 * Statements that row_select makes have the columns in the order of tables.def. What is made here
 * with sqlite3's memory is freed with sqlite3_free and NULL when memory is out.
 */
#ifndef HOTGRAPH_DB_ROWS_H
#define HOTGRAPH_DB_ROWS_H

#include "db/connection.h"

/* Notes are what may differ between two runs that found the same: timings, which run it was, what
 * engine played, under what name a file was met. All other columns are results. */
bool row_is_note(const struct table *t, const struct column *c);
bool row_is_name(const struct column *c); /* the id or part of the key */

/* SELECT of all columns; `behind` is what follows the table's name. */
char *row_select(const struct table *t, const char *behind);
/* " WHERE key = ?1 AND ...", arguments in the order of the KEY columns. */
char *row_where_key(const struct table *t);
sqlite3_stmt *row_prepare(struct db *db, char *sql); /* frees sql; NULL: the database says why */
/* Gives the KEY columns of `from` to a statement that ends in row_where_key. */
int row_bind_key(sqlite3_stmt *to, const struct table *t, sqlite3_stmt *from);

/* Less than, equal to, greater than 0, in a total order of values where NULL is last. */
int row_compare(sqlite3_stmt *a, sqlite3_stmt *b, int column);

/* Which row it is, for people: what ids stand for is looked up. */
char *row_describe(struct db *db, const struct table *t, sqlite3_stmt *row);
/* A value of it, likewise. */
char *row_value(struct db *db, const struct table *t, sqlite3_stmt *row, int column);
/* "run UUID, started TIME on HOST" of the run that found it, or "no run". */
char *row_run(struct db *db, const struct table *t, sqlite3_stmt *row);

/* Puts all rows of parts[part], which is open as `from`, into `to`. The parts before it are there
 * already; they are opened again where one contradicts it, for what they say. */
enum status join_table(struct db *to, const char *const *parts, size_t part, struct db *from,
                       const struct table *t, struct error *e);

#endif
