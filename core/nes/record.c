/* Recordings under way: executed instructions that an observer gets all at once. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "nes/watch.h"

static_assert(sizeof(struct recorded_run) == 16, "compared and hashed as a whole");

void record_begin(struct record *r) {
    r->on = true;
    r->met = 0;
    r->run_count = 0;
    r->end = NEVER;
}

void record_insn(const struct nes *n, struct record *r, const struct site *site) {
    if (r->met == r->count)
        return; /* another observer steps on */
    struct recorded_run *const run = &r->runs[r->run_count++];
    *run = (struct recorded_run){record_banks(n), .at = r->met, .pc = site->insn.pc};
    if (site->volatile_bytes) {
        run->opcode = site->insn.bytes[0];
        memcpy(run->operand, site->insn.bytes + 1, sizeof run->operand);
    }
    r->full = ++r->met == r->count;
    r->on = !r->full;
}

void record_hand_over(struct nes *n, struct watched_by *by) {
    struct record *const r = &by->record;
    const struct recording recording = {
        .runs = r->runs,
        .run_count = r->run_count,
        .count = r->count,
        .end = r->end == NEVER ? n->cycle : r->end,
    };
    r->on = r->full = false;
    r->from = NEVER;
    by->observer.recorded(by->observer.self, &recording);
}

void record_free(struct record *r) {
    free(r->runs);
    *r = (struct record){.from = NEVER};
}
