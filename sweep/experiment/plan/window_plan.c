#include "experiment/plan/window_plan.h"

/* Parts of `length` that make up `whole`; see the header for the rest. */
static size_t parts(uint64_t whole, uint64_t length) {
    const uint64_t count = (2 * whole + length) / (2 * length);
    return count > 0 ? (size_t)count : 1;
}

struct window_measure window_measure(const struct config *c, const struct plan_game *game,
                                     uint64_t instructions) {
    if (config_has_trace(game->game->program))
        return (struct window_measure){c->program_windows.at, c->program_windows.len, true,
                                       instructions};
    const bool played = game->game->movie != NULL;
    return (struct window_measure){c->windows.at, played ? c->windows.len : 0, false,
                                   game->game->frames};
}

/* Ticks of so many of the shortest windows. */
static uint64_t ticks_of(const struct window_measure *m, size_t steps) {
    const uint64_t length = (uint64_t)steps * m->lengths[0];
    return m->program ? length : config_frames(length);
}

size_t window_steps(const struct window_measure *m) {
    if (m->count == 0)
        return 0;
    if (m->program)
        return parts(m->ticks, m->lengths[0]);
    size_t steps = (size_t)(m->ticks / config_frames(m->lengths[0]));
    while (ticks_of(m, steps + 1) <= m->ticks)
        steps++;
    while (steps > 0 && ticks_of(m, steps) > m->ticks)
        steps--;
    const uint64_t begin = ticks_of(m, steps), end = ticks_of(m, steps + 1);
    return steps + (steps == 0 || 2 * (m->ticks - begin) >= end - begin);
}

uint64_t window_ticks(const struct window_measure *m, size_t steps) {
    return steps >= window_steps(m) ? m->ticks : ticks_of(m, steps);
}

size_t window_count(const struct window_measure *m, size_t length) {
    return parts(window_steps(m), m->lengths[length] / m->lengths[0]);
}

void window_at(const struct window_measure *m, size_t length, size_t number, size_t *from,
               size_t *to) {
    const size_t steps = (size_t)(m->lengths[length] / m->lengths[0]);
    *from = number * steps;
    *to = number + 1 < window_count(m, length) ? *from + steps : window_steps(m);
}

bool window_wanted(const struct config *c, const struct plan_game *game,
                   const struct plan_stream *stream) {
    const struct window_measure m = window_measure(c, game, 0);
    const struct config_sampling *s = stream->configured;
    if (m.count == 0 || (s == NULL && !m.program) ||
        (m.program && stream->of == STREAM_OF_BRANCHES))
        return false;
    return s == NULL || !s->live || (!s->other && s->seconds == 0);
}

size_t window_rows(const struct config *c, const struct plan_game *game,
                   const struct plan_stream *stream, uint64_t instructions) {
    const struct window_measure m = window_measure(c, game, instructions);
    size_t rows = 0;
    if (!window_wanted(c, game, stream))
        return 0;
    if (m.program && instructions == 0)
        return 1;
    for (size_t i = 0; i < m.count; i++)
        rows += window_count(&m, i) * c->hot.len;
    return rows;
}
