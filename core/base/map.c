#include "base/base.h"

#include <stdlib.h>

/* The finalizer of splitmix64 spreads neighbouring addresses over the table. */
static size_t slot_of(const struct map *m, uint64_t key) {
    size_t mask = m->cap - 1;
    size_t i = (size_t)splitmix64(key, 0) & mask;
    while (m->used[i] && m->entries[i].key != key)
        i = (i + 1) & mask;
    return i;
}

uint64_t *map_find(const struct map *m, uint64_t key) {
    if (m->cap == 0)
        return NULL;
    size_t i = slot_of(m, key);
    return m->used[i] ? &m->entries[i].value : NULL;
}

static bool map_resize(struct map *m, size_t cap) {
    struct map bigger = {
        .entries = malloc(cap * sizeof *bigger.entries),
        .used = calloc(cap, 1),
        .cap = cap,
        .len = m->len,
    };
    if (bigger.entries == NULL || bigger.used == NULL) {
        map_free(&bigger);
        return false;
    }
    for (size_t i = 0; i < m->cap; i++) {
        if (!m->used[i])
            continue;
        size_t j = slot_of(&bigger, m->entries[i].key);
        bigger.used[j] = 1;
        bigger.entries[j] = m->entries[i];
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
        return &m->entries[i].value;
    if ((m->len + 1) * 4 > m->cap * 3) {
        if (!map_resize(m, m->cap * 2))
            return NULL;
        i = slot_of(m, key);
    }
    m->used[i] = 1;
    m->entries[i] = (struct map_entry){.key = key};
    m->len++;
    return &m->entries[i].value;
}

bool map_next(const struct map *m, size_t *position, uint64_t *key, uint64_t *value) {
    while (*position < m->cap) {
        size_t i = (*position)++;
        if (m->used[i]) {
            *key = m->entries[i].key;
            *value = m->entries[i].value;
            return true;
        }
    }
    return false;
}

void map_free(struct map *m) {
    free(m->entries);
    free(m->used);
    *m = (struct map){0};
}
