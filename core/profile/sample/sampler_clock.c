/*
 * Single control transfers by the clock. A due cycle comes every I cycles, and transfers that start
 * soon after it are sampled. Nothing is counted, so nothing happens between samples.
 *
 * Weighted (Horvitz and Thompson 1952): the sample is the first transfer that starts at or after a due
 * cycle. It is sampled with a probability of (cycles since the previous transfer) / I, and the inverse
 * is its weight. The sampler looks from LOOKBACK cycles before each due cycle on, to see the previous
 * transfer. If there is none within LOOKBACK cycles before the due cycle, nothing is sampled; so the
 * weight is 1 / min(cycles since the previous transfer, LOOKBACK). With `next` = K, the K - 1
 * transfers after the sample are taken, too, with its weight.
 *
 * Windows: with `window` = W, all transfers that start within W cycles from a due cycle on are taken.
 * Each transfer is sampled with the same probability, W / I, so no weights are needed.
 *
 * An interrupt and the return from its handler count as a previous transfer. When the f-th NMI handler
 * begins (f = 0 when the sampler was attached), the next due cycle is put frac(u + f * 0.618...) of I
 * ahead, with u from the seed; see sampler_transfers.c. A window that is open then stays open.
 *
 * The clock stands still in busy-waits. If the machine is in the same state again after a backward
 * transfer, and the instructions since then have written nothing and read only RAM and ROM, then only
 * an interrupt can end the loop, and due cycles before it are dropped. The sampler finds such a loop by
 * itself while it looks. Loops that wait for a register are sampled like any code.
 *
 * The sampler looks by nes_follow(): translated code is left once, and the transfers come in one
 * call. Where control cannot be followed, as around interrupts, it steps through the instructions.
 * Both see the same transfers, so the stream does not depend on which it was. Nor may it depend on
 * how far a call has followed: follow_on() ends where stepping would have ended.
 */
#include "profile/sample/samplers.h"

enum { LOOKBACK = 32, PPU_STATUS = 0x2002, ROM = 0x8000, WINDOW_SHIFT = 13 /* of a bank */ };
#define NEVER UINT64_MAX

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15) /* (sqrt(5) - 1) / 2 of 2^64 */

static uint64_t golden_place(const struct sampler *s) {
    const uint64_t at = splitmix64(s->options.seed, 0) + s->frames * GOLDEN;
    return (uint64_t)((unsigned __int128)at * s->clock.every >> 64);
}

/* ---- waiting for the next due cycle ---- */

/* The cycle from which on the next sample is stepped towards. */
static uint64_t step_from(const struct sampler *s) {
    const uint64_t due = s->clock.due, lookback = s->options.window > 0 ? 0 : LOOKBACK;
    return due > lookback ? due - lookback : 0;
}

/* Follows transfers from this cycle on: up to those of the next due cycle, or to the end of a window
 * that is open. */
static void follow_from(struct sampler *s, uint64_t cycle) {
    const struct clock *c = &s->clock;
    struct follow_request request = {.from = cycle, .due = c->due, .least = s->options.next};
    if (cycle < c->window_end)
        request = (struct follow_request){.from = cycle, .until = c->window_end};
    else if (s->options.window > 0)
        request.until = c->due + s->options.window;
    if (s->clock.alarm == cycle && request.due != 0)
        return;
    s->clock.alarm = cycle;
    nes_follow(s->nes, s->id, &request);
}

static void start_stepping(struct sampler *s) {
    s->clock.stepping = true;
    nes_observe(s->nes, s->id, UINT64_MAX);
}

/* The sample is not complete: follows it further, or if that has led nowhere steps. */
static void follow_further(struct sampler *s, bool advanced) {
    struct clock *const c = &s->clock;
    const uint64_t now = nes_cycle(s->nes);
    struct follow_request request = {.from = now, .least = 1};
    if (now < c->window_end)
        request.until = c->window_end;
    if (now < c->window_end || c->left > 0)
        request.least = c->left;
    else if (now >= step_from(s))
        request.due = c->due;
    if (!advanced) {
        start_stepping(s);
        return;
    }
    c->following = true;
    c->pc = nes_registers(s->nes).pc;
    c->alarm = now;
    nes_follow(s->nes, s->id, &request);
}

static void stop_stepping(struct sampler *s) {
    s->clock.pending = false;
    if (s->clock.stepping)
        nes_observe(s->nes, s->id, 0);
    s->clock.stepping = false;
}

/* ---- samples ---- */

static struct sample sample_of(const struct guest_insn *insn) {
    return (struct sample){.pc = insn->address,
                           .target = insn->target,
                           .size = insn->size,
                           .kind = insn->kind,
                           .opcode = insn->bytes[0]};
}

/* Keeps the transfer from the pending instruction to `to`. Code in ROM does not change, so an equal
 * one may be known. */
static void keep(struct sampler *s, const struct guest_insn *to) {
    const struct guest_insn *from = &s->clock.insn;
    struct clock_batch *known =
        &s->clock.known[(from->address ^ to->address << 1 ^ to->address >> 7) % CLOCK_KNOWN];
    if (known->number != 0 && known->from == from->address && known->to == to->address &&
        known->from_target == from->target && known->to_target == to->target) {
        s->out_of_memory |= !stream_add_again(&s->stream, known->number - 1);
        return;
    }
    s->batch[0] = sample_of(from);
    s->batch[1] = sample_of(to);
    sampler_keep(s);
    if (s->options.take == NULL && !s->out_of_memory && from->pc >= ROM && to->pc >= ROM)
        *known = (struct clock_batch){from->address, from->target, to->address, to->target,
                                      sampler_kept_last(s) + 1};
}

/* The same for a transfer that was followed. */
static void keep_followed(struct sampler *s) {
    struct clock *const c = &s->clock;
    const struct transfer *const t = c->followed;
    struct clock_followed *const known =
        &c->known_followed[(t->from ^ t->to << 1 ^ t->to >> 7) % CLOCK_KNOWN];
    if (known->number != 0 && known->from == t->from && known->to == t->to &&
        known->banks == c->banks) {
        s->out_of_memory |= !stream_add_again(&s->stream, known->number - 1);
        return;
    }
    s->batch[0] = sampler_landing(s->nes, nes_code_address(s->nes, t->from));
    s->batch[1] = sampler_landing(s->nes, nes_code_address(s->nes, t->to));
    sampler_keep(s);
    if (s->options.take == NULL && !s->out_of_memory && t->to >= ROM)
        *known = (struct clock_followed){c->banks, t->from, t->to, sampler_kept_last(s) + 1};
}

/* to: NULL: the transfer was followed. */
static void record(struct sampler *s, const struct guest_insn *to) {
    if (s->options.window > 0)
        s->clock.taken++;
    else if (!vec_push(&s->cycles, s->clock.gap))
        s->out_of_memory = true;
    if (to != NULL)
        keep(s, to);
    else
        keep_followed(s);
}

/* Moves on to the first due cycle after `cycle`; true if one was due until then. The last of them
 * opens a window. */
static bool pass_due(struct sampler *s, uint64_t cycle) {
    struct clock *c = &s->clock;
    if (cycle < c->due)
        return false;
    c->due += ((cycle - c->due) / c->every + 1) * c->every;
    c->window_end = c->due - c->every + s->options.window;
    c->forgotten = false;
    return true;
}

/* The first transfer at or after `due`, or one of those after it. */
static void take_weighted(struct sampler *s, const struct guest_insn *to, uint64_t due) {
    struct clock *c = &s->clock;
    const bool first = c->start >= due;
    if (c->left > 0) {
        s->overruns += first;
        c->left--;
        record(s, to);
    } else if (first && c->previous + LOOKBACK >= due) {
        const uint64_t gap = c->start - c->previous;
        c->gap = (uint16_t)(gap < LOOKBACK ? gap : LOOKBACK);
        c->inverse += 720720 / c->gap;
        c->left = s->options.next - 1;
        record(s, to);
    }
}

/* A transfer that started at clock.start went to `to`; NULL: it is clock.followed. */
static void transferred(struct sampler *s, const struct guest_insn *to) {
    struct clock *c = &s->clock;
    c->seen++;
    const uint64_t due = c->due;
    pass_due(s, c->start);
    if (s->options.window == 0)
        take_weighted(s, to, due);
    else if (c->start < c->window_end)
        record(s, to);
    c->previous = c->start;
}

/* The pending instruction is complete, and control is at `to`. */
static void complete(struct sampler *s, const struct guest_insn *to) {
    const struct guest_insn *insn = &s->clock.insn;
    s->clock.pending = false;
    if (insn->kind != INSN_PLAIN || to->address != insn->next)
        transferred(s, to);
}

/* ---- busy-waits ---- */

/* An instruction of a loop that nothing but an interrupt can end. */
static bool only_reads_memory(const struct guest_insn *insn) {
    const bool status = insn->size == 3 && (insn->bytes[1] | insn->bytes[2] << 8) == PPU_STATUS;
    return !status && opcode_may_wait(insn->bytes);
}

/* Its kind and address are left out. */
static struct guest_insn insn_read(const struct nes *nes, uint16_t pc) {
    struct guest_insn insn = {.bytes = {nes_peek(nes, pc)}};
    insn.size = opcode_info(insn.bytes[0])->size;
    if (insn.size > 1)
        insn.bytes[1] = nes_peek(nes, (uint16_t)(pc + 1));
    if (insn.size > 2)
        insn.bytes[2] = nes_peek(nes, (uint16_t)(pc + 2));
    return insn;
}

/* True if the machine has been in exactly this state before; else remembers it. */
static bool been_here(struct sampler *s, struct clock_state state) {
    struct clock *c = &s->clock;
    const unsigned known = c->been_count < CLOCK_STATES ? c->been_count : CLOCK_STATES;
    for (unsigned i = 0; i < known; i++) {
        const struct clock_state *b = &c->been[i];
        if (b->address == state.address && b->a == state.a && b->x == state.x && b->y == state.y &&
            b->s == state.s && b->p == state.p)
            return true;
    }
    c->been[c->been_count++ % CLOCK_STATES] = state;
    return false;
}

/* True if the loop that the pending instruction has just closed is such a wait. */
static bool waits(struct sampler *s, uint32_t address) {
    const uint32_t from = s->clock.insn.address;
    const struct cpu_registers r = nes_registers(s->nes);
    return address <= from && from - address < TRANSFER_NEAR &&
           been_here(s, (struct clock_state){address, r.a, r.x, r.y, r.s, r.p});
}

/* True if the code where it is and where it leads to is near. */
static bool lies_near(const struct sampler *s, const struct transfer *t) {
    return (t->from ^ t->to) >> WINDOW_SHIFT == 0 ||
           nes_code_address(s->nes, t->from) - nes_code_address(s->nes, t->to) < TRANSFER_NEAR;
}

/* waits() for a transfer that was followed. */
static bool waits_followed(struct sampler *s, const struct transfer *t) {
    return t->loops && lies_near(s, t) &&
           been_here(s, (struct clock_state){nes_code_address(s->nes, t->to), t->registers.a,
                                             t->registers.x, t->registers.y, t->registers.s,
                                             t->registers.p});
}

/* At each boundary: states before the next sample count no more. Whether a wait is known then does
 * not depend on where the sampler stopped to look. */
static void forget_states(struct sampler *s, uint64_t cycle) {
    struct clock *const c = &s->clock;
    if (c->forgotten || cycle < step_from(s))
        return;
    c->been_count = 0;
    c->forgotten = true;
}

/* Forgets the states if an instruction from `pc` to `last`, which are executed one after the other,
 * writes anything or reads a device. */
static void check_run(struct sampler *s, uint16_t pc, uint16_t last) {
    while (s->clock.been_count > 0) {
        const struct guest_insn insn = insn_read(s->nes, pc);
        if (!only_reads_memory(&insn))
            s->clock.been_count = 0;
        if (pc == last)
            return;
        pc = (uint16_t)(pc + insn.size);
    }
}

/* ---- callbacks ---- */

/* The current sample is complete, and the next one is far. */
static bool is_idle(const struct sampler *s, uint64_t cycle) {
    const struct clock *c = &s->clock;
    const bool may_wait = c->been_count > 0 && c->been_count < CLOCK_STATES;
    return c->left == 0 && cycle >= c->window_end && cycle < step_from(s) && !may_wait;
}

static void wait_for_next(struct sampler *s) {
    stop_stepping(s);
    follow_from(s, step_from(s));
}

static void step(void *self, const struct guest_insn *insn, uint64_t cycle) {
    struct sampler *s = self;
    struct clock *c = &s->clock;
    forget_states(s, cycle);
    const bool loops = c->pending && waits(s, insn->address);
    if (c->pending)
        complete(s, insn);
    if (c->been_count > 0 && !only_reads_memory(insn))
        c->been_count = 0;
    if (loops && c->left == 0) {
        stop_stepping(s); /* until the next interrupt */
    } else if (is_idle(s, cycle)) {
        wait_for_next(s);
    } else {
        c->insn = *insn;
        c->start = cycle;
        c->pending = insn->kind != INSN_JAM;
    }
}

/* How the sampler goes on after a transfer that was followed. */
enum attention {
    ATTENTIVE, /* the sample is not complete */
    IDLE,      /* it is; transfers are skipped until the next one is near */
    RESTING,
};

/* One of the transfers that were followed: as step() at its beginning and at its end. */
static enum attention follow_on(struct sampler *s, const struct transfer *t) {
    struct clock *c = &s->clock;
    if (!t->untouched)
        c->been_count = 0;
    if (is_idle(s, t->start))
        return IDLE; /* before it */
    forget_states(s, t->start);
    forget_states(s, t->end);
    c->start = t->start;
    c->followed = t;
    const bool loops = waits_followed(s, t);
    transferred(s, NULL);
    if (c->been_count > 0)
        check_run(s, t->to, t->to);
    if (loops && c->left == 0)
        return RESTING;
    return is_idle(s, t->end) ? IDLE : ATTENTIVE;
}

/* The same for the first transfers, before the due cycle, at which there is nothing to be done.
 * Returns their number. */
static unsigned follow_to_due(struct sampler *s, const struct followed *f) {
    struct clock *const c = &s->clock;
    const struct transfer *const t = f->transfers;
    unsigned i = 0;
    if (f->count == 0 || c->left > 0 || s->options.window > 0 || t->start < step_from(s))
        return 0;
    forget_states(s, t->start);
    while (i < f->count && t[i].start < c->due && !t[i].loops)
        i++;
    c->seen += i;
    if (i > 0)
        c->previous = t[i - 1].start;
    return i;
}

/* Does what step() would have done at each instruction until now, and steps from here on if the
 * sample is not complete. */
static void followed(void *self, const struct followed *f) {
    struct sampler *s = self;
    struct clock *c = &s->clock;
    const bool goes_on = c->following;
    c->alarm = NEVER;
    c->following = false;
    c->banks = f->banks;
    if (s->out_of_memory)
        return;
    unsigned i = 0;
    if (!goes_on) {
        c->been_count = 0; /* then pc is of no importance */
        i = follow_to_due(s, f);
    }
    enum attention now = ATTENTIVE;
    uint16_t pc = i > 0 ? f->transfers[i - 1].to : c->pc;
    for (; i < f->count && now != RESTING; i++) {
        const struct transfer *const t = &f->transfers[i];
        if (now == IDLE && t->start < step_from(s))
            continue;
        if (now == IDLE)
            c->been_count = 0;
        now = follow_on(s, t);
        pc = t->to;
    }
    if (now == ATTENTIVE)
        check_run(s, pc, nes_registers(s->nes).pc);
    if (now == RESTING)
        stop_stepping(s); /* until the next interrupt */
    else if (now == IDLE || is_idle(s, nes_cycle(s->nes)))
        wait_for_next(s);
    else
        follow_further(s, f->count > 0);
}

/* The running context changes at this cycle. */
static void switched(struct sampler *s, bool nmi) {
    struct clock *c = &s->clock;
    const uint64_t now = nes_cycle(s->nes);
    c->pending = false;
    c->previous = now;
    c->been_count = 0;
    pass_due(s, now);
    if (nmi) {
        s->frames++;
        c->due = now + 1 + golden_place(s);
        c->forgotten = false;
    }
    if (!c->stepping)
        follow_from(s, now < c->window_end ? now : step_from(s));
}

static void thread_changes(void *self, const struct thread_event *event) {
    struct sampler *s = self;
    if (event->cause == THREAD_START)
        return; /* only the sampler is attached or detached */
    if (event->change == THREAD_SUSPENDED && s->clock.pending) {
        const struct sample at = sampler_landing(s->nes, event->address);
        const struct guest_insn to = {.address = at.pc,
                                      .target = at.target,
                                      .pc = (uint16_t)at.pc,
                                      .size = at.size,
                                      .kind = at.kind,
                                      .bytes = {at.opcode}};
        complete(s, &to);
    } else if (event->change == THREAD_BEGINS || event->change == THREAD_RESUMES) {
        switched(s, event->change == THREAD_BEGINS && event->cause == THREAD_NMI);
    } else if (event->cause == THREAD_RESET) {
        s->clock.pending = false;
    }
}

/* ---- life cycle ---- */

uint64_t sampler_clock_population(const struct sampler *s) {
    const struct clock *c = &s->clock;
    const unsigned __int128 every = c->every;
    return (uint64_t)(s->options.window > 0 ? c->taken * every / s->options.window
                                            : c->inverse * every / 720720);
}

void sampler_clock_begin(struct sampler *s) {
    s->clock.every = sampler_cycles_of_us(s->options.interval_us);
    s->clock.previous = nes_cycle(s->nes);
    s->clock.due = nes_cycle(s->nes) + 1 + golden_place(s);
    s->clock.alarm = NEVER;
    follow_from(s, step_from(s));
}

const struct observer sampler_by_clock = {
    .step = step, .followed = followed, .thread = thread_changes};
