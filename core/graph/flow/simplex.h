/* Private to core/graph: the state of the network simplex method (simplex.c), its first tree
 * (simplex_start.c), and the choice of the edge that enters the tree (simplex_entering.c). */
#ifndef HOTGRAPH_GRAPH_SIMPLEX_H
#define HOTGRAPH_GRAPH_SIMPLEX_H

#include "graph/flow/convex.h"

#define NO_NODE UINT32_MAX
#define NO_EDGE UINT32_MAX

struct tree_edge {
    uint32_t from, to;
    uint32_t first,
        count;   /* breaks of the network, plus one before the first and one after the last */
    uint32_t at; /* in the tree: the current piece; outside: the current break */
    bool in_tree;
    __int128 shift;
    int64_t flow;
};

struct tree_node {
    uint32_t parent, first_child, next, previous; /* children are a doubly linked list */
    uint32_t edge;                                /* to the parent */
    uint32_t size;                                /* nodes of its subtree, itself included */
};

/* A node of the cycle, with its subtree off the cycle. */
struct branch {
    uint32_t node, on_cycle; /* its child on the cycle, or NO_NODE */
    __int128 shift;          /* added to the potentials of these nodes */
};

/* The flow round the cycle at which one of its edges reaches a break. */
struct event {
    int64_t amount;
    uint32_t place; /* position of the edge on the cycle, from its top in the direction of the
                       flow */
};

/* An edge of the cycle, and whether the flow runs along it. */
struct link {
    uint32_t edge;
    bool along;
};

enum { CANDIDATES = 200 }; /* candidates kept from pivot to pivot */
struct candidate {
    __int128 gain; /* change of the cost by one unit, so it is negative */
    uint32_t edge;
    bool more;
};

struct simplex {
    struct convex *x;
    struct tree_edge *edges; /* the remaining edges, then the artificial ones */
    size_t edge_count, real_count;
    uint32_t *origin; /* of each edge: its number in the network */
    uint32_t *number; /* of each node of the network: its number here, or NO_NODE */
    struct tree_node *nodes;
    unsigned __int128 *potential; /* of each node; only differences matter, so it may wrap */
    size_t node_count;            /* nodes that still have edges */
    bool large;                   /* potentials are right only when all edges have been priced */
    uint32_t root;
    struct candidate *candidates; /* edges that reduced the cost when they were last priced */
    size_t candidate_count;
    size_t next_candidate;   /* in a large network: the first one that was not tried */
    size_t block, next_edge; /* in a small one: edges are priced in blocks, round robin */
    struct link *cycle;
    size_t cycle_length, entering_place;
    uint32_t top;         /* of the cycle */
    struct event *events; /* a heap: the next one first */
    size_t event_count;
    struct branch *branches;
};

static inline __int128 slope(const struct simplex *s, const struct tree_edge *edge,
                             uint32_t piece) {
    return s->x->breaks.at[edge->first + piece].slope + edge->shift;
}

static inline int64_t break_at(const struct simplex *s, const struct tree_edge *edge,
                               uint32_t piece) {
    return s->x->breaks.at[edge->first + piece].at;
}

static inline void link_child(struct simplex *s, uint32_t v, uint32_t parent, uint32_t edge) {
    struct tree_node *n = &s->nodes[v], *p = &s->nodes[parent];
    n->parent = parent;
    n->edge = edge;
    s->edges[edge].in_tree = true;
    n->previous = NO_NODE;
    n->next = p->first_child;
    if (n->next != NO_NODE)
        s->nodes[n->next].previous = v;
    p->first_child = v;
}

/* The potential of a node less its parent's, so that the reduced cost of the edge between them is
 * 0. */
static inline __int128 potential_step(const struct simplex *s, uint32_t v) {
    const struct tree_edge *edge = &s->edges[s->nodes[v].edge];
    const __int128 cost = slope(s, edge, edge->at);
    return edge->from == v ? -cost : cost;
}

/* Takes the network that presolving left, chooses a tree and fills it; those of an earlier solution
 * if the network knows them. Call simplex_free() also
 * after a failure. */
enum status simplex_start(struct simplex *s, struct convex *x, const struct presolve *left,
                          struct error *e);
void simplex_free(struct simplex *s);

/* Chooses an edge and a direction that reduce the cost, and finds their cycle. False: the flow is
 * optimal, and all potentials are right. */
bool simplex_find_entering(struct simplex *s, struct candidate *entering);

#endif
