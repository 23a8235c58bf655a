/* Returns, jumps through tables and linkage stubs whose targets follow from counts. Private to
 * core/native. */
#ifndef HOTGRAPH_NATIVE_EDGE_RETURNS_H
#define HOTGRAPH_NATIVE_EDGE_RETURNS_H

#include "native/edges/edge_tree.h"
#include "native/text/code_pieces.h"

/* Sets, for pieces that end with a, other ends (r, w and l) where the targets are known; `back` of
 * calls, `arm_of` of arms; clears may_enter where only the program's own edges lead. `weights` are
 * those of the pieces. False: out of memory. Call it before the text is patched. */
bool edges_returns(struct object *o, const piece_list *pieces, struct tree_piece *tree,
                   const uint8_t *weights);

#endif
