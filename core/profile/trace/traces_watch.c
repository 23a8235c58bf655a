/* Traces of a machine that runs: its transfers and contexts, through probes. */
#include "profile/trace/traces.h"

#include "nes/nes.h"

static uint64_t cycle_of(const void *nes) {
    return nes_cycle(nes);
}

/* ---- instructions ---- */

static void taken(void *site, const struct probe_event *event) {
    traces_pass(site, event->to, true);
}

static void not_taken(void *site, const struct probe_event *event) {
    traces_pass(site, event->to, false);
}

/* Code in memory may be instrumented again, and keeps its counts. */
static void instrument_transfer(struct traces *t, struct probe_site *at,
                                const struct guest_insn *insn) {
    struct trace_site *site = traces_site(t, insn->address, insn->target, insn->kind);
    if (site == NULL)
        return;
    const bool direct =
        insn->kind == INSN_BRANCH || insn->kind == INSN_JUMP || insn->kind == INSN_CALL;
    struct probe probe = {.kind = PROBE_CALL, .call = taken, .user = site, .quiet = true};
    probe_attach(at, direct ? PROBE_TAKEN : PROBE_INDIRECT, probe);
    probe.call = not_taken;
    if (insn->kind == INSN_BRANCH)
        probe_attach(at, PROBE_NEXT, probe);
}

static void instrument(void *self, struct probe_site *at, const struct guest_insn *insn) {
    struct traces *t = self;
    traces_note_next(t, insn->address, insn->next);
    const bool switches = /* perhaps the bank that it is executed from */
        insn->kind == INSN_PLAIN && opcode_info(insn->bytes[0])->writes_memory;
    if (switches || (insn->kind != INSN_PLAIN && insn->kind != INSN_JAM))
        instrument_transfer(t, at, insn);
}

static void thread_changes(void *self, const struct thread_event *event) {
    traces_context_changes(self, event);
}

/* ---- life cycle ---- */

void traces_abandon(void *self) {
    struct traces *t = self;
    if (t == NULL)
        return;
    region_abandon(&t->watch);
    traces_free(t);
}

enum status traces_attach(void **self, struct nes *nes, const struct trace_policy *policy,
                          const int64_t *values, struct error *e) {
    struct traces *t;
    *self = NULL;
    const struct trace_clock clock = {cycle_of, nes, TRACE_CYCLES_PER_SECOND};
    enum status status = traces_new(&t, policy, &clock, values, e);
    if (status != STATUS_OK)
        return status;
    const struct observer observer = {
        .self = t, .instrument = instrument, .thread = thread_changes};
    status = region_attach(&t->watch, nes, &observer, e);
    if (status != STATUS_OK)
        traces_free(t);
    else
        *self = t;
    return status;
}

enum status traces_finish_on(void *self, struct profile *out, struct structure *s,
                             struct error *e) {
    struct traces *t = self;
    enum status status = region_detach(&t->watch, out, s, e);
    if (status == STATUS_OK)
        status = traces_result(out, t, s, e);
    traces_free(t);
    return status;
}

enum status traces_finish(void *self, struct profile *out, struct error *e) {
    struct structure s;
    const enum status status = traces_finish_on(self, out, &s, e);
    structure_free(&s);
    return status;
}

enum status traces_ask(void *self, struct profile *out, struct error *e) {
    struct traces *t = self;
    struct structure s;
    *out = (struct profile){0};
    enum status status = structure_now(t->watch.recorder, &s, e);
    if (status != STATUS_OK)
        return status;
    status = traces_result(out, t, &s, e);
    structure_free(&s);
    return status;
}
