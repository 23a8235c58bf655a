/* The loop of cpu_spin.c for a machine whose observers only count. */
#include "nes/machine/machine.h"
#include "nes/observe/run_counts.h"

#define LOOP_FUNCTION                                                                              \
    void cpu_run_spin_counted(struct nes *n, const struct registers *target, uint64_t stop,        \
                              uint64_t deadline, enum spin_end *how_ended,                         \
                              struct run_counts *counts)
/* An observer that comes to call, as it meets the instruction, ends the search before it. */
#define MEETS() true
#define MET()                                                                                      \
    do {                                                                                           \
        tally = &tallies[PC(0) & mask];                                                            \
        site = tally->counter[0] != 0 ? NULL : watch_find(n, PC(0), watch_slot(n, PC(0), ip), ip); \
        if (__builtin_expect(n->observed.watch->callers != 0, 0))                                  \
            goto leave;                                                                            \
    } while (0)
/* An instruction with a tally lies in memory that cannot be written. */
#define FIRE(how)                                                                                  \
    do {                                                                                           \
        if (site == NULL && (how) != OUTCOME_ELSEWHERE)                                            \
            run_counts_tally(n, counts, tally, how);                                               \
        else                                                                                       \
            run_counts_fire(n, counts,                                                             \
                            site != NULL ? site : watch_mapped(n, (uint16_t)(tally - tallies)),    \
                            how, PC(0));                                                           \
        if ((how) != OUTCOME_NEXT && watch_run_known(n, PC(0)))                                    \
            end = NULL; /* cpu_run_spin_tallied() is faster there */                               \
    } while (0)
#define LOOP_LOCALS()                                                                              \
    watch_follow_banks(n);                                                                         \
    const uint8_t flags = target ? cpu_flags(target) : 0;                                          \
    const struct tally *const tallies = n->observed.watch->tallies, *tally = tallies;              \
    const uint16_t mask = n->observed.watch->tally_mask;                                           \
    const struct site *site = NULL
#include "nes/cpu/cpu_spin_loop.h"
