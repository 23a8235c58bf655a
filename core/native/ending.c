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

/* The program would have ended here. */
static void on_stop(int number, siginfo_t *info, void *raw) {
    const ucontext_t *context = raw;
    const int error = errno;
    const uint64_t bit = 1ull << (number - 1);
    struct hotprobe *h = session_now();
    struct pairs *t = counted(h);
    (void)info;
    aside_begin(h);
    __sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    const enum grace_place here =
                               t != NULL
                                   ? grace_place(h, (uintptr_t)context->uc_mcontext.gregs[REG_RIP])
                                   : GRACE_INSIDE,
                           before = t != NULL
                                        ? grace_interrupted(
                                              h, (uintptr_t)context->uc_mcontext.gregs[REG_RSP],
                                              restorer)
                                        : GRACE_INSIDE;
    aside_end(h);
    if (here != GRACE_INSIDE && before != GRACE_INSIDE) {
        ending_threads();
        note_libc(t, here > before ? here : before);
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

/* The system call itself; sets errno. */
static long kernel(long number, const long *a) {
    register long r10 __asm__("r10") = a[3];
    register long r8 __asm__("r8") = a[4];
    register long r9 __asm__("r9") = a[5];
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    if (result < 0 && result >= -4095) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

EXPORTED __attribute__((noreturn)) void exit(int status) {
    static void (*real)(int);
    aside_begin(session_now());
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "exit");
    aside_end(session_now());
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
        *(void **)&real = dlsym(RTLD_NEXT, "execvpe");
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
        *(void **)&real = dlsym(RTLD_NEXT, "fexecve");
    const struct left l = leave_begin(__builtin_frame_address(0));
    const int result = real(fd, argv, env);
    leave_end(&l);
    return result;
}

/* The words of a list that ends with NULL; the caller has room for so many. */
static size_t words_count(va_list *list) {
    size_t n = 1;
    while (va_arg(*list, const char *) != NULL)
        n++;
    return n;
}

static void words_take(char **words, const char *first, va_list *list) {
    *words = (char *)first;
    while (*words != NULL)
        *++words = va_arg(*list, char *);
}

EXPORTED int execl(const char *path, const char *first, ...) {
    va_list list, again;
    va_start(list, first);
    va_copy(again, list);
    char **words = alloca((words_count(&list) + 1) * sizeof *words);
    words_take(words, first, &again);
    va_end(again);
    va_end(list);
    return execve(path, words, environ);
}

EXPORTED int execlp(const char *file, const char *first, ...) {
    va_list list, again;
    va_start(list, first);
    va_copy(again, list);
    char **words = alloca((words_count(&list) + 1) * sizeof *words);
    words_take(words, first, &again);
    va_end(again);
    va_end(list);
    return execvpe(file, words, environ);
}

EXPORTED int execle(const char *path, const char *first, ...) {
    va_list list, again;
    va_start(list, first);
    va_copy(again, list);
    char **words = alloca((words_count(&list) + 1) * sizeof *words);
    words_take(words, first, &again);
    char *const *env = va_arg(again, char *const *);
    va_end(again);
    va_end(list);
    return execve(path, words, env);
}

EXPORTED __attribute__((noreturn)) void abort(void) {
    void (*real)(void);
    *(void **)&real = dlsym(RTLD_NEXT, "abort");
    (void)raise_begin(SIGABRT, __builtin_frame_address(0));
    for (;;)
        real();
}

EXPORTED __attribute__((noreturn)) void __assert_fail(const char *assertion, const char *file,
                                                      unsigned line, const char *function) {
    void (*real)(const char *, const char *, unsigned, const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "__assert_fail");
    (void)raise_begin(SIGABRT, __builtin_frame_address(0));
    for (;;)
        real(assertion, file, line, function);
}

EXPORTED __attribute__((noreturn)) void __stack_chk_fail(void) {
    void (*real)(void);
    *(void **)&real = dlsym(RTLD_NEXT, "__stack_chk_fail");
    (void)raise_begin(SIGABRT, __builtin_frame_address(0));
    for (;;)
        real();
}

EXPORTED int raise(int number) {
    int (*real)(int);
    *(void **)&real = dlsym(RTLD_NEXT, "raise");
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
