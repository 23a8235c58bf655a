#include "commands/measure/study.h"

#include <stdlib.h>

#include "version.h"

void study_options(struct study *s, struct option_spec options[STUDY_OPTIONS]) {
    options[0] = (struct option_spec){"db",
                                      "FILE",
                                      "the database for the rows (required)",
                                      OPTION_STRING,
                                      .to = &s->db_path,
                                      .file = FILE_UPDATED};
    options[1] = (struct option_spec){"games",
                                      "LIST",
                                      "measure only these games of CONFIG, separated by commas",
                                      OPTION_STRING,
                                      .to = &s->game_list,
                                      .check = option_check_names};
    options[2] =
        (struct option_spec){"json", NULL, "print the rows as JSON", OPTION_FLAG, .to = &s->json};
}

/* The plan is made for an empty database: whatever is stored is measured again unless the command
 * itself skips it. */
static enum status make_plan(struct study *s, struct error *e) {
    struct db *none = NULL;
    struct words games = {0};
    enum status status = words_split(&games, s->game_list, e);
    const struct plan_filter filter = {.games = games.at.at, .game_count = games.at.len};
    if (status == STATUS_OK)
        status = db_open_empty(&none, e);
    if (status == STATUS_OK)
        status = plan_make(&s->plan, &s->config, &filter, none, e);
    db_close(none);
    words_free(&games);
    return status;
}

static enum status open(struct study *s, const char *engine, struct error *e) {
    const struct store_run about = {
        .version = HOTGRAPH_VERSION, .commit = HOTGRAPH_COMMIT, .engine = engine, .jobs = 1};
    enum status status = config_load(&s->config, s->config_path, e);
    if (status == STATUS_OK)
        status = make_plan(s, e);
    if (status == STATUS_OK)
        status = db_open(&s->db, s->db_path, DB_WRITE, e);
    if (status == STATUS_OK)
        status = store_run(&s->plan, s->db, &about, &s->run_id, e);
    return status;
}

static void print_head(const struct study *s) {
    printf("{");
    print_json_text("config", s->config_path);
    printf(", ");
    print_json_text("database", s->db_path);
    printf(", \"rows\": [");
}

static void print_foot(const char *error) {
    printf("], ");
    print_json_text("error", error);
    printf("}\n");
}

int study_run(struct study *s, const struct study_request *q) {
    struct error e = {0};
    if (s->db_path == NULL)
        return usage_error(q->command, "--db FILE is missing");
    char *found = data_find(q->config);
    s->config_path = found != NULL ? found : q->config;
    interrupt_catch();
    enum status status = open(s, q->engine, &e);
    const bool begun = status == STATUS_OK && s->json;
    if (begun)
        print_head(s);
    if (status == STATUS_OK)
        status = q->measure(q->self, &e);
    if (begun)
        print_foot(status == STATUS_OK ? NULL : e.text);
    db_close(s->db);
    plan_free(&s->plan);
    config_free(&s->config);
    free(found);
    return status == STATUS_OK ? EXIT_SUCCESS : failure(&e);
}

const struct plan_game *study_next(const struct study *s, const struct plan_game *after) {
    for (size_t i = after == NULL ? 0 : (size_t)(after - s->plan.games) + 1; i < s->plan.count; i++)
        if (s->plan.games[i].wanted && s->plan.games[i].cartridge != NULL)
            return &s->plan.games[i];
    return NULL;
}

void study_begin_row(struct study *s, const struct plan_game *game) {
    printf("%s\n {", s->printed++ > 0 ? "," : "");
    print_json_text("game", game->game->name);
}
