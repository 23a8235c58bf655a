/*
 * windows: a run in steps, to tell what was executed in each part of it, and what a technique finds
 * from that part's samples.
 *
 * A window is a row of steps. Its exact graph is made of what was executed in it, by the same rules as
 * that of a whole run: a window that is the whole run has the same graph. The steps add up to the
 * whole graph, edge by edge; exact_steps_end() checks it.
 *
 *     struct exact_steps *steps;
 *     t->attach(&exact, nes, values, &err);               t: the technique `exact`
 *     exact_steps_begin(&steps, exact, &err);
 *     ... play ... exact_steps_mark(steps, &err); ...     after each step
 *     t->finish(exact, &profile, &err);
 *     exact_steps_end(steps, &profile.graph, &err);
 *     exact_steps_graph(steps, 0, 5, &window, &err);
 *     exact_steps_free(steps);
 *
 * A recorded program is cut by its trace (profile/program/program_parts.h).
 */
#ifndef HOTGRAPH_PROFILE_WINDOWS_H
#define HOTGRAPH_PROFILE_WINDOWS_H

#include "profile/profile.h"

/* ---- exact graphs ---- */

struct exact_steps;
/* exact: what the technique `exact` has attached; it must stay attached until the last mark. NULL: of a
 * recorded program, whose flow is handed over after each step. */
enum status exact_steps_begin(struct exact_steps **out, void *exact, struct error *e);
/* Ends a step. The machine must stand between two runs. */
enum status exact_steps_mark(struct exact_steps *s, struct error *e);
/* The same of a recorded program: *flow is all that it has executed so far, and is moved. */
enum status exact_steps_take(struct exact_steps *s, struct flow *flow, struct error *e);
/* After the last mark. whole: the exact graph at that mark. STATUS_GUEST: the steps do not add up to
 * it, which is a bug. */
enum status exact_steps_end(struct exact_steps *s, const struct graph *whole, struct error *e);
/* The graph of the steps from `from` to before `to`, which were marked. */
enum status exact_steps_graph(const struct exact_steps *s, size_t from, size_t to,
                              struct graph *out, struct error *e);
void exact_steps_free(struct exact_steps *s); /* NULL is fine */

/* ---- samples ---- */

/* The batches of `s` between two moments, at which sampler_describe() gave these streams. */
enum status stream_window(struct stream *out, const struct stream *s, const struct stream *from,
                          const struct stream *to, struct error *e);

#endif
