/*
 * The last taken branches, as processors keep them in a stack of 16 or 32 (Intel's last branch records).
 * AutoFDO (Chen, Li, Moseley 2016) and BOLT (Panchenko, Auler, Nell, Ottoni 2019) build profiles from
 * them. A sample is the stack at one moment. Between the target of one branch and the next branch the code
 * ran straight on; perf2bolt and llvm-profgen count this range once, and each branch once. So a batch has
 * all instructions from the oldest branch to the target of the newest one.
 *
 * An entry is a transfer that was taken: a branch, jump, call or return, but no interrupt and no return
 * from one. An interrupt splits the stack into two batches, so that the instructions of each batch were
 * executed one after the other.
 *
 * lbr: the stack is read at the first instruction boundary at or after each due cycle (sampler_time.c).
 * Its newest entry is biased: a branch is found there in proportion to the cycles until the next one.
 * `skip` ignores the newest entries. The sampler steps towards due cycles from LOOKBACK cycles an entry
 * before them. If straight code is so long that fewer branches are taken there, the batch has fewer.
 *
 * lbr_taken: the stack is read after one in every `every` taken branches. One counter counts them all, and
 * the sampler steps from the oldest entry on. Every branch has the same chance to be in any entry.
 */
#include "profile/sample/samplers.h"

#include <stdlib.h>

enum { LOOKBACK = 128 };

static void push(struct sampler *s, const struct sample *sample) {
    s->out_of_memory |= !vec_push(&s->lbr.code, *sample);
}

static void push_insn(struct sampler *s, const struct guest_insn *insn) {
    push(s, &(struct sample){.pc = insn->address,
                             .target = insn->target,
                             .size = insn->size,
                             .kind = insn->kind,
                             .opcode = insn->bytes[0]});
}

/* Marks the instruction that was pushed last. */
static void mark(struct sampler *s, bool taken) {
    struct lbr *l = &s->lbr;
    if (l->code.len == 0)
        return;
    const struct lbr_mark m = {l->code.len - 1, taken};
    s->out_of_memory |= !vec_push(&l->marks, m);
    l->taken += taken;
}

/* Did the instruction take a branch, since control is at `to` after it? */
static bool was_taken(const struct guest_insn *insn, uint32_t to) {
    return insn->kind == INSN_BRANCH ? to != insn->next
                                     : insn->kind != INSN_PLAIN && insn->kind != INSN_JAM;
}

/* ---- reading the stack ---- */

static void keep(struct sampler *s, size_t from, size_t to) {
    if (to - from >= 2 && !s->out_of_memory)
        s->out_of_memory = !stream_add_some(&s->stream, &s->lbr.code.at[from], to - from);
}

/* Index of the n-th newest taken mark, n from 1; marks.len: there are fewer. */
static size_t nth_newest(const struct lbr *l, size_t n) {
    size_t i = l->marks.len;
    while (i > 0 && n > 0)
        n -= l->marks.at[--i].taken;
    return n == 0 ? i : l->marks.len;
}

/* The target of the newest branch was pushed after it. */
static void read_stack(struct sampler *s) {
    const struct lbr *l = &s->lbr;
    const size_t entries = l->taken < s->options.stack ? l->taken : s->options.stack;
    if (entries <= s->options.skip || s->out_of_memory)
        return;
    const size_t oldest = nth_newest(l, entries), newest = nth_newest(l, s->options.skip + 1);
    size_t from = l->marks.at[oldest].at;
    for (size_t i = oldest; i < newest; i++) {
        const struct lbr_mark *cut = &l->marks.at[i];
        if (cut->taken)
            continue;
        keep(s, from, cut->at + 1);
        from = cut->at + 1;
    }
    keep(s, from, l->marks.at[newest].at + 2);
}

static void forget_all(struct lbr *l) {
    l->code.len = l->marks.len = l->taken = 0;
    l->pending = false;
}

/* Forgets what is before the oldest entry that the next sample may need. */
static void forget_old(struct sampler *s) {
    struct lbr *l = &s->lbr;
    const size_t mark_from = nth_newest(l, s->options.stack);
    if (mark_from == l->marks.len) {
        if (l->code.len > SAMPLER_BATCH_MOST)
            forget_all(l);
        return;
    }
    const size_t code_from = l->marks.at[mark_from].at;
    for (size_t i = mark_from; i < l->marks.len; i++)
        l->marks.at[i - mark_from] =
            (struct lbr_mark){l->marks.at[i].at - code_from, l->marks.at[i].taken};
    for (size_t i = code_from; i < l->code.len; i++)
        l->code.at[i - code_from] = l->code.at[i];
    l->marks.len -= mark_from;
    l->code.len -= code_from;
    l->taken = s->options.stack;
}

/* ---- due cycles ---- */

static void step_towards(struct sampler *s, uint64_t cycle) {
    struct lbr *l = &s->lbr;
    const uint64_t lookback = (uint64_t)LOOKBACK * s->options.stack;
    const uint64_t from = l->due > lookback ? l->due - lookback : 0;
    if (from <= cycle && l->stepping) {
        forget_old(s);
        return;
    }
    forget_all(l);
    l->stepping = false;
    nes_observe(s->nes, s->id, 0);
    nes_set_alarm(s->nes, s->id, from);
}

static void alarm_rings(void *self, uint64_t cycle) {
    struct sampler *s = self;
    (void)cycle;
    if (s->out_of_memory)
        return;
    s->lbr.stepping = true;
    nes_observe(s->nes, s->id, UINT64_MAX);
}

/* Reads the stack if it is due at this boundary. */
static void read_when_due(struct sampler *s, uint64_t cycle) {
    if (cycle < s->lbr.due)
        return;
    read_stack(s);
    while ((s->lbr.due = sampler_due_cycle(s, ++s->next_batch)) <= cycle)
        s->overruns++;
    step_towards(s, cycle);
}

/* ---- taken branches ---- */

static void stop(struct sampler *s) {
    s->lbr.stepping = false;
    forget_all(&s->lbr);
    nes_observe(s->nes, s->id, 0);
}

static void read_when_full(struct sampler *s) {
    if (s->lbr.taken < s->options.stack && s->lbr.code.len < SAMPLER_BATCH_MOST)
        return;
    read_stack(s);
    stop(s);
}

/* A branch was taken that is the oldest entry of a sample. */
static void begin_stack(void *user, const struct probe_event *event) {
    struct sampler *s = user;
    sampler_transfers_next(s);
    if (s->lbr.stepping || s->out_of_memory) {
        s->overruns++;
        return;
    }
    const struct sample from = sampler_landing(s->nes, event->from);
    s->lbr.stepping = s->lbr.pending = true;
    s->lbr.insn = (struct guest_insn){.kind = from.kind, .next = from.pc + from.size};
    push(s, &from);
    nes_observe(s->nes, s->id, UINT64_MAX);
}

static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    struct sampler *s = self;
    if (s->options.by == SAMPLER_LBR || insn->kind == INSN_PLAIN || insn->kind == INSN_JAM)
        return;
    const bool direct =
        insn->kind == INSN_BRANCH || insn->kind == INSN_JUMP || insn->kind == INSN_CALL;
    probe_attach(site, direct ? PROBE_TAKEN : PROBE_INDIRECT,
                 (struct probe){.kind = PROBE_CALL_AT,
                                .counter = s->counter,
                                .value = 0,
                                .call = begin_stack,
                                .user = s,
                                .quiet = true});
}

/* ---- callbacks ---- */

/* The pending instruction, if there is one, is complete. */
static void step(void *self, const struct guest_insn *insn, uint64_t cycle) {
    struct sampler *s = self;
    struct lbr *l = &s->lbr;
    if (!l->stepping)
        return;
    l->steps++;
    if (l->pending && was_taken(&l->insn, insn->address))
        mark(s, true);
    push_insn(s, insn);
    l->insn = *insn;
    l->pending = true;
    if (s->options.by == SAMPLER_LBR)
        read_when_due(s, cycle);
    else
        read_when_full(s);
}

static void thread_changes(void *self, const struct thread_event *event) {
    struct sampler *s = self;
    struct lbr *l = &s->lbr;
    if (!l->stepping)
        return;
    if (event->change == THREAD_SUSPENDED && l->pending) {
        if (was_taken(&l->insn, event->address))
            mark(s, true);
        const struct sample at = sampler_landing(s->nes, event->address);
        push(s, &at);
        mark(s, false);
        l->pending = false;
    } else if (l->pending && (event->change == THREAD_BEGINS || event->change == THREAD_RESUMES)) {
        mark(s, false);
        l->pending = false;
    }
}

/* ---- life cycle ---- */

uint64_t sampler_lbr_probes(const struct sampler *s) {
    return s->lbr.steps + (s->options.by == SAMPLER_LBR_TAKEN ? sampler_transfers_passed(s) : 0);
}

void sampler_lbr_begin(struct sampler *s) {
    s->stream.stream.of = STREAM_OF_BRANCHES;
    s->stream.stream.batch_length = 0;
    if (s->options.by == SAMPLER_LBR_TAKEN) {
        sampler_transfers_begin(s);
        return;
    }
    s->lbr.due = sampler_time_first(s);
    step_towards(s, nes_cycle(s->nes));
}

void sampler_lbr_release(struct sampler *s) {
    vec_free(&s->lbr.code);
    vec_free(&s->lbr.marks);
}

const struct observer sampler_by_lbr = {
    .instrument = instrument, .step = step, .alarm = alarm_rings, .thread = thread_changes};
