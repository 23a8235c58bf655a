/* Private to core/graph. */
#ifndef HOTGRAPH_GRAPH_INTERNAL_H
#define HOTGRAPH_GRAPH_INTERNAL_H

#include "graph/graph.h"

#include <math.h>

/* For sorting edges by (source, target) and blocks by entry with qsort. */
int edge_compare(const void *a, const void *b);
int block_compare(const void *a, const void *b);

/* The instructions of every block, block after block: those of g->blocks[i] are
 * address[start[i]] .. address[start[i + 1] - 1]. */
struct block_chains {
    uint32_t *address;
    size_t *start; /* g->block_count + 1 */
};

/* Sets `busy` on the busy-wait edges of g (busy.c). */
enum status busy_mark(struct graph *g, const struct block_chains *chains,
                      const struct flow_insn *insns, size_t insn_count, struct error *e);

/* ---- a graph in one scope, made ready to be compared (view.c) ---- */

typedef unsigned __int128 wide;

struct block_weight {
    uint32_t entry;
    wide in, out; /* in is the block's weight, max(in, out), once the view is made */
};

struct name {
    uint32_t last, target; /* last instruction of the source block, first of the target block */
    uint64_t count;
    bool hot;
};

struct view {
    struct edge *edges; /* those in the scope, sorted */
    size_t edge_count;
    uint64_t weight;             /* of these edges */
    struct block_weight *blocks; /* that these edges touch, sorted by entry */
    size_t block_count;
    wide block_weight;  /* sum over them */
    bool set;           /* the whole graph is a set: every edge is hot */
    bool named;         /* all source blocks are known; else there are no names */
    struct name *names; /* sorted by (last, target), unique */
    size_t name_count, hot_names;
    uint64_t least_hot; /* least weight of a hot name; 0 without any */
};
/* leave_out: one flag an edge of g, or NULL. */
enum status view_make(struct view *v, const struct graph *g, const bool *leave_out,
                      unsigned hot_permille, struct error *e);
void view_free(struct view *v);

/* The fair metrics of g against h (fair.c). */
void fair_compare(struct fair_metrics *out, const struct view *g, const struct view *h);

static inline double ratio(wide part, wide whole) {
    return whole == 0 ? NAN : (double)part / (double)whole;
}

/* ---- busy-waits of an exact graph, found again in another (busy_again.c) ---- */

struct wait { /* what a busy-wait edge asks of an edge that runs along it */
    uint32_t transfer, target;
};
struct waits {
    struct wait *at;
    size_t count;
};
enum status waits_collect(struct waits *w, const struct graph *h, struct error *e);
void waits_free(struct waits *w);
/* along[i]: edge i of g runs along one of the waits. */
enum status waits_match(const struct waits *w, bool *along, const struct graph *g, struct error *e);

#endif
