/*
 * report_paths: a report under construction, and the files in its folder.
 */
#ifndef HOTGRAPH_REPORT_PATHS_H
#define HOTGRAPH_REPORT_PATHS_H

#include "report/draw/gnuplot.h"
#include "report/report.h"
#include "report/tables/table.h"

struct report {
    struct db *db;
    const char *experiment, *folder;
    struct gnuplot plots;  /* the pictures of tables */
    struct gnuplot charts; /* the charts of figures/; gnuplot runs in the folder */
    bool pictures;         /* is gnuplot installed? */
    bool pdf;              /* is hotgraph-pdf installed? It adds PDFs of diagrams */
    bool one_of_several;
    VEC(char *) drawings; /* base names of the files in figures/ */
    VEC(const char *)
    diagrams; /* the drawings that gnuplot does not draw; not owned */
    struct error *e;
};

/* folder/name. The caller frees it; NULL with the error set when out of memory. */
char *report_path(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
enum status report_csv(struct report *r, const struct table *t, const char *path,
                       const char *null_text);
/* Writes a file of the folder, whole or not at all. */
enum status report_save(struct report *r, const char *name, const char *text, size_t size);

#endif
