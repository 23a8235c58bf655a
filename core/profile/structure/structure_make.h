/* structure_make: makes a structure from the pairs of instructions that were executed. Private to
 * core/profile. */
#ifndef HOTGRAPH_STRUCTURE_MAKE_H
#define HOTGRAPH_STRUCTURE_MAKE_H

#include "profile/structure/structure.h"

/* Fills in the parts that follow from s->graph, the graph of this flow: the instructions of its
 * blocks and which edges fall through; clears its counts. Leaves calls, and where contexts begin
 * and end, empty. Sorts the flow's pairs. */
enum status structure_of_blocks(struct structure *s, struct flow *flow, struct error *e);

#endif
