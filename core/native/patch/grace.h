/* Frees stubs and slots once no thread can be in them. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_GRACE_H
#define HOTGRAPH_NATIVE_GRACE_H

#include "native/patch/patches.h"

#include <sys/types.h>

struct retired {        /* one of the two */
    struct stub *stub;  /* to free */
    struct patch *slot; /* its slot is to be restored */
};
/* A thread that existed when the snapshot was taken. */
struct seen {
    pid_t thread;
    uint64_t since;     /* its processor time then, in ns */
    bool outside, here; /* was seen outside of stubs; still exists */
};
void grace_retire(struct hotprobe *h, struct stub *stub, struct patch *slot);
void grace_reclaim(struct hotprobe *h);
/* After session_settle(): does each other thread wait in the kernel, called by code of no object of the
 * session? */
bool grace_others_wait(struct hotprobe *h);
/* After session_settle(): is that an address of other code, and no thread in a call from a stub? */
bool grace_outside(const struct hotprobe *h, uintptr_t at);
/* After session_settle(): does this thread's stack, from sp on, have the frame of a signal's handler that interrupted
 * an object of the session or a stub? The restorer is what handlers return to. */
bool grace_interrupted(struct hotprobe *h, uintptr_t sp, uintptr_t restorer);
/* Bytes that are not freed yet. */
size_t grace_left(const struct hotprobe *h);

#endif
