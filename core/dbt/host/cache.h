/*
 * cache: memory for host code, and for its return stack. Private to core/dbt. Place: at the bottom.
 *
 * The same memory is mapped twice: `code` is writable, `run` is executable. So no page is both, and
 * no system call is needed between writing a block and running it. Such memory is shared with a
 * child after fork(): the child must renew the cache before it runs or writes anything.
 *
 * Translated code has a stack of its own: the guest decides its depth, and the stacks of threads
 * may be small.
 *
 * With a profile the end of the cache is set apart for what is hot by it, so that hot code shares
 * its lines and pages with hot code alone; how their blocks leave that path is with all others.
 */
#ifndef HOTGRAPH_DBT_CACHE_H
#define HOTGRAPH_DBT_CACHE_H

#include <sys/types.h>

#include "base/base.h"

enum { CACHE_STACK = 256 << 10 };

/* Offsets in the cache: what is used, and the end. */
struct cache_part {
    size_t used, end;
};
struct cache_parts {
    struct cache_part usual;
    struct cache_part hot; /* empty: there is no profile, or no room */
};

struct cache {
    uint8_t *code;      /* to write */
    const uint8_t *run; /* to execute */
    size_t size;
    struct cache_parts parts;
    bool anonymous;
    uint8_t *stack; /* its end, a multiple of 16; CACHE_STACK bytes, below which a page faults */
    /* After the stack, in pages that are wiped in a child. */
    const volatile uint8_t *ours;
    pid_t pid; /* not 0: the system cannot wipe pages; compare the pid instead */
};

/* bytes: rounded up to whole pages. anonymous: use memory without a name in /proc/PID/maps instead
 * of a memfd, because perf(1) reads its symbol map only for such memory. Not the default: valgrind
 * does not know the system call it needs. */
enum status cache_open(struct cache *c, size_t bytes, bool anonymous, struct error *e);
void cache_close(struct cache *c);

/* Forgets all code after offset `from`. */
void cache_empty(struct cache *c, size_t from);
/* Sets the end of the cache apart for hot code, if nothing is there. */
void cache_set_apart(struct cache *c);
/* Bytes of code. */
size_t cache_used(const struct cache *c);

/* Is the cache not shared with a parent process? */
bool cache_is_ours(const struct cache *c);
/* Replaces the memory by new, empty memory; the parent keeps the old one. After a failure there is
 * no cache. */
enum status cache_renew(struct cache *c, struct error *e);

#endif
