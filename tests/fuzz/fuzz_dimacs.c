/* Any bytes as a network: refused with a sentence that names file and line, or solved, where it is
 * small, by both solvers alike. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "graph/flow/circulation.h"

static void solve_both(struct circulation *c) {
    struct circulation_result simplex, klein;
    struct error e = {0};
    enum status first = circulation_solve(
        c, (struct circulation_options){.solver = CIRCULATION_SIMPLEX}, &simplex, &e);
    /* Augmenting and cancelling may take very many steps, so they get a limit; then the cost must
     * not be lower than the simplex method's. */
    enum status second = circulation_solve(
        c, (struct circulation_options){.solver = CIRCULATION_KLEIN, .cancel_limit = 300}, &klein,
        &e);
    if ((first != STATUS_OK || second != STATUS_OK) && e.text[0] == 0)
        abort();
    if (first != STATUS_OK || second != STATUS_OK)
        return; /* near the limit of 64 bits only one of them may refuse */
    if (klein.outcome == CIRCULATION_OPTIMAL ? klein.cost != simplex.cost
                                             : klein.cost < simplex.cost)
        abort();
}

static void try_without_memory(const char *path) {
    for (unsigned nth = 1; fuzz_fail_allocation(nth); nth = fuzz_later(nth)) {
        struct dimacs d;
        struct circulation_result result;
        struct error e = {0};
        enum status status = dimacs_read(&d, path, &e);
        if (status == STATUS_OK && d.network.nodes < 100)
            status = circulation_solve(
                &d.network, (struct circulation_options){.solver = nth % 2, .cancel_limit = 300},
                &result, &e);
        bool failed = fuzz_allocation_failed();
        dimacs_free(&d);
        if (!failed)
            return;
        if (status != STATUS_MEMORY)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct dimacs d;
    struct error e = {0};
    if (dimacs_parse(&d, (const char *)data, size, "fuzz.min", &e) == STATUS_OK) {
        if (d.network.nodes < 100 && d.network.arcs.len < 200)
            solve_both(&d.network);
    } else if (d.network.arcs.at != NULL || strncmp(e.text, "fuzz.min:", 9) != 0) {
        abort();
    }
    dimacs_free(&d);
    if (fuzz_thorough() && size <= FUZZ_SHORT)
        try_without_memory(fuzz_file("fuzz.min", data, size));
    return 0;
}
