/* Recording executed instructions for observers. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "nes/observe/watch.h"

enum {
    RUN_WORDS = sizeof(struct recorded_run) / sizeof(uint64_t),
    TRACE_WORDS = sizeof(struct short_trace) / sizeof(uint64_t)
};
static_assert(sizeof(struct recorded_run) == 16, "compared and hashed as a whole");

void record_begin(struct record *r) {
    r->on = true;
    r->met = 0;
    r->run_count = r->trace_parts = r->number = 0;
    r->end = NEVER;
}

void record_insn(const struct nes *n, struct record *r, const struct site *site) {
    if (r->met == r->count)
        return; /* only another observer is still stepping */
    struct recorded_run *const run = &r->runs[r->run_count++];
    *run = (struct recorded_run){record_banks(n), .at = r->met & 0x7fffff, .pc = site->insn.pc};
    if (site->volatile_bytes) {
        run->opcode = site->insn.bytes[0];
        memcpy(run->operand, site->insn.bytes + 1, sizeof run->operand);
    }
    r->full = ++r->met == r->count;
    r->on = !r->full;
}

static uint64_t hash_of(const uint8_t *bytes, unsigned size) {
    uint64_t hash = size;
    for (unsigned i = 0; i < size; i++)
        hash = splitmix64(hash, bytes[i]);
    return hash;
}

/* Returns 1 + the number of the code's snapshot; 0: out of memory. */
static size_t snapshot_of(struct watch *w, const uint8_t *bytes, unsigned size) {
    uint64_t *const at = map_at(&w->snapshot_at, hash_of(bytes, size));
    if (!at)
        return 0;
    if (*at && w->snapshots.at[*at - 1].size == size &&
        !memcmp(w->snapshots.at[*at - 1].bytes, bytes, size))
        return *at;
    struct snapshot snapshot = {.size = (uint8_t)size};
    memcpy(snapshot.bytes, bytes, size);
    if (w->snapshots.len == UINT16_MAX || !vec_push(&w->snapshots, snapshot))
        return 0;
    return *at = w->snapshots.len;
}

bool record_code(struct nes *n, uint16_t pc, const uint8_t *bytes, unsigned size,
                 struct recorded_run *out) {
    *out = (struct recorded_run){.pc = pc};
    if (pc >= 0x8000)
        return true;
    const size_t snapshot = size <= SNAPSHOT_MOST ? snapshot_of(n->observed.watch, bytes, size) : 0;
    if (snapshot == 0)
        return false;
    const uint16_t number = (uint16_t)(snapshot - 1);
    out->snapshot = 1;
    memcpy(out->operand, &number, sizeof number);
    return true;
}

uint32_t record_number(struct nes *n, const struct record *r) {
    struct watch *const w = n->observed.watch;
    const struct short_trace *const trace = r->trace;
    const uint32_t part = trace->parts[0];
    const uint32_t hash =
        (part ^ (uint32_t)trace->first >> TRACE_COUNT_BITS) * UINT32_C(0x9e3779b1);
    struct numbered_trace *const known = &w->numbered[(hash >> 16) % TRACES_NUMBERED];
    if (known->number != 0 && known->first == trace->first && known->banks == trace->banks &&
        known->part == part)
        return known->number;
    if (w->numbers_used == UINT32_MAX)
        return 0;
    *known = (struct numbered_trace){trace->first, trace->banks, part, ++w->numbers_used};
    return known->number;
}

void record_complete(struct nes *n, struct record *r) {
    r->on = false;
    r->full = true;
    n->observed.alarm = 0;
    n->observed.attention = true;
}

void record_hand_over(struct nes *n, struct watched_by *by) {
    struct record *const r = &by->record;
    const bool runs = r->trace_parts == 0;
    const struct recording recording = {
        .trace = runs ? (const void *)r->runs : r->trace,
        .trace_length = runs ? r->run_count * RUN_WORDS : TRACE_WORDS + (r->trace_parts + 1) / 2,
        .number = r->number,
        .count = r->count,
        .end = r->end == NEVER ? n->cpu.cycle : r->end,
    };
    r->on = r->full = false;
    r->from = NEVER;
    by->observer.recorded(by->observer.self, &recording);
}

void record_free(struct record *r) {
    free(r->runs);
    free(r->trace);
    *r = (struct record){.from = NEVER};
}
