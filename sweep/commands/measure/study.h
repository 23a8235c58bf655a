/*
 * study: the games and the grid of a configuration, opened to be measured one by one, and the
 * database for the rows. For commands that measure what a configuration describes instead of
 * sweeping it.
 *
 *     struct study s = {0};
 *     struct option_spec own[STUDY_OPTIONS];
 *     study_options(&s, own);                  // --db, --games, --json
 *     ...                                      // options_parse()
 *     return study_run(&s, &(struct study_request){.command = "bench", .config = operands.at[0],
 *                                                  .engine = "dbt", .measure = all, .self = &b});
 *
 * and in all():
 *
 *     for (const struct plan_game *g = NULL; status == STATUS_OK && (g = study_next(&s, g));)
 *         status = measure(g);                 // stores rows; prints each, see study_begin_row()
 */
#ifndef HOTGRAPH_STUDY_H
#define HOTGRAPH_STUDY_H

#include "cli/cli.h"
#include "experiment/experiment.h"

struct study {
    const char *db_path, *game_list; /* --db; --games, NULL: all */
    bool json;
    const char *config_path; /* as found */
    struct config config;
    struct plan plan;
    struct db *db;
    int64_t run_id; /* of this run's row */
    size_t printed; /* rows, as JSON */
};

enum { STUDY_OPTIONS = 3 };
void study_options(struct study *s, struct option_spec options[STUDY_OPTIONS]);

struct study_request {
    const char *command, *config; /* config: as on the command line */
    const char *engine;           /* for the run's row */
    enum status (*measure)(void *self, struct error *e);
    void *self;
};
/* Opens the study, measures, prints the text before and after the rows and any error; returns the
 * exit status. A run that is stopped or fails after its first row still prints whole JSON, with the
 * error. */
int study_run(struct study *s, const struct study_request *request);

/* The next game that is selected and can be played; after: NULL asks for the first one. NULL: no
 * more. */
const struct plan_game *study_next(const struct study *s, const struct plan_game *after);

/* With --json: begins the object of one row, with the member "game". The caller prints the other
 * members, each after ", ", and the closing brace. */
void study_begin_row(struct study *s, const struct plan_game *game);

#endif
