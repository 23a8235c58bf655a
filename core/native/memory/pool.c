/* Memory within reach of the text. Stubs are on pages that are readable and executable, never
 * writable: they are written through /proc/self/mem from a copy. Counters are on pages of their
 * own, so that no counter shares a cache line with code (a write beside executed code costs a
 * machine clear). Pages are private: a child has its own after fork. */
#include "native/memory/pool.h"
#include "native/raw.h"
#include "native/session_state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, CHUNK = 1 << 18, SMALL_CHUNK = 1 << 16, COUNTERS = POOL_COUNTERS, GUARD = 8 };
#define REACH (0x7fff0000ull) /* reach of a rel32, with some room for surrounding code */
#define HALF  (REACH / 2)     /* two addresses within HALF of the same site reach each other */

/* Maps memory within `limit` of `near`, preferably below it, so that the heap above the program can
 * still grow. */
static uintptr_t map_near(struct hotprobe *h, uintptr_t near, uint64_t limit, size_t size, int prot,
                          int fd, uint64_t offset) {
    struct range below = {near > limit ? near - limit : 0, near}, above = {near, near + limit};
    uintptr_t at = space_map(&h->pool.space, below, size, prot, fd, offset, false);
    return at != 0 ? at : space_map(&h->pool.space, above, size, prot, fd, offset, false);
}

/* The number of chunks that start at `at` or below. */
static size_t chunks_to(const struct hotprobe *h, uintptr_t at) {
    size_t low = 0, high = h->pool.sorted.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (h->pool.chunks.at[h->pool.sorted.at[middle]].start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool chunk_add(struct hotprobe *h, uintptr_t start, size_t size) {
    struct chunk c = {.start = start, .size = size, .no_room = SIZE_MAX};
    void *mirror = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    c.used = arena_get(&h->arena, size / 8);
    if (mirror == MAP_FAILED || c.used == NULL ||
        !space_note(&h->pool.space, (uintptr_t)mirror, (uintptr_t)mirror + size))
        return false;
    c.mirror = mirror;
    c.dirty = size;
    uint32_t number = (uint32_t)h->pool.chunks.len;
    size_t k = chunks_to(h, start);
    if (!seq_push(&h->pool.sorted, number) || !seq_push(&h->pool.chunks, c))
        return false;
    memmove(&h->pool.sorted.at[k + 1], &h->pool.sorted.at[k],
            (h->pool.sorted.len - 1 - k) * sizeof number);
    h->pool.sorted.at[k] = number;
    return true;
}

/* The bits of the word that holds bit `at`, from there to bit `end`, which may be in a later word. */
static uint64_t word_bits(size_t at, size_t end) {
    const size_t first = at & 63, n = end - at < 64 - first ? end - at : 64 - first;
    return (n < 64 ? (1ull << n) - 1 : UINT64_MAX) << first;
}

static void bits_set(struct chunk *c, size_t at, size_t n, bool on) {
    for (size_t k = at; k < at + n; k = (k | 63) + 1) {
        const uint64_t bits = word_bits(k, at + n);
        c->used[k >> 6] = on ? c->used[k >> 6] | bits : c->used[k >> 6] & ~bits;
    }
    if (on)
        return;
    c->no_room = SIZE_MAX;
    for (unsigned k = 0; k < CHUNK_CLASSES; k++)
        if (at < c->first_free[k])
            c->first_free[k] = at;
}

static bool is_free(const struct chunk *c, size_t at, size_t n) {
    for (size_t k = at; k < at + n; k = (k | 63) + 1)
        if ((c->used[k >> 6] & word_bits(k, at + n)) != 0)
            return false;
    return true;
}

static uintptr_t take(struct chunk *c, size_t at, size_t size) {
    bits_set(c, at, size, true);
    return c->start + at;
}

static uintptr_t chunk_free(struct chunk *c, size_t size) {
    if (size >= c->no_room)
        return 0;
    const size_t class = (size - 1) / 16;
    size_t *first = &c->first_free[class < CHUNK_CLASSES ? class : CHUNK_CLASSES - 1];
    /* Within one cache line if it fits. */
    for (size_t k = *first & ~(size_t)15; k + size <= c->size; k += 16)
        if (((k & 63) + size <= 64 || size > 64) && is_free(c, k, size)) {
            *first = k;
            return take(c, k, size);
        }
    c->no_room = size;
    return 0;
}

/* A free address in the range whose distance from `p->base` has the required bits. */
static uintptr_t chunk_fitting(struct chunk *c, size_t size, struct range in,
                               const struct reach *p) {
    bool low = (p->mask & 0xff) != 0;
    size_t step = low ? 256 : 16;
    size_t from = in.start > c->start ? in.start - c->start : 0;
    size_t k =
        low ? from + ((p->base + p->value - c->start - from) & 0xff) : (from + 15) & ~(size_t)15;
    for (; k + size <= c->size && c->start + k < in.end; k += step) {
        uint32_t d = (uint32_t)(c->start + k - p->base);
        if ((d & p->mask) == p->value && is_free(c, k, size))
            return take(c, k, size);
        if (((d ^ p->value) & p->mask & 0xffff0000) != 0 && (d & 0xffff) < 0xff00 - step)
            k += (0xff00 - (d & 0xffff)) / step * step - step;
    }
    return 0;
}

static bool within(uint64_t limit, uintptr_t a, uintptr_t b) {
    return (a > b ? a - b : b - a) < limit;
}

/* Addresses in reach whose distance has the given upper bytes, `top` first: 16 MiB if only the
 * highest is given, 64 KiB if the second is given, too, 256 bytes with the third. False: none. */
static bool reach_range(const struct reach *p, uint32_t top, struct range *out) {
    bool second = (p->mask & 0xff0000) != 0, third = second && (p->mask & 0xff00) != 0;
    int64_t d = (int32_t)(top << 24 | (second ? p->value & 0xff0000 : 0));
    if (((top << 24 ^ p->value) & p->mask & 0xff000000) != 0 || d < -(int64_t)REACH ||
        d > (int64_t)REACH || (d < 0 && (uint64_t)-d > p->base))
        return false;
    out->start = p->base + (uint64_t)d + (third ? p->value & 0xff00 : 0);
    out->end = out->start + (third ? 0x100 : second ? 0x10000 : 0x1000000);
    return true;
}

static uintptr_t get_newest_first(struct hotprobe *h, size_t size, uint64_t limit,
                                  const struct reach *p) {
    for (size_t i = h->pool.chunks.len; i-- > 0;) {
        struct chunk *c = &h->pool.chunks.at[i];
        struct range all = {c->start, c->start + c->size};
        if (!within(limit, all.start, p->base) || !within(limit, all.end, p->base))
            continue;
        uintptr_t at = p->mask == 0 ? chunk_free(c, size) : chunk_fitting(c, size, all, p);
        if (at != 0)
            return at;
    }
    return 0;
}

static uintptr_t get_constrained(struct hotprobe *h, size_t size, const struct reach *p) {
    struct range in;
    if ((p->mask & 0xff000000) == 0)
        return get_newest_first(h, size, REACH, p);
    if (!reach_range(p, p->value >> 24, &in))
        return 0;
    size_t i = chunks_to(h, in.start);
    for (i -= i > 0; i < h->pool.sorted.len; i++) {
        struct chunk *c = &h->pool.chunks.at[h->pool.sorted.at[i]];
        if (c->start >= in.end)
            break;
        uintptr_t at = chunk_fitting(c, size, in, p);
        if (at != 0)
            return at;
    }
    return 0;
}

/* Adds a chunk for a stub whose distance has given bytes. */
static bool chunk_constrained(struct hotprobe *h, const struct reach *p) {
    bool second = (p->mask & 0xff0000) != 0;
    for (unsigned n = 0; n < 256; n++) {
        struct range in;
        if (!reach_range(p, (n & 1) != 0 ? 0xff - n / 2 : n / 2, &in)) /* nearest first */
            continue;
        size_t size = second ? SMALL_CHUNK / 4 : SMALL_CHUNK;
        if (in.end - in.start == 0x100) { /* the stub may end after it */
            in.start &= ~(uintptr_t)(PAGE - 1);
            in.end = (in.end + PAGE + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
            size = in.end - in.start;
        }
        uintptr_t at = space_map(&h->pool.space, in, size, PROT_READ | PROT_EXEC, -1, 0, true);
        if (at != 0)
            return chunk_add(h, at, size);
    }
    return false;
}

enum hotprobe_reason pool_reason(const struct hotprobe *h) {
    return h->pool.space.full ? HOTPROBE_MAPPINGS : HOTPROBE_TOO_FAR;
}

uintptr_t pool_get(struct hotprobe *h, size_t size, const struct reach *reach) {
    uintptr_t at = 0;
    if (reach->mask != 0) {
        at = get_constrained(h, size, reach);
        return at == 0 && chunk_constrained(h, reach) ? get_constrained(h, size, reach) : at;
    }
    for (uint64_t limit = HALF; at == 0 && limit <= REACH; limit += REACH - HALF) {
        at = get_newest_first(h, size, limit, reach);
        uintptr_t fresh =
            at == 0 ? map_near(h, reach->base, limit, CHUNK, PROT_READ | PROT_EXEC, -1, 0) : 0;
        if (fresh != 0 && chunk_add(h, fresh, CHUNK))
            at = get_newest_first(h, size, limit, reach);
    }
    return at;
}

static struct chunk *chunk_of(const struct hotprobe *h, uintptr_t at) {
    size_t k = chunks_to(h, at);
    struct chunk *c = k > 0 ? &h->pool.chunks.at[h->pool.sorted.at[k - 1]] : NULL;
    return c != NULL && at < c->start + c->size ? c : NULL;
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

static bool counters_add(struct hotprobe *h, uintptr_t near, uint64_t limit) {
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
    c.start = map_near(h, near, limit, size, PROT_READ | PROT_WRITE, fd, c.offset);
    if (fd >= 0)
        close(fd);
    if (c.start == 0 || !seq_push(&h->pool.counters, c))
        return false;
    h->pool.file_size += size;
    return true;
}

static uint64_t *counter_from(struct hotprobe *h, uintptr_t near, uint64_t limit,
                              uint64_t *offset) {
    for (size_t i = h->pool.counters.len; i-- > 0;) {
        struct counter_chunk *c = &h->pool.counters.at[i];
        if (c->used == c->count || !within(limit, c->start, near))
            continue;
        *offset = c->offset + c->used * sizeof(uint64_t);
        return (uint64_t *)c->start + c->used++;
    }
    return NULL;
}

uint64_t *pool_counter(struct hotprobe *h, uintptr_t near, uint64_t *offset) {
    uint64_t *at = NULL;
    for (uint64_t limit = HALF; at == NULL && limit <= REACH; limit += REACH - HALF) {
        at = counter_from(h, near, limit, offset);
        if (at == NULL && counters_add(h, near, limit))
            at = counter_from(h, near, limit, offset);
    }
    return at;
}

uintptr_t pool_map(struct hotprobe *h, uintptr_t near, size_t size, int fd, uint64_t offset) {
    return map_near(h, near, HALF, size, PROT_READ | PROT_WRITE, fd, offset);
}

bool pool_near(uintptr_t near, uintptr_t at) {
    return within(HALF, near, at);
}

void pool_forget(struct hotprobe *h) {
    for (size_t i = 0; i < h->pool.counters.len; i++) {
        const struct counter_chunk *c = &h->pool.counters.at[i];
        raw_clear((void *)c->start, c->used * sizeof(uint64_t));
    }
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
    seq_free(&h->pool.sorted);
    space_free(&h->pool.space);
}
