#include "experiment/work/source_windows.h"

#include "experiment/plan/program.h"
#include "profile/program/program_parts.h"

#include <math.h>
#include <stdlib.h>

enum { PHASE_HOT = 900 };

enum status source_windows_new(struct source *out, const struct window_measure *measure,
                               const struct config *config, struct error *e) {
    const size_t steps = window_steps(measure);
    if (steps == 0)
        return STATUS_OK;
    out->windows = calloc(1, sizeof *out->windows);
    bool made = out->windows != NULL;
    if (made)
        *out->windows =
            (struct source_windows){.config = config, .measure = *measure, .steps = steps};
    for (size_t i = 0; made && i < out->stream_count; i++)
        made = (out->streams[i].moments = calloc(steps + 1, sizeof(struct stream))) != NULL;
    return made ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory for windows");
}

bool source_windows_ends_step(const struct source_windows *w, uint64_t frames, size_t *step) {
    *step = 0;
    if (w == NULL)
        return false;
    size_t low = 1, high = w->steps;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (window_ticks(&w->measure, middle) < frames)
            low = middle + 1;
        else
            high = middle;
    }
    *step = low;
    return window_ticks(&w->measure, low) == frames;
}

static void window_free(struct source_window *w, size_t shares) {
    for (size_t i = 0; w->references != NULL && i < shares; i++)
        reference_free(w->references[i]);
    free(w->references);
}

void source_windows_free(struct source_windows *w) {
    if (w == NULL)
        return;
    for (size_t i = 0; i < w->list.len; i++)
        window_free(&w->list.at[i], w->config->hot.len);
    for (size_t i = 0; i < w->phases.len; i++)
        reference_free(w->phases.at[i].reference);
    vec_free(&w->list);
    vec_free(&w->phases);
    vec_free(&w->ends);
    exact_steps_free(w->marks);
    free(w);
}

/* ---- one window ---- */

static enum status count_hot(const struct graph *g, size_t *out, struct error *e) {
    size_t *hot = calloc(g->edge_count + 1, sizeof *hot);
    if (hot == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for windows");
    *out = graph_hot(g, PHASE_HOT, true, hot);
    free(hot);
    return STATUS_OK;
}

/* Fills what a row has of the graph, and prepares it for comparison. */
static enum status describe(struct source_window *out, const struct graph *g,
                            const struct config *config, struct error *e) {
    out->edges = g->edge_count;
    out->weight = graph_weight(g);
    for (size_t i = 0; i < g->edge_count; i++)
        out->busy_weight += g->edges[i].busy ? g->edges[i].count : 0;
    out->references = calloc(config->hot.len, sizeof *out->references);
    enum status status = out->references != NULL
                             ? count_hot(g, &out->hot_edges_active, e)
                             : error_set(e, STATUS_MEMORY, "out of memory for windows");
    if (status == STATUS_OK)
        status = graph_hash(g, out->hash, e);
    for (size_t i = 0; status == STATUS_OK && i < config->hot.len; i++)
        status = reference_new(&out->references[i], g, config->hot.at[i], e);
    return status;
}

/* Compares with the window before. */
static enum status compare_before(struct source_windows *w, struct source_window *window,
                                  const struct graph *g, struct error *e) {
    window->overlap_before = NAN;
    if (window->number == 0)
        return STATUS_OK;
    struct metrics m;
    const struct source_window *before = &w->list.at[w->list.len - 1];
    const enum status status = reference_compare(before->references[0], &m, g, SCOPE_ACTIVE, e);
    if (status != STATUS_OK)
        return status;
    window->overlap_before = m.fair.overlap;
    window->change = window->length == 0 && m.fair.overlap < PHASE_OVERLAP; /* NAN: no change */
    return STATUS_OK;
}

/* A program's steps end with transfers. */
static uint64_t tick_at(const struct source_windows *w, size_t steps) {
    if (!w->measure.program)
        return window_ticks(&w->measure, steps);
    return steps > 0 ? w->ends.at[steps - 1] : 0;
}

static enum status add_window(struct source_windows *w, size_t length, size_t number,
                              struct error *e) {
    struct source_window window = {.length = length, .number = number};
    struct graph g;
    window_at(&w->measure, length, number, &window.from, &window.to);
    window.first_tick = tick_at(w, window.from);
    window.ticks = tick_at(w, window.to) - window.first_tick;
    enum status status = exact_steps_graph(w->marks, window.from, window.to, &g, e);
    if (status != STATUS_OK)
        return status;
    status = describe(&window, &g, w->config, e);
    if (status == STATUS_OK)
        status = compare_before(w, &window, &g, e);
    if (status == STATUS_OK && !vec_push(&w->list, window))
        status = error_set(e, STATUS_MEMORY, "out of memory for windows");
    if (status != STATUS_OK)
        window_free(&window, w->config->hot.len);
    graph_free(&g);
    return status;
}

/* ---- phases ---- */

static enum status add_phase(struct source_windows *w, size_t from, struct error *e) {
    struct source_phase phase = {.from = from, .to = from + 1};
    struct graph g;
    while (phase.to < w->steps && !w->list.at[phase.to].change)
        phase.to++;
    enum status status = exact_steps_graph(w->marks, phase.from, phase.to, &g, e);
    if (status != STATUS_OK)
        return status;
    status = reference_new(&phase.reference, &g, PHASE_HOT, e);
    graph_free(&g);
    if (status == STATUS_OK && !vec_push(&w->phases, phase)) {
        reference_free(phase.reference);
        status = error_set(e, STATUS_MEMORY, "out of memory for phases");
    }
    return status;
}

enum status source_windows_make(struct source_windows *w, const struct graph *exact,
                                struct error *e) {
    enum status status = exact_steps_end(w->marks, exact, e);
    for (size_t i = 0; status == STATUS_OK && i < w->measure.count; i++)
        for (size_t k = 0; status == STATUS_OK && k < window_count(&w->measure, i); k++)
            status = add_window(w, i, k, e);
    for (size_t i = 0; status == STATUS_OK && i < w->steps; i++) /* the shortest come first */
        if (w->list.at[i].change)
            status = add_phase(w, i, e);
    exact_steps_free(w->marks);
    w->marks = NULL;
    return status;
}

/* ---- of a program ---- */

struct followed_program {
    struct source *source;
    const struct plan_game *game;
};

/* Number of whole batches of a recorded stream after so many instructions and transfers. */
static size_t batches_of(const struct config_budget *b, size_t most,
                         const struct program_mark *at) {
    const struct program_sampling how = {b->transfers, b->every, b->batch, b->seed};
    const uint64_t executed = b->transfers ? at->transfers : at->instructions;
    const unsigned each = b->transfers ? 1 : b->batch;
    size_t low = 0, high = most; /* the first batch that is not complete yet */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (program_sampling_due(&how, middle) + each <= executed)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How far each recorded stream had come. */
static void describe_streams(const struct followed_program *f, const struct program_mark *at) {
    for (size_t i = 0; i < f->source->stream_count; i++) {
        const struct plan_stream *plan = &f->game->streams[i];
        struct source_stream *s = &f->source->streams[i];
        const bool last = at->number + 1 == f->source->windows->steps;
        if (plan->configured != NULL)
            continue;
        const struct config_budget b = program_budget(f->game->game->program, plan);
        const size_t most = s->stream.batch_count;
        s->moments[at->number + 1] =
            (struct stream){.batch_count = last ? most : batches_of(&b, most, at),
                            .population = last          ? s->stream.population
                                          : b.transfers ? at->transfers
                                                        : at->instructions,
                            .executed = at->instructions};
    }
}

static enum status note_step(void *user, const struct program_mark *mark, struct flow *flow,
                             struct error *e) {
    const struct followed_program *f = user;
    struct source_windows *w = f->source->windows;
    describe_streams(f, mark);
    if (!vec_push(&w->ends, mark->instructions))
        return error_set(e, STATUS_MEMORY, "out of memory for windows");
    return exact_steps_take(w->marks, flow, e);
}

static uint64_t *list_ends(const struct source_windows *w) {
    uint64_t *ends = calloc(w->steps + 1, sizeof *ends);
    for (size_t i = 0; ends != NULL && i + 1 < w->steps; i++)
        ends[i] = window_ticks(&w->measure, i + 1);
    return ends;
}

enum status source_windows_follow(struct source *out, const struct plan_game *game,
                                  const struct config *config, struct error *e) {
    const struct window_measure measure =
        window_measure(config, game, out->program_trace.instructions);
    enum status status = source_windows_new(out, &measure, config, e);
    struct source_windows *w = out->windows;
    if (status != STATUS_OK || w == NULL)
        return status;
    struct followed_program f = {out, game};
    uint64_t *ends = list_ends(w);
    status = ends != NULL ? exact_steps_begin(&w->marks, NULL, e)
                          : error_set(e, STATUS_MEMORY, "out of memory for windows");
    if (status == STATUS_OK)
        status = program_parts_flow(&out->program_trace, ends, w->steps - 1, note_step, &f, e);
    free(ends);
    return status == STATUS_OK ? source_windows_make(w, &out->exact, e) : status;
}

/* ---- a technique that follows it ---- */

struct watched {
    const struct source_windows *windows;
    const struct window_watch *watch;
    const struct config_point *point;
    const struct source_window *first; /* of that length */
    const struct source_hooks *hooks;
};

static bool wants_part(void *user, size_t number) {
    const struct watched *w = user;
    return w->watch->anew || w->watch->wants(w->watch->user, w->first + number);
}

static enum status take_part(void *user, size_t number, const struct program_trace *part,
                             struct error *e) {
    const struct watched *w = user;
    struct profile profile = {0};
    if (w->hooks->stopped != NULL && w->hooks->stopped())
        return error_set(e, STATUS_INTERRUPTED, "stopped");
    enum status status = w->point->technique->replay(&profile, part, w->point->values, e);
    if (status == STATUS_OK)
        status = w->watch->each(w->watch->user, w->first + number, &profile, e);
    profile_free(&profile);
    return status;
}

enum status source_follow_windows(const struct source *s, const struct window_watch *watch,
                                  const struct config_point *point,
                                  const struct source_hooks *hooks, struct error *e) {
    const struct window_measure *m = &s->windows->measure;
    const size_t count = window_count(m, watch->length);
    struct watched w = {.windows = s->windows, .watch = watch, .point = point, .hooks = hooks};
    uint64_t *at = calloc(count + 1, sizeof *at);
    if (at == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for windows");
    for (w.first = s->windows->list.at; w.first->length != watch->length;)
        w.first++;
    for (size_t i = 0; i + 1 < count; i++)
        at[i] = window_ticks(m, w.first[i].to);
    const struct program_parts parts = {.trace = &s->program_trace,
                                        .at = at,
                                        .cuts = count - 1,
                                        .from_start = !watch->anew,
                                        .wants = wants_part,
                                        .each = take_part,
                                        .user = &w};
    const enum status status = program_parts_each(&parts, e);
    free(at);
    return status;
}
