/*
 * flow: repairs a sampled profile. Among all counts that an execution of this structure can
 * produce, it chooses those that fit the samples best, as a flow of least cost (Avetisyan,
 * Dolgorukova, Kurmangaleev 2011; Ramasamy, Yuan, Chen, Hundt 2008; Levin, Newman, Haber 2008).
 *
 * It works on single instructions, single transfers, or batches. The stream must know the program's
 * structure and the number of executions that were sampled. With golden sampling and poisson costs
 * this is the bench's recommended technique.
 *
 * Costs: records are samples or batches; a step is a pivot, an augmenting path, a cancelled cycle,
 * or a path that joins an island.
 */
#include "profile/flow/flow.h"

#include <stdlib.h>

extern const struct technique technique_flow;

enum { COSTS, SOLVER, LIMIT, EDGES, ENTRIES, JOIN, CALLS };

static enum status solve(struct flow_network *n, const struct structure *s, struct flow_solving how,
                         struct circulation_result *result, struct error *e) {
    uint64_t *names = how.basis != NULL ? flow_network_names(n, s) : NULL;
    const struct circulation_options options = {
        .solver = how.solver,
        .cancel_limit =
            how.limit ? circulation_gcc_limit(n->circulation.nodes, n->circulation.arcs.len) : 0,
        .basis = names != NULL ? how.basis : NULL,
        .names = names,
    };
    enum status status = circulation_solve(&n->circulation, options, result, e);
    free(names);
    return status;
}

/* Returns the flow of each edge. */
static int64_t *read_back(const struct flow_network *n, size_t edge_count) {
    int64_t *flow = calloc(edge_count + 1, sizeof *flow);
    for (size_t i = 0; flow != NULL && i < edge_count; i++)
        flow[i] = flow_of_arcs(n, n->edges[i]);
    return flow;
}

enum status flow_graph(struct graph *out, const struct structure *s, const int64_t *flow,
                       struct error *e) {
    const struct graph *g = &s->graph;
    *out = (struct graph){.edges = calloc(g->edge_count + 1, sizeof *out->edges),
                          .blocks = calloc(g->block_count + 1, sizeof *out->blocks)};
    if (out->edges == NULL || out->blocks == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for flow");
    uint64_t weight = 0;
    for (size_t b = 0; b < g->block_count; b++)
        out->blocks[out->block_count++] = g->blocks[b];
    for (size_t i = 0; i < g->edge_count; i++) {
        if (flow[i] <= 0)
            continue;
        if ((uint64_t)flow[i] > GRAPH_WEIGHT_MAX - weight)
            return error_set(e, STATUS_ARGUMENT, "the repaired counts sum to more than 2^62");
        weight += (uint64_t)flow[i];
        out->edges[out->edge_count++] = (struct edge){
            .source = g->edges[i].source, .target = g->edges[i].target, .count = (uint64_t)flow[i]};
    }
    return STATUS_OK;
}

static enum status solve_and_read(struct profile *out, const struct flow_input *in,
                                  struct flow_network *network, struct flow_solving how,
                                  struct error *e) {
    struct circulation_result result;
    uint64_t joined = 0;
    enum status status = solve(network, in->structure, how, &result, e);
    if (status != STATUS_OK)
        return status;
    int64_t *flow = read_back(network, in->structure->graph.edge_count);
    if (flow == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for flow");
    if (how.join)
        status = flow_join(flow, in->structure, &joined, e);
    if (status == STATUS_OK)
        status = flow_graph(&out->graph, in->structure, flow, e);
    free(flow);
    out->cost = (struct cost){.records = in->records,
                              .observed = in->observed,
                              .steps = result.steps + joined,
                              .structure = true};
    return status;
}

enum status flow_repair(struct profile *out, const struct flow_input *in,
                        const struct flow_costs *costs, struct flow_solving how, struct error *e) {
    struct flow_network network;
    enum status status = flow_network_make(&network, in, costs, e);
    if (status == STATUS_OK)
        status = solve_and_read(out, in, &network, how, e);
    flow_network_free(&network);
    return status;
}

static enum status build_from(struct circulation_basis *basis, struct profile *out,
                              const struct stream *stream, size_t batches, const int64_t *values,
                              struct error *e) {
    *out = (struct profile){0};
    struct flow_input in;
    struct flow_costs costs = flow_costs_standard;
    costs.model = (enum flow_model)values[COSTS];
    costs.even_split = values[EDGES] != 0;
    costs.exact_entries = values[ENTRIES] != 0;
    enum status status = flow_input_make(&in, stream, batches, values[CALLS] != 0, e);
    const struct flow_solving how = {
        .solver = values[SOLVER] == 0 ? CIRCULATION_SIMPLEX : CIRCULATION_KLEIN,
        .limit = values[LIMIT] != 0,
        .join = values[JOIN] != 0,
        .basis = basis,
    };
    if (status == STATUS_OK)
        status = flow_repair(out, &in, &costs, how, e);
    if (status == STATUS_OK)
        out->cost.probes = stream->probes;
    else
        profile_free(out);
    flow_input_free(&in);
    return status;
}

static enum status flow_build(struct profile *out, const struct stream *stream, size_t batches,
                              const int64_t *values, struct error *e) {
    return build_from(NULL, out, stream, batches, values, e);
}

/* Each solution begins where the last one ended. */
static enum status flow_build_again(void **memory, struct profile *out, const struct stream *stream,
                                    const int64_t *values, struct error *e) {
    *out = (struct profile){0};
    if (*memory == NULL)
        *memory = circulation_basis_new();
    if (*memory == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for flow");
    return build_from(*memory, out, stream, SIZE_MAX, values, e);
}

static void flow_forget(void *memory) {
    circulation_basis_free(memory);
}

static const struct technique_again flow_again = {.build = flow_build_again, .forget = flow_forget};

static const char *const cost_words[] = {"gcc", "profi", "poisson", NULL};
static const char *const solver_words[] = {"simplex", "klein", NULL};
static const char *const edge_words[] = {"free", "even", NULL};
static const char *const call_words[] = {"alone", "pooled", NULL};
static const char *const entry_words[] = {"free", "exact", NULL};

const struct technique technique_flow = {
    .name = "flow",
    .summary = "samples repaired by the flow of least cost through the program's structure",
    .source = "Avetisyan, Dolgorukova, Kurmangaleev (2011); Ramasamy and others (2008); Levin, "
              "Newman, Haber (2008); He and others (2022)",
    .parameters =
        {
            {"costs", "the cost of a count that differs from the sampled one", 0, 2, 2, cost_words},
            {"solver", "how the flow of least cost is found", 0, 1, 0, solver_words},
            {"limit", "with klein, cancel no more cycles than GCC does", 0, 1, 0, NULL},
            {"edges", "edges that were not sampled: free, or guessed by an even split", 0, 1, 0,
             edge_words},
            {"entries", "how often threads begin: free, or as the machine knows it", 0, 1, 0,
             entry_words},
            {"join", "join islands to what is executed", 0, 1, 0, NULL},
            {"calls", "whether the samples of a call and of its return are one measurement", 0, 1,
             1, call_words},
        },
    .needs_structure = true,
    .build = flow_build,
    .again = &flow_again,
};
