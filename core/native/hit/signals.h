/* What interpose.c shows the program of its signals. */
#ifndef HOTGRAPH_NATIVE_SIGNALS_H
#define HOTGRAPH_NATIVE_SIGNALS_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#define TRAP_BIT (1ull << (SIGTRAP - 1))

/* What the program believes about SIGTRAP in this thread; it is never blocked in truth. */
struct thread_signals {
    bool trap_blocked, trap_pending;
};
extern _Thread_local struct thread_signals thread_signals
    __attribute__((tls_model("initial-exec")));
/* SIGTRAP is ours, and what the program says of it is kept by the two functions below. */
extern atomic_bool signals_ours;

void trap_action(const struct sigaction *act, struct sigaction *old);
/* As pthread_sigmask. */
int signal_mask(int how, const sigset_t *set, sigset_t *old);

struct hotprobe;
/* The session of the process; NULL: none. */
struct hotprobe *session_now(void);
/* The process is about to have more than one thread. */
void session_threads(struct hotprobe *h);

/* ---- counters.c: counters for each thread ---- */

/* Is each thread to get counters of its own? Then whoever starts one stops other births, starts it
 * with a function that calls thread_born first, and waits. What is on the new thread's side has to
 * be copied before that call: the struct is the parent's. */
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
