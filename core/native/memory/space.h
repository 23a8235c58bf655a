/* The address space: free ranges, and memory in a given range. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_SPACE_H
#define HOTGRAPH_NATIVE_SPACE_H

#include "native/text/object.h"

/* A snapshot of /proc/self/maps. space_map() adds the memory that it maps, and ranges that turn out
 * to be taken. Otherwise each mapping would read the file again, and many mappings would take
 * quadratic time. */
struct space {
    VEC(struct range) taken; /* sorted and merged */
    mapping_list lines;      /* buffer for the file */
    bool read;               /* the snapshot is valid */
    bool stale;              /* some ranges in `taken` may have become free */
    size_t mappings;         /* upper bound of the process's mappings */
    size_t surely;           /* their number when the snapshot was read */
    size_t limit;            /* most mappings allowed; 0: not read yet */
    bool full;               /* a mapping was refused because of that limit */
};

/* Maps `size` bytes within [low, high), at the highest free address there, or with `lowest` at the
 * lowest. Returns 0 if nothing is free, or if the process has as many mappings as allowed
 * (s->full). */
uintptr_t space_map(struct space *s, struct range in, size_t size, int prot, int fd,
                    uint64_t offset, bool lowest);
/* Notes that the range is mapped. False: out of memory. */
bool space_note(struct space *s, uintptr_t start, uintptr_t end);
void space_free(struct space *s);

#endif
