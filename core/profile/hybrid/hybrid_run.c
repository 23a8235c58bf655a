/* The two periods in a running machine. */
#include "profile/hybrid/hybrid.h"

#include <stdlib.h>

enum { CYCLES_OF_FRAME = 29781 };

struct hybrid {
    struct nes *nes;
    struct hybrid_options options;
    unsigned id, kept; /* observers: this one; one that keeps room for the sampler */
    bool attached, keeps;
    struct exact *first, *second; /* second: NULL in the first period */
    struct flow flow;             /* of the first period */
    struct cost cost;
    struct exact_plan plan;
    uint64_t sampled;        /* edges and RTSs */
    struct sampler *sampler; /* NULL: nothing is to be sampled */
    enum status failed;      /* in the midst of the run */
    struct error why;
};

/* ---- watching ---- */

static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    const struct hybrid *const h = self;
    exact_instrument(h->second != NULL ? h->second : h->first, site, insn);
}

/* Contexts that run when the second period begins go on from where they were. */
static void context_changes(void *self, const struct thread_event *event) {
    const struct hybrid *const h = self;
    if (h->second == NULL)
        exact_context_changes(h->first, event);
    else if (event->cause == THREAD_START && event->change == THREAD_BEGINS)
        exact_context_resumes(h->second, event->address);
    else
        exact_context_changes(h->second, event);
}

static void first_ends(void *self, uint64_t cycle);

static enum status watch(struct hybrid *h, struct error *e) {
    const struct observer observer = {.self = h,
                                      .instrument = instrument,
                                      .by_opcode = true,
                                      .thread = context_changes,
                                      .alarm = first_ends,
                                      .counts_threads = true,
                                      .begins_and_ends = true};
    const enum status status = nes_attach(h->nes, &observer, &h->id, e);
    h->attached = status == STATUS_OK;
    return status;
}

/* The sampler needs room later: then there must be some. */
static enum status keep_room(struct hybrid *h, struct error *e) {
    const enum status status = nes_attach(h->nes, &(struct observer){.self = h}, &h->kept, e);
    h->keeps = status == STATUS_OK;
    return status;
}

static void unwatch(struct hybrid *h) {
    if (h->keeps)
        nes_detach(h->nes, h->kept);
    if (h->attached)
        nes_detach(h->nes, h->id);
    h->keeps = h->attached = false;
}

static enum status begin_sampling(struct hybrid *h, struct error *e) {
    const struct sampler_options options = {.by = SAMPLER_CLOCK,
                                            .interval_us = h->options.interval_us,
                                            .next = h->options.next,
                                            .seed = h->options.seed};
    return h->sampled > 0 ? sampler_attach(&h->sampler, h->nes, options, e) : STATUS_OK;
}

/* The first period's counters go on in the second one where it counts the same, so that code whose probes stay
 * need not be translated again. */
static enum status end_first(struct hybrid *h, struct error *e) {
    const struct observer observer = {.self = h, .thread = context_changes};
    nes_notify_threads(h->nes, &observer, THREAD_ENDS);
    struct exact *const ended = exact_end_period(h->first);
    if (ended == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for the second period");
    h->second = h->first;
    h->first = ended;
    nes_notify_threads(h->nes, &observer, THREAD_BEGINS);
    return exact_flow_at_end(h->first, &h->flow, &h->cost, e);
}

static enum status begin_second(struct hybrid *h, struct error *e) {
    enum status status = end_first(h, e);
    if (status == STATUS_OK)
        status = hybrid_plan_make(&h->plan, h->first, &h->flow, &h->options, &h->sampled, e);
    if (status != STATUS_OK)
        return status;
    exact_follow_plan(h->second, &h->plan);
    nes_instrument_again(h->nes, h->id);
    return begin_sampling(h, e);
}

static void first_ends(void *self, uint64_t cycle) {
    struct hybrid *const h = self;
    (void)cycle;
    h->failed = begin_second(h, &h->why);
}

/* ---- life cycle ---- */

static void release(struct hybrid *h) {
    sampler_free(h->sampler);
    unwatch(h);
    exact_release(h->first);
    if (h->second != NULL)
        exact_release(h->second);
    flow_free(&h->flow);
    hybrid_plan_free(&h->plan);
    free(h);
}

void hybrid_abandon(void *self) {
    if (self != NULL)
        release(self);
}

enum status hybrid_attach(void **self, struct nes *nes, struct hybrid_options options,
                          struct error *e) {
    *self = NULL;
    struct hybrid *const h = calloc(1, sizeof *h);
    if (h == NULL || (h->first = exact_begin(nes)) == NULL) {
        free(h);
        return error_set(e, STATUS_MEMORY, "out of memory for the first period");
    }
    h->nes = nes;
    h->options = options;
    enum status status = watch(h, e);
    if (status == STATUS_OK && options.rare != UINT64_MAX)
        status = keep_room(h, e);
    if (status != STATUS_OK) {
        release(h);
        return status;
    }
    nes_set_alarm(nes, h->id, nes_cycle(nes) + options.frames * CYCLES_OF_FRAME);
    *self = h;
    return STATUS_OK;
}

/* The flow of both periods, in h->flow. */
static enum status both_periods(struct hybrid *h, const struct stream *samples, struct error *e) {
    const struct hybrid_periods periods = {.first = h->first,
                                           .second = h->second,
                                           .flow = &h->flow,
                                           .plan = &h->plan,
                                           .samples = samples};
    return h->second == NULL ? exact_flow_at_end(h->first, &h->flow, &h->cost, e)
                             : hybrid_complete(&periods, &h->cost, e);
}

enum status hybrid_finish(void *self, struct profile *out, struct error *e) {
    struct hybrid *const h = self;
    struct stream samples = {0};
    enum status status = h->failed;
    *out = (struct profile){0};
    if (status != STATUS_OK) {
        *e = h->why;
    } else if (h->sampler != NULL) {
        status = sampler_finish(h->sampler, &samples, e);
        h->sampler = NULL;
    }
    unwatch(h); /* reports where the running contexts would resume */
    if (status == STATUS_OK)
        status = both_periods(h, &samples, e);
    if (status == STATUS_OK)
        status = graph_from_flow(&out->graph, &h->flow, true, e);
    out->cost = h->cost;
    out->counts[out->count_count++] = (struct named_count){"sampled_edges", h->sampled};
    stream_free(&samples);
    release(h);
    return status;
}
