/* Functions of libc that the library shadows. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_SHADOWS_H
#define HOTGRAPH_NATIVE_SHADOWS_H

#include <stdint.h>

enum shadow {
    SHADOW_ABORT,
    SHADOW_ASSERT_FAIL,
    SHADOW_EXECVPE,
    SHADOW_EXIT,
    SHADOW_FEXECVE,
    SHADOW_PTHREAD_CREATE,
    SHADOW_PTHREAD_SIGMASK,
    SHADOW_RAISE,
    SHADOW_STACK_CHK_FAIL,
    SHADOW_THRD_CREATE,
    SHADOWS
};
/* libc's own function. Looking for it calls libc, so shadows_find() looks for all. */
void *shadow_real(enum shadow shadow);
void shadows_find(void);
/* The shadow jumps to libc's function, which returns to the program: call it before the session starts. */
void shadow_jumps(enum shadow shadow, uintptr_t from);
/* Where such a shadow leads; any other address leads to itself. */
uintptr_t shadow_leads_to(uintptr_t at);
/* Writes pairs of addresses, of such a shadow and where it leads, up to `most`. */
void shadows_put(uint64_t *out, unsigned most);

#endif
