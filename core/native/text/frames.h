/* Functions and landing pads from .eh_frame. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_FRAMES_H
#define HOTGRAPH_NATIVE_FRAMES_H

#include "native/text/object.h"

/* Adds landing pads, and functions that have no symbol. False: out of memory. */
bool frames_read(struct object *o);

#endif
