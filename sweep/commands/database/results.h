/*
 * results: prints a view of a database as CSV or JSON.
 */
#ifndef HOTGRAPH_RESULTS_H
#define HOTGRAPH_RESULTS_H

#include "db/db.h"

/* Prints to standard output, sorted by the first columns. experiment: print only its rows, if the
 * view has such a column; NULL: all. */
enum status results_print(struct db *db, const char *view, const char *experiment, bool json,
                          struct error *e);
/* The same, in the order in which the view has its rows. */
enum status results_print_in_order(struct db *db, const char *view, bool json, struct error *e);

#endif
