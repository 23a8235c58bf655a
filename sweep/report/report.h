/*
 * report: the paper's tables and the figures of one experiment, all from the database alone.
 *
 * In the folder: index.html, which is one file with all of it (page.h); table1 .. table4 and the
 * rankings as .txt, .md, .csv and .tex; the tables as .svg and .png, with the CSV that they were
 * drawn from in data/; in figures/ the drawings of the page, a heatmap of the grid for each game
 * among them, as .svg and, for paper, .pdf. A chart that gnuplot drew there has its rows (.csv) and
 * its script (.gp) beside it: `gnuplot figures/effects.gp`, run in the folder, draws it again. A
 * file appears whole or not at all, and the pictures of games that are no longer in the experiment
 * go. Without gnuplot everything but the pictures is written, and a warning says so.
 *
 * Nothing in a database is believed: names that could lead out of the folder are refused, and text
 * reaches gnuplot as text only.
 */
#ifndef HOTGRAPH_REPORT_H
#define HOTGRAPH_REPORT_H

#include "base/base.h"
#include "db/db.h"

struct report_request {
    struct db *db;
    const char *experiment, *folder;
    bool one_of_several; /* index.html leads to ../index.html, a report_contents */
    const char *digest;  /* of the experiment's results, to be shown; NULL: none was taken */
    /* Says which results and which program these are. A folder that was written with the same, and
     * the same titles and labels, is left as it is. NULL: written in any case. */
    const char *stamp;
    /* Other than 0: the programs that draw are ended, with STATUS_INTERRUPTED; may be NULL. The
     * database is told by db_stop_when(). */
    int (*stopped)(void);
};
/* Makes the folder where it is missing. *warning gets one sentence, or stays "". */
enum status report_write(const struct report_request *request, struct error *warning,
                         struct error *e);
/* The folder of an experiment among several: its name, or, for one that an older program let pass
 * and that no file should have, a name made of it and its hash. To be freed; NULL: out of memory.
 */
char *report_folder_of(const char *experiment);
/* Writes folder/index.html, which leads to index.html in the folder of each. */
struct report_contents {
    struct db *db;
    const char *folder;
    size_t count;
    char *const *names;
    const char (*digests)[33];
};
enum status report_contents(const struct report_contents *q, struct error *e);
/* A name from a database that is to become a file's. */
enum status report_check_name(const char *name, struct error *e);
/* The same of all names of an experiment that report_write would make files of; it looks itself,
 * before it writes anything. */
enum status report_check_names(struct db *db, const char *experiment, struct error *e);
/* Prints what of two experiments moved, by how much, and which ranks changed; into folder, where it
 * is not NULL, also compare.html. path: what the two are called. */
struct report_comparison {
    struct db *db[2];
    const char *experiment[2], *path[2], *folder;
    size_t width; /* of a line; 0: any */
};
enum status report_compare(const struct report_comparison *q, struct error *e);

/* Makes the folder where it is missing. */
enum status report_make_folder(const char *folder, struct error *e);

/* Prints tables 1 to 4 to standard output. */
enum status report_print_tables(struct db *db, const char *experiment, size_t width,
                                struct error *e);

/* The names of the database's experiments, or of the one that is wanted (which must be there). */
struct report_experiments {
    VEC(char *) names;
};
enum status report_experiments(struct report_experiments *out, struct db *db, const char *wanted,
                               struct error *e);
void report_experiments_free(struct report_experiments *x);

#endif
