/* Assigns padding to probes. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_PADDING_H
#define HOTGRAPH_NATIVE_PADDING_H

#include "native/text/object.h"

/* A site that no jump over whole instructions serves, and its request's number. */
struct wish {
    uintptr_t site;
    size_t request;
    uintptr_t last; /* the instruction to be probed: the one at `site`, or a later one (window.h) */
};
/* Assigns slots to sites of one object, sorted by address. Sets slot[i]; 0: none. */
bool padding_give(struct hotprobe *h, struct object *o, const struct wish *wishes, size_t n,
                  uintptr_t *slot);

#endif
