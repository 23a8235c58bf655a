/*
 * lei: last-executed iteration (Hiniker, Hazelwood, Smith 2005, "Improving region selection in
 * dynamic optimization systems"). A buffer holds the last `history` transfers that were taken
 * outside of traces. When control arrives at an address that is in the buffer, a cycle has been
 * executed. Its address gets a counter if the cycle was closed by a backward transfer, or if it
 * began where a trace was left. When the counter reaches the threshold, the cycle becomes the
 * trace: it is read off the buffer, so calls and returns do not end it. The transfers after its
 * head are then removed from the buffer.
 *
 * A trace ends with a transfer to the head of another trace or into its own code (a second call of
 * the same function, for example), before straight code comes to the head of another trace, and where
 * a context ended. The beginning of an
 * interrupted context counts as the target of a backward transfer; each depth of interruption has
 * its own buffer.
 *
 * Result, blocks and edges are as in net.c. Costs: records are counters; observed the transfers
 * written to the buffer; probes the increments of counters; a step is a block of a trace.
 */
#include "profile/trace/traces.h"

extern const struct technique technique_lei;

enum { THRESHOLD, HISTORY };

/* Keeps the newest arrivals. Moves them once for `history` additions. */
static void keep_newest(struct trace_context *c, size_t history) {
    if (c->arrivals.len < 2 * history)
        return;
    const size_t old = c->arrivals.len - history;
    for (size_t i = old; i < c->arrivals.len; i++)
        c->arrivals.at[i - old] = c->arrivals.at[i];
    c->arrivals.len = history;
}

/* The last arrival at this address among the newest ones; SIZE_MAX: none. */
static size_t last_at(const struct trace_context *c, uint32_t to, size_t history) {
    const size_t len = c->arrivals.len, end = len > history ? len - history : 0;
    for (size_t i = len; i > end; i--)
        if (c->arrivals.at[i - 1].to == to)
            return i - 1;
    return SIZE_MAX;
}

/* True if the newest arrival enters a trace: transfers from there to others are not recorded. */
static bool newest_enters(const struct traces *t, const struct trace_context *c) {
    return c->arrivals.len > 0 && traces_has(t, c->arrivals.at[c->arrivals.len - 1].to);
}

/* Is the target of the last of these arrivals in the code that they pass through? */
static bool closes_cycle(const struct arrival *first, const struct arrival *last) {
    for (const struct arrival *a = first; a < last; a++)
        if (last->to >= a->to && last->to <= a[1].from)
            return true;
    return false;
}

/* Adds the trace that begins after arrival number `old`. */
static void add_trace(struct traces *t, struct trace_context *c, size_t old) {
    const struct arrival *const all = c->arrivals.at;
    const uint32_t head = all[old].to;
    size_t end = old + 1;
    uint32_t into = 0;
    bool open = false;
    for (bool over = false; !over && end < c->arrivals.len; end += !open && into == 0) {
        open = all[end].begins; /* another context begins: this one had ended */
        into = open ? 0 : traces_head_between(t, all[end - 1].to, all[end].from);
        over =
            open || into != 0 || traces_has(t, all[end].to) || closes_cycle(&all[old], &all[end]);
    }
    if (into != 0)
        traces_add_up_to(t, head, &all[old + 1], end - old - 1, into);
    else
        traces_add(t, head, &all[old + 1], end - old - 1, open);
    c->arrivals.len = old + 1;
}

static void arrives(struct traces *t, struct trace_context *c, const struct arrival *a) {
    const size_t history = (size_t)t->values[HISTORY];
    if (!(a->taken || a->left || a->begins))
        return;
    if (a->left && traces_has(t, a->to) && newest_enters(t, c))
        return;
    const size_t old = last_at(c, a->to, history);
    traces_record(t, c, a);
    if (old != SIZE_MAX && !traces_has(t, a->to) && !t->out_of_memory &&
        (arrival_is_backward(a) || a->begins || c->arrivals.at[old].left) && traces_count(t, a->to))
        add_trace(t, c, old);
    keep_newest(c, history);
}

static const struct trace_policy policy = {
    .name = "lei", .parameters = 2, .threshold = THRESHOLD, .arrives = arrives};

static enum status attach(void **self, struct nes *nes, const int64_t *values, struct error *e) {
    return traces_attach(self, nes, &policy, values, e);
}

static enum status replay(struct profile *out, const struct program_trace *program,
                          const int64_t *values, struct error *e) {
    return traces_replay(out, program, &policy, values, e);
}

const struct technique technique_lei = {
    .name = "lei",
    .summary = "traces: cycles that were executed last, from a buffer of taken transfers",
    .source = "Hiniker, Hazelwood, Smith (2005)",
    .parameters =
        {
            {"threshold", "cycles that make the head of a trace hot", 1, INT64_C(1) << 40, 35,
             NULL},
            {"history", "taken transfers in the buffer", 2, 1 << 16, 500, NULL},
        },
    .each_transfer = true,
    .attach = attach,
    .finish = traces_finish,
    .abandon = traces_abandon,
    .replay = replay,
    .now = traces_ask,
};
