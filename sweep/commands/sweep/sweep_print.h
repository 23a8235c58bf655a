/*
 * sweep_print: what `hotgraph sweep` says on standard output: line by line for people while it goes
 * on, or one JSON object at the end, in which all of it is again.
 */
#ifndef HOTGRAPH_SWEEP_PRINT_H
#define HOTGRAPH_SWEEP_PRINT_H

#include "experiment/experiment.h"

/* Everything is borrowed. */
struct sweep_outcome {
    const char *config_path, *db_path;
    const char *report; /* the folder of tables and figures; NULL: none was asked for */
    const struct plan *plan;
    struct db *db;
    const size_t *missing; /* of each of the plan's games, before the work */
    struct shard shard;
    bool dry_run, stopped;
    size_t failed;      /* games */
    const char *digest; /* NULL: was not taken */
    const char *part;   /* what it is of, in words; NULL: of the whole */
    const char *digest_file;
    const char *verdict; /* "reproduced", "not reproduced", "not compared", "written"; or NULL */
    size_t compared, others; /* streams that digest_file has, and has not */
    const char *error;       /* why it ended early, or failed at its end; NULL: it did not */
};

void sweep_print_skipped(const struct plan *plan);
/* What cannot be built from which game's stream. */
enum status sweep_print_unfit(const struct plan *plan, struct error *e);
enum status sweep_print_plan(const struct plan *plan, struct db *db, const char *config_path,
                             struct error *e);
void sweep_print_json(const struct sweep_outcome *o);

#endif
