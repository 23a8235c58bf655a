/* storm: skips unacknowledged IRQ loops. Private to core/nes. */
#ifndef HOTGRAPH_STORM_H
#define HOTGRAPH_STORM_H

#include <stdbool.h>
#include <stdint.h>

struct nes;

/* Call when an interrupt is due. Executes one pass of interrupt and RTI, and skips all further
 * passes that lead back here before cycle `stop`. False: nothing was done. */
bool storm_pass(struct nes *n, uint64_t stop);

#endif
