#include "play/play.h"

#include <inttypes.h>

static void step(void *self, const struct guest_insn *insn, uint64_t cycle) {
    struct trace *t = self;
    struct cpu_registers r = nes_registers(t->nes);
    char text[32], bytes[7] = "";
    disassemble(text, insn->pc, insn->bytes);
    for (unsigned i = 0; i < insn->size; i++)
        snprintf(bytes + 2 * i, 3, "%02X", insn->bytes[i]);
    fprintf(t->out,
            "%" PRIu64 "\t%" PRIu64 "\t%04" PRIX32 "\t%s\t%s\tA:%02X X:%02X Y:%02X S:%02X P:%02X\n",
            nes_frame(t->nes), cycle, insn->address, bytes, text, r.a, r.x, r.y, r.s, r.p);
}

static void thread(void *self, const struct thread_event *event) {
    static const char *const changes[] = {[THREAD_BEGINS] = "begins",
                                          [THREAD_SUSPENDED] = "suspended",
                                          [THREAD_RESUMES] = "resumes",
                                          [THREAD_ENDS] = "ends"};
    static const char *const causes[] = {[THREAD_START] = "start",
                                         [THREAD_RESET] = "reset",
                                         [THREAD_NMI] = "NMI",
                                         [THREAD_IRQ] = "IRQ",
                                         [THREAD_RTI] = "RTI"};
    struct trace *t = self;
    fprintf(t->out, "%" PRIu64 "\t*\t%s\t%s\t%04" PRIX32 "\tS:%02X\n", nes_frame(t->nes),
            changes[event->change], causes[event->cause], event->address, event->s);
}

enum status trace_begin(struct trace *t, struct nes *nes, FILE *out, struct error *e) {
    *t = (struct trace){.nes = nes, .out = out};
    const struct observer observer = {.self = t, .thread = thread, .step = step};
    enum status status = nes_attach(nes, &observer, &t->id, e);
    if (status != STATUS_OK)
        return status;
    t->attached = true;
    nes_observe(nes, t->id, UINT64_MAX);
    return STATUS_OK;
}

void trace_end(struct trace *t) {
    if (t->attached)
        nes_detach(t->nes, t->id);
    t->attached = false;
}
