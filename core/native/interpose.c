/* Functions that shadow libc's: those that could change the library's signals, and those that start threads.
 * Without a session they only call libc's. */
#include "native/interpose.h"
#include "native/ending.h"
#include "native/hit/shadows.h"
#include "native/hit/signals.h"
#include "native/hotprobe.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>

#define EXPORTED __attribute__((visibility("default")))

int __sigaction(int number, const struct sigaction *act, struct sigaction *old);
int sigaction(int number, const struct sigaction *act, struct sigaction *old);
sighandler_t bsd_signal(int number, sighandler_t handler);

EXPORTED int sigaction(int number, const struct sigaction *act, struct sigaction *old) {
    if (!signals_ours)
        return __sigaction(number, act, old);
    if (signal_owned(number)) {
        signal_action(number, act, old);
        return 0;
    }
    struct sigaction copy;
    if (act != NULL) {
        copy = *act;
        copy.sa_mask.__val[0] &= ~signals_kept; /* sigdelset() is libc's */
        act = &copy;
    }
    if (ending_has(number))
        return ending_action(number, act, old);
    return __sigaction(number, act, old);
}

EXPORTED sighandler_t signal(int number, sighandler_t handler) {
    if (!signals_ours || (!signal_owned(number) && !ending_has(number)))
        return bsd_signal(number, handler);
    struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    act.sa_mask.__val[0] = 1ull << (number - 1);
    return sigaction(number, &act, &old) == 0 ? old.sa_handler : SIG_ERR;
}

EXPORTED int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    /* Mask changes between the two functions must not hide the library's signals. */
    if (signals_ours)
        return signal_mask(how, set, old);
    int (*real)(int, const sigset_t *, sigset_t *);
    *(void **)&real = shadow_real(SHADOW_PTHREAD_SIGMASK);
    return real(how, set, old);
}

EXPORTED int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    int error = pthread_sigmask(how, set, old);
    if (error != 0)
        errno = error;
    return error != 0 ? -1 : 0;
}

static void before_threads(void) {
    struct hotprobe *h = session_now();
    if (h != NULL)
        session_threads(h);
}

static void *begin_pthread(void *raw) {
    struct birth *b = raw;
    void *(*start)(void *) = b->start.pthread;
    void *argument = b->argument;
    thread_born(b);
    return start(argument);
}

static int begin_c11(void *raw) {
    struct birth *b = raw;
    int (*start)(void *) = b->start.c11;
    void *argument = b->argument;
    thread_born(b);
    return start(argument);
}

static int watched_pthread(pthread_t *thread, const pthread_attr_t *attributes,
                           void *(*start)(void *), void *argument) {
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&real = shadow_real(SHADOW_PTHREAD_CREATE);
    struct birth b = {.start.pthread = start, .argument = argument};
    births_stop(true);
    int error = real(thread, attributes, begin_pthread, &b);
    if (error == 0)
        birth_wait(&b);
    births_stop(false);
    return error;
}

static int watched_c11(thrd_t *thread, thrd_start_t start, void *argument) {
    int (*real)(thrd_t *, thrd_start_t, void *);
    *(void **)&real = shadow_real(SHADOW_THRD_CREATE);
    struct birth b = {.start.c11 = start, .argument = argument};
    births_stop(true);
    int error = real(thread, begin_c11, &b);
    if (error == thrd_success)
        birth_wait(&b);
    births_stop(false);
    return error;
}

/* Where to go on, after what must be done before the process gets another thread. */
__attribute__((visibility("hidden"))) void *starter_of_pthread(void);
__attribute__((visibility("hidden"))) void *starter_of_c11(void);

void *starter_of_pthread(void) {
    before_threads();
    return births_watched() ? (void *)watched_pthread : shadow_real(SHADOW_PTHREAD_CREATE);
}

void *starter_of_c11(void) {
    before_threads();
    return births_watched() ? (void *)watched_c11 : shadow_real(SHADOW_THRD_CREATE);
}

/* They jump, with the caller's arguments, so that libc's function returns to the caller. */
#define JUMPS(name, where)                                                                         \
    __asm__(".text\n"                                                                              \
            ".p2align 4\n"                                                                         \
            ".globl " name "\n"                                                                    \
            ".type " name ", @function\n" name ":\n"                                               \
            "    .cfi_startproc\n"                                                                 \
            "    push %rdi\n    push %rsi\n    push %rdx\n    push %rcx\n    push %rcx\n"          \
            "    .cfi_adjust_cfa_offset 40\n"                                                      \
            "    call " where "\n"                                                                 \
            "    pop %rcx\n    pop %rcx\n    pop %rdx\n    pop %rsi\n    pop %rdi\n"               \
            "    .cfi_adjust_cfa_offset -40\n"                                                     \
            "    jmp *%rax\n"                                                                      \
            "    .cfi_endproc\n"                                                                   \
            ".size " name ", . - " name "\n")
JUMPS("pthread_create", "starter_of_pthread");
JUMPS("thrd_create", "starter_of_c11");

void interpose_find(void) {
    shadows_find();
    shadow_jumps(SHADOW_PTHREAD_CREATE, (uintptr_t)&pthread_create);
    shadow_jumps(SHADOW_THRD_CREATE, (uintptr_t)&thrd_create);
}
