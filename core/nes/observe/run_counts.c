/* What the probes of a run of instructions have counted. */
#include "nes/observe/run_counts.h"

static void note(struct run_counts *counts, const struct hook *hook, uint32_t counter) {
    if (counter != UINT32_MAX || !hook->probe.quiet)
        run_counts_note(counts, hook, counter);
}

static void fire_hook(struct nes *n, struct run_counts *counts, struct hook *hook,
                      const struct probe_event *event) {
    const struct probe *const probe = &hook->probe;
    uint32_t added = UINT32_MAX;
    switch (probe->kind) {
    case PROBE_ONCE: /* a repeated run fires none */
        watch_once(n, hook);
        return;
    case PROBE_ADD:
        n->observed.counters[added = probe->counter] += probe->value;
        break;
    case PROBE_STORE: /* the last one leaves its value, however often the run is repeated */
        n->observed.counters[probe->counter] = probe->value;
        break;
    case PROBE_ADD_TO:
        added = watch_add_to(n, hook, event);
        break;
    case PROBE_CALL:
    case PROBE_CALL_AT:
        return; /* excluded */
    }
    watch_count(n, hook, 1);
    note(counts, hook, added);
}

static void fire(struct nes *n, struct run_counts *counts, const struct hooks *hooks, uint32_t from,
                 uint32_t to) {
    const struct probe_event event = {n, from, to};
    for (size_t i = 0; i < hooks->count; i++)
        fire_hook(n, counts, &hooks->at[i], &event);
}

void run_counts_fire(struct nes *n, struct run_counts *counts, const struct site *site,
                     enum insn_outcome outcome, uint16_t pc) {
    const struct guest_insn *const insn = &site->insn;
    /* A JSR that pushes onto its own operand does not go to its encoded target. */
    if (outcome == OUTCOME_TARGET && pc != (uint16_t)insn->target)
        outcome = OUTCOME_ELSEWHERE;
    const struct hooks *const after = &site->probes[watch_when(outcome)];
    if (site->probes[PROBE_BEFORE].count)
        fire(n, counts, &site->probes[PROBE_BEFORE], insn->address, insn->address);
    if (after->count)
        fire(n, counts, after, insn->address, nes_code_address(n, pc));
}

void run_counts_repeat(struct nes *n, const struct run_counts *counts, uint64_t times) {
    for (unsigned i = 0; i < counts->count; i++) {
        const struct hook *const hook = counts->at[i].hook;
        if (counts->at[i].counter != UINT32_MAX)
            n->observed.counters[counts->at[i].counter] +=
                (hook != NULL ? hook->probe.value : 1) * times;
        if (hook != NULL)
            watch_count(n, hook, times);
    }
}
