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
    w->observers[i] = (struct watched_by){.used = true, .observer = *observer, .alarm = NEVER};
    w->used |= 1u << i;
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
    watch_tell(n, &observer, THREAD_ENDS);
    w->observers[id] = (struct watched_by){0};
    w->used &= ~(1u << id);
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

const uint64_t *nes_counters(const struct nes *n) {
    return n->counters;
}

uint64_t nes_probes_fired(const struct nes *n, unsigned id) {
    return id < NES_OBSERVERS ? n->fired[id] : 0;
}
