/*
 * cache_inspect: the content of the code cache, for people and for perf(1). Private to core/dbt.
 */
#ifndef HOTGRAPH_DBT_CACHE_INSPECT_H
#define HOTGRAPH_DBT_CACHE_INSPECT_H

#include "dbt/state.h"

/* Opens /tmp/perf-PID.map. */
enum status perf_map_open(struct dbt *d, struct error *e);
/* Appends a block to it, if it is open. */
void perf_map_add(const struct dbt *d, const struct block *b);

#endif
