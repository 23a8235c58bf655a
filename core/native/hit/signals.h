/* What interpose.c shows the program of its signals. */
#ifndef HOTGRAPH_NATIVE_SIGNALS_H
#define HOTGRAPH_NATIVE_SIGNALS_H

#include "native/raw.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#define TRAP_BIT (1ull << (SIGTRAP - 1))

/* The kernel's struct sigaction, and what its system call does. */
enum { DISPOSITION_RESTORER = 0x04000000 };
struct disposition {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};
static inline long disposition_set(int number, const struct disposition *to,
                                   struct disposition *old) {
    return raw_call6(SYS_rt_sigaction, (uint64_t)number, (uintptr_t)to, (uintptr_t)old,
                     sizeof(uint64_t), 0, 0);
}

/* Of this thread, as rt_sigprocmask: 0, or an error's number, negative. It does not call libc. */
static inline long mask_set(int how, const uint64_t *set, uint64_t *old) {
    return raw_call6(SYS_rt_sigprocmask, (uint64_t)how, (uintptr_t)set, (uintptr_t)old, sizeof *set,
                     0, 0);
}

/* The state of the library's signals in this thread as the program sees it, a bit each; they are never
 * really blocked. */
struct thread_signals {
    uint64_t blocked, pending;
};
extern _Thread_local struct thread_signals thread_signals
    __attribute__((tls_model("initial-exec")));
/* The library owns SIGTRAP, and with late code SIGSEGV; the functions below keep the program's requests for
 * them. */
extern atomic_bool signals_ours;
extern uint64_t signals_kept; /* their bits */

bool signal_owned(int number);
/* Of such a signal: has the program left it at the default action? */
bool signal_is_default(int number);
void signal_action(int number, const struct sigaction *act, struct sigaction *old);
/* What the library's own handlers return to. */
uintptr_t signals_restorer(void);
/* As pthread_sigmask. */
int signal_mask(int how, const sigset_t *set, sigset_t *old);

struct hotprobe;
/* The session of the process; NULL: none. */
struct hotprobe *session_now(void);
/* Call before the process gets its second thread. */
void session_threads(struct hotprobe *h);

/* ---- counters.c: counters for each thread ---- */

/* With counters for each thread, the starter of a thread stops other births, starts it with a
 * function that first calls thread_born(), and waits. The new thread copies its fields before that
 * call, because the struct is on its parent's stack. */
struct birth {
    union {
        void *(*pthread)(void *);
        int (*c11)(void *);
    } start;
    void *argument;
    atomic_int born;
};
bool births_watched(void);
void births_stop(bool stop);
void birth_wait(struct birth *b);
void thread_born(struct birth *b);

#endif
