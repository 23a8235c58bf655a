/* Probes, and the patches of text that lead to them. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_PATCHES_H
#define HOTGRAPH_NATIVE_PATCHES_H

#include "native/hotprobe.h"
#include "native/text/object.h"

#include <stdatomic.h>

struct hotprobe_probe {
    struct hotprobe *session;
    struct hotprobe_probe *next; /* on the same patch, by boundary */
    struct patch *patch;
    uintptr_t site;
    uint64_t *counter, counter_offset; /* NULL: each thread counts in `slot` of its own block */
    uint32_t slot;                     /* with a counter: counts here instead once counters are
                                          spread */
    uint64_t threshold;
    void (*call)(const struct hotprobe_hit *);
    void *data;
    unsigned flags;
    struct hotprobe_request *asking; /* during the call that inserts it */
    uint8_t boundary;                /* index of the patch's instruction */
    bool in;
};

enum { WINDOW = 24, BOUNDARIES = 8 };

/* The bytes that are overwritten. Their address, length and boundaries never change; a different
 * window at the same address is another patch. */
struct patch {
    uintptr_t at;
    struct object *object;
    uint8_t length; /* of the overwritten bytes */
    uint8_t count;  /* instructions */
    uint8_t offset[BOUNDARIES + 1];
    uint8_t strategy;
    bool in, unproven, ends; /* ends: execution does not continue after the last instruction */
    bool changed;            /* in the current batch */
    bool restored;           /* the slot's bytes are padding again */
    bool is_gate;            /* has no probe: a long NOP that jumps over the slots in it */
    bool needed;             /* of a gate: a slot in it is used; set by gates_close() */
    struct patch *gate;      /* of the slot; NULL: padding that is never executed */
    struct patch *host;      /* the patch whose window holds the slot (free_bytes.c); NULL: none */
    struct patch *guest;     /* the patch whose slot is in this window, after its jump; NULL:
                                none */
    uint8_t old[WINDOW + 16], now[WINDOW];
    uintptr_t slot; /* the jump in padding; 0: none */
    uint8_t slot_old[5], slot_now[5];
    struct hotprobe_probe *probes; /* all that were ever inserted, sorted by boundary */
    struct stub *_Atomic stub;
    struct stub *spare;  /* the previous stub, reused when the same probes return */
    struct patch *older; /* another window at the same address */
};

/* The patch for the plan: an earlier one, or a new one. NULL: out of memory. */
struct patch *patch_for(struct hotprobe *h, const struct patch *plan);
/* Marks the patch's bytes as overwritten. False: out of memory. */
bool patch_claim(struct hotprobe *h, struct patch *p);
/* Adds the patch to the batch, once. False: out of memory. */
bool patch_changed(struct hotprobe *h, struct patch *p);

#endif
