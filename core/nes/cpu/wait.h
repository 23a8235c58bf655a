/*
 * wait: busy-waits are passed over in one step. Private to core/nes.
 *
 * An engine that takes a jump backwards asks wait_candidate(). A candidate is a short path through
 * ROM code, from the jump's target T to the jump J, on which no branch before J is taken, that
 * writes no memory, reads nothing but plain memory and $2002, and in which no register or flag that
 * is read before it is written is written (the static busy-wait test of the specification, for one
 * path). It may go through jumps, and through calls with the returns from them: each pass pushes
 * the same bytes, pulls them, and leaves them below the stack pointer, where it does not read them
 * otherwise. When the last two arrivals of J at T lie exactly one pass apart the engine stops there
 * (wait_pass). If nothing but a pass can have been between them, every pass until the next event is
 * the same, and whole passes are added to the counts instead of being executed. So it is, too, if
 * one more pass, run instruction by instruction, leads from T to T with equal registers.
 */
#ifndef HOTGRAPH_WAIT_H
#define HOTGRAPH_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nes;

enum { WAITS = 64, WAIT_LONGEST = 16, WAIT_NESTED = 3, PPU_STATUS_ADDRESS = 0x2002 };

/* What a pass fires where that is a few quiet PROBE_ADDs and no more, as a rule. */
enum { WAIT_ADDS = 2 };
struct wait_adds {
    bool known; /* for map_epoch `epoch` */
    bool all;   /* there is nothing else */
    uint8_t count;
    uint8_t at[WAIT_ADDS]; /* the number of its instruction in the pass */
    uint32_t epoch;
    uint32_t counter[WAIT_ADDS], value[WAIT_ADDS];
};

struct wait {
    const uint8_t *from;         /* where J lies in the host's memory */
    uint16_t pc, target;         /* of J, and T */
    uint8_t length;              /* instructions of a pass; 0: not a candidate */
    uint8_t cost;                /* cycles of a pass, */
    uint8_t at[WAIT_LONGEST];    /* of these, when each instruction begins, */
    uint16_t path[WAIT_LONGEST]; /* and where it is */
    bool straight;               /* each lies behind the one before it */
    bool calls;                  /* and returns: writes to the stack */
    const uint8_t *lies[4];      /* where the code at $8000, $A000, .. is, that is not beside J */
    bool unmasks;                /* clears I: an IRQ comes within it, whatever I is at T */
    bool status;                 /* reads $2002, */
    uint8_t read_at;             /* for the last time in this cycle of the pass */
    bool certain;      /* two arrivals one pass apart, and no interrupt, have nothing between them
                          but a pass */
    uint64_t executed; /* instructions executed by the machine at J's last arrival */
    struct wait_adds adds;
};

/* Fills the entry for the jump at `from`, `pc`, which goes back to `target`. */
void wait_examine(struct nes *n, struct wait *w, const uint8_t *from, uint16_t pc, uint16_t target);

/* True when the engine shall stop at T: `executed` instructions have been executed. */
static inline __attribute__((always_inline)) bool wait_candidate(struct nes *n, struct wait *waits,
                                                                 const uint8_t *from, uint16_t pc,
                                                                 uint16_t target,
                                                                 uint64_t executed) {
    struct wait *const w = &waits[(uintptr_t)from % WAITS];
    if (__builtin_expect(w->from != from || w->pc != pc, 0))
        wait_examine(n, w, from, pc, target);
    if (w->length == 0)
        return false;
    const bool again = executed - w->executed == w->length;
    w->executed = executed;
    return again;
}

/* The candidate that a jump ends; NULL: it ends none. To stop there without having seen it twice
 * costs one pass at most. */
static inline struct wait *wait_at(struct nes *n, struct wait *waits, const uint8_t *from,
                                   uint16_t pc, uint16_t target) {
    struct wait *const w = &waits[(uintptr_t)from % WAITS];
    if (w->from != from || w->pc != pc)
        wait_examine(n, w, from, pc, target);
    return w->length != 0 ? w : NULL;
}

/* Forgets all candidates: a state was loaded. */
void wait_forget(struct nes *n);

#endif
