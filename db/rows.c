/* Putting rows. Every insert says what to do on a conflict of its key only, so that a row that
 * breaks another rule of the schema is an error and never lost in silence. */
#include "db/internal.h"

#include <stdlib.h>
#include <string.h>

/* Looks for a row's id: 0 where there is none. */
static enum status find(struct db *db, const char *sql, const char *format, int64_t *id,
                        struct error *e, va_list values) {
    struct binder b = db_bind(db, sql);
    sqlite3_stmt *look = b.statement;
    bind_list(&b, format, values);
    if (b.statement == NULL)
        return db_fail(db, e);
    int code = sqlite3_step(look);
    *id = code == SQLITE_ROW ? sqlite3_column_int64(look, 0) : 0;
    enum status status = code == SQLITE_ROW || code == SQLITE_DONE ? STATUS_OK : db_fail(db, e);
    sqlite3_reset(look);
    sqlite3_clear_bindings(look);
    return status;
}

/* Finds the row by its key, or inserts it and finds it then. `format` covers the values of the
 * insert; the first `key_length` of them are the key. */
static enum status put(struct db *db, const char *look, size_t key_length, const char *insert,
                       int64_t *id, struct error *e, const char *format, ...) {
    char key_format[8] = "";
    memcpy(key_format, format, key_length);
    enum status status = STATUS_OK;
    *id = 0;
    for (int attempt = 0; status == STATUS_OK && *id == 0 && attempt < 2; attempt++) {
        va_list values;
        if (attempt == 1) {
            if ((status = db_ensure_transaction(db, e)))
                break;
            struct binder b = db_bind(db, insert);
            va_start(values, format);
            bind_list(&b, format, values);
            va_end(values);
            if ((status = db_finish(&b, e)))
                break;
        }
        va_start(values, format);
        status = find(db, look, key_format, id, e, values);
        va_end(values);
    }
    if (status == STATUS_OK && *id == 0)
        status = error_set(e, STATUS_IO, "%s: a row that was just written is gone", db->path);
    return status;
}

/* ---- where rows come from ---- */

enum status db_put_run(struct db *db, const struct db_run *row, int64_t *id, struct error *e) {
    enum status status = db_ensure_transaction(db, e);
    if (status == STATUS_OK)
        status =
            db_execute(db,
                       "INSERT INTO run (version, source_commit, host, compiler,"
                       " configuration_file, definition_hash, jobs, started) VALUES"
                       " (?, ?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
                       e, "tttttti", row->version, row->source_commit, row->host, row->compiler,
                       row->configuration_file, row->definition_hash, row->jobs);
    *id = sqlite3_last_insert_rowid(db->handle);
    return status;
}

enum status db_finish_run(struct db *db, int64_t id, struct error *e) {
    enum status status = db_ensure_transaction(db, e);
    return status != STATUS_OK
               ? status
               : db_execute(db,
                            "UPDATE run SET finished = strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
                            " WHERE run_id = ?",
                            e, "i", id);
}

enum status db_put_game(struct db *db, const struct db_game *row, int64_t *id, struct error *e) {
    enum status status =
        put(db, "SELECT game_id FROM game WHERE name = ?", 1,
            "INSERT INTO game (name, title, untested, paper_game) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (name) DO NOTHING",
            id, e, "ttit", row->name, row->title, (int64_t)row->untested, row->paper_game);
    int64_t same;
    if (status ||
        (status = db_integer(db,
                             "SELECT 1 FROM game WHERE game_id = ? AND title = ? AND untested = ?"
                             " AND paper_game IS ?",
                             0, &same, e, "itit", *id, row->title, (int64_t)row->untested,
                             row->paper_game)) ||
        same)
        return status;
    if ((status = db_ensure_transaction(db, e)))
        return status;
    return db_execute(db,
                      "UPDATE game SET title = ?, untested = ?, paper_game = ? WHERE game_id = ?",
                      e, "titi", row->title, (int64_t)row->untested, row->paper_game, *id);
}

enum status db_put_movie(struct db *db, const char *sha1, const char *file, int64_t lines,
                         int64_t *id, struct error *e) {
    return put(db, "SELECT movie_id FROM movie WHERE sha1 = ?", 1,
               "INSERT INTO movie (sha1, file, lines) VALUES (?, ?, ?)"
               " ON CONFLICT (sha1) DO NOTHING",
               id, e, "tti", sha1, file, lines);
}

enum status db_put_replay(struct db *db, const struct db_replay *row, int64_t *id,
                          struct error *e) {
    return put(db, "SELECT replay_id FROM replay WHERE game_id = ? AND key = ?", 2,
               "INSERT INTO replay (game_id, key, rom_sha1, movie_id, frames, instructions, cycles,"
               " ram_hash, frames_hash, engine, blocks, edges, busy_edges, weight, busy_weight,"
               " hot_edges, hot_edges_active, exact_hash, exact_records, exact_probes,"
               " exact_observed, exact_steps, seconds, run_id) VALUES"
               " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
               " ON CONFLICT (game_id, key) DO NOTHING",
               id, e, "ittiiiitttiiiiiiitiiiiri", row->game_id, row->key, row->rom_sha1,
               row->movie_id, row->frames, row->instructions, row->cycles, row->ram_hash,
               row->frames_hash, row->engine, row->blocks, row->edges, row->busy_edges, row->weight,
               row->busy_weight, row->hot_edges, row->hot_edges_active, row->exact_hash,
               row->exact_records, row->exact_probes, row->exact_observed, row->exact_steps,
               row->seconds, row->run_id);
}

enum status db_put_exact_edge(struct db *db, int64_t replay_id, const struct db_exact_edge *row,
                              struct error *e) {
    enum status status = db_ensure_transaction(db, e);
    return status != STATUS_OK
               ? status
               : db_execute(db,
                            "INSERT INTO exact_edge (replay_id, source, target, count, busy, hot,"
                            " hot_active) VALUES (?, ?, ?, ?, ?, ?, ?)"
                            " ON CONFLICT (replay_id, source, target) DO NOTHING",
                            e, "iiiiiii", replay_id, (int64_t)row->source, (int64_t)row->target,
                            (int64_t)row->count, (int64_t)row->busy, (int64_t)row->hot,
                            (int64_t)row->hot_active);
}

enum status db_put_stream(struct db *db, const struct db_stream *row, int64_t *id,
                          struct error *e) {
    return put(db, "SELECT stream_id FROM stream WHERE replay_id = ? AND key = ?", 2,
               "INSERT INTO stream (replay_id, key, interval_us, jitter_us, seed, phase_cycles,"
               " batch_length, batches, samples, overruns, hash, run_id)"
               " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
               " ON CONFLICT (replay_id, key) DO NOTHING",
               id, e, "itiiiiiiiiti", row->replay_id, row->key, row->interval_us, row->jitter_us,
               row->seed, row->phase_cycles, row->batch_length, row->batches, row->samples,
               row->overruns, row->hash, row->run_id);
}

enum status db_put_configuration(struct db *db, const struct db_configuration *row, int64_t *id,
                                 struct error *e) {
    return put(db, "SELECT configuration_id FROM configuration WHERE key = ?", 1,
               "INSERT INTO configuration (key, technique, bin_size, stdev_threshold, window_size,"
               " recurrent_threshold, builder) VALUES (?, ?, ?, ?, ?, ?, ?)"
               " ON CONFLICT (key) DO NOTHING",
               id, e, "ttiiiii", row->key, row->technique, row->bin_size, row->stdev_threshold,
               row->window_size, row->recurrent_threshold, row->builder);
}

/* ---- what was found ---- */

static void bind_metrics(struct binder *b, const struct metrics *m) {
    bind_real(b, m->similarity);
    bind_real(b, m->precision);
    bind_real(b, m->f1);
    bind_real(b, m->coverage);
    bind_real(b, m->overlap);
    bind_real(b, m->block_overlap);
}

enum status db_put_result(struct db *db, const struct db_result *row, struct error *e) {
    enum status status = db_ensure_transaction(db, e);
    if (status != STATUS_OK)
        return status;
    struct binder b = db_bind(
        db, "INSERT INTO result (stream_id, configuration_id, bins, low, high, blocks,"
            " edges, common_edges, similarity, precision, f1, coverage, overlap, block_overlap,"
            " edges_active, common_edges_active, similarity_active, precision_active, f1_active,"
            " coverage_active, overlap_active, block_overlap_active, graph_hash,"
            " records, probes, observed, steps, seconds, run_id) VALUES (?, ?, ?, ?, ?, ?,"
            " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (stream_id, configuration_id) DO NOTHING");
    bind_integer(&b, row->stream_id);
    bind_integer(&b, row->configuration_id);
    bind_integer(&b, (int64_t)row->bins);
    bind_integer(&b, (int64_t)row->low);
    bind_integer(&b, (int64_t)row->high);
    bind_integer(&b, (int64_t)row->blocks);
    bind_integer(&b, (int64_t)row->whole.edges);
    bind_integer(&b, (int64_t)row->whole.common_edges);
    bind_metrics(&b, &row->whole);
    bind_integer(&b, (int64_t)row->active.edges);
    bind_integer(&b, (int64_t)row->active.common_edges);
    bind_metrics(&b, &row->active);
    bind_text(&b, row->graph_hash);
    bind_integer(&b, (int64_t)row->cost.records);
    bind_integer(&b, (int64_t)row->cost.probes);
    bind_integer(&b, (int64_t)row->cost.observed);
    bind_integer(&b, (int64_t)row->cost.steps);
    bind_real(&b, row->seconds);
    bind_integer(&b, row->run_id);
    return db_finish(&b, e);
}

enum status db_put_convergence(struct db *db, const struct db_convergence *row, struct error *e) {
    enum status status = db_ensure_transaction(db, e);
    if (status != STATUS_OK)
        return status;
    struct binder b = db_bind(
        db, "INSERT INTO convergence (stream_id, configuration_id, batches, bins, blocks, edges,"
            " similarity, precision, f1, coverage, overlap, block_overlap,"
            " similarity_active, precision_active, f1_active, coverage_active, overlap_active,"
            " block_overlap_active, run_id)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (stream_id, configuration_id, batches) DO NOTHING");
    bind_integer(&b, row->stream_id);
    bind_integer(&b, row->configuration_id);
    bind_integer(&b, (int64_t)row->batches);
    bind_integer(&b, (int64_t)row->bins);
    bind_integer(&b, (int64_t)row->blocks);
    bind_integer(&b, (int64_t)row->whole.edges);
    bind_metrics(&b, &row->whole);
    bind_metrics(&b, &row->active);
    bind_integer(&b, row->run_id);
    return db_finish(&b, e);
}

enum status db_put_graph_edge(struct db *db, int64_t stream_id, int64_t configuration_id,
                              const struct edge *edge, struct error *e) {
    enum status status = db_ensure_transaction(db, e);
    return status != STATUS_OK
               ? status
               : db_execute(
                     db,
                     "INSERT INTO graph_edge (stream_id, configuration_id, source, target, count)"
                     " VALUES (?, ?, ?, ?, ?)"
                     " ON CONFLICT (stream_id, configuration_id, source, target) DO NOTHING",
                     e, "iiiii", stream_id, configuration_id, (int64_t)edge->source,
                     (int64_t)edge->target, (int64_t)edge->count);
}

/* ---- the experiment ---- */

/* Are the members in the database exactly these? */
static enum status same_members(struct db *db, int64_t experiment, const struct db_member *members,
                                size_t count, bool *same, struct error *e) {
    int64_t present;
    enum status status =
        db_integer(db, "SELECT count(*) FROM experiment_configuration WHERE experiment_id = ?", 0,
                   &present, e, "i", experiment);
    *same = present == (int64_t)count;
    for (size_t i = 0; status == STATUS_OK && *same && i < count; i++) {
        int64_t found;
        status = db_integer(db,
                            "SELECT 1 FROM experiment_configuration WHERE experiment_id = ? AND"
                            " configuration_id = ? AND number IS ? AND label IS ?",
                            0, &found, e, "iiit", experiment, members[i].configuration_id,
                            members[i].number, members[i].label);
        *same = found;
    }
    return status;
}

static enum status replace_members(struct db *db, int64_t experiment,
                                   const struct db_member *members, size_t count, struct error *e) {
    enum status status = db_ensure_transaction(db, e);
    if (status == STATUS_OK)
        status = db_execute(db, "DELETE FROM experiment_configuration WHERE experiment_id = ?", e,
                            "i", experiment);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = db_execute(db,
                            "INSERT INTO experiment_configuration (experiment_id,"
                            " configuration_id, number, label) VALUES (?, ?, ?, ?)",
                            e, "iiit", experiment, members[i].configuration_id, members[i].number,
                            members[i].label);
    return status;
}

enum status db_choose_experiment(struct db *db, const char *name, const char *definition_hash,
                                 const struct db_member *members, size_t count, int64_t *id,
                                 struct error *e) {
    enum status status;
    bool same;
    int64_t current;
    if ((status = put(db, "SELECT experiment_id FROM experiment WHERE name = ?", 1,
                      "INSERT INTO experiment (name, definition_hash, chosen) VALUES (?, ?, 0)"
                      " ON CONFLICT (name) DO NOTHING",
                      id, e, "tt", name, definition_hash)) ||
        (status = same_members(db, *id, members, count, &same, e)) ||
        (!same && (status = replace_members(db, *id, members, count, e))) ||
        (status = db_integer(db,
                             "SELECT 1 FROM experiment WHERE experiment_id = ? AND"
                             " definition_hash = ? AND chosen > 0 AND"
                             " chosen = (SELECT max(chosen) FROM experiment)",
                             0, &current, e, "it", *id, definition_hash)) ||
        current || (status = db_ensure_transaction(db, e)))
        return status;
    return db_execute(db,
                      "UPDATE experiment SET definition_hash = ?,"
                      " chosen = (SELECT max(chosen) + 1 FROM experiment) WHERE experiment_id = ?",
                      e, "ti", definition_hash, *id);
}

enum status db_choose_stream(struct db *db, int64_t experiment_id, int64_t game_id,
                             int64_t stream_id, struct error *e) {
    int64_t present;
    enum status status = db_integer(db,
                                    "SELECT stream_id FROM experiment_stream"
                                    " WHERE experiment_id = ? AND game_id = ?",
                                    0, &present, e, "ii", experiment_id, game_id);
    if (status != STATUS_OK || present == stream_id ||
        (status = db_ensure_transaction(db, e)) != STATUS_OK)
        return status;
    return db_execute(db,
                      "INSERT INTO experiment_stream (experiment_id, game_id, stream_id)"
                      " VALUES (?, ?, ?) ON CONFLICT (experiment_id, game_id)"
                      " DO UPDATE SET stream_id = excluded.stream_id",
                      e, "iii", experiment_id, game_id, stream_id);
}

struct kept {
    struct db *db;
    const char *const *names;
    size_t count;
    VEC(int64_t) gone;
};

static enum status note_gone(void *user, size_t columns, const char *const *names,
                             const char *const *values, struct error *e) {
    (void)columns;
    (void)names;
    struct kept *kept = user;
    for (size_t i = 0; i < kept->count; i++)
        if (strcmp(kept->names[i], values[0]) == 0)
            return STATUS_OK;
    int64_t id = strtoll(values[1], NULL, 10);
    return vec_push(&kept->gone, id) ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}

enum status db_keep_games(struct db *db, int64_t experiment_id, const char *const *names,
                          size_t count, struct error *e) {
    struct kept kept = {.db = db, .names = names, .count = count};
    enum status status = db_query(db,
                                  "SELECT name, game_id FROM experiment_stream"
                                  " JOIN game USING (game_id) WHERE experiment_id = ?",
                                  note_gone, &kept, e, "i", experiment_id);
    for (size_t i = 0; status == STATUS_OK && i < kept.gone.len; i++) {
        if ((status = db_ensure_transaction(db, e)) == STATUS_OK)
            status = db_execute(
                db, "DELETE FROM experiment_stream WHERE experiment_id = ? AND game_id = ?", e,
                "ii", experiment_id, kept.gone.at[i]);
    }
    vec_free(&kept.gone);
    return status;
}
