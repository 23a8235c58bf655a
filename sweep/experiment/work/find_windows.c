/*
 * In a window, a technique on samples gets the batches of that window alone; a live technique is
 * started anew at its first frame and finished after its last one. So no graph knows what was before.
 * Of a recorded program a technique follows the trace of each window by itself.
 *
 * After a phase began, the graph of all samples from the start, and for each length of windows the
 * graph of the samples of the last so many seconds, are compared with the exact graph of the phase after
 * each of its steps. A live technique is asked for what it has found since the start, if it can be asked in
 * the midst; of a recorded program it follows all of the trace up to there; and the graphs of the shortest windows are those of its last seconds.
 */
#include "experiment/work/find_windows.h"

#include "experiment/store/window_rows.h"

#include <math.h>
#include <stdlib.h>

/* The share of the phase's hot weight that must be on edges found hot. */
#define PHASE_FOUND 0.9

/* Points without windows yet, which are built together. */
struct windowing {
    const struct find *find;
    const struct source_windows *windows;
    const struct stream *moments;
    size_t count;
    size_t *points; /* in the configuration */
    const int64_t **values;
    struct window_results *results;
    const struct source_window *window; /* the current one */
    size_t *found; /* for each point, of each phase: steps after which it was found; 0: not yet */
    const struct source_phase *phase; /* the current one, at the end of step `step` - 1 */
    size_t step;
};

static enum status out_of_memory(struct error *e) {
    return error_set(e, STATUS_MEMORY, "out of memory for windows");
}

/* ---- quality in a window ---- */

static enum status fill_quality(const struct windowing *w, struct db_window_quality *row,
                                size_t share, const struct graph *g, struct error *e) {
    /* An empty graph finds nothing. */
    struct metrics whole = {.fair.hot_precision = NAN}, active = {.fair.hot_precision = NAN};
    const struct reference *exact = w->window->references[share];
    enum status status = STATUS_OK;
    if (g->edge_count > 0)
        status = reference_compare(exact, &whole, g, SCOPE_WHOLE, e);
    if (status == STATUS_OK && g->edge_count > 0)
        status = reference_compare(exact, &active, g, SCOPE_ACTIVE, e);
    row->overlap = whole.fair.overlap;
    row->hot_recall = whole.fair.hot_recall;
    row->hot_precision = whole.fair.hot_precision;
    row->hot_f1 = whole.fair.hot_f1;
    row->hot_weight = whole.fair.hot_weight;
    row->overlap_active = active.fair.overlap;
    row->hot_recall_active = active.fair.hot_recall;
    row->hot_precision_active = active.fair.hot_precision;
    row->hot_f1_active = active.fair.hot_f1;
    row->hot_weight_active = active.fair.hot_weight;
    return status;
}

static enum status add_quality(struct windowing *w, size_t point, size_t batches,
                               const struct graph *g, struct error *e) {
    const struct config *config = w->find->config;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < config->hot.len; i++) {
        struct db_window_quality row = db_new_window_quality();
        row.configuration_id = plan_configuration_id(&config->points.at[w->points[point]]);
        row.span = (int64_t)w->windows->measure.lengths[w->window->length];
        row.number = (int64_t)w->window->number;
        row.hot_permille = config->hot.at[i];
        row.batches = (int64_t)batches;
        row.edges = (int64_t)g->edge_count;
        status = fill_quality(w, &row, i, g, e);
        if (status == STATUS_OK && !vec_push(&w->results[point].qualities, row))
            status = out_of_memory(e);
    }
    return status;
}

/* ---- building from samples ---- */

static bool is_stopped(void *user) {
    const struct windowing *w = user;
    return w->find->stopped != NULL && w->find->stopped();
}

static void hand_on(void *user, const char *line) {
    const struct find *f = ((const struct windowing *)user)->find;
    if (f->said != NULL)
        f->said(f->user, line);
}

/* Builds all points from the stream, after each mark. */
static enum status build_all(struct windowing *w, const struct stream *stream, const size_t *marks,
                             size_t mark_count,
                             enum status (*each)(void *user, size_t point, size_t batches,
                                                 struct profile *p, struct error *e),
                             struct error *e) {
    struct build_point *points = calloc(w->count + 1, sizeof *points);
    if (points == NULL)
        return out_of_memory(e);
    for (size_t i = 0; i < w->count; i++)
        points[i] = (struct build_point){w->values[i], marks, mark_count};
    const struct build_request request = {.stream = stream,
                                          .points = points,
                                          .point_count = w->count,
                                          .direct = w->find->direct,
                                          .each = each,
                                          .stopped = is_stopped,
                                          .said = hand_on,
                                          .user = w};
    const struct technique *t = w->find->config->points.at[w->points[0]].technique;
    const enum status status = technique_build_many(t, &request, e);
    free(points);
    return status;
}

/* The samples of steps `from` to before `to`, if there are any. */
static enum status build_steps(struct windowing *w, size_t from, size_t to,
                               enum status (*each)(void *user, size_t point, size_t batches,
                                                   struct profile *p, struct error *e),
                               struct error *e) {
    struct stream part;
    enum status status =
        stream_window(&part, &w->find->stream->stream, &w->moments[from], &w->moments[to], e);
    if (status != STATUS_OK)
        return status;
    if (part.batch_count > 0)
        status = build_all(w, &part, &part.batch_count, 1, each, e);
    stream_free(&part);
    return status;
}

static enum status take_window(void *user, size_t point, size_t batches, struct profile *p,
                               struct error *e) {
    return add_quality(user, point, batches, &p->graph, e);
}

static enum status judge_window(struct windowing *w, struct error *e) {
    const size_t from = w->window->from, to = w->window->to;
    if (w->moments[to].batch_count > w->moments[from].batch_count)
        return build_steps(w, from, to, take_window, e);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < w->count; i++)
        status = add_quality(w, i, 0, &(struct graph){0}, e);
    return status;
}

/* ---- phases ---- */

static size_t *found_in(const struct windowing *w, size_t point) {
    return &w->found[point * w->windows->phases.len + (size_t)(w->phase - w->windows->phases.at)];
}

/* Notes if the graph, of the time up to the current step, has the hot set of the phase. */
static enum status look_at(struct windowing *w, size_t point, const struct graph *g,
                           struct error *e) {
    size_t *found = found_in(w, point);
    struct metrics m;
    if (*found != 0 || g->edge_count == 0)
        return STATUS_OK;
    const enum status status = reference_compare(w->phase->reference, &m, g, SCOPE_ACTIVE, e);
    if (status == STATUS_OK && m.fair.hot_weight >= PHASE_FOUND)
        *found = w->step - w->phase->from;
    return status;
}

static enum status look_for(void *user, size_t point, size_t batches, struct profile *profile,
                            struct error *e) {
    (void)batches;
    return look_at(user, point, &profile->graph, e);
}

static bool all_found(const struct windowing *w, size_t phase) {
    for (size_t i = 0; i < w->count; i++)
        if (w->found[i * w->windows->phases.len + phase] == 0)
            return false;
    return true;
}

/* Builds the graphs of the samples of the last `kept` steps, or of all; 0: all. */
static enum status build_running(struct windowing *w, size_t kept, struct error *e) {
    const size_t batches = w->moments[w->step].batch_count;
    if (kept > 0)
        return build_steps(w, w->step > kept ? w->step - kept : 0, w->step, look_for, e);
    return batches > 0 ? build_all(w, &w->find->stream->stream, &batches, 1, look_for, e)
                       : STATUS_OK;
}

static enum status search(struct windowing *w, size_t kept, struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < w->windows->phases.len; i++) {
        w->phase = &w->windows->phases.at[i];
        w->step = w->phase->from + 1;
        for (; status == STATUS_OK && w->step <= w->phase->to && !all_found(w, i); w->step++)
            status = build_running(w, kept, e);
    }
    return status;
}

static enum status add_found(struct windowing *w, uint64_t kept, struct error *e) {
    const size_t phases = w->windows->phases.len;
    for (size_t i = 0; i < w->count; i++)
        for (size_t k = 0; k < phases; k++) {
            const struct source_phase *p = &w->windows->phases.at[k];
            const size_t found = w->found[i * phases + k];
            struct db_phase_found row = db_new_phase_found();
            row.configuration_id = plan_configuration_id(&w->find->config->points.at[w->points[i]]);
            row.kept = (int64_t)kept;
            row.span = (int64_t)w->windows->measure.lengths[0];
            row.number = (int64_t)p->from;
            row.lasts = (int64_t)(p->to - p->from);
            row.found_after = found > 0 ? (int64_t)found : DB_NULL;
            if (!vec_push(&w->results[i].phases, row))
                return out_of_memory(e);
        }
    return STATUS_OK;
}

static enum status search_phases(struct windowing *w, struct error *e) {
    const struct window_measure *m = &w->windows->measure;
    const size_t phases = w->windows->phases.len;
    enum status status = STATUS_OK;
    for (size_t i = 0; phases > 0 && status == STATUS_OK && i <= m->count; i++) {
        const uint64_t kept = i == 0 ? 0 : m->lengths[i - 1];
        w->found = calloc(w->count * phases, sizeof *w->found);
        if (w->found == NULL)
            return out_of_memory(e);
        status = search(w, (size_t)(kept / m->lengths[0]), e);
        if (status == STATUS_OK)
            status = add_found(w, kept, e);
        free(w->found);
    }
    return status;
}

/* ---- all ---- */

/* Sets the phase of which this is a step; false: the hot set is found, or none is searched for. */
static bool wants_step(void *user, const struct source_window *window) {
    struct windowing *w = user;
    w->step = window->to;
    for (size_t i = 0; i < w->windows->phases.len; i++) {
        w->phase = &w->windows->phases.at[i];
        if (w->step > w->phase->from && w->step <= w->phase->to)
            return *found_in(w, 0) == 0;
    }
    return false;
}

static enum status take_step(void *user, const struct source_window *window,
                             const struct profile *p, struct error *e) {
    (void)window;
    return look_at(user, 0, &p->graph, e);
}

static enum status take_watched(void *user, const struct source_window *window,
                                const struct profile *p, struct error *e) {
    struct windowing *w = user;
    w->window = window;
    const enum status status = add_quality(w, 0, 0, &p->graph, e);
    return status == STATUS_OK && window->length == 0 && wants_step(w, window)
               ? take_step(w, window, p, e)
               : status;
}

static enum status watch(struct windowing *w, const struct window_watch *how, struct error *e) {
    const struct find *f = w->find;
    const struct source_hooks hooks = {.stopped = f->stopped};
    return source_watch_windows(f->source, f->game, how, &f->config->points.at[w->points[0]],
                                &f->engine, &hooks, e);
}

/* Searches with all that was found since the start. */
static enum status watch_on(struct windowing *w, struct error *e) {
    const struct technique *t = w->find->config->points.at[w->points[0]].technique;
    if (w->windows->phases.len == 0 || (t->now == NULL && !w->windows->measure.program))
        return STATUS_OK;
    for (size_t i = 0; i < w->windows->phases.len; i++)
        w->found[i] = 0;
    const enum status status =
        watch(w, &(struct window_watch){.wants = wants_step, .each = take_step, .user = w}, e);
    return status == STATUS_OK ? add_found(w, 0, e) : status;
}

/* One point at a time. */
static enum status watch_windows(struct windowing *w, struct error *e) {
    const struct window_measure *m = &w->windows->measure;
    enum status status = STATUS_OK;
    w->found = calloc(w->windows->phases.len + 1, sizeof *w->found);
    if (w->found == NULL)
        return out_of_memory(e);
    for (size_t i = 0; status == STATUS_OK && i < m->count; i++) {
        const struct window_watch how = {
            .length = i, .anew = true, .each = take_watched, .user = w};
        status = watch(w, &how, e);
    }
    if (status == STATUS_OK)
        status = add_found(w, m->lengths[0], e);
    if (status == STATUS_OK)
        status = watch_on(w, e);
    free(w->found);
    return status;
}

static enum status judge(struct windowing *w, struct error *e) {
    if (w->find->config->points.at[w->points[0]].technique->build == NULL)
        return watch_windows(w, e);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < w->windows->list.len; i++) {
        w->window = &w->windows->list.at[i];
        status = judge_window(w, e);
    }
    return status == STATUS_OK ? search_phases(w, e) : status;
}

static enum status judge_and_put(struct windowing *w, struct error *e) {
    enum status status = judge(w, e);
    for (size_t i = 0; status == STATUS_OK && i < w->count; i++)
        status = window_rows_put(w->find->writer, &w->find->of, &w->results[i], e);
    for (size_t i = 0; i < w->count; i++)
        window_results_free(&w->results[i]);
    return status;
}

enum status find_windows(const struct find *f, const size_t *numbers, size_t count,
                         struct error *e) {
    if (f->source->windows == NULL || f->plan->window_rows == 0)
        return STATUS_OK;
    struct windowing w = {.find = f,
                          .windows = f->source->windows,
                          .moments = f->stream->moments,
                          .points = calloc(count, sizeof *w.points),
                          .values = calloc(count, sizeof *w.values),
                          .results = calloc(count, sizeof *w.results)};
    enum status status =
        w.points != NULL && w.values != NULL && w.results != NULL ? STATUS_OK : out_of_memory(e);
    const bool live = f->config->points.at[numbers[0]].technique->build == NULL;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        if (f->plan->points[numbers[i]].has_windows)
            continue;
        w.points[w.count] = numbers[i];
        w.values[w.count++] = f->config->points.at[numbers[i]].values;
        if (live) {
            status = judge_and_put(&w, e);
            w.count = 0;
        }
    }
    if (status == STATUS_OK && w.count > 0)
        status = judge_and_put(&w, e);
    free(w.points);
    free(w.values);
    free(w.results);
    return status;
}
