#include "native/hit/pairs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Cells for each site: most sites have few targets, and a home that is taken costs a call. */
enum { CELLS = 16, LEAST_BITS = 12, PROBES = 64 };

enum status pairs_open(struct pairs *t, const char *path, size_t sites, struct error *e) {
    unsigned bits = LEAST_BITS;
    if (sites > SESSION_PAIRS_SITES)
        return error_set(e, STATUS_UNSUPPORTED,
                         "the program has %zu indirect jumps, calls and returns; at most %d can be "
                         "counted",
                         sites, SESSION_PAIRS_SITES);
    while (((size_t)1 << bits) < sites * CELLS)
        bits++;
    size_t cells = ((size_t)1 << bits) + PROBES; /* a search never wraps around */
    t->bytes = SESSION_PAIRS_HEAD + cells * sizeof *t->at;
    t->shift = (uint8_t)(64 - bits);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)t->bytes) != 0) {
        if (fd >= 0)
            close(fd);
        return error_set(e, STATUS_IO, "%s: %s", path, strerror(errno));
    }
    void *at = mmap(NULL, t->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED)
        return error_set(e, STATUS_MEMORY, "out of memory");
    t->head = at;
    t->at = (struct session_pair *)(t->head + SESSION_PAIRS_HEAD / sizeof *t->head);
    return STATUS_OK;
}

void pairs_threads(struct pairs *t, uint64_t state) {
    if (t->head != NULL)
        t->head[SESSION_PAIRS_THREADS] = state;
}

void pairs_part(struct pairs *t) {
    if (t->head == NULL)
        return;
    void *copy = mmap(NULL, t->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy != MAP_FAILED)
        (void)mremap(copy, t->bytes, t->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, t->head);
}

void pairs_close(struct pairs *t) {
    if (t->head != NULL)
        munmap(t->head, t->bytes);
    *t = (struct pairs){0};
}

/* A signal's handler may run through stubs in the middle of this. */
void pairs_miss(struct pairs *t, const struct hotprobe_hit *hit) {
    enum { RAX = 0, RCX = 1 };
    const uint64_t key = hit->registers[RAX];
    struct session_pair *cell = (struct session_pair *)(uintptr_t)hit->registers[RCX];
    for (int k = 0; k < PROBES; k++, cell++) {
        uint64_t there = 0;
        if (__atomic_compare_exchange_n(&cell->key, &there, key, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) ||
            there == key) {
            __atomic_fetch_add(&cell->count, 1, __ATOMIC_RELAXED);
            return;
        }
    }
    __atomic_fetch_add(&t->head[SESSION_PAIRS_LOST], 1, __ATOMIC_RELAXED);
}
