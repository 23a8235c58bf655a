#include "dbt/host/emit.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static_assert(ZYDIS_REGISTER_MAX_VALUE < 1 << (INDEX_SHIFT - BASE_SHIFT), "of forms");

/* As Zydis has it. */
static ZydisEncoderOperand in_full(operand o) {
    const ZydisRegister base = o.form >> BASE_SHIFT & 511, index = o.form >> INDEX_SHIFT & 511;
    const unsigned scale = o.form >> SCALE_SHIFT & 7, size = o.form >> SIZE_SHIFT & 7;
    switch (o.form & OPERAND_TYPE) {
    case OPERAND_REGISTER:
        return (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_REGISTER, .reg.value = base};
    case OPERAND_MEMORY:
        return (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_MEMORY,
                                     .mem = {.base = base,
                                             .index = index,
                                             .scale = (ZyanU8)(!index  ? 0
                                                               : scale ? 2 * scale
                                                                       : 1),
                                             .displacement = o.number,
                                             .size = (ZyanU16)(size ? 2 * size : 1)}};
    default:
        return (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_IMMEDIATE, .imm.s = o.number};
    }
}

/* Finds the offsets of the numbers in an encoding. */
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
        if ((operands[i].form & OPERAND_TYPE) == OPERAND_MEMORY) {
            in->number[i].at = decoded.raw.disp.offset;
            in->number[i].size = decoded.raw.disp.size / 8;
        } else if (is_imm(operands[i])) {
            in->number[i].at = decoded.raw.imm[0].offset;
            in->number[i].size = decoded.raw.imm[0].size / 8;
        }
    }
    return true;
}

enum { JUMP = 1 << 16 }; /* with a mnemonic: near, its displacement in 32 bits */
static_assert((unsigned)ZYDIS_MNEMONIC_MAX_VALUE < JUMP, "of mnemonics");

/* False: no such instruction, a bug in this folder. */
static bool encode(struct encoding *to, const operand *operands, unsigned count) {
    const bool jump = to->mnemonic & JUMP;
    ZydisEncoderRequest request = {
        .machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
        .mnemonic = (ZydisMnemonic)(to->mnemonic & (JUMP - 1)),
        .branch_type = jump ? ZYDIS_BRANCH_TYPE_NEAR : ZYDIS_BRANCH_TYPE_NONE,
        .branch_width = jump ? ZYDIS_BRANCH_WIDTH_32 : ZYDIS_BRANCH_WIDTH_NONE,
        .operand_count = (ZyanU8)count,
    };
    for (unsigned i = 0; i < count; i++)
        request.operands[i] = in_full(operands[i]);
    ZyanUSize length = sizeof to->bytes;
    const ZyanStatus status = ZydisEncoderEncodeInstruction(&request, to->bytes, &length);
    to->length = ZYAN_SUCCESS(status) ? (uint8_t)length : 0;
    const bool ok = to->length != 0 && find_numbers(to, operands, count);
    assert(ok);
    return ok;
}

/* Copies exactly `length` bytes, inlined. */
static void copy_bytes(uint8_t *to, const uint8_t *from, unsigned length) {
    if (length >= 8) {
        memcpy(to, from, 8);
        memcpy(to + length - 8, from + length - 8, 8);
    } else if (length >= 4) {
        memcpy(to, from, 4);
        memcpy(to + length - 4, from + length - 4, 4);
    } else {
        for (unsigned i = 0; i < length; i++)
            to[i] = from[i];
    }
}

static void write_number(uint8_t *at, int64_t number, unsigned size) {
    if (size == 0)
        return;
    if (size == 1)
        *at = (uint8_t)number;
    else if (size == 4)
        memcpy(at, &number, 4);
    else
        memcpy(at, &number, size);
}

static bool is_of(const struct encoding *known, uint32_t mnemonic, uint64_t operands) {
    return known->operands == operands && known->mnemonic == mnemonic;
}

/* Looks into the other three places of a form, and encodes it if needed. NULL: cannot be
 * encoded. */
static __attribute__((noinline)) struct encoding *look_further(struct encoding *all, size_t first,
                                                               uint32_t mnemonic, operand a,
                                                               operand b, uint64_t operands) {
    struct encoding *at = &all[first];
    for (size_t i = 0; i < 4; i++) {
        struct encoding *const known = &all[first ^ i];
        if (is_of(known, mnemonic, operands))
            return known;
        if (known->length == 0) {
            at = known;
            break;
        }
    }
    const operand both[2] = {a, b};
    struct encoding wanted = {.operands = operands, .mnemonic = mnemonic};
    if (!encode(&wanted, both, !!a.form + !!b.form))
        return NULL;
    *at = wanted;
    return at;
}

enum { PLACES = sizeof((struct encodings *)0)->at / sizeof(struct encoding) };
static_assert((PLACES & (PLACES - 1)) == 0, "a power of two");

static size_t place_of(uint32_t mnemonic, uint64_t operands) {
    const uint64_t hash = (operands ^ (uint64_t)mnemonic << 42) *
                          UINT64_C(0x9E3779B97F4A7C15); /* 2^64 / golden ratio */
    return (hash >> 40) % PLACES;
}

static uint64_t operands_of(operand a, operand b) {
    return a.form | (uint64_t)b.form << 32;
}

/* The slow case: cache miss, buffer nearly full, or overwriting in place. */
static __attribute__((noinline)) void emit_carefully(struct emitter *e, uint32_t mnemonic,
                                                     operand a, operand b) {
    const uint64_t operands = operands_of(a, b);
    const size_t first = place_of(mnemonic, operands);
    const struct encoding *form = &e->encodings->at[first];
    if (!is_of(form, mnemonic, operands))
        form = look_further(e->encodings->at, first, mnemonic, a, b, operands);
    if (!form || e->end - e->at < form->length || e->full) {
        e->full = true;
        return;
    }
    uint8_t *const at = e->code + e->at;
    e->at += form->length;
    copy_bytes(at, form->bytes, form->length);
    write_number(at + form->number[0].at, a.number, form->number[0].size);
    write_number(at + form->number[1].at, b.number, form->number[1].size);
}

/* Copies the maximal length at once, if there is nothing after it to keep. */
enum { COPIED = 16 };
static_assert(offsetof(struct encoding, bytes) + COPIED <= sizeof(struct encoding), "of a form");
static_assert(COPIED >= ZYDIS_MAX_INSTRUCTION_LENGTH, "of an instruction");

static inline void write_usual_number(uint8_t *at, int64_t number, unsigned size) {
    if (size == 4)
        memcpy(at, &number, 4);
    else
        write_number(at, number, size);
}

static void emit_any(struct emitter *e, uint32_t mnemonic, operand a, operand b) {
    const uint64_t operands = operands_of(a, b);
    const struct encoding *const form = &e->encodings->at[place_of(mnemonic, operands)];
    if (!is_of(form, mnemonic, operands) || e->end - e->at < COPIED || e->full || e->over) {
        emit_carefully(e, mnemonic, a, b);
        return;
    }
    uint8_t *const at = e->code + e->at;
    e->at += form->length;
    memcpy(at, (const uint8_t *)form + offsetof(struct encoding, bytes), COPIED);
    if (form->number[0].size)
        write_usual_number(at + form->number[0].at, a.number, form->number[0].size);
    if (form->number[1].size)
        write_usual_number(at + form->number[1].at, b.number, form->number[1].size);
}

void emit_(struct emitter *e, ZydisMnemonic mnemonic, operand a, operand b) {
    emit_any(e, mnemonic, a, b);
}

void emit_ret(struct emitter *e) {
    emit_any(e, ZYDIS_MNEMONIC_RET, (operand){0}, (operand){0});
}

void emit_ret_popping(struct emitter *e, unsigned bytes) {
    emit_any(e, ZYDIS_MNEMONIC_RET, imm(bytes), (operand){0});
}

uint32_t emit_jump_(struct emitter *e, ZydisMnemonic mnemonic) {
    emit_any(e, mnemonic | JUMP, imm(0), (operand){0});
    return e->at - 4;
}

void emit_byte(struct emitter *e, uint8_t byte) {
    if (e->full || e->at == e->end)
        e->full = true;
    else
        e->code[e->at++] = byte;
}

void emit_invert(struct emitter *e, uint32_t jump) {
    if (!e->full)
        e->code[jump - 1] ^= 1; /* conditions come in pairs */
}

void emit_bind(struct emitter *e, uint32_t jump, uint32_t target) {
    if (e->full)
        return;
    const int32_t displacement = (int32_t)(target - (jump + 4));
    memcpy(e->code + jump, &displacement, sizeof displacement);
}

uint32_t emit_again(struct emitter *e, uint32_t from, unsigned size) {
    const uint32_t place = e->at;
    if (e->full || e->end - e->at < size) {
        e->full = true;
        return place;
    }
    memcpy(e->code + place, e->code + from, size);
    e->at += size;
    return place;
}

void emit_number(struct emitter *e, uint32_t at, int32_t number) {
    if (!e->full)
        memcpy(e->code + at, &number, sizeof number);
}

void emit_address(struct emitter *e, ZydisRegister to, uint32_t target) {
    enum { LEA_LENGTH = 7 };
    const int64_t displacement = (int64_t)target - (e->at + LEA_LENGTH);
    const uint32_t from = e->at;
    EMIT(e, LEA, reg(to), mem(8, ZYDIS_REGISTER_RIP, displacement)); /* lea to, [rip + target] */
    assert(e->full || e->at - from == LEA_LENGTH);
    (void)from;
}
