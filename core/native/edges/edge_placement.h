/* How often code was executed in an earlier run. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_EDGE_PLACEMENT_H
#define HOTGRAPH_NATIVE_EDGE_PLACEMENT_H

#include "base/base.h"
#include "native/session.h"

/* A file of the session; all zero: there is none. */
struct placement {
    const struct session_weight *blocks, *edges;
    size_t block_count, edge_count;
    size_t bytes;
};

/* Without such a file *p is all zero. */
enum status placement_open(struct placement *p, const char *folder, struct error *e);
void placement_close(struct placement *p);
/* Addresses are offsets in the program's file. Executions of the instruction, which begins a piece;
 * 0: none. */
uint64_t placement_executed(const struct placement *p, uint64_t at);
/* How often control went from the block with the instruction `from` to `to`. */
uint64_t placement_went(const struct placement *p, uint64_t from, uint64_t to);

#endif
