/*
 * path_flow: acyclic paths of a graph, how often each was executed, and how much of that an edge profile
 * tells.
 *
 * A path is a start block and the edges that were taken from there on. It ends where an edge is cut:
 * with a backward edge, or with a call, both of which belong to it; or in a block that returns. The
 * edges that are not cut form an acyclic graph, as in Ball and Larus (1996, "Efficient path
 * profiling"). The flow of a path is its count times the number of decisions on it, edges whose source
 * has several successors: the branch-flow metric of Bond and McKinley (2005, "Practical path profiling
 * for dynamic optimizers"). A path without decisions has no flow. Edges of busy-waits are no decisions:
 * so the passes of a wait have no flow either.
 *
 * A path is hot if it has at least one part in PATHS_HOT_PART of all flow, which is .125 % as in these
 * papers.
 *
 * Invariants
 *  - Nothing here depends on the order of paths, but for ties between equally hot estimates: the first
 *    path comes first.
 *  - Counts sum to at most GRAPH_WEIGHT_MAX.
 *
 *     struct path_shares exact, found;
 *     paths_measure(&exact, &program, &set);
 *     ... estimate each path's flow
 *     paths_compare(&found, &program, &set, estimates, estimated_flow, &e);
 */
#ifndef HOTGRAPH_GRAPH_PATH_FLOW_H
#define HOTGRAPH_GRAPH_PATH_FLOW_H

#include "graph/graph.h"

enum { PATHS_HOT_PART = 800 };

/* What paths are made of. */
struct path_program {
    const struct graph *graph;
    bool *cut;        /* of each edge: paths end with it, or before it if its block returns */
    bool *decision;   /* of each edge */
    uint64_t *begins; /* of each block: number of contexts that began there */
};
/* calls, returns: of each block, that it ends with a call or interrupt, or with a return. begins is copied. */
enum status path_program_make(struct path_program *out, const struct graph *graph,
                              const bool *leaves, const uint64_t *begins, struct error *e);
void path_program_free(struct path_program *p);

struct path {
    uint32_t start; /* number of the block */
    uint32_t edge_count;
    size_t first; /* its edges: path_set.edges[first] ... */
    uint64_t count;
};
struct path_set {
    VEC(struct path) paths;
    VEC(uint32_t) edges; /* numbers of edges of the graph */
};
void path_set_free(struct path_set *s);

/* Number of decisions on the path. */
uint64_t path_decisions(const struct path_program *p, const struct path_set *s,
                        const struct path *path);

struct path_totals {
    uint64_t paths;    /* with flow */
    uint64_t flow;     /* of all of them */
    uint64_t hot;      /* number of hot paths */
    uint64_t hot_flow; /* their flow */
};
void paths_measure(struct path_totals *out, const struct path_program *p, const struct path_set *s);

/* What estimates are worth. estimates[i]: of the flow of path i. all: estimated flow of all paths,
 * including those that are not in the set. Both are parts of the flow of hot paths:
 *   overlap  sum over hot paths of min(flow, estimate), with estimates scaled so that `all` becomes the
 *            true flow
 *   matched  flow of those hot paths that are also among the hottest by the estimates, of which as many
 *            are taken (Wall 1991, "Predicting program behavior using real or estimated profiles") */
struct path_match {
    uint64_t overlap, matched;
};
enum status paths_compare(struct path_match *out, const struct path_program *p,
                          const struct path_set *s, const uint64_t *estimates, uint64_t all,
                          struct error *e);

/* How much of the paths an edge profile tells. counts: of each edge of the graph, in the scale of the
 * paths; they may be wrong, and need not be a flow.
 *   fixed    sum over all paths of min(flow, definite flow). A path's definite flow is what it has in
 *            every set of paths with these edge counts (Ball, Mataga, Sagiv 1998, "Edge profiling
 *            versus path profiling: the showdown"): its start's count less what leaves it at each block
 *   match    of estimates that take each branch as independent of those before it */
struct path_knowledge {
    uint64_t fixed;
    struct path_match match;
};
enum status paths_known_by_edges(struct path_knowledge *out, const struct path_program *p,
                                 const struct path_set *s, const uint64_t *counts, struct error *e);
/* Scales counts so that as many decisions are made by them as on the paths. */
void paths_scale(uint64_t *counts, const struct path_program *p, const struct path_set *s);

#endif
