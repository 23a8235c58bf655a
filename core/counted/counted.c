/* Replays in the counted build. */
#include "counted/counted.h"

#include <stdlib.h>
#include <string.h>

#include "counted/heap.h"
#include "counted/tally.h"
#include "dbt/dbt.h"
#include "dbt/host/step.h"
#include "profile/structure/structure.h"

bool counted_here(void) {
    return dbt_engine() != NULL;
}

/* What is replayed, and who watches. */
struct watched {
    const struct counted_request *r;
    struct nes *nes;
    struct sampler *sampler;
    struct structure_recorder *recorder;
    const struct technique *technique;
    void *self;
    struct tally tally;
    struct heap heap;
    uint64_t code;   /* bytes of translated code, at most */
    uint64_t *calls; /* those before the steady state */
};

static enum status attach(struct watched *w, struct error *e) {
    const struct counted_request *const r = w->r;
    enum status status = STATUS_OK;
    switch (r->kind) {
    case COUNTED_BARE:
        break;
    case COUNTED_STRUCTURE:
        status = structure_attach(&w->recorder, w->nes, e);
        if (status == STATUS_OK)
            status = sampler_attach_counting(&w->sampler, w->nes, e);
        break;
    case COUNTED_SAMPLER:
        status = sampler_attach(&w->sampler, w->nes, r->sampler, e);
        break;
    case COUNTED_TECHNIQUE:
        w->technique = technique_find(r->technique);
        if (!w->technique || !w->technique->attach)
            return error_set(e, STATUS_ARGUMENT, "%s: no technique that watches a machine",
                             r->technique);
        status = w->technique->attach(&w->self, w->nes, r->values, e);
        break;
    }
    return status;
}

static void detach(struct watched *w) {
    sampler_free(w->sampler);
    structure_abandon(w->recorder);
    if (w->technique)
        w->technique->abandon(w->self);
}

/* ---- counts ---- */

static uint64_t calls_of(const struct watched *w, const char *name) {
    uint64_t calls = 0;
    for (size_t i = 0; i < counted_function_count; i++)
        if (strcmp(counted_functions[i].name, name) == 0)
            calls += w->tally.calls[i];
    return calls;
}

static void count_now(const struct watched *w, struct counted *out) {
    uint64_t thousandths = 0;
    out->translated = dbt_host_executed(w->nes);
    out->unpriced = 0;
    for (size_t i = 0; i < counted_function_count; i++) {
        thousandths += w->tally.calls[i] * counted_functions[i].price;
        out->unpriced += counted_functions[i].priced ? 0 : w->tally.calls[i];
    }
    out->host = out->translated + thousandths / 1000;
    out->probes = 0;
    for (unsigned id = 0; id < NES_OBSERVERS; id++)
        out->probes += nes_probes_fired(w->nes, id);
    out->handlers = w->tally.handlers;
    out->samples = calls_of(w, "stream_add_again");
    out->instructions = nes_instructions(w->nes);
    out->ram_hash = nes_ram_hash(w->nes);
}

static void keep_steady(struct counted *out, const struct counted *before) {
    out->host_steady = out->host - before->host;
    out->translated_steady = out->translated - before->translated;
    out->probes_steady = out->probes - before->probes;
    out->handlers_steady = out->handlers - before->handlers;
    out->samples_steady = out->samples - before->samples;
}

static int by_name(const void *a, const void *b) {
    const struct counted_function *const f = &counted_functions[*(const uint32_t *)a],
                                         *const g = &counted_functions[*(const uint32_t *)b];
    return strcmp(f->name, g->name);
}

/* One name may have several functions: those of headers have one in each file. */
static enum status list(const struct watched *w, struct error *e) {
    uint32_t *const order = calloc(counted_function_count, sizeof *order);
    if (!order)
        return error_set(e, STATUS_MEMORY, "out of memory");
    for (uint32_t i = 0; i < counted_function_count; i++)
        order[i] = i;
    qsort(order, counted_function_count, sizeof *order, by_name);
    for (size_t i = 0; i < counted_function_count;) {
        const char *const name = counted_functions[order[i]].name;
        uint64_t calls = 0, before = 0;
        for (; i < counted_function_count && strcmp(counted_functions[order[i]].name, name) == 0;
             i++) {
            calls += w->tally.calls[order[i]];
            before += w->calls[order[i]];
        }
        if (calls > 0)
            w->r->each(w->r->user, name, calls, calls - before);
    }
    free(order);
    return STATUS_OK;
}

/* ---- replaying ---- */

static void note_code(struct watched *w) {
    struct dbt_statistics statistics;
    dbt_statistics(w->nes, &statistics);
    if (statistics.cache_used > w->code)
        w->code = statistics.cache_used;
}

static enum status play(struct watched *w, struct counted *out, struct error *e) {
    struct counted before = {0};
    enum status status = STATUS_OK;
    tally_into(&w->tally);
    for (uint64_t i = 0; status == STATUS_OK && i < w->r->frames; i++) {
        if (i == w->r->from) {
            tally_into(NULL);
            count_now(w, &before);
            memcpy(w->calls, w->tally.calls, counted_function_count * sizeof *w->calls);
            tally_into(&w->tally);
        }
        if (w->r->stopped && w->r->stopped())
            status = error_set(e, STATUS_INTERRUPTED, "stopped");
        else
            status = movie_play_frame(w->r->movie, w->nes, e);
        tally_into(NULL);
        note_code(w);
        tally_into(&w->tally);
    }
    tally_into(NULL);
    if (status != STATUS_OK)
        return status;
    count_now(w, out);
    keep_steady(out, &before);
    out->memory = w->heap.most + w->code;
    if (w->heap.incomplete)
        return error_set(e, STATUS_MEMORY, "out of memory");
    return w->r->each ? list(w, e) : STATUS_OK;
}

enum status counted_replay(const struct counted_request *r, struct counted *out, struct error *e) {
    struct watched w = {.r = r};
    *out = (struct counted){0};
    const struct nes_options options = {
        .cartridge = r->cartridge, .console = r->console, .engine = dbt_engine()};
    w.calls = calloc(counted_function_count, sizeof *w.calls);
    enum status status =
        tally_open(&w.tally) && w.calls ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
    heap_into(&w.heap);
    if (status == STATUS_OK)
        status = nes_create(&w.nes, &options, e);
    if (status == STATUS_OK)
        status = attach(&w, e);
    if (status == STATUS_OK)
        status = play(&w, out, e);
    detach(&w);
    nes_free(w.nes);
    heap_into(NULL);
    heap_close(&w.heap);
    free(w.calls);
    tally_close(&w.tally);
    return status;
}
