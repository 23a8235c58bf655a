/* The address space: which ranges are free, and memory in a given range. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_SPACE_H
#define HOTGRAPH_NATIVE_SPACE_H

#include "native/text/object.h"

/* A snapshot of /proc/self/maps. It learns of the memory that space_map() maps, and of a range that
 * turns out to be taken; so the file is not read for each mapping, which would make many mappings
 * quadratic. */
struct space {
    VEC(struct range) taken; /* sorted and merged */
    mapping_list lines;      /* room to read the file */
    bool read;               /* there is a snapshot */
    bool stale;              /* ranges that it holds for taken may be free */
    size_t mappings;         /* at most so many has the process */
    size_t surely;           /* so many it had when the snapshot was read */
    size_t limit;            /* so many it may have; 0: not read yet */
    bool full;               /* a mapping was refused because of the limit */
};

/* Maps `size` bytes somewhere in [low, high): at the highest free address there, or with `lowest` at
 * the lowest. 0: nothing is free, or the process has as many mappings as it may have (s->full). */
uintptr_t space_map(struct space *s, struct range in, size_t size, int prot, int fd,
                    uint64_t offset, bool lowest);
/* Notes that the range is mapped. False: out of memory. */
bool space_note(struct space *s, uintptr_t start, uintptr_t end);
void space_free(struct space *s);

#endif
