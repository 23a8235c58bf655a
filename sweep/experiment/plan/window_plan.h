/*
 * window_plan: divides a replay into windows. The shortest ones are the steps; windows of each length
 * begin at frame 0 and are made of whole steps. What remains at the end is a window of its own if
 * it is at least half as long, else it belongs to the last one. Private to experiment.
 */
#ifndef HOTGRAPH_WINDOW_PLAN_H
#define HOTGRAPH_WINDOW_PLAN_H

#include "experiment/experiment.h"

/* Steps of a replay of `frames` frames; 0: the configuration has no windows. */
size_t window_steps(const struct config *c, uint64_t frames);
/* Frames up to the end of the first `steps` steps. */
uint64_t window_frames(const struct config *c, uint64_t frames, size_t steps);
/* Number of windows that last c->windows.at[length]; and the steps of one of them: from `from` to
 * before `to`. */
size_t window_count(const struct config *c, uint64_t frames, size_t length);
void window_at(const struct config *c, uint64_t frames, size_t length, size_t number, size_t *from,
               size_t *to);
/* Rows of quality that each of the stream's configurations has for all windows; 0: none. Windows are
 * of games: of programs and foreign pairs it is not known when each batch was taken, and what watched
 * other input, or less than all, did not see the windows. */
size_t window_rows(const struct config *c, const struct plan_game *game,
                   const struct plan_stream *stream);

#endif
