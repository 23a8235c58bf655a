/*
 * tables: the tables of a report, each a view under readable headings.
 */
#ifndef HOTGRAPH_REPORT_TABLES_H
#define HOTGRAPH_REPORT_TABLES_H

#include "report/report_paths.h"

/* Writes all tables into the folder. */
enum status report_tables(struct report *r);
/* Calls each() for every table in turn; note: an explanation, or NULL. */
enum status report_each_table(struct report *r,
                              enum status (*each)(void *user, const char *name, const char *title,
                                                  const char *note, const struct table *t),
                              void *user);

#endif
