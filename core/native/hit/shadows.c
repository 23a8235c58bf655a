#include "native/hit/shadows.h"

#include <dlfcn.h>
#include <stddef.h>

static void *real[SHADOWS];
static uintptr_t jumps[SHADOWS]; /* the shadow's address; 0: it does not jump */

void *shadow_real(enum shadow shadow) {
    static const char *const names[SHADOWS] = {
        [SHADOW_ABORT] = "abort",
        [SHADOW_ASSERT_FAIL] = "__assert_fail",
        [SHADOW_EXECVPE] = "execvpe",
        [SHADOW_EXIT] = "exit",
        [SHADOW_FEXECVE] = "fexecve",
        [SHADOW_PTHREAD_CREATE] = "pthread_create",
        [SHADOW_PTHREAD_SIGMASK] = "pthread_sigmask",
        [SHADOW_RAISE] = "raise",
        [SHADOW_STACK_CHK_FAIL] = "__stack_chk_fail",
        [SHADOW_THRD_CREATE] = "thrd_create",
    };
    if (real[shadow] == NULL)
        real[shadow] = dlsym(RTLD_NEXT, names[shadow]);
    return real[shadow];
}

void shadows_find(void) {
    for (unsigned k = 0; k < SHADOWS; k++)
        (void)shadow_real((enum shadow)k);
}

void shadow_jumps(enum shadow shadow, uintptr_t from) {
    jumps[shadow] = from;
}

uintptr_t shadow_leads_to(uintptr_t at) {
    for (unsigned k = 0; k < SHADOWS; k++)
        if (jumps[k] != 0 && jumps[k] == at)
            return (uintptr_t)shadow_real((enum shadow)k);
    return at;
}

void shadows_put(uint64_t *out, unsigned most) {
    for (unsigned k = 0; k < SHADOWS; k++)
        if (jumps[k] != 0 && most-- > 0) {
            *out++ = jumps[k];
            *out++ = (uintptr_t)shadow_real((enum shadow)k);
        }
}
