/*
 * paths: a report that is being written, and the files of its folder.
 */
#ifndef HOTGRAPH_REPORT_PATHS_H
#define HOTGRAPH_REPORT_PATHS_H

#include "report/draw/gnuplot.h"
#include "report/report.h"
#include "report/tables/table.h"

struct report {
    struct db *db;
    const char *experiment, *folder;
    struct gnuplot plots;  /* of tables */
    struct gnuplot charts; /* of figures/, run in the folder */
    bool pictures;         /* gnuplot is there */
    bool pdf;              /* hotgraph-pdf is there: diagrams come as PDF, too */
    bool one_of_several;
    VEC(char *) drawings; /* names of those in figures/, without their endings */
    VEC(const char *)
    diagrams; /* of these, the ones that gnuplot does not draw; not ours to free */
    struct error *e;
};

/* folder/name, to be freed; NULL with the error set when memory is out. */
char *report_path(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
enum status report_csv(struct report *r, const struct table *t, const char *path,
                       const char *null_text);
/* A file of the folder, whole or not at all. */
enum status report_save(struct report *r, const char *name, const char *text, size_t size);

#endif
