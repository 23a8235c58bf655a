/* Where two ways of running a game part: to the instruction. */
#include <stdio.h>

#include "runner.h"

#define WHOLE_FRAME UINT64_MAX

struct search {
    const struct lockstep *l;
    struct way ways[2];       /* the reference, and the other */
    bool findings;            /* compare what profilers have found, too */
    const struct bytes *from; /* a state at or before the frame's start; NULL: power-on */
    uint64_t frame;           /* in which they part */
    struct runner runners[2]; /* as the last try has left them */
    bool differ;              /* as it has found */
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

/* Runs new machines to the boundary at or after `cycle` in the frame, or to the frame's end, and
 * compares them. */
static enum status try(struct search *s, uint64_t cycle, struct error *e) {
    const struct movie *const movie = s->l->movie;
    enum status status = STATUS_OK;
    close_runners(s);
    if (s->l->frame != NULL)
        status = s->l->frame(s->l->user, s->frame, e);
    for (unsigned i = 0; i < 2 && status == STATUS_OK; i++) {
        struct runner *const r = &s->runners[i];
        status = runner_open(r, s->l, &s->ways[i], s->from, e);
        if (status == STATUS_OK)
            status = runner_play(r, movie, s->frame, e);
        if (status != STATUS_OK)
            break;
        runner_begin_frame(r, movie);
        status = cycle == WHOLE_FRAME ? nes_run_frame(r->nes, e) : nes_run_to(r->nes, cycle, e);
    }
    return status == STATUS_OK ? compare(s, e) : status;
}

/* ---- in time ---- */

/* The first frame at whose end profilers have found different things: after as many frames as
 * `first` they have not, after `end` they have. */
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

/* Cycles between which the machines part, *to being *from + 1; *found is false where they do not
 * when they start from s->from, or when they are stopped within the frame. */
static enum status find_cycle(struct search *s, uint64_t *from, uint64_t *to, bool *found,
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
    *from = nes_cycle(s->runners[0].nes);
    while (status == STATUS_OK && *to - *from > 1) {
        const uint64_t middle = *from + (*to - *from) / 2;
        status = try(s, middle, e);
        if (status == STATUS_OK)
            *(s->differ ? to : from) = middle;
    }
    *found = status == STATUS_OK;
    return status;
}

/* ---- what is to be said of it ---- */

static struct stand stand_of(const struct nes *nes) {
    return (struct stand){nes_registers(nes), nes_cycle(nes), nes_instructions(nes)};
}

void lockstep_describe(struct divergence *d, const struct nes *reference, const struct nes *other) {
    d->reference = stand_of(reference);
    d->other = stand_of(other);
    d->cycle = d->reference.cycle;
    d->differences = nes_differences(reference, other, d->numbers, DIVERGENCE_NUMBERS);
}

/* The machines part behind the boundary that is reached by running to cycle `from`. */
static enum status describe(struct search *s, uint64_t from, uint64_t to, struct divergence *d,
                            struct error *e) {
    enum status status = try(s, from, e);
    if (status != STATUS_OK)
        return status;
    const struct nes *const before = s->runners[0].nes;
    d->before = stand_of(before);
    const uint16_t pc = d->before.registers.pc;
    d->address = nes_code_address(before, pc);
    for (unsigned i = 0; i < 3; i++)
        d->bytes[i] = nes_peek(before, (uint16_t)(pc + i));
    status = try(s, to, e);
    if (status != STATUS_OK)
        return status;
    lockstep_describe(d, s->runners[0].nes, s->runners[1].nes);
    d->cycle = d->before.cycle;
    d->interrupt = d->before.instructions == d->reference.instructions;
    d->located = true;
    snprintf(d->what, sizeof d->what, "%s", s->what);
    return STATUS_OK;
}

static enum status find_from(struct search *s, const struct bytes *from, struct divergence *d,
                             struct error *e) {
    uint64_t cycles[2];
    bool found = false;
    s->from = from;
    enum status status = find_cycle(s, &cycles[0], &cycles[1], &found, e);
    return status == STATUS_OK && found ? describe(s, cycles[0], cycles[1], d, e) : status;
}

/* The reference's state as the frame begins. */
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
        status = find_from(s, &state, d, e);
    if (status == STATUS_OK && !d->located) {
        status = find_from(s, s->l->state, d, e);
        d->warm = d->located;
    }
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
