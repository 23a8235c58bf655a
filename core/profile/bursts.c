/*
 * bursts: duplicated code with counters, entered regularly for a burst (Arnold and Ryder 2001,
 * "Full-Duplication"). The usual code only counts checks; the duplicate counts all flow. A check is a
 * call, a backward branch or jump, an indirect jump, and the entry of a reset or interrupt handler. At
 * every `interval`-th check control goes over to the duplicate, and after `burst` further checks back.
 * With a burst of one check, that is one acyclic stretch of the program.
 *
 * Stretches of the program between checks are sampled with equal probability, so counts are scaled
 * by interval / burst. Within bursts counts are exact, and derived as `exact` derives them: a burst is
 * an interrupted context of its own, which begins and ends at a check.
 *
 * No check is placed at a backward transfer that may be a busy-wait's (structure/waiting.h): the
 * machine skips these, and checks would be spent on them. A burst in which a wait begins counts its
 * passes.
 *
 * A recorded program has no duplicate of ours: what bursts would count is found in its trace
 * (program_bursts.h). Its indirect calls are checks, too, and so is each backward transfer, since none
 * of its waits is skipped.
 *
 * Costs: probes are executed checks, and transfers in bursts; observed are the latter; records the
 * distinct ones; steps as in exact.c.
 */
#include "profile/exact.h"
#include "profile/profile.h"
#include "profile/program/program_bursts.h"
#include "profile/structure/waiting.h"

#include <stdlib.h>

extern const struct technique technique_bursts;

enum { INTERVAL, BURST, PHASE };

struct bursts {
    struct nes *nes;
    unsigned id;
    struct exact *exact; /* counts what is in the duplicate */
    uint64_t interval, burst;
    uint32_t counter; /* counts checks up to 0, where control goes over */
    bool inside;      /* a burst runs */
    uint64_t begun;   /* bursts */
    uint64_t planned; /* checks up to the next time that control goes over */
};

/* ---- going over ---- */

/* The running context comes first; it stands at a block's first instruction. */
struct told {
    struct exact *exact;
    bool running;
};

static void context_told(void *self, const struct thread_event *event) {
    struct told *told = self;
    if (told->running || event->change == THREAD_ENDS)
        exact_context_changes(told->exact, event);
    else
        exact_context_resumes(told->exact, event->address);
    told->running = false;
}

static void tell_contexts(struct bursts *x, enum thread_change change) {
    struct told told = {x->exact, true};
    nes_notify_threads(x->nes, &(struct observer){.self = &told, .thread = context_told}, change);
}

/* Lets control go over after `checks` checks. */
static void count_down(struct bursts *x, uint64_t checks) {
    x->planned += checks;
    nes_counter_set(x->nes, x->counter, -checks);
}

/* Control goes over at the current boundary. */
static void go_over(struct bursts *x) {
    x->inside = !x->inside;
    x->begun += x->inside;
    count_down(x, x->inside ? x->burst : x->interval - x->burst);
    tell_contexts(x, x->inside ? THREAD_BEGINS : THREAD_ENDS);
    nes_switch_code(x->nes, x->inside);
}

static void last_check(void *user, const struct probe_event *event) {
    (void)event;
    go_over(user);
}

/* ---- watching ---- */

static void check(struct bursts *x, struct probe_site *site, enum probe_when when) {
    probe_attach(site, when,
                 (struct probe){.kind = PROBE_CALL_AT,
                                .counter = x->counter,
                                .value = 0,
                                .call = last_check,
                                .user = x,
                                .quiet = true});
}

static bool leads_back(const struct bursts *x, const struct guest_insn *insn) {
    return (insn->kind == INSN_BRANCH || insn->kind == INSN_JUMP) &&
           insn->target <= insn->address &&
           !waiting_is_possible(x->nes, insn, (uint16_t)insn->target);
}

static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    struct bursts *x = self;
    if (probe_in_duplicate(site))
        exact_instrument(x->exact, site, insn);
    if (insn->kind == INSN_CALL || leads_back(x, insn))
        check(x, site, PROBE_TAKEN);
    else if (insn->kind == INSN_JUMP_INDIRECT)
        check(x, site, PROBE_INDIRECT);
}

static void context_changes(void *self, const struct thread_event *event) {
    struct bursts *x = self;
    if (event->cause == THREAD_START)
        return; /* only the observer is attached or detached */
    if (x->inside && (event->change == THREAD_BEGINS || event->change == THREAD_ENDS))
        exact_context_changes(x->exact, event);
    if (event->change != THREAD_BEGINS)
        return;
    const uint64_t count = nes_counters(x->nes)[x->counter] + 1;
    nes_counter_set(x->nes, x->counter, count);
    if (count == 0)
        go_over(x);
}

/* ---- the technique ---- */

static void abandon(void *self) {
    struct bursts *x = self;
    if (x == NULL)
        return;
    nes_switch_code(x->nes, false);
    nes_detach(x->nes, x->id);
    exact_release(x->exact);
    free(x);
}

static enum status check_interval(const int64_t *values, struct error *e) {
    return values[BURST] < values[INTERVAL]
               ? STATUS_OK
               : error_set(e, STATUS_ARGUMENT,
                           "bursts: a burst of %lld checks does not fit into an interval of %lld; "
                           "make the interval longer",
                           (long long)values[BURST], (long long)values[INTERVAL]);
}

static enum status attach(void **self, struct nes *nes, const int64_t *values, struct error *e) {
    *self = NULL;
    const enum status fits = check_interval(values, e);
    if (fits != STATUS_OK)
        return fits;
    struct bursts *x = calloc(1, sizeof *x);
    if (x == NULL || (x->exact = exact_begin(nes)) == NULL) {
        free(x);
        return error_set(e, STATUS_MEMORY, "out of memory for bursts");
    }
    x->nes = nes;
    x->interval = (uint64_t)values[INTERVAL];
    x->burst = (uint64_t)values[BURST];
    x->counter = nes_counters_add(nes, 1);
    if (x->counter != UINT32_MAX)
        count_down(x, 1 + (uint64_t)values[PHASE]);
    const struct observer observer = {
        .self = x, .instrument = instrument, .thread = context_changes, .begins_and_ends = true};
    const enum status status = x->counter == UINT32_MAX
                                   ? error_set(e, STATUS_MEMORY, "out of counters for bursts")
                                   : nes_attach(nes, &observer, &x->id, e);
    if (status != STATUS_OK) {
        exact_release(x->exact);
        free(x);
        return status;
    }
    *self = x;
    return STATUS_OK;
}

/* Estimates the counts of the whole run from those of bursts. */
static void scale(struct graph *g, uint64_t interval, uint64_t burst) {
    for (size_t i = 0; i < g->edge_count; i++) {
        const unsigned __int128 count = (unsigned __int128)g->edges[i].count * interval / burst;
        g->edges[i].count = count < GRAPH_WEIGHT_MAX ? (uint64_t)count : GRAPH_WEIGHT_MAX;
        g->edges[i].busy = false;
    }
}

static void tell(struct profile *out, uint64_t bursts, uint64_t checks) {
    out->counts[out->count_count++] = (struct named_count){"bursts", bursts};
    out->counts[out->count_count++] = (struct named_count){"checks", checks};
}

static enum status finish(void *self, struct profile *out, struct error *e) {
    struct bursts *x = self;
    const uint64_t checks = x->planned + nes_counters(x->nes)[x->counter]; /* a negative one */
    if (x->inside)
        tell_contexts(x, THREAD_ENDS);
    nes_switch_code(x->nes, false);
    nes_detach(x->nes, x->id);
    const enum status status = exact_finish(x->exact, out, e);
    if (status == STATUS_OK) {
        scale(&out->graph, x->interval, x->burst);
        out->cost.observed = out->cost.probes;
        out->cost.probes += checks;
        tell(out, x->begun, checks);
    }
    free(x);
    return status;
}

static enum status replay(struct profile *out, const struct program_trace *program,
                          const int64_t *values, struct error *e) {
    const struct program_bursts_options options = {.interval = (uint64_t)values[INTERVAL],
                                                   .burst = (uint64_t)values[BURST],
                                                   .phase = (uint64_t)values[PHASE]};
    struct program_bursts_result result;
    *out = (struct profile){0};
    enum status status = check_interval(values, e);
    if (status == STATUS_OK)
        status = program_bursts(out, &result, program, &options, e);
    if (status == STATUS_OK) {
        scale(&out->graph, options.interval, options.burst);
        tell(out, result.bursts, result.checks);
    }
    return status;
}

static enum status now(void *self, struct profile *out, struct error *e) {
    const struct bursts *x = self;
    const enum status status = exact_now(x->exact, x->inside, out, e);
    if (status == STATUS_OK)
        scale(&out->graph, x->interval, x->burst);
    return status;
}

const struct technique technique_bursts = {
    .name = "bursts",
    .summary =
        "duplicated code counts all flow for a burst now and then; the usual code only checks",
    .source = "Arnold, Ryder (2001)",
    .parameters =
        {
            {"interval", "checks from the begin of a burst to that of the next one", 2,
             INT64_C(1) << 40, 1009, NULL},
            {"burst", "checks that a burst takes; 1: one acyclic stretch", 1, INT64_C(1) << 39, 1,
             NULL},
            {"phase", "checks before the one at which the first burst begins", 0, INT64_C(1) << 40,
             0, NULL},
        },
    .attach = attach,
    .finish = finish,
    .abandon = abandon,
    .replay = replay,
    .now = now,
};
