#include "native/hit/pairs.h"
#include "native/session_state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Cells for each site: most sites have few targets, and a home that is taken costs a call. */
enum {
    CELLS = 16,
    LEAST_BITS = 12,
    PROBES = 64,
    PAGE = 4096,
    PART = PAIRS_PART * PAIRS_OWN * sizeof(struct session_pair)
};

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
    t->bytes = SESSION_PAIRS_HEAD + (cells * sizeof *t->at + PAGE - 1) / PAGE * PAGE;
    t->shift = (uint8_t)(64 - bits);
    const size_t parts = sites / PAIRS_PART + 1; /* sites are numbered from 1 */
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)(t->bytes + parts * PART)) != 0) {
        if (fd >= 0)
            close(fd);
        return error_set(e, STATUS_IO, "%s: %s", path, strerror(errno));
    }
    void *at = mmap(NULL, t->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        close(fd);
        return error_set(e, STATUS_MEMORY, "out of memory");
    }
    t->fd = fd;
    t->head = at;
    t->at = (struct session_pair *)(t->head + SESSION_PAIRS_HEAD / sizeof *t->head);
    return STATUS_OK;
}

void pairs_settle(struct pairs *t) {
    if (t->head != NULL && t->fd >= 0)
        close(t->fd);
    t->fd = -1;
}

struct session_pair *pairs_own(struct hotprobe *h, size_t site, uintptr_t near) {
    struct pairs *t = &h->pairs;
    const size_t part = site / PAIRS_PART;
    if (t->head == NULL)
        return NULL;
    if (t->own[part] == NULL && t->fd >= 0)
        t->own[part] =
            (struct session_pair *)pool_map(h, near, PART, t->fd, t->bytes + part * PART);
    struct session_pair *own = t->own[part];
    return own != NULL && pool_near(near, (uintptr_t)own) ? own + site % PAIRS_PART * PAIRS_OWN
                                                          : NULL;
}

void pairs_threads(struct pairs *t, uint64_t state) {
    if (t->head != NULL)
        t->head[SESSION_PAIRS_THREADS] = state;
}

static void part(void *at, size_t bytes) {
    void *copy = at != NULL
                     ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                     : MAP_FAILED;
    if (copy != MAP_FAILED)
        (void)mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at);
}

void pairs_part(struct pairs *t) {
    part(t->head, t->bytes);
    for (size_t i = 0; i < PAIRS_PARTS; i++)
        part(t->own[i], PART);
}

void pairs_close(struct pairs *t) {
    pairs_settle(t);
    for (size_t i = 0; i < PAIRS_PARTS; i++)
        if (t->own[i] != NULL)
            munmap(t->own[i], PART);
    if (t->head != NULL)
        munmap(t->head, t->bytes);
    *t = (struct pairs){0};
}

/* Counts in the cell if it is the key's, or free. */
static bool count_in(struct session_pair *cell, uint64_t key) {
    uint64_t there = 0;
    if (!__atomic_compare_exchange_n(&cell->key, &there, key, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED) &&
        there != key)
        return false;
    __atomic_fetch_add(&cell->count, 1, __ATOMIC_RELAXED);
    return true;
}

/* A signal's handler may run through stubs in the middle of this. */
void pairs_miss(struct hotprobe *h, const struct hotprobe_hit *hit, bool own) {
    enum { RAX = 0, RCX = 1 };
    const uint64_t key = hit->registers[RAX];
    struct session_pair *cell = own ? pairs_own(h, (uintptr_t)hit->data, hit->site) : NULL,
                        *home = (struct session_pair *)(uintptr_t)hit->registers[RCX];
    for (int k = 0; cell != NULL && k < PAIRS_OWN; k++)
        if (count_in(&cell[k], key))
            return;
    for (int k = 0; k < PROBES; k++)
        if (count_in(&home[k], key))
            return;
    __atomic_fetch_add(&h->pairs.head[SESSION_PAIRS_LOST], 1, __ATOMIC_RELAXED);
}
