/*
 * fdata: a graph as a profile for BOLT, the optimiser of linked programs that comes with LLVM.
 *
 * A line an edge of the program, from the last instruction of its source to its target, offsets in
 * hexadecimal:
 *
 *     1 FUNCTION OFFSET 1 FUNCTION OFFSET 0 COUNT
 *     0 [unknown] 0 1 FUNCTION 0 0 COUNT            what comes into the file from elsewhere
 *
 * Falls are lines, too. BOLT rejects the profile of a function in which one edge is not the
 * program's, so the graph is first put on the structure (graph/layout/layout.h), and what that has
 * no edge for is left out. Left out are also returns, which BOLT does not use; indirect jumps within
 * the file, which it takes for possible falls; and edges that are rare, since it keeps whatever ran
 * once among what is hot.
 */
#ifndef HOTGRAPH_QEMU_FDATA_H
#define HOTGRAPH_QEMU_FDATA_H

#include "graph/graph.h"
#include "profile/structure/structure.h"

enum { FDATA_RARE = 10 }; /* per million: the usual limit */

struct fdata_request {
    const char *elf;                   /* one of the structure's images */
    const struct structure *structure; /* of a run of that program */
    const struct graph *graph;
    uint64_t rare; /* edges below this many per million of the graph's weight are left out */
};

struct fdata_counts {
    uint64_t lines, functions; /* written; functions: in which a line begins or ends */
    uint64_t lost;             /* edges of the graph that the program does not have */
    /* Edges of the file that were left out. */
    uint64_t indirect, rare, returns, nameless; /* nameless: not from or to where it can be said */
};

/* path: NULL is standard output. STATUS_ARGUMENT if the file is none of the structure's images, or
 * the structure has no images or sizes of blocks. */
enum status fdata_write(const struct fdata_request *request, const char *path,
                        struct fdata_counts *out, struct error *e);

#endif
