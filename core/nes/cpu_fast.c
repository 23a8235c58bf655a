/* The fast loop of the interpreter, for a machine that nobody watches. */
#include "nes/machine.h"

#define LOOP_NAME     cpu_run_fast
#define LOOP_SKIPS    1
#define MET()         ((void)0)
#define WENT(how)     ((void)0)
#define LEFT()        ((void)0)
#define LOOP_LOCALS() ((void)0)
#include "nes/cpu_loop.h"
