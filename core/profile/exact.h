/*
 * exact: counts all flow between two moments, or within several periods. Private to core/profile:
 * the technique `exact` counts always, `bursts` now and then.
 *
 * The caller passes on instructions to instrument, and contexts that begin and end. What is counted
 * balances if each period begins with THREAD_BEGINS and ends with THREAD_ENDS for the running context
 * and for each suspended one (nes_notify_threads()).
 */
#ifndef HOTGRAPH_PROFILE_EXACT_H
#define HOTGRAPH_PROFILE_EXACT_H

#include "profile/profile.h"

struct exact;
struct exact_plan;                          /* see exact_state.h */
struct exact *exact_begin(struct nes *nes); /* NULL: out of memory */
/* Ends a period, after THREAD_ENDS: returns what was counted, which the caller releases. x begins anew, with
 * the same counters for the same pairs. NULL: out of memory, and x goes on. */
struct exact *exact_end_period(struct exact *x);
/* What the plan leaves out is neither counted nor derived from now on; the caller completes the flow by itself
 * (profile/hybrid/hybrid.h), and calls nes_instrument_again(). */
void exact_follow_plan(struct exact *x, const struct exact_plan *plan);
void exact_release(struct exact *x);
/* Observer functions; self: a struct exact. */
void exact_instrument(void *self, struct probe_site *site, const struct guest_insn *insn);
void exact_context_changes(void *self, const struct thread_event *event);
/* A context that a period begins with in the midst of a block: its address is no block's first one. */
void exact_context_resumes(struct exact *x, uint32_t address);
/* All flow from the begin up to now: for callbacks, and between runs. x goes on counting. The caller
 * frees *out. counts: a period has begun, and goes on. */
enum status exact_flow(struct exact *x, bool counts, struct flow *out, struct error *e);
/* The graph of that flow. */
enum status exact_now(struct exact *x, bool counts, struct profile *profile, struct error *e);
/* All flow after the observer was detached, and what it has cost. */
enum status exact_flow_at_end(struct exact *x, struct flow *out, struct cost *cost,
                              struct error *e);
/* Makes the graph, and frees x. The observer is detached, or nes_settle() was called. */
enum status exact_finish(struct exact *x, struct profile *profile, struct error *e);

#endif
