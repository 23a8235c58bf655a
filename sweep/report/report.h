/*
 * report: the paper's tables and the figures of one experiment, all from the database alone.
 *
 * The folder contains: index.html, a single file with everything (page.h); table1 .. table4 and the
 * rankings as .txt, .md, .csv and .tex; the tables as .svg and .png, with the CSV behind them in
 * data/; in figures/ the drawings of the page, including a heatmap of the grid for each game, as
 * .svg and, for paper, .pdf. A chart drawn by gnuplot has its rows (.csv) and its script (.gp)
 * beside it: `gnuplot figures/effects.gp`, run in the folder, draws it again. A file appears whole
 * or not at all, and pictures of games that are no longer in the experiment are removed. Without
 * gnuplot everything except the pictures is written, with a warning.
 *
 * The database is not trusted: names that could lead out of the folder are refused, and text
 * reaches gnuplot only as quoted text.
 */
#ifndef HOTGRAPH_REPORT_H
#define HOTGRAPH_REPORT_H

#include "base/base.h"
#include "db/db.h"

struct report_request {
    struct db *db;
    const char *experiment, *folder; /* experiment "": only what was measured beside experiments */
    bool one_of_several;             /* index.html links to ../index.html, a report_contents */
    const char *digest;              /* of the experiment's results, to be printed; NULL: none */
    /* Identifies the results and the program. A folder that was written with an equal stamp, titles
     * and labels is left unchanged. NULL: always write. */
    const char *stamp;
    /* Nonzero: stop the programs that draw, with STATUS_INTERRUPTED; may be NULL. Queries stop by
     * db_stop_when(). */
    int (*stopped)(void);
};
/* Creates the folder if it is missing. *warning gets one sentence, or stays "". */
enum status report_write(const struct report_request *request, struct error *warning,
                         struct error *e);
/* The folder name of an experiment among several: its name or, if the name is unsafe for a file
 * (older programs accepted such names), a safe form of it with its hash. The caller frees it; NULL:
 * out of memory. */
char *report_folder_of(const char *experiment);
/* Writes folder/index.html, which links to the index.html of each experiment. */
struct report_contents {
    struct db *db;
    const char *folder;
    size_t count;
    char *const *names;
    const char (*digests)[33];
};
enum status report_contents(const struct report_contents *q, struct error *e);
/* Checks a name from the database that is to become a file name. */
enum status report_check_name(const char *name, struct error *e);
/* Checks all names of an experiment that report_write makes file names of. report_write itself
 * calls it before it writes anything. */
enum status report_check_names(struct db *db, const char *experiment, struct error *e);
/* Prints the differences between two experiments' results and ranks; also writes them to
 * compare.html in folder, unless it is NULL. path: names of the two in the output. */
struct table;
struct report_compared {
    size_t compared, moved, only_a, only_b; /* results */
    const char *alone[2];                   /* games of one alone: "one, two", or "" */
    const struct table *settings, *games, *moves, *ranking;
};
struct report_comparison {
    struct db *db[2];
    const char *experiment[2], *path[2], *folder;
    size_t width; /* of a line; 0: any */
    /* Gets the differences, and nothing is printed; NULL: print them. */
    void (*each)(void *user, const struct report_compared *all);
    void *user;
};
enum status report_compare(const struct report_comparison *q, struct error *e);

/* Creates the folder if it is missing. */
enum status report_make_folder(const char *folder, struct error *e);

/* Prints tables 1 to 4 to standard output. */
enum status report_print_tables(struct db *db, const char *experiment, size_t width,
                                struct error *e);

/* The names of the database's experiments, or only the wanted one, which must exist. */
struct report_experiments {
    VEC(char *) names;
};
enum status report_experiments(struct report_experiments *out, struct db *db, const char *wanted,
                               struct error *e);
void report_experiments_free(struct report_experiments *x);

#endif
