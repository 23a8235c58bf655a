#include "sweep/rows.h"

#include <stdlib.h>
#include <string.h>

static enum status hand_over(struct writer *w, void *job,
                             enum status (*write)(struct db *db, void *job, struct error *e),
                             void (*free_job)(void *job), struct error *e) {
    if (job == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    enum status status = writer_put(w, job, write, free_job);
    return status == STATUS_OK ? STATUS_OK : error_set(e, status, "the database cannot be written");
}

/* ---- replay, exact graph and stream ---- */

struct source_job {
    struct rows_of_game *of;
    struct db_replay replay; /* its texts are the members below */
    struct db_stream stream;
    bool has_movie;
    char movie_sha1[41], *movie_file;
    int64_t movie_lines;
    char replay_key[PLAN_KEY], stream_key[PLAN_KEY], rom_sha1[41];
    char ram_hash[17], frames_hash[33], exact_hash[33], stream_hash[17];
    struct db_exact_edge *edges;
    size_t edge_count;
};

static void free_source(void *self) {
    struct source_job *job = self;
    free(job->movie_file);
    free(job->edges);
    free(job);
}

static enum status write_source(struct db *db, void *self, struct error *e) {
    struct source_job *job = self;
    enum status status = STATUS_OK;
    if (job->has_movie)
        status = db_put_movie(db, job->movie_sha1, job->movie_file, job->movie_lines,
                              &job->replay.movie_id, e);
    if (status == STATUS_OK)
        status = db_put_replay(db, &job->replay, &job->stream.replay_id, e);
    for (size_t i = 0; status == STATUS_OK && i < job->edge_count; i++)
        status = db_put_exact_edge(db, job->stream.replay_id, &job->edges[i], e);
    if (status == STATUS_OK)
        status = db_put_stream(db, &job->stream, &job->of->stream_id, e);
    if (status == STATUS_OK)
        status =
            db_choose_stream(db, job->of->experiment_id, job->of->game_id, job->of->stream_id, e);
    return status;
}

/* Copies the exact graph's edges, each with its part in the hot graphs, and counts them. */
static bool copy_edges(struct source_job *job, const struct graph *exact) {
    job->edges = calloc(exact->edge_count + 1, sizeof *job->edges);
    size_t *hot = calloc(exact->edge_count + 1, sizeof *hot);
    if (job->edges == NULL || hot == NULL) {
        free(hot);
        return false;
    }
    struct db_replay *row = &job->replay;
    job->edge_count = exact->edge_count;
    for (size_t i = 0; i < exact->edge_count; i++) {
        const struct edge *edge = &exact->edges[i];
        job->edges[i] = (struct db_exact_edge){.source = edge->source,
                                               .target = edge->target,
                                               .count = edge->count,
                                               .busy = edge->busy};
        row->busy_edges += edge->busy;
        row->busy_weight += edge->busy ? (int64_t)edge->count : 0;
    }
    row->blocks = (int64_t)exact->block_count;
    row->edges = (int64_t)exact->edge_count;
    row->weight = (int64_t)graph_weight(exact);
    row->hot_edges = (int64_t)graph_hot(exact, 900, false, hot);
    for (int64_t i = 0; i < row->hot_edges; i++)
        job->edges[hot[i]].hot = true;
    row->hot_edges_active = (int64_t)graph_hot(exact, 900, true, hot);
    for (int64_t i = 0; i < row->hot_edges_active; i++)
        job->edges[hot[i]].hot_active = true;
    free(hot);
    return true;
}

static void fill_replay(struct source_job *job, const struct plan_game *game,
                        const struct source *source) {
    bool played = game->cartridge != NULL;
    struct db_replay *row = &job->replay;
    row->game_id = job->of->game_id;
    row->key = strcpy(job->replay_key, game->replay_key);
    row->rom_sha1 = played ? strcpy(job->rom_sha1, game->cartridge->sha1) : NULL;
    row->movie_id = DB_NULL;
    row->frames = played ? (int64_t)game->game->frames : DB_NULL;
    row->instructions = source->instructions;
    row->cycles = source->cycles;
    row->ram_hash = played ? strcpy(job->ram_hash, source->ram_hash) : NULL;
    row->frames_hash = played ? strcpy(job->frames_hash, source->frames_hash) : NULL;
    row->engine = source->engine;
    row->exact_hash = strcpy(job->exact_hash, source->exact_hash);
    row->exact_records = played ? (int64_t)source->exact_cost.records : DB_NULL;
    row->exact_probes = played ? (int64_t)source->exact_cost.probes : DB_NULL;
    row->exact_observed = played ? (int64_t)source->exact_cost.observed : DB_NULL;
    row->exact_steps = played ? (int64_t)source->exact_cost.steps : DB_NULL;
    row->seconds = source->seconds;
    row->run_id = job->of->run_id;
}

static void fill_stream(struct source_job *job, const struct plan_game *game,
                        const struct sampler_options *sampling, const struct source *source) {
    bool played = game->cartridge != NULL;
    const struct stream *s = &source->stream;
    job->stream = (struct db_stream){
        .key = strcpy(job->stream_key, game->stream_key),
        .interval_us = played ? (int64_t)sampling->interval_us : DB_NULL,
        .jitter_us = played ? (int64_t)sampling->jitter_us : DB_NULL,
        .seed = played ? (int64_t)sampling->seed : DB_NULL,
        .phase_cycles = played ? (int64_t)sampling->phase_cycles : DB_NULL,
        .batch_length = (int64_t)s->batch_length,
        .batches = (int64_t)s->batch_count,
        .samples = (int64_t)(s->batch_length * s->batch_count),
        .overruns = (int64_t)s->overruns,
        .hash = strcpy(job->stream_hash, source->stream_hash),
        .run_id = job->of->run_id,
    };
}

enum status rows_put_source(struct writer *w, struct rows_of_game *of, const struct plan_game *game,
                            const struct sampler_options *sampling, const struct source *source,
                            struct error *e) {
    struct source_job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return hand_over(w, NULL, write_source, free_source, e);
    job->of = of;
    fill_replay(job, game, source);
    fill_stream(job, game, sampling, source);
    job->has_movie = game->cartridge != NULL;
    if (job->has_movie) {
        const char *slash = strrchr(game->game->movie, '/');
        job->movie_file = strdup(slash != NULL ? slash + 1 : game->game->movie);
        job->movie_lines = (int64_t)game->movie.line_count;
        strcpy(job->movie_sha1, game->movie.sha1);
    }
    if ((job->has_movie && job->movie_file == NULL) || !copy_edges(job, &source->exact)) {
        free_source(job);
        job = NULL;
    }
    return hand_over(w, job, write_source, free_source, e);
}

/* ---- results ---- */

struct result_job {
    struct rows_of_game *of;
    struct db_result row;
};

static enum status write_result(struct db *db, void *self, struct error *e) {
    struct result_job *job = self;
    job->row.stream_id = job->of->stream_id;
    job->row.run_id = job->of->run_id;
    return db_put_result(db, &job->row, e);
}

enum status rows_put_result(struct writer *w, struct rows_of_game *of, struct db_result row,
                            struct error *e) {
    struct result_job *job = calloc(1, sizeof *job);
    if (job != NULL)
        *job = (struct result_job){.of = of, .row = row};
    return hand_over(w, job, write_result, free, e);
}

/* ---- convergence ---- */

struct curve_job {
    struct rows_of_game *of;
    struct db_convergence *rows;
    size_t count;
};

static void free_curve(void *self) {
    free(((struct curve_job *)self)->rows);
    free(self);
}

static enum status write_curve(struct db *db, void *self, struct error *e) {
    struct curve_job *job = self;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < job->count; i++) {
        job->rows[i].stream_id = job->of->stream_id;
        job->rows[i].run_id = job->of->run_id;
        status = db_put_convergence(db, &job->rows[i], e);
    }
    return status;
}

enum status rows_put_curve(struct writer *w, struct rows_of_game *of, struct db_convergence *rows,
                           size_t count, struct error *e) {
    struct curve_job *job = calloc(1, sizeof *job);
    if (job != NULL)
        *job = (struct curve_job){.of = of, .rows = rows, .count = count};
    else
        free(rows);
    return hand_over(w, job, write_curve, free_curve, e);
}

/* ---- graphs ---- */

struct graph_job {
    struct rows_of_game *of;
    int64_t configuration_id;
    struct graph graph;
};

static void free_graph(void *self) {
    graph_free(&((struct graph_job *)self)->graph);
    free(self);
}

static enum status write_graph(struct db *db, void *self, struct error *e) {
    struct graph_job *job = self;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < job->graph.edge_count; i++)
        status = db_put_graph_edge(db, job->of->stream_id, job->configuration_id,
                                   &job->graph.edges[i], e);
    return status;
}

enum status rows_put_graph(struct writer *w, struct rows_of_game *of, int64_t configuration_id,
                           struct graph *graph, struct error *e) {
    struct graph_job *job = calloc(1, sizeof *job);
    if (job != NULL) {
        *job = (struct graph_job){.of = of, .configuration_id = configuration_id, .graph = *graph};
        *graph = (struct graph){0};
    }
    return hand_over(w, job, write_graph, free_graph, e);
}
