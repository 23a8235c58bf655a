/*
 * site: one instrumented guest instruction, and the probes that are attached to it. Private to
 * core/nes and its engines.
 */
#ifndef HOTGRAPH_SITE_H
#define HOTGRAPH_SITE_H

#include "nes/probe.h"

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

/* No more is read than the instruction has, which may be the last in its memory. */
static inline bool watch_same_bytes(const struct site *site, const uint8_t *bytes) {
    const struct guest_insn *const insn = &site->insn;
    return bytes[0] == insn->bytes[0] && (insn->size < 2 || bytes[1] == insn->bytes[1]) &&
           (insn->size < 3 || bytes[2] == insn->bytes[2]);
}

#endif
