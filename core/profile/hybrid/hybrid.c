/*
 * hybrid: what is rare is counted, what is frequent is sampled. A first period, half a minute, is counted
 * exactly. Then edges that it has shown to be rare keep their counters if they need one, those of frequent
 * ones are removed, and transfers are sampled by the clock. Half of the error of sampled profiles lies on
 * edges below one execution a frame, and their counters cost nearly nothing. The flow of least cost that
 * has the counts of the rare edges and fits the samples of the others is the second period's; the counts of both
 * add up. Nothing is told beforehand.
 *
 * Costs: of the first period as in exact.c; a probe of the second one is a counted transfer, a record a
 * counted pair or a sample; observed are samples; a step is one of the solver.
 */
#include "profile/hybrid/hybrid.h"

extern const struct technique technique_hybrid;

enum { FIRST, RATE, INTERVAL, NEXT, SEED };

static enum status attach(void **self, struct nes *nes, const int64_t *values, struct error *e) {
    const struct hybrid_options options = {
        .frames = (uint64_t)values[FIRST],
        .rare = (uint64_t)(values[FIRST] * values[RATE] / 10),
        .interval_us = (uint64_t)values[INTERVAL],
        .next = (unsigned)values[NEXT],
        .seed = (uint64_t)values[SEED],
    };
    return hybrid_attach(self, nes, options, e);
}

/* Marks of busy-waits are only for graphs whose counts are all exact. */
static enum status finish(void *self, struct profile *out, struct error *e) {
    const enum status status = hybrid_finish(self, out, e);
    for (size_t i = 0; i < out->graph.edge_count; i++)
        out->graph.edges[i].busy = false;
    return status;
}

const struct technique technique_hybrid = {
    .name = "hybrid",
    .summary =
        "after a first period, rare edges are counted and frequent ones sampled by the clock",
    .source =
        "Knuth, Stevenson (1973); Ball, Larus (1994); Horvitz, Thompson (1952); Levin, Newman, "
        "Haber (2008)",
    .parameters =
        {
            {"first", "frames of the first period, in which everything is counted", 1, 1000000,
             1800, NULL},
            {"rate", "most executions in 10 frames of an edge that is counted afterwards", 0,
             1000000000, 10, NULL},
            {"interval_us", "microseconds between samples", SAMPLER_CLOCK_LEAST_US, 3600000000,
             4700, NULL},
            {"next", "transfers that are taken at each sample", 1, SAMPLER_NEXT_MOST, 1, NULL},
            {"seed", "of the sampler", 0, UINT32_MAX, 1, NULL},
        },
    .attach = attach,
    .finish = finish,
    .abandon = hybrid_abandon,
    .only_machine =
        "it moves its counters when our translator translates the game's code anew, and "
        "no recorded program runs in it; 'exact' finds all counts",
};
