/*
 * results: one view of a database as CSV or JSON, for the commands that print one.
 */
#ifndef HOTGRAPH_RESULTS_H
#define HOTGRAPH_RESULTS_H

#include "db/db.h"

/* To standard output, rows in the order of their first columns. experiment: only its rows, of a
 * view that has such a column; NULL: all. */
enum status results_print(struct db *db, const char *view, const char *experiment, bool json,
                          struct error *e);

#endif
