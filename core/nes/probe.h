/*
 * probe: how profilers watch a guest program, on any engine.
 *
 * An engine calls instrument() once for each guest instruction, when it first meets it or when its
 * bytes have changed; the observer attaches probes there. It may be called again for code in RAM,
 * because not every version of self-modifying code is remembered. There are six kinds of probes.
 * Both engines implement all of them and fire them at the same points, so a profiler is written
 * once.
 *
 * Interrupts are not control flow of the program: observers get them as thread events, never as
 * edges.
 *
 *     static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
 *         if (insn->kind == INSN_BRANCH)
 *             probe_attach(site, PROBE_TAKEN, (struct probe){
 *                 .kind = PROBE_ADD, .counter = my_counter, .value = 1});
 *     }
 *
 * Invariants
 *  - An observer never disturbs the guest: it has no means to write guest state.
 *  - Order at one instruction: PROBE_BEFORE, the instruction, then exactly one of TAKEN, NEXT,
 *    INDIRECT (none if an RTI resumes a thread, and none for JAM).
 *  - The bytes of code in registers or open bus are known only after they were fetched. There,
 *    step and PROBE_BEFORE come after the instruction, but before its other probes.
 *  - Callbacks may set alarms, request steps and reserve counters. They do not run, load or reset,
 *    and only alarms attach and detach observers.
 *  - All counters of a machine are in one array, so translated code reaches them from a base
 *    register.
 */
#ifndef HOTGRAPH_PROBE_H
#define HOTGRAPH_PROBE_H

#include "base/base.h"

struct nes;

enum insn_kind {
    INSN_PLAIN,         /* continues at address + size */
    INSN_BRANCH,        /* conditional: target or address + size */
    INSN_JUMP,          /* JMP absolute */
    INSN_CALL,          /* JSR */
    INSN_JUMP_INDIRECT, /* JMP (indirect) */
    INSN_RETURN,        /* RTS */
    INSN_RTI,
    INSN_BRK,
    INSN_JAM,
};

struct guest_insn {
    uint32_t address; /* code address */
    uint32_t next;    /* code address of pc + size under the mapping before the instruction */
    uint32_t target;  /* encoded target of BRANCH, JUMP, CALL, as code address; else 0 */
    uint16_t pc;
    uint8_t size;     /* BRK 2, JAM 1, others by addressing mode */
    uint8_t kind;     /* enum insn_kind */
    uint8_t bytes[3]; /* bytes[0] is the opcode; only `size` are valid, the others 0 */
};

enum probe_when {
    PROBE_BEFORE,   /* each time before the instruction executes */
    PROBE_TAKEN,    /* after it, if it continued at its encoded target (BRANCH taken, JUMP, CALL) */
    PROBE_NEXT,     /* after it, if it continued at `next` (BRANCH not taken, PLAIN) */
    PROBE_INDIRECT, /* after it, if it continued elsewhere: JMP (indirect), RTS, BRK, ordinary
                       RTI, a bank switched under the code */
    PROBE_WHEN_COUNT
};

enum probe_kind {
    PROBE_ADD,     /* counters[counter] += value */
    PROBE_STORE,   /* counters[counter] = value */
    PROBE_ONCE,    /* counters[counter] = 1 if it is 0, and only this counts as fired: later
                      executions cost nothing. The counter must not be set back. */
    PROBE_CALL,    /* call(user, event) */
    PROBE_CALL_AT, /* counters[counter] += 1; when it equals value: call(user, event). The counter
                      may be shared, and set anew (nes_counter_set); skipped busy-waits count
                      exactly. */
    PROBE_ADD_TO,  /* counters[counter_to(user, event)] += value: a counter for each destination of
                      the instruction. counter_to() may be called once or each time. */
};

struct probe_event {
    struct nes *nes; /* for queries; its cycle is that of the current instruction boundary */
    uint32_t from;   /* code address of the instruction */
    uint32_t to;     /* code address at which execution continues; for PROBE_BEFORE the same as
                        `from` */
};

struct probe {
    enum probe_kind kind;
    uint32_t counter; /* index from nes_counters_add */
    uint64_t value;
    void (*call)(void *user, const struct probe_event *event);
    void *user;
    /* The result depends only on event->from and event->to. UINT32_MAX: count nothing. */
    uint32_t (*counter_to)(void *user, const struct probe_event *event);
    /* For a branch that has such a quiet PROBE_ADD at both TAKEN and NEXT: at any time, an engine
     * may drop one of the two for good (nes_counter_left_out()). */
    bool either;
    bool quiet; /* does not count in nes_probes_fired() */
    /* A quiet PROBE_ADD at TAKEN whose counter nobody reads before nes_settle(): an engine may add to it later. */
    bool late;
};

struct probe_site; /* one instruction about to be instrumented; valid only inside instrument() */
/* True if it is instrumented in the duplicate; see nes_switch_code(). */
bool probe_in_duplicate(const struct probe_site *site);
/* Attaches a probe. If memory runs out, the machine's next run ends with STATUS_MEMORY. */
void probe_attach(struct probe_site *site, enum probe_when when, struct probe probe);

enum thread_cause { THREAD_START, THREAD_RESET, THREAD_NMI, THREAD_IRQ, THREAD_RTI };
enum thread_change {
    THREAD_BEGINS, /* at `address`: reset or interrupt entry; START: an observer was attached to a
                      running machine */
    THREAD_SUSPENDED, /* by an interrupt; would resume at `address` */
    THREAD_RESUMES,   /* at `address`, by the matching RTI */
    THREAD_ENDS,      /* will never resume at `address`: entry dropped, reset, or the observer was
                         detached */
};
struct thread_event {
    enum thread_change change;
    enum thread_cause cause;
    uint32_t address;
    uint8_t s;     /* stack pointer: after the push for SUSPENDED, else the current one */
    uint64_t more; /* repeat count, interleaved with the other events; see counts_threads */
};

/* Recorded instructions in the general form: straight-line runs. A run in writable memory is one
 * instruction with its bytes, or a code snapshot, whose bytes the machine remembers. */
struct recorded_run {
    uint64_t banks;        /* what was mapped: 16 bits for each 8 KiB from $8000 on; 0 if the board
                            does not switch banks */
    uint32_t at : 23;      /* number of its first instruction */
    uint32_t snapshot : 1; /* in writable memory: a code snapshot, not a single instruction */
    uint32_t opcode : 8; /* in writable memory: the opcode, or the offset in the snapshot; else 0 */
    uint8_t operand[2];  /* the operand, or the number of the snapshot */
    uint16_t pc;         /* of the first instruction */
};
enum { RECORDED_MOST = 1 << 20 }; /* instructions of a recording */
struct recording {
    /* The trace. Within one machine, equal bytes and counts mean equal instructions; but the same
     * instructions may have several traces. */
    const void *trace;
    size_t trace_length; /* in units of 8 bytes */
    uint32_t number;     /* 0, or a number, counted from 1, that this machine uses for this trace
                          only; a trace may have several */
    uint32_t count;      /* instructions */
    uint64_t end;        /* cycle of the boundary after the last one */
};

/* A control transfer: of each branch, jump, call and return. An instruction *touches*
 * something if it writes to memory, uses the stack, or reads anything but RAM, ROM or $2002 at a fixed
 * address. */
struct transfer {
    uint64_t start, end; /* cycles: its instruction began; control was at `to` */
    uint16_t from, to;   /* pc of its instruction, and where it went */
    /* Nothing was touched by it and the instructions since the previous transfer (the first one:
     * since it is followed). */
    bool untouched;
    /* It leads backwards by less than TRANSFER_NEAR bytes, and may close a busy-wait: the instruction at
     * `to` touches nothing, or is in RAM. Then it has the registers at `to`. */
    bool loops;
    struct {
        uint8_t a, x, y, s, p;
    } registers;
};
enum { TRANSFER_NEAR = 64, FOLLOWED_MOST = 96 };
/* What nes_follow() is to follow. */
struct follow_request {
    uint64_t from; /* cycle: begins at the first boundary from there on */
    /* Hands over transfers that start at cycle `due` or later, but of those before only the start of
     * the last one. Ends after `least` transfers, and not before cycle `until`. */
    uint64_t due, until;
    unsigned least;
    /* `every` not 0: the observer need not hear of contexts. A context that begins or resumes at cycle `due` or
     * later ends the request with followed.changes. Each NMI handler that begins before moves it: `phase` grows by `shift`, and
     * `due` is then phase / 2^64 of `every` after the handler's first cycle; the other cycles keep their distance
     * from it. */
    uint64_t every, phase, shift;
    /* With `every`: the observer wants nothing of busy-waits. If the machine is about to skip passes of one from before
     * `from` until `passes` passes after cycle `over`, at least, it moves the request by multiples of `every`, until
     * `over` comes later. (The passes are of one loop in ROM: consecutive instructions of which the last one jumps
     * back, none touches anything but $2002, and each pass ends with the same registers.) */
    uint64_t over;
    unsigned passes;
};
/* What it has followed: all transfers that started at cycle follow.due or later, up to now. */
struct followed {
    const struct transfer *transfers; /* NULL: nothing can be followed now */
    unsigned count;
    uint64_t
        before;   /* start of the last transfer from cycle follow.from on and before follow.due; 0:
                        there was none */
    bool touched; /* something was, since the last transfer, or else since it is followed */
    uint64_t banks; /* equal numbers: the same memory was mapped */
    /* A context has begun or resumed just now, because of `cause`, at cycle follow.due or later. Nothing was
     * followed. */
    bool changes;
    enum thread_cause cause;
    uint64_t due;   /* the request's; the machine may have moved it */
    uint64_t moved; /* by so many NMI handlers */
    uint64_t
        switched; /* cycle at which a context began or resumed last; 0: none has since the request */
};

/* Passes of a busy-wait that were skipped. In each of them these PROBE_CALL_AT of one observer counted, in this
 * order. */
enum { PASSED_MOST = 32 };
struct passes {
    uint64_t times; /* passes */
    unsigned count; /* of a pass */
    struct {
        void *user;        /* of the probe */
        uint32_t from, to; /* as in probe_event */
    } at[PASSED_MOST];
};

struct observer {
    void *self;
    /* Each may be NULL. */
    void (*instrument)(void *self, struct probe_site *site, const struct guest_insn *insn);
    /* Of two instructions in memory that can be written that neither branch nor jump, have the same address and the
     * same opcode, and of which opcode_may_wait() says the same, `instrument` need not see the second: its probes
     * would be those of the first. */
    bool by_opcode;
    void (*thread)(void *self, const struct thread_event *event);
    /* `thread` handles thread_event.more; else it gets each event separately. If all observers handle it,
     * contexts that begin alike may be emitted later, before any other thread event and by nes_settle(). */
    bool counts_threads;
    /* `thread` is called only when contexts begin and end, not when they are suspended or resume. */
    bool begins_and_ends;
    /* Called before each instruction while nes_observe()'s count lasts. cycle: of the opcode
     * fetch's boundary. */
    void (*step)(void *self, const struct guest_insn *insn, uint64_t cycle);
    /* Called at the first instruction boundary at or after the cycle given to nes_set_alarm, once
     * for each alarm. */
    void (*alarm)(void *self, uint64_t cycle);
    /* Hands over the recording requested by nes_record(), at a boundary. */
    void (*recorded)(void *self, const struct recording *recording);
    /* For an observer with at most one PROBE_CALL_AT at each place, all with one counter: called instead of
     * them for passes that are skipped, at the boundary after those. The counter was advanced for all of
     * them, whatever it met. NULL: passes in which a probe calls are executed. */
    void (*passed)(void *self, const struct passes *passes);
    /* Hands over what nes_follow() has followed, at a boundary. */
    void (*followed)(void *self, const struct followed *followed);
};

enum { NES_OBSERVERS = 8 };
/* Attaches at an instruction boundary: emits THREAD_BEGINS (cause START) for the running context
 * and each suspended one. *id names the observer in the calls below. *observer is copied. */
enum status nes_attach(struct nes *nes, const struct observer *observer, unsigned *id,
                       struct error *e);
/* Emits THREAD_ENDS for the running context and each suspended one, then removes its probes. */
void nes_detach(struct nes *nes, unsigned id);
/* The observer has changed its mind: all its probes are void, and instrument() is called again at once for each
 * instruction that was met. Counters keep their values. Engines translate code again whose probes are
 * others now, and leave the rest. For alarms, and between runs. */
void nes_instrument_again(struct nes *nes, unsigned id);
/* At an instruction boundary: emits to `observer`, which need not be attached, the events that
 * nes_attach (THREAD_BEGINS) or nes_detach (THREAD_ENDS) would emit. */
void nes_notify_threads(struct nes *nes, const struct observer *observer,
                        enum thread_change change);
/* Cycle UINT64_MAX: no alarm. At most one alarm an observer. */
void nes_set_alarm(struct nes *nes, unsigned id, uint64_t cycle);
/* From the next instruction on, `count` instructions go to step() one by one. UINT64_MAX: all. */
void nes_observe(struct nes *nes, unsigned id, uint64_t count);

/* A machine's code exists twice: the usual code and its duplicate, each with probes of its own, so
 * that an observer can count everything in the one and nearly nothing in the other (Arnold and Ryder
 * 2001). instrument() is called for an instruction in each copy in which it is met. The usual code
 * runs until nes_switch_code(nes, true), from the next instruction on. For callbacks of probes after an
 * instruction, thread events, and between runs. One observer of a machine may switch; it switches back
 * before it detaches. */
void nes_switch_code(struct nes *nes, bool duplicate);

/* Records `count` instructions (1 to RECORDED_MOST) from the first boundary at or after cycle
 * `from` on, and hands them over in one call: at the boundary after the last of them or, if that
 * comes before cycle `by`, at any boundary up to the first one from `by` on. An observer has one
 * recording at a time; a new request replaces the previous one. False: out of memory. */
bool nes_record(struct nes *nes, unsigned id, uint64_t from, uint32_t count, uint64_t by);
/* Follows control without probes, which is the cheapest way to see a few transfers: translated code
 * is left once. It may end at any boundary, even before the first transfer: at transfers of code
 * in RAM, at an interrupt, when a loop has come to the same state again, or if another observer waits
 * for anything or has a probe that calls. So an observer must be able to go on by nes_observe(). An
 * observer follows once at a time. */
void nes_follow(struct nes *nes, unsigned id, const struct follow_request *follow);
/* For observer.followed: the request that it answers is made again, from cycle `from` on, and with its other cycles
 * `later` cycles later. */
void nes_follow_again(struct nes *nes, unsigned id, uint64_t from, uint64_t later);
/* Whether thread() is called from now on; it is after nes_attach(). Those of attaching and detaching come anyway. */
void nes_listen(struct nes *nes, unsigned id, bool listens);
/* Calls each() with consecutive parts of the recorded instructions, in order. */
void nes_recorded(struct nes *nes, const struct recording *recording,
                  void (*each)(void *user, const struct guest_insn *insns, uint32_t count),
                  void *user);

/* Reserves `count` zeroed counters, of which a machine has a million; returns the index of the
 * first, or UINT32_MAX when there are no more, which stops the machine with STATUS_MEMORY. */
uint32_t nes_counters_add(struct nes *nes, uint32_t count);
/* Brings counters of PROBE_ADD_TO up to date, which may lag, and emits thread events that are due; nes_detach()
 * does so, too. For callbacks, and between runs. */
void nes_settle(struct nes *nes);
/* The counters; the address never changes in a machine's life. */
const uint64_t *nes_counters(const struct nes *nes);
/* Sets a counter of the caller's own: a PROBE_CALL_AT with value v that is to call at the n-th time
 * from now on gets v - n. For callbacks, and between runs. */
void nes_counter_set(struct nes *nes, uint32_t counter, uint64_t value);
/* True for the counter of an `either` probe that was dropped: its value is meaningless. */
bool nes_counter_left_out(const struct nes *nes, uint32_t counter);
/* Number of this observer's probes that have fired: a deterministic cost. A PROBE_ADD or STORE that
 * a translator merges counts as if it had fired separately. */
uint64_t nes_probes_fired(const struct nes *nes, unsigned id);

#endif
