/*
 * study: the games and the grid of a configuration, opened to be measured one by one, and the
 * database for the rows. For commands that measure what a configuration describes instead of
 * sweeping it.
 *
 *     struct study s = {0};
 *     enum status status = study_open(&s, "configs/live.cfg", NULL, "bench.db", "dbt", &e);
 *     for (const struct plan_game *g = NULL; status == STATUS_OK && (g = study_next(&s, g));)
 *         status = measure(g);
 *     study_close(&s);
 */
#ifndef HOTGRAPH_STUDY_H
#define HOTGRAPH_STUDY_H

#include "experiment/experiment.h"

struct study {
    struct config config;
    struct plan plan;
    struct db *db;
    int64_t run_id; /* of this run's row */
};

/* Stores the row of this run. game: selects one game; NULL: all. engine: for the run's row. After a
 * failure, study_close() still has to be called. */
enum status study_open(struct study *s, const char *config_path, const char *game,
                       const char *db_path, const char *engine, struct error *e);
/* The next game that is selected and can be played; after: NULL asks for the first one. NULL: no
 * more. */
const struct plan_game *study_next(const struct study *s, const struct plan_game *after);
void study_close(struct study *s);

#endif
