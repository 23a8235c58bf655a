#include "experiment/plan/window_plan.h"

/* Parts of `length` that make up `whole`; see the header for the rest. */
static size_t parts(uint64_t whole, uint64_t length) {
    const uint64_t count = (2 * whole + length) / (2 * length);
    return count > 0 ? (size_t)count : 1;
}

size_t window_steps(const struct config *c, uint64_t frames) {
    if (c->windows.len == 0)
        return 0;
    size_t steps = (size_t)(frames / config_frames(c->windows.at[0]));
    while (config_frames((steps + 1) * c->windows.at[0]) <= frames)
        steps++;
    while (steps > 0 && config_frames(steps * c->windows.at[0]) > frames)
        steps--;
    const uint64_t begin = config_frames(steps * c->windows.at[0]),
                   end = config_frames((steps + 1) * c->windows.at[0]);
    return steps + (steps == 0 || 2 * (frames - begin) >= end - begin);
}

uint64_t window_frames(const struct config *c, uint64_t frames, size_t steps) {
    return steps >= window_steps(c, frames) ? frames : config_frames(steps * c->windows.at[0]);
}

size_t window_count(const struct config *c, uint64_t frames, size_t length) {
    return parts(window_steps(c, frames), c->windows.at[length] / c->windows.at[0]);
}

void window_at(const struct config *c, uint64_t frames, size_t length, size_t number, size_t *from,
               size_t *to) {
    const size_t steps = (size_t)(c->windows.at[length] / c->windows.at[0]);
    *from = number * steps;
    *to = number + 1 < window_count(c, frames, length) ? *from + steps : window_steps(c, frames);
}

size_t window_rows(const struct config *c, const struct plan_game *game,
                   const struct plan_stream *stream) {
    const struct config_sampling *s = stream->configured;
    size_t rows = 0;
    if (game->game->movie == NULL || s == NULL || (s->live && (s->other || s->seconds > 0)))
        return 0;
    for (size_t i = 0; i < c->windows.len; i++)
        rows += window_count(c, game->game->frames, i) * c->hot.len;
    return rows;
}
