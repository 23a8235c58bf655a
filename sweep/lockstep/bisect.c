/* Finds the instruction at which two ways of running a game diverge. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lockstep/runner.h"

#define WHOLE_FRAME UINT64_MAX

struct search {
    const struct lockstep *l;
    struct way ways[2];       /* the reference, and the other */
    bool findings;            /* compare the profilers' results, too */
    const struct bytes *from; /* a state at or before the frame's start; NULL: power-on */
    bool amid;                /* it is within the frame, after its input was given */
    uint64_t frame;           /* in which they diverge */
    struct runner runners[2]; /* as the last try left them */
    bool differ;              /* the result of the last try */
    char what[sizeof((struct divergence *)NULL)->what];
};

static void close_runners(struct search *s) {
    for (unsigned i = 0; i < 2; i++)
        runner_close(&s->runners[i]);
}

static enum status compare_findings(struct search *s, struct error *e) {
    struct findings f[2] = {0};
    enum status status = STATUS_OK;
    for (unsigned i = 0; i < 2 && status == STATUS_OK; i++)
        status = runner_findings(&s->runners[i], &f[i], e);
    s->differ = status == STATUS_OK && !findings_same(&f[0], &f[1], s->what);
    for (unsigned i = 0; i < 2; i++)
        findings_free(&f[i]);
    return status;
}

static enum status compare(struct search *s, struct error *e) {
    struct runner *const a = &s->runners[0], *const b = &s->runners[1];
    const size_t differences = nes_differences(a->nes, b->nes, NULL, 0);
    if (differences > 0)
        snprintf(s->what, sizeof s->what, "%zu numbers of the state", differences);
    s->differ = differences > 0 || !runner_same_sight(a, b, s->what);
    return s->findings && !s->differ ? compare_findings(s, e) : STATUS_OK;
}

/* Creates a machine at the start of the search: at the frame's first instruction, or at a later one
 * within the frame. */
static enum status set_out(const struct search *s, struct runner *r, const struct way *way,
                           struct error *e) {
    enum status status = runner_open(r, s->l, way, s->from, e);
    if (status != STATUS_OK || s->amid)
        return status;
    status = runner_play(r, s->l->movie, s->frame, e);
    if (status == STATUS_OK)
        runner_begin_frame(r, s->l->movie);
    return status;
}

/* Runs new machines to the boundary at or after `cycle` in the frame, or to the frame's end, and
 * compares them. */
static enum status try(struct search *s, uint64_t cycle, struct error *e) {
    enum status status = STATUS_OK;
    close_runners(s);
    if (s->l->frame != NULL)
        status = s->l->frame(s->l->user, s->frame, e);
    for (unsigned i = 0; i < 2 && status == STATUS_OK; i++) {
        struct nes *nes;
        status = set_out(s, &s->runners[i], &s->ways[i], e);
        nes = s->runners[i].nes;
        if (status == STATUS_OK)
            status = cycle == WHOLE_FRAME ? nes_run_frame(nes, e) : nes_run_to(nes, cycle, e);
    }
    return status == STATUS_OK ? compare(s, e) : status;
}

/* The reference's state at the boundary at or after `cycle`, unwatched; cycle 0: where the search
 * starts. */
static enum status state_at(const struct search *s, uint64_t cycle, struct bytes *out,
                            struct error *e) {
    struct runner r = {0};
    struct way plain = s->ways[0];
    plain.watching = WATCH_NOBODY;
    enum status status = set_out(s, &r, &plain, e);
    if (status == STATUS_OK)
        status = nes_run_to(r.nes, cycle, e);
    if (status == STATUS_OK)
        status = nes_save(r.nes, out, e);
    runner_close(&r);
    return status;
}

/* Like try(), but starts from the reference's state at the boundary at or after `start`, and stores
 * that in *state. */
static enum status try_from(const struct search *s, uint64_t start, uint64_t end,
                            struct bytes *state, bool *differ, struct error *e) {
    struct search later = *s;
    bytes_free(state);
    enum status status = state_at(s, start, state, e);
    later.from = state;
    later.amid = true;
    memset(later.runners, 0, sizeof later.runners);
    if (status == STATUS_OK)
        status = try(&later, end, e);
    *differ = later.differ;
    close_runners(&later);
    return status;
}

/* ---- in time ---- */

/* Finds the first frame at whose end the profilers' results differ: after `first` frames they are
 * equal, after `end` they differ. */
static enum status find_frame(struct search *s, uint64_t first, uint64_t end, struct error *e) {
    enum status status = STATUS_OK;
    while (status == STATUS_OK && end - first > 1) {
        const uint64_t middle = first + (end - first) / 2;
        s->frame = middle - 1;
        status = try(s, WHOLE_FRAME, e);
        if (status == STATUS_OK && s->differ)
            end = middle;
        else
            first = middle;
    }
    s->frame = end - 1;
    return status;
}

/* Finds the first cycle *to at which the stopped machines differ, having started at cycle *begin.
 * *found: false if they never differ. */
static enum status find_cycle(struct search *s, uint64_t *begin, uint64_t *to, bool *found,
                              struct error *e) {
    enum status status = try(s, WHOLE_FRAME, e);
    *found = false;
    if (status != STATUS_OK || !s->differ)
        return status;
    const uint64_t ends[2] = {nes_cycle(s->runners[0].nes), nes_cycle(s->runners[1].nes)};
    *to = ends[0] > ends[1] ? ends[0] : ends[1];
    status = try(s, *to, e);
    if (status != STATUS_OK || !s->differ)
        return status;
    status = try(s, 0, e);
    if (status != STATUS_OK || s->differ)
        return status;
    *begin = nes_cycle(s->runners[0].nes);
    for (uint64_t equal = *begin; status == STATUS_OK && *to - equal > 1;) {
        const uint64_t middle = equal + (*to - equal) / 2;
        status = try(s, middle, e);
        if (status == STATUS_OK)
            *(s->differ ? to : &equal) = middle;
    }
    *found = status == STATUS_OK;
    return status;
}

/* Finds the latest start from which they still differ at `end`; `from` is such a start. */
static enum status find_start(const struct search *s, uint64_t from, uint64_t end, uint64_t *start,
                              struct bytes *state, struct error *e) {
    enum status status = STATUS_OK;
    bool differ;
    for (uint64_t none = end; status == STATUS_OK && none - from > 1;) {
        const uint64_t middle = from + (none - from) / 2;
        status = try_from(s, middle, end, state, &differ, e);
        if (status == STATUS_OK)
            *(differ ? &from : &none) = middle;
    }
    *start = from;
    return status == STATUS_OK ? try_from(s, from, end, state, &differ, e) : status;
}

/* ---- what is to be said of it ---- */

static struct stand stand_of(const struct nes *nes) {
    return (struct stand){nes_registers(nes), nes_cycle(nes), nes_instructions(nes)};
}

void lockstep_describe(struct divergence *d, const struct nes *reference, const struct nes *other) {
    d->reference = stand_of(reference);
    d->other = stand_of(other);
    d->differences = nes_differences(reference, other, d->numbers, DIVERGENCE_NUMBERS);
}

struct trail {
    struct divergence *d;
    bool last; /* keep the last steps, not the first */
};

static void on_step(void *self, const struct guest_insn *insn, uint64_t cycle) {
    const struct trail *const trail = self;
    struct divergence *const d = trail->d;
    if (d->step_count == DIVERGENCE_STEPS) {
        if (!trail->last)
            return;
        memmove(d->steps, d->steps + 1, sizeof d->steps - sizeof *d->steps);
        d->step_count--;
    }
    d->steps[d->step_count++] = (struct divergence_step){cycle, *insn};
}

/* Records what the reference executes from `start`, its position, to `end`. skip: omit the first
 * instruction, which must not be the only one. */
static enum status follow_steps(const struct search *s, uint64_t start, uint64_t end, bool skip,
                                struct trail trail, struct error *e) {
    struct runner r = {0};
    struct way plain = s->ways[0];
    struct divergence *const d = trail.d;
    const struct observer observer = {.self = &trail, .step = on_step};
    unsigned id;
    plain.watching = WATCH_NOBODY;
    enum status status = set_out(s, &r, &plain, e);
    if (status == STATUS_OK)
        status = nes_attach(r.nes, &observer, &id, e);
    if (status == STATUS_OK) {
        nes_observe(r.nes, id, UINT64_MAX);
        status = nes_run_to(r.nes, start, e);
        d->before = stand_of(r.nes);
    }
    if (status == STATUS_OK && skip)
        status = nes_run_to(r.nes, nes_cycle(r.nes) + 1, e);
    if (status == STATUS_OK && skip && nes_cycle(r.nes) < end) {
        d->before = stand_of(r.nes);
        d->step_count = 0;
    }
    if (status == STATUS_OK)
        status = nes_run_to(r.nes, end, e);
    runner_close(&r);
    return status;
}

/* ---- all of it ---- */

/* Describes a difference that appears at cycle `to`, but not at `to` - 1, from the search's start.
 * A machine that continues from a saved state executes its first instruction cycle by cycle on
 * every engine, so the next instruction is the first suspect. */
static enum status describe(struct search *s, uint64_t begin, uint64_t to, bool warm,
                            struct divergence *d, struct error *e) {
    struct bytes state = {0};
    struct search late = *s;
    uint64_t start = begin;
    enum status status = try(s, to, e);
    if (status == STATUS_OK)
        lockstep_describe(d, s->runners[0].nes, s->runners[1].nes);
    if (status == STATUS_OK && !warm)
        status = find_start(s, begin, to, &start, &state, e);
    if (!warm) {
        late.from = &state;
        late.amid = true;
    }
    if (status == STATUS_OK)
        status = follow_steps(&late, warm ? to - 1 : start, to, !warm,
                              (struct trail){.d = d, .last = warm}, e);
    bytes_free(&state);
    snprintf(d->what, sizeof d->what, "%s", s->what);
    d->located = true;
    d->warm = warm;
    return status;
}

static enum status find_from(struct search *s, const struct bytes *from, bool warm,
                             struct divergence *d, struct error *e) {
    uint64_t begin, to;
    bool found = false;
    s->from = from;
    enum status status = find_cycle(s, &begin, &to, &found, e);
    return status == STATUS_OK && found ? describe(s, begin, to, warm, d, e) : status;
}

/* The reference's state at the frame's beginning, before its input is given. */
static enum status state_before(const struct search *s, const struct bytes *checkpoint,
                                struct bytes *out, struct error *e) {
    struct runner r = {0};
    struct way plain = s->ways[0];
    plain.watching = WATCH_NOBODY;
    enum status status = runner_open(&r, s->l, &plain, checkpoint, e);
    if (status == STATUS_OK)
        status = runner_play(&r, s->l->movie, s->frame, e);
    if (status == STATUS_OK)
        status = nes_save(r.nes, out, e);
    runner_close(&r);
    return status;
}

static enum status find(struct search *s, const struct bytes *checkpoint, struct divergence *d,
                        struct error *e) {
    struct bytes state = {0};
    enum status status = state_before(s, checkpoint, &state, e);
    if (status == STATUS_OK)
        status = find_from(s, &state, false, d, e);
    if (status == STATUS_OK && !d->located)
        status = find_from(s, s->l->state, true, d, e);
    bytes_free(&state);
    return status;
}

enum status lockstep_find(const struct lockstep *l, const struct way *way,
                          const struct bytes *checkpoint, const uint64_t *first,
                          struct divergence *d, struct error *e) {
    struct search s = {
        .l = l, .ways = {l->reference, *way}, .findings = first != NULL, .frame = d->frame};
    enum status status = STATUS_OK;
    s.ways[0].watching = d->differences > 0 ? WATCH_NOBODY : way->watching;
    s.from = l->state;
    if (first != NULL) {
        status = find_frame(&s, *first, d->frame, e);
        d->frame = s.frame;
        checkpoint = l->state;
    }
    if (status == STATUS_OK)
        status = find(&s, checkpoint, d, e);
    close_runners(&s);
    return status;
}
