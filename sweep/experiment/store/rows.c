#include "experiment/store/rows.h"

#include <stdio.h>
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

struct stream_job {
    struct db_sampling sampling;
    struct db_stream stream;
    char sampling_key[PLAN_KEY], hash[17];
};

struct instruction_row {
    struct db_instruction row;
    char text[32];
};

struct source_job {
    struct db_movie movie; /* sha1 NULL: none */
    struct db_graph graph;
    struct db_replay replay;
    struct stream_job *streams;
    size_t stream_count;
    struct db_exact_edge *edges;
    size_t edge_count;
    struct instruction_row *instructions;
    size_t instruction_count;
    /* The texts of the rows point into these. */
    struct bytes packed;
    char *movie_file, *engine_options, *command;
    char movie_sha1[41], rom_sha1[41], engine[40];
    char replay_key[PLAN_KEY], console[NES_CONSOLE_TEXT];
    char ram_hash[17], frames_hash[33], exact_hash[33];
};

static void free_source(void *self) {
    struct source_job *job = self;
    free(job->movie_file);
    free(job->engine_options);
    free(job->command);
    free(job->edges);
    free(job->instructions);
    free(job->streams);
    bytes_free(&job->packed);
    free(job);
}

static enum status write_source(struct db *db, void *self, struct error *e) {
    struct source_job *job = self;
    enum status status = STATUS_OK;
    if (job->movie.sha1 != NULL) {
        status = db_put_movie(db, &job->movie, e);
        job->replay.movie_id = job->movie.movie_id;
    }
    if (status == STATUS_OK)
        status = db_put_graph(db, &job->graph, e);
    job->replay.graph_id = job->graph.graph_id;
    if (status == STATUS_OK)
        status = db_put_replay(db, &job->replay, e);
    for (size_t i = 0; status == STATUS_OK && i < job->edge_count; i++) {
        job->edges[i].replay_id = job->replay.replay_id;
        status = db_put_exact_edge(db, &job->edges[i], e);
    }
    for (size_t i = 0; status == STATUS_OK && i < job->instruction_count; i++) {
        job->instructions[i].row.replay_id = job->replay.replay_id;
        status = db_put_instruction(db, &job->instructions[i].row, e);
    }
    for (size_t i = 0; status == STATUS_OK && i < job->stream_count; i++) {
        struct stream_job *s = &job->streams[i];
        status = db_put_sampling(db, &s->sampling, e);
        s->stream.replay_id = job->replay.replay_id;
        s->stream.sampling_id = s->sampling.sampling_id;
        if (status == STATUS_OK)
            status = db_put_stream(db, &s->stream, e);
    }
    return status;
}

/* Copies and counts the exact graph's edges, with the hot graphs to which each belongs. */
static bool copy_edges(struct source_job *job, const struct graph *exact) {
    job->edges = calloc(exact->edge_count + 1, sizeof *job->edges);
    size_t *hot = calloc(exact->edge_count + 1, sizeof *hot);
    if (job->edges == NULL || hot == NULL) {
        free(hot);
        return false;
    }
    struct db_replay *row = &job->replay;
    job->edge_count = exact->edge_count;
    row->busy_edges = row->busy_weight = 0;
    for (size_t i = 0; i < exact->edge_count; i++) {
        const struct edge *edge = &exact->edges[i];
        job->edges[i] = (struct db_exact_edge){.source = edge->source,
                                               .target = edge->target,
                                               .count = (int64_t)edge->count,
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

/* ORDER insn_kind */
static const char *const KINDS[] = {"plain",  "branch", "jump", "call", "jump (indirect)",
                                    "return", "rti",    "brk",  "jam"};

static void fill_instruction(struct instruction_row *to, const struct guest_insn *insn) {
    disassemble(to->text, insn->pc, insn->bytes);
    to->row = (struct db_instruction){
        .address = insn->address, .size = insn->size, .kind = KINDS[insn->kind], .text = to->text};
}

/* Lists the executed instructions among those that the engine decoded: the exact graph's blocks
 * contain each address once. Engines decode ahead to different extents. */
static bool list_instructions(struct source_job *job, const struct source *source) {
    const struct trace_excerpt *t = &source->trace;
    job->instructions = calloc(t->met.len + 1, sizeof *job->instructions);
    for (size_t i = 0; job->instructions != NULL && i < source->exact.block_count; i++) {
        const struct block *block = &source->exact.blocks[i];
        const struct guest_insn *insn = trace_find(t, block->entry);
        while (insn != NULL && job->instruction_count < t->met.len) {
            fill_instruction(&job->instructions[job->instruction_count++], insn);
            insn = insn->address != block->last ? trace_find(t, insn->next) : NULL;
        }
    }
    return job->instructions != NULL;
}

/* Fills the columns that only a played game has. */
static void fill_played(struct source_job *job, const struct plan_game *game,
                        const struct source *source) {
    struct db_replay *row = &job->replay;
    const char *slash = strrchr(game->movie_path, '/');
    job->movie_file = strdup(slash != NULL ? slash + 1 : game->movie_path);
    job->movie = (struct db_movie){.sha1 = strcpy(job->movie_sha1, game->movie.sha1),
                                   .file = job->movie_file,
                                   .lines = (int64_t)game->movie.line_count};
    row->rom_sha1 = strcpy(job->rom_sha1, game->cartridge->sha1);
    row->frames = (int64_t)game->game->frames;
    if (game->console[0] != '\0')
        row->console = strcpy(job->console, game->console);
    row->ram_hash = strcpy(job->ram_hash, source->ram_hash);
    row->frames_hash = strcpy(job->frames_hash, source->frames_hash);
    snprintf(job->engine, sizeof job->engine, "%s", source->engine);
    row->engine = job->engine;
    row->engine_options = job->engine_options;
    row->exact_records = (int64_t)source->exact_cost.records;
    row->exact_probes = (int64_t)source->exact_cost.probes;
    row->exact_observed = (int64_t)source->exact_cost.observed;
    row->exact_steps = (int64_t)source->exact_cost.steps;
}

/* Fills the columns that only a recorded program has. */
static bool fill_recorded(struct source_job *job, const struct config_program *program,
                          const struct source *source) {
    size_t size = 0;
    FILE *out = open_memstream(&job->command, &size);
    for (char **word = program->command; out != NULL && *word != NULL; word++)
        fprintf(out, "%s%s", word != program->command ? " " : "", *word);
    if (out == NULL || fclose(out) != 0)
        return false;
    job->replay.command = job->command;
    job->replay.target = source->recording.target;
    return true;
}

static void fill_source(struct source_job *job, int64_t run_id, const struct plan_game *game,
                        const struct source *source) {
    struct db_replay *row = &job->replay;
    *row = db_new_replay();
    row->key = strcpy(job->replay_key, game->replay_key);
    row->kind = game->cartridge != NULL ? "game" : game->game->program != NULL ? "program" : "pair";
    row->instructions = source->instructions;
    if (source->paths != NULL) {
        const struct path_totals *t = path_truth_totals(source->paths);
        row->paths = (int64_t)t->paths;
        row->path_flow = (int64_t)t->flow;
        row->hot_paths = (int64_t)t->hot;
        row->hot_path_flow = (int64_t)t->hot_flow;
    }
    row->cycles = source->cycles;
    row->exact_hash = strcpy(job->exact_hash, source->exact_hash);
    if (source->worth != NULL)
        db_set_worth_exact(row, worth_of_exact(source->worth));
    row->seconds = source->seconds;
    row->run_id = run_id;
    if (game->cartridge != NULL)
        fill_played(job, game, source);
    job->graph = (struct db_graph){.hash = job->exact_hash,
                                   .edges = (int64_t)source->exact.edge_count,
                                   .blocks = (int64_t)source->exact.block_count,
                                   .data = {job->packed.at, job->packed.len}};
}

static void fill_stream(struct stream_job *job, int64_t run_id, const struct plan_stream *planned,
                        const struct source_stream *made) {
    const struct stream *s = &made->stream;
    job->sampling = planned->sampling;
    job->sampling.key = strcpy(job->sampling_key, planned->sampling_key);
    job->stream = db_new_stream();
    job->stream.batch_length = (int64_t)s->batch_length;
    job->stream.batches = (int64_t)s->batch_count;
    job->stream.samples = (int64_t)stream_samples(s, s->batch_count);
    job->stream.overruns = (int64_t)s->overruns;
    if (s->of == STREAM_OF_TRANSFERS) /* a transfer's target does not count as observed */
        job->stream.observed = (int64_t)stream_observed(s, s->batch_count);
    job->stream.hash = strcpy(job->hash, made->hash);
    job->stream.run_id = run_id;
}

static bool fill_streams(struct source_job *job, int64_t run_id, const struct plan_game *game,
                         const struct source *source) {
    job->streams = calloc(source->stream_count + 1, sizeof *job->streams);
    for (size_t i = 0; job->streams != NULL && i < source->stream_count; i++)
        if (source->streams[i].stream.batch_length > 0)
            fill_stream(&job->streams[job->stream_count++], run_id, &game->streams[i],
                        &source->streams[i]);
    return job->streams != NULL;
}

enum status rows_put_source(struct writer *w, int64_t run_id, const struct plan_game *game,
                            const struct source *source, const char *engine_options,
                            struct error *e) {
    struct source_job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return hand_over(w, NULL, write_source, free_source, e);
    job->engine_options = strdup(engine_options);
    enum status status = db_pack_graph(&job->packed, &source->exact, e);
    if (status == STATUS_OK)
        fill_source(job, run_id, game, source);
    if (status != STATUS_OK || job->engine_options == NULL ||
        (game->cartridge != NULL && job->movie_file == NULL) ||
        (game->game->program != NULL && !fill_recorded(job, game->game->program, source)) ||
        !fill_streams(job, run_id, game, source) || !copy_edges(job, &source->exact) ||
        !list_instructions(job, source)) {
        free_source(job);
        job = NULL;
    }
    return hand_over(w, job, write_source, free_source, e);
}

/* ---- results ---- */

struct result_job {
    struct rows_result row;
};

static void free_result(void *self) {
    struct rows_result *row = &((struct result_job *)self)->row;
    bytes_free(&row->graph);
    free(row->qualities);
    free(self);
}

static enum status write_result(struct db *db, void *self, struct error *e) {
    struct rows_result *row = &((struct result_job *)self)->row;
    struct db_graph graph = {.hash = row->graph_hash,
                             .edges = row->graph_edges,
                             .blocks = row->graph_blocks,
                             .data = {row->graph.at, row->graph.len}};
    enum status status = db_put_graph(db, &graph, e);
    row->result.graph_id = graph.graph_id;
    if (status == STATUS_OK)
        status = db_put_result(db, &row->result, e);
    for (size_t i = 0; status == STATUS_OK && i < row->count_count; i++)
        status =
            db_put_counter(db,
                           &(struct db_counter){.stream_id = row->result.stream_id,
                                                .configuration_id = row->result.configuration_id,
                                                .name = row->counts[i].name,
                                                .value = (int64_t)row->counts[i].value},
                           e);
    for (size_t i = 0; status == STATUS_OK && i < row->quality_count; i++)
        status = db_put_quality(db, &row->qualities[i], e);
    return status;
}

static void set_owner(struct db_quality *rows, size_t count, const struct rows_of_stream *of) {
    for (size_t i = 0; i < count; i++) {
        rows[i].stream_id = of->stream_id;
        rows[i].run_id = of->run_id;
    }
}

enum status rows_put_result(struct writer *w, const struct rows_of_stream *of,
                            struct rows_result *row, struct error *e) {
    struct result_job *job = calloc(1, sizeof *job);
    row->result.stream_id = of->stream_id;
    row->result.run_id = of->run_id;
    set_owner(row->qualities, row->quality_count, of);
    if (job != NULL) {
        job->row = *row;
    } else {
        bytes_free(&row->graph);
        free(row->qualities);
    }
    row->graph = (struct bytes){0};
    row->qualities = NULL;
    return hand_over(w, job, write_result, free_result, e);
}

/* ---- convergence ---- */

struct curve_job {
    struct db_quality *rows;
    size_t count;
};

static void free_curve(void *self) {
    free(((struct curve_job *)self)->rows);
    free(self);
}

static enum status write_curve(struct db *db, void *self, struct error *e) {
    struct curve_job *job = self;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < job->count; i++)
        status = db_put_quality(db, &job->rows[i], e);
    return status;
}

enum status rows_put_curve(struct writer *w, const struct rows_of_stream *of,
                           struct db_quality *rows, size_t count, struct error *e) {
    struct curve_job *job = calloc(1, sizeof *job);
    set_owner(rows, count, of);
    if (job != NULL)
        *job = (struct curve_job){.rows = rows, .count = count};
    else
        free(rows);
    return hand_over(w, job, write_curve, free_curve, e);
}
