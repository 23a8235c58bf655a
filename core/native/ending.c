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
 * Nothing here calls libc but in the program's stead: its code may be counted, and other threads count
 * meanwhile.
 *
 * Without a session, and in the child of a vfork, they only call libc's.
 */
#include "native/ending.h"
#include "native/edges/edge_late.h"
#include "native/hit/shadows.h"
#include "native/hit/signals.h"
#include "native/hit/tasks.h"
#include "native/patch/grace.h"
#include "native/raw.h"
#include "native/session_state.h"

#include <alloca.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

int __sigaction(int number, const struct sigaction *act, struct sigaction *old);
void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function);
void __stack_chk_fail(void);

static pid_t own_id(void) {
    return (pid_t)raw_call3(SYS_getpid, 0, 0, 0);
}

static uintptr_t thread_pointer(void) {
    uintptr_t here;
    __asm__("mov %%fs:0, %0" : "=r"(here));
    return here;
}

/* How far errno is from there, in each thread; 0: not known. */
static intptr_t own_errno_at;

/* errno without libc, which has a function for its address. */
static int *own_errno(void) {
    return own_errno_at != 0 ? (int *)(thread_pointer() + (uintptr_t)own_errno_at) : &errno;
}

/* The graph's cells; NULL: none are counted for this process. */
static struct pairs *counted(struct hotprobe *h) {
    return h != NULL && h->pairs.head != NULL && h->pairs.process == own_id() ? &h->pairs : NULL;
}

static bool watching; /* for signals that stop the program */

/* What the kernel makes a handler return to, which marks its frame on the stack; 0: not known. */
static uintptr_t restorer;

/* If the process ends there, libc's code is not left. */
static void note_libc(struct pairs *t, enum grace_place where) {
    if (where == GRACE_IN_LIBC)
        t->head[SESSION_PAIRS_LIBC] = SESSION_LIBC_OPEN;
}

void ending_threads(void) {
    enum { TURNS = 50, NS = 1000 * 1000 };
    struct hotprobe *h = session_now();
    struct pairs *t = counted(h);
    if (t == NULL || t->head[SESSION_PAIRS_THREADS] == SESSION_THREADS_ONE ||
        t->head[SESSION_PAIRS_THREADS] >= SESSION_THREADS_INSIDE)
        return;
    enum grace_place where = GRACE_INSIDE;
    uint64_t mask;
    for (int turn = 0; turn < TURNS && where != GRACE_OUTSIDE; turn++) {
        if (turn > 0)
            task_pause(NS);
        late_hold(&mask);
        where = grace_others(h);
        late_go_on(&mask);
    }
    note_libc(t, where);
    pairs_threads(t, where != GRACE_INSIDE ? SESSION_THREADS_WAIT : SESSION_THREADS_RUN);
}

/* Of signals' handlers on the stack: the program's, and the library's, which may have called one of the
 * program. */
static enum grace_place interrupted(const struct hotprobe *h, uintptr_t sp) {
    uint64_t mask;
    late_hold(&mask);
    const enum grace_place theirs = grace_interrupted(h, sp, restorer),
                           ours = grace_interrupted(h, sp, signals_restorer());
    late_go_on(&mask);
    return theirs > ours ? theirs : ours;
}

/* As ending_threads(), from a function that the program has called, whose frame this is. */
static void ending_from(const void *frame) {
    struct hotprobe *h = session_now();
    struct pairs *t = counted(h);
    if (t == NULL)
        return;
    ending_threads();
    const enum grace_place where = interrupted(h, (uintptr_t)frame);
    note_libc(t, where);
    if (t->head[SESSION_PAIRS_THREADS] != SESSION_THREADS_UNSAFE && where == GRACE_INSIDE)
        pairs_threads(t, SESSION_THREADS_INSIDE);
}

/* ---- signals ---- */

static void on_stop(int number, siginfo_t *info, void *context);

static bool is_default(int number) {
    struct disposition now;
    if (signals_ours && signal_owned(number))
        return signal_is_default(number);
    return disposition_set(number, NULL, &now) == 0 &&
           (now.handler == on_stop || (void *)now.handler == (void *)SIG_DFL);
}

static const int stops[] = {SIGHUP, SIGINT, SIGPIPE, SIGALRM, SIGTERM};

static bool is_stop(int number) {
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (stops[i] == number)
            return true;
    return false;
}

enum { STOP_FLAGS = SA_SIGINFO | SA_ONSTACK | SA_RESTART };

/* Installs the handler instead of the default action. */
static void stop_watch(int number) {
    (void)disposition_set(number,
                          &(struct disposition){.handler = on_stop,
                                                .flags = STOP_FLAGS | DISPOSITION_RESTORER,
                                                .restorer = (void (*)(void))restorer,
                                                .mask = ~signals_kept},
                          NULL);
}

/* Where the signal has found the thread, and handlers below on its stack; the last place in the enum's
 * order. */
static enum grace_place found_at(struct hotprobe *h, const ucontext_t *context) {
    const greg_t *r = context->uc_mcontext.gregs;
    uint64_t mask;
    late_hold(&mask);
    const enum grace_place here = grace_place(h, (uintptr_t)r[REG_RIP]);
    late_go_on(&mask);
    const enum grace_place before = interrupted(h, (uintptr_t)r[REG_RSP]);
    return here > before ? here : before;
}

/* The program would have ended here. */
static void on_stop(int number, siginfo_t *info, void *raw) {
    const uint64_t bit = 1ull << (number - 1);
    struct hotprobe *h = session_now();
    struct pairs *t = counted(h);
    (void)info;
    (void)disposition_set(number, &(struct disposition){0}, NULL);
    const enum grace_place where = t != NULL ? found_at(h, raw) : GRACE_INSIDE;
    if (where != GRACE_INSIDE) {
        ending_threads();
        note_libc(t, where);
        t->head[SESSION_PAIRS_RAISED] = (uint64_t)number;
    }
    (void)raw_call3(SYS_tgkill, (uint64_t)own_id(), (uint64_t)raw_call3(SYS_gettid, 0, 0, 0),
                    (uint64_t)number);
    (void)mask_set(SIG_UNBLOCK, &bit, NULL);
    /* The first process of a container survives it. */
    if (t != NULL)
        t->head[SESSION_PAIRS_RAISED] = 0;
    stop_watch(number);
}

void ending_watch(void) {
    struct disposition kernel = {0};
    struct sigaction now, any = {.sa_sigaction = on_stop, .sa_flags = STOP_FLAGS};
    own_errno_at = (intptr_t)&errno - (intptr_t)thread_pointer();
    __sigaction(SIGURG, &any, &now); /* which has no effect by default */
    if (disposition_set(SIGURG, NULL, &kernel) == 0)
        restorer = (uintptr_t)kernel.restorer;
    __sigaction(SIGURG, &now, NULL);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (__sigaction(stops[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            stop_watch(stops[i]);
    watching = true;
}

bool ending_has(int number) {
    return watching && is_stop(number);
}

/* Calls libc as the program does. */
int ending_action(int number, const struct sigaction *act, struct sigaction *old) {
    struct sigaction before;
    const bool fatal = act != NULL && act->sa_handler == SIG_DFL;
    const int result = __sigaction(number, act, &before);
    if (fatal && result == 0)
        stop_watch(number);
    if (old != NULL && result == 0) {
        *old = before;
        if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction == on_stop) {
            raw_clear(old, sizeof *old);
            old->sa_handler = SIG_DFL;
        }
    }
    return result;
}

/* Does the signal end the process? */
static bool is_fatal(int number) {
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
        return is_default(number);
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
    const uint64_t others = ~(bit | signals_kept);
    (void)mask_set(SIG_BLOCK, &others, &r.mask);
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
    (void)mask_set(SIG_SETMASK, &r->mask, NULL);
}

/* ---- what is shadowed ---- */

/* The system call itself; sets errno. */
static long kernel(long number, const long *a) {
    const long result = raw_call6(number, (uint64_t)a[0], (uint64_t)a[1], (uint64_t)a[2],
                                  (uint64_t)a[3], (uint64_t)a[4], (uint64_t)a[5]);
    if (result < 0 && result >= -4095) {
        *own_errno() = (int)-result;
        return -1;
    }
    return result;
}

EXPORTED __attribute__((noreturn)) void exit(int status) {
    void (*real)(int);
    *(void **)&real = shadow_real(SHADOW_EXIT);
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
    int (*real)(const char *, char *const *, char *const *);
    *(void **)&real = shadow_real(SHADOW_EXECVPE);
    const struct left l = leave_begin(__builtin_frame_address(0));
    const int result = real(file, argv, env);
    leave_end(&l);
    return result;
}

EXPORTED int execvp(const char *file, char *const *argv) {
    return execvpe(file, argv, environ);
}

EXPORTED int fexecve(int fd, char *const *argv, char *const *env) {
    int (*real)(int, char *const *, char *const *);
    *(void **)&real = shadow_real(SHADOW_FEXECVE);
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
    *(void **)&real = shadow_real(SHADOW_ABORT);
    (void)raise_begin(SIGABRT, __builtin_frame_address(0));
    for (;;)
        real();
}

EXPORTED __attribute__((noreturn)) void __assert_fail(const char *assertion, const char *file,
                                                      unsigned line, const char *function) {
    void (*real)(const char *, const char *, unsigned, const char *);
    *(void **)&real = shadow_real(SHADOW_ASSERT_FAIL);
    (void)raise_begin(SIGABRT, __builtin_frame_address(0));
    for (;;)
        real(assertion, file, line, function);
}

EXPORTED __attribute__((noreturn)) void __stack_chk_fail(void) {
    void (*real)(void);
    *(void **)&real = shadow_real(SHADOW_STACK_CHK_FAIL);
    (void)raise_begin(SIGABRT, __builtin_frame_address(0));
    for (;;)
        real();
}

EXPORTED int raise(int number) {
    int (*real)(int);
    *(void **)&real = shadow_real(SHADOW_RAISE);
    const struct raised r = raise_begin(number, __builtin_frame_address(0));
    const int result = real(number);
    raise_end(&r);
    return result;
}

EXPORTED int kill(pid_t process, int number) {
    const bool own = process == own_id();
    const struct raised r =
        own ? raise_begin(number, __builtin_frame_address(0)) : (struct raised){0};
    const int result = (int)kernel(SYS_kill, (const long[6]){process, number});
    raise_end(&r);
    return result;
}
