/*
 * Batches by executed instructions: one in every `every` of them, so that each instruction is
 * equally likely to be sampled. Batch k begins with instruction k * every + place, counted from
 * where the sampler was attached. `place` is drawn from the seed, either once or for each batch
 * (stratified). A batch that would begin before the previous one has ended is an overrun.
 *
 * A machine's alarm is set in cycles, not in instructions. But no instruction takes less than two
 * cycles, so if n instructions are missing, at least 2 * n cycles can run safely. This is repeated
 * until few enough are left to be stepped over.
 */
#include "profile/sample/samplers.h"

enum { STEPS_MOST = 16 };

uint64_t sampler_instructions_begin_of(const struct sampler *s, uint64_t k) {
    return k * s->options.every + sampler_place(s, k);
}

static void step(void *self, const struct guest_insn *insn, uint64_t cycle) {
    struct sampler *s = self;
    if (s->to_pass > 0) {
        s->to_pass--;
        return;
    }
    if (sampler_take(s, insn))
        nes_set_alarm(s->nes, s->id, cycle + 1);
}

static void alarm_rings(void *self, uint64_t cycle) {
    struct sampler *s = self;
    if (s->out_of_memory)
        return;
    const uint64_t done = nes_instructions(s->nes) - s->start;
    if (s->taken == s->options.batch_length) {
        s->taken = 0;
        for (s->next_batch++; sampler_instructions_begin_of(s, s->next_batch) < done;
             s->next_batch++)
            s->overruns++;
    }
    const uint64_t missing = sampler_instructions_begin_of(s, s->next_batch) - done;
    if (missing > STEPS_MOST) {
        nes_set_alarm(s->nes, s->id, cycle + 2 * missing);
        return;
    }
    s->to_pass = missing;
    nes_observe(s->nes, s->id, missing + s->options.batch_length);
}

void sampler_instructions_begin(struct sampler *s) {
    nes_set_alarm(s->nes, s->id, 0);
}

const struct observer sampler_by_instructions = {.step = step, .alarm = alarm_rings};
