/* The fast loop that searches for a repeated state (spin.h), without observers. */
#include "nes/machine/machine.h"

#define LOOP_FUNCTION                                                                              \
    void cpu_run_spin(struct nes *n, const struct registers *target, uint64_t stop,                \
                      uint64_t deadline, enum spin_end *how_ended)
#define MEETS()       false
#define MET()         ((void)0)
#define FIRE(how)     ((void)0)
#define LOOP_LOCALS() const uint8_t flags = target ? cpu_flags(target) : 0
#include "nes/cpu/cpu_spin_loop.h"
