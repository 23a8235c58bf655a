/* Estimates the work of a plan in seconds of one processor. Measurements in the database override
 * the constants here, which are those of a typical computer of 2020. */
#include "experiment/experiment.h"

#include "base/base.h"
#include "experiment/plan/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Measured over the configurations of this tree; struct plan_rates explains them. */
#define FRAME_SECONDS 8e-6
#define BATCH_SECONDS 2e-8
#define SOLVE_SECONDS 0.06
/* A live technique mostly counts in translated code; some are called at each transfer. */
#define LIVE_SECONDS  8e-6
#define MODEL_SECONDS 1.3e-4
/* Per result: metrics and rows. */
#define RESULT_SECONDS 1e-3
/* Assumed for a program, which is unknown before it has run. */
#define RECORDING_BATCHES 20000.0
/* Means over the bundled games, executed per frame: instructions; control transfers among them;
 * transfers outside busy-waits. */
#define FRAME_INSTRUCTIONS 9000.0
#define TRANSFER_SHARE     0.3
#define TAKEN_SHARE        0.25
#define ACTIVE_SHARE       0.25
#define TRANSFER_CYCLES    12 /* between transfers */
#define FRAMES_A_SECOND    60.0988
#define TEXT_OF_(x)        #x
#define TEXT_OF(x)         TEXT_OF_(x)
#define USUAL_BATCH        25u
/* Memory in bytes: of this program with one machine; of a batch; of each of its instructions if all
 * batches differ. Two to three times what games were measured to take (31 MB for 100,000 batches of
 * 25, 62 MB for a million, 231 MB for 24 streams of a game at once). A recorded program runs under
 * QEMU with memory of its own. */
#define PROGRAM_BYTES     24e6
#define BATCH_BYTES       24.0
#define INSTRUCTION_BYTES 4.0
#define RECORDING_BYTES   5e8

static enum status note_rate(void *user, size_t columns, const char *const *names,
                             const char *const *values, struct error *e) {
    (void)columns, (void)names, (void)e;
    if (values[0] != NULL && strtod(values[0], NULL) > 0)
        *(double *)user = strtod(values[0], NULL);
    return STATUS_OK;
}

/* Selects the results of the techniques named in ?1: those that use the structure, others, or live
 * ones. */
#define RESULTS_OF(columns)                                                                        \
    "SELECT " columns " FROM result JOIN stream s USING (stream_id) JOIN replay p USING "          \
    "(replay_id) JOIN configuration c USING (configuration_id)"                                    \
    " WHERE c.technique IN (SELECT value FROM json_each(?1)) AND "

enum kind { PLAIN, STRUCTURE, MODEL };

static enum kind kind_of(const struct technique *t) {
    return t->needs_structure ? STRUCTURE : t->each_transfer ? MODEL : PLAIN;
}

/* Writes a JSON list of the grid's techniques of this kind. */
static void name_techniques(const struct config *config, enum kind kind, char *out, size_t size) {
    size_t used = (size_t)snprintf(out, size, "[");
    const struct technique *last = NULL;
    for (size_t i = 0; i < config->points.len; i++) {
        const struct technique *t = config->points.at[i].technique;
        if (t == last || config->points.at[i].number < 0 || kind_of(t) != kind)
            continue;
        last = t;
        if (used + strlen(t->name) + sizeof ",\"\"]" > size)
            break;
        used += (size_t)snprintf(out + used, size - used, "%s\"%s\"", used > 1 ? "," : "", t->name);
    }
    snprintf(out + used, size - used, "]");
}

struct plan_rates plan_usual_rates(void) {
    return (struct plan_rates){.frame = FRAME_SECONDS,
                               .batch = BATCH_SECONDS,
                               .solve = SOLVE_SECONDS,
                               .live = LIVE_SECONDS,
                               .model = MODEL_SECONDS};
}

/* The seconds of a frame that one of these techniques watched. */
static enum status learn_live(double *rate, struct db *db, const char *names, struct error *e) {
    return db_query(
        db,
        "SELECT sum(result.seconds) / sum(min(frames, coalesce(first_seconds * " TEXT_OF(
            FRAMES_A_SECOND) ", frames))) FROM result JOIN stream s USING (stream_id)"
                             " JOIN sampling USING (sampling_id) JOIN replay p USING "
                             "(replay_id) JOIN configuration c"
                             " USING (configuration_id) WHERE c.technique IN (SELECT value "
                             "FROM json_each(?1))"
                             " AND batches = 0 AND frames > 0",
        note_rate, rate, e, "t", names);
}

enum status plan_learn_rates(struct plan_rates *r, const struct config *config, struct db *db,
                             struct error *e) {
    *r = plan_usual_rates();
    char plain[512], knowing[512], modelled[64];
    name_techniques(config, PLAIN, plain, sizeof plain);
    name_techniques(config, STRUCTURE, knowing, sizeof knowing);
    name_techniques(config, MODEL, modelled, sizeof modelled);
    enum status status = db_query(
        db,
        "SELECT sum(seconds) / sum(frames * (1 + (SELECT count(*) FROM stream s"
        " WHERE s.replay_id = p.replay_id))) FROM replay p WHERE seconds > 0 AND frames > 0",
        note_rate, &r->frame, e, "");
    if (status == STATUS_OK)
        status = db_query(db, RESULTS_OF("sum(result.seconds) / sum(batches)") "batches > 0",
                          note_rate, &r->batch, e, "t", plain);
    if (status == STATUS_OK)
        status = db_query(db, RESULTS_OF("avg(result.seconds)") "batches > 0", note_rate, &r->solve,
                          e, "t", knowing);
    if (status == STATUS_OK)
        status = learn_live(&r->live, db, plain, e);
    if (status == STATUS_OK)
        status = learn_live(&r->model, db, modelled, e);
    return status;
}

double plan_expected_batches(const struct plan_game *game, const struct plan_stream *stream) {
    if (stream->configured == NULL)
        return RECORDING_BATCHES;
    if (stream->configured->live)
        return 0;
    const struct sampler_options *o = &stream->configured->options;
    const double frames = (double)game->game->frames;
    if (o->by == SAMPLER_TIME || o->by == SAMPLER_LBR)
        return frames / FRAMES_A_SECOND * 1e6 / (double)o->interval_us;
    if (o->by == SAMPLER_CLOCK) /* a due cycle in a busy-wait gives nothing */
        return frames / FRAMES_A_SECOND * 1e6 / (double)o->interval_us * ACTIVE_SHARE *
               (o->window > 0 ? (double)o->window / TRANSFER_CYCLES : o->next);
    if (o->per_million != 0) /* per million instructions, whatever the sampler counts */
        return frames * FRAME_INSTRUCTIONS * (double)o->per_million / 1e6 / (double)o->batch_length;
    const double share = o->by == SAMPLER_INSTRUCTIONS ? 1
                         : o->by == SAMPLER_LBR_TAKEN  ? TAKEN_SHARE
                         : o->by == SAMPLER_TRANSFERS  ? TRANSFER_SHARE
                                                       : TRANSFER_SHARE * ACTIVE_SHARE;
    const double instructions = frames * FRAME_INSTRUCTIONS;
    if (o->every != 0)
        return instructions * share / (double)o->every;
    const unsigned batch = o->by != SAMPLER_INSTRUCTIONS ? 1 /* a transfer */
                           : o->batch_length != 0        ? o->batch_length
                                                         : USUAL_BATCH;
    return instructions * (double)o->per_million / 1e6 / batch;
}

double plan_batches(const struct plan_game *game, const struct plan_stream *stream) {
    return stream->has_stream || stream->batches > 0 ? (double)stream->batches
                                                     : plan_expected_batches(game, stream);
}

double plan_source_seconds(const struct plan_rates *r, const struct plan_game *game) {
    size_t samplers = 0;
    for (size_t i = 0; i < game->stream_count; i++)
        samplers += game->streams[i].missing > 0 && game->streams[i].configured != NULL &&
                    !game->streams[i].configured->live;
    if (game->cartridge != NULL)
        return (double)game->game->frames *
               (r->frame * (1 + (double)samplers) + (game->judges_paths ? r->model : 0));
    return game->game->program != NULL ? PLAN_RECORDING_SECONDS : 0;
}

/* The frames that a technique watches by itself. */
static double watched_frames(const struct plan_game *game, const struct plan_stream *stream) {
    const struct config_sampling *s = stream->configured;
    const double all = (double)game->game->frames;
    return s != NULL && s->live && s->seconds > 0 ? fmin(all, (double)s->seconds * FRAMES_A_SECOND)
                                                  : all;
}

double plan_point_seconds(const struct plan_rates *r, const struct plan *p,
                          const struct plan_game *game, const struct plan_stream *stream,
                          double batches, size_t point) {
    const struct technique *t = p->config->points.at[point].technique;
    const struct config *c = p->config;
    const size_t windows = game->game->program != NULL ? c->program_windows.len : c->windows.len;
    const double lengths = stream->window_rows > 0 ? (double)windows : 0;
    if (game->game->program != NULL && stream->configured != NULL)
        return RESULT_SECONDS + PLAN_RECORDING_SECONDS * (1 + 2 * lengths);
    /* Each length takes a replay of what is live, and phases another one of what can be asked; samples
     * are built twice, once for phases. */
    if (p->config->live || t->build == NULL)
        return RESULT_SECONDS + (1 + lengths + (lengths > 0 && t->now != NULL)) *
                                    (kind_of(t) == MODEL ? r->model : r->live) *
                                    watched_frames(game, stream);
    const double built = t->needs_structure ? r->solve : r->batch * batches;
    return RESULT_SECONDS * (1 + (double)stream->window_rows) + built * (1 + 2 * lengths);
}

/* Instructions of a batch. */
static double usual_length(const struct plan_game *game, const struct plan_stream *s) {
    const struct config_program *program = game->game->program;
    if (s->of == STREAM_OF_BRANCHES && s->configured != NULL)
        return s->configured->options.stack / TAKEN_SHARE;
    if (s->of == STREAM_OF_BRANCHES && program != NULL)
        return program_budget(program, s).stack / TAKEN_SHARE;
    return s->batch_length > 0 ? (double)s->batch_length : USUAL_BATCH;
}

/* All streams of a replay are in memory at once. */
static double game_bytes(const struct plan_game *game) {
    double bytes = PROGRAM_BYTES + (game->game->program != NULL ? RECORDING_BYTES : 0);
    for (size_t i = 0; i < game->stream_count; i++) {
        const struct plan_stream *s = &game->streams[i];
        const double length = usual_length(game, s);
        if (s->missing > 0)
            bytes += plan_batches(game, s) * (BATCH_BYTES + INSTRUCTION_BYTES * length);
    }
    return bytes;
}

static void add_stream(struct plan_size *out, const struct plan *p, const struct plan_rates *r,
                       const struct plan_game *game, const struct plan_stream *stream) {
    const double batches = plan_batches(game, stream);
    for (size_t i = 0; i < p->config->points.len; i++) {
        const bool due = plan_due(p, stream, i) > 0;
        out->results += due && !stream->points[i].has_result;
        out->seconds += due ? plan_point_seconds(r, p, game, stream, batches, i) : 0;
    }
    out->streams += stream->missing > 0;
}

enum status plan_estimate(const struct plan *p, struct db *db, struct plan_size *out,
                          struct error *e) {
    struct plan_rates rates;
    *out = (struct plan_size){0};
    enum status status = plan_learn_rates(&rates, p->config, db, e);
    for (size_t i = 0; status == STATUS_OK && i < p->count; i++) {
        const struct plan_game *game = &p->games[i];
        if (!game->wanted || !game->present || game->missing == 0 || game->same != NULL)
            continue;
        for (size_t k = 0; k < game->stream_count; k++)
            add_stream(out, p, &rates, game, &game->streams[k]);
        out->replays++;
        out->seconds += plan_source_seconds(&rates, game);
        out->bytes = fmax(out->bytes, game_bytes(game));
    }
    return status;
}
