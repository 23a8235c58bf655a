/*
 * site: one instrumented guest instruction, and the probes that are attached to it. Private to
 * core/nes and its engines.
 */
#ifndef HOTGRAPH_SITE_H
#define HOTGRAPH_SITE_H

#include "nes/probe.h"

enum { WATCH_COUNTERS = 1 << 20 }; /* of a machine, for probes */

struct hook {
    struct probe probe;
    unsigned observer;
    /* PROBE_ADD_TO: where the instruction went last, and the counter for that. Most go to the same place
     * again. */
    bool went;
    uint32_t to, counter;
};

struct hooks {
    struct hook *at;
    size_t count, cap;
    bool simple; /* exactly one hook, a PROBE_ADD */
    bool fires;  /* has hooks other than PROBE_ONCE that have fired */
};

/* Counter pair of an instruction that only counts: it fires nothing before it and, after
 * OUTCOME_NEXT and OUTCOME_TARGET, at most one quiet PROBE_ADD of 1. Indexed by these two outcomes:
 * 1 + the counter, or NOBODYS. 0: it fires more, or is not known. */
struct tally {
    uint32_t counter[2];
};
enum { NOBODYS = WATCH_COUNTERS + 1 }; /* a counter that nobody reads */

struct site {
    struct guest_insn insn;
    struct tally tally;   /* none for jumps in RAM, which may go elsewhere */
    uint32_t epoch;       /* value of memory.epoch at which it was current */
    uint8_t instrumented; /* observers whose instrument() was called: a bit each */
    bool volatile_bytes;  /* lies in memory that can be written */
    bool duplicate;       /* see nes_switch_code() */
    /* The value of watch.probes_epoch while the tally is that of all instructions with this opcode at the
     * address; and of those among them that opcode_may_wait() says the same of. 0: never. */
    uint32_t by_opcode, by_opcode_and_wait;
    struct site *next;                         /* in the same bucket */
    struct hooks probes[PROBE_WHEN_COUNT + 1]; /* the last one stays empty */
};

/* Reads only the bytes of the instruction, which may be the last in its memory. */
static inline bool watch_same_bytes(const struct site *site, const uint8_t *bytes) {
    const struct guest_insn *const insn = &site->insn;
    return bytes[0] == insn->bytes[0] && (insn->size < 2 || bytes[1] == insn->bytes[1]) &&
           (insn->size < 3 || bytes[2] == insn->bytes[2]);
}

#endif
