/* Execution in traces, simulated at each control transfer. */
#include "profile/trace/traces.h"

#include <stdlib.h>

/* ---- what policies use ---- */

bool traces_count(struct traces *t, uint32_t address) {
    uint64_t *count = map_at(&t->counters, address);
    t->counted++;
    if (count == NULL) {
        t->out_of_memory = true;
        return false;
    }
    return ++*count >= (uint64_t)t->values[t->policy->threshold];
}

bool traces_has(const struct traces *t, uint32_t head) {
    return map_find(&t->trace_at, head) != NULL;
}

void traces_record(struct traces *t, struct trace_context *c, const struct arrival *a) {
    t->recorded++;
    t->out_of_memory |= !vec_push(&c->arrivals, *a);
}

uint32_t traces_head_between(const struct traces *t, uint32_t from, uint32_t last) {
    uint32_t at = from;
    while (at < last) {
        const uint64_t *next = map_find(&t->next_at, at);
        if (next == NULL || *next <= at)
            return 0;
        at = (uint32_t)*next;
        if (at <= last && traces_has(t, at))
            return at;
    }
    return 0;
}

/* trace: without steps yet. */
static void add(struct traces *t, struct trace trace, const struct arrival *arrivals,
                size_t count) {
    if (traces_has(t, trace.head) || t->out_of_memory)
        return;
    trace.first = t->steps.len;
    trace.count = count;
    trace.cycle = traces_now(t);
    uint64_t *index = map_at(&t->trace_at, trace.head);
    if (index == NULL || !vec_push(&t->all, trace)) {
        t->out_of_memory = true;
        return;
    }
    *index = t->all.len - 1;
    for (size_t i = 0; i < count; i++) {
        const struct trace_step step = {arrivals[i].from, arrivals[i].to};
        t->out_of_memory |= !vec_push(&t->steps, step);
    }
}

void traces_add(struct traces *t, uint32_t head, const struct arrival *arrivals, size_t count,
                bool open) {
    add(t, (struct trace){.head = head, .open = open}, arrivals, count);
}

void traces_add_up_to(struct traces *t, uint32_t head, const struct arrival *arrivals, size_t count,
                      uint32_t into) {
    add(t, (struct trace){.head = head, .runs_on = true, .into = into}, arrivals, count);
}

/* ---- execution ---- */

static void enter(struct traces *t, struct trace_context *c, size_t trace) {
    c->trace = trace;
    c->at = 0;
    t->all.at[trace].entered++;
}

static void arrive(struct traces *t, const struct arrival *a) {
    struct trace_context *c = &t->contexts[t->depth];
    t->policy->arrives(t, c, a);
    if (c->recording || !(a->taken || a->left || a->begins))
        return;
    const uint64_t *index = map_find(&t->trace_at, a->to);
    if (index == NULL)
        return;
    enter(t, c, *index);
}

/* The context is about to execute the transfer at `from`: has it run on into another trace? */
static void run_on(struct traces *t, struct trace_context *c, uint32_t from) {
    struct trace *in;
    while (in = &t->all.at[c->trace], in->runs_on && c->at == in->count && from >= in->into) {
        in->completed++;
        enter(t, c, *map_find(&t->trace_at, in->into));
    }
}

/* True if the trace continues with this transfer. */
static bool stays(const struct traces *t, struct trace_context *c, const struct arrival *a) {
    const struct trace *in = &t->all.at[c->trace];
    const struct trace_step *next = &t->steps.at[in->first + c->at];
    if (c->at == in->count || a->from != next->from)
        return !a->taken;
    if (!a->taken || a->to != next->to)
        return false;
    c->at++;
    return true;
}

void traces_pass(struct trace_site *site, uint32_t to, bool taken) {
    struct traces *t = site->traces;
    struct trace_context *c = &t->contexts[t->depth];
    struct arrival a = {.from = site->address, .to = to, .taken = taken, .kind = site->kind};
    site->all[taken]++;
    if (t->out_of_memory)
        return;
    if (c->trace != TRACE_NONE) {
        run_on(t, c, site->address);
        struct trace *in = &t->all.at[c->trace];
        site->inside[taken]++;
        in->inside++;
        if (stays(t, c, &a)) {
            if (c->at < in->count || in->open || in->runs_on)
                return;
            in->completed++;
        }
        c->trace = TRACE_NONE;
        a.left = true;
    }
    arrive(t, &a);
}

/* ---- instructions ---- */

void traces_note_next(struct traces *t, uint32_t address, uint32_t after) {
    uint64_t *next = map_at(&t->next_at, address);
    if (next == NULL)
        t->out_of_memory = true;
    else
        *next = after;
}

static struct trace_site *site_of(struct traces *t, uint32_t address, uint32_t target,
                                  uint8_t kind) {
    const uint64_t key = (uint64_t)address << 32 | target;
    const uint64_t *known = map_find(&t->site_at, key);
    if (known != NULL)
        return t->sites.at[*known];
    struct trace_site *site = calloc(1, sizeof *site);
    if (site == NULL || !vec_push(&t->sites, site)) {
        free(site);
        return NULL;
    }
    *site = (struct trace_site){.traces = t, .address = address, .target = target, .kind = kind};
    uint64_t *index = map_at(&t->site_at, key);
    if (index == NULL)
        return NULL; /* the list frees it */
    *index = t->sites.len - 1;
    return site;
}

struct trace_site *traces_site(struct traces *t, uint32_t address, uint32_t target, uint8_t kind) {
    struct trace_site *site = site_of(t, address, target, kind);
    t->out_of_memory |= site == NULL;
    return site;
}

/* ---- interrupted contexts ---- */

static void restart(struct trace_context *c) {
    c->trace = TRACE_NONE;
    c->recording = false;
}

static void suspend(struct traces *t, const struct thread_event *event) {
    struct trace_context *c = &t->contexts[t->depth];
    c->address = event->address;
    c->s = event->s;
    if (t->depth + 1 < TRACE_CONTEXTS)
        t->depth++;
}

static void resume(struct traces *t) {
    struct trace_context *c = &t->contexts[t->depth];
    struct trace *in = c->trace == TRACE_NONE ? NULL : &t->all.at[c->trace];
    if (in != NULL)
        in->completed += in->open && c->at == in->count;
    if (t->policy->ends != NULL && !t->out_of_memory)
        t->policy->ends(t, c);
    restart(c);
    t->depth -= t->depth > 0;
}

/* The context will not go on. */
static void stop_context(struct traces *t, struct trace_context *c, uint32_t address) {
    if (t->policy->stops != NULL && !t->out_of_memory)
        t->policy->stops(t, c, address);
    restart(c);
}

/* A suspended context will not resume: the oldest one of this address and stack pointer. At a reset, and
 * when the observer is detached, the first one to end is the running one. */
static void drop(struct traces *t, const struct thread_event *event) {
    const bool all = event->cause == THREAD_START || event->cause == THREAD_RESET;
    if (all && !t->ending) {
        t->ending = true;
        stop_context(t, &t->contexts[t->depth], event->address);
        return;
    }
    for (unsigned i = 0; i < t->depth; i++) {
        struct trace_context *const c = t->contexts;
        if (c[i].address != event->address || c[i].s != event->s)
            continue;
        stop_context(t, &c[i], event->address);
        const struct trace_context dropped = c[i];
        for (unsigned k = i; k < t->depth; k++)
            c[k] = c[k + 1];
        c[t->depth--] = dropped; /* reuses its memory */
        return;
    }
}

void traces_context_changes(struct traces *t, const struct thread_event *event) {
    switch (event->change) {
    case THREAD_SUSPENDED:
        suspend(t, event);
        break;
    case THREAD_RESUMES:
        resume(t);
        break;
    case THREAD_ENDS:
        drop(t, event);
        break;
    case THREAD_BEGINS:
        restart(&t->contexts[t->depth]);
        t->ending = false;
        if (!t->out_of_memory)
            arrive(t, &(struct arrival){.to = event->address, .begins = true});
        break;
    }
}

/* ---- life cycle ---- */

void traces_free(struct traces *t) {
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->sites.len; i++)
        free(t->sites.at[i]);
    vec_free(&t->sites);
    map_free(&t->site_at);
    map_free(&t->next_at);
    vec_free(&t->all);
    map_free(&t->trace_at);
    vec_free(&t->steps);
    map_free(&t->counters);
    for (unsigned i = 0; i < TRACE_CONTEXTS; i++)
        vec_free(&t->contexts[i].arrivals);
    if (t->policy->release != NULL)
        t->policy->release(t->own);
    free(t->own);
    free(t);
}

enum status traces_new(struct traces **out, const struct trace_policy *policy,
                       const struct trace_clock *clock, const int64_t *values, struct error *e) {
    struct traces *t = *out = calloc(1, sizeof *t);
    if (t == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for %s", policy->name);
    t->clock = *clock;
    t->policy = policy;
    t->own = policy->own_size == 0 ? NULL : calloc(1, policy->own_size);
    if (t->own == NULL && policy->own_size != 0) {
        free(t);
        *out = NULL;
        return error_set(e, STATUS_MEMORY, "out of memory for %s", policy->name);
    }
    for (size_t i = 0; i < policy->parameters; i++)
        t->values[i] = values[i];
    for (unsigned i = 0; i < TRACE_CONTEXTS; i++)
        t->contexts[i].trace = TRACE_NONE;
    if (policy->set_up != NULL)
        policy->set_up(t->own, t);
    return STATUS_OK;
}

enum status traces_result(struct profile *out, const struct traces *t, const struct structure *s,
                          struct error *e) {
    const enum status status =
        t->out_of_memory ? error_set(e, STATUS_MEMORY, "out of memory for %s", t->policy->name)
        : t->policy->profile != NULL ? t->policy->profile(out, t, s, e)
                                     : traces_profile(out, t, s, e);
    if (status != STATUS_OK)
        profile_free(out);
    return status;
}
