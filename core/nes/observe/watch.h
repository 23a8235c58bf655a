/*
 * watch: observers and the instructions they have instrumented. Private to core/nes.
 *
 * A site is one guest instruction at one code address, with one set of bytes and one meaning (where
 * its encoded target and its next instruction are). Sites live as long as the machine (but see
 * watch_trim); a slot for every byte of PRG and of the lower half of the address space points at
 * the one met last there, so that meeting an instruction again costs a few compares. Only
 * instructions in RAM can come in ever new versions, as their operands are modified: when there are
 * very many, all of them are forgotten.
 */
#ifndef HOTGRAPH_WATCH_H
#define HOTGRAPH_WATCH_H

#include <string.h>

#include "nes/machine/machine.h"

enum { WATCH_COUNTERS = 1 << 20 }; /* that a machine has for probes */

struct hook {
    struct probe probe;
    unsigned observer;
};

struct hooks {
    struct hook *at;
    size_t count, cap;
    bool simple; /* exactly one, and it is a PROBE_ADD */
    bool fires;  /* there are some, and not only PROBE_ONCE that have fired */
};

/* What an instruction counts where it fires no more than that: nothing before it, and behind it, on
 * either way that its bytes tell, at most one quiet PROBE_ADD of 1. By WENT_NEXT and WENT_TARGET 1
 * + the counter, or NOBODYS; 0: it fires more, or nothing is known. */
struct tally {
    uint32_t counter[2];
};
enum { NOBODYS = WATCH_COUNTERS + 1 }; /* a counter that nobody reads */

struct site {
    struct guest_insn insn;
    struct tally tally;                        /* none of what may go elsewhere, in RAM */
    uint32_t epoch;                            /* was current when map_epoch had this value */
    uint8_t instrumented;                      /* observers that were asked: one bit each */
    bool volatile_bytes;                       /* lies in memory that can be written */
    struct site *next;                         /* of the same hash */
    struct hooks probes[PROBE_WHEN_COUNT + 1]; /* the last stays empty: nothing fires */
};

/* Instructions that are recorded for an observer (nes_record()). */
struct record {
    uint64_t from;       /* they begin at the first boundary from here on; NEVER: nobody asks */
    uint64_t by;         /* the latest to hand them over, if there are enough before */
    uint32_t count, met; /* how many are wanted, and are there */
    bool on, full;       /* under way; complete, and to be handed over */
    bool pauses;         /* cpu_run_recorded() comes back behind each jump: an engine has blocks */
    uint64_t end;        /* cycle behind the last; NEVER: that of the next boundary */
    struct recorded_run *runs;
    size_t run_count, runs_cap;
    /* Instead of the runs, where it is known in a shorter form: see WAY_... */
    struct way *way;
    unsigned way_parts; /* of it; 0: there are runs */
    uint32_t number;    /* see struct recording */
};

/* What was executed, where that is told shorter than by runs, which never begin with a number that
 * has WAY_OF_CODE. */
#define WAY_OF_CODE (UINT64_C(1) << 63)
#define WAY_OF_WAIT (UINT64_C(1) << 62 | WAY_OF_CODE)
struct way {
    uint64_t first; /* WAY_OF_...| what is said below */
    uint64_t banks; /* as struct recorded_run has them */
    /* As many as there are, and one of 0 behind them where they are odd.
     * Of code that an engine knows by numbers: the number (see engine.recorded_code) and, in the
     * lower WAY_COUNT bits, how many instructions of it were executed; `first` is the number of
     * the first instruction in the first of them.
     * Of a busy-wait: the pc of the first instruction, and in the lower 16 bits where passes begin.
     * `first` has the instructions of a pass and, above WAY_COUNT bits, those of the first one. */
    uint32_t parts[];
};
enum { WAY_COUNT = 8, WAY_CODES = 1 << (32 - WAY_COUNT) };
static inline uint32_t way_low(uint64_t number) {
    return number & ((1u << WAY_COUNT) - 1);
}

/* Code in memory that can be written, as it was once; of recordings. Three bytes can be read where
 * its last instruction begins. */
enum { PIECE_MOST = 80 };
struct piece {
    uint8_t size, bytes[PIECE_MOST];
};

/* A way of a busy-wait that has a number: most recordings of a program that waits are the same few
 * again. */
struct way_known {
    uint64_t first, banks;
    uint32_t part, number;
};
enum { WAYS_KNOWN = 256 };

struct watched_by {
    bool used;
    struct observer observer;
    uint64_t alarm; /* NEVER: none */
    uint64_t steps; /* instructions that still go to step() */
    struct record record;
};

struct watch {
    struct watched_by observers[NES_OBSERVERS];
    /* Of these, those that are attached, that step, and that record now: a bit each. */
    unsigned used, steppers, recorders;
    unsigned listeners, counting; /* those that hear of threads, and of these those that count */
    bool ringing; /* alarms are told: what is asked for meanwhile is seen to afterwards */
    bool out_of_memory;
    struct site spare; /* stands in when memory is out */
    uint32_t counters_used;
    size_t slot_count;
    struct site **slots; /* by address below $8000, then by PRG offset */
    /* By pc & tally_mask, of memory that cannot be written, where no banks are switched: tallies,
     * and RUN_KNOWN where all instructions from there to the next that goes somewhere have one,
     * which of all but the last is NOBODYS. Never NULL: while nothing is known, the two behind
     * them. */
    struct tally *tallies;
    uint8_t *runs; /* else how often that was looked for in vain */
    uint16_t tally_mask;
    struct tally no_tally;
    uint8_t no_run;
    struct map left_out; /* counters that nes_counter_left_out() tells of */
    struct site **buckets;
    size_t bucket_count, site_count;
    size_t volatile_count; /* of these, sites that lie in memory that can be written */
    struct way_known ways_known[WAYS_KNOWN]; /* by hash */
    uint32_t ways_numbered;
    VEC(struct piece) pieces;
    struct map piece_at; /* hash of its bytes -> 1 + number */
};

enum status watch_create(struct nes *n, struct error *e);
void watch_free(struct nes *n);
/* Emits to every observer. */
void watch_thread_event(struct nes *n, const struct thread_event *event);
/* Emits `change`, THREAD_BEGINS or THREAD_ENDS, for the running thread and each that waits; to one
 * observer, and to all. */
void watch_tell(struct nes *n, const struct observer *o, enum thread_change change);
void watch_tell_threads(struct nes *n, enum thread_change change);
/* Computes n->watched, stepping and alarm: an observer has come, gone or asked for something. */
void watch_requests_changed(struct nes *n);
/* Forgets the sites in RAM where there are too many. Between instructions. */
void watch_trim(struct nes *n);
/* Removes the probes of an observer. */
void watch_remove(struct nes *n, unsigned id);
/* Hands over the recording of the only observer, which is complete. */
void watch_recorded(struct nes *n);
/* Calls alarms that are due and computes n->alarm. */
void watch_alarms(struct nes *n);

/* The site of the instruction at pc, whose slot is `slot` and of which `bytes` are the first three;
 * instruments it when it is new. Never NULL: out of memory gives a site without probes. */
struct site *watch_meet(struct nes *n, uint16_t pc, size_t slot, const uint8_t bytes[3]);
/* No more is read than the instruction has, which may be the last in its memory. */
static inline bool watch_same_bytes(const struct site *site, const uint8_t *bytes) {
    const struct guest_insn *const insn = &site->insn;
    return bytes[0] == insn->bytes[0] && (insn->size < 2 || bytes[1] == insn->bytes[1]) &&
           (insn->size < 3 || bytes[2] == insn->bytes[2]);
}
/* The same, quick when it was met before. */
static inline struct site *watch_find(struct nes *n, uint16_t pc, size_t slot,
                                      const uint8_t *bytes) {
    struct site *const site = n->watch->slots[slot];
    if (site && site->insn.pc == pc && site->epoch == n->map_epoch &&
        (!site->volatile_bytes || watch_same_bytes(site, bytes)))
        return site;
    return watch_meet(n, pc, slot, bytes);
}
/* Of the instruction at pc in memory that cannot be written; NULL where it is not known. */
static inline const struct tally *watch_tally(const struct nes *n, uint16_t pc) {
    const struct watch *const w = n->watch;
    const struct tally *const tally = &w->tallies[pc & w->tally_mask];
    return tally->counter[0] && !n->stepping ? tally : NULL;
}
enum { RUN_KNOWN = UINT8_MAX };
bool watch_learn_run(struct nes *n, uint16_t pc);
/* Is all known of a run that begins at pc? Looked for where it is not. */
static inline bool watch_run_known(struct nes *n, uint16_t pc) {
    const struct watch *const w = n->watch;
    const uint8_t run = w->runs[pc & w->tally_mask];
    return !n->stepping && pc >= 0x8000 && (run == RUN_KNOWN || watch_learn_run(n, pc));
}
/* It went to the next instruction, or to its target. */
static inline void watch_tell_tally(struct nes *n, const struct tally *tally, enum went went) {
    n->counters[tally->counter[went] - 1]++;
}
/* Observers come or go: nothing is known. */
void watch_unsettle(struct nes *n);
/* Of two probes of a branch of which one is enough, leaves out the one that has counted more, or
 * that which is taken. For engines, before they translate it. */
void watch_choose_side(struct nes *n, struct site *site);
/* Was such a one met before, so that nobody is to be asked about it? */
bool watch_knows(const struct nes *n, uint16_t pc, const uint8_t bytes[3]);
/* Where the machine reads the byte at pc; NULL where that is no memory. */
static inline const uint8_t *watch_code(const struct nes *n, uint16_t pc) {
    const uint8_t *const page = n->rd[pc >> 8];
    return page != NULL ? page + (pc & 0xff) : NULL;
}
/* `code`: where the machine reads the byte at pc; not used below $8000. */
static inline size_t watch_slot(const struct nes *n, uint16_t pc, const uint8_t *code) {
    return pc < 0x8000 ? pc : 0x8000 + (size_t)(code - n->options.cartridge->prg);
}

/* The site at pc, which lies in memory that the machine reads directly. */
static inline struct site *watch_mapped(struct nes *n, uint16_t pc) {
    const uint8_t *const code = watch_code(n, pc);
    return watch_find(n, pc, watch_slot(n, pc, code), code);
}

/* The instruction at pc when `banks` were mapped (see struct recorded_run). */
struct guest_insn watch_decode(const struct nes *n, uint64_t banks, uint16_t pc,
                               const uint8_t bytes[3]);

/* ---- trace.c ---- */

/* What is mapped, as struct recorded_run has it. */
static inline uint64_t record_banks(const struct nes *n) {
    const uint32_t *const bank = n->board.prg_bank;
    return n->board.banked ? bank[0] | (uint64_t)bank[1] << 16 | (uint64_t)bank[2] << 32 |
                                 (uint64_t)bank[3] << 48
                           : 0;
}
/* Begins. */
void record_begin(struct record *r);
/* The instruction is about to be executed. */
void record_insn(const struct nes *n, struct record *r, const struct site *site);
/* The number of its way, which is a busy-wait's; 0: there are no more. */
uint32_t record_number(struct nes *n, const struct record *r);
/* A run of `size` bytes of code at pc, without banks and number; false: out of memory. */
bool record_code(struct nes *n, uint16_t pc, const uint8_t *bytes, unsigned size,
                 struct recorded_run *out);
/* The last of them has been executed: it is handed over at the next boundary. */
void record_complete(struct nes *n, struct record *r);
/* Hands over what is full. */
void record_hand_over(struct nes *n, struct watched_by *by);
void record_free(struct record *r);

/* Step callbacks, recordings and PROBE_BEFORE. cycle: of the boundary before the instruction. */
void watch_before(struct nes *n, struct site *site, uint64_t cycle);
/* For nes_step: the site at pc after firing what comes before it; NULL when its bytes cannot be
 * known yet (it lies in registers or open bus). */
struct site *watch_announce(struct nes *n);
/* The same afterwards for an instruction that had its `bytes` at pc and began at `cycle`. */
struct site *watch_announce_late(struct nes *n, uint16_t pc, const uint8_t bytes[3],
                                 uint64_t cycle);
/* Fires what comes after an instruction; the machine stands behind it. */
void watch_went(struct nes *n, struct site *site, enum went went);
void watch_fire(struct nes *n, struct hooks *hooks, uint32_t from, uint32_t to);

/* The same of one that has a tally, is at pc and went elsewhere. */
void watch_went_elsewhere(struct nes *n, uint16_t pc);

static inline unsigned watch_when(enum went went) {
    static const uint8_t when[] = {
        [WENT_NEXT] = PROBE_NEXT,          [WENT_TARGET] = PROBE_TAKEN,
        [WENT_ELSEWHERE] = PROBE_INDIRECT, [WENT_RTI] = PROBE_INDIRECT,
        [WENT_NOWHERE] = PROBE_WHEN_COUNT,
    };
    return when[went];
}
/* Counts that the hook fires, `times` over. */
static inline void watch_count(struct nes *n, const struct hook *hook, uint64_t times) {
    if (!hook->probe.quiet)
        n->fired[hook->observer] += times;
}
/* One PROBE_ONCE. */
static inline void watch_once(struct nes *n, const struct hook *hook) {
    uint64_t *const counter = &n->counters[hook->probe.counter];
    if (*counter != 0)
        return;
    *counter = 1;
    watch_count(n, hook, 1);
}
/* One PROBE_ADD_TO; returns its counter. */
static inline uint32_t watch_add_to(struct nes *n, const struct probe *probe,
                                    const struct probe_event *event) {
    const uint32_t counter = probe->counter_to(probe->user, event);
    if (counter != UINT32_MAX)
        n->counters[counter] += probe->value;
    return counter;
}
/* Fires hooks that are `simple`. */
static inline void watch_add(struct nes *n, const struct hooks *hooks) {
    const struct hook *const hook = hooks->at;
    n->counters[hook->probe.counter] += hook->probe.value;
    watch_count(n, hook, 1);
}

#endif
