/* Liveness of status flags. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_FLAGS_H
#define HOTGRAPH_NATIVE_FLAGS_H

#include "native/text/object.h"

/* May code from `at` on read a status flag other than carry before it writes it? */
bool flags_live(const struct object *o, uintptr_t at);

#endif
