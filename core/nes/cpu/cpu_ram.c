/* The fast loop for a machine without observers, through code below $8000, whose bytes may change: it ends where control
 * leaves that. No busy-wait lies there. */
#include "nes/machine/machine.h"

#define LOOP_FUNCTION   void cpu_run_ram(struct nes *n, uint64_t stop, uint64_t deadline)
#define LOOP_SKIPS      false
#define LOOP_STOPS      false
#define LOOP_READS(at)  true
#define LOOP_WRITES(at) true
#define LOOP_ENDS_ONCE  0
#define MEETS()         false
#define MET()           ((void)0)
#define WENT(how)                                                                                  \
    do {                                                                                           \
        if ((how) != OUTCOME_NEXT && PC(0) >= 0x8000)                                              \
            end = NULL;                                                                            \
    } while (0)
#define LEFT()        ((void)0)
#define LOOP_LOCALS() ((void)0)
#include "nes/cpu/cpu_loop.h"
