/* The same for one that executes busy-waits, too. */
#include "nes/machine.h"

#define LOOP_NAME     cpu_run_plain
#define LOOP_SKIPS    0
#define LOOP_TOUCHES  1
#define MET()         ((void)0)
#define WENT(how)     ((void)0)
#define LEFT()        ((void)0)
#define LOOP_LOCALS() ((void)0)
#include "nes/cpu_loop.h"
