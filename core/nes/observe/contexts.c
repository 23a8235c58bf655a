/* Interrupted contexts: an interrupt suspends the running one, and the matching RTI resumes it. */
#include "nes/observe/watch.h"

static void emit_many(struct nes *n, enum thread_change change, enum thread_cause cause,
                      uint32_t address, uint8_t s, uint64_t times) {
    const struct thread_event event = {change, cause, address, s, times - 1};
    if (n->observed.watch->listeners)
        watch_thread_event(n, &event);
}

static void emit(struct nes *n, enum thread_change change, enum thread_cause cause,
                 uint32_t address, uint8_t s) {
    emit_many(n, change, cause, address, s, 1);
}

/* Drops contexts whose stack pointer is below s: their handlers' stack frames are gone. */
static void drop_below(struct nes *n, uint8_t s, enum thread_cause cause) {
    struct contexts *t = &n->contexts;
    unsigned kept = 0;
    while (kept < t->count && t->at[kept].s >= s)
        kept++; /* usually all of them */
    for (unsigned i = kept; i < t->count; i++) {
        if (t->at[i].s < s)
            emit(n, THREAD_ENDS, cause, t->at[i].address, t->at[i].s);
        else
            t->at[kept++] = t->at[i];
    }
    t->count = kept;
}

static void drop_oldest(struct nes *n, enum thread_cause cause) {
    struct contexts *t = &n->contexts;
    emit(n, THREAD_ENDS, cause, t->at[0].address, t->at[0].s);
    t->count--;
    for (unsigned i = 0; i < t->count; i++)
        t->at[i] = t->at[i + 1];
}

void contexts_interrupt(struct nes *n, uint32_t resume, uint8_t s, enum thread_cause cause) {
    struct contexts *t = &n->contexts;
    n->idle.interrupted = n->cpu.instructions;
    drop_below(n, s, cause);
    if (t->count == CONTEXTS)
        drop_oldest(n, cause);
    t->at[t->count].address = resume;
    t->at[t->count].s = (uint8_t)(s - 3);
    t->count++;
    if (n->observed.watch->followers)
        emit(n, THREAD_SUSPENDED, cause, resume, (uint8_t)(s - 3));
    contexts_begin(n, cause);
}

void contexts_repeat(struct nes *n, uint32_t handler, uint64_t times) {
    const uint32_t resume = nes_code_address(n, n->cpu.r.pc);
    const uint8_t s = (uint8_t)(n->cpu.r.s - 3);
    emit_many(n, THREAD_SUSPENDED, THREAD_IRQ, resume, s, times);
    emit_many(n, THREAD_BEGINS, THREAD_IRQ, handler, s, times);
    emit_many(n, THREAD_RESUMES, THREAD_RTI, resume, n->cpu.r.s, times);
}

bool contexts_rti(struct nes *n, uint8_t s) {
    struct contexts *t = &n->contexts;
    drop_below(n, s, THREAD_RTI);
    if (t->count == 0 || t->at[t->count - 1].s != s)
        return false;
    t->count--;
    const uint32_t address = t->at[t->count].address;
    if (address != nes_code_address(n, n->cpu.r.pc)) {
        emit(n, THREAD_ENDS, THREAD_RTI, address, s);
        return false;
    }
    n->observed.switched = n->cpu.cycle;
    if (n->observed.watch->followers)
        emit(n, THREAD_RESUMES, THREAD_RTI, address, n->cpu.r.s);
    if (n->cpu.cycle >= n->observed.alarm)
        watch_switched(n, THREAD_RTI);
    return true;
}

void contexts_begin(struct nes *n, enum thread_cause cause) {
    n->observed.switched = n->cpu.cycle;
    if (n->observed.watch->listeners)
        watch_begins(n, cause);
    if (n->observed.watch->moved && (cause == THREAD_NMI || n->cpu.cycle >= n->observed.alarm))
        watch_switched(n, cause); /* may listen from now on */
}

void contexts_end(struct nes *n, enum thread_cause cause) {
    struct contexts *t = &n->contexts;
    emit(n, THREAD_ENDS, cause, nes_code_address(n, n->cpu.r.pc), n->cpu.r.s);
    for (unsigned i = t->count; i-- > 0;)
        emit(n, THREAD_ENDS, cause, t->at[i].address, t->at[i].s);
    t->count = 0;
}
