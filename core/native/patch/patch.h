/* Lock and Load: writes a batch of patches while other threads run. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_PATCH_H
#define HOTGRAPH_NATIVE_PATCH_H

#include "base/base.h"

struct hotprobe;

/* A byte of text to write. */
struct edit {
    uintptr_t at;
    uint8_t byte;
};
typedef VEC(struct edit) edit_list;
/* Writes all patches of the batch; by Lock and Load if other threads may run. */
enum status patches_write(struct hotprobe *h, struct error *e);

#endif
