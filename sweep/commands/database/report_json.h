/*
 * report_json: what `hotgraph report --json` prints.
 */
#ifndef HOTGRAPH_REPORT_JSON_H
#define HOTGRAPH_REPORT_JSON_H

#include "report/report.h"

struct report_said {
    struct db *db;
    const char *path, *out, *warning; /* out: NULL: nothing is written, tables are printed */
    const struct report_experiments *experiments;
};
/* Prints the database, the experiments, and the paths of the report or else the rows of the paper's
 * tables. */
enum status report_json_print(const struct report_said *q, struct error *e);

/* Prints a comparison; user: a struct report_comparison. */
void report_json_compare(void *user, const struct report_compared *all);

#endif
