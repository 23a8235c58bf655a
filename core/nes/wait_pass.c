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
    if (n->cycle == start || n->announced)
        nes_step(n);
    *deadline = earlier(n->event, n->dma_from);
    return true;
}

/* Calls visit() with each hook that a pass fires, in order, and the number of its instruction; ends
 * early when that returns false. */
static bool each_hook(struct nes *n, const struct wait *w,
                      bool (*visit)(void *user, struct nes *n, const struct hook *hook, unsigned i),
                      void *user) {
    uint16_t pc = w->target;
    for (unsigned i = 0; i < w->length; i++) {
        struct site *site = watch_mapped(n, pc);
        const enum probe_when after = i + 1u == w->length ? PROBE_TAKEN : PROBE_NEXT;
        const struct hooks *const fired[2] = {&site->probes[PROBE_BEFORE], &site->probes[after]};
        for (unsigned k = 0; k < 2; k++)
            for (size_t h = 0; h < fired[k]->count; h++)
                if (!visit(user, n, &fired[k]->at[h], i))
                    return false;
        pc = (uint16_t)(pc + site->insn.size);
    }
    return true;
}

static bool note_add(void *user, struct nes *n, const struct hook *hook, unsigned i) {
    struct wait_adds *const adds = user;
    const struct probe *const p = &hook->probe;
    (void)n;
    adds->all =
        p->kind == PROBE_ADD && p->quiet && p->value <= UINT32_MAX && adds->count < WAIT_ADDS;
    if (!adds->all)
        return false;
    adds->at[adds->count] = (uint8_t)i;
    adds->counter[adds->count] = p->counter;
    adds->value[adds->count++] = (uint32_t)p->value;
    return true;
}

/* Does a pass fire nothing but w->adds? Probes are attached when an instruction is met; a new
 * observer begins a new epoch. */
static bool only_adds(struct nes *n, struct wait *w) {
    if (!w->adds.known || w->adds.epoch != n->map_epoch) {
        w->adds = (struct wait_adds){.known = true, .all = true, .epoch = n->map_epoch};
        each_hook(n, w, note_add, &w->adds);
    }
    return w->adds.all;
}

static bool calls_not_always(void *user, struct nes *n, const struct hook *hook, unsigned i) {
    (void)user, (void)n, (void)i;
    return hook->probe.kind != PROBE_CALL && hook->probe.kind != PROBE_ADD_TO;
}

struct sum {
    uint32_t counter;
    uint64_t value;
};

/* What a pass adds to one counter. */
static bool add_up(void *user, struct nes *n, const struct hook *hook, unsigned i) {
    struct sum *sum = user;
    (void)n, (void)i;
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

static bool limit_passes(void *user, struct nes *n, const struct hook *hook, unsigned i) {
    struct passes *p = user;
    (void)i;
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

static bool fire_repeatedly(void *user, struct nes *n, const struct hook *hook, unsigned i) {
    const struct repeated *r = user;
    (void)i;
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
    uint64_t last = earlier(stop, deadline);
    if (!status)
        return last > n->cycle ? (last - n->cycle) / cost : 0;
    last = earlier(last, change);
    return last > n->cycle + 2 * cost ? (last - n->cycle) / cost - 1 : 0;
}

/* The pass that has just been executed, `times` over. */
static void repeat_pass(struct nes *n, const struct wait *w, uint64_t cost, uint64_t times) {
    if (n->watched && w->adds.all)
        for (unsigned i = 0; i < w->adds.count; i++)
            n->counters[w->adds.counter[i]] += w->adds.value[i] * times;
    else if (n->watched)
        each_hook(n, w, fire_repeatedly, &(struct repeated){times});
    n->cycle += times * cost;
    n->instructions += times * w->length;
    n->skipped += times * w->length;
}

/* ---- recordings ---- */

/* A pass, and for how long it is the same. */
struct pass {
    uint64_t cost;                   /* cycles */
    unsigned at[WAIT_LONGEST];       /* of these, when each instruction begins, */
    uint16_t pc[WAIT_LONGEST];       /* and where it is */
    uint64_t stop, deadline, change; /* for count_passes() */
    unsigned executed;               /* instructions */
};

static void write_way(const struct nes *n, struct record *r, const struct wait *w, uint16_t pc,
                      unsigned left_of_first) {
    r->way->first = WAY_OF_WAIT | left_of_first << WAY_COUNT | w->length;
    r->way->banks = record_banks(n);
    r->way->parts[0] = (uint32_t)pc << 16 | w->target;
    r->way->parts[1] = 0;
    r->way_parts = 1;
}

/* A recording that begins and ends within `most` passes of this busy-wait is known without
 * executing them. The machine stands at T; returns the passes that it takes, which are counted, or
 * 0 where the recording is not such a one. */
static uint64_t record_passes(struct nes *n, const struct wait *w, const struct pass *p,
                              uint64_t most) {
    struct record *const r = n->coming;
    const uint64_t due = r->from > n->cycle ? r->from - n->cycle : 0;
    uint64_t before = due / p->cost;
    unsigned first = 0;
    while (first < w->length && p->at[first] < due - before * p->cost)
        first++;
    if (first == w->length) {
        first = 0;
        before++;
    }
    const uint64_t behind = first + (uint64_t)r->count; /* instructions, from that pass's start */
    const uint64_t passes = before + (behind + w->length - 1) / w->length;
    if (passes > most || n->cycle + passes * p->cost > r->by)
        return 0;
    record_begin(r);
    write_way(n, r, w, p->pc[first], w->length - first);
    r->end = n->cycle + (before + behind / w->length) * p->cost + p->at[behind % w->length];
    r->on = false;
    r->full = true;
    repeat_pass(n, w, p->cost, passes);
    return passes;
}

static void hand_over(struct nes *n) {
    watch_recorded(n);
    n->attention = false;
}

/* All of them that do; one pass was executed. */
static void record_executed(struct nes *n, const struct wait *w, const struct pass *p) {
    while (n->coming &&
           record_passes(n, w, p,
                         count_passes(n, w->status, p->cost, p->stop, p->deadline, p->change)))
        hand_over(n);
}

/* One pass; false where it was left, or ended early. */
static bool run_pass(struct nes *n, const struct wait *w, struct pass *p, uint64_t stop,
                     uint64_t *deadline) {
    const uint64_t start = n->cycle;
    uint16_t pc = w->target;
    for (unsigned i = 0; i < w->length; i++) {
        p->at[i] = (unsigned)(n->cycle - start);
        p->pc[i] = pc;
        if (!run_one(n, stop, deadline))
            return false;
        p->executed++;
        pc = (uint16_t)(pc + opcode_info(n->rd[pc >> 8][pc & 0xff])->size);
        if (i + 1u < w->length && n->cpu.pc != pc)
            return false;
    }
    return true;
}

/* What a pass with w->adds has fired, of which `executed` instructions were executed unwatched. */
static void fire_adds(struct nes *n, const struct wait *w, const struct pass *p) {
    const struct wait_adds *const adds = &w->adds;
    for (unsigned i = 0; i < adds->count; i++)
        if (adds->at[i] + 1u < p->executed)
            n->counters[adds->counter[i]] += adds->value[i];
    if (p->executed == 0)
        return;
    /* The last one may have gone anywhere. */
    const uint16_t pc = p->pc[p->executed - 1u];
    struct site *const site = watch_mapped(n, pc);
    if (site->probes[PROBE_BEFORE].fires)
        watch_fire(n, &site->probes[PROBE_BEFORE], site->insn.address, site->insn.address);
    watch_went(n, site, n->cpu.pc == (uint16_t)site->insn.target ? WENT_TARGET : WENT_NEXT);
}

/* Is something else to be seen to before the next instruction? */
static bool is_busy(const struct nes *n) {
    return n->due || n->nmi_pending || n->attention || (n->irq && !(n->cpu.p & P_I));
}

/* Behind passes that were counted of a wait that is `certain`, as if they had been executed.
 * `read`: the cycle of the last read of $2002, where it reads that. */
static void stand_behind(struct nes *n, struct wait *w, uint64_t read) {
    uint8_t same;
    if (w->status)
        ppu_reads_again(&n->ppu, read, &same);
    w->executed = n->instructions;
}

/* The same where nothing came between. */
static void stand_behind_plain(struct nes *n, struct wait *w) {
    stand_behind(n, w, n->cycle - w->cost + w->read_at);
}

/* Recordings that begin until `stop`; false: there was none. */
static bool record_certain(struct nes *n, struct wait *w, uint64_t stop, uint64_t end) {
    struct pass pass = {.cost = w->cost};
    bool recorded = false;
    for (unsigned i = 0; i < w->length; i++) {
        pass.at[i] = w->at[i];
        pass.pc[i] = (uint16_t)(w->target + w->behind[i]);
    }
    while (n->coming && n->coming->from <= stop &&
           record_passes(n, w, &pass, count_passes(n, false, w->cost, stop, end, NEVER))) {
        stand_behind_plain(n, w);
        hand_over(n);
        recorded = true;
    }
    return recorded;
}

/* The last pass was executed just now, and the next ones are the same: passes over them, which
 * needs none to be executed. False: nothing was done. */
static bool pass_at_once(struct nes *n, struct wait *w, uint64_t stop, uint64_t deadline) {
    if (!w->certain || w->executed != n->instructions || is_busy(n))
        return false;
    /* What the last read of $2002 has seen must stay so. */
    const uint64_t end = earlier(deadline, w->status ? n->ppu.calm : NEVER);
    const bool recorded = n->coming && n->coming->from <= stop && record_certain(n, w, stop, end);
    if (recorded && n->watched)
        return true; /* somebody steps from now on */
    const uint64_t times = count_passes(n, false, w->cost, earlier(stop, n->alarm), end, NEVER);
    if (times == 0)
        return recorded;
    repeat_pass(n, w, w->cost, times);
    stand_behind_plain(n, w);
    return true;
}

/* A pass in which a sample is fetched, and which else is like the one before: each cycle of it
 * reads what can be read again while it is halted. False: nothing was done. */
static bool pass_fetch(struct nes *n, struct wait *w, uint64_t stop) {
    const uint64_t halt = n->dma_from, fetch = halt + 2 + halt % 2, taken = fetch + 1 - halt;
    const uint64_t end = n->cycle + w->cost + taken;
    if (halt < n->cycle || halt >= n->cycle + w->cost || end > earlier(stop, n->event) ||
        (w->status && end > n->ppu.calm) || n->oam_pending || is_busy(n) ||
        !apu_dmc_halts(&n->apu, halt, fetch) || !apu_dmc_quiet(&n->apu, fetch + 1))
        return false;
    const uint16_t sample = apu_dmc_address(&n->apu); /* in PRG */
    const uint64_t read = n->cycle + w->read_at;
    apu_dmc_give(&n->apu, n->rd[sample >> 8][sample & 0xff], fetch);
    n->dma_from = apu_dmc_deadline(&n->apu);
    repeat_pass(n, w, w->cost + taken, 1);
    stand_behind(n, w, halt <= read ? read + taken : read);
    return true;
}

/* Passes in some of which a sample is fetched, as pass_fetch() does it, and those between them.
 * False: nothing was done. */
static bool pass_samples(struct nes *n, struct wait *w, uint64_t stop) {
    const uint64_t until = earlier(earlier(stop, n->event), w->status ? n->ppu.calm : NEVER);
    uint64_t cycle = n->cycle, passes = 0, read = 0, halt = n->dma_from;
    if (n->oam_pending || is_busy(n))
        return false;
    while (halt >= cycle && halt < until) {
        const uint64_t fetch = halt + 2 + halt % 2, taken = fetch + 1 - halt;
        const uint64_t before = (halt - cycle) / w->cost, start = cycle + before * w->cost;
        if (start + w->cost + taken > until || !apu_dmc_fetch(&n->apu, halt, fetch))
            break;
        read = start + w->read_at + (halt <= start + w->read_at ? taken : 0);
        passes += before + 1;
        cycle = start + w->cost + taken;
        halt = apu_dmc_deadline(&n->apu);
    }
    if (passes == 0)
        return false;
    repeat_pass(n, w, w->cost, passes);
    n->cycle = cycle;
    n->dma_from = halt;
    stand_behind(n, w, read);
    return true;
}

/* A pass that may reach a deadline, cycle by cycle; false where it is left, interrupted or ended by
 * `stop`. */
static bool step_pass(struct nes *n, struct wait *w, uint64_t stop) {
    uint16_t pc = w->target;
    for (unsigned i = 0; i < w->length; i++) {
        if (n->cycle >= stop || n->cpu.pc != pc || is_busy(n))
            return false;
        pc = (uint16_t)(pc + opcode_info(n->rd[pc >> 8][pc & 0xff])->size);
        nes_step(n);
    }
    w->executed = n->instructions;
    return n->cpu.pc == w->target;
}

/* All passes until `stop` and the next alarm, over one deadline after the other; false: nothing was
 * done. */
static bool pass_deadlines(struct nes *n, struct wait *w, uint64_t stop, uint64_t deadline) {
    const bool watched = n->watched;
    bool passed = false;
    while (pass_at_once(n, w, stop, deadline)) {
        passed = true;
        const uint64_t until = earlier(stop, n->alarm);
        if (n->watched != watched ||
            (!pass_samples(n, w, until) && !pass_fetch(n, w, until) && !step_pass(n, w, until)))
            break;
        deadline = earlier(n->event, n->dma_from);
    }
    return passed;
}

void wait_pass(struct nes *n, struct wait *candidate, uint64_t stop, uint64_t deadline) {
    if (n->stepping)
        return;
    const bool adds = n->watched && only_adds(n, candidate);
    if ((adds || !n->watched) && pass_deadlines(n, candidate, stop, deadline))
        return;
    const struct wait w = *candidate;
    const struct cpu_registers registers = nes_registers(n);
    if (n->watched && !adds && !each_hook(n, &w, calls_not_always, NULL))
        return;
    /* Asked before the pass: what its own read has seen must not have changed since. */
    const uint64_t change = w.status ? ppu_status_deadline(&n->ppu, n->cycle) : NEVER;
    const uint64_t start = n->cycle;
    struct pass pass = {.change = change};
    const bool watched = n->watched;
    n->watched = watched && !adds; /* fired below */
    const bool straight = run_pass(n, &w, &pass, earlier(stop, n->alarm), &deadline);
    n->watched = watched;
    if (adds)
        fire_adds(n, &w, &pass);
    if (straight && !is_busy(n) && same_registers(n, registers) &&
        n->cycle + LONGEST_INSTRUCTION <= deadline) {
        struct passes passes = {&w, NEVER};
        if (n->watched && !adds)
            each_hook(n, &w, limit_passes, &passes);
        pass.cost = n->cycle - start;
        pass.stop = stop;
        pass.deadline = deadline;
        record_executed(n, &w, &pass);
        const uint64_t most =
            count_passes(n, w.status, pass.cost, earlier(stop, n->alarm), deadline, change);
        if (!n->stepping) /* as of now */
            repeat_pass(n, &w, pass.cost, earlier(passes.most, most));
    }
    n->waiting = NULL; /* the pass has come by here */
    candidate->executed = 0;
}
