#include "dbt/cache.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char no_memory[] = "memory", no_code[] = "memory that can be executed";

static void *mapped(void *at) {
    return at == MAP_FAILED ? NULL : at;
}

/* Two views of one memfd. Returns what is refused, NULL when nothing is. */
static const char *map_file(struct cache *c, int fd) {
    if (ftruncate(fd, (off_t)c->size) == 0)
        c->code = mapped(mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    if (!c->code)
        return no_memory;
    c->run = mapped(mmap(NULL, c->size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0));
    return c->run ? NULL : no_code;
}

/* Two views of anonymous memory: mremap() of nothing makes another one of what is shared. */
static const char *map_anonymous(struct cache *c) {
    c->code =
        mapped(mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    void *const run = c->code ? mapped(mremap(c->code, 0, c->size, MREMAP_MAYMOVE)) : NULL;
    c->run = run;
    if (!run)
        return no_memory;
    return mprotect(run, c->size, PROT_READ | PROT_EXEC) == 0 ? NULL : no_code;
}

enum status cache_open(struct cache *c, size_t bytes, bool anonymous, struct error *e) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *c = (struct cache){.size = (bytes + page - 1) / page * page};
    const int fd = anonymous ? -1 : memfd_create("hotgraph-code", MFD_CLOEXEC);
    const char *const refused = anonymous ? map_anonymous(c)
                                : fd >= 0 ? map_file(c, fd)
                                          : "memfd_create()";
    const int why = errno;
    if (fd >= 0)
        close(fd);
    if (!refused)
        return STATUS_OK;
    cache_close(c);
    return error_set(e, STATUS_MEMORY,
                     "the translator needs %zu bytes for its code, and the system refuses %s: %s; "
                     "--engine interp needs none",
                     bytes, refused, strerror(why));
}

void cache_close(struct cache *c) {
    if (c->code)
        munmap(c->code, c->size);
    if (c->run)
        munmap((void *)(uintptr_t)c->run, c->size);
    *c = (struct cache){0};
}
