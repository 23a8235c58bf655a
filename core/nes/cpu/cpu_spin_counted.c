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
        site = watch_find(n, PC(0), watch_slot(n, PC(0), ip), ip);                                 \
        if (__builtin_expect(n->observed.watch->callers != 0, 0))                                  \
            goto leave;                                                                            \
    } while (0)
#define FIRE(how) run_counts_fire(n, counts, site, how, PC(0))
#define LOOP_LOCALS()                                                                              \
    const uint8_t flags = target ? cpu_flags(target) : 0;                                          \
    const struct site *site = NULL
#include "nes/cpu/cpu_spin_loop.h"
