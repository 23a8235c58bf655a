#include "experiment/work/tracer.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_OF_ROM = 0x8000 };

static void meet(void *self, struct probe_site *site, const struct guest_insn *insn) {
    (void)site;
    struct tracer *t = self;
    if (insn->pc >= FIRST_OF_ROM)
        t->lost |= !vec_push(&t->out->met, *insn);
}

static void step(void *self, const struct guest_insn *insn, uint64_t cycle) {
    struct tracer *t = self;
    struct traced row = {.cycle = cycle,
                         .address = insn->address,
                         .pc = insn->pc,
                         .size = insn->size,
                         .interrupt = t->entering};
    memcpy(row.bytes, insn->bytes, sizeof row.bytes);
    t->entering = false;
    t->lost |= !vec_push(&t->out->insns, row);
}

static void thread(void *self, const struct thread_event *event) {
    struct tracer *t = self;
    t->entering |= t->tracing && event->change == THREAD_BEGINS &&
                   (event->cause == THREAD_NMI || event->cause == THREAD_IRQ);
}

enum status tracer_begin(struct tracer *t, struct nes *nes, struct trace_excerpt *out,
                         struct error *e) {
    *t = (struct tracer){.out = out, .nes = nes};
    const struct observer observer = {
        .self = t, .instrument = meet, .thread = thread, .step = step};
    enum status status = nes_attach(nes, &observer, &t->id, e);
    if (status != STATUS_OK)
        return status;
    t->attached = true;
    return STATUS_OK;
}

void tracer_trace(struct tracer *t, bool on) {
    t->tracing = on;
    t->out->frame = on ? nes_frame(t->nes) : t->out->frame;
    nes_observe(t->nes, t->id, on ? UINT64_MAX : 0);
}

enum status tracer_end(struct tracer *t, struct error *e) {
    if (t->attached)
        nes_detach(t->nes, t->id);
    t->attached = false;
    return t->lost ? error_set(e, STATUS_MEMORY, "out of memory for a trace") : STATUS_OK;
}

/* ---- what was met ---- */

void trace_free(struct trace_excerpt *t) {
    vec_free(&t->insns);
    vec_free(&t->met);
}

static int by_address(const void *a, const void *b) {
    const uint32_t x = ((const struct guest_insn *)a)->address,
                   y = ((const struct guest_insn *)b)->address;
    return (x > y) - (x < y);
}

void trace_sort(struct trace_excerpt *t) {
    size_t kept = 0;
    if (t->met.len > 1)
        qsort(t->met.at, t->met.len, sizeof *t->met.at, by_address);
    for (size_t i = 0; i < t->met.len; i++)
        if (kept == 0 || t->met.at[kept - 1].address != t->met.at[i].address)
            t->met.at[kept++] = t->met.at[i];
    t->met.len = kept;
}

const struct guest_insn *trace_find(const struct trace_excerpt *t, uint32_t address) {
    const struct guest_insn key = {.address = address};
    return t->met.len == 0 ? NULL
                           : bsearch(&key, t->met.at, t->met.len, sizeof *t->met.at, by_address);
}
