/* A hash table from addresses to patches, which the signal handler reads without a lock: entries
 * are added and changed, never moved. A full table is replaced by a larger one and kept, because a
 * handler may still read it. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_SITE_INDEX_H
#define HOTGRAPH_NATIVE_SITE_INDEX_H

#include "base/base.h"

#include <stdatomic.h>

struct hotprobe;
struct patch;

struct index_entry {
    _Atomic uintptr_t at;
    struct patch *_Atomic patch;
};
struct index {
    size_t cap, len;
    struct index_entry *entry;
    _Atomic uint64_t *some; /* bits of addresses, modulo their number; 0: no entry */
};
struct patch *index_find(struct index *_Atomic *table, uintptr_t at);
/* False: out of memory. */
bool index_set(struct hotprobe *h, struct index *_Atomic *table, uintptr_t at, struct patch *p);

#endif
