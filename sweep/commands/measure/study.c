#include "commands/measure/study.h"

#include "version.h"

/* The plan is made for an empty database: whatever is stored is measured again unless the command
 * itself skips it. */
static enum status make_plan(struct study *s, const char *game, struct error *e) {
    struct db *none = NULL;
    const struct plan_filter filter = {.games = &game, .game_count = game != NULL};
    enum status status = db_open_empty(&none, e);
    if (status == STATUS_OK)
        status = plan_make(&s->plan, &s->config, &filter, none, e);
    db_close(none);
    return status;
}

enum status study_open(struct study *s, const char *config_path, const char *game,
                       const char *db_path, const char *engine, struct error *e) {
    const struct store_run about = {
        .version = HOTGRAPH_VERSION, .commit = HOTGRAPH_COMMIT, .engine = engine, .jobs = 1};
    enum status status = config_load(&s->config, config_path, e);
    if (status == STATUS_OK)
        status = make_plan(s, game, e);
    if (status == STATUS_OK)
        status = db_open(&s->db, db_path, DB_WRITE, e);
    if (status == STATUS_OK)
        status = store_run(&s->plan, s->db, &about, &s->run_id, e);
    return status;
}

const struct plan_game *study_next(const struct study *s, const struct plan_game *after) {
    for (size_t i = after == NULL ? 0 : (size_t)(after - s->plan.games) + 1; i < s->plan.count; i++)
        if (s->plan.games[i].wanted && s->plan.games[i].cartridge != NULL)
            return &s->plan.games[i];
    return NULL;
}

void study_close(struct study *s) {
    db_close(s->db);
    plan_free(&s->plan);
    config_free(&s->config);
}
