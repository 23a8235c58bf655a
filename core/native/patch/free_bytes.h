/* Room for long jumps in the windows of other probes. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_FREE_BYTES_H
#define HOTGRAPH_NATIVE_FREE_BYTES_H

#include "native/patch/patches.h"

/* Finds a patch near `site` whose window has five free bytes after its jump, within reach of a
 * short jump from the site; extends the window if necessary. NULL: none. host_slot() gives the
 * slot. */
struct patch *host_find(struct hotprobe *h, struct object *o, uintptr_t site, uintptr_t last);
uintptr_t host_slot(const struct patch *host);

/* May the patch's window grow? Only before the program starts. */
bool patch_can_grow(const struct patch *p);
/* Makes the window `length` bytes long, or longer, and its stub anew. False: nothing has changed. */
bool patch_grow(struct hotprobe *h, struct object *o, struct patch *p, unsigned length, bool call);

#endif
