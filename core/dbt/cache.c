#include "dbt/cache.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum status cache_open(struct cache *c, size_t bytes, struct error *e) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *c = (struct cache){.size = (bytes + page - 1) / page * page};
    const int fd = memfd_create("hotgraph-code", MFD_CLOEXEC);
    void *code = MAP_FAILED, *run = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, (off_t)c->size) == 0) {
        code = mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        run = mmap(NULL, c->size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    }
    const int why = errno;
    if (fd >= 0)
        close(fd);
    c->code = code == MAP_FAILED ? NULL : code;
    c->run = run == MAP_FAILED ? NULL : run;
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
