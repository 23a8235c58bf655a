/* Jump tables, as compilers write them. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_JUMP_TABLES_H
#define HOTGRAPH_NATIVE_JUMP_TABLES_H

#include "native/text/walk.h"

/* Finds the targets of the indirect jump at `at` and queues them as leaders; notes whether it is a
 * dispatch. False: the targets are not proven to be complete. */
bool table_find(struct walk *w, struct function *f, uintptr_t at);

#endif
