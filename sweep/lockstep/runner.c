#include "lockstep/runner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WHAT = 200 };

/* ---- the follower ---- */

static void mix(struct follower *f, uint64_t value) {
    f->hash = (f->hash ^ value) * 0x9E3779B97F4A7C15u;
    f->hash ^= f->hash >> 29;
}

static void on_transfer(void *self, const struct probe_event *event) {
    struct follower *const f = self;
    const struct cpu_registers r = nes_registers(f->nes);
    mix(f, event->from | (uint64_t)event->to << 32);
    mix(f, r.a | r.x << 8 | r.y << 16 | (uint64_t)r.p << 24 | (uint64_t)r.s << 32);
    mix(f, nes_instructions(f->nes));
}

/* Counts an instruction that continues; calls back for a control transfer. */
static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    struct follower *const f = self;
    (void)insn;
    const struct probe add = {.kind = PROBE_ADD, .counter = f->counter, .value = 1};
    const struct probe call = {.kind = PROBE_CALL, .call = on_transfer, .user = f};
    probe_attach(site, PROBE_NEXT, add);
    probe_attach(site, PROBE_TAKEN, call);
    probe_attach(site, PROBE_INDIRECT, call);
}

static void on_thread(void *self, const struct thread_event *e) {
    mix(self, e->change | e->cause << 8 | e->s << 16 | (uint64_t)e->address << 32);
}

static enum status follow(struct runner *r, struct error *e) {
    unsigned id;
    r->follower = (struct follower){.nes = r->nes, .counter = nes_counters_add(r->nes, 1)};
    const struct observer observer = {
        .self = &r->follower, .instrument = instrument, .thread = on_thread};
    return nes_attach(r->nes, &observer, &id, e);
}

/* ---- machines ---- */

static enum status profile(struct runner *r, struct error *e) {
    const int64_t values[TECHNIQUE_PARAMETERS] = {0};
    r->technique = technique_find("exact");
    /* Samples are rarer than usual, to save memory, and anywhere in the frame. Sampled instructions
     * bypass the engine, so the first ones after a start are not sampled. */
    const struct sampler_options options = {.interval_us = 10000,
                                            .jitter_us = 4000,
                                            .seed = 1,
                                            .phase_cycles = nes_cycle(r->nes) + 10000};
    const enum status status = r->technique->attach(&r->exact, r->nes, values, e);
    return status == STATUS_OK ? sampler_attach(&r->sampler, r->nes, options, e) : status;
}

enum status runner_open(struct runner *r, const struct lockstep *l, const struct way *way,
                        const struct bytes *state, struct error *e) {
    *r = (struct runner){.watching = way->watching};
    const struct nes_options options = {
        .cartridge = l->cartridge,
        .engine = way->engine,
        .engine_options = way->engine_options != NULL ? way->engine_options : &way->translator,
        .console = l->console,
        .pictures = way->pictures,
        .no_skip = way->no_skip,
        .no_fast = way->no_fast};
    enum status status = nes_create(&r->nes, &options, e);
    if (status == STATUS_OK && state != NULL)
        status = nes_load(r->nes, state->at, state->len, "the state to start from", e);
    if (status == STATUS_OK && way->watching == WATCH_PROFILERS)
        status = profile(r, e);
    if (status == STATUS_OK && way->watching == WATCH_TRANSFERS)
        status = follow(r, e);
    return status;
}

void runner_close(struct runner *r) {
    if (r->technique != NULL)
        r->technique->abandon(r->exact);
    sampler_free(r->sampler);
    nes_free(r->nes);
    *r = (struct runner){0};
}

void runner_begin_frame(struct runner *r, const struct movie *movie) {
    const struct movie_line line = movie_line_at(movie, nes_frame(r->nes));
    if (line.command != 0)
        nes_reset(r->nes, line.command & MOVIE_HARD_RESET);
    nes_set_buttons(r->nes, 0, line.pads[0]);
    nes_set_buttons(r->nes, 1, line.pads[1]);
}

enum status runner_play(struct runner *r, const struct movie *movie, uint64_t end,
                        struct error *e) {
    enum status status = STATUS_OK;
    while (status == STATUS_OK && nes_frame(r->nes) < end) {
        runner_begin_frame(r, movie);
        status = nes_run_frame(r->nes, e);
    }
    return status;
}

bool runner_stopped(const struct runner *r, const struct movie *movie) {
    uint32_t pc;
    uint64_t frame;
    return nes_jammed(r->nes, &pc, &frame) && !movie_resets_after(movie, nes_frame(r->nes));
}

/* ---- comparing ---- */

static bool same_number(uint64_t a, uint64_t b, const char *name, char what[WHAT]) {
    if (a != b)
        snprintf(what, WHAT, "%s: %" PRIu64 ", %" PRIu64, name, a, b);
    return a == b;
}

bool runner_same_sight(const struct runner *a, const struct runner *b, char what[WHAT]) {
    char name[40];
    if (a->watching == WATCH_NOBODY)
        return true;
    for (unsigned id = 0; id < NES_OBSERVERS; id++) {
        snprintf(name, sizeof name, "probes fired by observer %u", id);
        if (!same_number(nes_probes_fired(a->nes, id), nes_probes_fired(b->nes, id), name, what))
            return false;
    }
    if (a->watching != WATCH_TRANSFERS)
        return true;
    if (a->follower.hash != b->follower.hash) {
        snprintf(what, WHAT, "control transfers or threads, as an observer sees them in order");
        return false;
    }
    return same_number(nes_counters(a->nes)[a->follower.counter],
                       nes_counters(b->nes)[b->follower.counter],
                       "counter of instructions that go on", what);
}

static bool same_graph(const struct graph *a, const struct graph *b, char what[WHAT]) {
    for (size_t i = 0; i < a->edge_count || i < b->edge_count; i++) {
        static const struct edge none;
        const struct edge *const p = i < a->edge_count ? &a->edges[i] : &none;
        const struct edge *const q = i < b->edge_count ? &b->edges[i] : &none;
        if (p->source == q->source && p->target == q->target && p->count == q->count &&
            p->busy == q->busy)
            continue;
        snprintf(what, WHAT,
                 "the exact graph: edge %04" PRIX32 " to %04" PRIX32 " with %" PRIu64
                 ", edge %04" PRIX32 " to %04" PRIX32 " with %" PRIu64,
                 p->source, p->target, p->count, q->source, q->target, q->count);
        return false;
    }
    if (!same_number(a->block_count, b->block_count, "blocks of the exact graph", what))
        return false;
    for (size_t i = 0; i < a->block_count; i++)
        if (!same_number(a->blocks[i].entry, b->blocks[i].entry, "entry of a block", what) ||
            !same_number(a->blocks[i].last, b->blocks[i].last, "end of a block", what))
            return false;
    return true;
}

static bool same_batch(const struct stream *a, const struct stream *b, size_t batch,
                       char what[WHAT]) {
    for (size_t k = 0; k < stream_batch_length(a, batch); k++) {
        const struct sample *const p = &stream_batch(a, batch)[k], *const q =
                                                                       &stream_batch(b, batch)[k];
        if (p->pc == q->pc && p->target == q->target && p->size == q->size && p->kind == q->kind &&
            p->opcode == q->opcode)
            continue;
        snprintf(what, WHAT,
                 "sample %zu of batch %zu: opcode %02X at %04" PRIX32 ", %02X at %04" PRIX32, k,
                 batch, p->opcode, p->pc, q->opcode, q->pc);
        return false;
    }
    return true;
}

static bool same_stream(const struct stream *a, const struct stream *b, char what[WHAT]) {
    if (!same_number(a->batch_count, b->batch_count, "batches of samples", what) ||
        !same_number(a->overruns, b->overruns, "samples overrun", what))
        return false;
    for (size_t i = 0; i < a->batch_count; i++)
        if (!same_number(stream_batch_length(a, i), stream_batch_length(b, i), "samples of a batch",
                         what) ||
            !same_batch(a, b, i, what))
            return false;
    return true;
}

bool findings_same(const struct findings *a, const struct findings *b, char what[WHAT]) {
    if (strcmp(a->failure, b->failure) != 0) {
        snprintf(what, WHAT, "%s", a->failure[0] != 0 ? a->failure : b->failure);
        return false;
    }
    return same_graph(&a->profile.graph, &b->profile.graph, what) &&
           same_number(a->profile.cost.records, b->profile.cost.records,
                       "records of the exact profiler", what) &&
           same_number(a->profile.cost.probes, b->profile.cost.probes,
                       "probes of the exact profiler", what) &&
           same_stream(&a->stream, &b->stream, what);
}

enum status runner_findings(struct runner *r, struct findings *out, struct error *e) {
    *out = (struct findings){0};
    if (r->watching != WATCH_PROFILERS)
        return STATUS_OK;
    void *const exact = r->exact;
    struct sampler *const sampler = r->sampler;
    r->exact = r->sampler = NULL;
    struct error why = {0};
    const enum status status = r->technique->finish(exact, &out->profile, &why);
    if (status == STATUS_GUEST) /* impossible counts of a faulty engine are a finding, too */
        snprintf(out->failure, sizeof out->failure, "%.199s", why.text);
    else if (status != STATUS_OK && e != NULL)
        *e = why;
    if (status == STATUS_OK || status == STATUS_GUEST)
        return sampler_finish(sampler, &out->stream, e);
    sampler_free(sampler);
    return status;
}

void findings_free(struct findings *f) {
    profile_free(&f->profile);
    stream_free(&f->stream);
    *f = (struct findings){0};
}
