/* Skipping the passes of busy-waits. */
#include "nes/idle/wait_pass.h"
#include "nes/cpu/cpu_exec.h"
#include "nes/cpu/deadline.h"
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

#include <assert.h>

static_assert(PASSED_MOST == 2 * WAIT_LONGEST, "probes before and after each instruction");

static bool same_registers(const struct nes *n, struct cpu_registers r) {
    const struct cpu_registers now = nes_registers(n);
    return now.pc == r.pc && now.a == r.a && now.x == r.x && now.y == r.y && now.s == r.s &&
           now.p == r.p;
}

/* Executes one instruction; false if the machine must handle something else first. */
static bool run_one(struct nes *n, uint64_t stop, uint64_t *deadline) {
    /* After CLI, an IRQ may be waiting that is not due yet. */
    if (n->cpu.cycle >= stop || n->cpu.due || is_interrupted(n, n->cpu.r.p & P_I) ||
        n->observed.attention || n->cpu.cycle + LONGEST_INSTRUCTION > *deadline)
        return false;
    const uint64_t start = n->cpu.cycle;
    if (n->observed.watched)
        cpu_run_watched(n, start + 1, *deadline);
    if (n->cpu.cycle == start || n->observed.announced)
        nes_step(n);
    *deadline = earlier(n->lines.event, n->dma.from);
    return true;
}

/* A hook that a pass fires. */
struct fired {
    const struct hook *hook;
    unsigned i;        /* number of its instruction in the pass */
    uint32_t from, to; /* code addresses of the instruction and of where it went */
};

/* The probes after an instruction of a pass. last: it is J. */
static enum probe_when when_after(const struct guest_insn *insn, bool last) {
    if (insn->kind == INSN_RETURN)
        return PROBE_INDIRECT;
    return last || insn->kind == INSN_CALL || insn->kind == INSN_JUMP ? PROBE_TAKEN : PROBE_NEXT;
}

/* Calls visit() with each hook that a pass fires, in order; ends early when that returns false. */
static bool each_hook(struct nes *n, const struct wait *w,
                      bool (*visit)(void *user, struct nes *n, const struct fired *fired),
                      void *user) {
    for (unsigned i = 0; i < w->length; i++) {
        const struct site *const site = watch_mapped(n, w->path[i]);
        const bool last = i + 1u == w->length;
        const struct hooks *const hooks[2] = {&site->probes[PROBE_BEFORE],
                                              &site->probes[when_after(&site->insn, last)]};
        const uint32_t to[2] = {site->insn.address,
                                nes_code_address(n, last ? w->target : w->path[i + 1u])};
        for (unsigned k = 0; k < 2; k++)
            for (size_t h = 0; h < hooks[k]->count; h++)
                if (!visit(user, n, &(struct fired){&hooks[k]->at[h], i, to[0], to[k]}))
                    return false;
    }
    return true;
}

/* Finds the counter to which the hook adds; false: none. */
static bool adds_to(struct nes *n, const struct fired *fired, uint32_t *counter) {
    const struct probe *const p = &fired->hook->probe;
    const struct probe_event event = {n, fired->from, fired->to};
    *counter = p->kind == PROBE_ADD_TO ? p->counter_to(p->user, &event) : p->counter;
    return p->kind == PROBE_ADD || (p->kind == PROBE_ADD_TO && *counter != UINT32_MAX);
}

static bool note_add(void *user, struct nes *n, const struct fired *fired) {
    struct wait_adds *const adds = user;
    const struct probe *const p = &fired->hook->probe;
    uint32_t counter;
    adds->all = p->quiet && p->value <= UINT32_MAX && adds->count < WAIT_ADDS &&
                adds_to(n, fired, &counter);
    if (!adds->all)
        return false;
    adds->at[adds->count] = (uint8_t)fired->i;
    adds->counter[adds->count] = counter;
    adds->value[adds->count++] = (uint32_t)p->value;
    return true;
}

/* True if a pass fires only w->adds. Probes are attached when an instruction is first met, and a new
 * observer begins a new epoch. */
static bool only_adds(struct nes *n, struct wait *w) {
    const bool duplicate = n->observed.watch->duplicate;
    const uint32_t epoch = w->alone ? n->observed.watch->probes_epoch : n->memory.epoch;
    if (!w->adds.known || w->adds.epoch != epoch || w->adds.duplicate != duplicate) {
        w->adds =
            (struct wait_adds){.known = true, .duplicate = duplicate, .all = true, .epoch = epoch};
        each_hook(n, w, note_add, &w->adds);
    }
    return w->adds.all;
}

static bool calls_not_always(void *user, struct nes *n, const struct fired *fired) {
    (void)user, (void)n;
    return fired->hook->probe.kind != PROBE_CALL;
}

struct sum {
    uint32_t counter;
    uint64_t value;
};

/* Sums what a pass adds to one counter. */
static bool add_up(void *user, struct nes *n, const struct fired *fired) {
    struct sum *sum = user;
    const struct probe *const p = &fired->hook->probe;
    uint32_t counter;
    if (adds_to(n, fired, &counter) && counter == sum->counter)
        sum->value += p->value;
    if (p->counter == sum->counter && p->kind == PROBE_CALL_AT)
        sum->value++;
    return true;
}

struct limit {
    const struct wait *wait;
    uint64_t most;   /* passes that surely reach no PROBE_CALL_AT's value */
    unsigned passed; /* observers that are told of passes instead: one bit each */
    struct passes of[NES_OBSERVERS];
};

/* Notes a probe that need not be called. */
static void note_passed(struct limit *limit, const struct fired *fired) {
    const unsigned id = fired->hook->observer, bit = 1u << id;
    struct passes *const passes = &limit->of[id];
    if (!(limit->passed & bit))
        passes->count = 0;
    limit->passed |= bit;
    if (passes->count == PASSED_MOST) {
        limit->most = 0;
        return;
    }
    passes->at[passes->count].user = fired->hook->probe.user;
    passes->at[passes->count].from = fired->from;
    passes->at[passes->count++].to = fired->to;
}

/* Tells the observers of so many passes, for which the counters were advanced. */
static void tell_passed(struct nes *n, struct limit *limit, uint64_t times) {
    for (unsigned left = times > 0 ? limit->passed : 0; left != 0; left &= left - 1) {
        const unsigned id = (unsigned)__builtin_ctz(left);
        const struct observer *const o = &n->observed.watch->observers[id].observer;
        limit->of[id].times = times;
        o->passed(o->self, &limit->of[id]);
    }
}

static bool limit_passes(void *user, struct nes *n, const struct fired *fired) {
    struct limit *p = user;
    const struct probe *const probe = &fired->hook->probe;
    if (probe->kind != PROBE_CALL_AT)
        return true;
    if (n->observed.watch->observers[fired->hook->observer].observer.passed != NULL) {
        note_passed(p, fired);
        return true;
    }
    struct sum sum = {.counter = probe->counter};
    each_hook(n, p->wait, add_up, &sum);
    const uint64_t left =
        probe->value - n->observed.counters[sum.counter] - 1; /* before it calls */
    p->most = earlier(p->most, sum.value == 0 ? 0 : left / sum.value);
    return true;
}

struct repeated {
    uint64_t times;
};

static bool fire_repeatedly(void *user, struct nes *n, const struct fired *fired) {
    const struct repeated *r = user;
    const struct probe *const p = &fired->hook->probe;
    uint32_t counter;
    if (p->kind == PROBE_ONCE) /* by the pass that was executed */
        return true;
    if (adds_to(n, fired, &counter))
        n->observed.counters[counter] += p->value * r->times;
    else if (p->kind == PROBE_CALL_AT)
        n->observed.counters[p->counter] += r->times;
    watch_count(n, fired->hook, r->times);
    return true;
}

/* Number of further passes of `cost` cycles that may be skipped: their instructions start before
 * `stop` and end at or before `deadline`; if they read $2002, they do so before its value changes
 * at `change`. The last pass before that change is left to be executed, so that the PPU's bus
 * remembers when it was read. */
static uint64_t count_passes(const struct nes *n, bool status, uint64_t cost, uint64_t stop,
                             uint64_t deadline, uint64_t change) {
    uint64_t last = earlier(stop, deadline);
    if (!status)
        return last > n->cpu.cycle ? (last - n->cpu.cycle) / cost : 0;
    last = earlier(last, change);
    return last > n->cpu.cycle + 2 * cost ? (last - n->cpu.cycle) / cost - 1 : 0;
}

/* Counts what so many whole passes fire. */
static inline void add_passes(struct nes *n, const struct wait_adds *adds, uint64_t times) {
    for (unsigned i = 0; i < adds->count; i++)
        n->observed.counters[adds->counter[i]] += adds->value[i] * times;
}

/* Accounts for the pass just executed `times` more. */
static void repeat_pass(struct nes *n, const struct wait *w, uint64_t cost, uint64_t times) {
    if (n->observed.watched && w->adds.all)
        add_passes(n, &w->adds, times);
    else if (n->observed.watched)
        each_hook(n, w, fire_repeatedly, &(struct repeated){times});
    n->cpu.cycle += times * cost;
    n->cpu.instructions += times * w->length;
    n->idle.skipped += times * w->length;
}

/* ---- recordings ---- */

/* A pass, and until when it stays the same. */
struct pass {
    uint64_t cost;                   /* cycles */
    unsigned at[WAIT_LONGEST];       /* cycle of the pass at which each instruction begins */
    uint64_t stop, deadline, change; /* for count_passes() */
    unsigned executed;               /* instructions */
};

/* Writes the trace of passes that begin with instruction number `first`. */
static void write_trace(struct nes *n, struct record *r, const struct wait *w, unsigned first) {
    const unsigned left_of_first = w->length - first;
    r->trace->first = TRACE_OF_WAIT | left_of_first << TRACE_COUNT_BITS | w->length;
    r->trace->banks = record_banks(n);
    r->trace->parts[0] = (uint32_t)w->path[first] << 16 | w->target;
    r->trace->parts[1] = 0;
    r->trace_parts = 1;
    r->number = record_number(n, r);
}

/* The same for passes that are not straight. */
static void write_runs(const struct nes *n, struct record *r, const struct wait *w, unsigned i) {
    const uint64_t banks = record_banks(n);
    uint16_t behind = 0; /* in RAM: no pass is there */
    for (uint32_t k = 0; k < r->count; k++, i = i + 1u < w->length ? i + 1u : 0) {
        const uint16_t pc = w->path[i];
        if (pc != behind)
            r->runs[r->run_count++] = (struct recorded_run){banks, .at = k & 0x7fffff, .pc = pc};
        behind = (uint16_t)(pc + opcode_info(n->memory.rd[pc >> 8][pc & 0xff])->size);
    }
}

/* Completes a recording that begins and ends within the next `most` passes, without executing them.
 * The machine is at T. Returns the number of passes, which are accounted for; 0 if the recording
 * does not fit. */
static uint64_t record_passes(struct nes *n, const struct wait *w, const struct pass *p,
                              uint64_t most) {
    struct record *const r = n->observed.coming;
    const uint64_t due = r->from > n->cpu.cycle ? r->from - n->cpu.cycle : 0;
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
    if (passes > most || n->cpu.cycle + passes * p->cost > r->by)
        return 0;
    record_begin(r);
    if (w->straight)
        write_trace(n, r, w, first);
    else
        write_runs(n, r, w, first);
    r->end = n->cpu.cycle + (before + behind / w->length) * p->cost + p->at[behind % w->length];
    r->on = false;
    r->full = true;
    repeat_pass(n, w, p->cost, passes);
    return passes;
}

static void hand_over(struct nes *n) {
    watch_recorded(n);
    n->observed.attention = false;
}

/* Completes all recordings that fit, after one pass was executed. */
static void record_executed(struct nes *n, const struct wait *w, const struct pass *p) {
    while (n->observed.coming &&
           record_passes(n, w, p,
                         count_passes(n, w->status, p->cost, p->stop, p->deadline, p->change)))
        hand_over(n);
}

/* Executes one pass; false if execution left it or it ended early. */
static bool run_pass(struct nes *n, const struct wait *w, struct pass *p, uint64_t stop,
                     uint64_t *deadline) {
    const uint64_t start = n->cpu.cycle;
    for (unsigned i = 0; i < w->length; i++) {
        p->at[i] = (unsigned)(n->cpu.cycle - start);
        if (n->cpu.r.pc != w->path[i] || !run_one(n, stop, deadline))
            return false;
        p->executed++;
    }
    return true;
}

/* Counts the branch at `at`, which has just led out of the pass. False: it may fire more than a count, or is none. */
static bool count_exit(struct nes *n, uint16_t at) {
    enum { BRANCHES = 0x10, WHICH_BRANCH = 0xe0, BRANCH_SIZE = 2 };
    const struct tally *const tally = watch_tally(n, at);
    if (!tally || (*watch_code(n, at) & ~WHICH_BRANCH) != BRANCHES)
        return false;
    watch_count_tally(n, tally,
                      n->cpu.r.pc == (uint16_t)(at + BRANCH_SIZE) ? OUTCOME_NEXT : OUTCOME_TARGET);
    return true;
}

/* Fires w->adds for the instructions of a pass that were executed unwatched. */
static void fire_adds(struct nes *n, const struct wait *w, unsigned executed) {
    const struct wait_adds *const adds = &w->adds;
    const uint16_t there = executed < w->length ? w->path[executed] : w->target;
    const bool stays = n->cpu.r.pc == there; /* else the last instruction has left the pass */
    for (unsigned i = 0; i < adds->count; i++)
        if (adds->at[i] + (stays ? 0u : 1u) < executed)
            n->observed.counters[adds->counter[i]] += adds->value[i];
    if (stays || executed == 0 || count_exit(n, w->path[executed - 1u]))
        return;
    struct site *const site = watch_mapped(n, w->path[executed - 1u]);
    if (site->probes[PROBE_BEFORE].fires)
        watch_fire(n, &site->probes[PROBE_BEFORE], site->insn.address, site->insn.address);
    watch_outcome(n, site,
                  n->cpu.r.pc == (uint16_t)site->insn.target ? OUTCOME_TARGET : OUTCOME_NEXT);
}

/* True if something else comes before the next instruction. */
static bool is_busy(const struct nes *n) {
    return n->cpu.due || n->observed.attention || is_interrupted(n, n->cpu.r.p & P_I);
}

/* After passes of a `certain` wait were skipped: leaves the same state as if they had been
 * executed. read: cycle of the last read of $2002, if the wait reads it. */
static void resume_after(struct nes *n, struct wait *w, uint64_t read) {
    uint8_t same;
    if (w->status)
        ppu_reads_again(&n->ppu, read, &same);
    w->executed = n->cpu.instructions;
}

/* The same for passes without a sample fetch. */
static void resume_after_plain(struct nes *n, struct wait *w) {
    resume_after(n, w, n->cpu.cycle - w->cost + w->read_at);
}

/* Completes recordings that begin at or before `stop`; false: there was none. */
static bool record_certain(struct nes *n, struct wait *w, uint64_t stop, uint64_t end) {
    struct pass pass = {.cost = w->cost};
    bool recorded = false;
    for (unsigned i = 0; i < w->length; i++)
        pass.at[i] = w->at[i];
    while (n->observed.coming && n->observed.coming->from <= stop &&
           record_passes(n, w, &pass, count_passes(n, false, w->cost, stop, end, NEVER))) {
        resume_after_plain(n, w);
        hand_over(n);
        recorded = true;
    }
    return recorded;
}

/* True if the last pass was executed just now. An interrupt handler between two arrivals could have
 * executed as many instructions as a pass. */
static bool was_executed(const struct nes *n, const struct wait *w) {
    return w->certain && w->executed == n->cpu.instructions &&
           n->cpu.instructions - n->idle.interrupted > w->length;
}

/* Moves a request to follow, which these passes would interrupt for nothing: they begin before `stop` and end before
 * `end`. */
static void move_follow(struct nes *n, const struct wait *w, uint64_t stop, uint64_t end) {
    const struct follow_request *const f = n->observed.follow;
    const uint64_t now = n->cpu.cycle, margin = (uint64_t)f->passes * w->cost;
    if (f->every == 0 || f->from <= now || f->over + margin > earlier(stop, end) || !w->straight ||
        w->unmasks)
        return;
    const uint64_t behind = now + count_passes(n, false, w->cost, stop, end, NEVER) * w->cost;
    if (f->over + margin <= behind)
        watch_skipped(n, behind - margin);
}

/* Skips passes right after one was executed, without executing another. False: nothing was done. */
static bool pass_at_once(struct nes *n, struct wait *w, uint64_t stop, uint64_t deadline) {
    if (!was_executed(n, w) || is_busy(n))
        return false;
    /* The last pass may have been executed before the IRQ was asserted. */
    if (w->unmasks && n->lines.irq)
        return false;
    /* What the last read of $2002 has seen must stay so. */
    const uint64_t end = earlier(deadline, w->status ? n->ppu.known.status_stable_until : NEVER);
    const bool recorded =
        n->observed.coming && n->observed.coming->from <= stop && record_certain(n, w, stop, end);
    if (recorded && n->observed.watched)
        return true; /* an observer may step from now on */
    if (n->observed.follow)
        move_follow(n, w, stop, end);
    const uint64_t times =
        count_passes(n, false, w->cost, earlier(stop, n->observed.alarm), end, NEVER);
    if (times == 0)
        return recorded;
    repeat_pass(n, w, w->cost, times);
    resume_after_plain(n, w);
    return true;
}

/* Skips a pass in which DMA fetches a sample. Otherwise it equals the previous pass: any of its
 * reads can be repeated while the processor is halted. False: nothing was done. */
static bool pass_fetch(struct nes *n, struct wait *w, uint64_t stop) {
    const uint64_t halt = n->dma.from, fetch = halt + 2 + halt % 2, taken = fetch + 1 - halt;
    const uint64_t end = n->cpu.cycle + w->cost + taken;
    if (halt < n->cpu.cycle || halt >= n->cpu.cycle + w->cost ||
        end > earlier(stop, n->lines.event) ||
        (w->status && end > n->ppu.known.status_stable_until) || n->dma.oam_pending || is_busy(n) ||
        !apu_dmc_halts(&n->apu, halt, fetch) || !apu_dmc_quiet(&n->apu, fetch + 1))
        return false;
    const uint16_t sample = apu_dmc_address(&n->apu); /* in PRG */
    const uint64_t read = n->cpu.cycle + w->read_at;
    apu_dmc_give(&n->apu, n->memory.rd[sample >> 8][sample & 0xff], fetch);
    n->dma.from = apu_dmc_deadline(&n->apu);
    repeat_pass(n, w, w->cost + taken, 1);
    resume_after(n, w, halt <= read ? read + taken : read);
    return true;
}

/* Skips several passes like that of pass_fetch(), and the passes between them. False: nothing was
 * done. */
static bool pass_samples(struct nes *n, struct wait *w, uint64_t stop) {
    const uint64_t until = earlier(earlier(stop, n->lines.event),
                                   w->status ? n->ppu.known.status_stable_until : NEVER);
    uint64_t cycle = n->cpu.cycle, passes = 0, read = 0, halt = n->dma.from;
    if (n->dma.oam_pending || is_busy(n))
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
    n->cpu.cycle = cycle;
    n->dma.from = halt;
    resume_after(n, w, read);
    return true;
}

/* One or the other; not for passes with calls, because DMA cannot halt the processor in a write. */
static bool pass_halted(struct nes *n, struct wait *w, uint64_t stop) {
    return !w->calls && (pass_samples(n, w, stop) || pass_fetch(n, w, stop));
}

/* Executes, cycle by cycle, a pass that may reach a deadline; false if execution left it, or an
 * interrupt or `stop` ended it. */
static bool step_unwatched(struct nes *n, struct wait *w, uint64_t stop, unsigned *executed) {
    while (*executed < w->length) {
        if (n->cpu.cycle >= stop || n->cpu.r.pc != w->path[*executed] || is_busy(n))
            return false;
        nes_step(n);
        ++*executed;
    }
    w->executed = n->cpu.instructions;
    return n->cpu.r.pc == w->target;
}

/* The same; if observers watch, a pass fires only w->adds. */
static bool step_pass(struct nes *n, struct wait *w, uint64_t stop) {
    const bool watched = n->observed.watched;
    unsigned executed = 0;
    n->observed.watched = false;
    const bool goes_on = step_unwatched(n, w, stop, &executed);
    n->observed.watched = watched;
    if (watched && goes_on)
        add_passes(n, &w->adds, 1);
    else if (watched)
        fire_adds(n, w, executed);
    return goes_on;
}

/* Skips all passes until `stop` and the next alarm, across several deadlines; false: nothing was
 * done. */
static bool pass_deadlines(struct nes *n, struct wait *w, uint64_t stop, uint64_t deadline) {
    const bool watched = n->observed.watched;
    bool passed = false;
    while (pass_at_once(n, w, stop, deadline)) {
        passed = true;
        const uint64_t until = earlier(stop, n->observed.alarm);
        if (n->observed.watched != watched ||
            (!pass_halted(n, w, until) && !step_pass(n, w, until)))
            break;
        deadline = earlier(n->lines.event, n->dma.from);
    }
    return passed;
}

/* True unless a bank that the pass calls into was switched. */
static bool lies_there(const struct nes *n, const struct wait *w) {
    for (unsigned i = 0; !w->straight && i < 4; i++)
        if (w->lies[i] && w->lies[i] != n->memory.rd[0x80 + 0x20 * i])
            return false;
    return true;
}

void wait_pass(struct nes *n, struct wait *candidate, uint64_t stop, uint64_t deadline) {
    if (n->observed.stepping || !lies_there(n, candidate))
        return;
    const bool adds = n->observed.watched && only_adds(n, candidate);
    if ((adds || !n->observed.watched) && pass_deadlines(n, candidate, stop, deadline))
        return;
    const struct wait w = *candidate;
    const struct cpu_registers registers = nes_registers(n);
    if (n->observed.watched && !adds && !each_hook(n, &w, calls_not_always, NULL))
        return;
    /* Queried before the pass: the value that the pass reads must not change afterwards. */
    const uint64_t change = w.status ? ppu_status_deadline(&n->ppu, n->cpu.cycle) : NEVER;
    const uint64_t start = n->cpu.cycle;
    struct pass pass = {.change = change};
    const bool watched = n->observed.watched;
    n->observed.watched = watched && !adds; /* fired below */
    const bool straight = run_pass(n, &w, &pass, earlier(stop, n->observed.alarm), &deadline);
    n->observed.watched = watched;
    if (adds && straight && n->cpu.r.pc == w.target)
        add_passes(n, &w.adds, 1);
    else if (adds)
        fire_adds(n, &w, pass.executed);
    if (straight && !is_busy(n) && same_registers(n, registers) &&
        n->cpu.cycle + LONGEST_INSTRUCTION <= deadline) {
        struct limit limit;
        limit.wait = &w;
        limit.most = NEVER;
        limit.passed = 0;
        if (n->observed.watched && !adds)
            each_hook(n, &w, limit_passes, &limit);
        pass.cost = n->cpu.cycle - start;
        pass.stop = stop;
        pass.deadline = deadline;
        record_executed(n, &w, &pass);
        const uint64_t most = count_passes(n, w.status, pass.cost, earlier(stop, n->observed.alarm),
                                           deadline, change);
        if (!n->observed.stepping) { /* as of now */
            repeat_pass(n, &w, pass.cost, earlier(limit.most, most));
            if (limit.passed != 0)
                tell_passed(n, &limit, earlier(limit.most, most));
        }
    }
    n->idle.waiting = NULL; /* the pass itself has set it again */
    candidate->executed = 0;
}
