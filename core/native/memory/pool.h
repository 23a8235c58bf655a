/* Memory near the text, for stubs and counters. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_POOL_H
#define HOTGRAPH_NATIVE_POOL_H

#include "native/hotprobe.h"
#include "native/memory/space.h"

enum { CHUNK_CLASSES = 16 /* of sizes, in steps of 16 bytes; the last: all larger ones */ };
struct chunk {
    uintptr_t start;
    size_t size, dirty, dirty_end;
    uint8_t *mirror;                  /* a writable copy of the content */
    uint64_t *used;                   /* one bit for each byte */
    size_t first_free[CHUNK_CLASSES]; /* before it nothing of this size is free */
    size_t no_room; /* a request for this many bytes has failed since memory was last freed */
};
enum { POOL_COUNTERS = 4096 }; /* of a chunk */
struct counter_chunk {
    uintptr_t start;
    size_t count, used;
    uint64_t offset; /* in the counters' file */
};
struct pool {
    VEC(struct chunk) chunks;
    VEC(struct counter_chunk) counters;
    VEC(uint32_t) sorted; /* numbers of chunks, by address */
    struct space space;
    uint64_t file_size;
};
/* Addresses allowed for a stub: (address - base) equals `value` in the bits of `mask`. */
struct reach {
    uintptr_t base;
    uint32_t mask, value;
};
/* Why nothing is free: HOTPROBE_TOO_FAR, or HOTPROBE_MAPPINGS. */
enum hotprobe_reason pool_reason(const struct hotprobe *h);
/* Allocates `size` bytes in reach of reach->base; 0: none free. */
uintptr_t pool_get(struct hotprobe *h, size_t size, const struct reach *reach);
void pool_put(struct hotprobe *h, uintptr_t at, size_t size);
/* Writes to the copy; pool_flush() makes it executable with one write for each chunk. */
void pool_write(struct hotprobe *h, uintptr_t at, const void *bytes, size_t n);
bool pool_flush(struct hotprobe *h, int mem);
bool pool_holds(const struct hotprobe *h, uintptr_t at);
/* A counter in reach of `near`, and its offset in the file. NULL: none. */
uint64_t *pool_counter(struct hotprobe *h, uintptr_t near, uint64_t *offset);
/* A writable part of a file in reach of `near`; 0: none. */
uintptr_t pool_map(struct hotprobe *h, uintptr_t near, size_t size, int fd, uint64_t offset);
/* Does a stub for code at `near` nearly always reach `at`? */
bool pool_near(uintptr_t near, uintptr_t at);
/* Sets all counters to 0, without calls of libc. */
void pool_forget(struct hotprobe *h);
/* In the child of a fork: gives it counters of its own. */
void pool_part(struct hotprobe *h);
void pool_free(struct hotprobe *h, bool code_too);

#endif
