/* Members of experiments, and the roles of their results. */
#include "db/connection.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* ---- runs ---- */

static void format_now(char out[21]) {
    time_t t = time(NULL);
    struct tm utc;
    gmtime_r(&t, &utc);
    strftime(out, 21, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void db_start_run(struct db_run *row, struct db_run_text *text) {
    uint8_t r[16];
    if (getrandom(r, sizeof r, 0) != sizeof r) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        for (size_t i = 0; i < sizeof r; i += 8) {
            uint64_t word = splitmix64((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec, i);
            memcpy(r + i, &word, 8);
        }
    }
    r[6] = (uint8_t)((r[6] & 0x0F) | 0x40); /* version 4, variant 1 (RFC 9562) */
    r[8] = (uint8_t)((r[8] & 0x3F) | 0x80);
    char *to = text->uuid;
    for (size_t i = 0; i < sizeof r; i++)
        to += sprintf(to, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", r[i]);
    format_now(text->started);
    *row = db_new_run();
    row->uuid = text->uuid;
    row->started = text->started;
}

enum status db_finish_run(struct db *db, int64_t run_id, struct error *e) {
    char finished[21];
    format_now(finished);
    enum status status = db_ensure_transaction(db, e);
    return status != STATUS_OK ? status
                               : db_execute(db, "UPDATE run SET finished = ? WHERE run_id = ?", e,
                                            "ti", (const char *)finished, run_id);
}

/* NULL if unknown. Four digits: such numbers are no more precise. */
static const char *rounded(double x, char room[32]) {
    if (isnan(x))
        return NULL;
    snprintf(room, 32, "%.4f", x);
    return room;
}

enum status db_note_run(struct db *db, int64_t run_id, double spread, double load,
                        const char *warning, struct error *e) {
    char rooms[2][32];
    enum status status = db_ensure_transaction(db, e);
    return status != STATUS_OK
               ? status
               : db_execute(db,
                            "UPDATE run SET spread = CAST(? AS REAL), load = CAST(? AS REAL),"
                            " warning = ? WHERE run_id = ?",
                            e, "ttti", rounded(spread, rooms[0]), rounded(load, rooms[1]), warning,
                            run_id);
}

/* The columns of one scope, whose names end in `s`. The fair metrics need names of edges. */
#define SET_SCOPE(row, m, s)                                                                       \
    do {                                                                                           \
        bool named = (m)->fair.named;                                                              \
        (row)->edges##s = (int64_t)(m)->edges;                                                     \
        (row)->common_edges##s = (int64_t)(m)->common_edges;                                       \
        (row)->hot_edges##s = (int64_t)(m)->hot_edges;                                             \
        (row)->similarity##s = (m)->similarity;                                                    \
        (row)->precision##s = (m)->precision;                                                      \
        (row)->f1##s = (m)->f1;                                                                    \
        (row)->coverage##s = (m)->coverage;                                                        \
        (row)->overlap##s = (m)->overlap;                                                          \
        (row)->block_overlap##s = (m)->block_overlap;                                              \
        (row)->hot_found##s = named ? (int64_t)(m)->fair.hot_g : DB_NULL;                          \
        (row)->hot_common##s = named ? (int64_t)(m)->fair.common_hot : DB_NULL;                    \
        (row)->hot_recall##s = (m)->fair.hot_recall;                                               \
        (row)->hot_precision##s = (m)->fair.hot_precision;                                         \
        (row)->hot_f1##s = (m)->fair.hot_f1;                                                       \
        (row)->hot_f1_10##s = (m)->fair.hot_f1_10;                                                 \
        (row)->fair_overlap##s = (m)->fair.overlap;                                                \
        (row)->count_error##s = (m)->fair.count_error;                                             \
    } while (0)

void db_set_metrics(struct db_quality *row, const struct metrics *whole,
                    const struct metrics *active) {
    SET_SCOPE(row, whole, );
    SET_SCOPE(row, active, _active);
}

void db_set_worth(struct db_result *row, const struct worth *worth) {
    row->placed = (int64_t)worth->placed;
    row->lost = worth->lost;
    row->benefit = worth->as_found.benefit;
    row->fall_share = worth->as_found.fall_share;
    row->hot_bytes = worth->as_found.hot_bytes;
    row->successor = worth->as_found.successor;
    row->benefit_inferred = worth->inferred.benefit;
    row->fall_share_inferred = worth->inferred.fall_share;
    row->hot_bytes_inferred = worth->inferred.hot_bytes;
    row->successor_inferred = worth->inferred.successor;
}

void db_set_worth_exact(struct db_replay *row, const struct worth_exact *exact) {
    row->local_weight = (int64_t)exact->local_weight;
    row->layable_weight = (int64_t)exact->layable_weight;
    row->score_original = exact->score_original;
    row->score_best = exact->score_best;
    row->fall_share_original = exact->fall_share_original;
    row->fall_share_best = exact->fall_share_best;
}

/* ---- members ---- */

/* Deletes the experiment's rows of one table that were not put. `present` lists the values of
 * `column` that were put, as a JSON array. */
static enum status remove_others(struct db *db, int64_t experiment, const char *count_sql,
                                 const char *delete_sql, const char *present, struct error *e) {
    int64_t others;
    enum status status = db_integer(db, count_sql, 0, &others, e, "it", experiment, present);
    if (status != STATUS_OK || others == 0 || (status = db_ensure_transaction(db, e)) != STATUS_OK)
        return status;
    return db_execute(db, delete_sql, e, "it", experiment, present);
}

#define OTHERS(table, column)                                                                      \
    "SELECT count(*) FROM " table " WHERE experiment_id = ?1 AND " column                          \
    " NOT IN (SELECT value FROM json_each(?2))",                                                   \
        "DELETE FROM " table " WHERE experiment_id = ?1 AND " column                               \
        " NOT IN (SELECT value FROM json_each(?2))"

/* Formats integers that lie `stride` bytes apart as "[1,2,...]", to be freed with
 * sqlite3_free(). */
static char *json_list(const void *first, size_t count, size_t stride) {
    sqlite3_str *s = sqlite3_str_new(NULL);
    sqlite3_str_appendall(s, "[");
    for (size_t i = 0; i < count; i++)
        sqlite3_str_appendf(s, "%s%lld", i > 0 ? "," : "",
                            (sqlite3_int64) * (const int64_t *)((const char *)first + i * stride));
    sqlite3_str_appendall(s, "]");
    return sqlite3_str_finish(s);
}

static enum status put_configurations(struct db *db, const struct db_members *m, int64_t experiment,
                                      struct error *e) {
    enum status status = STATUS_OK;
    char *list =
        json_list(m->configuration_count > 0 ? &m->configurations[0].configuration_id : NULL,
                  m->configuration_count, sizeof *m->configurations);
    if (list == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    status = remove_others(db, experiment, OTHERS("experiment_configuration", "configuration_id"),
                           list, e);
    for (size_t i = 0; status == STATUS_OK && i < m->configuration_count; i++) {
        m->configurations[i].experiment_id = experiment;
        status = db_put_experiment_configuration(db, &m->configurations[i], e);
    }
    sqlite3_free(list);
    return status;
}

static enum status put_marks(struct db *db, const struct db_members *m, int64_t experiment,
                             struct error *e) {
    const size_t window_count = m->window_count + m->program_window_count;
    char *marks = json_list(m->marks, m->mark_count, sizeof *m->marks);
    char *hot = json_list(m->hot, m->hot_count, sizeof *m->hot);
    char *windows = json_list(m->windows, window_count, sizeof *m->windows);
    enum status status = marks != NULL && hot != NULL && windows != NULL
                             ? STATUS_OK
                             : error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = remove_others(db, experiment, OTHERS("experiment_mark", "batches"), marks, e);
    if (status == STATUS_OK)
        status = remove_others(db, experiment, OTHERS("experiment_hot", "hot_permille"), hot, e);
    if (status == STATUS_OK)
        status = remove_others(db, experiment, OTHERS("role", "hot_permille"), hot, e);
    if (status == STATUS_OK)
        status = remove_others(db, experiment, OTHERS("experiment_window", "span"), windows, e);
    for (size_t i = 0; status == STATUS_OK && i < m->mark_count; i++)
        status = db_put_experiment_mark(
            db, &(struct db_experiment_mark){.experiment_id = experiment, .batches = m->marks[i]},
            e);
    for (size_t i = 0; status == STATUS_OK && i < m->hot_count; i++)
        status = db_put_experiment_hot(
            db, &(struct db_experiment_hot){.experiment_id = experiment, .hot_permille = m->hot[i]},
            e);
    for (size_t i = 0; status == STATUS_OK && i < window_count; i++)
        status = db_put_experiment_window(
            db,
            &(struct db_experiment_window){.experiment_id = experiment,
                                           .span = m->windows[i],
                                           .unit = i < m->window_count ? NULL : "instructions"},
            e);
    sqlite3_free(marks);
    sqlite3_free(hot);
    sqlite3_free(windows);
    return status;
}

/* Streams to delete, which are not among the members: their game has a stream here, no given stream
 * has their sampling, or their game may not be in the experiment. */
#define STALE_STREAMS                                                                              \
    " FROM experiment_stream WHERE experiment_id = ?1"                                             \
    " AND stream_id NOT IN (SELECT value FROM json_each(?2, '$[0]'))"                              \
    " AND (game_id IN (SELECT value FROM json_each(?2, '$[1]'))"                                   \
    " OR sampling_id NOT IN (SELECT value FROM json_each(?2, '$[2]'))"                             \
    " OR game_id NOT IN (SELECT value FROM json_each(?2, '$[3]')))"

/* The four lists that STALE_STREAMS takes. */
static char *stream_lists(const struct db_members *m) {
    sqlite3_str *s = sqlite3_str_new(NULL);
    const struct db_experiment_stream *first = m->streams;
    char *streams =
        json_list(first != NULL ? &first->stream_id : NULL, m->stream_count, sizeof *first);
    char *games = json_list(first != NULL ? &first->game_id : NULL, m->stream_count, sizeof *first);
    char *samplings =
        json_list(first != NULL ? &first->sampling_id : NULL, m->stream_count, sizeof *first);
    sqlite3_str_appendf(s, "[%s,%s,%s,[", streams, games, samplings);
    for (size_t i = 0; i < m->game_count; i++) {
        struct db_game game = {.name = m->games[i]};
        db_name_game(&game);
        sqlite3_str_appendf(s, "%s%lld", i > 0 ? "," : "", (sqlite3_int64)game.game_id);
    }
    sqlite3_str_appendall(s, "]]");
    char *lists =
        streams != NULL && games != NULL && samplings != NULL ? sqlite3_str_finish(s) : NULL;
    sqlite3_free(streams);
    sqlite3_free(games);
    sqlite3_free(samplings);
    return lists;
}

static enum status put_streams(struct db *db, const struct db_members *m, int64_t experiment,
                               struct error *e) {
    char *lists = stream_lists(m);
    if (lists == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    enum status status = remove_others(db, experiment, "SELECT count(*)" STALE_STREAMS,
                                       "DELETE" STALE_STREAMS, lists, e);
    for (size_t i = 0; status == STATUS_OK && i < m->stream_count; i++) {
        m->streams[i].experiment_id = experiment;
        status = db_put_experiment_stream(db, &m->streams[i], e);
    }
    sqlite3_free(lists);
    return status;
}

enum status db_put_members(struct db *db, const struct db_members *m, int64_t *experiment_id,
                           struct error *e) {
    struct db_experiment row = {.name = m->name,
                                .definition_hash = m->definition_hash,
                                .judges_paths = m->judges_paths ? 1 : DB_NULL};
    enum status status = db_put_experiment(db, &row, e);
    *experiment_id = row.experiment_id;
    if (status == STATUS_OK)
        status = put_configurations(db, m, row.experiment_id, e);
    if (status == STATUS_OK)
        status = put_marks(db, m, row.experiment_id, e);
    return status == STATUS_OK ? put_streams(db, m, row.experiment_id, e) : status;
}

/* ---- configurations that do not fit ---- */

#define STALE_UNFIT                                                                                \
    " FROM unfit WHERE experiment_id = ?1"                                                         \
    " AND stream_id = json_extract(?2, '$[0]')"                                                    \
    " AND configuration_id NOT IN (SELECT value FROM json_each(?2, '$[1]'))"

enum status db_put_unfit_of(struct db *db, int64_t experiment_id, int64_t stream_id,
                            const int64_t *configurations, size_t count, struct error *e) {
    char *list = json_list(configurations, count, sizeof *configurations);
    char *lists =
        list != NULL ? sqlite3_mprintf("[%lld,%s]", (sqlite3_int64)stream_id, list) : NULL;
    enum status status = lists != NULL
                             ? remove_others(db, experiment_id, "SELECT count(*)" STALE_UNFIT,
                                             "DELETE" STALE_UNFIT, lists, e)
                             : error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct db_unfit row = {.experiment_id = experiment_id,
                               .stream_id = stream_id,
                               .configuration_id = configurations[i]};
        status = db_put_unfit(db, &row, e);
    }
    sqlite3_free(list);
    sqlite3_free(lists);
    return status;
}

/* ---- roles ---- */

struct found_roles {
    VEC(struct db_role) list;
    VEC(int64_t) graphs; /* one for each role */
};

static enum status note_role(void *user, size_t columns, const char *const *names,
                             const char *const *values, struct error *e) {
    static const char *const known[] = {"best", "median", "worst", "baseline"};
    (void)columns;
    (void)names;
    struct found_roles *found = user;
    struct db_role row = {.hot_permille = strtoll(values[0], NULL, 10),
                          .configuration_id = strtoll(values[2], NULL, 10)};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i], values[1]) == 0)
            row.role = known[i];
    return vec_push(&found->list, row) && vec_push(&found->graphs, strtoll(values[3], NULL, 10))
               ? STATUS_OK
               : error_set(e, STATUS_MEMORY, "out of memory");
}

/* Over all techniques of the grid. A stream with two names has one set of roles. */
static const char find_roles_sql[] =
    "WITH r AS MATERIALIZED (SELECT hot_permille, configuration_id, graph_id,"
    "  row_number() OVER (w ORDER BY similarity DESC NULLS LAST, similarity_active DESC NULLS LAST,"
    "   f1_active DESC NULLS LAST, number) AS position,"
    "  row_number() OVER (w ORDER BY similarity NULLS LAST, similarity_active NULLS LAST,"
    "   f1_active NULLS LAST, number) AS position_from_worst, count(*) OVER w AS places"
    "  FROM results WHERE experiment_id = ?1 AND stream_id = ?2 AND number IS NOT NULL"
    "  WINDOW w AS (PARTITION BY game, hot_permille))"
    " SELECT DISTINCT hot_permille, 'best', configuration_id, graph_id FROM r WHERE position = 1"
    " UNION ALL SELECT DISTINCT hot_permille, 'median', configuration_id, graph_id FROM r"
    "  WHERE position = (places + 1) / 2"
    " UNION ALL SELECT DISTINCT hot_permille, 'worst', configuration_id, graph_id FROM r"
    "  WHERE position_from_worst = 1"
    " UNION ALL SELECT DISTINCT hot_permille, 'baseline', configuration_id, graph_id FROM baseline"
    "  WHERE experiment_id = ?1 AND stream_id = ?2";

/* Stores the graph edge by edge, unless that is done; version 1 stored graphs only so. */
static enum status spread_graph(struct db *db, int64_t graph_id, struct error *e) {
    int64_t lacking;
    enum status status = db_integer(db,
                                    "SELECT edges - (SELECT count(*) FROM graph_edge e"
                                    " WHERE e.graph_id = g.graph_id) FROM graph g"
                                    " WHERE graph_id = ? AND data IS NOT NULL",
                                    0, &lacking, e, "i", graph_id);
    struct graph g = {0};
    if (status == STATUS_OK && lacking != 0)
        status = db_get_graph(db, graph_id, &g, e);
    for (size_t i = 0; status == STATUS_OK && i < g.edge_count; i++) {
        struct db_graph_edge row = {.graph_id = graph_id,
                                    .source = g.edges[i].source,
                                    .target = g.edges[i].target,
                                    .count = (int64_t)g.edges[i].count};
        status = db_put_graph_edge(db, &row, e);
    }
    graph_free(&g);
    return status;
}

enum status db_put_roles(struct db *db, int64_t experiment_id, int64_t stream_id, struct error *e) {
    struct found_roles found = {0};
    enum status status =
        db_query(db, find_roles_sql, note_role, &found, e, "ii", experiment_id, stream_id);
    for (size_t i = 0; status == STATUS_OK && i < found.list.len; i++) {
        struct db_role *row = &found.list.at[i];
        row->experiment_id = experiment_id;
        row->stream_id = stream_id;
        if ((status = db_put_role(db, row, e)) == STATUS_OK)
            status = spread_graph(db, found.graphs.at[i], e);
    }
    vec_free(&found.list);
    vec_free(&found.graphs);
    return status;
}
