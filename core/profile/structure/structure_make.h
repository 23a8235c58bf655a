/* structure_make: a structure from pairs of instructions that were executed. Private to
 * core/profile. */
#ifndef HOTGRAPH_STRUCTURE_MAKE_H
#define HOTGRAPH_STRUCTURE_MAKE_H

#include "profile/structure/structure.h"

/* Fills in what follows from s->graph, which is that of the flow: the instructions of its blocks,
 * and which edges fall through; takes the counts away. Where threads begin and end, and calls, are
 * left empty. Sorts the flow's pairs. */
enum status structure_of_blocks(struct structure *s, struct flow *flow, struct error *e);

#endif
