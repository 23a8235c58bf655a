/* The loop of cpu_spin_counted.c through known runs of instructions: only transfers are counted. */
#include "nes/machine/machine.h"
#include "nes/observe/run_counts.h"

#define LOOP_FUNCTION                                                                              \
    void cpu_run_spin_tallied(struct nes *n, const struct registers *target, uint64_t stop,        \
                              uint64_t deadline, enum spin_end *how_ended,                         \
                              struct run_counts *counts)
#define LOOP_ENDS_ONCE 0
#define MEETS()        false
#define MET()          ((void)0)
#define IS_BRANCH      ((OPCODE & 0x1f) == 0x10)
/* The loop ends if the next run is unknown. */
#define LAND()                                                                                     \
    do {                                                                                           \
        if (runs[PC(0)] != RUN_KNOWN)                                                              \
            end = NULL;                                                                            \
    } while (0)
#define FIRE(how)                                                                                  \
    do {                                                                                           \
        if ((how) == OUTCOME_ELSEWHERE) {                                                          \
            run_counts_fire(n, counts, watch_mapped(n, from_pc), how, PC(0));                      \
            LAND();                                                                                \
        } else if ((how) == OUTCOME_TARGET || IS_BRANCH) {                                         \
            run_counts_tally(n, counts, &tallies[(how) == OUTCOME_TARGET ? from_pc : PC(-2)],      \
                             how);                                                                 \
            LAND();                                                                                \
        }                                                                                          \
    } while (0)
#define LOOP_LOCALS()                                                                              \
    const uint8_t flags = target ? cpu_flags(target) : 0;                                          \
    const struct tally *const tallies = n->observed.watch->tallies;                                \
    const uint8_t *const runs = n->observed.watch->runs
#include "nes/cpu/cpu_spin_loop.h"
