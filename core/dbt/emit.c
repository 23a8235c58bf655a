#include "dbt/emit.h"

#include <assert.h>
#include <string.h>

static void write_encoding(struct emitter *e, const struct encoding *encoding) {
    if (e->full || e->end - e->at < encoding->length) {
        e->full = true;
        return;
    }
    memcpy(e->code + e->at, encoding->bytes, encoding->length);
    e->at += encoding->length;
}

/* What an operand is, but for its number. */
static uint32_t what(const operand *o) {
    const uint32_t type = (uint32_t)o->type;
    static_assert(ZYDIS_REGISTER_MAX_VALUE < 512, "9 bits");
    switch (o->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        return type | (uint32_t)o->reg.value << 4;
    case ZYDIS_OPERAND_TYPE_MEMORY:
        return type | (uint32_t)o->mem.base << 4 | (uint32_t)o->mem.index << 13 |
               (uint32_t)o->mem.scale << 22 | (uint32_t)o->mem.size << 26;
    default:
        return type;
    }
}

static int64_t number(const operand *o) {
    return o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? o->imm.s
           : o->type == ZYDIS_OPERAND_TYPE_MEMORY  ? o->mem.displacement
                                                   : 0;
}

static struct encoding *slot_of(struct encodings *all, const struct encoding *wanted) {
    uint64_t hash = wanted->of.mnemonic;
    for (unsigned i = 0; i < 2; i++) {
        hash ^= wanted->of.what[i] ^ (uint64_t)wanted->of.value[i] << 32;
        hash *= UINT64_C(0x9E3779B97F4A7C15); /* 2^64 divided by the golden ratio */
        hash ^= hash >> 32;
    }
    return &all->at[hash % (sizeof all->at / sizeof *all->at)];
}

/* False: there is no such instruction, which is a mistake in this folder. */
static bool encode(struct encoding *to, ZydisMnemonic mnemonic, const operand *operands,
                   unsigned count, bool jump) {
    ZydisEncoderRequest request = {
        .machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
        .mnemonic = mnemonic,
        .branch_type = jump ? ZYDIS_BRANCH_TYPE_NEAR : ZYDIS_BRANCH_TYPE_NONE,
        .branch_width = jump ? ZYDIS_BRANCH_WIDTH_32 : ZYDIS_BRANCH_WIDTH_NONE,
        .operand_count = (ZyanU8)count,
    };
    for (unsigned i = 0; i < count; i++)
        request.operands[i] = operands[i];
    ZyanUSize length = sizeof to->bytes;
    const ZyanStatus status = ZydisEncoderEncodeInstruction(&request, to->bytes, &length);
    assert(ZYAN_SUCCESS(status));
    to->length = ZYAN_SUCCESS(status) ? (uint8_t)length : 0;
    return to->length != 0;
}

static void emit_any(struct emitter *e, ZydisMnemonic mnemonic, const operand *operands,
                     unsigned count, bool jump) {
    struct encoding wanted = {
        .of = {.mnemonic = mnemonic, .operands = count | (unsigned)jump << 8}};
    assert(count <= 2);
    for (unsigned i = 0; i < count; i++) {
        wanted.of.what[i] = what(&operands[i]);
        wanted.of.value[i] = number(&operands[i]);
    }
    struct encoding *const known = slot_of(e->encodings, &wanted);
    if (known->length == 0 || memcmp(&known->of, &wanted.of, sizeof wanted.of) != 0) {
        if (!encode(&wanted, mnemonic, operands, count, jump)) {
            e->full = true;
            return;
        }
        *known = wanted;
    }
    write_encoding(e, known);
}

void emit_(struct emitter *e, ZydisMnemonic mnemonic, const operand *operands, unsigned count) {
    emit_any(e, mnemonic, operands, count, false);
}

void emit_ret(struct emitter *e) {
    emit_any(e, ZYDIS_MNEMONIC_RET, NULL, 0, false);
}

uint32_t emit_jump_(struct emitter *e, ZydisMnemonic mnemonic) {
    const operand next = imm(0);
    emit_any(e, mnemonic, &next, 1, true);
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
