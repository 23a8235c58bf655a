/* ranked_edges: the edges of a graph in one scope, by weight, with the hot ones marked, and the
 * weights of its blocks: the form in which graphs are compared. Private to core/graph. */
#ifndef HOTGRAPH_GRAPH_RANKED_EDGES_H
#define HOTGRAPH_GRAPH_RANKED_EDGES_H

#include "graph/graph.h"
#include "graph/ratio.h"

struct block_weight {
    uint32_t entry;
    wide in, out; /* sums over edges; finally `in` is max(in, out), the weight */
};

struct name {
    uint32_t last, target; /* last instruction of the source block, first of the target block */
    uint64_t count;
    bool hot;
};

struct ranked_edges {
    struct edge *edges; /* those in the scope, sorted */
    size_t edge_count;
    uint64_t weight;             /* of these edges */
    struct block_weight *blocks; /* the blocks of these edges, sorted by entry */
    size_t block_count;
    wide block_weight;  /* sum over them */
    bool set;           /* the whole graph is a set: every edge is hot */
    bool named;         /* all source blocks are known; else there are no names */
    struct name *names; /* sorted by (last, target), unique */
    size_t name_count, hot_names;
    uint64_t least_hot; /* least weight of a hot name; 0 without any */
};
/* leave_out: one flag for each edge of g, or NULL. */
enum status ranked_edges_make(struct ranked_edges *v, const struct graph *g, const bool *leave_out,
                              unsigned hot_permille, struct error *e);
void ranked_edges_free(struct ranked_edges *v);

#endif
