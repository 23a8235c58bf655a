/* The work list of code discovery. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_WALK_H
#define HOTGRAPH_NATIVE_WALK_H

#include "native/text/object.h"

/* A label within a function, whose address an instruction takes. */
struct label {
    uintptr_t taken_at, at;
};

struct walk {
    struct object *o;
    VEC(uintptr_t) todo, indirect;
    VEC(struct label) labels; /* from the sweep */
    VEC(uintptr_t) crossed;   /* targets of jumps from other functions */
    size_t tables;            /* how many of `indirect` were looked at */
    uint8_t *known; /* from the sweep, for each byte of text: the instruction's length and kind */
    bool failed;    /* out of memory */
};
/* Marks `at` as the start of a block and queues it. */
void walk_leader(struct walk *w, uintptr_t at);

#endif
