#include "dbt/emit.h"

#include <assert.h>
#include <string.h>

static void encode(struct emitter *e, const ZydisEncoderRequest *request) {
    ZyanUSize length = e->end - e->at;
    if (e->full || length < ZYDIS_MAX_INSTRUCTION_LENGTH) {
        e->full = true;
        return;
    }
    const ZyanStatus status = ZydisEncoderEncodeInstruction(request, e->code + e->at, &length);
    assert(ZYAN_SUCCESS(status)); /* no such instruction: a mistake in this folder */
    if (ZYAN_SUCCESS(status))
        e->at += (uint32_t)length;
    else
        e->full = true;
}

void emit_(struct emitter *e, ZydisMnemonic mnemonic, const operand *operands, unsigned count) {
    ZydisEncoderRequest request = {
        .machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
        .mnemonic = mnemonic,
        .operand_count = (ZyanU8)count,
    };
    for (unsigned i = 0; i < count; i++)
        request.operands[i] = operands[i];
    encode(e, &request);
}

void emit_ret(struct emitter *e) {
    emit_(e, ZYDIS_MNEMONIC_RET, NULL, 0);
}

uint32_t emit_jump_(struct emitter *e, ZydisMnemonic mnemonic) {
    const ZydisEncoderRequest request = {
        .machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
        .mnemonic = mnemonic,
        .branch_type = ZYDIS_BRANCH_TYPE_NEAR,
        .branch_width = ZYDIS_BRANCH_WIDTH_32,
        .operand_count = 1,
        .operands = {{.type = ZYDIS_OPERAND_TYPE_IMMEDIATE, .imm.s = 0}},
    };
    encode(e, &request);
    return e->at - 4;
}

void emit_bind(struct emitter *e, uint32_t jump, uint32_t target) {
    if (e->full)
        return;
    const int32_t displacement = (int32_t)(target - (jump + 4));
    memcpy(e->code + jump, &displacement, sizeof displacement);
}

void emit_address(struct emitter *e, ZydisRegister to, uint32_t target) {
    enum { LEA_LENGTH = 7 };
    const int64_t displacement = (int64_t)target - (e->at + LEA_LENGTH);
    const uint32_t from = e->at;
    EMIT(e, LEA, reg(to), mem(8, ZYDIS_REGISTER_RIP, displacement)); /* lea to, [rip + target] */
    assert(e->full || e->at - from == LEA_LENGTH);
    (void)from;
}
