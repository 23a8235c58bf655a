/* Counts allocated bytes. The functions below get no more than malloc() does, so the current count
 * is a file-scope variable, one for each thread. */
#include "counted/heap.h"

#include <stdlib.h>

/* The linker's names for what replaces the C library's functions. */
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void __wrap_free(void *at);

enum { FIRST_SLOTS = 1 << 10 };

static _Thread_local struct heap *now;

void heap_into(struct heap *m) {
    now = m;
}

void heap_close(struct heap *m) {
    free(m->blocks);
    *m = (struct heap){0};
}

static size_t home(const struct heap *m, uintptr_t at) {
    return (size_t)((at * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (m->slots - 1);
}

/* The slot of `at`, or the empty one where it belongs. */
static size_t slot_of(const struct heap *m, uintptr_t at) {
    size_t i = home(m, at);
    while (m->blocks[i].at && m->blocks[i].at != at)
        i = (i + 1) & (m->slots - 1);
    return i;
}

static bool grow(struct heap *m) {
    struct heap old = *m;
    m->slots = old.slots ? 2 * old.slots : FIRST_SLOTS;
    m->blocks = calloc(m->slots, sizeof *m->blocks);
    if (!m->blocks) {
        *m = old;
        return false;
    }
    for (size_t i = 0; i < old.slots; i++)
        if (old.blocks[i].at)
            m->blocks[slot_of(m, old.blocks[i].at)] = old.blocks[i];
    free(old.blocks);
    return true;
}

static void add(uintptr_t at, size_t bytes) {
    struct heap *const m = now;
    if (!m || !at)
        return;
    if (2 * m->count >= m->slots && !grow(m)) {
        m->incomplete = true;
        return;
    }
    m->blocks[slot_of(m, at)] = (struct heap_block){at, bytes};
    m->count++;
    m->now += bytes;
    if (m->now > m->most)
        m->most = m->now;
}

static void take(uintptr_t at) {
    struct heap *const m = now;
    if (!m || !at || m->slots == 0)
        return;
    size_t gap = slot_of(m, at);
    if (!m->blocks[gap].at)
        return;
    m->now -= m->blocks[gap].bytes;
    m->count--;
    /* Later blocks move into the gap, unless they would then be before their home. */
    for (size_t i = (gap + 1) & (m->slots - 1); m->blocks[i].at; i = (i + 1) & (m->slots - 1)) {
        const size_t from_home = (i - home(m, m->blocks[i].at)) & (m->slots - 1);
        if (from_home < ((i - gap) & (m->slots - 1)))
            continue;
        m->blocks[gap] = m->blocks[i];
        gap = i;
    }
    m->blocks[gap].at = 0;
}

void *__wrap_malloc(size_t bytes) {
    void *const at = malloc(bytes);
    add((uintptr_t)at, bytes);
    return at;
}

void *__wrap_calloc(size_t count, size_t bytes) {
    void *const at = calloc(count, bytes);
    add((uintptr_t)at, count * bytes);
    return at;
}

void *__wrap_realloc(void *at, size_t bytes) {
    const uintptr_t before = (uintptr_t)at;
    void *const moved = realloc(at, bytes);
    if (!moved)
        return NULL;
    take(before);
    add((uintptr_t)moved, bytes);
    return moved;
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
    void *const at = aligned_alloc(alignment, bytes);
    add((uintptr_t)at, bytes);
    return at;
}

void __wrap_free(void *at) {
    take((uintptr_t)at);
    free(at);
}
