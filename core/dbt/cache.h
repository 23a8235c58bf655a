/*
 * cache: memory for host code. Private to core/dbt.
 *
 * The same memory is mapped twice: `code` can be written, `run` can be executed. So no page is ever
 * both, and no system call stands between writing a block and running it.
 */
#ifndef HOTGRAPH_DBT_CACHE_H
#define HOTGRAPH_DBT_CACHE_H

#include "base/base.h"

struct cache {
    uint8_t *code;      /* to write */
    const uint8_t *run; /* to execute */
    size_t size, used;
};

/* bytes: rounded up to whole pages. anonymous: the memory is not a memfd's, which has a name in
 * /proc/PID/maps; perf(1) looks into its map of symbols only for code in memory without a name.
 * (Not the usual way, since valgrind does not know the system call that it takes.) */
enum status cache_open(struct cache *c, size_t bytes, bool anonymous, struct error *e);
void cache_close(struct cache *c);

#endif
