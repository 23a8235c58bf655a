/*
 * traces: selecting traces while a program runs, as dynamic optimisers do. Private to core/profile.
 *
 * A trace is a head and the transfers that were taken from there on; between two of them the code
 * runs straight on. Nothing is translated into traces: execution in them is simulated, transfer by
 * transfer, so that it is known what would have been executed in a trace cache.
 *
 * A trace is entered when a transfer is taken to its head, when another trace is left for its head,
 * or when an interrupted context begins there. It is left when a transfer other than the recorded one
 * is taken, when a recorded branch is not taken, or at its end. An open trace ends with its context, by
 * the RTI that resumes another one. A trace that runs on into the head of another one ends there, and
 * enters it. Interrupts do not leave it: each context has its
 * own position, and goes on with it.
 *
 * A technique is a policy, which is called for each transfer outside of traces, and adds traces:
 *
 *     static void arrives(struct traces *t, struct trace_context *c, const struct arrival *a) {
 *         if (arrival_is_backward(a) && traces_count(t, a->to))
 *             ... record from here on, then traces_add()
 *     }
 */
#ifndef HOTGRAPH_PROFILE_TRACES_H
#define HOTGRAPH_PROFILE_TRACES_H

#include "profile/profile.h"
#include "profile/program/program_trace.h"
#include "profile/structure/region.h"

struct trace_step { /* a taken transfer */
    uint32_t from, to;
};

struct trace {
    uint32_t head;
    size_t first, count; /* its steps */
    bool open;           /* goes on after the last step until the context ends, */
    bool runs_on;        /* or until the head of another trace, without a transfer: */
    uint32_t into;
    uint64_t cycle; /* in which it was added */
    uint64_t entered, completed;
    uint64_t inside; /* transfers executed in it, with those that left it */
};

/* Control has come to `to` outside of traces. */
struct arrival {
    uint32_t from, to;
    bool taken;   /* false: a conditional branch was not taken, or no transfer led here */
    bool left;    /* a trace ended or was left by this transfer */
    bool begins;  /* an interrupted context begins here; there is no `from` */
    uint8_t kind; /* enum insn_kind of the instruction at `from` */
};
/* As in Dynamo, calls and returns are transfers like any others. */
static inline bool arrival_is_backward(const struct arrival *a) {
    return a->taken && a->to <= a->from;
}

/* The running context, or a suspended one. */
struct trace_context {
    size_t trace, at;             /* the trace that it executes, or TRACE_NONE, and its next step */
    VEC(struct arrival) arrivals; /* the policy's: what it has recorded */
    uint32_t head;                /* the policy's: of its recording */
    bool recording;
    uint32_t address; /* of a suspended context: where it would resume, and its stack pointer */
    uint8_t s;
};
#define TRACE_NONE SIZE_MAX
enum {
    TRACE_PARAMETERS = 3, /* of a technique at most */
    TRACE_CONTEXTS = 17,  /* a running one and those that may be suspended */
};

struct traces;
struct trace_policy {
    const char *name;
    size_t parameters; /* number of the technique's */
    size_t threshold;  /* index of this parameter's value */
    void (*arrives)(struct traces *t, struct trace_context *c, const struct arrival *a);
    /* Optional: the running context has ended. */
    void (*ends)(struct traces *t, struct trace_context *c);
    /* Optional: the context will not go on at `address`, where it stands. */
    void (*stops)(struct traces *t, struct trace_context *c, uint32_t address);
    /* Optional: memory of its own, zeroed, in traces.own; what prepares
     * it before anything else is called, and what releases that which it holds. */
    size_t own_size;
    void (*set_up)(void *own, const struct traces *t);
    void (*release)(void *own);
    /* Optional: fills *out instead of traces_profile(). */
    enum status (*profile)(struct profile *out, const struct traces *t, const struct structure *s,
                           struct error *e);
};

/* Emulated time: cycles of a machine, executed instructions of a program. */
struct trace_clock {
    uint64_t (*now)(const void *of);
    const void *of;
    uint64_t ticks; /* in a second */
};
enum { TRACE_CYCLES_PER_SECOND = 1789773 };

struct traces {
    struct trace_clock clock;
    struct region_watch watch; /* of a machine */
    const struct trace_policy *policy;
    void *own; /* the policy's */
    int64_t values[TRACE_PARAMETERS];
    VEC(struct trace_site *) sites; /* their addresses do not change */
    struct map site_at;             /* address << 32 | target -> index */
    struct map next_at;             /* address of an instruction -> address after it */
    VEC(struct trace) all;
    struct map trace_at; /* head -> index */
    VEC(struct trace_step) steps;
    struct trace_context contexts[TRACE_CONTEXTS];
    unsigned depth;      /* of the running one */
    bool ending;         /* the running one has ended, and the suspended ones follow */
    struct map counters; /* address -> count */
    uint64_t counted, recorded;
    bool out_of_memory;
};

static inline uint64_t traces_now(const struct traces *t) {
    return t->clock.now(t->clock.of);
}
/* Counts an arrival; true if the counter has reached the threshold. */
bool traces_count(struct traces *t, uint32_t address);
bool traces_has(const struct traces *t, uint32_t head);
/* Appends an arrival to what the context has recorded. */
void traces_record(struct traces *t, struct trace_context *c, const struct arrival *a);
/* Adds the trace of `count` recorded arrivals, unless there is one with this head. */
void traces_add(struct traces *t, uint32_t head, const struct arrival *arrivals, size_t count,
                bool open);
/* The same of one that then runs on into the head of another trace. */
void traces_add_up_to(struct traces *t, uint32_t head, const struct arrival *arrivals, size_t count,
                      uint32_t into);
/* Straight code was executed from `from` to the instruction at `last`. Returns the first instruction
 * after `from` that is the head of a trace; 0: there is none. */
uint32_t traces_head_between(const struct traces *t, uint32_t from, uint32_t last);

/* ---- what follows a program calls these ---- */

/* Out of memory is kept in traces.out_of_memory. */
enum status traces_new(struct traces **out, const struct trace_policy *policy,
                       const struct trace_clock *clock, const int64_t *values, struct error *e);
void traces_free(struct traces *t); /* NULL is fine */
/* The address after an instruction, as it is now. */
void traces_note_next(struct traces *t, uint32_t address, uint32_t after);
/* The site of an instruction, known or new; NULL: out of memory. */
struct trace_site *traces_site(struct traces *t, uint32_t address, uint32_t target, uint8_t kind);
/* The instruction has sent control to `to`. */
void traces_pass(struct trace_site *site, uint32_t to, bool taken);
void traces_context_changes(struct traces *t, const struct thread_event *event);
/* Fills *out, in which costs may stand, with what the policy has found; on failure it is empty. */
enum status traces_result(struct profile *out, const struct traces *t, const struct structure *s,
                          struct error *e);

/* The replay of a technique. */
enum status traces_replay(struct profile *out, const struct program_trace *program,
                          const struct trace_policy *policy, const int64_t *values,
                          struct error *e);
/* The same, with something done to the policy's own memory before anything is followed. */
struct traces_preparation {
    void (*prepare)(void *own, void *user);
    void *user;
};
enum status traces_replay_prepared(struct profile *out, const struct program_trace *program,
                                   const struct trace_policy *policy, const int64_t *values,
                                   const struct traces_preparation *preparation, struct error *e);
/* The attach, finish, abandon and now of a technique. */
enum status traces_attach(void **self, struct nes *nes, const struct trace_policy *policy,
                          const int64_t *values, struct error *e);
enum status traces_finish(void *self, struct profile *out, struct error *e);
void traces_abandon(void *self);
enum status traces_ask(void *self, struct profile *out, struct error *e);
/* Finishes, and leaves the structure to the caller, who frees it in any case. The policy's profile() is
 * given this very structure. */
enum status traces_finish_on(void *self, struct profile *out, struct structure *s, struct error *e);

/* Fills *out with the set of the traces' edges, and their counts. */
enum status traces_profile(struct profile *out, const struct traces *t, const struct structure *s,
                           struct error *e);

/* What an instruction executed: [0] not taken, [1] taken. */
struct trace_site {
    struct traces *traces;
    uint32_t address, target; /* target: 0 if it is not in the instruction */
    uint8_t kind;             /* enum insn_kind */
    uint64_t all[2], inside[2];
};

#endif
