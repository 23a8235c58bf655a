/* How often the arcs of code are likely to be executed. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_EDGE_WEIGHTS_H
#define HOTGRAPH_NATIVE_EDGE_WEIGHTS_H

#include "native/edges/edge_placement.h"
#include "native/edges/edge_tree.h"
#include "native/text/code_pieces.h"

enum {
    WEIGHT_CHECKED = 16,               /* a sixteenth of a function's calls */
    WEIGHT_EXECUTED = 64,              /* from here on: what an earlier run executed */
    WEIGHT_NO_ROOM = TREE_WEIGHTS - 1, /* heavier than any other: its counter finds no room */
};

/* Of each piece, of not taking its branch, and of taking it. */
struct weights {
    uint8_t *node, *fall, *taken;
};
/* Sets them: from the code alone, by loops, branches
 * and calls, or, of what was executed in an earlier run, from that. False: out of memory. */
bool edges_weigh(struct object *o, const piece_list *pieces, const struct tree_piece *tree,
                 const struct placement *earlier, const struct weights *out);

#endif
