#include "experiment/work/source_windows.h"

#include <math.h>
#include <stdlib.h>

enum { PHASE_HOT = 900 };

enum status source_windows_new(struct source *out, const struct plan_game *game,
                               const struct config *config, struct error *e) {
    const size_t steps = window_steps(config, game->game->frames);
    if (steps == 0)
        return STATUS_OK;
    out->windows = calloc(1, sizeof *out->windows);
    bool made = out->windows != NULL;
    if (made)
        *out->windows =
            (struct source_windows){.config = config, .frames = game->game->frames, .steps = steps};
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
        if (window_frames(w->config, w->frames, middle) < frames)
            low = middle + 1;
        else
            high = middle;
    }
    *step = low;
    return window_frames(w->config, w->frames, low) == frames;
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

static enum status add_window(struct source_windows *w, size_t length, size_t number,
                              struct error *e) {
    struct source_window window = {.length = length, .number = number};
    struct graph g;
    window_at(w->config, w->frames, length, number, &window.from, &window.to);
    window.first_frame = window_frames(w->config, w->frames, window.from);
    window.frames = window_frames(w->config, w->frames, window.to) - window.first_frame;
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
    for (size_t i = 0; status == STATUS_OK && i < w->config->windows.len; i++)
        for (size_t k = 0; status == STATUS_OK && k < window_count(w->config, w->frames, i); k++)
            status = add_window(w, i, k, e);
    for (size_t i = 0; status == STATUS_OK && i < w->steps; i++) /* the shortest come first */
        if (w->list.at[i].change)
            status = add_phase(w, i, e);
    exact_steps_free(w->marks);
    w->marks = NULL;
    return status;
}
