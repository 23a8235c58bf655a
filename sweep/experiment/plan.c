#include "experiment/experiment.h"

#include "base/base.h"
#include "config/config.h"
#include "qemu/qemu.h"

#include <inttypes.h>
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
        if (g->rom != NULL || g->sha1 == NULL) /* pairs and programs have neither */
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

static void name_replay(struct plan_game *p, const char *sha1) {
    snprintf(p->replay_key, PLAN_KEY, "rom=%s movie=%s frames=%" PRIu64 " method=%d", sha1,
             p->movie.sha1, p->game->frames, CONFIG_METHOD);
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
    name_replay(p, p->cartridge->sha1);
    return STATUS_OK;
}

/* Without its ROM a game cannot be played, but what it would be is known: rows of other frames or
 * of another movie are then not taken for its own. */
static void name_absent(struct plan_game *p) {
    if (p->game->sha1 != NULL && movie_load(&p->movie, p->game->movie, NULL) == STATUS_OK)
        name_replay(p, p->game->sha1);
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
    snprintf(p->sampling_key, PLAN_KEY, "file=%s", stream);
    p->sampling.method = "file";
    return STATUS_OK;
}

/* Arguments, and the content of those that are files: scripts, sources. */
static bool hash_command(const struct config_program *program, char hex[33]) {
    struct hash *h = hash_start();
    for (size_t i = 1; program->command[i] != NULL; i++) {
        const char *word = program->command[i];
        char *path = NULL, content[33] = "";
        if (word[0] != '/' && program->folder != NULL &&
            asprintf(&path, "%s/%s", program->folder, word) < 0)
            path = NULL;
        if (hash_file(path != NULL ? path : word, content, NULL) != STATUS_OK)
            content[0] = '\0';
        free(path);
        hash_add_bytes(h, word, strlen(word) + 1);
        hash_add_bytes(h, content, strlen(content) + 1);
    }
    return hash_finish(h, hex);
}

/* A program that is not there, or cannot be recorded here, is skipped; an input that is missing is
 * an error. */
static enum status open_program(struct plan_game *p, struct error *e) {
    const struct config_program *program = p->game->program;
    char image[33], command[33], input[33] = "none";
    struct error why = {0};
    char path[QEMU_PATH];
    qemu_program_path(program->folder, program->command[0], path);
    if (qemu_can_record(path, &why) != STATUS_OK) {
        snprintf(p->absent, sizeof p->absent, "%.299s", why.text);
        return STATUS_OK;
    }
    enum status status = hash_file(path, image, e);
    if (status == STATUS_OK && program->input != NULL)
        status = hash_file(program->input, input, e);
    if (status == STATUS_OK && !hash_command(program, command))
        status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status != STATUS_OK)
        return status;
    p->present = true;
    snprintf(p->replay_key, PLAN_KEY, "program=%s command=%s input=%s method=%d", image, command,
             input, CONFIG_METHOD);
    snprintf(p->sampling_key, PLAN_KEY, "instructions every=%" PRIu64 " batch=%u", program->every,
             program->batch);
    p->sampling.method = "instructions";
    p->sampling.stride = (int64_t)program->every;
    p->sampling.batch_length = (int64_t)program->batch;
    return STATUS_OK;
}

/* By time, a seed without jitter does not matter. */
static void name_sampling(struct plan_game *p, const struct sampler_options *s) {
    config_sampling_key(s, p->sampling_key, PLAN_KEY);
    p->sampling.method = sampler_by_words[s->by];
    p->sampling.weighting = s->weigh ? "cycles" : NULL;
    if (s->by != SAMPLER_TIME) {
        if (s->by == SAMPLER_ACTIVE && s->place == SAMPLER_GOLDEN)
            p->sampling.method = "golden";
        p->sampling.stride = (int64_t)s->every;
        p->sampling.batch_length = (int64_t)s->batch_length;
        p->sampling.seed = (int64_t)s->seed;
        return;
    }
    p->sampling.interval_us = (int64_t)s->interval_us;
    p->sampling.batch_length = (int64_t)s->batch_length;
    p->sampling.jitter_us = (int64_t)s->jitter_us;
    p->sampling.seed = s->jitter_us > 0 ? (int64_t)s->seed : DB_NULL;
    p->sampling.phase_cycles = (int64_t)s->phase_cycles;
}

static enum status open_game(const struct config *config, struct plan_game *p, const char *rom,
                             struct error *e) {
    enum status status = STATUS_OK;
    p->sampling = db_new_sampling();
    if (p->game->stream != NULL) {
        status = open_foreign(p, e);
    } else if (p->game->program != NULL) {
        status = open_program(p, e);
    } else {
        name_sampling(p, &config->sampling);
        if (rom != NULL)
            status = open_rom(p, rom, e);
        else
            name_absent(p);
    }
    if (status != STATUS_OK) {
        if (status == STATUS_IO && e != NULL) { /* which line to mend */
            const struct error said = *e;
            error_set(e, status, "%s (%s names it)", said.text, p->game->place);
        }
        error_prefix(e, "%s", p->game->name);
        return status;
    }
    struct db_replay replay = {.key = p->replay_key};
    p->sampling.key = p->sampling_key;
    db_name_sampling(&p->sampling);
    db_name_replay(&replay);
    struct db_stream stream = {.replay_id = replay.replay_id,
                               .sampling_id = p->sampling.sampling_id};
    db_name_stream(&stream);
    p->named = p->replay_key[0] != '\0';
    p->replay_id = replay.replay_id;
    p->stream_id = stream.stream_id;
    return STATUS_OK;
}

/* ---- what the database has ---- */

struct lookup {
    struct plan_game *game;
    const struct config *config;
    struct map by_id; /* a configuration's name in the database -> 1 + its index */
    const size_t *marks;
    size_t mark_count;
    size_t *marks_seen; /* by point */
};

int64_t plan_configuration_id(const struct config_point *point) {
    struct db_configuration row = {.key = point->key};
    db_name_configuration(&row);
    return row.configuration_id;
}

static enum status number_points(struct lookup *l, struct error *e) {
    for (size_t i = 0; i < l->config->points.len; i++) {
        int64_t id = plan_configuration_id(&l->config->points.at[i]);
        uint64_t *at = map_at(&l->by_id, (uint64_t)id);
        if (at == NULL)
            return error_set(e, STATUS_MEMORY, "out of memory");
        if (*at == 0)
            *at = i + 1;
    }
    return STATUS_OK;
}

/* Index of the point with that name in the database, or none. */
static bool find_point(const struct lookup *l, const char *id, size_t *out) {
    const uint64_t *at = map_find(&l->by_id, strtoull(id, NULL, 10));
    if (at == NULL || *at == 0)
        return false;
    *out = *at - 1;
    return true;
}

static enum status note_replay(void *user, size_t columns, const char *const *names,
                               const char *const *values, struct error *e) {
    (void)columns;
    (void)names;
    (void)e;
    struct plan_game *p = user;
    snprintf(p->exact_hash, sizeof p->exact_hash, "%s", values[0]);
    p->has_exact = strcmp(values[1], "1") == 0;
    return STATUS_OK;
}

static enum status note_stream(void *user, size_t columns, const char *const *names,
                               const char *const *values, struct error *e) {
    (void)columns;
    (void)names;
    (void)e;
    struct plan_game *p = user;
    p->has_stream = true;
    p->batches = strtoull(values[0], NULL, 10);
    snprintf(p->stream_hash, sizeof p->stream_hash, "%s", values[1]);
    p->batch_length = strtoull(values[2], NULL, 10);
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
    point->has_result = strcmp(values[1], "1") == 0;
    snprintf(point->graph_hash, sizeof point->graph_hash, "%s", values[2]);
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

/* A result is whole with its graph and its quality; version 1 stored less. */
static const char results_sql[] =
    "SELECT r.configuration_id, g.data IS NOT NULL AND q.hot_found IS NOT NULL, g.hash"
    " FROM result r JOIN graph g USING (graph_id) LEFT JOIN quality q"
    " ON q.stream_id = r.stream_id AND q.configuration_id = r.configuration_id"
    " AND q.part = 'first' AND q.batches = ?2 AND q.hot_permille = 900"
    " WHERE r.stream_id = ?1";

static enum status look_at_points(struct db *db, struct lookup *l, struct error *e) {
    size_t *marks;
    enum status status = plan_marks(l->config, l->game->batches, &marks, &l->mark_count, e);
    l->marks = marks;
    l->marks_seen = calloc(l->config->points.len, sizeof *l->marks_seen);
    if (status == STATUS_OK && l->marks_seen == NULL)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = number_points(l, e);
    if (status == STATUS_OK)
        status = db_query(db, results_sql, note_result, l, e, "ii", l->game->stream_id,
                          (int64_t)l->game->batches);
    if (status == STATUS_OK)
        status = db_query(db,
                          "SELECT configuration_id, batches FROM quality WHERE stream_id = ?"
                          " AND part = 'first' AND hot_permille = 900",
                          note_mark, l, e, "i", l->game->stream_id);
    free(marks);
    free(l->marks_seen);
    map_free(&l->by_id);
    return status;
}

static enum status look_at_game(struct db *db, const struct config *config, struct plan_game *p,
                                struct error *e) {
    enum status status = db_query(db,
                                  "SELECT exact_hash, g.data IS NOT NULL AND p.edges ="
                                  " (SELECT count(*) FROM exact_edge x"
                                  "  WHERE x.replay_id = p.replay_id)"
                                  " FROM replay p LEFT JOIN graph g USING (graph_id)"
                                  " WHERE replay_id = ?",
                                  note_replay, p, e, "i", p->replay_id);
    if (status == STATUS_OK)
        status = db_query(db, "SELECT batches, hash, batch_length FROM stream WHERE stream_id = ?",
                          note_stream, p, e, "i", p->stream_id);
    if (status != STATUS_OK || !p->has_stream)
        return status;
    struct lookup lookup = {.game = p, .config = config};
    return look_at_points(db, &lookup, e);
}

enum status plan_fits(const struct plan_game *game, const struct config_point *point,
                      struct error *e) {
    const struct stream shape = {.batch_length = game->batch_length, .batch_count = game->batches};
    return technique_fits(point->technique, &shape, point->values, e);
}

void plan_count(const struct plan *p, struct plan_game *game) {
    game->missing = !game->has_stream || !game->has_exact;
    for (size_t i = 0; i < p->config->points.len; i++) {
        struct plan_point *point = &game->points[i];
        const struct config_point *wanted = &p->config->points.at[i];
        point->unfit = plan_fits(game, wanted, NULL) != STATUS_OK;
        if (point->unfit || point->elsewhere)
            continue;
        game->missing += !point->has_result;
        game->missing += wanted->label != NULL && !point->has_curve;
    }
}

/* Two games of one replay and sampling are one stream, and what is found belongs to both. */
static struct plan_game *find_same(const struct plan *p, const struct plan_game *game) {
    for (struct plan_game *g = p->games; g < game; g++)
        if (g->wanted && g->present && g->stream_id == game->stream_id)
            return g->same != NULL ? g->same : g;
    return NULL;
}

/* ---- marks ---- */

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

/* Of games that are not wanted only the names of their rows are of interest, where those can be
 * had. */
static enum status make_game(struct plan *p, size_t i, const char *rom, struct db *db,
                             struct error *e) {
    struct plan_game *game = &p->games[i];
    if (!game->wanted) {
        game->present = open_game(p->config, game, rom, NULL) == STATUS_OK && game->present;
        return STATUS_OK;
    }
    enum status status = open_game(p->config, game, rom, e);
    if (status != STATUS_OK || !game->present)
        return status;
    game->points = calloc(p->config->points.len, sizeof *game->points);
    if (game->points == NULL)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", p->config->path);
    if ((status = look_at_game(db, p->config, game, e)))
        return status;
    plan_count(p, game);
    game->same = find_same(p, game);
    p->missing += game->same == NULL ? game->missing : 0;
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
        status =
            make_game(&p, i, p.games[i].game->rom != NULL ? p.games[i].game->rom : roms[i], db, e);
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
