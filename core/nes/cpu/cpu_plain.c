/* The fast loop for a machine without observers that executes busy-waits, too: it does not check
 * jumps for them. */
#include "nes/machine/machine.h"

#define LOOP_FUNCTION   void cpu_run_plain(struct nes *n, uint64_t stop, uint64_t deadline)
#define LOOP_SKIPS      false
#define LOOP_STOPS      true
#define LOOP_READS(at)  true
#define LOOP_WRITES(at) true
#define LOOP_ENDS_ONCE  0
#define MEETS()         false
#define MET()           ((void)0)
#define WENT(how)       ((void)0)
#define LEFT()          ((void)0)
#define LOOP_LOCALS()   ((void)0)
#include "nes/cpu/cpu_loop.h"
