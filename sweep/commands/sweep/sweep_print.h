/*
 * sweep_print: the output of `hotgraph sweep`: lines of text during the sweep, or one JSON object
 * with everything at the end.
 */
#ifndef HOTGRAPH_SWEEP_PRINT_H
#define HOTGRAPH_SWEEP_PRINT_H

#include "experiment/experiment.h"

/* All members are borrowed. */
struct sweep_outcome {
    const char *config_path, *db_path;
    const char *report; /* the folder of tables and figures; NULL: none */
    const struct plan *plan;
    struct db *db;
    const size_t *missing; /* for each of the plan's games, before the work */
    struct shard shard;
    bool dry_run, stopped;
    struct work_failures failed;
    const char *digest; /* NULL: not taken */
    const char *part;   /* its scope in words; NULL: everything */
    const char *digest_file;
    const char *verdict; /* "reproduced", "not reproduced", "not compared", "written"; or NULL */
    size_t compared, others; /* streams in digest_file, and not in it */
    const char *error;       /* why it ended early or failed; NULL: success */
};

void sweep_print_skipped(const struct plan *plan);
/* Prints the configurations that a game's stream cannot feed. */
enum status sweep_print_unfit(const struct plan *plan, struct error *e);
enum status sweep_print_plan(const struct plan *plan, struct db *db, const char *config_path,
                             struct error *e);
void sweep_print_json(const struct sweep_outcome *o);

#endif
