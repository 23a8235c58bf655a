/*
 * probe: how profilers watch a guest program, whichever engine runs it.
 *
 * An observer is asked once about every guest instruction, when an engine meets it for the first
 * time (or when its bytes have changed); it answers by attaching probes to it. About code in RAM it
 * may be asked again: of programs that modify themselves not every version is remembered. Probes
 * come in six kinds. Both engines implement all of them, and both fire them at the same points, so
 * a profiler is written once.
 *
 * Interrupts are not control flow of the program: they reach observers as thread events, never as
 * edges.
 *
 *     static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
 *         if (insn->kind == INSN_BRANCH)
 *             probe_attach(site, PROBE_TAKEN, (struct probe){.kind = PROBE_ADD, .counter =
 * my_counter, .value = 1});
 *     }
 *
 * Invariants
 *  - An observer never disturbs the guest: it gets no way to write guest state.
 *  - Order at one instruction: PROBE_BEFORE, the instruction, then exactly one of TAKEN, NEXT,
 * INDIRECT (none when an RTI resumes a thread, and none for JAM).
 *  - Where code lies in registers or open bus its bytes are known only once they were fetched: step
 *    and PROBE_BEFORE come after such an instruction, but before its other probes.
 *  - Callbacks may set alarms, ask to step and reserve counters; they do not attach, detach, run,
 *    load or reset.
 *  - Counters live in one array of the machine, so that translated code reaches them from a base
 * register.
 */
#ifndef HOTGRAPH_PROBE_H
#define HOTGRAPH_PROBE_H

#include "base/base.h"

struct nes;

enum insn_kind {
    INSN_PLAIN,         /* goes on at address + size */
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
    PROBE_TAKEN,    /* after it, when it went to its encoded target (BRANCH taken, JUMP, CALL) */
    PROBE_NEXT,     /* after it, when it went on at `next` (BRANCH not taken, PLAIN) */
    PROBE_INDIRECT, /* after it, anywhere else: JMP (indirect), RTS, BRK, ordinary RTI, a bank
                       switched under the code */
    PROBE_WHEN_COUNT
};

enum probe_kind {
    PROBE_ADD,     /* counters[counter] += value */
    PROBE_STORE,   /* counters[counter] = value */
    PROBE_ONCE,    /* counters[counter] = 1 where it is 0, and only that has fired: to come by again
                      is free. Nobody sets the counter back. */
    PROBE_CALL,    /* call(user, event) */
    PROBE_CALL_AT, /* counters[counter] += 1; when it equals value: call(user, event). The counter
                      may be shared, and set anew (nes_counter_set); passing over busy-waits counts
                      exactly. */
    PROBE_ADD_TO,  /* counters[counter_to(user, event)] += value: one for each place that the
                      instruction goes to. Which it is may be asked once or again and again. */
};

struct probe_event {
    struct nes *nes; /* to read from; its cycle is that of the boundary where it stands */
    uint32_t from;   /* code address of the instruction */
    uint32_t to;     /* where it went; for PROBE_BEFORE the address itself */
};

struct probe {
    enum probe_kind kind;
    uint32_t counter; /* index from nes_counters_add */
    uint64_t value;
    void (*call)(void *user, const struct probe_event *event);
    void *user;
    /* Depends on nothing but event->from and event->to; UINT32_MAX: none, nothing is counted. */
    uint32_t (*counter_to)(void *user, const struct probe_event *event);
    /* A quiet PROBE_ADD of a branch, of which TAKEN and NEXT have one each: an engine may leave out
     * one of the two from some time on, and for good (nes_counter_left_out()). */
    bool either;
    bool quiet; /* not among nes_probes_fired(): its counters tell the observer as much */
};

struct probe_site; /* one instruction about to be instrumented; valid only inside instrument() */
/* Attaches a probe; out of memory is remembered by the machine, which stops with STATUS_MEMORY. */
void probe_attach(struct probe_site *site, enum probe_when when, struct probe probe);

enum thread_cause { THREAD_START, THREAD_RESET, THREAD_NMI, THREAD_IRQ, THREAD_RTI };
enum thread_change {
    THREAD_BEGINS, /* at `address`: reset or interrupt entry; START: an observer was attached to a
                      running machine */
    THREAD_SUSPENDED, /* would go on at `address`; an interrupt took over */
    THREAD_RESUMES,   /* at `address`, by the RTI that matches */
    THREAD_ENDS,      /* will never go on at `address`: entry dropped, reset, or the observer was
                         detached */
};
struct thread_event {
    enum thread_change change;
    enum thread_cause cause;
    uint32_t address;
    uint8_t s;     /* stack pointer: after the push for SUSPENDED, else as it is */
    uint64_t more; /* so many more such events come now, in turn with others; see counts_threads */
};

/* Executed instructions, as nes_record() has them in general: in runs, in each of which every
 * instruction lies behind the one before it. What lies in memory that can be written is one
 * instruction with its bytes, or a piece of code whose bytes the machine remembers. */
struct recorded_run {
    uint64_t banks;      /* what was mapped: 16 bits for each 8 KiB from $8000 on; 0 where nothing
                            ever changes */
    uint32_t at : 23;    /* number of its first instruction, */
    uint32_t piece : 1;  /* and in memory that can be written */
    uint32_t opcode : 8; /* its bytes, or of the piece the place where it begins; else 0 */
    uint8_t operand[2];  /* or the number of the piece */
    uint16_t pc;         /* where it is */
};
enum { RECORDED_MOST = 1 << 20 }; /* instructions of a recording */
struct recording {
    /* What was executed: equal ways of a machine, of as many instructions, are the same ones. The
     * same instructions may have several. */
    const void *way;
    size_t way_length; /* of 8 bytes each */
    uint32_t number;   /* 0, or a number that this machine has for this way alone, which may have
                          others, too; they count up from 1 */
    uint32_t count;    /* instructions */
    uint64_t end;      /* cycle of the boundary behind the last one */
};

struct observer {
    void *self;
    /* Each may be NULL. */
    void (*instrument)(void *self, struct probe_site *site, const struct guest_insn *insn);
    void (*thread)(void *self, const struct thread_event *event);
    /* `thread` knows thread_event.more; else it is told of each event by itself. */
    bool counts_threads;
    /* Called before each instruction while nes_observe()'s count lasts. cycle: of the opcode
     * fetch's boundary. */
    void (*step)(void *self, const struct guest_insn *insn, uint64_t cycle);
    /* Called at the first instruction boundary at or after the cycle given to nes_set_alarm, once
     * for each alarm. */
    void (*alarm)(void *self, uint64_t cycle);
    /* What nes_record() has asked for; called at a boundary. */
    void (*recorded)(void *self, const struct recording *recording);
};

enum { NES_OBSERVERS = 8 };
/* Attaches at an instruction boundary: emits THREAD_BEGINS (cause START) for the running thread and
 * each suspended one. *id names the observer in the calls below. The observer struct is copied. */
enum status nes_attach(struct nes *nes, const struct observer *observer, unsigned *id,
                       struct error *e);
/* Emits THREAD_ENDS for the running thread and each suspended one, then removes its probes. */
void nes_detach(struct nes *nes, unsigned id);
/* Tells an observer, which need not be attached, of the running thread and each suspended one what
 * nes_attach (THREAD_BEGINS) and nes_detach (THREAD_ENDS) tell. At an instruction boundary. */
void nes_tell_threads(struct nes *nes, const struct observer *observer, enum thread_change change);
/* Cycle UINT64_MAX: no alarm. At most one alarm an observer. */
void nes_set_alarm(struct nes *nes, unsigned id, uint64_t cycle);
/* From the next instruction on, `count` instructions go to step() one by one. UINT64_MAX: all. */
void nes_observe(struct nes *nes, unsigned id, uint64_t count);

/* From the first boundary at or after cycle `from` on, `count` instructions, at least one, are
 * recorded, at most RECORDED_MOST, and handed over at once: at the boundary behind the last of them
 * or, when that comes before cycle `by`, perhaps a little later, at the first boundary from `by` on
 * at the latest. One recording at a time: asked again before, it begins anew. False: memory is out.
 */
bool nes_record(struct nes *nes, unsigned id, uint64_t from, uint32_t count, uint64_t by);
/* Calls each() with all of the recorded instructions, one after the other, some at a time. */
void nes_recorded(struct nes *nes, const struct recording *recording,
                  void (*each)(void *user, const struct guest_insn *insns, uint32_t count),
                  void *user);

/* Reserves `count` zeroed counters, of which a machine has a million; returns the index of the
 * first, or UINT32_MAX when there are no more, which stops the machine with STATUS_MEMORY. */
uint32_t nes_counters_add(struct nes *nes, uint32_t count);
/* Those of PROBE_ADD_TO may be behind: they are right after this, and once their observer has left.
 * For callbacks, and between runs. */
void nes_settle(struct nes *nes);
/* The counters; the address never changes in a machine's life. */
const uint64_t *nes_counters(const struct nes *nes);
/* Sets a counter of the caller's own: a PROBE_CALL_AT with value v that is to call at the n-th time
 * from now on gets v - n. For callbacks, and between runs. */
void nes_counter_set(struct nes *nes, uint32_t counter, uint64_t value);
/* Is it the counter of a probe that was one of `either`, and was left out? What it says means
 * nothing then. */
bool nes_counter_left_out(const struct nes *nes, uint32_t counter);
/* How many probes have fired, over all observers: a deterministic cost. PROBE_ADD and STORE that a
 * translator merges count as if they had fired one by one. */
uint64_t nes_probes_fired(const struct nes *nes, unsigned id);

#endif
