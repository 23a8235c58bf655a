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
/* Where a thread is that is to run no more: in other code, or after a system call; elsewhere in libc, if that
 * is counted; or elsewhere in counted code, or in a call from a stub. */
enum grace_place { GRACE_OUTSIDE, GRACE_IN_LIBC, GRACE_INSIDE };
/* Of these three: call them after session_settle(). They do not call libc. */
enum grace_place grace_place(const struct hotprobe *h, uintptr_t at);
/* Of all other threads, the last place in the enum's order; a thread that runs may be anywhere. */
enum grace_place grace_others(const struct hotprobe *h);
/* Of what this thread's stack, from sp on, has as interrupted by a signal's handler; the last place in the
 * enum's order. The restorer is what handlers return to. */
enum grace_place grace_interrupted(const struct hotprobe *h, uintptr_t sp, uintptr_t restorer);
/* Bytes that are not freed yet. */
size_t grace_left(const struct hotprobe *h);

#endif
