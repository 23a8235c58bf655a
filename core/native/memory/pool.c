/* Memory within reach of the text. Stubs are on pages that are readable and executable, never
 * writable: they are written through /proc/self/mem from a copy. Counters are on pages of their
 * own, so that no counter shares a cache line with code (a write beside executed code costs a
 * machine clear). Pages are private: a child has its own after fork. */
#include "native/memory/pool.h"
#include "native/session_state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, CHUNK = 1 << 18, SMALL_CHUNK = 1 << 16, COUNTERS = 4096, GUARD = 8 };
#define REACH (0x7fff0000ull) /* a rel32's, less room for the code around */

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Paths are left out: memory for them could take the gaps that were just found. */
static bool maps_fresh(struct hotprobe *h) {
    h->pool.read = mappings_read(&h->pool.maps, NULL);
    return h->pool.read;
}

/* The highest free range of `size` bytes in [low, high); with `lowest` the lowest. 0: none. */
static uintptr_t gap(const struct hotprobe *h, uintptr_t low, uintptr_t high, size_t size,
                     bool lowest) {
    uintptr_t best = 0, before = 65536;
    for (size_t i = 0; i <= h->pool.maps.len; i++) {
        bool last = i == h->pool.maps.len;
        uintptr_t start = last ? (uintptr_t)1 << 47 : h->pool.maps.at[i].start;
        uintptr_t a = before > low ? before : low, b = start < high ? start : high;
        a = (a + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
        b &= ~(uintptr_t)(PAGE - 1);
        if (b > a && b - a >= size) {
            if (lowest)
                return a;
            best = b - size;
        }
        if (!last)
            before = h->pool.maps.at[i].end;
    }
    return best;
}

/* Maps `size` bytes somewhere in [low, high). */
static uintptr_t map_in(struct hotprobe *h, uintptr_t low, uintptr_t high, size_t size, int prot,
                        int fd, uint64_t offset, bool lowest) {
    for (int tries = 0; tries < 4; tries++) {
        if ((!h->pool.read || tries > 0) && !maps_fresh(h))
            return 0;
        uintptr_t at = gap(h, low, high, size, lowest);
        if (at == 0 && tries > 0)
            return 0;
        if (at == 0)
            continue;
        int flags = (fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS) | MAP_FIXED_NOREPLACE;
        void *got = mmap((void *)at, size, prot, flags, fd, (off_t)offset);
        if (got == (void *)at) {
            h->pool.read = false;
            return at;
        }
        if (got != MAP_FAILED)
            munmap(got, size);
    }
    return 0;
}

/* Maps memory near `near`: below it first, so that the heap above the program can still grow; else
 * above, within half the reach, so that stubs and counters reach each other. */
static uintptr_t map_near(struct hotprobe *h, uintptr_t near, size_t size, int prot, int fd,
                          uint64_t offset) {
    uintptr_t low = near > REACH ? near - REACH : 0;
    uintptr_t at = map_in(h, low, near, size, prot, fd, offset, false);
    if (at == 0)
        at = map_in(h, near, near + REACH / 2, size, prot, fd, offset, false);
    return at != 0 ? at : map_in(h, near, near + REACH, size, prot, fd, offset, false);
}

static bool chunk_add(struct hotprobe *h, uintptr_t start, size_t size) {
    struct chunk c = {.start = start, .size = size};
    void *mirror = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    c.used = arena_get(&h->arena, size / 8);
    if (mirror == MAP_FAILED || c.used == NULL)
        return false;
    c.mirror = mirror;
    c.dirty = size;
    return seq_push(&h->pool.chunks, c);
}

static bool bit(const struct chunk *c, size_t k) {
    return (c->used[k >> 6] >> (k & 63) & 1) != 0;
}

static void bits_set(struct chunk *c, size_t at, size_t n, bool on) {
    for (size_t k = at; k < at + n; k++)
        c->used[k >> 6] = (c->used[k >> 6] & ~(1ull << (k & 63))) | (uint64_t)on << (k & 63);
    if (!on && at < c->first_free)
        c->first_free = at;
}

static bool is_free(const struct chunk *c, size_t at, size_t n) {
    for (size_t k = at; k < at + n; k++)
        if (bit(c, k))
            return false;
    return true;
}

static uintptr_t take(struct chunk *c, size_t at, size_t size) {
    bits_set(c, at, size, true);
    return c->start + at;
}

static uintptr_t chunk_free(struct chunk *c, size_t size) {
    size_t k = (c->first_free + 15) & ~(size_t)15;
    while (k < c->size && bit(c, k))
        k += 16;
    c->first_free = k;
    /* Within one cache line if it fits. */
    for (; k + size <= c->size; k += 16)
        if (((k & 63) + size <= 64 || size > 64) && is_free(c, k, size))
            return take(c, k, size);
    return 0;
}

/* A free address whose distance from `p->base` has the required bits. */
static uintptr_t chunk_fitting(struct chunk *c, size_t size, const struct reach *p) {
    bool low = (p->mask & 0xff) != 0;
    size_t step = low ? 256 : 16;
    size_t k = low ? ((p->base + p->value) - c->start) & 0xff : 0;
    for (; k + size <= c->size; k += step) {
        uint32_t d = (uint32_t)(c->start + k - p->base);
        if ((d & p->mask) == p->value && is_free(c, k, size))
            return take(c, k, size);
        if (((d ^ p->value) & p->mask & 0xffff0000) != 0 && (d & 0xffff) < 0xff00 - step)
            k += (0xff00 - (d & 0xffff)) / step * step - step;
    }
    return 0;
}

static bool reaches(uintptr_t a, uintptr_t b) {
    return (a > b ? a - b : b - a) < REACH;
}

static uintptr_t get_from_chunks(struct hotprobe *h, size_t size, const struct reach *p) {
    for (size_t i = h->pool.chunks.len; i-- > 0;) {
        struct chunk *c = &h->pool.chunks.at[i];
        if (!reaches(c->start, p->base) || !reaches(c->start + c->size, p->base))
            continue;
        uintptr_t at = p->mask == 0 ? chunk_free(c, size) : chunk_fitting(c, size, p);
        if (at != 0)
            return at;
    }
    return 0;
}

/* Adds a chunk for a stub whose distance has given upper bytes: a range of 16 MiB if the highest is
 * given, of 64 KiB if the second is given, too. */
static bool chunk_constrained(struct hotprobe *h, const struct reach *p) {
    for (unsigned n = 0; n < 256; n++) {
        uint32_t top = (n & 1) != 0 ? 0xff - n / 2 : n / 2; /* nearest first */
        if (((top << 24 ^ p->value) & p->mask & 0xff000000) != 0)
            continue;
        bool second = (p->mask & 0xff0000) != 0;
        int64_t d = (int32_t)(top << 24 | (second ? p->value & 0xff0000 : 0));
        if (d < -(int64_t)REACH || d > (int64_t)REACH || (d < 0 && (uint64_t)-d > p->base))
            continue;
        uintptr_t low = p->base + (uint64_t)d, high = low + (second ? 0x10000 : 0x1000000);
        size_t size = second ? SMALL_CHUNK / 4 : SMALL_CHUNK;
        /* If only the last byte is free, the range is 256 bytes. */
        if (second && (p->mask & 0xff00) != 0) {
            low += p->value & 0xff00;
            high = low + 0x100 + PAGE;
            size = PAGE;
            low &= ~(uintptr_t)(PAGE - 1);
            high = (high + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
            size = high - low;
        }
        uintptr_t at = map_in(h, low, high, size, PROT_READ | PROT_EXEC, -1, 0, true);
        if (at != 0)
            return chunk_add(h, at, size);
    }
    return false;
}

uintptr_t pool_get(struct hotprobe *h, size_t size, const struct reach *reach) {
    uintptr_t at = get_from_chunks(h, size, reach);
    if (at != 0)
        return at;
    if (reach->mask == 0) {
        uintptr_t fresh = map_near(h, reach->base, CHUNK, PROT_READ | PROT_EXEC, -1, 0);
        if (fresh == 0 || !chunk_add(h, fresh, CHUNK))
            return 0;
        return get_from_chunks(h, size, reach);
    }
    if (!chunk_constrained(h, reach))
        return 0;
    return chunk_fitting(&h->pool.chunks.at[h->pool.chunks.len - 1], size, reach);
}

static struct chunk *chunk_of(const struct hotprobe *h, uintptr_t at) {
    for (size_t i = 0; i < h->pool.chunks.len; i++)
        if (at >= h->pool.chunks.at[i].start &&
            at < h->pool.chunks.at[i].start + h->pool.chunks.at[i].size)
            return &h->pool.chunks.at[i];
    return NULL;
}

bool pool_holds(const struct hotprobe *h, uintptr_t at) {
    return chunk_of(h, at) != NULL;
}

void pool_put(struct hotprobe *h, uintptr_t at, size_t size) {
    struct chunk *c = chunk_of(h, at);
    if (c != NULL)
        bits_set(c, at - c->start, size, false);
}

void pool_write(struct hotprobe *h, uintptr_t at, const void *bytes, size_t n) {
    struct chunk *c = chunk_of(h, at);
    size_t k = at - c->start;
    memcpy(c->mirror + k, bytes, n);
    if (k < c->dirty)
        c->dirty = k;
    if (k + n > c->dirty_end)
        c->dirty_end = k + n;
}

bool pool_flush(struct hotprobe *h, int mem) {
    for (size_t i = 0; i < h->pool.chunks.len; i++) {
        struct chunk *c = &h->pool.chunks.at[i];
        if (c->dirty >= c->dirty_end)
            continue;
        size_t n = c->dirty_end - c->dirty;
        if (pwrite(mem, c->mirror + c->dirty, n, (off_t)(c->start + c->dirty)) != (ssize_t)n)
            return false;
        c->dirty = c->size;
        c->dirty_end = 0;
    }
    return true;
}

/* ---- counters ---- */

static bool counters_add(struct hotprobe *h, uintptr_t near) {
    struct counter_chunk c = {.count = COUNTERS - GUARD, .used = GUARD};
    size_t size = COUNTERS * sizeof(uint64_t);
    int fd = -1;
    if (h->options.counters != NULL) {
        fd = open(h->options.counters, O_RDWR | O_CLOEXEC);
        if (fd < 0 || ftruncate(fd, (off_t)(h->pool.file_size + size)) != 0) {
            if (fd >= 0)
                close(fd);
            return false;
        }
        c.offset = h->pool.file_size;
    }
    c.start = map_near(h, near, size, PROT_READ | PROT_WRITE, fd, c.offset);
    if (fd >= 0)
        close(fd);
    if (c.start == 0 || !seq_push(&h->pool.counters, c))
        return false;
    h->pool.file_size += size;
    return true;
}

uint64_t *pool_counter(struct hotprobe *h, uintptr_t near, uint64_t *offset) {
    for (int tries = 0; tries < 2; tries++) {
        for (size_t i = h->pool.counters.len; i-- > 0;) {
            struct counter_chunk *c = &h->pool.counters.at[i];
            /* Half the reach: a stub may be as far away again on the other side. */
            if (c->used == c->count || !reaches(c->start, near))
                continue;
            *offset = c->offset + c->used * sizeof(uint64_t);
            return (uint64_t *)c->start + c->used++;
        }
        if (tries == 0 && !counters_add(h, near))
            return NULL;
    }
    return NULL;
}

void pool_part(struct hotprobe *h) {
    size_t size = COUNTERS * sizeof(uint64_t);
    for (size_t i = 0; i < h->pool.counters.len && h->options.counters != NULL; i++) {
        void *at = (void *)h->pool.counters.at[i].start;
        void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (copy == MAP_FAILED)
            continue;
        memcpy(copy, at, size);
        (void)mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at);
    }
}

void pool_free(struct hotprobe *h, bool code_too) {
    for (size_t i = 0; i < h->pool.chunks.len; i++) {
        struct chunk *c = &h->pool.chunks.at[i];
        munmap(c->mirror, c->size);
        if (code_too)
            munmap((void *)c->start, c->size);
    }
    for (size_t i = 0; code_too && i < h->pool.counters.len; i++)
        munmap((void *)h->pool.counters.at[i].start, COUNTERS * sizeof(uint64_t));
    seq_free(&h->pool.chunks);
    seq_free(&h->pool.counters);
    seq_free(&h->pool.maps);
}
