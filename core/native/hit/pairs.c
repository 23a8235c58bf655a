#include "native/hit/pairs.h"
#include "native/raw.h"
#include "native/session_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Cells for each site: most sites have few targets, and a home that is taken costs a call. */
enum {
    CELLS = 16,
    LEAST_BITS = 12,
    PROBES = 64,
    MAPPED = 1 << 23,                           /* counters of all maps */
    SPARE = 4096 / sizeof(struct session_pair), /* a page, so that a search never wraps around */
    PART = PAIRS_PART_BYTES
};

bool pairs_want_map(struct pairs *t, size_t site, struct range text) {
    const size_t length = text.end - text.start, before = t->map_bytes,
                 bytes = sizeof(struct session_map) + length * sizeof(uint64_t);
    if (before + bytes > MAPPED * sizeof(uint64_t))
        return true;
    t->map_bytes += bytes;
    return seq_push(&t->maps, ((struct pairs_map){site, text.start, length, NULL}));
}

void pairs_drop_maps(struct pairs *t, size_t site) {
    while (t->maps.len > 0 && t->maps.at[t->maps.len - 1].site > site)
        t->maps.len--;
}

const struct pairs_map *pairs_map(const struct pairs *t, size_t site) {
    const size_t k = items_below(t->maps.at, t->maps.len, sizeof *t->maps.at, site);
    return k < t->maps.len && t->maps.at[k].site == site ? &t->maps.at[k] : NULL;
}

/* The maps, one after the other. */
static bool maps_open(struct pairs *t, int fd, size_t offset) {
    if (t->maps.len == 0)
        return true;
    t->map_at = mmap(NULL, t->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    if (t->map_at == MAP_FAILED) {
        t->map_at = NULL;
        return false;
    }
    uint8_t *at = t->map_at;
    for (size_t i = 0; i < t->maps.len; i++) {
        struct pairs_map *m = &t->maps.at[i];
        struct session_map *head = (struct session_map *)at;
        *head = (struct session_map){m->site, m->low, m->length};
        m->at = (uint64_t *)(head + 1);
        at = (uint8_t *)(m->at + m->length);
    }
    return true;
}

enum status pairs_open(struct pairs *t, const char *path, size_t sites, struct error *e) {
    unsigned bits = LEAST_BITS;
    if (sites > SESSION_PAIRS_SITES)
        return error_set(e, STATUS_UNSUPPORTED,
                         "the program has %zu indirect jumps, calls and returns; at most %d can be "
                         "counted",
                         sites, SESSION_PAIRS_SITES);
    const size_t banks = sites / SESSION_PAIRS_BANK + 1;
    while (((size_t)1 << bits) < (banks > 1 ? SESSION_PAIRS_BANK : sites) * CELLS)
        bits++;
    t->cells = ((size_t)1 << bits) + SPARE;
    t->bytes = SESSION_PAIRS_HEAD + banks * t->cells * sizeof *t->at;
    t->shift = (uint8_t)(64 - bits);
    const size_t parts = sites / PAIRS_PART + 1; /* sites are numbered from 1 */
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    const size_t maps = t->bytes + parts * PART;
    if (fd < 0 || ftruncate(fd, (off_t)(maps + t->map_bytes)) != 0) {
        if (fd >= 0)
            close(fd);
        return error_set(e, STATUS_IO, "%s: %s", path, strerror(errno));
    }
    void *at = mmap(NULL, t->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED || !maps_open(t, fd, maps)) {
        if (at != MAP_FAILED)
            munmap(at, t->bytes);
        close(fd);
        return error_set(e, STATUS_MEMORY, "out of memory");
    }
    t->fd = fd;
    snprintf(t->path, sizeof t->path, "%s", path);
    t->process = getpid();
    t->head = at;
    t->head[SESSION_PAIRS_OWN] = t->bytes;
    t->head[SESSION_PAIRS_MAPS] = maps;
    t->head[SESSION_PAIRS_CELLS] = t->cells;
    t->at = (struct session_pair *)(t->head + SESSION_PAIRS_HEAD / sizeof *t->head);
    return STATUS_OK;
}

void pairs_forget(struct pairs *t) {
    const size_t own_from = t->early_from / PAIRS_PART, own_to = t->early_to / PAIRS_PART,
                 tables = t->bytes - SESSION_PAIRS_HEAD;
    if (t->head == NULL)
        return;
    t->head[SESSION_PAIRS_LOST] = 0;
    if (raw_call3(SYS_madvise, (uintptr_t)t->at, tables, MADV_REMOVE) != 0)
        raw_clear(t->at, tables);
    for (size_t i = own_from; i <= own_to; i++)
        if (t->own[i] != NULL)
            raw_clear(t->own[i], PART);
    for (size_t i = 0; i < t->maps.len; i++)
        if (t->maps.at[i].site > t->early_from && t->maps.at[i].site <= t->early_to)
            raw_clear(t->maps.at[i].at, t->maps.at[i].length * sizeof(uint64_t));
}

void pairs_settle(struct pairs *t) {
    if (t->head != NULL && t->fd >= 0)
        close(t->fd);
    t->fd = -1;
}

enum status pairs_again(struct pairs *t, struct error *e) {
    t->fd = open(t->path, O_RDWR | O_CLOEXEC);
    return t->fd >= 0 ? STATUS_OK : error_set(e, STATUS_IO, "%s: %s", t->path, strerror(errno));
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
    t->process = getpid();
    part(t->head, t->bytes);
    for (size_t i = 0; i < PAIRS_PARTS; i++)
        part(t->own[i], PART);
    part(t->map_at, t->map_bytes);
}

void pairs_close(struct pairs *t) {
    pairs_settle(t);
    for (size_t i = 0; i < PAIRS_PARTS; i++)
        if (t->own[i] != NULL)
            munmap(t->own[i], PART);
    if (t->head != NULL)
        munmap(t->head, t->bytes);
    if (t->map_at != NULL)
        munmap(t->map_at, t->map_bytes);
    seq_free(&t->maps);
    *t = (struct pairs){0};
}

/* Takes the cell for the key if it is free. False: it is another key's. */
static bool take(struct session_pair *cell, uint64_t key, bool *fresh) {
    uint64_t there = 0;
    *fresh = __atomic_compare_exchange_n(&cell->key, &there, key, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED);
    return *fresh || there == key;
}

/* A signal's handler may run through stubs in the middle of this. */
void pairs_hit(struct hotprobe *h, const struct hotprobe_hit *hit) {
    enum { RAX = 0, RCX = 1 };
    const uint64_t key = hit->registers[RAX];
    const uintptr_t at = (uintptr_t)hit->registers[RCX];
    bool fresh;
    if (at % sizeof(struct session_pair) != 0) {
        struct session_pair *own = pairs_own(h, (uintptr_t)hit->data, hit->site);
        for (int k = 0; own != NULL && k < PAIRS_OWN; k++)
            if (take(&own[k], key, &fresh))
                return;
        return;
    }
    struct session_pair *home = (struct session_pair *)at - 1;
    for (int k = 0; k < PROBES; k++)
        if (take(&home[k], key, &fresh)) {
            const uint64_t by = fresh ? 1 - (uint64_t)SESSION_PAIRS_OFTEN : 1;
            __atomic_fetch_add(&home[k].count, by, __ATOMIC_RELAXED);
            return;
        }
    __atomic_fetch_add(&h->pairs.head[SESSION_PAIRS_LOST], 1, __ATOMIC_RELAXED);
}
