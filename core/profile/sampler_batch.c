/* What the ways of sampling share: the batch under way, and places in strata. */
#include "profile/samplers.h"

bool sampler_take(struct sampler *s, const struct guest_insn *insn) {
    s->batch[s->taken++] = (struct sample){
        .pc = insn->address,
        .target = insn->target,
        .size = insn->size,
        .kind = insn->kind,
        .opcode = insn->bytes[0],
    };
    if (s->taken < s->options.batch_length)
        return false;
    s->out_of_memory |= !stream_add(&s->stream, s->batch);
    return true;
}

uint64_t sampler_place(const struct sampler *s, uint64_t k) {
    const bool stratified = s->options.place == SAMPLER_STRATIFIED;
    const uint64_t draw = splitmix64(s->options.seed, stratified ? k : 0);
    return (uint64_t)((unsigned __int128)draw * s->options.every >> 64);
}
