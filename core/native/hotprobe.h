/*
 * hotprobe: probes in running x86-64 programs, inserted and removed while threads run through them.
 *
 * A probe is a counter, a counter with a function that is called when it reaches a threshold, or a
 * function that is called every time, at any instruction of the program's own text. The
 * instruction is overwritten by a jump to a *stub* near it, which does the probe's work, executes
 * the overwritten instructions and jumps back. A hit involves no kernel, signal or other process.
 * After Ootsu, Yokota and Baba, "libdynprof" (2008), and Balboul, "NOProbe" (2020).
 *
 *     struct hotprobe *h = NULL;
 *     struct error err = {0};
 *     struct hotprobe_request r = {.site = (uintptr_t)function, .threshold = 1000, .call = hot};
 *     if (hotprobe_open(&h, NULL, &err) == STATUS_OK &&
 *         hotprobe_insert(h, &r, 1, &err) == STATUS_OK && r.reason == HOTPROBE_DONE) {
 *         work();
 *         printf("%lu\n", (unsigned long)hotprobe_count(h, &r));
 *     }
 *     hotprobe_close(h);
 *
 * Invariants
 *  - The program's results do not change: probes preserve registers, flags, red zone, memory and
 *    return addresses at every instruction. Only its own text is written, through /proc/self/mem;
 *    no page is ever writable and executable at once, and removal restores every byte.
 *  - A site that cannot be probed gets a reason; the rest of the batch goes in.
 *  - A threshold's function is called once, by the thread whose hit is exactly the threshold-th.
 *  - Counts are exact (with per_thread or spread: except for threads started by a direct clone()):
 *    plain increments while the process has one thread, locked ones from its first pthread_create
 *    on (HOTPROBE_ATOMIC: always). Counters are on pages of their own.
 *  - Any thread may call any function here, one at a time inside. Not from signal handlers.
 *
 * Threads that run through a site while it is patched are never stopped: its first byte becomes a
 * trap that leads them to the stub, and so does every inner instruction of the overwritten bytes;
 * then the rest is written, then the first byte. All cores are serialised between the steps
 * (membarrier). The jump's own bytes at inner instructions remain traps (a *constrained* jump), so
 * that a thread that slept there for an hour is still led to the stub. While that can happen the
 * library owns the handler of SIGTRAP. It emulates what the program requests for SIGTRAP through
 * sigaction, signal, sigprocmask and pthread_sigmask.
 *
 * There is one session in a process at a time, because SIGTRAP has one handler.
 */
#ifndef HOTGRAPH_HOTPROBE_H
#define HOTGRAPH_HOTPROBE_H

#include "base/base.h"

/* How a site leads to its stub, in the order of attempts. All but the last are fast. */
enum hotprobe_strategy {
    HOTPROBE_OVER_ONE,     /* a jump over the one instruction at the site */
    HOTPROBE_OVER_SEVERAL, /* a jump over several instructions of its block */
    HOTPROBE_PADDING,      /* a short jump to a long jump in padding */
    HOTPROBE_REACHABLE,    /* the same, in padding that is executed and gets a jump over it */
    HOTPROBE_CONSTRAINED,  /* a jump whose last bytes are the next instruction's first */
    HOTPROBE_TRAP,         /* int3 and a signal; only on request */
    HOTPROBE_STRATEGIES,
};

/* Why a site has no probe. */
enum hotprobe_reason {
    HOTPROBE_DONE,
    HOTPROBE_NOT_CODE,       /* no known instruction starts there */
    HOTPROBE_SHORT,          /* the block ends before there is room, and no padding is in reach */
    HOTPROBE_TARGET_INSIDE,  /* a jump may lead into the overwritten bytes, and nothing else fits */
    HOTPROBE_CALL_INSIDE,    /* a call would return between the bytes */
    HOTPROBE_UNPROVEN_JUMPS, /* an indirect jump in the function whose targets are not all known */
    HOTPROBE_TWO_READINGS,   /* inside another instruction */
    HOTPROBE_OVERLAPS,       /* the bytes belong to another probe */
    HOTPROBE_CANNOT_MOVE,    /* an instruction that cannot be relocated */
    HOTPROBE_TOO_FAR,        /* no free memory that its operands or the jump can reach */
    HOTPROBE_SWITCHED_OFF,   /* needs a strategy that is switched off */
    HOTPROBE_GONE,           /* the text was unloaded, or changed by others */
    HOTPROBE_NO_MEMORY,
    HOTPROBE_MAPPINGS, /* it needs one more mapping, but the process has three quarters of
                          vm.max_map_count */
    HOTPROBE_REASONS,
};

const char *hotprobe_strategy_name(enum hotprobe_strategy s); /* "over-one", ... */
const char *hotprobe_reason_text(enum hotprobe_reason r);

enum hotprobe_assignment { HOTPROBE_LOCAL, HOTPROBE_GREEDY, HOTPROBE_EXACT };

struct hotprobe_options {
    unsigned without;    /* strategies switched off, as bits; HOTPROBE_TRAP is off without `trap` */
    bool trap;           /* allow int3 as the last resort */
    bool unproven;       /* allow windows in functions with unproven indirect jumps */
    bool libraries;      /* probe shared objects, too */
    bool without_loader; /* with libraries: but not the loader, which the library itself needs */
    enum hotprobe_assignment assign; /* of padding to probes */
    bool at_start;                   /* probes are only inserted while there is one thread, and
                             hotprobe_close() removes all at once; then all signals, even
                             SIGTRAP, are left alone */
    const char *counters;            /* file that holds the counters (shared); NULL: memory */
    bool per_thread; /* each thread has its own counters, for probes without threshold and flags;
                        open the session while there is one thread */
    bool spread;     /* with at_start: each thread has its own counters, as above but not in libc,
                    once there is a second thread; one thread alone needs none */
    size_t
        late; /* libraries with this many bytes of text or more are late; 0: none. Only for graphs */
    const char *thread_counters; /* file for them: blocks of HOTPROBE_THREAD_SLOTS words */
};

/* Probes beyond this number use shared counters, even with per_thread. */
enum { HOTPROBE_THREAD_SLOTS = 1 << 18 };

enum hotprobe_flags {
    HOTPROBE_ATOMIC = 1, /* locked increments from the start */
    HOTPROBE_EVERY = 2,  /* call `call` at every execution; no counter */
    HOTPROBE_FALL = 4,   /* at a conditional branch: count only when it is not taken */
    HOTPROBE_TAKEN = 64, /* at a conditional branch of 6 bytes: count only when it is taken. If its
                            window has no other probe, the branch leads to the counter directly, so it
                            costs nothing when it is not taken */
    HOTPROBE_PAIRS =
        8, /* at an indirect jump or call, or a return: count each target by itself, for
                            one thread; `data` is the site's number, `call` is ignored; see
                            hit/pairs.h. Only in a session with pairs_open() */
    HOTPROBE_COVER =
        16, /* count nothing, but execute the instruction in a stub: what it leads to by
                            itself is then reached without another jump or trap in the text */
    HOTPROBE_SLOT =
        32, /* at a linkage stub's jump through a slot: the counter is the address that it
                            led to last. Changes %r11, as such stubs may */
};

/* The argument of a called function. Registers are the program's at the site, in the order of the
 * encoding (rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 ...); read-only. */
struct hotprobe_hit {
    uintptr_t site;
    uint64_t count; /* the threshold; 0 for HOTPROBE_EVERY */
    const uint64_t *registers;
    void *data;
};

struct hotprobe_request {
    uintptr_t site;     /* an instruction's address */
    uint64_t threshold; /* 0: none */
    void (*call)(const struct hotprobe_hit *hit);
    void *data;
    unsigned flags;

    /* out */
    enum hotprobe_reason reason;
    enum hotprobe_strategy strategy;
    bool unproven;    /* in a function with unproven indirect jumps */
    uint64_t counter; /* byte offset in the counters' file; 0: none */
    uint64_t own;     /* byte offset in each block of the threads' file; 0: none. The count is
                         the sum of the counter and this slot of all blocks */
    struct hotprobe_probe *probe;
};

struct hotprobe;

/* Finds the program's code. */
enum status hotprobe_open(struct hotprobe **out, const struct hotprobe_options *options,
                          struct error *e);
/* Removes every probe; unmaps all memory that no thread can still execute. */
void hotprobe_close(struct hotprobe *h);

/* Inserts n probes, live in all threads on return. Sets each request's reason; the status is an
 * error only if nothing could be tried. A removed probe of the same kind at a site is reused, with
 * its counter 0. A site at an endbr64 is probed after it. */
enum status hotprobe_insert(struct hotprobe *h, struct hotprobe_request *requests, size_t n,
                            struct error *e);
/* Removes n probes (skips requests that were not done). Hits in progress may still be counted;
 * after the return no thread enters the probes. */
enum status hotprobe_remove(struct hotprobe *h, const struct hotprobe_request *requests, size_t n,
                            struct error *e);
/* Executions since insertion; also valid after removal, until the site is probed again. */
uint64_t hotprobe_count(const struct hotprobe *h, const struct hotprobe_request *request);
/* Frees stubs of removed probes once every thread was seen outside of them. Returns the number of
 * bytes still to free. */
size_t hotprobe_reclaim(struct hotprobe *h);

/* ---- sites ---- */

struct hotprobe_function {
    const char *object; /* path of the file */
    const char *name;   /* NULL: no symbol */
    uintptr_t start, end;
    uintptr_t base; /* the object's load address: start - base is the file's address */
    bool plt;       /* a linkage stub */
};
/* Functions sorted by address within an object, the program first. Valid until close. */
size_t hotprobe_functions(const struct hotprobe *h, const struct hotprobe_function **out);

enum hotprobe_kind { HOTPROBE_ENTRIES, HOTPROBE_BLOCKS, HOTPROBE_INSTRUCTIONS };
/* The site after `after` (0: the first) in function f; 0: none left. */
uintptr_t hotprobe_next_site(const struct hotprobe *h, const struct hotprobe_function *f,
                             enum hotprobe_kind kind, uintptr_t after);

/* ---- assignment of padding to probes ---- */

struct hotprobe_slot_problem {
    size_t sites, slots;
    const uintptr_t
        *site; /* sorted; slot j is in site i's reach if slot - (site + 2) fits a byte */
    const uint32_t *group; /* per site: its function, non-decreasing */
    const uintptr_t *slot; /* sorted */
    int32_t *chosen;       /* out, per site: index of its slot, or -1 */
};
/* Sets `chosen` and *served, the number of sites with a slot. Exact: the maximum, by augmenting
 * paths; local: a maximum for each function in order of address; greedy: the nearest free slot. */
enum status hotprobe_assign(const struct hotprobe_slot_problem *problem,
                            enum hotprobe_assignment how, size_t *served);

#endif
