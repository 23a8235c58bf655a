/*
 * net: next-executing tail (Duesterwald and Bala 2000, "Software profiling for hot path prediction:
 * less is more"; Bala, Duesterwald, Banerjia 2000, Dynamo). Only addresses where a hot path may
 * begin have counters: targets of backward taken transfers, and addresses for which a trace is
 * left. When a counter reaches the threshold, the path that is executed next becomes the trace: if
 * the head is hot, this path is probably hot, too. No branches are counted.
 *
 * A trace ends with a backward taken transfer, with one to the head of a trace, after `length`
 * taken transfers, or with its context. As in Dynamo calls and returns are transfers like any
 * others: one to a higher address goes on, one to a lower address ends the trace. The beginning of
 * an interrupted context counts as a target of a backward transfer, because control arrives there
 * from elsewhere. A recording goes on after an interrupt.
 *
 * The result is a set: the edges of all traces (traces.h). Blocks and edges are those of the
 * structure, which is recorded in the same run. Passes of a busy-wait count like any others.
 *
 * Costs: records are counters; observed the recorded transfers; probes the increments of counters;
 * a step is a block of a trace. What the simulation of execution in traces costs is not in these.
 */
#include "profile/trace/traces.h"

extern const struct technique technique_net;

enum { THRESHOLD, LENGTH };

/* True if the recording is over. */
static bool record(struct traces *t, struct trace_context *c, const struct arrival *a) {
    if (!a->taken)
        return false;
    traces_record(t, c, a);
    if (!arrival_is_backward(a) && !traces_has(t, a->to) &&
        c->arrivals.len < (size_t)t->values[LENGTH])
        return false;
    traces_add(t, c->head, c->arrivals.at, c->arrivals.len, false);
    c->recording = false;
    return true;
}

static void arrives(struct traces *t, struct trace_context *c, const struct arrival *a) {
    if (c->recording && !record(t, c, a))
        return;
    if (!(arrival_is_backward(a) || a->left || a->begins) || traces_has(t, a->to))
        return;
    if (!traces_count(t, a->to))
        return;
    c->recording = true;
    c->head = a->to;
    c->arrivals.len = 0;
}

static void ends(struct traces *t, struct trace_context *c) {
    if (c->recording)
        traces_add(t, c->head, c->arrivals.at, c->arrivals.len, true);
}

static const struct trace_policy policy = {
    .name = "net", .parameters = 2, .threshold = THRESHOLD, .arrives = arrives, .ends = ends};

static enum status attach(void **self, struct nes *nes, const int64_t *values, struct error *e) {
    return traces_attach(self, nes, &policy, values, e);
}

static enum status replay(struct profile *out, const struct program_trace *program,
                          const int64_t *values, struct error *e) {
    return traces_replay(out, program, &policy, values, e);
}

const struct technique technique_net = {
    .name = "net",
    .summary =
        "traces: the path that is executed next after the target of a backward transfer is hot",
    .source = "Duesterwald, Bala (2000)",
    .parameters =
        {
            {"threshold", "arrivals that make the head of a trace hot", 1, INT64_C(1) << 40, 50,
             NULL},
            {"length", "taken transfers of a trace at most", 1, 1 << 16, 128, NULL},
        },
    .each_transfer = true,
    .attach = attach,
    .finish = traces_finish,
    .abandon = traces_abandon,
    .replay = replay,
    .now = traces_ask,
};
