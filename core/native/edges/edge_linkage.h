/* Which linkage stubs may lead into code that the graph counts, too. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_EDGE_LINKAGE_H
#define HOTGRAPH_NATIVE_EDGE_LINKAGE_H

#include "native/edges/edge_tree.h"
#include "native/session_state.h"
#include "native/text/code_pieces.h"

/* Of names that the session's objects define: their hashes, in order. */
struct linkage {
    VEC(uint64_t) names;
};
/* False: out of memory. */
bool linkage_open(struct linkage *l, const struct hotprobe *h);
void linkage_close(struct linkage *l);
/* Call it after edges_returns(): sets `stays` of linkage stubs, ends l, that may lead into an object of
 * the session. The others lead to other code. False: out of memory. */
bool linkage_find(const struct linkage *l, struct hotprobe *h, const struct object *o,
                  const piece_list *pieces, const struct tree_piece *tree, uint8_t *stays);

#endif
