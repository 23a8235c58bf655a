#include "native/memory/site_index.h"
#include "native/session_state.h"

/* Sites are mostly visited in order of address: those of a cache line of text lie together. */
static size_t place_of(const struct index *t, uintptr_t at) {
    return (((at >> 6) * 0x9e3779b97f4a7c15ull >> 20) + (at >> 2 & 15)) & (t->cap - 1);
}

enum { BITS = 16 /* of `some`, for each entry */ };

static _Atomic uint64_t *word_of(const struct index *t, uintptr_t at) {
    return &t->some[(at & (BITS * t->cap - 1)) >> 6];
}

struct patch *index_find(struct index *_Atomic *table, uintptr_t at) {
    struct index *t = atomic_load_explicit(table, memory_order_acquire);
    if (t == NULL ||
        (atomic_load_explicit(word_of(t, at), memory_order_acquire) >> (at & 63) & 1) == 0)
        return NULL;
    for (size_t k = place_of(t, at);; k = (k + 1) & (t->cap - 1)) {
        uintptr_t key = atomic_load_explicit(&t->entry[k].at, memory_order_acquire);
        if (key == 0)
            return NULL;
        if (key == at)
            return atomic_load_explicit(&t->entry[k].patch, memory_order_acquire);
    }
}

static void put(struct index *t, uintptr_t at, struct patch *p) {
    size_t k = place_of(t, at);
    while (t->entry[k].at != 0 && t->entry[k].at != at)
        k = (k + 1) & (t->cap - 1);
    t->len += t->entry[k].at == 0;
    _Atomic uint64_t *word = word_of(t, at);
    atomic_store_explicit(&t->entry[k].patch, p, memory_order_release);
    atomic_store_explicit(&t->entry[k].at, at, memory_order_release);
    /* Only one thread writes. */
    atomic_store_explicit(word,
                          atomic_load_explicit(word, memory_order_relaxed) | 1ull << (at & 63),
                          memory_order_release);
}

/* Readers may still use the old table: it stays in the arena. */
static bool grow(struct hotprobe *h, struct index *_Atomic *table) {
    struct index *old = *table;
    struct index *t = arena_get(&h->arena, sizeof *t);
    if (t == NULL)
        return false;
    t->cap = old != NULL ? old->cap * 4 : 1024;
    t->len = 0;
    t->entry = arena_get(&h->arena, t->cap * sizeof *t->entry);
    t->some = arena_get(&h->arena, t->cap * BITS / 8);
    if (t->entry == NULL || t->some == NULL)
        return false;
    for (size_t k = 0; old != NULL && k < old->cap; k++)
        if (old->entry[k].at != 0)
            put(t, old->entry[k].at, old->entry[k].patch);
    atomic_store_explicit(table, t, memory_order_release);
    return true;
}

bool index_set(struct hotprobe *h, struct index *_Atomic *table, uintptr_t at, struct patch *p) {
    if ((*table == NULL || (*table)->len * 2 >= (*table)->cap) && !grow(h, table))
        return false;
    put(*table, at, p);
    return true;
}
