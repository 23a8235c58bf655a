/* Room for long jumps in the windows of other probes. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_FREE_BYTES_H
#define HOTGRAPH_NATIVE_FREE_BYTES_H

#include "native/patch/patches.h"

/* A patch near `site` whose window has five free bytes after its jump, in reach of a short jump from
 * there; its window grows if it must. NULL: none. The slot is host_slot() of it. */
struct patch *host_find(struct hotprobe *h, struct object *o, uintptr_t site);
uintptr_t host_slot(const struct patch *host);

#endif
