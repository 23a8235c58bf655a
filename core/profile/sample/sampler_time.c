/*
 * Batches in emulated time.
 *
 * Batch k >= 0 is due at cycle ceil(k * I * 39375 / 22000) + phase + u_k. I is the interval in
 * microseconds (39375/22000 cycles are one microsecond on an NTSC NES). The jitter u_k is an
 * integer, uniform in -J..J: the upper 64 bits of splitmix64(seed, k) * (2J + 1), less J. A batch
 * that would be due before cycle 0 is due at 0. It starts at the first instruction boundary at or
 * after that cycle. If batch k-1 has not finished when k is due (its last instruction has not
 * completed), k is skipped and counted as an overrun. On a machine that has run before, batches
 * that were due before the sampler was attached do not count.
 *
 * So an instruction is sampled with a probability proportional to the cycles of the previous one,
 * including those of an interrupt or DMA. With weighting the sampler measures them: they are the
 * cycles from the start of the previous instruction to the batch's start. It steps through the last
 * LEAD cycles before the batch. If DMA takes up all of them, the machine knows when the instruction
 * before it started.
 *
 * Without weighting the machine records each batch as a trace. Most traces have been seen before.
 */
#include "profile/sample/samplers.h"

/* Cycles: more than any instruction takes, with an interrupt before it: 8 and 7, 514 for OAM DMA,
 * and 4 for each DMC fetch meanwhile, of which there are at most two (400 cycles lie between). */
enum { LONGEST_INSN = 600 };
/* Cycles: more than any two of an instruction (8), an interrupt (7) and two DMC fetches (8). */
enum { LEAD = 32 };

static uint64_t cycles_of_us(unsigned __int128 us, bool round_up) {
    if (us <= UINT32_MAX * UINT64_C(4096)) /* the usual case; avoids a long division */
        return ((uint64_t)us * 39375 + (round_up ? 21999 : 0)) / 22000;
    return (uint64_t)((us * 39375 + (round_up ? 21999 : 0)) / 22000);
}

uint64_t sampler_cycles_of_us(uint64_t us) {
    return cycles_of_us(us, false);
}

uint64_t sampler_due_cycle(const struct sampler *s, uint64_t k) {
    uint64_t due =
        cycles_of_us((unsigned __int128)k * s->options.interval_us, true) + s->options.phase_cycles;
    if (s->jitter_cycles == 0)
        return due;
    uint64_t range = 2 * s->jitter_cycles + 1;
    uint64_t moved = (uint64_t)((unsigned __int128)splitmix64(s->options.seed, k) * range >> 64);
    if (moved >= s->jitter_cycles)
        return due + (moved - s->jitter_cycles);
    uint64_t back = s->jitter_cycles - moved;
    return due > back ? due - back : 0;
}

/* The first batch that is due at or after `cycle`. */
static uint64_t batch_from(const struct sampler *s, uint64_t cycle) {
    const uint64_t late = s->options.phase_cycles + s->jitter_cycles;
    uint64_t k = 0;
    if (cycle > late) /* no earlier batch can be due */
        k = (uint64_t)((unsigned __int128)(cycle - late) * 22000 /
                       ((unsigned __int128)s->options.interval_us * 39375));
    k -= k > 0;
    while (sampler_due_cycle(s, k) < cycle)
        k++;
    return k;
}

static void note_cycles(struct sampler *s, uint64_t cycle) {
    uint64_t before = cycle - s->boundary;
    before = before == 0 ? 1 : before > UINT16_MAX ? UINT16_MAX : before;
    if (!vec_push(&s->cycles, (uint16_t)before))
        s->out_of_memory = true;
    s->waiting = false;
}

static void step(void *self, const struct guest_insn *insn, uint64_t cycle) {
    struct sampler *s = self;
    if (s->waiting) {
        if (cycle < s->due) {
            s->boundary = cycle;
            return;
        }
        note_cycles(s, cycle);
        nes_observe(s->nes, s->id, s->options.batch_length - 1);
    }
    /* The batch ends at the boundary after its last instruction. Only there are its overruns
     * known. */
    if (sampler_take(s, insn))
        nes_set_alarm(s->nes, s->id, cycle + 1);
}

/* After the alarm before a batch, no instruction is missed: either one starts before the batch, or
 * the previous one was executed cycle by cycle, because of DMA. */
static void begin_weighed(struct sampler *s, uint64_t due, uint64_t cycle) {
    const bool comes_near = s->comes_near;
    s->comes_near = !comes_near && due > cycle + LONGEST_INSN;
    if (s->comes_near) {
        nes_set_alarm(s->nes, s->id, due - LEAD);
        return;
    }
    s->waiting = true;
    s->due = due;
    s->boundary = comes_near ? nes_previous_start(s->nes) : cycle;
    nes_observe(s->nes, s->id, UINT64_MAX);
}

/* Requests batch next_batch, which is due at `due`; it must end before the following one is due, or
 * that is an overrun. */
static void record(struct sampler *s, uint64_t due) {
    s->next_due = sampler_due_cycle(s, s->next_batch + 1);
    if (!nes_record(s->nes, s->id, due, s->options.batch_length, s->next_due))
        s->out_of_memory = true;
}

static void recorded(void *self, const struct recording *r) {
    struct sampler *s = self;
    sampler_keep_recording(s, r);
    uint64_t due = s->next_due;
    for (s->next_batch++; due < r->end; due = sampler_due_cycle(s, ++s->next_batch))
        s->overruns++;
    if (!s->out_of_memory)
        record(s, due);
}

static void alarm_rings(void *self, uint64_t cycle) {
    struct sampler *s = self;
    if (s->out_of_memory)
        return;
    if (s->taken == s->options.batch_length) { /* a batch has just finished, in this very cycle */
        s->taken = 0;
        for (s->next_batch++; sampler_due_cycle(s, s->next_batch) < cycle; s->next_batch++)
            s->overruns++;
    }
    begin_weighed(s, sampler_due_cycle(s, s->next_batch), cycle);
}

uint64_t sampler_time_first(struct sampler *s) {
    s->jitter_cycles = cycles_of_us(s->options.jitter_us, false);
    s->next_batch = batch_from(s, nes_cycle(s->nes));
    return sampler_due_cycle(s, s->next_batch);
}

void sampler_time_begin(struct sampler *s) {
    const uint64_t due = sampler_time_first(s);
    if (s->options.weigh)
        nes_set_alarm(s->nes, s->id, due > LONGEST_INSN ? due - LONGEST_INSN : 0);
    else
        record(s, due);
}

const struct observer sampler_by_time = {.step = step, .alarm = alarm_rings, .recorded = recorded};
