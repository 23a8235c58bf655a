/* Private to core/profile: the technique flow. Samples become measurements of blocks and edges
 * (flow_samples.c). Measurements and a cost model become a circulation (flow_network.c). Its flow
 * becomes counts (flow.c, flow_join.c). */
#ifndef HOTGRAPH_PROFILE_FLOW_H
#define HOTGRAPH_PROFILE_FLOW_H

#include "graph/flow/circulation.h"
#include "profile/profile.h"
#include "profile/structure/structure.h"

enum flow_model { FLOW_GCC, FLOW_PROFI, FLOW_POISSON };

/* Measurement of one block or edge: `samples` were seen, `rate` are expected for each execution. */
struct flow_measure {
    bool measured;
    double samples, rate;
};

struct flow_input {
    const struct structure *structure;
    struct flow_measure *blocks, *edges; /* one each */
    double rate;                         /* sampling rate of one instruction or transfer */
    uint64_t records, observed;
};
/* From the first `batches` batches. pool: calls and the returns behind them share their samples.
 * STATUS_ARGUMENT if the stream does not know its population. */
enum status flow_input_make(struct flow_input *in, const struct stream *stream, size_t batches,
                            bool pool, struct error *e);
void flow_input_free(struct flow_input *in);

/* Costs of one unit more or less than measured. */
struct flow_costs {
    enum flow_model model;
    bool even_split;    /* gcc: estimate unmeasured edges; else they are free */
    bool exact_entries; /* the number of contexts that begin at a block is known */
    double raise, lower, raise_zero, raise_entry, lower_entry; /* profi */
    double lower_factor;                                       /* gcc: cost of lowering over cost of
                                                                  raising */
    double known;                                              /* of a deviation by one unit from an
                                                                  exact count */
};
extern const struct flow_costs flow_costs_standard;

/* The arcs for one edge. */
struct flow_arcs {
    size_t first, count;
};
struct flow_network {
    struct circulation circulation;
    struct flow_arcs *edges;
    VEC(bool) back; /* of each arc: it runs against the edge, and reduces its flow */
};
enum status flow_network_make(struct flow_network *n, const struct flow_input *in,
                              const struct flow_costs *costs, struct error *e);
void flow_network_free(struct flow_network *n);
/* A name for each node, by what it stands for in the program: the same in networks of other samples
 * and of structures that have grown. The caller frees them; NULL: out of memory. */
uint64_t *flow_network_names(const struct flow_network *n, const struct structure *s);

/* Parts of other networks: arcs between two nodes. Costs are in units of one deviation, or of `unit`, the
 * rate of one transfer. False: out of memory. */
bool flow_arcs_free(struct flow_network *n, uint32_t from, uint32_t to, double cost);
bool flow_arcs_fixed(struct flow_network *n, uint32_t from, uint32_t to, int64_t count);
bool flow_arcs_known(struct flow_network *n, uint32_t from, uint32_t to, int64_t count,
                     double raise, double lower);
bool flow_arcs_poisson(struct flow_network *n, uint32_t from, uint32_t to, struct flow_measure m,
                       double unit);
/* The flow of arcs that were added together, after solving. */
int64_t flow_of_arcs(const struct flow_network *n, struct flow_arcs arcs);

/* How to solve a circulation, and what to do with its flow. */
struct flow_solving {
    enum circulation_solver solver;
    bool limit;                      /* Klein's method: cancel no more cycles than GCC does */
    bool join;                       /* join islands */
    struct circulation_basis *basis; /* of earlier solutions, and then of this one; may be NULL */
};
/* Makes the profile that fits the measurements best: its graph and costs, without probes. On
 * failure the caller frees *out with profile_free(). */
enum status flow_repair(struct profile *out, const struct flow_input *in,
                        const struct flow_costs *costs, struct flow_solving how, struct error *e);
/* Makes a graph of the structure's blocks and of the edges with flow; flow[i] is that of edge i. */
enum status flow_graph(struct graph *out, const struct structure *s, const int64_t *flow,
                       struct error *e);

/* Joins islands (see flow_join.c). *joined becomes the number of paths added. */
enum status flow_join(int64_t *edge_flow, const struct structure *s, uint64_t *joined,
                      struct error *e);

#endif
