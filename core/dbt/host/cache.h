/*
 * cache: memory for host code, and for its return stack. Private to core/dbt. Place: at the bottom.
 *
 * The same memory is mapped twice: `code` can be written, `run` can be executed. So no page is ever
 * both, and no system call stands between writing a block and running it. Being mapped twice it is
 * shared, also with a child after fork(): there it is no longer ours, and has to be renewed before
 * anything in it is run or written.
 *
 * Translated code has a stack of its own: how deep it gets is the guest's choice, and the stacks of
 * threads may be small.
 */
#ifndef HOTGRAPH_DBT_CACHE_H
#define HOTGRAPH_DBT_CACHE_H

#include <sys/types.h>

#include "base/base.h"

enum { CACHE_STACK = 256 << 10 };

struct cache {
    uint8_t *code;      /* to write */
    const uint8_t *run; /* to execute */
    size_t size, used;
    bool anonymous;
    uint8_t *stack; /* its end: a multiple of 16, of CACHE_STACK bytes and a page that faults */
    /* Lies behind the stack in pages that a child finds wiped. */
    const volatile uint8_t *ours;
    pid_t pid; /* not 0: the system cannot wipe, and this tells */
};

/* bytes: rounded up to whole pages. anonymous: the memory is not a memfd's, which has a name in
 * /proc/PID/maps; perf(1) looks into its map of symbols only for code in memory without a name.
 * (Not the usual way, since valgrind does not know the system call that it takes.) */
enum status cache_open(struct cache *c, size_t bytes, bool anonymous, struct error *e);
void cache_close(struct cache *c);

/* Do we still have it to ourselves? */
bool cache_is_ours(const struct cache *c);
/* Takes other memory, which is empty, in its place: leaves the old one to whoever shares it. After
 * a failure there is no cache. */
enum status cache_renew(struct cache *c, struct error *e);

#endif
