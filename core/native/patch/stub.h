/* Stubs: the code that a patch jumps to. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_STUB_H
#define HOTGRAPH_NATIVE_STUB_H

#include "native/patch/patches.h"

enum { LOCKS = 16 };

/* Written once, before it is published in its patch. */
struct stub {
    uintptr_t at;
    uint32_t size;
    bool pushed;      /* entered with the call's return address on the stack */
    bool constrained; /* the jump to it has traps at inner instructions */
    uint8_t lock_count;
    uint16_t entry[BOUNDARIES]; /* offset of each overwritten instruction's part */
    uint16_t lock[LOCKS];       /* offset of each increment's prefix */
    /* Offset of the distance of each instruction's direct jump or call, and of the jump back; 0: none */
    uint16_t distance[BOUNDARIES + 1];
    uint16_t
        taken; /* offset of the part that a conditional branch in the text leads to itself; 0: none */
    uint64_t key; /* of the probes it serves */
};

/* Makes the stub for the patch's probes, or reuses the spare one, and sets the bytes to write. */
enum hotprobe_reason stub_make(struct hotprobe *h, struct patch *p);
/* Changes the stub's increments: each thread's own counters, or a lock prefix without those. */
void stub_spread(struct hotprobe *h, const struct patch *p);
uint64_t stub_key(const struct hotprobe *h, const struct patch *p);
/* Makes the stubs of the batch. Takes back new probes that get none, with a reason. */
void stubs_make(struct hotprobe *h);

#endif
