/* hotgraph flow: finds a minimum-cost flow in any network. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "graph/flow/circulation.h"

static const char details[] =
    "FILE has the DIMACS format for minimum-cost flow:\n"
    "  p min NODES ARCS            once, first; nodes are numbered from 1\n"
    "  n NODE SUPPLY               negative: a demand; 0 for nodes without a line\n"
    "  a FROM TO LOWER UPPER COST  parallel arcs, loops and negative numbers are\n"
    "                              allowed; 9223372036854775807 as UPPER means\n"
    "                              unbounded\n"
    "  c                           a comment\n"
    "\n"
    "It prints 's COST', then 'f FROM TO FLOW' for every arc in the file's order.\n"
    "Numbers have 64 bits; input that could overflow them is refused.\n"
    "\n"
    "Example:\n"
    "  printf 'p min 2 2\\na 1 2 0 5 -3\\na 2 1 0 9 1\\n' >x.min; hotgraph flow x.min\n";

struct request {
    const char *path;
    bool klein, gcc_limit, json;
};

static void print_json(const struct dimacs *d, const struct request *request,
                       const struct circulation_result *result) {
    printf("{\"file\": ");
    print_json_string(request->path);
    printf(", \"nodes\": %zu, \"arcs\": %zu, \"solver\": \"%s\", \"steps\": %" PRIu64
           ", \"optimal\": %s,\n \"cost\": %" PRId64 ",\n \"flow\": [",
           d->network.nodes - 1, d->arcs, request->klein ? "klein" : "simplex", result->steps,
           result->outcome == CIRCULATION_OPTIMAL ? "true" : "false", result->cost);
    for (size_t i = 0; i < d->arcs; i++)
        printf("%s%" PRId64, i == 0 ? "" : ", ", d->network.arcs.at[i].flow);
    printf("]}\n");
}

static void print_flow(const struct dimacs *d, const struct circulation_result *result) {
    printf("s %" PRId64 "\n", result->cost);
    for (size_t i = 0; i < d->arcs; i++) {
        const struct arc *arc = &d->network.arcs.at[i];
        printf("f %" PRIu32 " %" PRIu32 " %" PRId64 "\n", arc->from + 1, arc->to + 1, arc->flow);
    }
}

static enum status solve(const struct request *request, struct error *e) {
    struct dimacs d;
    enum status status = dimacs_read(&d, request->path, e);
    if (status != STATUS_OK)
        return status;
    const struct circulation_options options = {
        .solver = request->klein ? CIRCULATION_KLEIN : CIRCULATION_SIMPLEX,
        .cancel_limit =
            request->gcc_limit ? circulation_gcc_limit(d.network.nodes, d.network.arcs.len) : 0,
    };
    struct circulation_result result;
    status = circulation_solve(&d.network, options, &result, e);
    if (status != STATUS_OK) {
        error_prefix(e, "%s", request->path);
    } else {
        if (result.outcome == CIRCULATION_LIMITED)
            warning("%s: the flow may not have minimum cost: the limit of cycles was reached",
                    request->path);
        if (request->json)
            print_json(&d, request, &result);
        else
            print_flow(&d, &result);
    }
    dimacs_free(&d);
    return status;
}

int command_flow(int argc, char **argv) {
    static const char *const solvers[] = {"simplex", "klein", NULL};
    const char *solver = "simplex";
    struct request request = {0};
    const struct option_spec options[] = {
        {"solver", "NAME",
         "simplex: the network simplex method (default); klein: augmenting paths, then cancelling "
         "of negative cycles, as in the profilers of compilers",
         OPTION_CHOICE, .to = &solver, .choices = solvers},
        {"gcc-limit", NULL,
         "with klein: cancel at most 10 + 1000000 / (nodes * arcs) cycles, as GCC does",
         OPTION_FLAG, .to = &request.gcc_limit},
        {"json", NULL, "print JSON", OPTION_FLAG, .to = &request.json},
        {0},
    };
    const struct usage usage = {
        .command = "flow",
        .operands = "FILE",
        .least = 1,
        .most = 1,
        .summary = "Finds a minimum-cost flow in a network.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    request.path = operands.at[0];
    request.klein = strcmp(solver, "klein") == 0;
    if (request.gcc_limit && !request.klein)
        return usage_error("flow", "--gcc-limit needs --solver klein");
    struct error e = {0};
    return solve(&request, &e) == STATUS_OK ? 0 : failure(&e);
}
