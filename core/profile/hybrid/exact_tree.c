/*
 * exact_tree: exact counts with fewer counters. A first period, ten seconds, is counted as `exact` does.
 * It says which edges are executed most often. Then counters are only on edges outside a spanning forest of
 * greatest weight (hybrid_plan.c), and code whose counters change is translated anew; all other counts follow.
 * Every count is exact.
 *
 * Costs: of the first period as in exact.c; a probe of the second one is a counted transfer, a record a
 * counted pair; a step is one of the solver.
 */
#include "profile/hybrid/hybrid.h"

extern const struct technique technique_exact_tree;

static enum status attach(void **self, struct nes *nes, const int64_t *values, struct error *e) {
    return hybrid_attach(
        self, nes, (struct hybrid_options){.frames = (uint64_t)values[0], .rare = UINT64_MAX}, e);
}

const struct technique technique_exact_tree = {
    .name = "exact_tree",
    .summary = "every count exact, with counters only outside a spanning forest of greatest weight",
    .source = "Knuth, Stevenson (1973); Ball, Larus (1994)",
    .parameters = {{"first", "frames that are counted before the forest is chosen", 1, 1000000, 600,
                    NULL}},
    .attach = attach,
    .finish = hybrid_finish,
    .abandon = hybrid_abandon,
    .only_machine =
        "it moves its counters when our translator translates the game's code anew, and "
        "no recorded program runs in it; 'exact' finds the same counts",
};
