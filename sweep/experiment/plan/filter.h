/* filter: selects the games, streams and configurations of a plan that are wanted now. Private to
 * experiment. */
#ifndef HOTGRAPH_FILTER_H
#define HOTGRAPH_FILTER_H

#include "experiment/experiment.h"

/* Sets `wanted` in the plan, its games and their streams; filter: NULL for everything. */
enum status filter_apply(struct plan *p, const struct plan_filter *filter, struct error *e);

#endif
