/* Explains why results are missing, by comparing the database's rows of a game with the plan. */
#include "experiment/experiment.h"

#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reasons {
    const struct plan *plan;
    const struct plan_game *game;
    bool member; /* the experiment already expects exactly these streams */
    bool known;  /* the experiment has another stream of the game: */
    char replay[PLAN_KEY], sampling[PLAN_KEY];
    struct map configurations; /* ids of those that the experiment has; value 1 */
    char *out;
    size_t size;
};

static void add(struct reasons *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct reasons *r, const char *format, ...) {
    const size_t len = strlen(r->out);
    va_list args;
    va_start(args, format);
    vsnprintf(r->out + len, r->size - len, format, args);
    va_end(args);
}

/* ---- what the database has ---- */

/* The replay of the game that has that stream now, or NULL. */
static const struct plan_game *find_owner(const struct reasons *r, int64_t stream_id) {
    for (size_t i = 0; i < r->plan->count; i++)
        for (size_t k = 0; k < r->plan->games[i].stream_count; k++)
            if (r->plan->games[i].game == r->game->game &&
                r->plan->games[i].streams[k].stream_id == stream_id)
                return &r->plan->games[i];
    return NULL;
}

static enum status note_stream(void *user, size_t columns, const char *const *names,
                               const char *const *values, struct error *e) {
    (void)columns, (void)names, (void)e;
    struct reasons *r = user;
    const struct plan_game *owner = find_owner(r, strtoll(values[0], NULL, 10));
    r->member |= owner == r->game;
    if (owner == NULL && values[1] != NULL) {
        r->known = true;
        snprintf(r->replay, sizeof r->replay, "%s", values[1]);
        snprintf(r->sampling, sizeof r->sampling, "%s", values[2]);
    }
    return STATUS_OK;
}

static enum status note_configuration(void *user, size_t columns, const char *const *names,
                                      const char *const *values, struct error *e) {
    (void)columns, (void)names;
    struct reasons *r = user;
    uint64_t *at = map_at(&r->configurations, strtoull(values[0], NULL, 10));
    if (at == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    *at = 1;
    return STATUS_OK;
}

static enum status look(struct reasons *r, struct db *db, struct error *e) {
    const char *experiment = r->plan->config->name;
    enum status status =
        db_query(db,
                 "SELECT m.stream_id, p.key, sa.key FROM experiment_stream m"
                 " JOIN experiment x USING (experiment_id) JOIN game g USING (game_id)"
                 " LEFT JOIN stream s USING (stream_id) LEFT JOIN replay p USING (replay_id)"
                 " LEFT JOIN sampling sa ON sa.sampling_id = s.sampling_id"
                 " WHERE x.name = ? AND g.name = ? ORDER BY 1",
                 note_stream, r, e, "tt", experiment, r->game->game->name);
    return status != STATUS_OK
               ? status
               : db_query(db,
                          "SELECT configuration_id FROM experiment_configuration"
                          " JOIN experiment x USING (experiment_id) WHERE x.name = ?",
                          note_configuration, r, e, "t", experiment);
}

/* ---- changed: the words "name=value" of two keys that differ ---- */

static bool has_word(const char *key, const char *word, size_t len) {
    for (const char *at = key; *at != '\0';) {
        const size_t n = strcspn(at, " ");
        if (n == len && memcmp(at, word, len) == 0)
            return true;
        at += n + (at[n] == ' ');
    }
    return false;
}

static void add_changes(struct reasons *r, const char *key, const char *before,
                        const char **between) {
    for (const char *at = key; *at != '\0';) {
        const size_t len = strcspn(at, " ");
        if (!has_word(before, at, len)) {
            add(r, "%s%.*s", *between, (int)strcspn(at, "= "), at);
            *between = ", ";
        }
        at += len + (at[len] == ' ');
    }
}

static void tell_changes(struct reasons *r) {
    const char *between = "changed: ";
    add_changes(r, r->game->replay_key, r->replay, &between);
    bool same = false;
    for (size_t i = 0; i < r->game->stream_count; i++)
        same |= strcmp(r->game->streams[i].sampling_key, r->sampling) == 0;
    if (!same) {
        add(r, "%s%s", between, r->game->game->stream != NULL ? "stream" : "sampling");
        between = ", ";
    }
    if (strcmp(between, ", ") != 0)
        add(r, "changed");
}

/* ---- missing and new ---- */

static void add_count(struct reasons *r, size_t count, const char *what, const char *state) {
    if (count > 0)
        add(r, "%s%zu %s%s %s", r->out[0] != '\0' ? ", " : "", count, what, count == 1 ? "" : "s",
            state);
}

struct tally {
    size_t streams, fresh, results, curves, windows, paths;
};

static void count_points(const struct reasons *r, const struct plan_stream *stream,
                         struct tally *t) {
    for (size_t i = 0; i < r->plan->config->points.len; i++) {
        const struct plan_point *point = &stream->points[i];
        const struct config_point *wanted = &r->plan->config->points.at[i];
        if (plan_due(r->plan, stream, i) == 0)
            continue;
        const bool is_new =
            map_find(&r->configurations, (uint64_t)plan_configuration_id(wanted)) == NULL;
        t->fresh += is_new && !point->has_result;
        t->results += !is_new && !point->has_result;
        t->curves += wanted->label != NULL && !point->has_curve && point->has_result;
        t->windows += stream->window_rows > 0 && !point->has_windows && point->has_result;
        t->paths += stream->judges_paths && !point->has_paths && point->has_result;
    }
}

static void tell_points(struct reasons *r) {
    struct tally t = {0};
    for (size_t i = 0; i < r->game->stream_count; i++) {
        const struct plan_stream *stream = &r->game->streams[i];
        t.streams += stream->missing > 0 && !stream->has_stream;
        if (stream->has_stream)
            count_points(r, stream, &t);
    }
    if (!r->game->has_exact)
        add(r, "the exact graph missing");
    add_count(r, t.streams, "stream", "new");
    add_count(r, t.fresh, "configuration", "new");
    add_count(r, t.results, "result", "missing");
    add_count(r, t.curves, "curve", "missing");
    add_count(r, t.windows, "result", "without windows");
    add_count(r, t.paths, "result", "without paths");
}

static bool has_some_stream(const struct plan_game *game) {
    for (size_t i = 0; i < game->stream_count; i++)
        if (game->streams[i].has_stream)
            return true;
    return false;
}

enum status plan_why(const struct plan *p, const struct plan_game *game, struct db *db, char *out,
                     size_t size, struct error *e) {
    struct reasons r = {.plan = p, .game = game, .out = out, .size = size};
    out[0] = '\0';
    enum status status = look(&r, db, e);
    if (status == STATUS_OK && has_some_stream(game))
        tell_points(&r);
    else if (status == STATUS_OK && r.known)
        tell_changes(&r);
    else if (status == STATUS_OK)
        add(&r, r.member ? "missing, all of it" : "new");
    map_free(&r.configurations);
    return status;
}
