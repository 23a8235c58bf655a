/* Shared by the files of this room; nobody else includes it. */
#ifndef HOTGRAPH_REPORT_INTERNAL_H
#define HOTGRAPH_REPORT_INTERNAL_H

#include "report/gnuplot.h"
#include "report/report.h"
#include "report/table.h"

struct report {
    struct db *db;
    const char *experiment, *folder;
    struct gnuplot plots;
    bool pictures;
    VEC(char *) figures; /* names of figures without their endings: "heatmap-burrow" */
    struct error *e;
};

/* folder/name, to be freed; NULL with the error set when memory is out. */
char *report_path(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
enum status report_csv(struct report *r, const struct table *t, const char *path,
                       const char *null_text);

/* ---- parameters: what a grid varies ---- */

enum { AXES = 8 };
struct axes {
    char *technique;
    struct {
        char *name, *text; /* the name; the same in quotes for SQL */
    } at[AXES];
    size_t count;
};
/* The parameters of a technique that have more than one value in the experiment's grid, in the
 * technique's order; all of them where none has. technique NULL: of all techniques. */
enum status axes_find(struct axes *out, struct db *db, const char *experiment,
                      const char *technique, struct error *e);
void axes_free(struct axes *a);

/* ---- tables.c, figures.c ---- */

enum status report_tables(struct report *r);
enum status report_figures(struct report *r);

#endif
