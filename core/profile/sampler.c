/*
 * sampler: batches of consecutive executed instructions, in emulated time.
 *
 * Batch k >= 0 is due at cycle ceil(k * I * 39375 / 22000) + phase + u_k, with the interval I in
 * microseconds (39375/22000 cycles are one microsecond on an NTSC NES) and the jitter u_k, an
 * integer uniform in -J..J: the upper 64 bits of splitmix64(seed, k) * (2J + 1), less J. A batch
 * that would be due before cycle 0 is due at 0. It starts at the first instruction boundary from
 * then on. If batch k-1 had not finished when k was due (its last instruction had not completed), k
 * is skipped and counted as an overrun.
 */
#include "profile/profile.h"

#include <stdlib.h>

struct sampler {
    struct nes *nes;
    unsigned id;
    struct sampler_options options;
    uint64_t jitter_cycles;
    uint64_t next_batch; /* k of the batch that alarm() waits for */
    unsigned
        taken; /* samples of the batch under way; batch_length: its last instruction is executing */
    uint64_t overruns;
    VEC(struct sample) samples;
    bool out_of_memory;
};

static uint64_t cycles_of_us(unsigned __int128 us, bool round_up) {
    return (uint64_t)((us * 39375 + (round_up ? 21999 : 0)) / 22000);
}

static uint64_t due_cycle(const struct sampler *s, uint64_t k) {
    uint64_t due =
        cycles_of_us((unsigned __int128)k * s->options.interval_us, true) + s->options.phase_cycles;
    uint64_t range = 2 * s->jitter_cycles + 1;
    uint64_t moved = (uint64_t)((unsigned __int128)splitmix64(s->options.seed, k) * range >> 64);
    if (moved >= s->jitter_cycles)
        return due + (moved - s->jitter_cycles);
    uint64_t back = s->jitter_cycles - moved;
    return due > back ? due - back : 0;
}

static void step(void *self, const struct guest_insn *insn, uint64_t cycle) {
    struct sampler *s = self;
    struct sample sample = {
        .pc = insn->address,
        .target = insn->target,
        .size = insn->size,
        .kind = insn->kind,
        .opcode = insn->bytes[0],
    };
    if (!vec_push(&s->samples, sample))
        s->out_of_memory = true;
    /* The batch ends at the boundary behind its last instruction, and only there it is known what
     * was overrun. */
    if (++s->taken == s->options.batch_length)
        nes_set_alarm(s->nes, s->id, cycle + 1);
}

static void alarm_rings(void *self, uint64_t cycle) {
    struct sampler *s = self;
    if (s->out_of_memory)
        return;
    if (s->taken == s->options.batch_length) { /* a batch has just finished, at this very cycle */
        s->taken = 0;
        for (s->next_batch++; due_cycle(s, s->next_batch) < cycle; s->next_batch++)
            s->overruns++;
    }
    uint64_t due = due_cycle(s, s->next_batch);
    if (due > cycle)
        nes_set_alarm(s->nes, s->id, due);
    else
        nes_observe(s->nes, s->id, s->options.batch_length);
}

enum status sampler_attach(struct sampler **out, struct nes *nes, struct sampler_options options,
                           struct error *e) {
    *out = NULL;
    if (options.interval_us == 0)
        options.interval_us = 3000;
    if (options.batch_length == 0)
        options.batch_length = 25;
    if (options.interval_us > 3600u * 1000000u || options.jitter_us > 3600u * 1000000u)
        return error_set(e, STATUS_ARGUMENT, "a sampling interval or jitter is at most one hour");
    if (options.batch_length > 65536)
        return error_set(e, STATUS_ARGUMENT, "a batch is at most 65536 instructions, not %u",
                         options.batch_length);
    struct sampler *s = calloc(1, sizeof *s);
    if (s == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for a sampler");
    s->nes = nes;
    s->options = options;
    s->jitter_cycles = cycles_of_us(options.jitter_us, false);
    const struct observer observer = {.self = s, .step = step, .alarm = alarm_rings};
    enum status status = nes_attach(nes, &observer, &s->id, e);
    if (status != STATUS_OK) {
        free(s);
        return status;
    }
    nes_set_alarm(nes, s->id, due_cycle(s, 0));
    *out = s;
    return STATUS_OK;
}

enum status sampler_finish(struct sampler *s, struct stream *out, struct error *e) {
    *out = (struct stream){0};
    enum status status = STATUS_OK;
    if (s->out_of_memory) {
        status = error_set(e, STATUS_MEMORY, "out of memory after %zu samples", s->samples.len);
    } else {
        out->batch_length = s->options.batch_length;
        out->batch_count = s->samples.len / s->options.batch_length;
        out->overruns = s->overruns;
        out->samples = s->samples.at;
        s->samples.at = NULL;
    }
    sampler_free(s);
    return status;
}

void sampler_free(struct sampler *s) {
    if (s == NULL)
        return;
    nes_detach(s->nes, s->id);
    vec_free(&s->samples);
    free(s);
}
