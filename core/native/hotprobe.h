/*
 * hotprobe: probes in running x86-64 programs, put in and taken out while threads run through them.
 *
 * A probe is a counter, a counter with a function that is called when it reaches a threshold, or a
 * function that is called every time, at any instruction of the program's own text. The
 * instruction is overwritten by a jump to a *stub* near it, which does the probe's work, executes
 * what was overwritten and jumps back; no kernel, no signal and no other process is in the way.
 * After Ootsu, Yokota and Baba, "libdynprof" (2008), and Balboul, "NOProbe" (2020).
 *
 *     struct hotprobe *h = NULL;
 *     struct error err = {0};
 *     struct hotprobe_request r = {.site = (uintptr_t)function, .threshold = 1000, .call = hot};
 *     if (hotprobe_open(&h, NULL, &err) == STATUS_OK && hotprobe_insert(h, &r, 1, &err) ==
 * STATUS_OK
 *         && r.reason == HOTPROBE_DONE)
 *         work(), printf("%lu\n", (unsigned long)hotprobe_count(h, &r));
 *     hotprobe_close(h);
 *
 * What holds
 *  - The program computes what it computed: registers, flags, red zone, memory and return addresses
 *    at every instruction of its own are what they were. Only its own text is written, through
 *    /proc/self/mem; no page is ever writable and executable at once, and removal leaves every byte
 *    as it was.
 *  - A site that cannot be probed gets a reason; the rest of the batch goes in.
 *  - A threshold's function is called once, by the thread whose hit is exactly the threshold-th.
 *  - Counts are exact (with per_thread: but for threads that are started by the bare clone()):
 * plain increments while the process has one thread, locked ones from its first pthread_create on
 * (HOTPROBE_ATOMIC: always). Counters are on pages of their own.
 *  - Any thread may call any function here, one at a time inside. Not from signal handlers.
 *
 * Threads that run through a site while it is patched are never stopped: its first byte becomes a
 * trap that leads them out of line, and so does every inner instruction of the overwritten bytes;
 * then the rest is written, then the first byte; all cores are serialised between the steps
 * (membarrier). The jump's own bytes at inner instructions stay traps (a *constrained* jump), so
 * that a thread that slept there for an hour is still led out. While that can happen the library
 * has SIGTRAP's handler, and shows the program the one that it set; what it asks of SIGTRAP through
 * sigaction, signal, sigprocmask and pthread_sigmask is kept and honoured.
 *
 * There is one session in a process at a time, because SIGTRAP has one handler.
 */
#ifndef HOTGRAPH_HOTPROBE_H
#define HOTGRAPH_HOTPROBE_H

#include "base/base.h"

/* How a probe is reached; also the order in which they are tried. All but the last are fast. */
enum hotprobe_strategy {
    HOTPROBE_OVER_ONE,     /* a jump over the one instruction at the site */
    HOTPROBE_OVER_SEVERAL, /* a jump over several instructions of its block */
    HOTPROBE_PADDING,      /* a short jump to padding, and from there on */
    HOTPROBE_REACHABLE,    /* the same to padding that is executed, which jumps over that */
    HOTPROBE_CONSTRAINED,  /* a jump whose last bytes are also the next instruction's first */
    HOTPROBE_TRAP,         /* int3 and a signal; only when asked for */
    HOTPROBE_STRATEGIES,
};

/* Why there is no probe at a site. */
enum hotprobe_reason {
    HOTPROBE_DONE,
    HOTPROBE_NOT_CODE,       /* no instruction that was found starts there */
    HOTPROBE_SHORT,          /* the block ends before there is room, and no padding is in reach */
    HOTPROBE_TARGET_INSIDE,  /* a jump may lead between the bytes, and nothing else fits */
    HOTPROBE_CALL_INSIDE,    /* a call would return between the bytes */
    HOTPROBE_UNPROVEN_JUMPS, /* an indirect jump in the function whose targets are not all known */
    HOTPROBE_TWO_READINGS, /* the site lies inside another instruction (a lock prefix, jumped over)
                            */
    HOTPROBE_OVERLAPS,     /* the bytes belong to another probe */
    HOTPROBE_CANNOT_MOVE,  /* an instruction that cannot be executed elsewhere */
    HOTPROBE_TOO_FAR,      /* no free memory that its operands or the jump can reach */
    HOTPROBE_SWITCHED_OFF, /* only a strategy that is switched off would do */
    HOTPROBE_GONE,         /* the text is not what it was: unloaded, or changed by another */
    HOTPROBE_NO_MEMORY,
    HOTPROBE_REASONS,
};

const char *hotprobe_strategy_name(enum hotprobe_strategy s); /* "over-one", ... */
const char *hotprobe_reason_text(enum hotprobe_reason r);

enum hotprobe_assignment { HOTPROBE_LOCAL, HOTPROBE_GREEDY, HOTPROBE_EXACT };

struct hotprobe_options {
    unsigned without; /* strategies switched off, as bits; HOTPROBE_TRAP is off without `trap` */
    bool trap;        /* allow int3 as the last way */
    bool unproven;    /* allow windows in functions with indirect jumps that are not proven */
    bool libraries;   /* the program's shared objects as well */
    enum hotprobe_assignment assign; /* of padding to probes */
    bool at_start;        /* probes go in and out only while there is one thread: SIGTRAP and
                             everything about signals is left alone */
    const char *counters; /* file that holds the counters (shared); NULL: memory */
    bool per_thread; /* each thread has its own counters where there is no threshold and no flag:
                        the session must be opened while there is one thread */
    const char *thread_counters; /* file that holds those: blocks of HOTPROBE_THREAD_SLOTS words */
};

/* More probes than that share their counters even where each thread is to have its own. */
enum { HOTPROBE_THREAD_SLOTS = 1 << 18 };

enum hotprobe_flags {
    HOTPROBE_ATOMIC = 1, /* locked increments from the start */
    HOTPROBE_EVERY = 2,  /* call `call` at every execution; no counter */
};

/* What a called function is told. Registers are the program's at the site, in the encoding's order
 * (rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 ...), and may not be changed. */
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
    bool unproven;    /* in a function whose indirect jumps are not all proven */
    uint64_t counter; /* offset in the counters' file, in bytes; in each block of the threads' */
    bool per_thread;  /* the latter: its count is the sum over blocks */
    struct hotprobe_probe *probe;
};

struct hotprobe;

/* Finds the program's code. */
enum status hotprobe_open(struct hotprobe **out, const struct hotprobe_options *options,
                          struct error *e);
/* Removes every probe; unmaps everything that no thread can still be in. */
void hotprobe_close(struct hotprobe *h);

/* Puts n probes in, all live in all threads on return. Each request gets its reason; the status is
 * an error only when nothing could be tried. A site that has a removed probe of the same kind gets
 * that one back, its counter 0. A function's entry that is an endbr64 is probed behind it. */
enum status hotprobe_insert(struct hotprobe *h, struct hotprobe_request *requests, size_t n,
                            struct error *e);
/* Takes n probes out (requests that were not done are skipped). Hits that were under way when this
 * began may still be counted; when it returns no thread enters them any more. */
enum status hotprobe_remove(struct hotprobe *h, const struct hotprobe_request *requests, size_t n,
                            struct error *e);
/* Executions since insertion; also after removal, until the site is probed again. */
uint64_t hotprobe_count(const struct hotprobe *h, const struct hotprobe_request *request);
/* Frees stubs of removed probes that every thread was seen outside of since; how many bytes are
 * left to free. Insertion does this by itself when it needs room. */
size_t hotprobe_reclaim(struct hotprobe *h);

/* ---- what there is to probe ---- */

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
/* The site after `after` (0: the first) in function f; 0 when there is none left. */
uintptr_t hotprobe_next_site(const struct hotprobe *h, const struct hotprobe_function *f,
                             enum hotprobe_kind kind, uintptr_t after);

/* ---- padding to probes, as a problem of its own ---- */

struct hotprobe_slot_problem {
    size_t sites, slots;
    const uintptr_t
        *site; /* sorted; slot j is in site i's reach if slot - (site + 2) fits a byte */
    const uint32_t *group; /* per site: its function, non-decreasing */
    const uintptr_t *slot; /* sorted */
    int32_t *chosen;       /* out, per site: index of its slot, or -1 */
};
/* Fills `chosen` and sets *served to how many sites got a slot. Exact is the maximum, by augmenting
 * paths; local a maximum per function in order of address; greedy takes the nearest free one. */
enum status hotprobe_assign(const struct hotprobe_slot_problem *problem,
                            enum hotprobe_assignment how, size_t *served);

#endif
