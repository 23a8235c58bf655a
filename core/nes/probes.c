/* Observers come and go, and ask for alarms, steps and counters. */
#include "nes/watch.h"

enum status nes_attach(struct nes *n, const struct observer *observer, unsigned *id,
                       struct error *e) {
    struct watch *w = n->watch;
    unsigned i = 0;
    while (i < NES_OBSERVERS && w->observers[i].used)
        i++;
    if (i == NES_OBSERVERS)
        return error_set(e, STATUS_ARGUMENT, "a machine has room for %d observers", NES_OBSERVERS);
    w->observers[i] = (struct watched_by){
        .used = true, .observer = *observer, .alarm = NEVER, .record.from = NEVER};
    w->used |= 1u << i;
    w->listeners |= (unsigned)(observer->thread != NULL) << i;
    w->counting |= (unsigned)observer->counts_threads << i;
    n->fired[i] = 0;
    n->map_epoch++; /* known instructions are asked about again */
    watch_requests_changed(n);
    if (n->engine->forget)
        n->engine->forget(n->engine_self);
    *id = i;
    watch_tell(n, observer, THREAD_BEGINS);
    return STATUS_OK;
}

void nes_detach(struct nes *n, unsigned id) {
    struct watch *w = n->watch;
    if (id >= NES_OBSERVERS || !w->observers[id].used)
        return;
    const struct observer observer = w->observers[id].observer;
    nes_settle(n);
    watch_tell(n, &observer, THREAD_ENDS);
    record_free(&w->observers[id].record);
    w->observers[id] = (struct watched_by){0};
    w->used &= ~(1u << id);
    w->listeners &= w->used;
    w->counting &= w->used;
    watch_remove(n, id);
    n->map_epoch++;
    watch_requests_changed(n);
    if (n->engine->forget)
        n->engine->forget(n->engine_self);
}

void nes_tell_threads(struct nes *n, const struct observer *observer, enum thread_change change) {
    watch_tell(n, observer, change);
}

void nes_set_alarm(struct nes *n, unsigned id, uint64_t cycle) {
    n->watch->observers[id].alarm = cycle;
    watch_requests_changed(n);
}

void nes_observe(struct nes *n, unsigned id, uint64_t count) {
    n->watch->observers[id].steps = count;
    watch_requests_changed(n);
}

bool nes_record(struct nes *n, unsigned id, uint64_t from, uint32_t count, uint64_t by) {
    struct record *const r = &n->watch->observers[id].record;
    /* A run is of one instruction at least; one more is begun and dropped. */
    if (r->runs_cap <= count && !vec_reserve_(&r->runs, &r->runs_cap, count + 1u, sizeof *r->runs))
        return false;
    r->from = from;
    r->by = by;
    r->count = count;
    r->on = r->full = false;
    watch_requests_changed(n);
    return true;
}

void nes_retranslate(struct nes *n, uint32_t address) {
    if (n->engine->retranslate)
        n->engine->retranslate(n->engine_self, n, address);
}

uint32_t nes_counters_add(struct nes *n, uint32_t count) {
    struct watch *w = n->watch;
    if (count > WATCH_COUNTERS - w->counters_used) {
        w->out_of_memory = true;
        return UINT32_MAX;
    }
    const uint32_t first = w->counters_used;
    w->counters_used += count;
    return first;
}

void nes_counter_set(struct nes *n, uint32_t counter, uint64_t value) {
    n->counters[counter] = value;
}

void nes_settle(struct nes *n) {
    if (n->engine->settle)
        n->engine->settle(n->engine_self);
}

const uint64_t *nes_counters(const struct nes *n) {
    return n->counters;
}

uint64_t nes_probes_fired(const struct nes *n, unsigned id) {
    return id < NES_OBSERVERS ? n->fired[id] : 0;
}

/* ---- what was recorded ---- */

enum { BANK_BYTES = 0x2000 };

/* The bytes of the instruction of a run that lies `behind` bytes behind its first. */
static void bytes_of(const struct nes *n, const struct recorded_run *run, unsigned behind,
                     uint8_t bytes[3]) {
    const uint16_t pc = (uint16_t)(run->pc + behind);
    memcpy(bytes, (const uint8_t[]){(uint8_t)run->opcode, run->operand[0], run->operand[1]}, 3);
    if (run->piece) {
        uint16_t number;
        memcpy(&number, run->operand, sizeof number);
        memcpy(bytes, n->watch->pieces.at[number].bytes + run->opcode + behind, 3);
    }
    for (unsigned i = 0; run->opcode == 0 && pc >= 0x8000 && i < 3 && pc + i < 0x10000; i++) {
        const unsigned slot = ((pc + i) >> 13) - 4;
        const uint8_t *const bank =
            n->board.banked
                ? n->options.cartridge->prg + (run->banks >> 16 * slot & 0xffff) * BANK_BYTES
                : n->board.prg[slot];
        bytes[i] = bank[(pc + i) % BANK_BYTES];
    }
}

static bool starts_with(const uint8_t bytes[3], const struct guest_insn *insn) {
    return bytes[0] == insn->bytes[0] && (insn->size < 2 || bytes[1] == insn->bytes[1]) &&
           (insn->size < 3 || bytes[2] == insn->bytes[2]);
}

/* The instruction of a run at pc, where that was mapped which is mapped now. */
static const struct guest_insn *known_at(struct nes *n, const struct recorded_run *run,
                                         uint16_t pc) {
    uint8_t bytes[3];
    const size_t slot = watch_slot(n, pc, watch_code(n, pc));
    const struct site *const site = n->watch->slots[slot];
    const bool met = site && site->insn.pc == pc && site->epoch == n->map_epoch;
    if (met && pc >= 0x8000 && !site->volatile_bytes)
        return &site->insn;
    bytes_of(n, run, (uint16_t)(pc - run->pc), bytes);
    return met && starts_with(bytes, &site->insn) ? &site->insn
                                                  : &watch_meet(n, pc, slot, bytes)->insn;
}

void nes_recorded(struct nes *n, const struct recording *r,
                  void (*each)(void *user, const struct guest_insn *insn), void *user) {
    const uint64_t banks = record_banks(n);
    for (size_t i = 0; i < r->run_count; i++) {
        const struct recorded_run *const run = &r->runs[i];
        const uint32_t end = i + 1 < r->run_count ? r->runs[i + 1].at : r->count;
        uint16_t pc = run->pc;
        for (uint32_t k = run->at; k < end; k++) {
            const struct guest_insn *insn;
            struct guest_insn decoded;
            if (run->banks == banks) {
                insn = known_at(n, run, pc);
            } else {
                uint8_t bytes[3];
                bytes_of(n, run, (uint16_t)(pc - run->pc), bytes);
                decoded = watch_decode(n, run->banks, pc, bytes);
                insn = &decoded;
            }
            pc = (uint16_t)(pc + insn->size);
            each(user, insn);
        }
    }
}
