/* Private to core/profile: the technique flow. Samples become measurements of blocks and edges
 * (flow_samples.c), measurements and a cost model become a circulation (flow_network.c), and its
 * flow becomes counts (flow.c, flow_join.c). */
#ifndef HOTGRAPH_PROFILE_FLOW_H
#define HOTGRAPH_PROFILE_FLOW_H

#include "graph/flow/circulation.h"
#include "profile/profile.h"
#include "profile/structure/structure.h"

enum flow_model { FLOW_GCC, FLOW_PROFI, FLOW_POISSON };

/* What is known of one block or edge: `samples` where `rate` an execution were to be expected. */
struct flow_measure {
    bool measured;
    double samples, rate;
};

struct flow_input {
    const struct structure *structure;
    struct flow_measure *blocks, *edges; /* one each */
    double rate;                         /* of one instruction or one transfer */
    uint64_t records, observed;
};
/* From the first `batches` batches. pool: calls and the returns behind them share their samples.
 * STATUS_ARGUMENT for a stream that does not say of how many
 * executions it is a sample. */
enum status flow_input_make(struct flow_input *in, const struct stream *stream, size_t batches,
                            bool pool, struct error *e);
void flow_input_free(struct flow_input *in);

/* Costs of carrying another flow than what was measured, one unit up or down. */
struct flow_costs {
    enum flow_model model;
    bool even_split;    /* gcc: unmeasured edges are guessed; else they are free */
    bool exact_entries; /* how often threads began is known */
    double raise, lower, raise_zero, raise_entry, lower_entry; /* profi */
    double lower_factor;                                       /* gcc: lowering, of raising */
    double known;                                              /* a unit off an exact count */
};
extern const struct flow_costs flow_costs_standard;

/* The arcs that carry an edge. */
struct flow_arcs {
    size_t first, count;
};
struct flow_network {
    struct circulation circulation;
    struct flow_arcs *edges;
    VEC(bool) back; /* one an arc: it runs against its edge, and takes away from its flow */
};
enum status flow_network_make(struct flow_network *n, const struct flow_input *in,
                              const struct flow_costs *costs, struct error *e);
void flow_network_free(struct flow_network *n);

/* How a circulation is solved and read back. */
struct flow_solving {
    enum circulation_solver solver;
    bool limit; /* with Klein's, cancel no more cycles than GCC does */
    bool join;  /* islands */
};
/* The profile of what fits the measurements best: graph, and cost but for probes. Frees nothing of
 * *out when it fails: profile_free() does. */
enum status flow_repair(struct profile *out, const struct flow_input *in,
                        const struct flow_costs *costs, struct flow_solving how, struct error *e);
/* The blocks of the structure, and the edges that carry something: flow[i] is edge i's. */
enum status flow_graph(struct graph *out, const struct structure *s, const int64_t *flow,
                       struct error *e);

/* Joins blocks with flow that no thread's entry reaches to one, by paths of one unit. Returns how
 * many paths were added in *joined. */
enum status flow_join(int64_t *edge_flow, const struct structure *s, uint64_t *joined,
                      struct error *e);

#endif
