/*
 * decay: invocation and back-edge counters that are halved periodically, as in method JITs (Hoelzle
 * and Ungar 1994, in SELF; HotSpot after it). Each called address, each address at which
 * interrupted contexts begin, and each target of a backward branch or jump has a counter. After
 * each `period` of emulated milliseconds all counters are halved, so code does not become hot
 * merely because it runs for a long time. A counter that reaches the threshold between two halvings
 * makes its address hot for good: a routine is compiled from its entry, a loop from its head
 * (on-stack replacement).
 *
 * The result is a set: all edges reached from hot entries and heads, without entering callees, up
 * to returns. Blocks and edges are those of the structure, which is recorded in the same run.
 * Passes of a busy-wait through its backward branch count like any others. Of a recorded program, targets
 * of indirect calls are heads, too, and its time is its clock (program_heads.h).
 *
 * Costs: records are counters that were hit; observed is 0; probes are those of the counters; a
 * step is a block visited while regions are walked.
 */
#include "nes/engine.h"
#include "profile/profile.h"
#include "profile/program/program_heads.h"
#include "profile/structure/region.h"

#include <stdlib.h>

extern const struct technique technique_decay;

enum { THRESHOLD, PERIOD };
enum { CYCLES_PER_SECOND = 1789773 };

struct head {
    uint32_t address, counter;
    bool hit, hot; /* hit: counted before the last halving, unlike code that was only translated */
};

struct decay {
    struct nes *nes;
    struct region_watch watch;
    uint64_t threshold, period, due; /* period in cycles; 0: never halved */
    VEC(struct head) heads;
    struct map head_at; /* address -> index */
    uint64_t halvings, first_hot;
    bool out_of_memory;
};

/* Returns the index of the head at `address`; SIZE_MAX: out of memory. */
static size_t head_of(struct decay *x, uint32_t address) {
    uint64_t *index = map_find(&x->head_at, address);
    if (index != NULL)
        return *index;
    const struct head fresh = {address, nes_counters_add(x->nes, 1), false, false};
    index = fresh.counter == UINT32_MAX ? NULL : map_at(&x->head_at, address);
    if (index == NULL || !vec_push(&x->heads, fresh)) {
        x->out_of_memory = true;
        return SIZE_MAX;
    }
    *index = x->heads.len - 1;
    return *index;
}

static void head_is_hot(void *user, const struct probe_event *event) {
    struct decay *x = user;
    const uint64_t *index = map_find(&x->head_at, event->to);
    if (index == NULL || x->heads.at[*index].hot)
        return; /* it was halved after it had become hot */
    x->heads.at[*index].hot = true;
    if (x->first_hot == 0)
        x->first_hot = nes_cycle(x->nes);
    nes_retranslate(x->nes, event->to);
}

static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    struct decay *x = self;
    const bool back =
        (insn->kind == INSN_BRANCH || insn->kind == INSN_JUMP) && insn->target <= insn->address;
    if (!back && insn->kind != INSN_CALL)
        return;
    const size_t head = head_of(x, insn->target);
    if (head != SIZE_MAX)
        probe_attach(site, PROBE_TAKEN,
                     (struct probe){.kind = PROBE_CALL_AT,
                                    .counter = x->heads.at[head].counter,
                                    .value = x->threshold,
                                    .call = head_is_hot,
                                    .user = x});
}

static void context_changes(void *self, const struct thread_event *event) {
    struct decay *x = self;
    const size_t head = event->change == THREAD_BEGINS ? head_of(x, event->address) : SIZE_MAX;
    if (head == SIZE_MAX)
        return;
    const uint32_t counter = x->heads.at[head].counter;
    const uint64_t count = nes_counters(x->nes)[counter] + 1;
    nes_counter_set(x->nes, counter, count);
    if (count == x->threshold)
        head_is_hot(x, &(struct probe_event){.nes = x->nes, .to = event->address});
}

static void halve(void *self, uint64_t cycle) {
    struct decay *x = self;
    for (size_t i = 0; i < x->heads.len; i++) {
        const uint32_t counter = x->heads.at[i].counter;
        x->heads.at[i].hit |= nes_counters(x->nes)[counter] != 0;
        nes_counter_set(x->nes, counter, nes_counters(x->nes)[counter] / 2);
    }
    x->halvings++;
    while (x->due <= cycle)
        x->due += x->period;
    nes_set_alarm(x->nes, x->watch.id, x->due);
}

static void release(struct decay *x) {
    vec_free(&x->heads);
    map_free(&x->head_at);
    free(x);
}

static void abandon(void *self) {
    struct decay *x = self;
    if (x == NULL)
        return;
    region_abandon(&x->watch);
    release(x);
}

static enum status attach(void **self, struct nes *nes, const int64_t *values, struct error *e) {
    *self = NULL;
    struct decay *x = calloc(1, sizeof *x);
    if (x == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for decay");
    x->nes = nes;
    x->threshold = (uint64_t)values[THRESHOLD];
    x->period = (uint64_t)values[PERIOD] * CYCLES_PER_SECOND / 1000;
    x->due = nes_cycle(nes) + x->period;
    const struct observer observer = {
        .self = x, .instrument = instrument, .thread = context_changes, .alarm = halve};
    const enum status status = region_attach(&x->watch, nes, &observer, e);
    if (status != STATUS_OK) {
        release(x);
        return status;
    }
    if (x->period != 0)
        nes_set_alarm(nes, x->watch.id, x->due);
    *self = x;
    return STATUS_OK;
}

static void tell(struct profile *out, uint64_t hot, uint64_t halvings, uint64_t first_hot) {
    out->counts[out->count_count++] = (struct named_count){"hot_heads", hot};
    out->counts[out->count_count++] = (struct named_count){"halvings", halvings};
    out->counts[out->count_count++] = (struct named_count){"first_hot_cycle", first_hot};
}

static enum status finish(void *self, struct profile *out, struct error *e) {
    struct decay *x = self;
    uint64_t records = 0;
    VEC(uint32_t) hot = {0};
    for (size_t i = 0; i < x->heads.len; i++) {
        const struct head *h = &x->heads.at[i];
        records += h->hit || nes_counters(x->nes)[h->counter] != 0;
        if (h->hot)
            x->out_of_memory |= !vec_push(&hot, h->address);
    }
    enum status status = region_finish(&x->watch, out, hot.at, hot.len, e);
    if (status == STATUS_OK && x->out_of_memory) {
        profile_free(out);
        status = error_set(e, STATUS_MEMORY, "out of memory for decay");
    }
    if (status == STATUS_OK) {
        out->cost.records = records;
        tell(out, hot.len, x->halvings, x->first_hot);
    }
    vec_free(&hot);
    release(x);
    return status;
}

static enum status replay(struct profile *out, const struct program_trace *program,
                          const int64_t *values, struct error *e) {
    const struct program_heads_options options = {.loops = true,
                                                  .threshold = (uint64_t)values[THRESHOLD],
                                                  .period = (uint64_t)values[PERIOD] *
                                                            (PROGRAM_TICKS / 1000)};
    struct program_heads h;
    VEC(uint32_t) hot = {0};
    *out = (struct profile){0};
    enum status status = program_heads_follow(&h, program, options, e);
    for (size_t i = 0; status == STATUS_OK && i < h.heads.len; i++)
        if (h.heads.at[i].hot && !vec_push(&hot, h.heads.at[i].address))
            status = error_set(e, STATUS_MEMORY, "out of memory for decay");
    if (status == STATUS_OK)
        status = program_heads_profile(out, &h, program, hot.at, hot.len, e);
    if (status == STATUS_OK)
        tell(out, hot.len, h.halvings, h.first_hot);
    vec_free(&hot);
    program_heads_free(&h);
    return status;
}

static enum status now(void *self, struct profile *out, struct error *e) {
    struct decay *x = self;
    VEC(uint32_t) hot = {0};
    for (size_t i = 0; i < x->heads.len; i++)
        if (x->heads.at[i].hot)
            x->out_of_memory |= !vec_push(&hot, x->heads.at[i].address);
    const enum status status = region_now(&x->watch, out, hot.at, hot.len, e);
    vec_free(&hot);
    return status; /* finish() says if it was out of memory */
}

const struct technique technique_decay = {
    .name = "decay",
    .summary = "hot routines and loops, by counters that are halved periodically: a set of edges",
    .source = "Hoelzle, Ungar (1994)",
    .parameters =
        {
            {"threshold", "entries or passes that make a routine or loop hot", 1, INT64_C(1) << 40,
             1000, NULL},
            {"period", "milliseconds of emulated time between halvings; 0: none", 0, 1000000, 1000,
             NULL},
        },
    .attach = attach,
    .finish = finish,
    .abandon = abandon,
    .replay = replay,
    .now = now,
};
