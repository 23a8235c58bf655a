#include "sweep/plan.h"

#include "sweep/hash.h"
#include "sweep/roms.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sources ---- */

/* Paths of the ROMs that are named by identity only, in the order of the games. */
static enum status find_roms(const struct plan *p, char **paths, struct error *e) {
    const struct config *config = p->config;
    struct rom_wish *wishes = calloc(config->games.len + 1, sizeof *wishes);
    size_t *owners = calloc(config->games.len + 1, sizeof *owners);
    enum status status = STATUS_OK;
    size_t count = 0;
    if (wishes == NULL || owners == NULL)
        status = error_set(e, STATUS_MEMORY, "%s: out of memory", config->path);
    for (size_t i = 0; status == STATUS_OK && i < config->games.len; i++) {
        const struct config_game *g = &config->games.at[i];
        if (!p->games[i].wanted || g->rom != NULL || g->sha1 == NULL)
            continue;
        wishes[count].sha1 = g->sha1;
        owners[count++] = i;
    }
    if (status == STATUS_OK)
        status = roms_find(roms_folder(config->roms), wishes, count, e);
    for (size_t i = 0; i < count; i++)
        paths[owners[i]] = wishes[i].path;
    free(wishes);
    free(owners);
    return status;
}

static enum status open_rom(struct plan_game *p, const char *path, struct error *e) {
    const struct config_game *g = p->game;
    enum status status = cartridge_load(&p->cartridge, path, e);
    if (status == STATUS_OK && g->sha1 != NULL && strcmp(g->sha1, p->cartridge->sha1) != 0)
        status = error_set(e, STATUS_FORMAT,
                           "%s: is not the ROM that %s wants: PRG and CHR have SHA-1 %s, not %s",
                           path, g->place, p->cartridge->sha1, g->sha1);
    if (status == STATUS_OK)
        status = movie_load(&p->movie, g->movie, e);
    if (status == STATUS_OK && (status = movie_matches(&p->movie, p->cartridge, e)))
        error_prefix(e, "%s", g->movie);
    if (status != STATUS_OK)
        return status;
    p->present = true;
    snprintf(p->replay_key, PLAN_KEY, "rom=%s movie=%s frames=%" PRIu64 " method=%d",
             p->cartridge->sha1, p->movie.sha1, g->frames, CONFIG_METHOD);
    return STATUS_OK;
}

static enum status open_foreign(struct plan_game *p, struct error *e) {
    char stream[33], graph[33];
    enum status status = hash_file(p->game->graph, graph, e);
    if (status == STATUS_OK)
        status = hash_file(p->game->stream, stream, e);
    if (status != STATUS_OK)
        return status;
    p->present = true;
    if (p->game->instructions >= 0)
        snprintf(p->replay_key, PLAN_KEY, "graph=%s instructions=%" PRId64 " method=%d", graph,
                 p->game->instructions, CONFIG_METHOD);
    else
        snprintf(p->replay_key, PLAN_KEY, "graph=%s method=%d", graph, CONFIG_METHOD);
    snprintf(p->stream_key, PLAN_KEY, "file=%s", stream);
    return STATUS_OK;
}

static enum status open_game(const struct config *config, struct plan_game *p, const char *rom,
                             struct error *e) {
    const struct sampler_options *s = &config->sampling;
    snprintf(p->stream_key, PLAN_KEY,
             "interval_us=%" PRIu64 " batch=%u jitter_us=%" PRIu64 " seed=%" PRIu64
             " phase_cycles=%" PRIu64,
             s->interval_us, s->batch_length, s->jitter_us, s->seed, s->phase_cycles);
    enum status status = STATUS_OK;
    if (p->game->stream != NULL)
        status = open_foreign(p, e);
    else if (rom != NULL)
        status = open_rom(p, rom, e);
    if (status != STATUS_OK)
        error_prefix(e, "%s", p->game->name);
    return status;
}

/* ---- what the database has ---- */

struct lookup {
    struct plan_game *game;
    const struct config *config;
    struct map by_key; /* fnv1a64 of a point's key -> its index */
    const size_t *marks;
    size_t mark_count;
    size_t *marks_seen; /* by point */
};

static enum status number_points(struct lookup *l, struct error *e) {
    for (size_t i = 0; i < l->config->points.len; i++) {
        const char *key = l->config->points.at[i].key;
        uint64_t *at = map_at(&l->by_key, fnv1a64(key, strlen(key)));
        if (at == NULL)
            return error_set(e, STATUS_MEMORY, "out of memory");
        *at = i;
    }
    return STATUS_OK;
}

/* Index of the point of that key, or none. */
static bool find_point(const struct lookup *l, const char *key, size_t *out) {
    const uint64_t *at = map_find(&l->by_key, fnv1a64(key, strlen(key)));
    if (at == NULL || strcmp(l->config->points.at[*at].key, key) != 0)
        return false;
    *out = *at;
    return true;
}

static enum status note_replay(void *user, size_t columns, const char *const *names,
                               const char *const *values, struct error *e) {
    (void)columns;
    (void)names;
    (void)e;
    struct plan_game *p = user;
    p->replay_id = strtoll(values[0], NULL, 10);
    snprintf(p->exact_hash, sizeof p->exact_hash, "%s", values[1]);
    return STATUS_OK;
}

static enum status note_stream(void *user, size_t columns, const char *const *names,
                               const char *const *values, struct error *e) {
    (void)columns;
    (void)names;
    (void)e;
    struct plan_game *p = user;
    p->stream_id = strtoll(values[0], NULL, 10);
    p->batches = strtoull(values[1], NULL, 10);
    snprintf(p->stream_hash, sizeof p->stream_hash, "%s", values[2]);
    return STATUS_OK;
}

static enum status note_result(void *user, size_t columns, const char *const *names,
                               const char *const *values, struct error *e) {
    (void)columns;
    (void)names;
    (void)e;
    struct lookup *l = user;
    size_t i;
    if (!find_point(l, values[0], &i))
        return STATUS_OK;
    struct plan_point *point = &l->game->points[i];
    point->has_result = true;
    point->edges = strtoull(values[1], NULL, 10);
    point->similarity = values[2] != NULL ? strtod(values[2], NULL) : NAN;
    return STATUS_OK;
}

static enum status note_mark(void *user, size_t columns, const char *const *names,
                             const char *const *values, struct error *e) {
    (void)columns;
    (void)names;
    (void)e;
    struct lookup *l = user;
    size_t i;
    if (!find_point(l, values[0], &i))
        return STATUS_OK;
    uint64_t batches = strtoull(values[1], NULL, 10);
    for (size_t k = 0; k < l->mark_count; k++)
        l->marks_seen[i] += l->marks[k] == batches;
    l->game->points[i].has_curve = l->marks_seen[i] == l->mark_count;
    return STATUS_OK;
}

static enum status note_graph(void *user, size_t columns, const char *const *names,
                              const char *const *values, struct error *e) {
    (void)columns;
    (void)names;
    (void)e;
    struct lookup *l = user;
    size_t i;
    if (find_point(l, values[0], &i)) {
        struct plan_point *point = &l->game->points[i];
        point->has_graph = point->has_result && strtoull(values[1], NULL, 10) == point->edges;
    }
    return STATUS_OK;
}

static enum status look_at_points(struct db *db, struct lookup *l, struct error *e) {
    size_t *marks;
    enum status status = plan_marks(l->config, l->game->batches, &marks, &l->mark_count, e);
    l->marks = marks;
    l->marks_seen = calloc(l->config->points.len, sizeof *l->marks_seen);
    if (status == STATUS_OK && l->marks_seen == NULL)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = number_points(l, e);
    int64_t stream = l->game->stream_id;
    if (status == STATUS_OK)
        status = db_query(db,
                          "SELECT key, edges, similarity FROM result"
                          " JOIN configuration USING (configuration_id) WHERE stream_id = ?",
                          note_result, l, e, "i", stream);
    if (status == STATUS_OK)
        status = db_query(db,
                          "SELECT key, batches FROM convergence"
                          " JOIN configuration USING (configuration_id) WHERE stream_id = ?",
                          note_mark, l, e, "i", stream);
    if (status == STATUS_OK)
        status = db_query(db,
                          "SELECT key, count(*) FROM graph_edge JOIN configuration"
                          " USING (configuration_id) WHERE stream_id = ? GROUP BY key",
                          note_graph, l, e, "i", stream);
    free(marks);
    free(l->marks_seen);
    map_free(&l->by_key);
    return status;
}

static enum status look_at_game(struct db *db, const struct config *config, struct plan_game *p,
                                struct error *e) {
    enum status status =
        db_query(db,
                 "SELECT replay_id, exact_hash FROM replay JOIN game USING (game_id)"
                 " WHERE name = ? AND key = ?",
                 note_replay, p, e, "tt", p->game->name, p->replay_key);
    if (status == STATUS_OK)
        status = db_query(db,
                          "SELECT stream_id, batches, hash FROM stream"
                          " WHERE replay_id = ? AND key = ?",
                          note_stream, p, e, "it", p->replay_id, p->stream_key);
    if (status != STATUS_OK || p->stream_id == 0)
        return status;
    struct lookup lookup = {.game = p, .config = config};
    return look_at_points(db, &lookup, e);
}

static size_t count_missing(const struct config *config, const struct plan_game *p) {
    size_t missing = p->stream_id == 0, roles[PLAN_ROLES];
    for (size_t i = 0; i < config->points.len; i++) {
        missing += !p->points[i].has_result;
        missing += config->points.at[i].label != NULL && !p->points[i].has_curve;
    }
    /* An empty graph has no rows to miss. */
    if (plan_roles(config, p->points, roles))
        for (int r = 0; r < PLAN_ROLES; r++)
            missing += !p->points[roles[r]].has_graph && p->points[roles[r]].edges > 0;
    return missing;
}

/* ---- roles and marks ---- */

/* Is point a before point b when sorted by similarity, sign 1 descending, -1 ascending? Numbers
 * break ties; an undefined similarity comes last both ways. */
static bool before(const struct plan_point *points, size_t a, size_t b, int sign) {
    double x = points[a].similarity, y = points[b].similarity;
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y) ? a < b : isnan(y);
    return x != y ? (sign > 0 ? x > y : x < y) : a < b;
}

bool plan_roles(const struct config *config, const struct plan_point *points,
                size_t roles[PLAN_ROLES]) {
    size_t count = config->points.len, grid = 0;
    for (size_t i = 0; i < count; i++) {
        if (!points[i].has_result)
            return false;
        grid += config->points.at[i].number >= 0;
    }
    /* The baseline is the last point. Without a grid it takes every role. */
    for (int r = 0; r < PLAN_ROLES; r++)
        roles[r] = count - 1;
    if (grid == 0)
        return true;
    roles[0] = roles[2] = 0;
    for (size_t i = 0; i < grid; i++) {
        size_t place = 1;
        for (size_t k = 0; k < grid; k++)
            place += before(points, k, i, 1);
        if (place == (grid + 1) / 2)
            roles[1] = i;
        if (before(points, i, roles[0], 1))
            roles[0] = i;
        if (before(points, i, roles[2], -1))
            roles[2] = i;
    }
    return true;
}

enum status plan_marks(const struct config *config, uint64_t batches, size_t **out, size_t *count,
                       struct error *e) {
    *count = 0;
    *out = calloc(config->marks.len + 1, sizeof **out);
    if (*out == NULL)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", config->path);
    for (size_t i = 0; i < config->marks.len && config->marks.at[i] < batches; i++)
        (*out)[(*count)++] = config->marks.at[i];
    (*out)[(*count)++] = batches;
    return STATUS_OK;
}

/* ---- the plan ---- */

static enum status choose_games(struct plan *p, const char *const *names, size_t count,
                                struct error *e) {
    for (size_t i = 0; i < p->config->games.len; i++)
        p->games[i].wanted = names == NULL;
    for (size_t i = 0; i < count; i++) {
        const struct config_game *g = config_find_game(p->config, names[i]);
        if (g == NULL)
            return error_set(e, STATUS_ARGUMENT, "%s: has no game named '%s'", p->config->path,
                             names[i]);
        p->games[g - p->config->games.at].wanted = true;
    }
    return STATUS_OK;
}

static enum status make_game(struct plan *p, size_t i, const char *rom, struct db *db,
                             struct error *e) {
    struct plan_game *game = &p->games[i];
    enum status status = open_game(p->config, game, rom, e);
    if (status != STATUS_OK || !game->present)
        return status;
    game->points = calloc(p->config->points.len, sizeof *game->points);
    if (game->points == NULL)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", p->config->path);
    if (db != NULL && (status = look_at_game(db, p->config, game, e)))
        return status;
    game->missing = count_missing(p->config, game);
    p->missing += game->missing;
    return STATUS_OK;
}

enum status plan_make(struct plan *out, const struct config *config, const char *const *names,
                      size_t name_count, struct db *db, struct error *e) {
    struct plan p = {.config = config,
                     .games = calloc(config->games.len + 1, sizeof(struct plan_game))};
    char **roms = calloc(config->games.len + 1, sizeof *roms);
    enum status status = STATUS_OK;
    if (p.games == NULL || roms == NULL)
        status = error_set(e, STATUS_MEMORY, "%s: out of memory", config->path);
    for (size_t i = 0; status == STATUS_OK && i < config->games.len; i++)
        p.games[i].game = &config->games.at[i];
    if (status == STATUS_OK)
        status = choose_games(&p, names, name_count, e);
    if (status == STATUS_OK)
        status = find_roms(&p, roms, e);
    for (size_t i = 0; status == STATUS_OK && i < config->games.len; i++)
        if (p.games[i].wanted)
            status = make_game(&p, i, p.games[i].game->rom != NULL ? p.games[i].game->rom : roms[i],
                               db, e);
    for (size_t i = 0; roms != NULL && i < config->games.len; i++)
        free(roms[i]);
    free(roms);
    *out = p;
    if (status != STATUS_OK)
        plan_free(out);
    return status;
}

void plan_free(struct plan *p) {
    for (size_t i = 0; p->games != NULL && i < p->config->games.len; i++) {
        cartridge_free(p->games[i].cartridge);
        movie_free(&p->games[i].movie);
        free(p->games[i].points);
    }
    free(p->games);
    *p = (struct plan){0};
}
