/* The work list of code discovery. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_WALK_H
#define HOTGRAPH_NATIVE_WALK_H

#include "native/text/object.h"

struct walk {
    struct object *o;
    VEC(uintptr_t) todo, indirect;
    uint8_t *known; /* from the sweep, for each byte of text: the instruction's length and kind */
    bool failed;    /* out of memory */
};
/* Marks `at` as the start of a block and queues it. */
void walk_leader(struct walk *w, uintptr_t at);

#endif
