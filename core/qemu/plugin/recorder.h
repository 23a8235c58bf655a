/*
 * recorder: what the plugin counts while the guest runs. Private to the plugin.
 *
 * The unit is QEMU's translation block, whose instructions run in sequence. Blocks are interned by
 * their instructions, so that a block that is translated again keeps its counters. One call for
 * each execution of a block counts the block and the arc from the previous one, and advances the
 * clock; samples are taken when the clock reaches them.
 *
 * A thread here is a context: each guest thread, and each run of a signal handler. A handler's
 * context begins at an address that was given to rt_sigaction and ends with rt_sigreturn.
 */
#ifndef HOTGRAPH_QEMU_RECORDER_H
#define HOTGRAPH_QEMU_RECORDER_H

#include <signal.h>

#include "base/base.h"
#include "qemu/recording.h"
#include "qemu/target.h"

struct arc {
    struct block *from, *to;
    uint64_t count;
    bool transfer;
    bool odd; /* leaves a block midway: its last instruction is plain, and `to` does not follow */
};

/* What an execution reads and writes lies in one line of the cache: it would mostly wait for
 * others. */
struct block {
    _Alignas(64) struct block *to[2]; /* where the arcs in `recent` lead */
    struct arc *recent[2]; /* the last two arcs out of it that were looked up; at first none */
    uint32_t count, id;
    bool handler;    /* a signal handler begins here */
    bool repeats;    /* its one instruction runs again for each iteration */
    uint32_t *insns; /* indexes */
    uint64_t starts; /* executions that no arc counts: a thread began with it */
    uint64_t vaddr;  /* the guest's address at its last translation */
};

enum {
    SUSPENDED_MOST = 16,
    RECORDER_KNOWN_BITS = 12,
    RECORDER_KNOWN_ARCS = 1 << RECORDER_KNOWN_BITS
};

struct cpu {
    struct block *before; /* the previous block of this thread; NULL at its start and when it was
                             resumed */
    struct block *suspended[SUSPENDED_MOST];
    unsigned depth;
    bool resumes; /* rt_sigreturn: the next block is the suspended thread's */
};

struct setting { /* a sampling configuration */
    enum recording_by by;
    uint64_t every;
    uint32_t length; /* instructions per batch; transfers: 2; stacks: entries */
    uint64_t due;    /* number of the instruction, transfer or taken branch at which the next batch
                        begins, or the stack is read */
    uint64_t stratum, random;
    uint32_t left; /* instructions to the end of the current batch */
    VEC(uint32_t) samples;
};

struct tracer;
struct recorder {
    const struct target *target;
    struct recording_header totals;
    struct error error; /* the first one; counting stops with it */
    VEC(struct recording_insn) insns;
    struct map insn_at; /* hash -> index */
    VEC(struct block *) blocks;
    struct map block_at; /* hash -> index */
    VEC(struct arc *) arcs;
    struct map arc_at;                           /* from << 32 | to -> index */
    struct arc *known_arcs[RECORDER_KNOWN_ARCS]; /* by recorder_known_arc(); some of them */
    VEC(uint32_t) starts;
    VEC(uint64_t) handlers; /* the guest's addresses */
    struct setting settings[RECORDING_SETTINGS];
    unsigned setting_count;
    /* The thread, as long as there is one alone. With several it is `nobody`, who has no block
     * before: each execution takes the slow path then, which takes the lock. */
    struct cpu *only, nobody;
    uint64_t clock;     /* instructions executed */
    uint64_t transfers; /* control transfers executed; only if they are sampled */
    bool samples_transfers;
    uint64_t sample_clock; /* the clock at which the next sample is taken; at most the limit */
    uint64_t sample_transfer;
    /* The last blocks of the context, for stacks of taken branches; NULL unless they are sampled.
     * Block number i, from `trail_start` to before `trail_end`, is trail[i % TRAIL]. */
    struct block **trail;
    uint64_t trail_start, trail_end;
    uint64_t taken; /* branches; only if stacks are sampled */
    uint64_t sample_taken;
    struct tracer
        *tracer; /* program_tracer.h: writes the trace of the only thread; NULL: none is wanted */
    uint64_t limit;             /* no block may take the clock beyond it */
    volatile sig_atomic_t stop; /* end the program before its next block */
    struct map same_block;      /* id in the recorder that this one is beside -> 1 + id here */
};

void recorder_start(struct recorder *r, const struct target *target);

/* The index of an instruction, known or new; UINT32_MAX after an error. */
uint32_t recorder_insn(struct recorder *r, struct recording_insn insn);
/* The block of these instructions, known or new; NULL after an error. */
struct block *recorder_block(struct recorder *r, const uint32_t *insns, uint32_t count,
                             bool repeats, uint64_t vaddr);
/* Declares that a signal handler begins at this address of the guest. */
void recorder_handler(struct recorder *r, uint64_t vaddr);
/* Counts an execution of the block. False: end the program before it (limit, stop). */
bool recorder_run(struct recorder *r, struct cpu *cpu, struct block *block);
/* Appends a block to the trail, and reads the stacks that are due after so many taken branches. For
 * recorder_run_quickly(); recorder_run() calls it itself. */
void recorder_remember(struct recorder *r, struct block *block);
/* Where an arc is among the known ones. Interpreters jump from one block to many. */
static inline struct arc **recorder_known_arc(struct recorder *r, const struct block *from,
                                              const struct block *to) {
    const uint32_t hash = (from->id * UINT32_C(0x9e3779b1)) ^ (to->id * UINT32_C(0x85ebca6b));
    return &r->known_arcs[hash >> (32 - RECORDER_KNOWN_BITS)];
}
/* The same for the most frequent case: a recent or known arc of the only thread's previous block,
 * and no sample is due. Signals and repeated instructions have no such arc. False: nothing was done,
 * recorder_run() must do it. `transfers` are counted if they are sampled. */
static inline bool recorder_run_quickly(struct recorder *r, struct block *b, bool transfers) {
    struct cpu *const c = r->only;
    struct block *const from = c->before;
    if (from == NULL)
        return false;
    const unsigned k = from->to[1] == b;
    const uint64_t clock = r->clock + b->count;
    if (clock > r->sample_clock || (transfers && r->transfers == r->sample_transfer))
        return false;
    struct arc *arc = from->recent[k];
    if (from->to[k] != b) {
        arc = *recorder_known_arc(r, from, b);
        if (arc == NULL || arc->from != from || arc->to != b || b->handler)
            return false;
    }
    arc->count++;
    if (transfers)
        r->transfers += arc->transfer;
    r->clock = clock;
    c->before = b;
    return true;
}
/* Limits the number of executed instructions, rounded down to whole blocks. */
void recorder_limit(struct recorder *r, uint64_t instructions);
/* Asks the recorder to stop. Called from a signal handler, which may interrupt code that overwrites
 * the request, so the caller repeats it until the recorder has stopped. */
static inline void recorder_stop(struct recorder *r) {
    r->stop = 1;
    r->sample_clock = 0;
}
/* Removes the limit, in a process that is not recorded. */
void recorder_release(struct recorder *r);
/* The next block is that of the thread that a signal suspended. */
void recorder_resume(struct cpu *cpu);
/* Adds a setting; batches: every is at least length. False: out of memory. */
bool recorder_sample(struct recorder *r, enum recording_by by, uint64_t every, uint32_t length,
                     uint64_t seed);
/* Begins anew, in a process that was forked: known code stays, nothing was executed. */
void recorder_begin(struct recorder *r);
/* A recorder of another thread, with the same settings; NULL: out of memory. It has blocks of its
 * own: recorder_same_block() finds the one that is equal to a block of `from`; NULL after an error. */
struct recorder *recorder_beside(const struct recorder *r);
struct block *recorder_same_block(struct recorder *r, const struct recorder *from,
                                  const struct block *b);
void recorder_free(struct recorder *r); /* one that recorder_beside() made */

struct recording_outcome {
    enum recording_end end;
    int number; /* of RECORDING_SIGNAL */
};
/* Writes the recording, with these images, at the descriptor's position. False, with errno: it
 * failed. */
bool recorder_write(const struct recorder *r, const struct recording_image *images, size_t count,
                    struct recording_outcome end, int descriptor);

#endif
