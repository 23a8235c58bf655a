/* Functions that shadow libc's: those that could change SIGTRAP, and those that start threads.
 * Without a session they only call libc's. */
#include "native/ending.h"
#include "native/hit/signals.h"
#include "native/hotprobe.h"

#include <dlfcn.h>
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
    if (number == SIGTRAP) {
        trap_action(act, old);
        return 0;
    }
    if (ending_has(number))
        return ending_action(number, act, old);
    struct sigaction copy;
    if (act != NULL) {
        copy = *act;
        sigdelset(&copy.sa_mask, SIGTRAP);
        act = &copy;
    }
    return __sigaction(number, act, old);
}

EXPORTED sighandler_t signal(int number, sighandler_t handler) {
    if (!signals_ours || (number != SIGTRAP && !ending_has(number)))
        return bsd_signal(number, handler);
    struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    sigaddset(&act.sa_mask, number);
    return sigaction(number, &act, &old) == 0 ? old.sa_handler : SIG_ERR;
}

EXPORTED int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    /* Mask changes between the two functions must not hide SIGTRAP. */
    if (signals_ours)
        return signal_mask(how, set, old);
    static int (*real)(int, const sigset_t *, sigset_t *);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_sigmask");
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

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*start)(void *), void *argument) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    before_threads();
    if (!births_watched())
        return real(thread, attributes, start, argument);
    struct birth b = {.start.pthread = start, .argument = argument};
    births_stop(true);
    int error = real(thread, attributes, begin_pthread, &b);
    if (error == 0)
        birth_wait(&b);
    births_stop(false);
    return error;
}

EXPORTED int thrd_create(thrd_t *thread, thrd_start_t start, void *argument) {
    static int (*real)(thrd_t *, thrd_start_t, void *);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "thrd_create");
    before_threads();
    if (!births_watched())
        return real(thread, start, argument);
    struct birth b = {.start.c11 = start, .argument = argument};
    births_stop(true);
    int error = real(thread, begin_c11, &b);
    if (error == thrd_success)
        birth_wait(&b);
    births_stop(false);
    return error;
}
