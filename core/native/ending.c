/*
 * How a process ends while its graph is counted. exit() runs the library's destructor. Functions here
 * shadow those of libc that end it otherwise: _exit(), system calls that end it or start another program,
 * and what raises a signal for the process itself,
 * as abort() does. There the thread is in other code, so it has left each piece that it entered, as
 * after exit(). A signal whose action is the default one ends the process before any other code of
 * the program runs: other signals are blocked meanwhile.
 *
 * Signals by which others stop a program have a handler here while their action is the default one.
 * It notes whether the thread was in other code, and ends the process by the same signal.
 *
 * A handler of the program may end the process, too. What it interrupted is never left, if that is
 * the program's own code: its frame is on the stack then.
 *
 * Without a session, and in the child of a vfork, they only call libc's.
 */
#include "native/ending.h"
#include "native/hit/forking.h"
#include "native/hit/signals.h"
#include "native/patch/grace.h"
#include "native/raw.h"
#include "native/session_state.h"

#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

int __sigaction(int number, const struct sigaction *act, struct sigaction *old);
void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function);
void __stack_chk_fail(void);

static pid_t own_id(void) {
    return (pid_t)raw_call3(SYS_getpid, 0, 0, 0);
}

/* The graph's cells; NULL: none are counted for this process. */
static struct pairs *counted(struct hotprobe *h) {
    return h != NULL && h->pairs.head != NULL && h->pairs.process == own_id() ? &h->pairs : NULL;
}

void ending_threads(void) {
    enum { TURNS = 50, NS = 1000 * 1000 };
    struct hotprobe *h = session_now();
    struct pairs *t = counted(h);
    if (t == NULL || t->head[SESSION_PAIRS_THREADS] == SESSION_THREADS_ONE ||
        t->head[SESSION_PAIRS_THREADS] >= SESSION_THREADS_INSIDE)
        return;
    bool wait = false;
    aside_begin(h);
    for (int turn = 0; turn < TURNS && !wait; turn++) {
        if (turn > 0)
            nanosleep(&(struct timespec){.tv_nsec = NS}, NULL);
        wait = grace_others_wait(h);
    }
    aside_end(h);
    pairs_threads(t, wait ? SESSION_THREADS_WAIT : SESSION_THREADS_RUN);
}

static bool watching; /* for signals that stop the program */

/* What the kernel makes a handler return to, which marks its frame on the stack; 0: not known. */
static uintptr_t restorer;

/* If the process ends there, libc's code is not left. */
static void note_libc(struct pairs *t, enum grace_place where) {
    if (where == GRACE_IN_LIBC)
        t->head[SESSION_PAIRS_LIBC] = SESSION_LIBC_OPEN;
}

/* As ending_threads(), from a function that the program has called, whose frame this is. */
static void ending_from(const void *frame) {
    struct hotprobe *h = session_now();
    struct pairs *t = counted(h);
    if (t == NULL)
        return;
    ending_threads();
    aside_begin(h);
    const enum grace_place where = grace_interrupted(h, (uintptr_t)frame, restorer);
    aside_end(h);
    note_libc(t, where);
    if (t->head[SESSION_PAIRS_THREADS] != SESSION_THREADS_UNSAFE && where == GRACE_INSIDE)
        pairs_threads(t, SESSION_THREADS_INSIDE);
}

/* ---- signals ---- */

static uint64_t mask_set(int how, uint64_t set) {
    uint64_t before = 0;
    (void)raw_call6(SYS_rt_sigprocmask, (uint64_t)how, (uintptr_t)&set, (uintptr_t)&before,
                    sizeof set, 0, 0);
    return before;
}

static void on_stop(int number, siginfo_t *info, void *context);

static bool is_ours(const struct sigaction *a) {
    return (a->sa_flags & SA_SIGINFO) != 0 && a->sa_sigaction == on_stop;
}

static const int stops[] = {SIGHUP, SIGINT, SIGPIPE, SIGALRM, SIGTERM};

static bool is_stop(int number) {
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (stops[i] == number)
            return true;
    return false;
}

/* Installs the handler instead of the default action. */
static void stop_watch(int number, struct sigaction *old) {
    struct sigaction act = {.sa_sigaction = on_stop,
                            .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigfillset(&act.sa_mask);
    sigdelset(&act.sa_mask, SIGTRAP);
    __sigaction(number, &act, old);
}

/* Where the signal has found the thread, and handlers below on its stack; the last place in the enum's
 * order. */
static enum grace_place found_at(struct hotprobe *h, const ucontext_t *context) {
    const greg_t *r = context->uc_mcontext.gregs;
    const enum grace_place here = grace_place(h, (uintptr_t)r[REG_RIP]),
                           before = grace_interrupted(h, (uintptr_t)r[REG_RSP], restorer);
    return here > before ? here : before;
}

/* The program would have ended here. */
static void on_stop(int number, siginfo_t *info, void *raw) {
    const int error = errno;
    const uint64_t bit = 1ull << (number - 1);
    struct hotprobe *h = session_now();
    struct pairs *t = counted(h);
    (void)info;
    aside_begin(h);
    __sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    const enum grace_place where = t != NULL ? found_at(h, raw) : GRACE_INSIDE;
    aside_end(h);
    if (where != GRACE_INSIDE) {
        ending_threads();
        note_libc(t, where);
        t->head[SESSION_PAIRS_RAISED] = (uint64_t)number;
    }
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
    mask_set(SIG_UNBLOCK, bit);
    /* The first process of a container survives it. */
    if (t != NULL)
        t->head[SESSION_PAIRS_RAISED] = 0;
    stop_watch(number, NULL);
    errno = error;
}

void ending_watch(void) {
    struct {
        void *handler;
        unsigned long flags;
        uintptr_t restorer;
        uint64_t mask;
    } kernel = {0};
    struct sigaction now;
    stop_watch(SIGURG, &now); /* which has no effect by default */
    if (syscall(SYS_rt_sigaction, SIGURG, NULL, &kernel, sizeof kernel.mask) == 0)
        restorer = kernel.restorer;
    __sigaction(SIGURG, &now, NULL);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (__sigaction(stops[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            stop_watch(stops[i], NULL);
    watching = true;
}

bool ending_has(int number) {
    return watching && is_stop(number);
}

int ending_action(int number, const struct sigaction *act, struct sigaction *old) {
    struct sigaction before;
    const bool fatal = act != NULL && act->sa_handler == SIG_DFL;
    int result = 0;
    if (fatal)
        stop_watch(number, &before);
    else
        result = __sigaction(number, act, &before);
    if (old != NULL && result == 0)
        *old = is_ours(&before) ? (struct sigaction){.sa_handler = SIG_DFL} : before;
    return result;
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
        return __sigaction(number, NULL, &now) == 0 &&
               (is_ours(&now) || ((now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL));
    }
}

struct raised {
    bool noted;
    uint64_t mask; /* as it was */
};

/* Notes that libc is about to raise a signal, if that will end the process. The frame is that of the
 * function which the program has called. */
static struct raised raise_begin(int number, const void *frame) {
    struct raised r = {0};
    struct pairs *t = counted(session_now());
    if (t == NULL || number <= 0 || number > 64 || !is_fatal(number))
        return r;
    const uint64_t bit = 1ull << (number - 1);
    r.mask = mask_set(SIG_BLOCK, ~(bit | TRAP_BIT));
    r.noted = true;
    ending_from(frame);
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

/* libc's own function of that name. */
static void *shadowed(const char *name) {
    struct hotprobe *h = session_now();
    aside_begin(h);
    void *found = dlsym(RTLD_NEXT, name);
    aside_end(h);
    return found;
}

/* The system call itself; sets errno. */
static long kernel(long number, const long *a) {
    const long result = raw_call6(number, (uint64_t)a[0], (uint64_t)a[1], (uint64_t)a[2],
                                  (uint64_t)a[3], (uint64_t)a[4], (uint64_t)a[5]);
    if (result < 0 && result >= -4095) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

EXPORTED __attribute__((noreturn)) void exit(int status) {
    static void (*real)(int);
    if (real == NULL)
        *(void **)&real = shadowed("exit");
    ending_from(__builtin_frame_address(0));
    for (;;)
        real(status);
}

EXPORTED __attribute__((noreturn)) void _exit(int status) {
    ending_from(__builtin_frame_address(0));
    for (;;)
        kernel(SYS_exit_group, (const long[6]){status});
}

EXPORTED __attribute__((noreturn)) void _Exit(int status) {
    _exit(status);
}

/* Another program takes the process over, unless that fails. */
struct left {
    uint64_t threads;
};

static struct left leave_begin(const void *frame) {
    struct pairs *t = counted(session_now());
    struct left l = {0};
    if (t == NULL)
        return l;
    l.threads = t->head[SESSION_PAIRS_THREADS];
    ending_from(frame);
    t->head[SESSION_PAIRS_LEFT] = 1;
    return l;
}

static void leave_end(const struct left *l) {
    struct pairs *t = counted(session_now());
    if (t == NULL)
        return;
    t->head[SESSION_PAIRS_LEFT] = 0;
    pairs_threads(t, l->threads);
}

EXPORTED long syscall(long number, ...) {
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_exit_group)
        ending_from(__builtin_frame_address(0));
    if (number != SYS_execve && number != SYS_execveat)
        return kernel(number, a);
    const struct left l = leave_begin(__builtin_frame_address(0));
    const long result = kernel(number, a);
    leave_end(&l);
    return result;
}

EXPORTED int execve(const char *path, char *const *argv, char *const *env) {
    const struct left l = leave_begin(__builtin_frame_address(0));
    const long result = kernel(SYS_execve, (const long[6]){(long)path, (long)argv, (long)env});
    leave_end(&l);
    return (int)result;
}

EXPORTED int execv(const char *path, char *const *argv) {
    return execve(path, argv, environ);
}

EXPORTED int execvpe(const char *file, char *const *argv, char *const *env) {
    static int (*real)(const char *, char *const *, char *const *);
    if (real == NULL)
        *(void **)&real = shadowed("execvpe");
    const struct left l = leave_begin(__builtin_frame_address(0));
    const int result = real(file, argv, env);
    leave_end(&l);
    return result;
}

EXPORTED int execvp(const char *file, char *const *argv) {
    return execvpe(file, argv, environ);
}

EXPORTED int fexecve(int fd, char *const *argv, char *const *env) {
    static int (*real)(int, char *const *, char *const *);
    if (real == NULL)
        *(void **)&real = shadowed("fexecve");
    const struct left l = leave_begin(__builtin_frame_address(0));
    const int result = real(fd, argv, env);
    leave_end(&l);
    return result;
}

/* Starts the program with the words of a list that ends with NULL; behind that may be its environment. */
static int exec_list(int (*exec)(const char *, char *const *, char *const *), const char *name,
                     const char *first, va_list list, bool has_environment) {
    va_list again;
    size_t n = 2; /* with the first one, and NULL */
    va_copy(again, list);
    while (va_arg(again, const char *) != NULL)
        n++;
    va_end(again);
    char **words = alloca(n * sizeof *words);
    words[0] = (char *)first;
    for (size_t i = 1; i < n; i++)
        words[i] = va_arg(list, char *);
    return exec(name, words, has_environment ? va_arg(list, char *const *) : environ);
}

EXPORTED int execl(const char *path, const char *first, ...) {
    va_list list;
    va_start(list, first);
    const int result = exec_list(execve, path, first, list, false);
    va_end(list);
    return result;
}

EXPORTED int execlp(const char *file, const char *first, ...) {
    va_list list;
    va_start(list, first);
    const int result = exec_list(execvpe, file, first, list, false);
    va_end(list);
    return result;
}

EXPORTED int execle(const char *path, const char *first, ...) {
    va_list list;
    va_start(list, first);
    const int result = exec_list(execve, path, first, list, true);
    va_end(list);
    return result;
}

EXPORTED __attribute__((noreturn)) void abort(void) {
    void (*real)(void);
    *(void **)&real = shadowed("abort");
    (void)raise_begin(SIGABRT, __builtin_frame_address(0));
    for (;;)
        real();
}

EXPORTED __attribute__((noreturn)) void __assert_fail(const char *assertion, const char *file,
                                                      unsigned line, const char *function) {
    void (*real)(const char *, const char *, unsigned, const char *);
    *(void **)&real = shadowed("__assert_fail");
    (void)raise_begin(SIGABRT, __builtin_frame_address(0));
    for (;;)
        real(assertion, file, line, function);
}

EXPORTED __attribute__((noreturn)) void __stack_chk_fail(void) {
    void (*real)(void);
    *(void **)&real = shadowed("__stack_chk_fail");
    (void)raise_begin(SIGABRT, __builtin_frame_address(0));
    for (;;)
        real();
}

EXPORTED int raise(int number) {
    int (*real)(int);
    *(void **)&real = shadowed("raise");
    const struct raised r = raise_begin(number, __builtin_frame_address(0));
    const int result = real(number);
    raise_end(&r);
    return result;
}

EXPORTED int kill(pid_t process, int number) {
    const bool own = process == own_id();
    const struct raised r =
        own ? raise_begin(number, __builtin_frame_address(0)) : (struct raised){0};
    const int result = (int)syscall(SYS_kill, process, number);
    raise_end(&r);
    return result;
}
