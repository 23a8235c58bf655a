/*
 * hybrid: two periods. In the first one all flow is counted, as `exact` does. Then counters are chosen
 * (hybrid_plan.c), code whose counters change is translated anew, and what has none is sampled by the clock
 * (hybrid_run.c). At the end the flow of the second period is solved (hybrid_network.c), and the counts of
 * both periods add up. Private to core/profile: the techniques are hybrid.c and exact_tree.c.
 *
 * Invariants
 *  - Nothing depends on the engine: only on what was executed, and on samples, which do not either.
 *  - Without an edge to sample, every count is exact: what is not counted is a forest.
 */
#ifndef HOTGRAPH_PROFILE_HYBRID_H
#define HOTGRAPH_PROFILE_HYBRID_H

#include "profile/exact_state.h"

struct hybrid_options {
    uint64_t frames; /* of the first period */
    /* An edge or RTS that was executed more often in the first period is sampled. UINT64_MAX: none
     * is; the rest of these options then has no effect. */
    uint64_t rare;
    uint64_t interval_us; /* between samples */
    unsigned next;        /* transfers taken at each */
    uint64_t seed;
};
/* As functions of struct technique. */
enum status hybrid_attach(void **self, struct nes *nes, struct hybrid_options options,
                          struct error *e);
enum status hybrid_finish(void *self, struct profile *out, struct error *e);
void hybrid_abandon(void *self);

/* ---- its parts ---- */

/* Chooses what is not counted after a first period with this flow. *sampled becomes the number of edges
 * and RTSs that are to be sampled. */
enum status hybrid_plan_make(struct exact_plan *out, const struct exact *first,
                             const struct flow *flow, const struct hybrid_options *options,
                             uint64_t *sampled, struct error *e);
/* True if the second period derives this pair of the first one, whatever the plan: control goes on there, or
 * it is a branch in RAM. */
bool hybrid_derives(const struct node *a, const struct flow_pair *pair);
void hybrid_plan_free(struct exact_plan *plan);

/* An address with this bit is where RTSs arrive that return there, if a call is before it. */
#define HYBRID_RETURN_POINT (UINT64_C(1) << 32)

struct hybrid_periods {
    struct exact *first, *second; /* both are detached */
    struct flow *flow;            /* of the first one */
    const struct exact_plan *plan;
    const struct stream *samples; /* of the second one; no batches: none */
};
/* Adds the flow of the second period to that of the first one, and to *cost what it took. */
enum status hybrid_complete(const struct hybrid_periods *p, struct cost *cost, struct error *e);

#endif
