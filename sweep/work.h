/*
 * work: does what a plan says is missing, on several threads, and hands every row to the writer.
 *
 * A game's replay runs on one thread; its configurations then spread over all of them, sharing the
 * stream read-only. While no configuration waits, idle threads replay the next games. No row
 * depends on the number of threads or on the order in which they happen to finish.
 */
#ifndef HOTGRAPH_WORK_H
#define HOTGRAPH_WORK_H

#include "sweep/engines.h"
#include "sweep/plan.h"

struct work_options {
    int jobs; /* threads, at least 1 */
    struct engine_choice engine;
    int64_t run_id, experiment_id;
    const int64_t *game_ids;          /* one for each of the plan's games */
    const int64_t *configuration_ids; /* one for each of the configuration's points */
    int (*stopped)(void);             /* nonzero: finish what is under way and end; may be NULL */
};

/* Adds the results to plan->games[].points and sets `missing` to 0 for games that are complete. A
 * game that cannot be played is reported on standard
 * error and counted in *failed; the others go on. STATUS_INTERRUPTED when stopped; other failures
 * end everything. In any case all rows that were finished are committed, if the database lets us.
 */
enum status work_run(struct plan *plan, struct db *db, const struct work_options *options,
                     size_t *failed, struct error *e);

#endif
