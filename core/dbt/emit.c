#include "dbt/emit.h"

#include <assert.h>
#include <string.h>

static int64_t number_of(const operand *o) {
    return o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? o->imm.s
           : o->type == ZYDIS_OPERAND_TYPE_MEMORY  ? o->mem.displacement
                                                   : 0;
}

/* Numbers of the same width are encoded in the same form. 0 and 1 have forms of their own: no
 * displacement, and shifts by 1. */
static uint32_t width_of(int64_t n) {
    return n == 0                      ? 0
           : n == 1                    ? 1
           : n == (int8_t)n            ? 2
           : n == (uint8_t)n           ? 3
           : n == (int16_t)n           ? 4
           : n == (int64_t)(uint16_t)n ? 5
           : n == (int32_t)n           ? 6
           : n == (int64_t)(uint32_t)n ? 7
                                       : 8;
}

/* What an operand is, but for its number. */
static uint32_t what(const operand *o) {
    const uint32_t type = (uint32_t)o->type; /* < 4 */
    const uint32_t width = width_of(number_of(o)) << 28;
    static_assert(ZYDIS_REGISTER_MAX_VALUE < 512, "9 bits");
    switch (o->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        return type | (uint32_t)o->reg.value << 3;
    case ZYDIS_OPERAND_TYPE_MEMORY: /* scale and size are at most 8 */
        return type | (uint32_t)o->mem.base << 3 | (uint32_t)o->mem.index << 12 |
               (uint32_t)(o->mem.scale / 2) << 21 | (uint32_t)(o->mem.size / 2) << 24 | width;
    default:
        return type | width;
    }
}

static struct encoding *slot_of(struct encodings *all, const struct encoding *wanted) {
    uint64_t hash = wanted->of.mnemonic ^ (uint64_t)wanted->of.what[0] << 32;
    hash = (hash ^ wanted->of.what[1]) * UINT64_C(0x9E3779B97F4A7C15); /* 2^64 / golden ratio */
    return &all->at[(hash >> 32) % (sizeof all->at / sizeof *all->at)];
}

/* Finds where the numbers are. */
static bool find_numbers(struct encoding *in, const operand *operands, unsigned count) {
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    if (!ZYAN_SUCCESS(
            ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
        !ZYAN_SUCCESS(
            ZydisDecoderDecodeInstruction(&decoder, NULL, in->bytes, in->length, &decoded)))
        return false;
    for (unsigned i = 0; i < count; i++) {
        in->number[i].at = in->number[i].size = 0;
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY) {
            in->number[i].at = decoded.raw.disp.offset;
            in->number[i].size = decoded.raw.disp.size / 8;
        } else if (operands[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
            in->number[i].at = decoded.raw.imm[0].offset;
            in->number[i].size = decoded.raw.imm[0].size / 8;
        }
    }
    return true;
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
    to->length = ZYAN_SUCCESS(status) ? (uint8_t)length : 0;
    const bool ok = to->length != 0 && find_numbers(to, operands, count);
    assert(ok);
    return ok;
}

static void write_encoding(struct emitter *e, const struct encoding *form, const operand *operands,
                           unsigned count) {
    if (e->full || e->end - e->at < form->length) {
        e->full = true;
        return;
    }
    uint8_t *const at = e->code + e->at;
    memcpy(at, form->bytes, form->length);
    for (unsigned i = 0; i < count; i++) {
        const int64_t number = number_of(&operands[i]);
        memcpy(at + form->number[i].at, &number, form->number[i].size);
    }
    e->at += form->length;
}

static void emit_any(struct emitter *e, ZydisMnemonic mnemonic, const operand *operands,
                     unsigned count, bool jump) {
    struct encoding wanted = {
        .of = {.mnemonic = mnemonic, .operands = count | (unsigned)jump << 8}};
    assert(count <= 2);
    for (unsigned i = 0; i < count; i++)
        wanted.of.what[i] = what(&operands[i]);
    struct encoding *const known = slot_of(e->encodings, &wanted);
    if (known->length == 0 || memcmp(&known->of, &wanted.of, sizeof wanted.of) != 0) {
        if (!encode(&wanted, mnemonic, operands, count, jump)) {
            e->full = true;
            return;
        }
        *known = wanted;
    }
    write_encoding(e, known, operands, count);
}

void emit_(struct emitter *e, ZydisMnemonic mnemonic, const operand *operands, unsigned count) {
    emit_any(e, mnemonic, operands, count, false);
}

void emit_ret(struct emitter *e) {
    emit_any(e, ZYDIS_MNEMONIC_RET, NULL, 0, false);
}

void emit_ret_popping(struct emitter *e, unsigned bytes) {
    const operand more = imm(bytes);
    emit_any(e, ZYDIS_MNEMONIC_RET, &more, 1, false);
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
