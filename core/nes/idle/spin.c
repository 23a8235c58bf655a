/* Finding spins, and when to look for them. */
#include "nes/idle/spin.h"

#include <string.h>

#include "nes/cpu/cpu_exec.h"
#include "nes/cpu/deadline.h"
#include "nes/machine/machine.h"
#include "nes/observe/run_counts.h"

/* Cycles: longest run; skipped cycles that pay for a search; first interval between searches, which
 * doubles up to MOST_DOUBLED times; a frame. */
enum { LONGEST = 3000, WORTH_IT = 2500, SOONEST = 512, MOST_DOUBLED = 11, FRAME = 29781 };
/* Credit, in host instructions: a skipped cycle saves about one; an interpreted cycle and each
 * search cost these. Probes are not in it: they cost more where nothing is skipped, too, and searches that only
 * pay without them would be given up when somebody watches. */
enum { INTERPRETED = 4, TRIED = 800, CREDIT = 20000, CREDIT_MOST = 60000, CREDIT_AGAIN = 6000 };
/* Frames to pause when the credit is used up. */
enum { PAUSE_FIRST = 32, PAUSE_LAST = 512 };

void spin_forget(struct nes *n) {
    n->idle.spins = (struct spins){
        .next = n->cpu.cycle, .longest = LONGEST, .pause = PAUSE_FIRST * FRAME, .credit = CREDIT};
}

uint64_t spin_next(const struct nes *n) {
    const struct spins *const s = &n->idle.spins;
    if (n->made.options.no_skip || n->observed.stepping || n->observed.watch->callers ||
        n->observed.recorder || n->observed.coming || n->observed.announced)
        return NEVER;
    /* An interrupt handler is not part of a spin. A handler may never return, so wait two frames at
     * most. */
    if (n->contexts.count > s->depth)
        return s->next + 2 * FRAME;
    return s->next;
}

void spin_waited(struct nes *n, uint64_t cycles) {
    if (cycles >= WORTH_IT && n->idle.spins.next < n->cpu.cycle + FRAME)
        n->idle.spins.next = n->cpu.cycle + FRAME;
}

/* ---- finding one ---- */

/* Snapshot of all that distinguishes one run from another, and the times at which devices were
 * read, which advance with each run. */
struct spin_state {
    struct registers cpu;
    uint64_t cycle, instructions;
    struct pads pads;
    uint64_t latched[2];
    uint8_t ram[RAM_SIZE], board_ram[0x2000];
    struct run_counts counts; /* of the run since the snapshot; not used without probes */
};

static void save_state(struct nes *n, struct spin_state *at) {
    bus_strobe(n);
    at->cpu = n->cpu.r;
    at->cycle = n->cpu.cycle;
    at->instructions = n->cpu.instructions;
    at->pads = n->pads;
    memcpy(at->latched, n->ppu.state.latch_cycle, sizeof at->latched);
    memcpy(at->ram, n->memory.ram, sizeof at->ram);
    if (n->memory.wr[0x60])
        memcpy(at->board_ram, n->memory.wr[0x60], sizeof at->board_ram);
    at->counts.count = 0;
    at->counts.overflow = false;
}

/* The value of the last read is dead. */
static bool same_pads(const struct pads *a, const struct pads *b) {
    return !memcmp(a->shift, b->shift, sizeof a->shift) && a->strobe == b->strobe &&
           a->strobe_cycle == NEVER && b->strobe_cycle == NEVER;
}

/* True if memory and pads equal the snapshot; the caller has compared the registers. A program that
 * writes the strobe once cannot observe which of the two cycles it reaches the pads in. */
static bool same_state(struct nes *n, const struct spin_state *at) {
    bus_strobe(n);
    return same_pads(&n->pads, &at->pads) && !memcmp(n->memory.ram, at->ram, sizeof at->ram) &&
           (!n->memory.wr[0x60] ||
            !memcmp(n->memory.wr[0x60], at->board_ram, sizeof at->board_ram));
}

/* Two loops take turns: one for known runs of instructions, and one for the others. */
static enum spin_end run_counted(struct nes *n, struct run_counts *counts,
                                 const struct registers *target, uint64_t stop, uint64_t deadline) {
    enum spin_end ended = SPIN_LEFT;
    uint64_t start;
    watch_follow_banks(n);
    do {
        start = n->cpu.cycle;
        if (watch_run_known(n, n->cpu.r.pc))
            cpu_run_spin_tallied(n, target, stop, deadline, &ended, counts);
        else
            cpu_run_spin_counted(n, target, stop, deadline, &ended, counts);
    } while (ended == SPIN_LEFT && n->cpu.cycle != start && n->observed.watch->callers == 0);
    return ended;
}

static enum spin_end run(struct nes *n, struct spin_state *at, const struct registers *target,
                         uint64_t stop, uint64_t deadline) {
    if (n->observed.watched)
        return run_counted(n, &at->counts, target, stop, deadline);
    enum spin_end ended = SPIN_LEFT;
    cpu_run_spin(n, target, stop, deadline, &ended);
    return ended;
}

/* Takes a snapshot *at after the next jump and runs until the machine is in that state again
 * (SPIN_ARRIVED), before `stop`. SPIN_LEFT: the next instruction accesses another device;
 * SPIN_WAITS: to go on does not pay. */
static enum spin_end run_to_repeat(struct nes *n, struct spin_state *at, uint64_t stop) {
    enum { DIFFERENCES = 64, DIFFERED = 60 };
    const uint64_t deadline = earlier(n->lines.event, n->dma.from);
    at->counts.count = 0; /* what is noted before the snapshot is dropped */
    enum spin_end ended = run(n, at, NULL, stop, deadline);
    if (ended != SPIN_ARRIVED)
        return ended;
    save_state(n, at);
    for (unsigned i = 0; i < DIFFERENCES; i++) {
        ended = run(n, at, &at->cpu, stop, deadline);
        if (ended != SPIN_ARRIVED || same_state(n, at))
            return ended;
        n->idle.spins.credit -= DIFFERED;
    }
    return SPIN_WAITS;
}

/* The same; after an access to another device it starts again, because that may be the last access
 * before the spin. */
static bool find(struct nes *n, struct spin_state *at, uint64_t stop) {
    enum { TOUCHES = 3 };
    for (unsigned i = 0; i < TOUCHES; i++) {
        const enum spin_end ended = run_to_repeat(n, at, stop);
        if (ended != SPIN_LEFT)
            return ended == SPIN_ARRIVED;
        if (n->cpu.cycle > last_start(stop, earlier(n->lines.event, n->dma.from)))
            return false;
        nes_step(n);
        if (!may_run_fast(n, n->cpu.r.p & P_I) || n->observed.attention)
            return false;
    }
    return false;
}

/* Accounts for the run since *at `times` more. The read times advance with the runs. */
static void repeat(struct nes *n, const struct spin_state *at, uint64_t times) {
    const uint64_t later = times * (n->cpu.cycle - at->cycle);
    const uint64_t executed = times * (n->cpu.instructions - at->instructions);
    if (n->observed.watched)
        run_counts_repeat(n, &at->counts, times);
    for (unsigned port = 0; port < 2; port++)
        if (n->pads.read_cycle[port] != at->pads.read_cycle[port])
            n->pads.read_cycle[port] += later;
    for (unsigned i = 0; i < 2; i++)
        if (n->ppu.state.latch_cycle[i] != at->latched[i])
            n->ppu.state.latch_cycle[i] += later;
    n->cpu.cycle += later;
    n->cpu.instructions += executed;
    n->idle.skipped += executed;
}

/* Skips the runs that end before `stop`, the deadline and, if they read $2002, its next change;
 * returns the skipped cycles. */
static uint64_t skip_runs(struct nes *n, const struct spin_state *at, uint64_t stop) {
    const uint64_t run = n->cpu.cycle - at->cycle;
    uint64_t end = earlier(stop, earlier(n->lines.event, n->dma.from));
    if (memcmp(at->latched, n->ppu.state.latch_cycle, sizeof at->latched) != 0)
        end = earlier(end, n->ppu.known.status_stable_until);
    if (end < n->cpu.cycle + run)
        return 0;
    const uint64_t times = (end - n->cpu.cycle) / run;
    repeat(n, at, times);
    return times * run;
}

/* ---- when to look ---- */

static void note_found(struct nes *n, uint64_t began, uint64_t run) {
    enum { EARLIER = 64 }; /* cycles by which the delay shrinks, until a search comes too early */
    struct spins *const s = &n->idle.spins;
    const uint64_t delay = began - s->end;
    if (s->misses > 0)
        s->delay = delay < 2 * FRAME ? delay : 0;
    else
        s->delay = s->delay > EARLIER ? s->delay - s->delay / 16 - EARLIER / 2 : 0;
    s->misses = 0;
    s->pause = PAUSE_FIRST * FRAME;
    s->longest = earlier(LONGEST, 3 * run + SOONEST);
    s->depth = n->contexts.count;
    s->end = n->cpu.cycle;
    s->next = n->cpu.cycle + s->delay;
}

static void note_missed(struct nes *n) {
    struct spins *const s = &n->idle.spins;
    s->next = n->cpu.cycle + ((uint64_t)SOONEST << s->misses);
    s->misses += s->misses < MOST_DOUBLED;
    s->longest = LONGEST;
    if (s->credit >= 0)
        return;
    s->credit = CREDIT_AGAIN;
    s->next = n->cpu.cycle + s->pause;
    s->pause = earlier(2 * s->pause, (uint64_t)PAUSE_LAST * FRAME);
}

void spin_try(struct nes *n, uint64_t stop) {
    struct spins *const s = &n->idle.spins;
    struct spin_state at;
    const uint64_t began = n->cpu.cycle, end = earlier(stop, earlier(n->lines.event, n->dma.from));
    if (end < began + WORTH_IT) {
        s->next = end > began ? end : began + 1;
        return;
    }
    n->observed.attention = false;
    const bool found = find(n, &at, earlier(stop, began + s->longest)) && !at.counts.overflow;
    s->credit -= (int64_t)(INTERPRETED * (n->cpu.cycle - began)) + TRIED;
    const uint64_t run = found ? n->cpu.cycle - at.cycle : 0;
    const uint64_t passed = found ? skip_runs(n, &at, stop) : 0;
    s->credit =
        s->credit + (int64_t)passed < CREDIT_MOST ? s->credit + (int64_t)passed : CREDIT_MOST;
    if (passed >= WORTH_IT)
        note_found(n, began, run);
    else
        note_missed(n);
}
