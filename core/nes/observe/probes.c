/* Observers attach and detach; they request alarms, steps, recordings and counters. */
#include <stdlib.h>
#include <string.h>

#include "nes/observe/watch.h"

/* An observer that instruments has come: instructions that were met, and their translation, lack its probes. */
static void instrument_everything(struct nes *n, unsigned id) {
    n->observed.watch->instrumenters |= 1u << id;
    n->observed.watch->precise |= (unsigned)!n->observed.watch->observers[id].observer.by_opcode
                                  << id;
    n->memory.epoch++;
    watch_unsettle(n);
    if (n->made.engine->forget)
        n->made.engine->forget(n->made.engine_self);
}

enum status nes_attach(struct nes *n, const struct observer *observer, unsigned *id,
                       struct error *e) {
    struct watch *w = n->observed.watch;
    unsigned i = 0;
    watch_tell_begun(n);
    while (i < NES_OBSERVERS && w->observers[i].used)
        i++;
    if (i == NES_OBSERVERS)
        return error_set(e, STATUS_ARGUMENT, "a machine has room for %d observers", NES_OBSERVERS);
    w->observers[i] = (struct watched_by){.used = true,
                                          .observer = *observer,
                                          .alarm = NEVER,
                                          .record.from = NEVER,
                                          .follow.from = NEVER};
    w->used |= 1u << i;
    w->listeners |= (unsigned)(observer->thread != NULL) << i;
    w->followers |= (unsigned)(observer->thread != NULL && !observer->begins_and_ends) << i;
    w->counting |= (unsigned)observer->counts_threads << i;
    n->observed.fired[i] = 0;
    *id = i;
    if (observer->instrument != NULL)
        instrument_everything(n, i);
    watch_requests_changed(n);
    watch_notify(n, observer, THREAD_BEGINS);
    return STATUS_OK;
}

void nes_detach(struct nes *n, unsigned id) {
    struct watch *w = n->observed.watch;
    if (id >= NES_OBSERVERS || !w->observers[id].used)
        return;
    const struct observer observer = w->observers[id].observer;
    nes_settle(n);
    watch_notify(n, &observer, THREAD_ENDS);
    record_free(&w->observers[id].record);
    w->observers[id] = (struct watched_by){0};
    w->used &= ~(1u << id);
    w->listeners &= w->used;
    w->followers &= w->used;
    w->counting &= w->used;
    w->instrumenters &= w->used;
    w->precise &= w->used;
    w->callers &= w->used;
    w->moved &= w->used;
    watch_remove(n, id);
    n->memory.epoch++;
    watch_unsettle(n);
    watch_requests_changed(n);
    if (!observer.instrument && n->made.engine->forget_recorded)
        n->made.engine->forget_recorded(n->made.engine_self);
    else if (n->made.engine->forget)
        n->made.engine->forget(n->made.engine_self);
}

void nes_notify_threads(struct nes *n, const struct observer *observer, enum thread_change change) {
    watch_notify(n, observer, change);
}

void nes_set_alarm(struct nes *n, unsigned id, uint64_t cycle) {
    n->observed.watch->observers[id].alarm = cycle;
    watch_requests_changed(n);
}

void nes_observe(struct nes *n, unsigned id, uint64_t count) {
    n->observed.watch->observers[id].steps = count;
    watch_requests_changed(n);
}

void nes_switch_code(struct nes *n, bool duplicate) {
    struct watch *const w = n->observed.watch;
    if (w->duplicate == duplicate)
        return;
    if (!w->all_slots[duplicate] &&
        !(w->all_slots[duplicate] = calloc(w->slot_count, sizeof *w->slots))) {
        w->out_of_memory = true;
        return;
    }
    w->duplicate = duplicate;
    w->slots = w->all_slots[duplicate];
    watch_choose_tallies(n);
    n->observed.attention = true;
}

/* A run, or a part of a trace, has at least one instruction. One more is started and dropped, and a
 * 0 may follow the parts. */
static __attribute__((noinline)) bool make_room(struct record *r, uint32_t count) {
    struct short_trace *const trace =
        realloc(r->trace, sizeof *trace + (count + 2u) * sizeof *trace->parts);
    r->trace = trace ? trace : r->trace;
    return trace && vec_reserve_(&r->runs, &r->runs_cap, count + 1u, sizeof *r->runs);
}

bool nes_record(struct nes *n, unsigned id, uint64_t from, uint32_t count, uint64_t by) {
    struct record *const r = &n->observed.watch->observers[id].record;
    if (r->runs_cap <= count && !make_room(r, count))
        return false;
    r->from = from;
    r->by = by;
    r->count = count;
    r->on = r->full = false;
    if (n->observed.watch->ringing)
        n->observed.watch->asked = true;
    else
        watch_requests_changed(n);
    return true;
}

void nes_follow(struct nes *n, unsigned id, const struct follow_request *follow) {
    struct watched_by *const by = &n->observed.watch->observers[id];
    struct watch *const w = n->observed.watch;
    by->follow = *follow;
    by->moved = 0;
    by->switched = n->observed.switched;
    w->moved = (w->moved & ~(1u << id)) | (unsigned)(follow->every != 0) << id;
    if (!w->ringing)
        watch_follow_changed(n, by);
}

void nes_listen(struct nes *n, unsigned id, bool listens) {
    struct watch *const w = n->observed.watch;
    const struct observer *const o = &w->observers[id].observer;
    const unsigned bit = 1u << id;
    watch_tell_begun(n); /* before it listened */
    w->listeners = (w->listeners & ~bit) | (listens && o->thread ? bit : 0);
    w->followers = (w->followers & ~bit) | (listens && o->thread && !o->begins_and_ends ? bit : 0);
}

void nes_retranslate(struct nes *n, uint32_t address) {
    if (n->made.engine->retranslate)
        n->made.engine->retranslate(n->made.engine_self, n, address);
}

uint32_t nes_counters_add(struct nes *n, uint32_t count) {
    struct watch *w = n->observed.watch;
    if (count > WATCH_COUNTERS - w->counters_used) {
        w->out_of_memory = true;
        return UINT32_MAX;
    }
    const uint32_t first = w->counters_used;
    w->counters_used += count;
    return first;
}

void nes_counter_set(struct nes *n, uint32_t counter, uint64_t value) {
    n->observed.counters[counter] = value;
}

void nes_settle(struct nes *n) {
    watch_tell_begun(n);
    if (n->made.engine->settle)
        n->made.engine->settle(n->made.engine_self);
}

const uint64_t *nes_counters(const struct nes *n) {
    return n->observed.counters;
}

bool nes_counter_left_out(const struct nes *n, uint32_t counter) {
    return map_find(&n->observed.watch->left_out, counter) != NULL;
}

uint64_t nes_probes_fired(const struct nes *n, unsigned id) {
    return id < NES_OBSERVERS ? n->observed.fired[id] : 0;
}

/* ---- recordings ---- */

enum { BANK_BYTES = 0x2000 };

/* Reads the bytes of the run's instruction that lies `behind` bytes after its first one. */
static void bytes_of(const struct nes *n, const struct recorded_run *run, unsigned behind,
                     uint8_t bytes[3]) {
    const uint16_t pc = (uint16_t)(run->pc + behind);
    memcpy(bytes, (const uint8_t[]){(uint8_t)run->opcode, run->operand[0], run->operand[1]}, 3);
    if (run->snapshot) {
        uint16_t number;
        memcpy(&number, run->operand, sizeof number);
        memcpy(bytes, n->observed.watch->snapshots.at[number].bytes + run->opcode + behind, 3);
    }
    for (unsigned i = 0; run->opcode == 0 && pc >= 0x8000 && i < 3 && pc + i < 0x10000; i++) {
        const unsigned slot = ((pc + i) >> 13) - 4;
        const uint8_t *const bank =
            n->board.banked
                ? n->made.options.cartridge->prg + (run->banks >> 16 * slot & 0xffff) * BANK_BYTES
                : n->board.prg[slot];
        bytes[i] = bank[(pc + i) % BANK_BYTES];
    }
}

static bool starts_with(const uint8_t bytes[3], const struct guest_insn *insn) {
    return bytes[0] == insn->bytes[0] && (insn->size < 2 || bytes[1] == insn->bytes[1]) &&
           (insn->size < 3 || bytes[2] == insn->bytes[2]);
}

/* The instruction of a run at pc. The run's banks are those mapped now. */
static const struct guest_insn *known_at(struct nes *n, const struct recorded_run *run,
                                         uint16_t pc) {
    uint8_t bytes[3];
    const size_t slot = watch_slot(n, pc, watch_code(n, pc));
    const struct site *const site = n->observed.watch->slots[slot];
    const bool met = site && site->insn.pc == pc && site->epoch == n->memory.epoch;
    if (met && pc >= 0x8000 && !site->volatile_bytes)
        return &site->insn;
    bytes_of(n, run, (uint16_t)(pc - run->pc), bytes);
    return met && starts_with(bytes, &site->insn) ? &site->insn
                                                  : &watch_meet(n, pc, slot, bytes)->insn;
}

/* The receiver of a recording's instructions. */
struct told {
    void (*each)(void *user, const struct guest_insn *insns, uint32_t count);
    void *user;
};

/* Passes on the instructions numbered run->at to `end` - 1. */
static void tell_run(struct nes *n, const struct recorded_run *run, uint32_t end,
                     const struct told *to) {
    const bool is_now = run->banks == record_banks(n);
    uint16_t pc = run->pc;
    for (uint32_t k = run->at; k < end; k++) {
        const struct guest_insn *insn;
        struct guest_insn decoded;
        if (is_now) {
            insn = known_at(n, run, pc);
        } else {
            uint8_t bytes[3];
            bytes_of(n, run, (uint16_t)(pc - run->pc), bytes);
            decoded = watch_decode(n, run->banks, pc, bytes);
            insn = &decoded;
        }
        pc = (uint16_t)(pc + insn->size);
        to->each(to->user, insn, 1);
    }
}

static void tell_runs(struct nes *n, const struct recording *r, const struct told *to) {
    const struct recorded_run *const runs = r->trace;
    const size_t count = r->trace_length * sizeof(uint64_t) / sizeof *runs;
    for (size_t i = 0; i < count; i++)
        tell_run(n, &runs[i], i + 1 < count ? runs[i + 1].at : r->count, to);
}

static void tell_code(const struct nes *n, const struct recording *r, const struct told *to) {
    const struct short_trace *const trace = r->trace;
    uint32_t from = (uint32_t)trace->first;
    for (uint32_t i = 0, told = 0; told < r->count; i++, from = 0) {
        const uint32_t part = trace->parts[i], count = trace_low(part);
        const struct guest_insn *const insns = n->made.engine->recorded_code(
            n->made.engine_self, n, part >> TRACE_COUNT_BITS, trace->banks);
        to->each(to->user, &insns[from], count);
        told += count;
    }
}

static void tell_wait(struct nes *n, const struct recording *r, const struct told *to) {
    const struct short_trace *const trace = r->trace;
    const uint32_t length = trace_low(trace->first),
                   left = trace_low(trace->first >> TRACE_COUNT_BITS);
    const uint16_t pc = (uint16_t)(trace->parts[0] >> 16), target = (uint16_t)trace->parts[0];
    struct recorded_run run = {.banks = trace->banks, .pc = pc};
    for (uint32_t at = 0, next = left; at < r->count; at = next, next += length) {
        run.at = at & 0x7fffff;
        tell_run(n, &run, next < r->count ? next : r->count, to);
        run.pc = target;
    }
}

void nes_recorded(struct nes *n, const struct recording *r,
                  void (*each)(void *user, const struct guest_insn *insns, uint32_t count),
                  void *user) {
    const struct told to = {each, user};
    uint64_t first;
    memcpy(&first, r->trace, sizeof first);
    if ((first & TRACE_OF_WAIT) == TRACE_OF_WAIT)
        tell_wait(n, r, &to);
    else if (first & TRACE_OF_CODE)
        tell_code(n, r, &to);
    else
        tell_runs(n, r, &to);
}
