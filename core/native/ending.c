/*
 * How a process ends while its graph is counted. exit() runs the library's destructor. Functions here
 * shadow those of libc that end it otherwise: _exit(), and what raises a signal for the process itself,
 * as abort() does. There the thread is in other code, so it has left each piece that it entered, as
 * after exit(). A signal whose action is the default one ends the process before any other code of
 * the program runs: other signals are blocked meanwhile.
 *
 * Without a session, and in the child of a vfork, they only call libc's.
 */
#include "native/ending.h"
#include "native/hit/signals.h"
#include "native/patch/grace.h"
#include "native/session_state.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

int __sigaction(int number, const struct sigaction *act, struct sigaction *old);
void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function);
void __stack_chk_fail(void);

/* The graph's cells; NULL: none are counted for this process. */
static struct pairs *counted(struct hotprobe *h) {
    return h != NULL && h->pairs.head != NULL && h->pairs.process == getpid() ? &h->pairs : NULL;
}

void ending_threads(void) {
    enum { TURNS = 50, NS = 1000 * 1000 };
    struct hotprobe *h = session_now();
    struct pairs *t = counted(h);
    if (t == NULL || t->head[SESSION_PAIRS_THREADS] == SESSION_THREADS_ONE ||
        t->head[SESSION_PAIRS_THREADS] == SESSION_THREADS_UNSAFE)
        return;
    bool wait = false;
    for (int turn = 0; turn < TURNS && !wait; turn++) {
        if (turn > 0)
            nanosleep(&(struct timespec){.tv_nsec = NS}, NULL);
        wait = grace_others_wait(h);
    }
    pairs_threads(t, wait ? SESSION_THREADS_WAIT : SESSION_THREADS_RUN);
}

/* ---- signals ---- */

static uint64_t mask_set(int how, uint64_t set) {
    uint64_t before = 0;
    syscall(SYS_rt_sigprocmask, how, &set, &before, sizeof set);
    return before;
}

/* Does the signal end the process? */
static bool is_fatal(int number) {
    struct sigaction now;
    switch (number) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
        return false;
    default:
        return __sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
               now.sa_handler == SIG_DFL;
    }
}

struct raised {
    bool noted;
    uint64_t mask; /* as it was */
};

/* Notes that libc is about to raise a signal, if that will end the process. */
static struct raised raise_begin(int number) {
    struct raised r = {0};
    struct pairs *t = counted(session_now());
    if (t == NULL || number <= 0 || number > 64 || !is_fatal(number))
        return r;
    const uint64_t bit = 1ull << (number - 1);
    r.mask = mask_set(SIG_BLOCK, ~(bit | TRAP_BIT));
    r.noted = true;
    ending_threads();
    t->head[SESSION_PAIRS_RAISED] = (uint64_t)number;
    return r;
}

/* The process has survived, because the signal is blocked. */
static void raise_end(const struct raised *r) {
    struct pairs *t = counted(session_now());
    if (!r->noted)
        return;
    if (t != NULL)
        t->head[SESSION_PAIRS_RAISED] = 0;
    mask_set(SIG_SETMASK, r->mask);
}

/* ---- what is shadowed ---- */

EXPORTED __attribute__((noreturn)) void _exit(int status) {
    ending_threads();
    for (;;)
        syscall(SYS_exit_group, status);
}

EXPORTED __attribute__((noreturn)) void _Exit(int status) {
    _exit(status);
}

EXPORTED __attribute__((noreturn)) void abort(void) {
    void (*real)(void);
    *(void **)&real = dlsym(RTLD_NEXT, "abort");
    (void)raise_begin(SIGABRT);
    for (;;)
        real();
}

EXPORTED __attribute__((noreturn)) void __assert_fail(const char *assertion, const char *file,
                                                      unsigned line, const char *function) {
    void (*real)(const char *, const char *, unsigned, const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "__assert_fail");
    (void)raise_begin(SIGABRT);
    for (;;)
        real(assertion, file, line, function);
}

EXPORTED __attribute__((noreturn)) void __stack_chk_fail(void) {
    void (*real)(void);
    *(void **)&real = dlsym(RTLD_NEXT, "__stack_chk_fail");
    (void)raise_begin(SIGABRT);
    for (;;)
        real();
}

EXPORTED int raise(int number) {
    int (*real)(int);
    *(void **)&real = dlsym(RTLD_NEXT, "raise");
    const struct raised r = raise_begin(number);
    const int result = real(number);
    raise_end(&r);
    return result;
}

EXPORTED int kill(pid_t process, int number) {
    const bool own = process == getpid();
    const struct raised r = own ? raise_begin(number) : (struct raised){0};
    const int result = (int)syscall(SYS_kill, process, number);
    raise_end(&r);
    return result;
}
