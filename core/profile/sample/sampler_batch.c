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

struct sample sampler_landing(const struct nes *nes, uint32_t address) {
    const uint16_t pc = (uint16_t)address;
    const uint8_t bytes[3] = {nes_peek(nes, pc), nes_peek(nes, (uint16_t)(pc + 1)),
                              nes_peek(nes, (uint16_t)(pc + 2))};
    const struct opcode_info *op = opcode_info(bytes[0]);
    struct sample s = {.pc = address, .size = op->size, .kind = op->kind, .opcode = bytes[0]};
    if (op->kind == INSN_BRANCH)
        s.target = nes_code_address(nes, (uint16_t)(pc + 2 + (int8_t)bytes[1]));
    else if (op->kind == INSN_JUMP || op->kind == INSN_CALL)
        s.target = nes_code_address(nes, (uint16_t)(bytes[1] | bytes[2] << 8));
    return s;
}

uint64_t sampler_place(const struct sampler *s, uint64_t k) {
    const bool stratified = s->options.place == SAMPLER_STRATIFIED;
    const uint64_t draw = splitmix64(s->options.seed, stratified ? k : 0);
    return (uint64_t)((unsigned __int128)draw * s->options.every >> 64);
}
