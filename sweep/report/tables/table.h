/*
 * table: a query's answer as text, Markdown, CSV and LaTeX.
 *
 *     struct table t = {0};
 *     table_query(&t, db, "SELECT * FROM table1", NULL, &err);
 *     table_write_text(&t, "Table 1", w);
 *     table_free(&t);
 */
#ifndef HOTGRAPH_TABLE_H
#define HOTGRAPH_TABLE_H

#include "base/base.h"
#include "db/db.h"

struct table {
    VEC(char *) names; /* of the columns */
    VEC(char *) cells; /* row by row; NULL for an SQL NULL */
};

/* Runs a query with at most three text arguments. Column names become headings: write them with AS
 * "...". */
enum status table_query_list(struct table *out, struct db *db, const char *sql,
                             const char *const *args, size_t count, struct error *e);
/* The same with one argument, or with none if it is NULL. */
enum status table_query(struct table *out, struct db *db, const char *sql, const char *arg,
                        struct error *e);
void table_free(struct table *t);
size_t table_rows(const struct table *t);
const char *table_cell(const struct table *t, size_t row, size_t column); /* NULL for NULL */
/* A cell's text, or "" for NULL; its number, or NAN. */
const char *cell_text(const struct table *t, size_t row, size_t column);
double cell_number(const struct table *t, size_t row, size_t column);

/* Plain text: aligned columns, numbers to the right, NULL as "-". */
void table_write_text(const struct table *t, const char *title, struct file_writer *w);
/* The same for lines of at most `width` characters; 0: no limit. Columns that do not fit are left
 * out: first those with one value in all rows, then from the right; never the first column. A line
 * below names the columns left out, and --wide. */
void table_write_fitting(const struct table *t, const char *title, size_t width,
                         struct file_writer *w);
/* Wraps text to such lines, safe for a terminal. */
void table_write_wrapped(const char *text, size_t width, struct file_writer *w);
/* null_text: written for NULL. */
void table_write_csv(const struct table *t, const char *null_text, struct file_writer *w);
/* GitHub-flavoured tables with escaped cells; note: a line below, or NULL. */
void table_write_markdown(const struct table *t, const char *title, const char *note,
                          struct file_writer *w);
/* For the package booktabs; note: printed once, after the first caption, or NULL. */
void table_write_latex(const struct table *t, const char *title, const char *note,
                       const char *label, struct file_writer *w);
/* Width of a column in characters; whether all its cells are numbers. */
size_t table_width(const struct table *t, size_t column);
bool table_is_numeric(const struct table *t, size_t column);
/* Both for all columns. Each scans all rows, so callers that print rows compute them once. The
 * caller frees the array; NULL: out of memory. */
struct table_column {
    size_t width;
    bool is_numeric, left_out;
};
struct table_column *table_columns(const struct table *t);

#endif
