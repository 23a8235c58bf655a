/* The fast loop for a machine that nobody watches, as the interpreter runs it. */
#include "nes/machine.h"

#define LOOP_NAME     cpu_run_skipping
#define LOOP_SKIPS    1
#define LOOP_TOUCHES  1
#define MET()         ((void)0)
#define WENT(how)     ((void)0)
#define LEFT()        ((void)0)
#define LOOP_LOCALS() ((void)0)
#include "nes/cpu_loop.h"
