/* idle: what the machine knows about busy-waits, which it skips. None of it is saved. Private to
 * core/nes. */
#ifndef HOTGRAPH_IDLE_H
#define HOTGRAPH_IDLE_H

#include "nes/cpu/wait.h"
#include "nes/idle/spin.h"

struct idle {
    struct wait waits[WAITS]; /* by pc of the jump */
    struct wait *waiting;     /* the engine has stopped at the start of this busy-wait */
    struct spins spins;
    uint64_t skipped;     /* instructions skipped; they count in cpu.instructions */
    uint64_t interrupted; /* cpu.instructions at the last interrupt or reset */
};

#endif
