/*
 * path_counts: the acyclic paths that a machine executes, counted at each control transfer. Private to
 * core/profile.
 *
 * A path starts where an interrupted context begins, at the target of a call, return or backward
 * transfer, and ends with the next of these, which belongs to it; of a return only the instruction. A
 * forward transfer goes on, and so does an untaken branch: it needs no record, because the next taken
 * transfer says where the code ran straight to. Interrupts do not end paths: each context has its own
 * position (traces.h, whose contexts and probes these are).
 *
 * Paths are kept as a tree: each taken transfer is a node below those before it on the path. So two
 * paths are the same if and only if their transfers are.
 *
 * With sampling, paths are also counted only when they end soon after a tick of a timer.
 */
#ifndef HOTGRAPH_PROFILE_PATH_COUNTS_H
#define HOTGRAPH_PROFILE_PATH_COUNTS_H

#include "graph/path/path_flow.h"
#include "profile/trace/traces.h"

enum path_counting { PATHS_EACH, PATHS_SAMPLED, PATH_COUNTINGS };

#define PATH_NOWHERE UINT32_MAX
/* The transfer by which the path came here:
 *   from, to                       it was taken
 *   from, PATH_NOWHERE             a return, with which the path ends
 *   PATH_NOWHERE, start            the path starts; the parent is 0
 *   PATH_NOWHERE, PATH_NOWHERE     the context ended by resuming another one
 *   PATH_NOWHERE, address          the context did not go on at this address: the path is cut off */
struct path_node {
    uint32_t parent; /* lower than its own number */
    uint32_t from, to;
    bool starts;
    uint64_t ends[PATH_COUNTINGS]; /* paths that ended here */
};

struct path_sampling {    /* a zero period: none */
    uint64_t period, due; /* cycles */
    uint64_t samples, stride;
    uint64_t left, skip; /* path ends of this burst; those to be ignored before */
    uint64_t rotation;   /* the next burst's skip */
    uint64_t taken;      /* samples so far */
};

struct path_counts {
    VEC(struct path_node) nodes;        /* number 0 is none */
    struct map step_at;                 /* from << 32 | to -> number */
    struct map child_at;                /* parent << 33 | starts << 32 | step -> node */
    struct map returns[PATH_COUNTINGS]; /* from << 32 | to -> count */
    struct path_sampling sampling;
    uint64_t transfers; /* recorded */
    uint64_t ended;     /* paths, without those that were cut off */
};

/* Hooks of a trace_policy whose own memory begins with a struct path_counts. */
void path_counts_arrives(struct traces *t, struct trace_context *c, const struct arrival *a);
void path_counts_ends(struct traces *t, struct trace_context *c);
void path_counts_stops(struct traces *t, struct trace_context *c, uint32_t address);
void path_counts_release(void *own);

/* What was counted, on the structure's blocks. */
struct path_profile {
    struct path_program program;     /* refers to the structure */
    struct path_set paths;           /* counted each time */
    uint64_t *sampled;               /* of each path: in samples */
    uint64_t *edges[PATH_COUNTINGS]; /* of each edge of the structure's graph */
};
enum status path_profile_make(struct path_profile *out, const struct path_counts *counts,
                              const struct traces *t, const struct structure *s, struct error *e);
void path_profile_free(struct path_profile *p);
/* Fills out->graph with all blocks and those edges whose count is not 0. */
enum status path_profile_graph(struct profile *out, const struct structure *s,
                               const uint64_t *counts, struct error *e);

#endif
