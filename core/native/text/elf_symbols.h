/* Functions of an ELF file's symbol tables. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_ELF_SYMBOLS_H
#define HOTGRAPH_NATIVE_ELF_SYMBOLS_H

#include "native/text/object.h"

/* Adds the functions that the symbol tables name. False: out of memory. */
bool symbols_read(struct object *o);
bool functions_add(struct object *o, uintptr_t start, uintptr_t end, const char *name, bool symbol);
/* Sorts the functions, keeps one for each address (a symbol's first) and sets missing ends; function_at() finds
 * them from then on. False: out of memory. */
bool functions_finish(struct object *o);

#endif
