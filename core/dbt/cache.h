/*
 * cache: memory for host code. Private to core/dbt.
 *
 * One memfd is mapped twice: `code` can be written, `run` can be executed, and both show the same
 * bytes. So no page is ever both, and no system call stands between writing a block and running it.
 */
#ifndef HOTGRAPH_DBT_CACHE_H
#define HOTGRAPH_DBT_CACHE_H

#include "base/base.h"

struct cache {
    uint8_t *code;      /* to write */
    const uint8_t *run; /* to execute */
    size_t size, used;
};

/* bytes: rounded up to whole pages. */
enum status cache_open(struct cache *c, size_t bytes, struct error *e);
void cache_close(struct cache *c);

#endif
