/* What stubs call when a probe's function is due. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_HIT_H
#define HOTGRAPH_NATIVE_HIT_H

#include <stdint.h>

/* The address that stubs call. */
uintptr_t hit_entry(void);

#endif
