#include "experiment/experiment.h"

#include "base/base.h"
#include "config/config.h"
#include "experiment/plan/filter.h"
#include "experiment/plan/open_experiment.h"
#include "experiment/plan/window_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the database has ---- */

struct lookup {
    const struct config *config;
    struct plan_stream *stream;
    bool of_program;  /* its curves are thinned, its windows are of instructions */
    struct map by_id; /* a configuration's id in the database -> 1 + its index */
    const size_t *marks;
    size_t mark_count;
    size_t *seen; /* by point: the number of stored marks of its curve, over all shares */
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

/* Finds the index of the point with that id in the database. */
static bool find_point(const struct lookup *l, const char *id, size_t *out) {
    const uint64_t *at = map_find(&l->by_id, strtoull(id, NULL, 10));
    if (at == NULL || *at == 0)
        return false;
    *out = *at - 1;
    return true;
}

static enum status note_replay(void *user, size_t columns, const char *const *names,
                               const char *const *values, struct error *e) {
    (void)columns, (void)names, (void)e;
    struct plan_game *p = user;
    snprintf(p->exact_hash, sizeof p->exact_hash, "%s", values[0]);
    p->has_exact = strcmp(values[1], "1") == 0;
    p->has_paths = strcmp(values[2], "1") == 0;
    p->instructions = values[3] != NULL ? strtoull(values[3], NULL, 10) : 0;
    return STATUS_OK;
}

static enum status note_stream(void *user, size_t columns, const char *const *names,
                               const char *const *values, struct error *e) {
    (void)columns, (void)names, (void)e;
    struct plan_stream *s = user;
    s->has_stream = true;
    s->batches = strtoull(values[0], NULL, 10);
    snprintf(s->hash, sizeof s->hash, "%s", values[1]);
    s->batch_length = strtoull(values[2], NULL, 10);
    return STATUS_OK;
}

static enum status note_result(void *user, size_t columns, const char *const *names,
                               const char *const *values, struct error *e) {
    (void)columns, (void)names, (void)e;
    struct lookup *l = user;
    size_t i;
    if (!find_point(l, values[0], &i))
        return STATUS_OK;
    struct plan_point *point = &l->stream->points[i];
    point->has_result = strcmp(values[1], "1") == 0;
    snprintf(point->graph_hash, sizeof point->graph_hash, "%s", values[2]);
    point->has_paths = strcmp(values[3], "1") == 0;
    return STATUS_OK;
}

static enum status note_mark(void *user, size_t columns, const char *const *names,
                             const char *const *values, struct error *e) {
    (void)columns, (void)names, (void)e;
    struct lookup *l = user;
    size_t i;
    if (!find_point(l, values[0], &i))
        return STATUS_OK;
    uint64_t batches = strtoull(values[1], NULL, 10);
    for (size_t k = 0; k < l->mark_count; k++)
        l->seen[i] += l->marks[k] == batches;
    l->stream->points[i].has_curve = l->seen[i] == l->mark_count * l->config->hot.len;
    return STATUS_OK;
}

/* A complete result has its graph, its quality for each share, and its worth; earlier versions
 * stored less. */
static const char results_sql[] =
    "SELECT r.configuration_id, g.data IS NOT NULL AND (SELECT count(*) FROM quality q"
    " WHERE q.stream_id = r.stream_id AND q.configuration_id = r.configuration_id"
    " AND q.part = 'first' AND q.batches = ?2 AND q.hot_found IS NOT NULL"
    " AND q.hot_permille IN (SELECT value FROM json_each(?3))) = ?4"
    " AND (r.placed IS NOT NULL OR p.kind IS 'pair'), g.hash, r.fixed_flow IS NOT NULL"
    " FROM result r JOIN graph g USING (graph_id) JOIN stream s USING (stream_id)"
    " JOIN replay p USING (replay_id) WHERE r.stream_id = ?1";

/* Curves of programs are thinned: ?3 is the batch at which they end, 0 for others. */
static const char marks_sql[] = "SELECT configuration_id, batches FROM quality WHERE stream_id = ?1"
                                " AND part = iif(batches < ?3, 'strata', 'first')"
                                " AND hot_permille IN (SELECT value FROM json_each(?2))";

static enum status note_windows(void *user, size_t columns, const char *const *names,
                                const char *const *values, struct error *e) {
    (void)columns, (void)names, (void)e;
    struct lookup *l = user;
    size_t i;
    if (find_point(l, values[0], &i))
        l->stream->points[i].has_windows = strtoull(values[1], NULL, 10) == l->stream->window_rows;
    return STATUS_OK;
}

/* ?2: hot shares, ?3: lengths. A job writes its rows of phases first. */
static const char windows_sql[] =
    "SELECT configuration_id, count(*) FROM window_quality WHERE stream_id = ?1"
    " AND hot_permille IN (SELECT value FROM json_each(?2))"
    " AND span IN (SELECT value FROM json_each(?3)) GROUP BY configuration_id";

/* Writes lengths of windows as JSON: "[1,5]". */
static char *list_lengths(const uint64_t *lengths, size_t count) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL)
        fputc('[', out);
    for (size_t i = 0; out != NULL && i < count; i++)
        fprintf(out, "%s%" PRIu64, i == 0 ? "" : ",", lengths[i]);
    if (out != NULL)
        fputc(']', out);
    return out != NULL && fclose(out) == 0 ? text : NULL;
}

static char *list_shares(const struct config *c) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out != NULL && i < c->hot.len; i++)
        fprintf(out, "%c%u", i == 0 ? '[' : ',', c->hot.at[i]);
    if (out != NULL)
        fputc(']', out);
    return out != NULL && fclose(out) == 0 ? text : NULL;
}

static enum status look_at_points(struct db *db, struct lookup *l, struct error *e) {
    size_t *marks = NULL;
    const struct config *c = l->config;
    char *shares = list_shares(c),
         *lengths = l->of_program ? list_lengths(c->program_windows.at, c->program_windows.len)
                                  : list_lengths(c->windows.at, c->windows.len);
    enum status status = plan_marks(l->config, l->stream->batches, &marks, &l->mark_count, e);
    l->marks = marks;
    l->seen = calloc(l->config->points.len, sizeof *l->seen);
    if (status == STATUS_OK && (l->seen == NULL || shares == NULL || lengths == NULL))
        status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = number_points(l, e);
    if (status == STATUS_OK)
        status = db_query(db, results_sql, note_result, l, e, "iiti", l->stream->stream_id,
                          (int64_t)l->stream->batches, shares, (int64_t)l->config->hot.len);
    if (status == STATUS_OK)
        status = db_query(db, marks_sql, note_mark, l, e, "iti", l->stream->stream_id, shares,
                          (int64_t)(l->of_program ? l->stream->batches : 0));
    if (status == STATUS_OK && l->stream->window_rows > 0)
        status = db_query(db, windows_sql, note_windows, l, e, "itt", l->stream->stream_id, shares,
                          lengths);
    free(lengths);
    free(shares);
    free(marks);
    free(l->seen);
    map_free(&l->by_id);
    return status;
}

static enum status look_at_stream(struct db *db, const struct config *config, struct plan_stream *s,
                                  bool of_program, struct error *e) {
    enum status status =
        db_query(db, "SELECT batches, hash, batch_length FROM stream WHERE stream_id = ?",
                 note_stream, s, e, "i", s->stream_id);
    if (status != STATUS_OK || !s->has_stream)
        return status;
    struct lookup lookup = {.config = config, .stream = s, .of_program = of_program};
    return look_at_points(db, &lookup, e);
}

static enum status look_at_game(struct db *db, const struct config *config, struct plan_game *p,
                                struct error *e) {
    enum status status =
        db_query(db,
                 "SELECT exact_hash, g.data IS NOT NULL AND (p.local_weight IS NOT NULL"
                 " OR p.kind IS 'pair') AND p.edges ="
                 " (SELECT count(*) FROM exact_edge x"
                 "  WHERE x.replay_id = p.replay_id)"
                 " AND (p.kind IS NOT 'program' OR EXISTS"
                 "  (SELECT 1 FROM replay_image i"
                 "   WHERE i.replay_id = p.replay_id)), p.path_flow IS NOT NULL,"
                 " p.instructions"
                 " FROM replay p LEFT JOIN graph g USING (graph_id)"
                 " WHERE replay_id = ?",
                 note_replay, p, e, "i", p->replay_id);
    p->judges_paths =
        config->paths && (p->game->movie != NULL || config_has_trace(p->game->program));
    for (size_t i = 0; status == STATUS_OK && i < p->stream_count; i++) {
        struct plan_stream *s = &p->streams[i];
        s->points = calloc(config->points.len, sizeof *s->points);
        s->judges_paths = p->judges_paths;
        s->window_rows = window_rows(config, p, s, p->instructions);
        status = s->points != NULL ? look_at_stream(db, config, s, p->game->program != NULL, e)
                                   : error_set(e, STATUS_MEMORY, "%s: out of memory", config->path);
    }
    return status;
}

/* ---- what is missing ---- */

bool plan_applies(const struct plan_stream *stream, const struct config_point *point) {
    return stream->configured != NULL ? config_applies(stream->configured, point->technique)
                                      : point->technique->build != NULL;
}

enum status plan_fits(const struct plan_game *game, const struct plan_stream *stream,
                      const struct config_point *point, struct error *e) {
    char *const *without = game->game->program != NULL ? game->game->program->without : NULL;
    for (; without != NULL && *without != NULL; without++)
        if (strcmp(*without, point->technique->name) == 0)
            return error_set(e, STATUS_ARGUMENT, "the configuration excludes %s for it", *without);
    if (!plan_applies(stream, point))
        return error_set(e, STATUS_ARGUMENT,
                         point->technique->build == NULL ? "%s watches by itself"
                                                         : "%s works on samples",
                         point->technique->name);
    const bool watched = game->game->program != NULL && stream->configured != NULL;
    if (watched && stream->configured->other && strcmp(point->technique->name, "exact") != 0)
        return error_set(e, STATUS_ARGUMENT,
                         "%s follows no other run of a program, which is recorded exactly",
                         point->technique->name);
    if (watched && !stream->configured->other && !config_follows_program(point->technique))
        return error_set(
            e, STATUS_ARGUMENT, "%s cannot follow a program's trace: %s", point->technique->name,
            point->technique->only_machine != NULL ? point->technique->only_machine
                                                   : "it is what the others are compared with");
    const struct stream shape = {
        .batch_length = stream->batch_length, .batch_count = stream->batches, .of = stream->of};
    return technique_fits(point->technique, &shape, point->values, e);
}

static size_t lacking(const struct plan *p, const struct plan_stream *s, size_t point) {
    const struct plan_point *at = &s->points[point];
    if (at->unfit)
        return 0;
    return !at->has_result + (size_t)(p->config->points.at[point].label != NULL && !at->has_curve) +
           (size_t)(s->window_rows > 0 && !at->has_windows) +
           (size_t)(s->judges_paths && !at->has_paths);
}

size_t plan_due(const struct plan *p, const struct plan_stream *s, size_t point) {
    return s->wanted && p->wanted[point] && !s->points[point].elsewhere ? lacking(p, s, point) : 0;
}

static void count_stream(const struct plan *p, const struct plan_game *game,
                         struct plan_stream *s) {
    const bool known = s->has_stream || s->batches > 0;
    if (!known && s->configured != NULL) /* the expected number; a game always has enough batches */
        s->batch_length = s->configured->live ? 1 : s->configured->options.batch_length;
    size_t asked = 0;
    s->missing = s->left = 0;
    for (size_t i = 0; i < p->config->points.len; i++) {
        asked += s->wanted && p->wanted[i] && !s->points[i].elsewhere;
        if (s->batch_length > 0) {
            const struct plan_stream shape = {.configured = s->configured,
                                              .of = s->of,
                                              .batch_length = s->batch_length,
                                              .batches = known ? s->batches : 1};
            s->points[i].unfit =
                plan_fits(game, &shape, &p->config->points.at[i], NULL) != STATUS_OK;
        }
        s->missing += plan_due(p, s, i);
        s->left += lacking(p, s, i) - plan_due(p, s, i);
    }
    *(asked > 0 ? &s->missing : &s->left) += !s->has_stream;
}

void plan_count(const struct plan *p, struct plan_game *game) {
    bool to_play = false;
    game->missing = game->left = 0;
    for (size_t i = 0; i < game->stream_count; i++) {
        count_stream(p, game, &game->streams[i]);
        game->missing += game->streams[i].missing;
        game->left += game->streams[i].left;
        to_play |= game->streams[i].missing > 0 && !game->streams[i].has_stream;
    }
    game->missing += !(game->has_exact && (game->has_paths || !game->judges_paths)) && !to_play;
}

/* Two games with the same replay and sampling share a stream and its results. */
static struct plan_game *find_same(const struct plan *p, const struct plan_game *game) {
    for (struct plan_game *g = p->games; g < game; g++)
        if (g->wanted && g->present && g->streams->stream_id == game->streams->stream_id)
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

/* "burrow movie=second": further movies are named by their files, without characters that separate
 * the fields of a digest's line. */
static void label_game(struct plan_game *p, size_t movie) {
    size_t len = (size_t)snprintf(p->label, sizeof p->label, "%s", p->game->name);
    if (movie == 0)
        return;
    const char *slash = strrchr(p->movie_path, '/'),
               *file = slash != NULL ? slash + 1 : p->movie_path;
    const char *dot = strrchr(file, '.');
    const int stem = dot != NULL && dot > file ? (int)(dot - file) : (int)strlen(file);
    snprintf(p->label + len, sizeof p->label - len, " movie=%.*s", stem > 120 ? 120 : stem, file);
    for (char *c = p->label + len + 1; *c != '\0'; c++)
        if (*c < '-' || (*c > '9' && *c < 'A' && *c != '=') || *c == '/' || *c > 'z')
            *c = '_';
}

static size_t count_movies(const struct config_game *g) {
    size_t count = 1;
    for (size_t i = 0; g->further != NULL && g->further[i] != NULL; i++)
        count++;
    return count;
}

static enum status list_games(struct plan *p, struct error *e) {
    const struct config *config = p->config;
    size_t total = 0;
    for (size_t i = 0; i < config->games.len; i++)
        total += count_movies(&config->games.at[i]);
    p->games = calloc(total + 1, sizeof *p->games);
    p->wanted = calloc(config->points.len + 1, sizeof *p->wanted);
    if (p->games == NULL || p->wanted == NULL)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", config->path);
    for (size_t i = 0; i < config->games.len; i++) {
        const struct config_game *g = &config->games.at[i];
        const size_t movies = count_movies(g);
        for (size_t k = 0; k < movies; k++) {
            struct plan_game *game = &p->games[p->count++];
            *game =
                (struct plan_game){.game = g, .movie_path = k == 0 ? g->movie : g->further[k - 1]};
            label_game(game, k);
            enum status status = plan_make_streams(config, game, e);
            if (status != STATUS_OK)
                return status;
        }
    }
    return STATUS_OK;
}

/* A game's movies must differ by name and by content. */
static enum status refuse_movie(const struct plan *p, const struct plan_game *game,
                                struct error *e) {
    for (const struct plan_game *g = p->games; g < game; g++) {
        if (g->game != game->game)
            continue;
        if (strcmp(g->label, game->label) == 0)
            return error_set(e, STATUS_FORMAT,
                             "%s: two movies of %s have the name %s: rows are told apart by it",
                             game->game->place, game->game->name, game->movie_path);
        if (game->named && g->replay_id == game->replay_id)
            return error_set(e, STATUS_FORMAT, "%s: %s and %s are the same movie",
                             game->game->place, g->movie_path, game->movie_path);
    }
    return STATUS_OK;
}

/* A game that is not wanted needs only the ids of its rows, if these can be computed. */
static enum status make_game(struct plan *p, struct plan_game *game, const char *rom, struct db *db,
                             struct error *e) {
    if (!game->wanted) {
        game->present =
            plan_open_game(p->config, game, rom, db, NULL) == STATUS_OK && game->present;
        return STATUS_OK;
    }
    enum status status = plan_open_game(p->config, game, rom, db, e);
    if (status == STATUS_OK)
        status = refuse_movie(p, game, e);
    if (status != STATUS_OK || !game->present)
        return status;
    if ((status = look_at_game(db, p->config, game, e)))
        return status;
    plan_count(p, game);
    game->same = find_same(p, game);
    p->missing += game->same == NULL ? game->missing : 0;
    return STATUS_OK;
}

enum status plan_make(struct plan *out, const struct config *config,
                      const struct plan_filter *filter, struct db *db, struct error *e) {
    struct plan p = {.config = config};
    char **roms = calloc(config->games.len + 1, sizeof *roms);
    enum status status = roms != NULL
                             ? list_games(&p, e)
                             : error_set(e, STATUS_MEMORY, "%s: out of memory", config->path);
    if (status == STATUS_OK)
        status = filter_apply(&p, filter, e);
    if (status == STATUS_OK)
        status = plan_find_roms(config, roms, e);
    for (size_t i = 0; status == STATUS_OK && i < p.count; i++) {
        const struct config_game *g = p.games[i].game;
        status =
            make_game(&p, &p.games[i], g->rom != NULL ? g->rom : roms[g - config->games.at], db, e);
    }
    for (size_t i = 0; roms != NULL && i < config->games.len; i++)
        free(roms[i]);
    free(roms);
    *out = p;
    if (status != STATUS_OK)
        plan_free(out);
    return status;
}

void plan_free(struct plan *p) {
    for (size_t i = 0; i < p->count; i++) {
        struct plan_game *game = &p->games[i];
        cartridge_free(game->cartridge);
        movie_free(&game->movie);
        movie_free(&game->other);
        for (size_t k = 0; k < game->stream_count; k++)
            free(game->streams[k].points);
        free(game->streams);
    }
    free(p->games);
    free(p->wanted);
    *p = (struct plan){0};
}
