/* Reads and writes text, and makes other cores see it. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_WRITE_TEXT_H
#define HOTGRAPH_NATIVE_WRITE_TEXT_H

#include "native/patch/patches.h"

bool text_write(struct hotprobe *h, uintptr_t at, const void *bytes, size_t n);
/* Does the text hold these bytes? False also if it is unmapped. */
bool text_is(struct hotprobe *h, uintptr_t at, const void *bytes, size_t n);
/* Serialises all cores that run this process. */
bool cores_serialise(void);
/* Registers the process for cores_serialise(). */
enum status live_register(struct hotprobe *h, struct error *e);
/* Makes the patch's slot padding again. */
bool slot_restore(struct hotprobe *h, struct patch *p);

#endif
