/* Memory from mmap: lists, an arena, mapped files, sorting. The library never touches the heap of
 * the program that it is in. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_MEMORY_H
#define HOTGRAPH_NATIVE_MEMORY_H

#include "base/base.h"

#include <string.h>

/* As base's vec_push, with memory from mmap. */
#define seq_push(v, value)                                                                         \
    (seq_reserve_(&(v)->at, &(v)->cap, (v)->len + 1, sizeof *(v)->at)                              \
         ? ((v)->at[(v)->len++] = (value), true)                                                   \
         : false)
#define seq_reserve(v, n) seq_reserve_(&(v)->at, &(v)->cap, (n), sizeof *(v)->at)
#define seq_free(v)                                                                                \
    (seq_free_((v)->at, (v)->cap * sizeof *(v)->at), (v)->at = NULL, (v)->len = (v)->cap = 0)
bool seq_reserve_(void *at_pointer, size_t *cap, size_t need, size_t size);
void seq_free_(void *at, size_t bytes);

/* As qsort, which may allocate from the heap. Stable unless memory is short. */
void sort_items(void *items, size_t n, size_t size, int (*compare)(const void *, const void *));

/* Compares numbers or addresses of 64 bits, for sort_items(). */
static inline int by_number(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* How many of n items, sorted by the address or number of 64 bits that each begins with, have one below
 * `least`. */
static inline size_t items_below(const void *items, size_t n, size_t size, uint64_t least) {
    size_t low = 0;
    while (low < n) {
        const size_t middle = low + (n - low) / 2;
        uint64_t value;
        memcpy(&value, (const uint8_t *)items + middle * size, sizeof value);
        if (value < least)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* Zeroed allocations that live until the arena is freed. NULL: out of memory. */
struct arena {
    struct arena_page *last;
};
void *arena_get(struct arena *a, size_t size);
void arena_free(struct arena *a);

/* A whole file, mapped read-only; `at` is NULL if it cannot be mapped. */
struct mapped_file {
    const uint8_t *at;
    size_t len;
};
struct mapped_file mapped_file_open(const char *path);
void mapped_file_close(struct mapped_file *v);

#endif
