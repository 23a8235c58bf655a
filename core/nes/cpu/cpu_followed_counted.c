/* The loop of cpu_followed.c for a machine whose other observers only count. */
#include "nes/cpu/cpu_followed.h"

#define LOOP_FUNCTION                                                                              \
    void cpu_run_followed_counted(struct nes *n, struct following *f, uint64_t stop,               \
                                  uint64_t deadline)
#define MEETS() (tally = &tallies[PC(0) & mask], __builtin_expect(tally->counter[0] == 0, 0))
/* In RAM, or met for the first time. */
#define MET()                                                                                      \
    do {                                                                                           \
        tally = &watch_find(n, PC(0), watch_slot(n, PC(0), ip), ip)->tally;                        \
        if (tally->counter[0] == 0 || n->observed.follow != f->request)                            \
            goto leave;                                                                            \
    } while (0)
#define COUNT(how)                                                                                 \
    do {                                                                                           \
        if ((how) != OUTCOME_ELSEWHERE) {                                                          \
            n->observed.counters[tally->counter[(how) == OUTCOME_TARGET] - 1]++;                   \
        } else {                                                                                   \
            STORE_REGISTERS();                                                                     \
            watch_left_elsewhere(n, from_pc);                                                      \
            if (n->observed.follow != f->request)                                                  \
                end = NULL;                                                                        \
        }                                                                                          \
    } while (0)
#define LOOP_LOCALS()                                                                              \
    const struct tally *const tallies = n->observed.watch->tallies, *tally = tallies;              \
    const uint16_t mask = n->observed.watch->tally_mask;                                           \
    FOLLOWING()
#include "nes/cpu/cpu_followed_loop.h"
