#include "lockstep/lockstep.h"

#include <stdio.h>
#include <stdlib.h>

#include "lockstep/runner.h"

enum { CHECKPOINT_EVERY = 256 }; /* frames */

struct run {
    const struct lockstep *l;
    struct outcome *outcomes;
    struct runner references[WATCHINGS]; /* the first always, others if a way has these observers */
    struct runner *runners;              /* one per way; closed after a difference */
    struct bytes checkpoint;             /* the reference's state */
    uint64_t first, before;              /* the first frame, and the number of instructions before
                                            it */
    size_t going;                        /* ways without a difference so far */
};

/* ---- a difference ---- */

static enum status differs(struct run *r, size_t i, bool findings, const struct divergence *seen,
                           struct error *e) {
    struct outcome *const o = &r->outcomes[i];
    o->where = *seen;
    o->equal = false;
    r->going--;
    runner_close(&r->runners[i]);
    return lockstep_find(r->l, &r->l->ways[i], &r->checkpoint, findings ? &r->first : NULL,
                         &o->where, e);
}

/* Compares the pictures of the frame that ended, if the way draws; before the first frame neither
 * has one. */
static bool same_picture(struct nes *truth, struct nes *way, char what[200]) {
    enum { PIXELS = 256 * 240 };
    const uint16_t *const a = nes_picture(truth), *const b = nes_picture(way);
    unsigned wrong = 0;
    for (unsigned i = 0; a != NULL && b != NULL && i < PIXELS; i++)
        wrong += a[i] != b[i];
    if (b == NULL || (a != NULL && wrong == 0)) /* not drawn, or equal */
        return true;
    snprintf(what, 200, "%u pixels of the picture", wrong);
    return false;
}

/* Compares way i with the references at the end of frame `frame`. */
static enum status compare(struct run *r, size_t i, uint64_t frame, struct error *e) {
    struct nes *const truth = r->references[WATCH_NOBODY].nes;
    struct runner *const way = &r->runners[i];
    struct divergence d = {.frame = frame};
    const size_t differences = nes_differences(truth, way->nes, NULL, 0);
    if (differences == 0 && runner_same_sight(&r->references[way->watching], way, d.what) &&
        same_picture(truth, way->nes, d.what)) {
        r->outcomes[i].frames++;
        r->outcomes[i].instructions = nes_instructions(truth) - r->before;
        return STATUS_OK;
    }
    if (differences > 0)
        snprintf(d.what, sizeof d.what, "%zu numbers of the state", differences);
    lockstep_describe(&d, truth, way->nes);
    return differs(r, i, false, &d, e);
}

static enum status compare_findings(struct run *r, const struct findings *truth, size_t i,
                                    struct error *e) {
    struct runner *const way = &r->runners[i];
    struct divergence d = {.frame = nes_frame(way->nes)};
    struct findings findings;
    enum status status = runner_findings(way, &findings, e);
    const bool same = status != STATUS_OK || findings_same(truth, &findings, d.what);
    findings_free(&findings);
    if (!same) {
        lockstep_describe(&d, r->references[WATCH_NOBODY].nes, way->nes);
        status = differs(r, i, true, &d, e);
    }
    return status;
}

/* ---- running ---- */

static enum status run_frame(struct run *r, uint64_t frame, struct error *e) {
    const struct lockstep *const l = r->l;
    enum status status = STATUS_OK;
    for (unsigned k = 0; k < WATCHINGS && status == STATUS_OK; k++)
        if (r->references[k].nes != NULL)
            status = runner_play(&r->references[k], l->movie, frame + 1, e);
    for (size_t i = 0; i < l->count && status == STATUS_OK; i++) {
        if (r->runners[i].nes == NULL)
            continue;
        runner_begin_frame(&r->runners[i], l->movie);
        status = nes_run_frame(r->runners[i].nes, e);
        if (status == STATUS_OK)
            status = compare(r, i, frame, e);
    }
    return status;
}

static enum status run_frames(struct run *r, struct error *e) {
    const struct lockstep *const l = r->l;
    struct runner *const truth = &r->references[WATCH_NOBODY];
    enum status status = STATUS_OK;
    for (uint64_t frame = r->first; frame < l->end && r->going > 0 && status == STATUS_OK;
         frame++) {
        if (l->frame != NULL)
            status = l->frame(l->user, frame, e);
        if (status == STATUS_OK && (frame - r->first) % CHECKPOINT_EVERY == 0) {
            bytes_free(&r->checkpoint);
            status = nes_save(truth->nes, &r->checkpoint, e);
        }
        if (status == STATUS_OK)
            status = run_frame(r, frame, e);
        if (runner_stopped(truth, l->movie))
            break;
    }
    return status;
}

static enum status end(struct run *r, struct error *e) {
    struct findings truth = {0};
    enum status status = STATUS_OK;
    if (r->references[WATCH_PROFILERS].nes != NULL)
        status = runner_findings(&r->references[WATCH_PROFILERS], &truth, e);
    for (size_t i = 0; i < r->l->count && status == STATUS_OK; i++)
        if (r->runners[i].nes != NULL && r->runners[i].watching == WATCH_PROFILERS)
            status = compare_findings(r, &truth, i, e);
    findings_free(&truth);
    return status;
}

static enum status start(struct run *r, struct error *e) {
    const struct lockstep *const l = r->l;
    bool wanted[WATCHINGS] = {[WATCH_NOBODY] = true}, drawn = l->reference.pictures;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < l->count && status == STATUS_OK; i++) {
        r->outcomes[i] = (struct outcome){.equal = true};
        wanted[l->ways[i].watching] = true;
        drawn |= l->ways[i].pictures;
        status = runner_open(&r->runners[i], l, &l->ways[i], l->state, e);
    }
    for (unsigned k = 0; k < WATCHINGS && status == STATUS_OK; k++) {
        struct way way = l->reference;
        way.watching = (enum watching)k;
        way.pictures = drawn && k == WATCH_NOBODY;
        if (wanted[k])
            status = runner_open(&r->references[k], l, &way, l->state, e);
    }
    r->going = l->count;
    if (status != STATUS_OK)
        return status;
    r->first = nes_frame(r->references[WATCH_NOBODY].nes);
    r->before = nes_instructions(r->references[WATCH_NOBODY].nes);
    return status;
}

enum status lockstep_run(const struct lockstep *l, struct outcome *outcomes, struct error *e) {
    struct run r = {.l = l, .outcomes = outcomes, .runners = calloc(l->count, sizeof *r.runners)};
    enum status status =
        r.runners != NULL ? start(&r, e) : error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = run_frames(&r, e);
    if (status == STATUS_OK)
        status = end(&r, e);
    for (size_t i = 0; i < l->count && r.runners != NULL; i++)
        runner_close(&r.runners[i]);
    for (unsigned k = 0; k < WATCHINGS; k++)
        runner_close(&r.references[k]);
    bytes_free(&r.checkpoint);
    free(r.runners);
    return status;
}
