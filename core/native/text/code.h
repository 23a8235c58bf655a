/* Finds instructions, targets, leaders and padding in an object's text. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_CODE_H
#define HOTGRAPH_NATIVE_CODE_H

#include "native/text/object.h"

/* Sets the marks of an object. */
enum status code_find(struct object *o, struct error *e);

#endif
