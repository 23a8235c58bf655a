/*
 * heap: counts the bytes that a thread has allocated. The counted object is linked so that the
 * calls of malloc(), calloc(), realloc(), aligned_alloc() and free() by what is measured come here
 * (ld --wrap). What is counted are the bytes that were asked for, so the number is the same with
 * every C library. Private to core/counted.
 */
#ifndef HOTGRAPH_COUNTED_HEAP_H
#define HOTGRAPH_COUNTED_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap {
    uint64_t now, most; /* bytes that are allocated, and were at most */
    bool incomplete;    /* out of memory for the table: `most` is too small */
    struct heap_block {
        uintptr_t at; /* 0: none */
        size_t bytes;
    } * blocks;          /* what is allocated: a hash table with linear probing */
    size_t slots, count; /* slots: a power of two, or 0 */
};
/* Counts what this thread allocates and frees from now on; NULL: stops. What it did not see being
 * allocated may be freed. */
void heap_into(struct heap *m);
void heap_close(struct heap *m);

#endif
