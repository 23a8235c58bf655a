/*
 * run_counts: what the probes of a run of instructions have counted, so that the run can be counted
 * again without being executed. Private to core/nes.
 *
 * All kinds of probes but those that call are counted (watch_calls()).
 */
#ifndef HOTGRAPH_RUN_COUNTS_H
#define HOTGRAPH_RUN_COUNTS_H

#include "nes/observe/watch.h"

enum { RUN_COUNTS_MOST = 1024 };

struct run_counts {
    unsigned count;
    bool overflow; /* there was more to count, and it was counted, but not noted here */
    struct {
        const struct hook *hook; /* NULL: that of a tally */
        uint32_t counter;        /* UINT32_MAX: it adds nothing again */
    } at[RUN_COUNTS_MOST];
};

static inline void run_counts_note(struct run_counts *counts, const struct hook *hook,
                                   uint32_t counter) {
    if (counts->count == RUN_COUNTS_MOST) {
        counts->overflow = true;
        return;
    }
    counts->at[counts->count].hook = hook;
    counts->at[counts->count++].counter = counter;
}
/* Fires all probes of an instruction that was executed and went to `pc`: those before it, too. */
void run_counts_fire(struct nes *n, struct run_counts *counts, const struct site *site,
                     enum insn_outcome outcome, uint16_t pc);
/* The same of an instruction with a tally, which did not go elsewhere. */
static inline void run_counts_tally(struct nes *n, struct run_counts *counts,
                                    const struct tally *tally, enum insn_outcome outcome) {
    const uint32_t counter = tally->counter[outcome] - 1;
    if (counter == NOBODYS - 1)
        return;
    n->observed.counters[counter]++;
    run_counts_note(counts, NULL, counter);
}
/* Counts the noted run `times` more. */
void run_counts_repeat(struct nes *n, const struct run_counts *counts, uint64_t times);

#endif
