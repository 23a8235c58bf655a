/* Shared by all sampling methods: the current batch, and positions in strata. */
#include "profile/sample/samplers.h"

void sampler_keep(struct sampler *s) {
    const uint16_t cycles = s->cycles.len > 0 ? s->cycles.at[s->cycles.len - 1] : 0;
    if (s->options.take == NULL) {
        s->out_of_memory |= !stream_add(&s->stream, s->batch);
        return;
    }
    s->out_of_memory |= !s->options.take(s->options.user, s->batch, cycles);
    s->cycles.len = 0;
}

bool sampler_take_some(struct sampler *s, const struct guest_insn *insns, uint32_t count) {
    struct sample *const at = &s->batch[s->taken];
    for (uint32_t i = 0; i < count; i++)
        at[i] = (struct sample){
            .pc = insns[i].address,
            .target = insns[i].target,
            .size = insns[i].size,
            .kind = insns[i].kind,
            .opcode = insns[i].bytes[0],
        };
    s->taken += count;
    if (s->taken < s->options.batch_length)
        return false;
    sampler_keep(s);
    return true;
}

bool sampler_take(struct sampler *s, const struct guest_insn *insn) {
    return sampler_take_some(s, insn, 1);
}

uint64_t sampler_place(const struct sampler *s, uint64_t k) {
    const bool stratified = s->options.place == SAMPLER_STRATIFIED;
    const uint64_t draw = splitmix64(s->options.seed, stratified ? k : 0);
    return (uint64_t)((unsigned __int128)draw * s->options.every >> 64);
}
