/* source_windows: exact graphs of the windows of a replay, or of a recorded program, prepared for comparison; its phases; and which
 * batches were taken in each. Private to experiment. */
#ifndef HOTGRAPH_SOURCE_WINDOWS_H
#define HOTGRAPH_SOURCE_WINDOWS_H

#include "experiment/plan/window_plan.h"
#include "experiment/work/source.h"
#include "profile/window/windows.h"

struct source_window {
    size_t length, number;         /* length: index into measure.lengths */
    size_t from, to;               /* steps */
    uint64_t first_tick, ticks;    /* frames, or instructions */
    struct reference **references; /* one for each hot share */
    size_t edges, hot_edges_active;
    uint64_t weight, busy_weight;
    char hash[33];
    double overlap_before;
    bool change;
};

/*
 * A phase begins with a step whose exact graph without busy-waits overlaps by less than PHASE_OVERLAP
 * with that of the step before it. One minus the overlap is half of the Manhattan distance of the
 * two vectors of relative frequencies, by which Sherwood, Sair and Calder (2003) and Dhodapkar and Smith
 * (2003) compare the basic block vectors of consecutive intervals; here they are vectors of edges,
 * named by branch and target.
 */
#define PHASE_OVERLAP 0.5
struct source_phase {
    size_t from, to; /* steps; a change began it */
    struct reference *reference;
};

struct source_windows {
    const struct config *config;
    struct window_measure measure;
    size_t steps;
    VEC(uint64_t) ends;             /* of a program: instructions up to the end of each step */
    struct exact_steps *marks;      /* during the replay */
    VEC(struct source_window) list; /* by length, then in order */
    VEC(struct source_phase) phases;
};

/* Before the replay, or when a program has been recorded; out->windows stays NULL if there are no windows. */
enum status source_windows_new(struct source *out, const struct window_measure *measure,
                               const struct config *config, struct error *e);
/* Of a recorded program: all of it, from its trace. */
enum status source_windows_follow(struct source *out, const struct plan_game *game,
                                  const struct config *config, struct error *e);
/* True if a step ends after so many frames. */
bool source_windows_ends_step(const struct source_windows *w, uint64_t frames, size_t *step);
/* After the replay. */
enum status source_windows_make(struct source_windows *w, const struct graph *exact,
                                struct error *e);
void source_windows_free(struct source_windows *w); /* NULL is fine */

/* How a live technique watches the windows of a length. */
struct window_watch {
    size_t length;
    bool anew; /* it is started in each; else it goes on, and is asked after each what it knows */
    /* Unless `anew`: false: it need not be asked. */
    bool (*wants)(void *user, const struct source_window *window);
    enum status (*each)(void *user, const struct source_window *window, const struct profile *p,
                        struct error *e);
    void *user;
};
/* The same of a recorded program: each window, or all up to its end, is followed by itself. */
enum status source_follow_windows(const struct source *s, const struct window_watch *watch,
                                  const struct config_point *point,
                                  const struct source_hooks *hooks, struct error *e);
/* Replays the game once more. */
enum status source_watch_windows(const struct source *s, const struct plan_game *game,
                                 const struct window_watch *watch, const struct config_point *point,
                                 const struct engine_choice *engine,
                                 const struct source_hooks *hooks, struct error *e);

#endif
