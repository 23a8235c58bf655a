/* The fast loop that searches for a repeated state (spin.h). It ends after a jump to the pc of
 * *target with equal registers, after the jump of a short busy-wait, or before an access that a
 * spin may not contain. */
#include "nes/machine/machine.h"

#define LOOP_FUNCTION                                                                              \
    void cpu_run_spin(struct nes *n, const struct registers *target, uint64_t stop,                \
                      uint64_t deadline, enum spin_end *how_ended)
#define LOOP_SKIPS true
#define LOOP_STOPS false
/* Pads and unmapped addresses. */
#define LOOP_READS(at)  ((at) >= 0x4000 && (at) != 0x4015)
#define LOOP_WRITES(at) ((at) == 0x4016)
#define LOOP_ENDS_ONCE  1
#define MET()           ((void)0)
#define IS_TARGET()                                                                                \
    (PC(0) == target->pc && a == target->a && x == target->x && y == target->y &&                  \
     s == target->s && GET_P() == flags)
#define WENT(how)                                                                                  \
    do {                                                                                           \
        if ((how) == OUTCOME_TARGET && back && wait_at(n, n->idle.waits, from, from_pc, PC(0)))    \
            *how_ended = SPIN_WAITS;                                                               \
        else if ((how) != OUTCOME_NEXT && (!target || IS_TARGET()))                                \
            *how_ended = SPIN_ARRIVED;                                                             \
        else                                                                                       \
            break;                                                                                 \
        end = NULL;                                                                                \
    } while (0)
#define LEFT()        ((void)0)
#define LOOP_LOCALS() const uint8_t flags = target ? cpu_flags(target) : 0
#include "nes/cpu/cpu_loop.h"
