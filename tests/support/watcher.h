/* An observer that uses every kind of callback and hashes all that it sees, including registers and
 * time: if two machines differ anywhere, their hashes differ. */
#ifndef HOTGRAPH_TESTS_WATCHER_H
#define HOTGRAPH_TESTS_WATCHER_H

#include <string.h>

#include "nes/nes.h"

enum {
    TARGET_COUNTERS = 61,
    ONCE_COUNTERS = 127,
    UNTIL_CALL = 1 + TARGET_COUNTERS + ONCE_COUNTERS, /* counts to the next call of on_count */
    WATCHER_COUNTERS
};
enum { CALLED_EVERY = 7 };

struct watcher {
    struct nes *nes;
    uint32_t counters;
    uint64_t hash;
    bool asks;   /* calls ask for alarms and steps now and then, */
    unsigned id; /* by this number */
};

static inline void mix(struct watcher *w, uint64_t value) {
    w->hash = (w->hash ^ value) * 0x9E3779B97F4A7C15u;
}

static inline void on_call(void *self, const struct probe_event *e) {
    struct watcher *w = self;
    const struct cpu_registers r = nes_registers(w->nes);
    mix(w, e->from | (uint64_t)e->to << 32);
    mix(w, r.a | r.x << 8 | r.y << 16 | (uint64_t)r.p << 24 | (uint64_t)r.s << 32);
    mix(w, nes_cycle(w->nes) ^ nes_instructions(w->nes) << 32);
    const uint64_t dice = w->hash >> 57;
    if (w->asks && dice == 0)
        nes_set_alarm(w->nes, w->id, nes_cycle(w->nes) + (w->hash >> 45) % 1000);
    else if (w->asks && dice == 1)
        nes_observe(w->nes, w->id, (w->hash >> 50) % 8);
}

static inline void on_count(void *self, const struct probe_event *e) {
    struct watcher *w = self;
    on_call(self, e);
    nes_counter_set(w->nes, w->counters + UNTIL_CALL, 0);
}

static inline void on_alarm(void *self, uint64_t cycle) {
    struct watcher *w = self;
    mix(w, cycle ^ nes_cycle(w->nes) << 32);
}

static inline uint32_t on_target(void *self, const struct probe_event *e) {
    struct watcher *w = self;
    return w->counters + 1 + (e->from * 31 + e->to * 7) % TARGET_COUNTERS;
}

static inline void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    struct watcher *w = self;
    for (int when = 0; when < PROBE_WHEN_COUNT; when++) {
        /* The sum tells which fired; the third value has more than 32 bits. */
        const uint64_t value = 1 + UINT64_C(1000000007) * (uint64_t)when;
        probe_attach(site, when,
                     (struct probe){.kind = PROBE_ADD, .counter = w->counters, .value = value});
        if (insn->pc % 5 < 3)
            probe_attach(
                site, when,
                (struct probe){
                    .kind = PROBE_ADD_TO, .value = value, .counter_to = on_target, .user = w});
        if (insn->pc % 4 < 2)
            probe_attach(
                site, when,
                (struct probe){.kind = PROBE_ONCE,
                               .counter = w->counters + 1 + TARGET_COUNTERS +
                                          (insn->pc * 4u + (unsigned)when) % ONCE_COUNTERS});
        if (insn->pc % 3 == 0)
            probe_attach(site, when,
                         (struct probe){.kind = PROBE_CALL, .call = on_call, .user = w});
        else if (insn->pc % 3 == 1)
            probe_attach(site, when,
                         (struct probe){.kind = PROBE_CALL_AT,
                                        .counter = w->counters + UNTIL_CALL,
                                        .value = CALLED_EVERY,
                                        .call = on_count,
                                        .user = w});
    }
}

/* True if two machines have equal counts. */
static inline bool same_counters(struct nes *a, struct nes *b) {
    nes_settle(a);
    nes_settle(b);
    return !memcmp(nes_counters(a), nes_counters(b), WATCHER_COUNTERS * sizeof(uint64_t));
}

static inline void on_thread(void *self, const struct thread_event *e) {
    mix(self, e->change | e->cause << 8 | e->s << 16 | (uint64_t)e->address << 32);
}

static inline void on_step(void *self, const struct guest_insn *insn, uint64_t cycle) {
    mix(self, insn->address ^ cycle << 20 ^ (uint64_t)insn->bytes[0] << 56);
}

#endif
