/* Passing over busy-waits. */
#include "nes/cpu_exec.h"
#include "nes/machine.h"
#include "nes/watch.h"

static bool same_registers(const struct nes *n, struct cpu_registers r) {
    const struct cpu_registers now = nes_registers(n);
    return now.pc == r.pc && now.a == r.a && now.x == r.x && now.y == r.y && now.s == r.s &&
           now.p == r.p;
}

/* One instruction; false where the machine has something else to see to first. */
static bool run_one(struct nes *n, uint64_t stop, uint64_t *deadline) {
    if (n->cycle >= stop || n->due || n->nmi_pending || n->attention ||
        n->cycle + LONGEST_INSTRUCTION > *deadline)
        return false;
    const uint64_t start = n->cycle;
    if (n->watched)
        cpu_run_watched(n, start + 1, *deadline);
    else
        cpu_run_fast(n, start + 1, *deadline, false);
    if (n->cycle == start || n->announced)
        nes_step(n);
    *deadline = earlier(n->event, n->dma_from);
    return true;
}

/* Calls visit() with each hook that a pass fires, in order; ends early when that returns false. */
static bool each_hook(struct nes *n, const struct wait *w,
                      bool (*visit)(void *user, struct nes *n, const struct hook *hook),
                      void *user) {
    uint16_t pc = w->target;
    for (unsigned i = 0; i < w->length; i++) {
        const uint8_t *code = n->rd[pc >> 8] + (pc & 0xff);
        struct site *site = watch_find(n, pc, watch_slot(n, pc, code), code);
        const enum probe_when after = i + 1u == w->length ? PROBE_TAKEN : PROBE_NEXT;
        const struct hooks *const fired[2] = {&site->probes[PROBE_BEFORE], &site->probes[after]};
        for (unsigned k = 0; k < 2; k++)
            for (size_t h = 0; h < fired[k]->count; h++)
                if (!visit(user, n, &fired[k]->at[h]))
                    return false;
        pc = (uint16_t)(pc + site->insn.size);
    }
    return true;
}

static bool calls_not_always(void *user, struct nes *n, const struct hook *hook) {
    (void)user, (void)n;
    return hook->probe.kind != PROBE_CALL && hook->probe.kind != PROBE_ADD_TO;
}

struct sum {
    uint32_t counter;
    uint64_t value;
};

/* What a pass adds to one counter. */
static bool add_up(void *user, struct nes *n, const struct hook *hook) {
    struct sum *sum = user;
    (void)n;
    if (hook->probe.counter == sum->counter && hook->probe.kind == PROBE_ADD)
        sum->value += hook->probe.value;
    if (hook->probe.counter == sum->counter && hook->probe.kind == PROBE_CALL_AT)
        sum->value++;
    return true;
}

struct passes {
    const struct wait *wait;
    uint64_t most; /* that surely reach no PROBE_CALL_AT's value */
};

static bool limit_passes(void *user, struct nes *n, const struct hook *hook) {
    struct passes *p = user;
    if (hook->probe.kind != PROBE_CALL_AT)
        return true;
    struct sum sum = {.counter = hook->probe.counter};
    each_hook(n, p->wait, add_up, &sum);
    const uint64_t left = hook->probe.value - n->counters[sum.counter] - 1; /* before it calls */
    p->most = earlier(p->most, sum.value == 0 ? 0 : left / sum.value);
    return true;
}

struct repeated {
    uint64_t times;
};

static bool fire_repeatedly(void *user, struct nes *n, const struct hook *hook) {
    const struct repeated *r = user;
    if (hook->probe.kind == PROBE_ONCE) /* by the pass that was executed */
        return true;
    if (hook->probe.kind == PROBE_ADD)
        n->counters[hook->probe.counter] += hook->probe.value * r->times;
    else if (hook->probe.kind == PROBE_CALL_AT)
        n->counters[hook->probe.counter] += r->times;
    watch_count(n, hook, r->times);
    return true;
}

/* How many more passes of `cost` cycles: each instruction of them starts before `stop`, ends at or
 * before `deadline`, and reads from $2002, before `change`, what the last pass has read. The last
 * pass before a change there is left to be executed, so that the PPU's bus remembers when it was
 * read. */
static uint64_t count_passes(const struct nes *n, bool status, uint64_t cost, uint64_t stop,
                             uint64_t deadline, uint64_t change) {
    uint64_t last = earlier(stop, deadline - LONGEST_INSTRUCTION);
    if (!status)
        return last > n->cycle ? (last - n->cycle) / cost : 0;
    last = earlier(last, change);
    return last > n->cycle + 2 * cost ? (last - n->cycle) / cost - 1 : 0;
}

/* The pass that has just been executed, `times` over. */
static void repeat_pass(struct nes *n, const struct wait *w, uint64_t cost, uint64_t times) {
    if (n->watched)
        each_hook(n, w, fire_repeatedly, &(struct repeated){times});
    n->cycle += times * cost;
    n->instructions += times * w->length;
    n->skipped += times * w->length;
}

void wait_pass(struct nes *n, struct wait *candidate, uint64_t stop, uint64_t deadline) {
    const struct wait w = *candidate;
    const struct cpu_registers registers = nes_registers(n);
    if (n->stepping || (n->watched && !each_hook(n, &w, calls_not_always, NULL)))
        return;
    /* Asked before the pass: what its own read has seen must not have changed since. */
    const uint64_t change = w.status ? ppu_status_deadline(&n->ppu, n->cycle) : NEVER;
    const uint64_t start = n->cycle;
    bool straight = true;
    uint16_t pc = w.target;
    for (unsigned i = 0; straight && i < w.length; i++) {
        pc = (uint16_t)(pc + opcode_info(n->rd[pc >> 8][pc & 0xff])->size);
        straight = run_one(n, stop, &deadline) && (i + 1u == w.length || n->cpu.pc == pc);
    }
    const bool busy = n->due || n->nmi_pending || n->attention || (n->irq && !(n->cpu.p & P_I));
    if (straight && !busy && same_registers(n, registers) &&
        n->cycle + LONGEST_INSTRUCTION <= deadline) {
        struct passes passes = {&w, NEVER};
        if (n->watched)
            each_hook(n, &w, limit_passes, &passes);
        const uint64_t cost = n->cycle - start;
        const uint64_t most = count_passes(n, w.status, cost, stop, deadline, change);
        repeat_pass(n, &w, cost, earlier(passes.most, most));
    }
    n->waiting = NULL; /* the pass has come by here */
    candidate->executed = 0;
}
