/*
 * window_plan: divides a run into windows: a game by its frames, a recorded program by its instructions. The shortest
 * windows are the steps; windows of each length begin at the start and are made of whole steps. What remains at the end
 * is a window of its own if it is at least half as long, else it belongs to the last one. Private to experiment.
 */
#ifndef HOTGRAPH_WINDOW_PLAN_H
#define HOTGRAPH_WINDOW_PLAN_H

#include "experiment/experiment.h"

/* How a run is divided. Ticks are frames or instructions. */
struct window_measure {
    const uint64_t *lengths; /* in seconds or instructions; the configuration's */
    size_t count;            /* 0: no windows */
    bool program;
    uint64_t ticks; /* of the whole run; of a program that has not run yet 0 */
};
/* instructions: of a program; 0: not known yet. */
struct window_measure window_measure(const struct config *c, const struct plan_game *game,
                                     uint64_t instructions);

/* Steps of the run; 0: there are no windows. */
size_t window_steps(const struct window_measure *m);
/* Ticks up to the end of the first `steps` steps. A program's step ends with the first transfer from there on. */
uint64_t window_ticks(const struct window_measure *m, size_t steps);
/* Number of windows of m->lengths[length]; and the steps of one of them: from `from` to before `to`. */
size_t window_count(const struct window_measure *m, size_t length);
void window_at(const struct window_measure *m, size_t length, size_t number, size_t *from,
               size_t *to);
/* True if the stream's configurations are judged in windows, too. Windows are of games and recorded programs: of foreign
 * pairs it is not known when each batch was taken, and what watched other input, or less than all, did not see the
 * windows. Nor are there any for a program's last taken branches. */
bool window_wanted(const struct config *c, const struct plan_game *game,
                   const struct plan_stream *stream);
/* Rows of quality that each of the stream's configurations has for all windows; 0: none. Of a program that has not run
 * yet 1, as long as their number is unknown. */
size_t window_rows(const struct config *c, const struct plan_game *game,
                   const struct plan_stream *stream, uint64_t instructions);

#endif
