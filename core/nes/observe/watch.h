/*
 * watch: observers and the instructions they have instrumented. Private to core/nes.
 *
 * A site is one guest instruction at one code address, with its bytes and its meaning (the
 * addresses of its encoded target and of the next instruction). Sites live as long as the machine,
 * except those that watch_trim() forgets. Each byte of PRG and of the lower half of the address
 * space has a slot, which points at the site that was last met there; so meeting an instruction
 * again costs a few comparisons. The duplicate of nes_switch_code() has sites and slots of its own.
 * Only instructions in RAM can have ever new versions, because their
 * operands are modified: if there are very many, all of them are forgotten.
 */
#ifndef HOTGRAPH_WATCH_H
#define HOTGRAPH_WATCH_H

#include <string.h>

#include "nes/machine/machine.h"
#include "nes/observe/site.h"
#include "nes/observe/trace_recorder.h"

struct watched_by {
    bool used;
    struct observer observer;
    uint64_t alarm; /* NEVER: none */
    uint64_t steps; /* instructions that still go to step() */
    struct record record;
    struct follow_request follow; /* from == NEVER: none */
    uint64_t moved;               /* by so many NMI handlers */
    uint64_t switched;            /* observed.switched when it was asked */
};

/* Facts that hold while these banks are mapped, by pc. `at`: tallies of instructions in memory that
 * cannot be written. `runs`: RUN_KNOWN if every instruction from there up to the next transfer has
 * a tally, and only the transfer's tally counts anything (the others are NOBODYS); otherwise the
 * number of failed attempts to find that out. */
struct tallies {
    uint64_t banks; /* record_banks() */
    bool duplicate; /* watch.duplicate */
    struct tally *at;
    uint8_t *runs;
};
enum { TALLIES_MOST = 16 };

struct watch {
    struct watched_by observers[NES_OBSERVERS];
    /* Sets of observers, one bit each: attached; stepping now; recording now. */
    unsigned used, steppers, recorders;
    unsigned instrumenters;       /* those with instrument(), */
    unsigned precise;             /* and those of them that do not go by opcodes */
    unsigned listeners, counting; /* those that receive thread events, and those of them that
                                     count */
    unsigned followers;           /* those that also receive events of suspended and resumed
                                     contexts */
    unsigned callers;             /* those with a probe that calls */
    unsigned moved;               /* those whose last nes_follow() NMI handlers move */
    uint32_t probes_epoch;        /* changes when observers come, go or change their probes */
    struct watched_by *follower;  /* the only observer that waits for anything, if no probe calls;
                                     NULL: there is none */
    bool ringing;                 /* alarms are being called; requests wait until afterwards */
    bool asked;                   /* a request was made meanwhile */
    bool out_of_memory;
    struct site spare; /* used instead of a new site if memory is out */
    uint32_t counters_used;
    size_t slot_count;
    bool duplicate;             /* the duplicate runs */
    struct site **slots;        /* by address below $8000, then by PRG offset */
    struct site **all_slots[2]; /* of the usual code and of the duplicate; NULL: never ran */
    /* The facts for the mapped banks, indexed by pc & tally_mask. While nothing is known they point
     * at no_tally and no_run. Never NULL. */
    struct tally *tallies;
    uint8_t *runs;
    uint16_t tally_mask;
    struct tally no_tally;
    uint8_t no_run;
    uint32_t tally_epoch; /* value of memory.epoch when they were chosen */
    unsigned tallied;     /* number of entries in all_tallies; none is dropped before the
                             observers change */
    struct tallies all_tallies[TALLIES_MOST];
    struct transfer followed[FOLLOWED_MOST]; /* by nes_follow() */
    /* Contexts that began alike, one after another, and of which no observer has heard: watch_tell_begun(). */
    struct thread_event begun;
    uint64_t begun_count; /* 0: none */
    struct map left_out;  /* counters for which nes_counter_left_out() returns true */
    struct site **buckets;
    size_t bucket_count, site_count;
    size_t volatile_count;                           /* sites in memory that can be written */
    struct numbered_trace numbered[TRACES_NUMBERED]; /* by hash */
    uint32_t numbers_used;
    VEC(struct snapshot) snapshots;
    struct map snapshot_at; /* hash of its bytes -> 1 + number */
};

enum status watch_create(struct nes *n, struct error *e);
void watch_free(struct nes *n);
/* Emits to every observer. */
void watch_thread_event(struct nes *n, const struct thread_event *event);
/* A context begins at pc: emits it, or counts it to be emitted later. Call if there are listeners. */
void watch_begins(struct nes *n, enum thread_cause cause);
/* Emits what was counted. Call before anything that an observer might compare it with. */
void watch_tell_begun(struct nes *n);
/* Emits `change`, THREAD_BEGINS or THREAD_ENDS, for the running context and each suspended one: to
 * one observer, and to all. */
void watch_notify(struct nes *n, const struct observer *o, enum thread_change change);
void watch_notify_all(struct nes *n, enum thread_change change);
/* Recomputes observed.watched, stepping and alarm: an observer was attached or detached, or has
 * made a request. */
void watch_requests_changed(struct nes *n);
/* Forgets all sites in RAM if there are too many. Between instructions. */
void watch_trim(struct nes *n);
/* Removes the probes of an observer. */
void watch_remove(struct nes *n, unsigned id);
void watch_remove_hooks(struct site *site, unsigned id); /* those of one site */
/* Calls instrument() of all observers that have not yet instrumented the site. */
void watch_instrument(struct nes *n, struct site *site);
/* Hands over the recording of the only observer, which is complete. */
void watch_recorded(struct nes *n);
/* What the observer asks to follow, if it waits for nothing else; else NULL. */
static inline struct follow_request *watch_follow_alone(struct watched_by *by) {
    return by->alarm == NEVER && by->record.from == NEVER && by->follow.from != NEVER ? &by->follow
                                                                                      : NULL;
}
/* True if nothing has changed but what this observer asks to follow. */
static inline bool watch_only_follows(const struct nes *n, const struct watched_by *by) {
    return n->observed.watch->follower == by && !n->observed.stepping && by->steps == 0 &&
           by->alarm == NEVER && by->record.from == NEVER;
}
/* Chooses watch.follower and observed.follow. */
void watch_choose_follower(struct nes *n);
/* A probe that calls has come, which wants to be called at its instruction. */
void watch_stop_following(struct nes *n);
static inline void watch_expect_follow(struct nes *n, struct watched_by *by) {
    n->observed.alarm = by->follow.from;
    n->observed.follow = by->follow.from != NEVER ? &by->follow : NULL;
}
/* What an observer asks to follow has changed. */
static inline void watch_follow_changed(struct nes *n, struct watched_by *by) {
    if (!watch_only_follows(n, by)) {
        watch_requests_changed(n);
        return;
    }
    watch_expect_follow(n, by);
    n->observed.attention = true;
}
/* A context has begun or resumed, at an NMI or when an alarm is due. */
void watch_switched(struct nes *n, enum thread_cause cause);
/* Completes *followed, ends the observer's request, and calls it. */
void watch_hand_over_followed(const struct nes *n, struct watched_by *by,
                              struct followed *followed);
/* Ends the request of this observer, which has asked to follow, and hands over. */
void watch_followed(struct nes *n, struct watched_by *by, struct followed *followed);
/* Moves observed.follow: passes of a busy-wait are about to be skipped, until follow.passes passes after this cycle, which is
 * not before follow.over. */
void watch_skipped(struct nes *n, uint64_t cycle);
/* Calls alarms that are due and computes n->observed.alarm. */
void watch_alarms(struct nes *n);

/* Returns the site of the instruction at pc, with slot `slot` and the first three bytes `bytes`.
 * Instruments it if it is new. Never NULL: if memory is out, the site has no probes. */
struct site *watch_meet(struct nes *n, uint16_t pc, size_t slot, const uint8_t bytes[3]);
/* True if the site still means the same although banks were switched since it was met; it is then
 * current again. Requires that the same memory is mapped at its address. */
bool watch_stands(struct nes *n, struct site *site);
/* watch_meet(), fast if the instruction was met before. */
static inline struct site *watch_find(struct nes *n, uint16_t pc, size_t slot,
                                      const uint8_t *bytes) {
    struct site *const site = n->observed.watch->slots[slot];
    if (site && site->insn.pc == pc && (site->epoch == n->memory.epoch || watch_stands(n, site)) &&
        (!site->volatile_bytes || watch_same_bytes(site, bytes)))
        return site;
    return watch_meet(n, pc, slot, bytes);
}
/* Chooses the tallies for the mapped banks. */
void watch_choose_tallies(struct nes *n);
static inline void watch_follow_banks(struct nes *n) {
    if (n->observed.watch->tally_epoch != n->memory.epoch)
        watch_choose_tallies(n);
}
/* The tally of the instruction at pc in memory that cannot be written; NULL: unknown. */
static inline const struct tally *watch_tally(struct nes *n, uint16_t pc) {
    const struct watch *const w = n->observed.watch;
    watch_follow_banks(n);
    const struct tally *const tally = &w->tallies[pc & w->tally_mask];
    return tally->counter[0] && !n->observed.stepping ? tally : NULL;
}
enum { RUN_KNOWN = UINT8_MAX };
bool watch_learn_run(struct nes *n, uint16_t pc);
/* True if the run that begins at pc is known; tries to learn it if not. */
static inline bool watch_run_known(struct nes *n, uint16_t pc) {
    const struct watch *const w = n->observed.watch;
    const uint8_t run = w->runs[pc & w->tally_mask];
    return !n->observed.stepping && pc >= 0x8000 && (run == RUN_KNOWN || watch_learn_run(n, pc));
}
/* Counts an instruction that continued with the next one or at its target. */
static inline void watch_count_tally(struct nes *n, const struct tally *tally,
                                     enum insn_outcome outcome) {
    n->observed.counters[tally->counter[outcome] - 1]++;
}
/* Invalidates the caches of tallies, and begins another probes_epoch: the observer set has changed. */
void watch_unsettle(struct nes *n);
/* For engines, before they translate a branch with two `either` probes: drops the probe that has
 * counted more; TAKEN if both are equal. */
void watch_choose_side(struct nes *n, struct site *site);
/* True if all observers go by opcodes where they can, and nobody steps. */
static inline bool watch_goes_by_opcode(const struct nes *n) {
    return n->observed.watch->precise == 0 && !n->observed.stepping;
}
/* The site of the instruction at pc, below $8000, or, if it goes on, of one that observers do not distinguish from
 * it, which has a tally then; *site: the last one that was met there. False: its probes do more than to count it. */
bool watch_find_by_opcode(struct nes *n, struct site **site, uint16_t pc, const uint8_t *bytes);
/* True if this instruction is already instrumented, or one that observers do not distinguish from it. */
bool watch_knows(const struct nes *n, uint16_t pc, const uint8_t bytes[3]);
/* Host address of the byte at pc; NULL if it is not in memory. */
static inline const uint8_t *watch_code(const struct nes *n, uint16_t pc) {
    const uint8_t *const page = n->memory.rd[pc >> 8];
    return page != NULL ? page + (pc & 0xff) : NULL;
}
/* The slot of the byte at pc. code: host address of that byte; not used below $8000. */
static inline size_t watch_slot(const struct nes *n, uint16_t pc, const uint8_t *code) {
    return pc < 0x8000 ? pc : 0x8000 + (size_t)(code - n->made.options.cartridge->prg);
}

/* The site at pc, which lies in memory that the machine reads directly. */
static inline struct site *watch_mapped(struct nes *n, uint16_t pc) {
    const uint8_t *const code = watch_code(n, pc);
    return watch_find(n, pc, watch_slot(n, pc, code), code);
}

/* The instruction at pc when `banks` were mapped (see struct recorded_run). */
struct guest_insn watch_decode(const struct nes *n, uint64_t banks, uint16_t pc,
                               const uint8_t bytes[3]);

/* Step callbacks, recordings and PROBE_BEFORE. cycle: of the boundary before the instruction. */
void watch_before(struct nes *n, struct site *site, uint64_t cycle);
/* For nes_step: the site at pc after firing what comes before it; NULL when its bytes cannot be
 * known yet (it lies in registers or open bus). */
struct site *watch_announce(struct nes *n);
/* The same afterwards for an instruction that had its `bytes` at pc and began at `cycle`. */
struct site *watch_announce_late(struct nes *n, uint16_t pc, const uint8_t bytes[3],
                                 uint64_t cycle);
/* Fires the probes after an instruction; pc is past it. */
void watch_outcome(struct nes *n, struct site *site, enum insn_outcome outcome);
void watch_fire(struct nes *n, struct hooks *hooks, uint32_t from, uint32_t to);

/* watch_outcome() for an instruction at pc that has a tally and went elsewhere. */
void watch_left_elsewhere(struct nes *n, uint16_t pc);

static inline unsigned watch_when(enum insn_outcome outcome) {
    static const uint8_t when[] = {
        [OUTCOME_NEXT] = PROBE_NEXT,          [OUTCOME_TARGET] = PROBE_TAKEN,
        [OUTCOME_ELSEWHERE] = PROBE_INDIRECT, [OUTCOME_RTI] = PROBE_INDIRECT,
        [OUTCOME_NOWHERE] = PROBE_WHEN_COUNT,
    };
    return when[outcome];
}
/* Counts `times` firings of the hook. */
static inline void watch_count(struct nes *n, const struct hook *hook, uint64_t times) {
    if (!hook->probe.quiet)
        n->observed.fired[hook->observer] += times;
}
/* One PROBE_ONCE. */
static inline void watch_once(struct nes *n, const struct hook *hook) {
    uint64_t *const counter = &n->observed.counters[hook->probe.counter];
    if (*counter != 0)
        return;
    *counter = 1;
    watch_count(n, hook, 1);
}
/* One PROBE_ADD_TO; returns its counter. */
static inline uint32_t watch_add_to(struct nes *n, struct hook *hook,
                                    const struct probe_event *event) {
    const struct probe *const probe = &hook->probe;
    if (!hook->went || hook->to != event->to) {
        hook->counter = probe->counter_to(probe->user, event);
        hook->to = event->to;
        hook->went = hook->counter != UINT32_MAX;
    }
    if (hook->counter != UINT32_MAX)
        n->observed.counters[hook->counter] += probe->value;
    return hook->counter;
}
/* Fires hooks that are `simple`. */
static inline void watch_add(struct nes *n, const struct hooks *hooks) {
    const struct hook *const hook = hooks->at;
    n->observed.counters[hook->probe.counter] += hook->probe.value;
    watch_count(n, hook, 1);
}

#endif
