/* An observer leaves its sites, or instruments them again. */
#include <stdlib.h>

#include "nes/observe/watch.h"

enum { CODE_SPACE = 0x10000, HOOKS_COMPARED = 4 };

void watch_remove(struct nes *n, unsigned id) {
    const struct watch *w = n->observed.watch;
    for (size_t i = 0; i < w->bucket_count; i++)
        for (struct site *site = w->buckets[i]; site; site = site->next)
            watch_remove_hooks(site, id);
}

/* A site's probes, to be compared with later ones. */
struct probes_before {
    struct {
        size_t count;
        struct hook at[HOOKS_COMPARED];
    } when[PROBE_WHEN_COUNT];
};

static void note_probes(const struct site *site, struct probes_before *before) {
    for (unsigned when = 0; when < PROBE_WHEN_COUNT; when++) {
        const struct hooks *const hooks = &site->probes[when];
        before->when[when].count = hooks->count;
        for (size_t i = 0; i < hooks->count && i < HOOKS_COMPARED; i++)
            before->when[when].at[i] = hooks->at[i];
    }
}

/* That an engine may drop a probe changes no code that it has translated. */
static bool same_hook(const struct hook *a, const struct hook *b) {
    return a->observer == b->observer && a->probe.kind == b->probe.kind &&
           a->probe.counter == b->probe.counter && a->probe.value == b->probe.value &&
           a->probe.call == b->probe.call && a->probe.user == b->probe.user &&
           a->probe.counter_to == b->probe.counter_to && a->probe.quiet == b->probe.quiet &&
           a->probe.late == b->probe.late;
}

static bool same_probes(const struct site *site, const struct probes_before *before) {
    for (unsigned when = 0; when < PROBE_WHEN_COUNT; when++) {
        const struct hooks *const hooks = &site->probes[when];
        if (hooks->count != before->when[when].count || hooks->count > HOOKS_COMPARED)
            return false;
        for (size_t i = 0; i < hooks->count; i++)
            if (!same_hook(&hooks->at[i], &before->when[when].at[i]))
                return false;
    }
    return true;
}

/* False: its probes are as they were. */
static bool site_again(struct nes *n, struct site *site, unsigned id) {
    struct probes_before before;
    note_probes(site, &before);
    watch_remove_hooks(site, id);
    watch_instrument(n, site);
    site->tally = (struct tally){{0, 0}}; /* noted again when it is met */
    return !same_probes(site, &before);
}

/* Code that stays translated meets none of its instructions again, but asks for their tallies: so what was met
 * before, and is mapped, gets them at once. */
static void note_tallies(struct nes *n) {
    const struct watch *const w = n->observed.watch;
    for (size_t i = 0; i < w->bucket_count; i++)
        for (struct site *site = w->buckets[i]; site; site = site->next) {
            const uint16_t pc = site->insn.pc;
            const uint8_t *const code = pc >= 0x8000 ? watch_code(n, pc) : NULL;
            if (code && w->slots[watch_slot(n, pc, code)] == site)
                (void)watch_stands(n, site);
        }
}

void nes_instrument_again(struct nes *n, unsigned id) {
    struct watch *const w = n->observed.watch;
    const struct engine *const engine = n->made.engine;
    bool *const changed = calloc(CODE_SPACE, sizeof *changed);
    if (engine->settle)
        engine->settle(n->made.engine_self);
    w->out_of_memory |= changed == NULL;
    for (size_t i = 0; changed && i < w->bucket_count; i++)
        for (struct site *site = w->buckets[i]; site; site = site->next)
            if (site->instrumented >> id & 1 && site_again(n, site, id))
                changed[site->insn.pc] = true;
    n->memory.epoch++;
    watch_unsettle(n);
    watch_requests_changed(n);
    note_tallies(n);
    if (changed && engine->probes_changed)
        engine->probes_changed(n->made.engine_self, changed);
    free(changed);
}
