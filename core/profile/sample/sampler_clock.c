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
 * Each transfer is sampled with the same probability, W / I, so no weights are needed, and nothing
 * before the due cycle matters.
 *
 * An interrupt and the return from its handler count as a previous transfer. When the f-th NMI handler
 * begins (f = 0 when the sampler was attached), the next due cycle is put frac(u + f * 0.618...) of I
 * ahead, with u from the seed; see sampler_transfers.c. A window that is open then stays open. While no
 * sample is open the machine does this alone, and keeps when the context changed last.
 *
 * Nothing is taken of a busy-wait. A loop waits if, after the due cycle, the registers are the same
 * again after a backward transfer, and the instructions since then have written nothing and read only
 * RAM, ROM and $2002. The sampler finds such a loop by itself: transfers that it has taken are held
 * until it is clear that they are no part of one; what is held at the end is lost. A wait that is found
 * drops those of its own code.
 *
 * The machine skips such waits without executing them, and due cycles must not hinder it: it drops
 * those in the passes that it can skip. Following them would have had the same effect.
 *
 * The sampler looks by nes_follow(): translated code is left once, and the transfers come in one
 * call. Where control cannot be followed, as around interrupts, it steps through the instructions.
 * Both see the same transfers, so the stream does not depend on which it was. Nor may it depend on
 * how far a call has followed: follow_on() ends where stepping would have ended.
 */
#include "profile/sample/samplers.h"

#include <assert.h>

enum { LOOKBACK = 32, STACK = 0x100, ROM = 0x8000 };

/* Any transfer takes at least two cycles. */
static_assert((int)CLOCK_HELD > SAMPLER_WINDOW_MOST / 2, "a window");
static_assert((int)CLOCK_HELD > SAMPLER_NEXT_MOST, "the next transfers");

/* After `frames` NMI handlers, in units of 2^-64. */
static uint64_t golden_phase(const struct sampler *s) {
    return s->clock.phase + s->frames * SAMPLER_GOLDEN_RATIO;
}

static uint64_t golden_place(const struct sampler *s) {
    return (uint64_t)((unsigned __int128)golden_phase(s) * s->clock.every >> 64);
}

/* ---- waiting for the next due cycle ---- */

/* The cycle from which on the next sample is stepped towards. */
static uint64_t step_from(const struct sampler *s) {
    const uint64_t due = s->clock.due, lookback = s->options.window > 0 ? 0 : LOOKBACK;
    return due > lookback ? due - lookback : 0;
}

/* thread_changes() is called while a sample may not be complete. */
static void listen_to_contexts(struct sampler *s, bool listens) {
    if (s->clock.listens == listens)
        return;
    s->clock.listens = listens;
    nes_listen(s->nes, s->id, listens);
}

/* Follows transfers from the next due cycle on. Until then the machine does all that interrupts change. */
static void follow_next(struct sampler *s) {
    struct clock *const c = &s->clock;
    const uint64_t over = c->due + s->options.window;
    listen_to_contexts(s, false);
    c->asked = step_from(s);
    nes_follow(s->nes, s->id,
               &(struct follow_request){.from = c->asked,
                                        .due = c->due,
                                        .until = over,
                                        .least = s->options.window > 0 ? 0 : s->options.next,
                                        .over = over,
                                        .passes = s->options.next + 2,
                                        .every = c->every,
                                        .phase = golden_phase(s),
                                        .shift = SAMPLER_GOLDEN_RATIO});
}

/* The sample is not complete: follows it further. */
static void follow_further(struct sampler *s) {
    struct clock *const c = &s->clock;
    const uint64_t now = nes_cycle(s->nes);
    struct follow_request request = {.from = now, .least = c->left};
    if (now < c->window_end)
        request.until = c->window_end;
    if (!c->open)
        request.due = c->due;
    if (c->left == 0 && now >= c->window_end)
        request.least = 1;
    listen_to_contexts(s, true);
    c->asked = now;
    nes_follow(s->nes, s->id, &request);
}

static void start_stepping(struct sampler *s) {
    listen_to_contexts(s, true);
    s->clock.stepping = true;
    nes_observe(s->nes, s->id, UINT64_MAX);
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

/* The bytes at pc that a sample of that instruction depends on: its opcode, and its target's. */
static uint32_t code_bytes(const struct sampler *s, uint16_t pc) {
    const uint8_t opcode = nes_peek(s->nes, pc);
    switch ((enum insn_kind)opcode_info(opcode)->kind) {
    case INSN_BRANCH:
    case INSN_JUMP:
    case INSN_CALL:
        return opcode | (uint32_t)nes_peek(s->nes, (uint16_t)(pc + 1)) << 8 |
               (uint32_t)nes_peek(s->nes, (uint16_t)(pc + 2)) << 16;
    default:
        return opcode;
    }
}

/* What a transfer means follows from these bytes, where they may change. */
static uint64_t bytes_in_ram(const struct sampler *s, uint16_t from, uint16_t to) {
    return from >= ROM && to >= ROM ? 0 : (uint64_t)code_bytes(s, from) << 32 | code_bytes(s, to);
}

static struct clock_batch *known_batch(struct clock *c, uint16_t from, uint16_t to) {
    const uint32_t pair = (uint32_t)from << 16 | to;
    return &c->known[pair * UINT32_C(0x9E3779B1) >> (32 - CLOCK_KNOWN_BITS)];
}

/* Number of this transfer's batch, which was kept before; 0: it is not known. bytes: bytes_in_ram(). */
static uint32_t known_number(struct clock *c, uint16_t from, uint16_t to, uint64_t bytes) {
    const struct clock_batch *const known = known_batch(c, from, to);
    const bool same =
        known->from == from && known->to == to && known->banks == c->banks && known->bytes == bytes;
    return same ? known->number : 0;
}

/* Holds the transfer that began at clock.start. to: NULL: it was followed; else it is that of the
 * pending instruction. */
static void hold(struct sampler *s, uint16_t from, uint16_t to, const struct guest_insn *insn) {
    struct clock *const c = &s->clock;
    struct clock_held *const h = &c->held[c->held_count++];
    *h = (struct clock_held){.from = from,
                             .to = to,
                             .gap = c->gap,
                             .first = c->left == s->options.next,
                             .stepped = insn != NULL};
    if (insn != NULL) {
        h->samples[0] = sample_of(&c->insn);
        h->samples[1] = sample_of(insn);
        return;
    }
    h->banks = c->banks;
    h->bytes = bytes_in_ram(s, from, to);
    h->number = known_number(c, from, to, h->bytes);
    if (h->number != 0)
        return;
    h->samples[0] = sampler_landing(s->nes, nes_code_address(s->nes, from));
    h->samples[1] = sampler_landing(s->nes, nes_code_address(s->nes, to));
}

/* So that an equal transfer will be known. */
static void remember(struct sampler *s, const struct clock_held *h) {
    if (s->options.take == NULL && !s->out_of_memory && !h->stepped)
        *known_batch(&s->clock, h->from, h->to) =
            (struct clock_batch){h->banks, h->bytes, h->from, h->to, sampler_kept_last(s) + 1};
}

/* Without a call, but where there is no room. */
static bool push_cycles(struct sampler *s, uint16_t gap) {
    if (s->cycles.len == s->cycles.cap)
        return vec_push(&s->cycles, gap);
    s->cycles.at[s->cycles.len++] = gap;
    return true;
}

/* first: weighted: of its sample. */
static void count_kept(struct sampler *s, uint16_t gap, bool first) {
    if (s->options.window > 0)
        s->clock.taken++;
    else if (!push_cycles(s, gap))
        s->out_of_memory = true;
    if (first)
        s->clock.inverse += 720720 / gap;
    s->clock.kept++;
}

static void keep(struct sampler *s, const struct clock_held *h) {
    count_kept(s, h->gap, h->first);
    if (h->number != 0) {
        s->out_of_memory |= !stream_add_again(&s->stream, h->number - 1);
        return;
    }
    s->batch[0] = h->samples[0];
    s->batch[1] = h->samples[1];
    sampler_keep(s);
    remember(s, h);
}

/* What is held is no part of a busy-wait. */
static void keep_held(struct sampler *s) {
    struct clock *const c = &s->clock;
    for (unsigned i = 0; i < c->held_count && !s->out_of_memory; i++)
        keep(s, &c->held[i]);
    c->held_count = 0;
}

/* Drops the transfers within the code of a busy-wait. */
static void drop_wait(struct clock *c, uint16_t first, uint16_t last) {
    while (c->held_count > 0) {
        const struct clock_held *const h = &c->held[c->held_count - 1];
        if (h->from < first || h->from > last || h->to < first || h->to > last)
            break;
        c->held_count--;
    }
}

/* True if the loop may still prove to be a busy-wait. */
static bool may_wait(const struct clock *c) {
    return c->been_count > 0 && c->been_count < CLOCK_STATES;
}

/* At each boundary: nothing more happens to a sample that is complete, unless a loop may wait. */
static void complete_sample(struct sampler *s, uint64_t cycle) {
    struct clock *const c = &s->clock;
    if (!c->open || c->left > 0 || cycle < c->window_end || may_wait(c))
        return;
    keep_held(s);
    c->been_count = 0;
    c->open = false;
}

/* Moves on to the first due cycle after `cycle`. The last one until then opens a window. */
static void pass_due(struct sampler *s, uint64_t cycle) {
    struct clock *c = &s->clock;
    if (cycle < c->due)
        return;
    if (c->left == 0 && c->held_count > 0)
        keep_held(s);
    c->due += ((cycle - c->due) / c->every + 1) * c->every;
    c->window_end = c->due - c->every + s->options.window;
    c->been_count = 0;
    c->open = true;
}

/* At a boundary: windows need not wait for a transfer. */
static void open_window(struct sampler *s, uint64_t cycle) {
    if (s->options.window > 0)
        pass_due(s, cycle);
    complete_sample(s, cycle);
}

/* A transfer that starts at clock.start may be the first at or after `due`. */
static void begin_weighted(struct sampler *s, uint64_t due) {
    struct clock *const c = &s->clock;
    if (c->left > 0) {
        s->overruns++;
    } else if (c->previous + LOOKBACK >= due) {
        const uint64_t gap = c->start - c->previous;
        c->gap = (uint16_t)(gap < LOOKBACK ? gap : LOOKBACK);
        c->left = s->options.next;
    } else {
        c->open = false;
    }
}

/* A transfer that started at clock.start. insn: as for hold(). */
static void transferred(struct sampler *s, uint16_t from, uint16_t to,
                        const struct guest_insn *insn) {
    struct clock *const c = &s->clock;
    const uint64_t due = c->due;
    if (c->start >= due) {
        pass_due(s, c->start);
        if (s->options.window == 0)
            begin_weighted(s, due);
    }
    if (c->left > 0 || c->start < c->window_end)
        hold(s, from, to, insn);
    c->left -= c->left > 0;
    c->previous = c->start;
}

/* ---- busy-waits ---- */

/* True if the machine has been in exactly this state before; else remembers it. */
static bool been_here(struct clock *c, struct clock_state state) {
    const unsigned known = c->been_count < CLOCK_STATES ? c->been_count : CLOCK_STATES;
    for (unsigned i = 0; i < known; i++) {
        const struct clock_state *b = &c->been[i];
        if (b->pc == state.pc && b->a == state.a && b->x == state.x && b->y == state.y &&
            b->s == state.s && b->p == state.p)
            return true;
    }
    c->been[c->been_count++ % CLOCK_STATES] = state;
    return false;
}

/* The transfer from `from`, which ended at `cycle`, has led to this state. */
static void arrive(struct clock *c, uint16_t from, struct clock_state state, uint64_t cycle) {
    if (!c->open || from < state.pc || from - state.pc >= TRANSFER_NEAR || !been_here(c, state))
        return;
    drop_wait(c, state.pc, from);
    c->been[0] = state;
    c->been_count = c->left > 0 || cycle < c->window_end; /* what follows may wait, too */
}

/* Forgets the states if the next instruction, at `pc`, writes anything or reads a device. */
static void check_next(struct sampler *s, uint16_t pc) {
    if (s->clock.been_count == 0)
        return;
    const uint8_t bytes[3] = {nes_peek(s->nes, pc), nes_peek(s->nes, (uint16_t)(pc + 1)),
                              nes_peek(s->nes, (uint16_t)(pc + 2))};
    if (!opcode_may_wait(bytes))
        s->clock.been_count = 0;
}

/* ---- callbacks ---- */

/* The current sample is complete, and the next one is far. */
static bool is_idle(const struct sampler *s, uint64_t cycle) {
    return !s->clock.open && cycle < step_from(s);
}

/* The pending instruction is complete, and control is at `to` in this state. */
static void complete(struct sampler *s, const struct guest_insn *to, struct clock_state state,
                     uint64_t cycle) {
    const struct guest_insn *const insn = &s->clock.insn;
    s->clock.pending = false;
    if (insn->kind == INSN_PLAIN && to->address == insn->next)
        return;
    transferred(s, insn->pc, to->pc, to);
    arrive(&s->clock, insn->pc, state, cycle);
}

static void step(void *self, const struct guest_insn *insn, uint64_t cycle) {
    struct sampler *s = self;
    struct clock *c = &s->clock;
    const struct cpu_registers r = nes_registers(s->nes);
    if (c->pending)
        complete(s, insn, (struct clock_state){insn->pc, r.a, r.x, r.y, r.s, r.p}, cycle);
    if (c->been_count > 0 && !opcode_may_wait(insn->bytes))
        c->been_count = 0;
    open_window(s, cycle);
    if (is_idle(s, cycle)) {
        stop_stepping(s);
        follow_next(s);
    } else {
        c->insn = *insn;
        c->start = cycle;
        c->pending = insn->kind != INSN_JAM;
    }
}

/* One of the transfers that were followed: as step() at its beginning and at its end. */
static void follow_on(struct sampler *s, const struct transfer *t) {
    struct clock *const c = &s->clock;
    if (!t->untouched)
        c->been_count = 0;
    complete_sample(s, t->start);
    if (is_idle(s, t->start))
        return; /* before it */
    c->start = t->start;
    transferred(s, t->from, t->to, NULL);
    if (t->loops)
        arrive(c, t->from,
               (struct clock_state){t->to, t->registers.a, t->registers.x, t->registers.y,
                                    t->registers.s, t->registers.p},
               t->end);
    check_next(s, t->to);
    complete_sample(s, t->end);
}

/* In a window: all transfers are known, and the window is complete after them. */
static bool take_window(struct sampler *s, const struct followed *f) {
    enum { FEW = 8 };
    struct clock *const c = &s->clock;
    const uint64_t end = c->due + s->options.window;
    uint32_t numbers[FEW];
    if (f->count > FEW || f->transfers[f->count - 1].end < end)
        return false;
    unsigned taken = 0;
    for (; taken < f->count && f->transfers[taken].start < end; taken++) {
        const struct transfer *const t = &f->transfers[taken];
        numbers[taken] = known_number(c, t->from, t->to, bytes_in_ram(s, t->from, t->to));
        if (numbers[taken] == 0)
            return false;
    }
    for (unsigned i = 0; i < taken; i++) {
        count_kept(s, 0, false);
        s->out_of_memory |= !stream_add_again(&s->stream, numbers[i] - 1);
    }
    return true;
}

/* Weighted: the one transfer is known, or it is not to be sampled. */
static bool take_first(struct sampler *s, const struct followed *f) {
    struct clock *const c = &s->clock;
    const struct transfer *const t = f->transfers;
    const uint64_t gap = t->start - c->previous;
    if (f->count != 1 || s->options.next != 1)
        return false;
    if (c->previous + LOOKBACK < c->due)
        return true;
    const uint32_t number = known_number(c, t->from, t->to, bytes_in_ram(s, t->from, t->to));
    if (number == 0)
        return false;
    count_kept(s, (uint16_t)(gap < LOOKBACK ? gap : LOOKBACK), true);
    s->out_of_memory |= !stream_add_again(&s->stream, number - 1);
    return true;
}

/* The usual answer to follow_next(): of what was transferred from the due cycle on only numbers are noted, no busy-wait
 * can follow from it, and the next due cycle is far. Asks for that. False: it is another case. */
static bool follow_at_once(struct sampler *s, const struct followed *f) {
    struct clock *const c = &s->clock;
    const uint64_t next = c->due + c->every;
    if (f->count == 0 || c->listens || f->transfers->start < c->due ||
        nes_cycle(s->nes) + LOOKBACK >= next)
        return false;
    for (unsigned i = 0; i < f->count; i++)
        if (f->transfers[i].loops)
            return false;
    if (!(s->options.window > 0 ? take_window(s, f) : take_first(s, f)))
        return false;
    c->previous = f->transfers[f->count - 1].start;
    c->window_end = c->due + s->options.window;
    c->due = next;
    c->asked = step_from(s);
    nes_follow_again(s->nes, s->id, c->asked, c->every);
    return true;
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
    }
    complete_sample(s, now);
    if (c->stepping)
        return;
    if (c->open)
        follow_further(s);
    else
        follow_next(s);
}

/* What interrupts and skipped busy-waits have changed since follow_next(). */
static void catch_up(struct sampler *s, const struct followed *f) {
    struct clock *const c = &s->clock;
    s->frames += f->moved;
    if (!c->listens && f->due != c->due) {
        c->due = f->due;
        c->asked = step_from(s);
    }
    if (f->switched != 0)
        c->previous = f->switched;
}

/* Does what step() would have done at each instruction until now, and steps from here on if the
 * sample is not complete. */
static void followed(void *self, const struct followed *f) {
    struct sampler *s = self;
    struct clock *c = &s->clock;
    c->banks = f->banks;
    catch_up(s, f);
    if (s->out_of_memory)
        return;
    if (f->changes) {
        switched(s, f->cause == THREAD_NMI);
        return;
    }
    if (f->before != 0)
        c->previous = f->before;
    if (follow_at_once(s, f))
        return;
    for (unsigned i = 0; i < f->count; i++)
        follow_on(s, &f->transfers[i]);
    const uint64_t now = nes_cycle(s->nes);
    if (f->touched)
        c->been_count = 0;
    if (c->been_count > 0)
        check_next(s, nes_registers(s->nes).pc);
    open_window(s, now);
    if (is_idle(s, now))
        follow_next(s);
    else if (f->transfers != NULL && (f->count > 0 || now > c->asked))
        follow_further(s);
    else
        start_stepping(s);
}

/* After the instruction that is pending, an interrupt has suspended the running context. */
static void suspended(struct sampler *s, const struct thread_event *event) {
    const struct sample at = sampler_landing(s->nes, event->address);
    const struct guest_insn to = {.address = at.pc,
                                  .target = at.target,
                                  .pc = (uint16_t)at.pc,
                                  .size = at.size,
                                  .kind = at.kind,
                                  .bytes = {at.opcode}};
    const struct cpu_registers r = nes_registers(s->nes);
    const uint8_t flags = nes_peek(s->nes, STACK | (uint8_t)(event->s + 1));
    complete(s, &to, (struct clock_state){to.pc, r.a, r.x, r.y, (uint8_t)(event->s + 3), flags},
             nes_cycle(s->nes));
}

static void thread_changes(void *self, const struct thread_event *event) {
    struct sampler *s = self;
    if (event->cause == THREAD_START)
        return; /* only the sampler is attached or detached */
    if (event->change == THREAD_SUSPENDED && s->clock.pending)
        suspended(s, event);
    else if (event->change == THREAD_BEGINS || event->change == THREAD_RESUMES)
        switched(s, event->change == THREAD_BEGINS && event->cause == THREAD_NMI);
    else if (event->cause == THREAD_RESET)
        s->clock.pending = false;
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
    s->clock.phase = splitmix64(s->options.seed, 0);
    s->clock.due = nes_cycle(s->nes) + 1 + golden_place(s);
    s->clock.listens = true;
    follow_next(s);
}

const struct observer sampler_by_clock = {
    .step = step, .followed = followed, .thread = thread_changes};
