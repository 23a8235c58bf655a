/*
 * A single-producer, single-consumer ring. `put` and `taken` count entries and never decrease. Each
 * is written by one side, and each side caches the other's last value, so that a cache line moves
 * between cores only when the ring looks full or empty. The consumer publishes `taken` once per
 * STRETCH entries.
 */
#include "profile/fifo/fifo_ring.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { LINE = 64, STRETCH = 256 };

struct fifo_ring {
    struct fifo_model *model;
    uint32_t *entries;
    size_t count;
    pthread_t thread;
    _Alignas(LINE) _Atomic uint64_t put;
    uint64_t seen_taken; /* the producer's copy of `taken` */
    size_t at;           /* put % count */
    _Alignas(LINE) _Atomic uint64_t taken;
    _Alignas(LINE) atomic_bool ended;
};

/* Passes the entries numbered from `from` to before `to` on to the model; *at is from % count. */
static void take(struct fifo_ring *r, uint64_t from, uint64_t to, size_t *at) {
    for (uint64_t i = from; i < to; i++) {
        fifo_model_offer(r->model, r->entries[*at], i);
        *at = *at + 1 == r->count ? 0 : *at + 1;
    }
}

static void *drain(void *user) {
    struct fifo_ring *r = user;
    uint64_t taken = 0;
    size_t at = 0;
    for (;;) {
        const bool last = atomic_load_explicit(&r->ended, memory_order_acquire);
        const uint64_t put = atomic_load_explicit(&r->put, memory_order_acquire);
        if (put == taken && last)
            return NULL;
        if (put == taken)
            sched_yield();
        const uint64_t to = put - taken > STRETCH ? taken + STRETCH : put;
        take(r, taken, to, &at);
        taken = to;
        atomic_store_explicit(&r->taken, taken, memory_order_release);
    }
}

bool fifo_ring_begin(struct fifo_ring **out, struct fifo_model *model, size_t entries) {
    struct fifo_ring *r = aligned_alloc(LINE, sizeof *r);
    *out = r;
    if (r == NULL)
        return false;
    *r = (struct fifo_ring){.model = model, .count = entries};
    r->entries = calloc(entries, sizeof *r->entries);
    if (r->entries != NULL && pthread_create(&r->thread, NULL, drain, r) == 0)
        return true;
    free(r->entries);
    free(r);
    *out = NULL;
    return false;
}

void fifo_ring_put(struct fifo_ring *r, uint32_t address) {
    const uint64_t put = atomic_load_explicit(&r->put, memory_order_relaxed);
    while (put - r->seen_taken == r->count) {
        r->seen_taken = atomic_load_explicit(&r->taken, memory_order_acquire);
        if (put - r->seen_taken == r->count)
            sched_yield();
    }
    r->entries[r->at] = address;
    r->at = r->at + 1 == r->count ? 0 : r->at + 1;
    atomic_store_explicit(&r->put, put + 1, memory_order_release);
}

void fifo_ring_end(struct fifo_ring *r) {
    if (r == NULL)
        return;
    atomic_store_explicit(&r->ended, true, memory_order_release);
    pthread_join(r->thread, NULL);
    free(r->entries);
    free(r);
}
