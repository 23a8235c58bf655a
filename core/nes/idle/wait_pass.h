/* wait_pass: skips the passes of a busy-wait that wait.h has found. Private to core/nes. */
#ifndef HOTGRAPH_WAIT_PASS_H
#define HOTGRAPH_WAIT_PASS_H

#include "nes/cpu/wait.h"

/* The machine is at the target T of `candidate`. Runs a pass, and skips all further passes that
 * surely begin before `stop` and the next alarm, and end before `deadline`. Completes recordings
 * that fall into the skipped passes. May end early, at any boundary, where something else is due.
 */
void wait_pass(struct nes *n, struct wait *candidate, uint64_t stop, uint64_t deadline);

#endif
