/*
 * wait: static idle-loop skipping: finds busy-waits by analysis of their code. Private to core/nes.
 *
 * An engine that takes a backward jump calls wait_candidate(). A candidate is a short path through
 * ROM code from the jump's target T to the jump J. On it no branch before J is taken, no memory is
 * written, and only plain memory and $2002 are read; a register or flag that the path reads before
 * writing it is never written. It may contain jumps, and calls with their returns: each pass pushes
 * the same bytes, pulls them, and leaves them below the stack pointer, where nothing else reads
 * them.
 *
 * When the last two arrivals from J at T are exactly one pass apart, the engine stops at T, and
 * wait_pass() skips passes. If only a pass can lie between two such arrivals (`certain`), every
 * pass until the next event is the same, and whole passes are counted instead of executed.
 * Otherwise one more pass is executed first, and must lead from T to T with equal registers.
 */
#ifndef HOTGRAPH_WAIT_H
#define HOTGRAPH_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nes;

enum { WAITS = 64, WAIT_LONGEST = 16, WAIT_NESTED = 3, PPU_STATUS_ADDRESS = 0x2002 };

/* The probes that a pass fires, if they are only a few quiet PROBE_ADDs, as they usually are. */
enum { WAIT_ADDS = 2 };
struct wait_adds {
    bool known;     /* for `epoch`: watch.probes_epoch if the wait is `alone`, else memory.epoch */
    bool duplicate; /* in the duplicate; see nes_switch_code() */
    bool all;       /* the pass fires no other probes */
    uint8_t count;
    uint8_t at[WAIT_ADDS]; /* the number of its instruction in the pass */
    uint32_t epoch;
    uint32_t counter[WAIT_ADDS], value[WAIT_ADDS];
};

struct wait {
    const uint8_t *from;         /* J, in the host's memory */
    uint16_t pc, target;         /* of J, and T */
    uint8_t length;              /* instructions of a pass; 0: not a candidate */
    uint8_t cost;                /* cycles of a pass, */
    uint8_t at[WAIT_LONGEST];    /* cycle of the pass at which each instruction begins */
    uint16_t path[WAIT_LONGEST]; /* pc of each instruction */
    bool straight;               /* the instructions are consecutive in memory */
    bool alone; /* its code and where it may lead are in one window: the bank there decides all */
    bool calls; /* has calls and returns: writes to the stack */
    const uint8_t *lies[4]; /* memory mapped at $8000, $A000, ..., for code in other windows
                                    than J's */
    bool unmasks;           /* clears I: an IRQ is taken within it, whatever I is at T */
    bool status;            /* reads $2002 */
    uint8_t read_at;        /* cycle of the pass of the last read of $2002 */
    bool certain;      /* only a pass can lie between two arrivals that are one pass apart without
                          an interrupt */
    uint64_t executed; /* cpu.instructions at the last arrival from J */
    struct wait_adds adds;
};

/* Fills the entry for the jump at `from` and `pc`, which goes back to `target`. */
void wait_examine(struct nes *n, struct wait *w, const uint8_t *from, uint16_t pc, uint16_t target);

/* By guest address, so that which jumps displace each other, and with it the counted cost of a replay,
 * does not depend on where the machine's memory lies in the host's. */
static inline struct wait *wait_entry(struct wait *waits, uint16_t pc) {
    return &waits[pc % WAITS];
}

/* True when the engine must stop at T. executed: instructions executed so far. */
static inline __attribute__((always_inline)) bool wait_candidate(struct nes *n, struct wait *waits,
                                                                 const uint8_t *from, uint16_t pc,
                                                                 uint16_t target,
                                                                 uint64_t executed) {
    struct wait *const w = wait_entry(waits, pc);
    if (__builtin_expect(w->from != from || w->pc != pc, 0))
        wait_examine(n, w, from, pc, target);
    if (w->length == 0)
        return false;
    const bool again = executed - w->executed == w->length;
    w->executed = executed;
    return again;
}

/* The candidate that a jump ends; NULL: none. To stop there before it was seen twice costs at most
 * one pass. */
static inline struct wait *wait_at(struct nes *n, struct wait *waits, const uint8_t *from,
                                   uint16_t pc, uint16_t target) {
    struct wait *const w = wait_entry(waits, pc);
    if (w->from != from || w->pc != pc)
        wait_examine(n, w, from, pc, target);
    return w->length != 0 ? w : NULL;
}

/* Forgets all candidates: a state was loaded. */
void wait_forget(struct nes *n);

#endif
