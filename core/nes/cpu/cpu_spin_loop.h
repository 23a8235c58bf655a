/*
 * cpu_spin_loop: the body of the loops that search for a repeated state (spin.h). A loop ends after
 * a jump to the pc of *target with equal registers, after the jump of a short busy-wait, or before
 * an access that a spin may not contain. An includer defines LOOP_FUNCTION, LOOP_LOCALS() and MET()
 * as for cpu_loop.h, and FIRE(how), which fires the probes of the instruction just executed, and may
 * end the loop by `end = NULL`. Private to core/nes.
 */
#define LOOP_SKIPS true
#define LOOP_STOPS false
/* Pads and unmapped addresses. */
#define LOOP_READS(at)  ((at) >= 0x4000 && (at) != 0x4015)
#define LOOP_WRITES(at) ((at) == 0x4016)
#ifndef LOOP_ENDS_ONCE
#define LOOP_ENDS_ONCE 1
#endif
#define IS_TARGET()                                                                                \
    (PC(0) == target->pc && a == target->a && x == target->x && y == target->y &&                  \
     s == target->s && GET_P() == flags)
#define WENT(how)                                                                                  \
    do {                                                                                           \
        FIRE(how);                                                                                 \
        if ((how) == OUTCOME_TARGET && back && wait_at(n, n->idle.waits, from, from_pc, PC(0)))    \
            *how_ended = SPIN_WAITS;                                                               \
        else if ((how) != OUTCOME_NEXT && (!target || IS_TARGET()))                                \
            *how_ended = SPIN_ARRIVED;                                                             \
        else                                                                                       \
            break;                                                                                 \
        end = NULL;                                                                                \
    } while (0)
#define LEFT() ((void)0)
#include "nes/cpu/cpu_loop.h"
