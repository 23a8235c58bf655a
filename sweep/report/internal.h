/* Shared by the files of this room; nobody else includes it. */
#ifndef HOTGRAPH_REPORT_INTERNAL_H
#define HOTGRAPH_REPORT_INTERNAL_H

#include "report/draw/gnuplot.h"
#include "report/report.h"
#include "report/tables/table.h"

struct report {
    struct db *db;
    const char *experiment, *folder;
    struct gnuplot plots;  /* of tables and of games */
    struct gnuplot charts; /* of figures/, run in the folder */
    bool pictures, one_of_several;
    VEC(char *) figures;  /* names of figures without their endings: "heatmap-burrow" */
    VEC(char *) drawings; /* likewise, those in figures/ */
    struct error *e;
};

/* ---- paths.c ---- */

/* folder/name, to be freed; NULL with the error set when memory is out. */
char *report_path(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
enum status report_csv(struct report *r, const struct table *t, const char *path,
                       const char *null_text);

/* A file of the folder, whole or not at all. */
enum status report_save(struct report *r, const char *name, const char *text, size_t size);

/* ---- grid.c: which parameters the experiment varies ---- */

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

/* In quotes for SQL, to be freed; NULL when memory is out. */
char *report_quote(const char *text);

/* ---- tables.c, figures.c, page.c ---- */

enum status report_tables(struct report *r);
/* Calls each() with every table in turn; note: what is to be known of it, or NULL. */
enum status report_each_table(struct report *r,
                              enum status (*each)(void *user, const char *name, const char *title,
                                                  const char *note, const struct table *t),
                              void *user);
enum status report_page(struct report *r, const char *digest);
enum status report_figures(struct report *r);

#endif
