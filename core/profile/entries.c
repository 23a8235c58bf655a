/*
 * entries: counters at the entries of subroutines, as a dynamic profiling library puts them into a
 * program (Ootsu, Yokota, Baba 2008). One counter for each target of a JSR, one for each address at
 * which interrupted contexts begin. A routine whose counter reaches the threshold is hot: a handler
 * is called once, in the same process, and asks the engine to translate the routine's entry again.
 * With threshold 0, the most entered routines that make up `share` thousandths of all entries are
 * hot, which is known only at the end. Of a recorded program, indirect calls enter routines, too
 * (program_heads.h).
 *
 * The result is a set: all edges whose source is in a hot routine, that is, in a block reached from
 * its entry without entering callees, up to its returns. Blocks and edges are those of the
 * structure, which is recorded in the same run.
 *
 * Costs: records are counters that were hit; observed is 0, since only entries are probed; probes
 * are those of the counters, without the structure's; a step is a block visited while routines are
 * walked.
 */
#include "nes/engine.h"
#include "profile/profile.h"
#include "profile/program/program_heads.h"
#include "profile/structure/region.h"

#include <stdlib.h>

extern const struct technique technique_entries;

enum { THRESHOLD, SHARE };

struct routine {
    uint32_t entry, counter; /* counter: index into the machine's counters */
    uint64_t entered;        /* its value at the end */
    bool hot;                /* the handler was called */
};

struct entries {
    struct nes *nes;
    struct region_watch watch;
    uint64_t threshold, share;
    VEC(struct routine) routines;
    struct map routine_at; /* entry -> index */
    uint64_t told;         /* calls of the handler */
    bool out_of_memory;
};

/* ---- during the replay ---- */

/* Returns the index of the routine at `entry`; SIZE_MAX: out of memory. */
static size_t routine_of(struct entries *x, uint32_t entry) {
    uint64_t *index = map_find(&x->routine_at, entry);
    if (index != NULL)
        return *index;
    const struct routine fresh = {.entry = entry, .counter = nes_counters_add(x->nes, 1)};
    index = fresh.counter == UINT32_MAX ? NULL : map_at(&x->routine_at, entry);
    if (index == NULL || !vec_push(&x->routines, fresh)) {
        x->out_of_memory = true;
        return SIZE_MAX;
    }
    *index = x->routines.len - 1;
    return *index;
}

/* The handler: marks the routine as hot and has the engine translate its entry again. */
static void comes_hot(void *user, const struct probe_event *event) {
    struct entries *x = user;
    const uint64_t *index = map_find(&x->routine_at, event->to);
    if (index == NULL)
        return;
    x->told++;
    x->routines.at[*index].hot = true;
    nes_retranslate(x->nes, event->to);
}

static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    struct entries *x = self;
    const size_t routine = insn->kind == INSN_CALL ? routine_of(x, insn->target) : SIZE_MAX;
    if (routine == SIZE_MAX)
        return;
    probe_attach(site, PROBE_TAKEN,
                 (struct probe){.kind = x->threshold != 0 ? PROBE_CALL_AT : PROBE_ADD,
                                .counter = x->routines.at[routine].counter,
                                .value = x->threshold != 0 ? x->threshold : 1,
                                .call = comes_hot,
                                .user = x});
}

static void thread_changes(void *self, const struct thread_event *event) {
    struct entries *x = self;
    const size_t routine =
        event->change == THREAD_BEGINS ? routine_of(x, event->address) : SIZE_MAX;
    if (routine == SIZE_MAX)
        return;
    const uint32_t counter = x->routines.at[routine].counter;
    const uint64_t count = nes_counters(x->nes)[counter] + 1;
    nes_counter_set(x->nes, counter, count);
    if (count == x->threshold)
        comes_hot(x, &(struct probe_event){.nes = x->nes, .to = event->address});
}

/* ---- after the replay ---- */

static int by_entered(const void *a, const void *b) {
    const struct routine *r = a, *s = b;
    if (r->entered != s->entered)
        return r->entered > s->entered ? -1 : 1;
    return (r->entry > s->entry) - (r->entry < s->entry);
}

/* Marks the fewest routines that make up `share` permille of all entries. */
static void choose_by_share(struct entries *x) {
    unsigned __int128 all = 0, sum = 0;
    if (x->routines.len > 0)
        qsort(x->routines.at, x->routines.len, sizeof *x->routines.at, by_entered);
    for (size_t i = 0; i < x->routines.len; i++)
        all += x->routines.at[i].entered;
    for (size_t i = 0; i < x->routines.len && 1000 * sum < x->share * all; i++) {
        x->routines.at[i].hot = true;
        sum += x->routines.at[i].entered;
    }
}

struct hot_entries {
    VEC(uint32_t) at;
};

/* Chooses what is hot, if that is known only now. */
static void list_hot(struct entries *x, struct hot_entries *hot) {
    if (x->threshold == 0)
        choose_by_share(x);
    for (size_t i = 0; i < x->routines.len; i++)
        if (x->routines.at[i].hot)
            x->out_of_memory |= !vec_push(&hot->at, x->routines.at[i].entry);
}

static void tell(struct profile *out, uint64_t hot, uint64_t handler_calls) {
    out->counts[out->count_count++] = (struct named_count){"hot_routines", hot};
    out->counts[out->count_count++] = (struct named_count){"handler_calls", handler_calls};
}

static void release(struct entries *x) {
    vec_free(&x->routines);
    map_free(&x->routine_at);
    free(x);
}

static void abandon(void *self) {
    struct entries *x = self;
    if (x == NULL)
        return;
    region_abandon(&x->watch);
    release(x);
}

static enum status attach(void **self, struct nes *nes, const int64_t *values, struct error *e) {
    *self = NULL;
    struct entries *x = calloc(1, sizeof *x);
    if (x == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for entries");
    x->nes = nes;
    x->threshold = (uint64_t)values[THRESHOLD];
    x->share = (uint64_t)values[SHARE];
    const struct observer observer = {
        .self = x, .instrument = instrument, .thread = thread_changes};
    const enum status status = region_attach(&x->watch, nes, &observer, e);
    if (status != STATUS_OK) {
        release(x);
        return status;
    }
    *self = x;
    return STATUS_OK;
}

static enum status finish(void *self, struct profile *out, struct error *e) {
    struct entries *x = self;
    struct hot_entries hot = {0};
    uint64_t records = 0;
    for (size_t i = 0; i < x->routines.len; i++) {
        struct routine *r = &x->routines.at[i];
        r->entered = nes_counters(x->nes)[r->counter];
        records += r->entered != 0;
    }
    list_hot(x, &hot);
    enum status status = region_finish(&x->watch, out, hot.at.at, hot.at.len, e);
    if (status == STATUS_OK && x->out_of_memory) {
        profile_free(out);
        status = error_set(e, STATUS_MEMORY, "out of memory for entries");
    }
    if (status == STATUS_OK) {
        out->cost.records = records;
        tell(out, hot.at.len, x->told);
    }
    vec_free(&hot.at);
    release(x);
    return status;
}

static enum status replay(struct profile *out, const struct program_trace *program,
                          const int64_t *values, struct error *e) {
    struct entries x = {.threshold = (uint64_t)values[THRESHOLD], .share = (uint64_t)values[SHARE]};
    struct program_heads h;
    struct hot_entries hot = {0};
    *out = (struct profile){0};
    enum status status = program_heads_follow(
        &h, program, (struct program_heads_options){.threshold = x.threshold}, e);
    for (size_t i = 0; i < h.heads.len; i++) {
        const struct program_head *at = &h.heads.at[i];
        const struct routine routine = {.entry = at->address, .entered = at->count, .hot = at->hot};
        x.out_of_memory |= !vec_push(&x.routines, routine);
    }
    list_hot(&x, &hot);
    if (status == STATUS_OK && x.out_of_memory)
        status = error_set(e, STATUS_MEMORY, "out of memory for entries");
    if (status == STATUS_OK)
        status = program_heads_profile(out, &h, program, hot.at.at, hot.at.len, e);
    if (status == STATUS_OK)
        tell(out, hot.at.len, h.hot);
    vec_free(&x.routines);
    vec_free(&hot.at);
    program_heads_free(&h);
    return status;
}

const struct technique technique_entries = {
    .name = "entries",
    .summary = "routines that are entered often, by counters at subroutine entries: a set of edges",
    .source = "Ootsu, Yokota, Baba (2008)",
    .parameters =
        {
            {"threshold", "entries that make a routine hot; 0: by share", 0, INT64_C(1) << 40, 0,
             NULL},
            {"share", "thousandths of all entries that hot routines make up", 1, 1000, 900, NULL},
        },
    .attach = attach,
    .finish = finish,
    .abandon = abandon,
    .replay = replay,
};
