#include "dbt/cache.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *mapped(void *at) {
    return at == MAP_FAILED ? NULL : at;
}

/* Two views of one memfd. */
static void map_file(struct cache *c) {
    const int fd = memfd_create("hotgraph-code", MFD_CLOEXEC);
    if (fd < 0)
        return;
    if (ftruncate(fd, (off_t)c->size) == 0) {
        c->code = mapped(mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
        c->run = mapped(mmap(NULL, c->size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0));
    }
    const int why = errno;
    close(fd);
    errno = why;
}

/* Two views of anonymous memory: mremap() of nothing makes another one of what is shared. */
static void map_anonymous(struct cache *c) {
    c->code =
        mapped(mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (!c->code)
        return;
    void *const run = mapped(mremap(c->code, 0, c->size, MREMAP_MAYMOVE));
    c->run = run;
    if (run && mprotect(run, c->size, PROT_READ | PROT_EXEC) != 0) {
        const int why = errno;
        munmap(run, c->size);
        c->run = NULL;
        errno = why;
    }
}

enum status cache_open(struct cache *c, size_t bytes, bool anonymous, struct error *e) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *c = (struct cache){.size = (bytes + page - 1) / page * page};
    if (anonymous)
        map_anonymous(c);
    else
        map_file(c);
    const int why = errno;
    if (c->code && c->run)
        return STATUS_OK;
    cache_close(c);
    return error_set(e, STATUS_MEMORY,
                     "no memory for %zu bytes of translated code: %s; --engine interp needs none",
                     bytes, strerror(why));
}

void cache_close(struct cache *c) {
    if (c->code)
        munmap(c->code, c->size);
    if (c->run)
        munmap((void *)(uintptr_t)c->run, c->size);
    *c = (struct cache){0};
}
