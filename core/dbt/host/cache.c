#include "dbt/host/cache.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char no_memory[] = "memory", no_code[] = "memory that can be executed";

static void *mapped(void *at) {
    return at == MAP_FAILED ? NULL : at;
}

/* Maps two views of one memfd. Returns the name of the call that failed, or NULL. */
static const char *map_file(struct cache *c, int fd) {
    if (ftruncate(fd, (off_t)c->size) == 0)
        c->code = mapped(mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    if (!c->code)
        return no_memory;
    c->run = mapped(mmap(NULL, c->size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0));
    return c->run ? NULL : no_code;
}

/* Maps two views of anonymous memory: mremap() of size 0 duplicates a shared mapping. */
static const char *map_anonymous(struct cache *c) {
    c->code =
        mapped(mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    void *const run = c->code ? mapped(mremap(c->code, 0, c->size, MREMAP_MAYMOVE)) : NULL;
    c->run = run;
    if (!run)
        return no_memory;
    return mprotect(run, c->size, PROT_READ | PROT_EXEC) == 0 ? NULL : no_code;
}

/* Maps the code in both views. Returns the name of the call that failed, or NULL. */
static const char *map_code(struct cache *c) {
    if (c->anonymous)
        return map_anonymous(c);
    const int fd = memfd_create("hotgraph-code", MFD_CLOEXEC);
    if (fd < 0)
        return "memfd_create()";
    const char *const refused = map_file(c, fd);
    const int why = errno;
    close(fd);
    errno = why;
    return refused;
}

enum { AT_ITS_END = 64 }; /* bytes for `ours`; keeps the stack aligned */

static const char *map_stack(struct cache *c, size_t page) {
    uint8_t *const at = mapped(mmap(NULL, page + CACHE_STACK, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (!at)
        return no_memory;
    uint8_t *const end = at + page + CACHE_STACK;
    c->stack = end - AT_ITS_END;
    c->ours = c->stack;
    *c->stack = 1;
    if (mprotect(at, page, PROT_NONE) != 0)
        return no_memory;
    if (madvise(at, page + CACHE_STACK, MADV_WIPEONFORK) != 0)
        c->pid = getpid();
    return NULL;
}

static void unmap_code(struct cache *c) {
    if (c->code)
        munmap(c->code, c->size);
    if (c->run)
        munmap((void *)(uintptr_t)c->run, c->size);
    c->code = NULL;
    c->run = NULL;
    cache_empty(c, 0);
}

static enum status refuse(struct cache *c, const char *refused, struct error *e) {
    const int why = errno;
    const size_t bytes = c->size;
    cache_close(c);
    return error_set(e, STATUS_MEMORY,
                     "the translator needs %zu bytes for its code, and the system refuses %s: %s; "
                     "--engine interp needs none",
                     bytes, refused, strerror(why));
}

enum status cache_open(struct cache *c, size_t bytes, bool anonymous, struct error *e) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *c = (struct cache){.size = (bytes + page - 1) / page * page, .anonymous = anonymous};
    const char *refused = map_code(c);
    if (!refused)
        refused = map_stack(c, page);
    return refused ? refuse(c, refused, e) : STATUS_OK;
}

void cache_close(struct cache *c) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unmap_code(c);
    if (c->stack)
        munmap(c->stack + AT_ITS_END - CACHE_STACK - page, page + CACHE_STACK);
    *c = (struct cache){0};
}

void cache_empty(struct cache *c, size_t from) {
    c->parts.usual = (struct cache_part){.used = from, .end = c->size};
    c->parts.hot = (struct cache_part){.used = c->size, .end = c->size};
}

enum { APART = 8 }; /* the share of hot code: more than a hundred superblocks of 8 MiB */

void cache_set_apart(struct cache *c) {
    const size_t from = c->size - c->size / APART;
    if (c->parts.usual.end != c->size || c->parts.usual.used > from)
        return;
    c->parts.usual.end = c->parts.hot.used = from;
}

size_t cache_used(const struct cache *c) {
    const struct cache_parts *const p = &c->parts;
    return p->usual.used + (p->hot.used - p->usual.end);
}

bool cache_is_ours(const struct cache *c) {
    return c->pid ? c->pid == getpid() : *c->ours != 0;
}

enum status cache_renew(struct cache *c, struct error *e) {
    unmap_code(c);
    *c->stack = 1;
    if (c->pid)
        c->pid = getpid();
    const char *const refused = map_code(c);
    return refused ? refuse(c, refused, e) : STATUS_OK;
}
