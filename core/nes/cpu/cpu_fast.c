/* The fast loop for a machine without observers. */
#include "nes/machine/machine.h"

#define LOOP_FUNCTION                                                                              \
    void cpu_run_fast(struct nes *n, uint64_t stop, uint64_t deadline, bool touches)
#define LOOP_SKIPS      true
#define LOOP_STOPS      true
#define LOOP_READS(at)  touches
#define LOOP_WRITES(at) touches
#define LOOP_ENDS_ONCE  0
#define MEETS()         false
#define MET()           ((void)0)
#define WENT(how)       ((void)0)
#define LEFT()          ((void)0)
#define LOOP_LOCALS()   ((void)0)
#include "nes/cpu/cpu_loop.h"
