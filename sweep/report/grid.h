/*
 * grid: the parameters that an experiment varies.
 */
#ifndef HOTGRAPH_REPORT_GRID_H
#define HOTGRAPH_REPORT_GRID_H

#include "base/base.h"
#include "db/db.h"

enum { AXES = 8 };
struct axes {
    char *technique;
    struct {
        char *name, *text; /* the name; the name quoted for SQL */
    } at[AXES];
    size_t count;
};
/* The parameters of a technique that have more than one value in the experiment's grid, in the
 * technique's order; all parameters if none has. technique NULL: of all techniques. */
enum status axes_find(struct axes *out, struct db *db, const char *experiment,
                      const char *technique, struct error *e);
void axes_free(struct axes *a);

/* Quotes text for SQL. The caller frees it; NULL when out of memory. */
char *report_quote(const char *text);

#endif
