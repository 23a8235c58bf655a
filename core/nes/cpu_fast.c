/* The fast loop for a machine that nobody watches, within the deadline its caller knows. */
#include "nes/machine.h"

#define LOOP_NAME     cpu_run_fast
#define LOOP_SKIPS    1
#define LOOP_TOUCHES  0
#define MET()         ((void)0)
#define WENT(how)     ((void)0)
#define LEFT()        ((void)0)
#define LOOP_LOCALS() ((void)0)
#include "nes/cpu_loop.h"
