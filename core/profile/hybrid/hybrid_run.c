/* The two periods in a running machine. */
#include "profile/hybrid/hybrid.h"

#include <stdlib.h>

enum { CYCLES_OF_FRAME = 29781 };

struct hybrid {
    struct nes *nes;
    struct hybrid_options options;
    unsigned first_id, second_id, kept_id; /* kept: room for the sampler */
    struct exact *first, *second;          /* second: NULL in the first period */
    struct flow flow;                      /* of the first period */
    struct cost cost;
    struct exact_plan plan;
    uint64_t sampled; /* edges */
    struct sampler *sampler;
    enum status failed; /* in the midst of the run */
    struct error why;
};

/* ---- the second period ---- */

/* Contexts that the observer finds when it is attached go on from where they were. */
static void context_changes(void *self, const struct thread_event *event) {
    struct exact *const x = self;
    if (event->cause == THREAD_START && event->change == THREAD_BEGINS)
        exact_context_resumes(x, event->address);
    else
        exact_context_changes(x, event);
}

static enum status begin_sampling(struct hybrid *h, struct error *e) {
    const struct sampler_options options = {.by = SAMPLER_CLOCK,
                                            .interval_us = h->options.interval_us,
                                            .next = h->options.next,
                                            .seed = h->options.seed};
    return h->sampled > 0 ? sampler_attach(&h->sampler, h->nes, options, e) : STATUS_OK;
}

static enum status begin_second(struct hybrid *h, struct error *e) {
    enum status status = exact_flow_at_end(h->first, &h->flow, &h->cost, e);
    if (status == STATUS_OK)
        status = hybrid_plan_make(&h->plan, h->first, &h->flow, h->options.rare, &h->sampled, e);
    if (status != STATUS_OK)
        return status;
    struct exact *const x = exact_begin_planned(h->nes, &h->plan);
    if (x == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for the second period");
    const struct observer observer = {.self = x,
                                      .instrument = exact_instrument,
                                      .thread = context_changes,
                                      .counts_threads = true,
                                      .begins_and_ends = true};
    status = nes_attach(h->nes, &observer, &h->second_id, e);
    if (status != STATUS_OK) {
        exact_release(x);
        return status;
    }
    h->second = x;
    return begin_sampling(h, e);
}

/* The first period is over. */
static void at_end_of_first(void *self, uint64_t cycle) {
    struct hybrid *const h = self;
    (void)cycle;
    nes_detach(h->nes, h->kept_id);
    nes_detach(h->nes, h->first_id);
    h->failed = begin_second(h, &h->why);
}

/* ---- the first one ---- */

/* True while only the first period has its observers. */
static bool in_first(const struct hybrid *h) {
    return h->second == NULL && h->failed == STATUS_OK;
}

static void detach(struct hybrid *h) {
    sampler_free(h->sampler);
    h->sampler = NULL;
    if (in_first(h)) {
        nes_detach(h->nes, h->kept_id);
        nes_detach(h->nes, h->first_id);
    } else if (h->second != NULL) {
        nes_detach(h->nes, h->second_id);
    }
}

static void release(struct hybrid *h) {
    if (h->first != NULL)
        exact_release(h->first);
    if (h->second != NULL)
        exact_release(h->second);
    flow_free(&h->flow);
    hybrid_plan_free(&h->plan);
    free(h);
}

void hybrid_abandon(void *self) {
    struct hybrid *const h = self;
    if (h == NULL)
        return;
    detach(h);
    release(h);
}

/* The observer's self. */
static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    const struct hybrid *const h = self;
    exact_instrument(h->first, site, insn);
}

static void first_context_changes(void *self, const struct thread_event *event) {
    const struct hybrid *const h = self;
    exact_context_changes(h->first, event);
}

static enum status begin_first(struct hybrid *h, struct error *e) {
    const struct observer observer = {.self = h,
                                      .instrument = instrument,
                                      .thread = first_context_changes,
                                      .alarm = at_end_of_first,
                                      .counts_threads = true,
                                      .begins_and_ends = true};
    enum status status = nes_attach(h->nes, &observer, &h->first_id, e);
    if (status != STATUS_OK)
        return status;
    status = nes_attach(h->nes, &(struct observer){.self = h}, &h->kept_id, e);
    if (status != STATUS_OK)
        nes_detach(h->nes, h->first_id);
    else
        nes_set_alarm(h->nes, h->first_id, nes_cycle(h->nes) + h->options.frames * CYCLES_OF_FRAME);
    return status;
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
    const enum status status = begin_first(h, e);
    if (status == STATUS_OK)
        *self = h;
    else
        release(h);
    return status;
}

/* ---- the end ---- */

static enum status finish_second(struct hybrid *h, struct error *e) {
    struct stream samples = {0};
    enum status status = STATUS_OK;
    if (h->sampler != NULL)
        status = sampler_finish(h->sampler, &samples, e);
    h->sampler = NULL;
    detach(h); /* reports where the running contexts would resume */
    const struct hybrid_periods periods = {.first = h->first,
                                           .second = h->second,
                                           .flow = &h->flow,
                                           .plan = &h->plan,
                                           .samples = &samples};
    if (status == STATUS_OK)
        status = hybrid_complete(&periods, &h->cost, e);
    stream_free(&samples);
    return status;
}

enum status hybrid_finish(void *self, struct profile *out, struct error *e) {
    struct hybrid *const h = self;
    *out = (struct profile){0};
    enum status status = h->failed;
    if (status != STATUS_OK) {
        *e = h->why;
        detach(h);
    } else if (in_first(h)) {
        detach(h);
        status = exact_flow_at_end(h->first, &h->flow, &h->cost, e);
    } else {
        status = finish_second(h, e);
    }
    if (status == STATUS_OK)
        status = graph_from_flow(&out->graph, &h->flow, true, e);
    out->cost = h->cost;
    out->counts[out->count_count++] = (struct named_count){"sampled_edges", h->sampled};
    release(h);
    return status;
}
