/*
 * fdata: writes a graph as a profile for BOLT, the post-link optimiser of LLVM.
 *
 * One line per edge, from the last instruction of its source to its target, offsets in hexadecimal:
 *
 *     1 FUNCTION OFFSET 1 FUNCTION OFFSET 0 COUNT
 *     0 [unknown] 0 1 FUNCTION 0 0 COUNT            an edge into the file from outside
 *
 * Fall-through edges have lines, too. BOLT rejects the profile of a function if a single edge does
 * not exist in the program. The graph is therefore first mapped onto the structure
 * (graph/layout/layout.h), and edges without a counterpart are left out. Also left out are
 *
 *   - returns, which BOLT does not use,
 *   - indirect jumps within the file, which BOLT takes for possible fall-throughs,
 *   - rare edges, because BOLT treats every block that ran at all as hot.
 */
#ifndef HOTGRAPH_QEMU_FDATA_H
#define HOTGRAPH_QEMU_FDATA_H

#include "graph/graph.h"
#include "profile/structure/structure.h"

enum { FDATA_RARE = 10 }; /* per million: the usual limit */

struct fdata_request {
    const char *elf;                   /* path of one of the structure's images */
    const struct structure *structure; /* recorded from a run of that program */
    const struct graph *graph;
    bool inferred; /* add the falls that follow from the inflow of blocks without a transfer */
    uint64_t rare; /* leave out edges below this many per million of the graph's weight */
};

struct fdata_counts {
    uint64_t lines, functions; /* written; functions: named by at least one line */
    uint64_t lost;             /* edges of the graph that do not exist in the program */
    /* Edges of the file that were left out. */
    uint64_t indirect, rare, returns, nameless; /* nameless: an end that has no name */
};

/* path NULL: standard output. STATUS_ARGUMENT if the file is not one of the structure's images, or
 * if the structure lacks images or block sizes. */
enum status fdata_write(const struct fdata_request *request, const char *path,
                        struct fdata_counts *out, struct error *e);

#endif
