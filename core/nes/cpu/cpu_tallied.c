/* The fast loop for a machine whose observers only count, through known runs of instructions: only
 * transfers are counted. */
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

#define LOOP_FUNCTION                                                                              \
    void cpu_run_tallied(struct nes *n, uint64_t stop, uint64_t deadline, bool *unknown)
#define LOOP_SKIPS      true
#define LOOP_STOPS      true
#define LOOP_READS(at)  false
#define LOOP_WRITES(at) false
#define LOOP_ENDS_ONCE  0
#define MEETS()         false
#define MET()           ((void)0)
#define IS_BRANCH       ((OPCODE & 0x1f) == 0x10)
/* The loop ends if the next run is unknown, or if a callback has made a request. */
#define LAND()                                                                                     \
    do {                                                                                           \
        if (runs[PC(0)] != RUN_KNOWN || n->observed.attention)                                     \
            end = NULL;                                                                            \
    } while (0)
#define WENT(how)                                                                                  \
    do {                                                                                           \
        if ((how) == OUTCOME_ELSEWHERE) {                                                          \
            STORE_REGISTERS();                                                                     \
            watch_left_elsewhere(n, from_pc);                                                      \
            LAND();                                                                                \
        } else if ((how) == OUTCOME_TARGET || IS_BRANCH) {                                         \
            watch_count_tally(n, &tallies[(how) == OUTCOME_TARGET ? from_pc : PC(-2)], how);       \
            LAND();                                                                                \
        }                                                                                          \
    } while (0)
#define LEFT() (*unknown = end == NULL)
#define LOOP_LOCALS()                                                                              \
    const struct tally *const tallies = n->observed.watch->tallies;                                \
    const uint8_t *const runs = n->observed.watch->runs
#include "nes/cpu/cpu_loop.h"
