/* Direct calls and jumps that lead to stubs. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_DIRECT_H
#define HOTGRAPH_NATIVE_DIRECT_H

#include "base/base.h"

struct hotprobe;
/* Leads direct calls and jumps of probed instructions to their stubs. False: cannot write. */
bool direct_lead(struct hotprobe *h);
struct object;
/* The same in the object's part, and in the stubs of patches from this number on. */
bool direct_lead_part(struct hotprobe *h, const struct object *o, size_t patches);

#endif
