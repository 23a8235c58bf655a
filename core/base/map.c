#include "base/base.h"

#include <stdlib.h>

/* The finalizer of splitmix64 spreads neighbouring addresses over the table. */
static size_t slot_of(const struct map *m, uint64_t key) {
    size_t mask = m->cap - 1;
    size_t i = (size_t)splitmix64(key, 0) & mask;
    while (m->used[i] && m->keys[i] != key)
        i = (i + 1) & mask;
    return i;
}

uint64_t *map_find(const struct map *m, uint64_t key) {
    if (m->cap == 0)
        return NULL;
    size_t i = slot_of(m, key);
    return m->used[i] ? &m->values[i] : NULL;
}

static bool map_resize(struct map *m, size_t cap) {
    struct map bigger = {
        .keys = malloc(cap * sizeof(uint64_t)),
        .values = malloc(cap * sizeof(uint64_t)),
        .used = calloc(cap, 1),
        .cap = cap,
        .len = m->len,
    };
    if (bigger.keys == NULL || bigger.values == NULL || bigger.used == NULL) {
        map_free(&bigger);
        return false;
    }
    for (size_t i = 0; i < m->cap; i++) {
        if (!m->used[i])
            continue;
        size_t j = slot_of(&bigger, m->keys[i]);
        bigger.used[j] = 1;
        bigger.keys[j] = m->keys[i];
        bigger.values[j] = m->values[i];
    }
    map_free(m);
    *m = bigger;
    return true;
}

uint64_t *map_at(struct map *m, uint64_t key) {
    if (m->cap == 0 && !map_resize(m, 64))
        return NULL;
    size_t i = slot_of(m, key);
    if (m->used[i])
        return &m->values[i];
    if ((m->len + 1) * 4 > m->cap * 3) {
        if (!map_resize(m, m->cap * 2))
            return NULL;
        i = slot_of(m, key);
    }
    m->used[i] = 1;
    m->keys[i] = key;
    m->values[i] = 0;
    m->len++;
    return &m->values[i];
}

bool map_next(const struct map *m, size_t *position, uint64_t *key, uint64_t *value) {
    while (*position < m->cap) {
        size_t i = (*position)++;
        if (m->used[i]) {
            *key = m->keys[i];
            *value = m->values[i];
            return true;
        }
    }
    return false;
}

void map_free(struct map *m) {
    free(m->keys);
    free(m->values);
    free(m->used);
    *m = (struct map){0};
}
