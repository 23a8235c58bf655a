/*
 * The profiling engine of the technique fifo as a thread on another core, instead of a model of
 * hardware. The replay waits while the ring is full, so nothing is dropped, and the result equals
 * that of a modelled engine that keeps up.
 */
#include "profile/fifo/fifo.h"

extern const struct technique technique_fifo_thread;

enum { SLOT_BITS, RING, THRESHOLD, COSTS };

static enum status attach(void **self, struct nes *nes, const int64_t *values, struct error *e) {
    const struct fifo_wish wish = {.model = {.slot_bits = (unsigned)values[SLOT_BITS],
                                             .depth = 1,
                                             .cycles = 1,
                                             .stall = true,
                                             .threshold = (uint64_t)values[THRESHOLD]},
                                   .ring = (size_t)values[RING],
                                   .costs = (enum flow_model)values[COSTS]};
    return fifo_attach(self, nes, &wish, e);
}

static const char *const cost_words[] = {"gcc", "profi", "poisson", NULL};

const struct technique technique_fifo_thread = {
    .name = "fifo_thread",
    .summary = "block entries through a ring in memory to a thread with a table of counters",
    .source = "after CrossBit: Yang, Guan, Liang (2010)",
    .parameters =
        {
            {"slot_bits", "bits of a slot's number: the table has 2^slot_bits slots", 6, 16, 11,
             NULL},
            {"ring", "entries that the ring holds", 1, 1 << 20, 4096, NULL},
            {"threshold", "count at which a block is reported as hot; 0: never", 0,
             INT64_C(1) << 40, 0, NULL},
            {"costs", "the repair's cost of a count that differs from the one found", 0, 2, 1,
             cost_words},
        },
    .attach = attach,
    .finish = fifo_finish,
    .abandon = fifo_abandon,
    .only_machine =
        "its engine is a thread that runs beside the game, and a trace has run already; "
        "'fifo' models the engine",
};
