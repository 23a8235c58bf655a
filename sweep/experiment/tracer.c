#include "experiment/tracer.h"

#include <string.h>

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
    t->entering |= event->change == THREAD_BEGINS &&
                   (event->cause == THREAD_NMI || event->cause == THREAD_IRQ);
}

enum status tracer_begin(struct tracer *t, struct nes *nes, struct trace_excerpt *out,
                         struct error *e) {
    *t = (struct tracer){.out = out, .nes = nes};
    const struct observer observer = {.self = t, .thread = thread, .step = step};
    enum status status = nes_attach(nes, &observer, &t->id, e);
    if (status != STATUS_OK)
        return status;
    out->frame = nes_frame(nes);
    t->attached = true;
    nes_observe(nes, t->id, UINT64_MAX);
    return STATUS_OK;
}

enum status tracer_end(struct tracer *t, struct error *e) {
    if (t->attached)
        nes_detach(t->nes, t->id);
    t->attached = false;
    return t->lost ? error_set(e, STATUS_MEMORY, "out of memory for a trace") : STATUS_OK;
}
