#include "native/text/decode.h"
#include "native/text/quick.h"

#include <pthread.h>
#include <string.h>

static enum flow flow_of(const ZydisDecodedInstruction *z) {
    bool relative = z->raw.imm[0].is_relative;
    switch (z->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        if (z->mnemonic == ZYDIS_MNEMONIC_XBEGIN || z->mnemonic == ZYDIS_MNEMONIC_XEND)
            return FLOW_REFUSED;
        return z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && z->opcode >= 0xe0 && z->opcode <= 0xe3
                   ? FLOW_LOOP
                   : FLOW_BRANCH;
    case ZYDIS_CATEGORY_UNCOND_BR:
        if (relative)
            return z->mnemonic == ZYDIS_MNEMONIC_JMP ? FLOW_JUMP : FLOW_REFUSED;
        return z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ? FLOW_REFUSED : FLOW_JUMP_AWAY;
    case ZYDIS_CATEGORY_CALL:
        if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
            return FLOW_REFUSED;
        return relative ? FLOW_CALL : FLOW_CALL_AWAY;
    case ZYDIS_CATEGORY_RET:
        return z->mnemonic == ZYDIS_MNEMONIC_RET && z->meta.branch_type != ZYDIS_BRANCH_TYPE_FAR
                   ? FLOW_RETURN
                   : FLOW_REFUSED;
    case ZYDIS_CATEGORY_SYSCALL:
        return FLOW_SYSTEM;
    case ZYDIS_CATEGORY_INTERRUPT:
        return FLOW_SYSTEM; /* also int3: the program's handler returns */
    default:
        break;
    }
    switch (z->mnemonic) {
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
        return FLOW_STOP;
    case ZYDIS_MNEMONIC_XBEGIN:
    case ZYDIS_MNEMONIC_XABORT:
        return FLOW_REFUSED;
    default:
        return FLOW_NEXT;
    }
}

/* Rotates and shifts by cl or 0 and repeated string instructions with count 0 write no flags. */
static bool kills_unsure(const ZydisDecodedInstruction *z) {
    switch (z->meta.category) {
    case ZYDIS_CATEGORY_SHIFT:
    case ZYDIS_CATEGORY_ROTATE:
        return true;
    default:
        return z->mnemonic == ZYDIS_MNEMONIC_SHLD || z->mnemonic == ZYDIS_MNEMONIC_SHRD ||
               (z->attributes &
                (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0;
    }
}

static bool decode(ZydisDecodedInstruction *z, const ZydisDecoder *d, ZydisDecoderContext *context,
                   const uint8_t *at, size_t most) {
    if (most > ZYDIS_MAX_INSTRUCTION_LENGTH)
        most = ZYDIS_MAX_INSTRUCTION_LENGTH;
    return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(d, context, at, most, z));
}

/* By the decoder alone. */
static bool decode_fully(struct insn *out, const ZydisDecoder *d, const uint8_t *bytes, size_t most,
                         uintptr_t at) {
    ZydisDecoderContext context;
    ZydisDecodedInstruction z;
    if (!decode(&z, d, &context, bytes, most))
        return false;
    *out = (struct insn){.at = at,
                         .bytes = bytes,
                         .length = z.length,
                         .opcode = z.opcode,
                         .flow = (uint8_t)flow_of(&z),
                         .imm_offset = z.raw.imm[0].offset,
                         .imm_size = z.raw.imm[0].size,
                         .kills_unsure = kills_unsure(&z)};
    /* 66 90 is xchg ax, ax to the decoder, and padding to compilers. */
    out->nop =
        z.mnemonic == ZYDIS_MNEMONIC_NOP || (z.length == 2 && memcmp(bytes, "\x66\x90", 2) == 0);
    if (z.cpu_flags != NULL) {
        out->flags_read = z.cpu_flags->tested;
        out->flags_written = z.cpu_flags->modified | z.cpu_flags->set_0 | z.cpu_flags->set_1 |
                             z.cpu_flags->undefined;
    }
    if (z.mnemonic == ZYDIS_MNEMONIC_PUSHF || z.mnemonic == ZYDIS_MNEMONIC_PUSHFQ ||
        z.mnemonic == ZYDIS_MNEMONIC_LAHF)
        out->flags_read = ~0u;
    if (z.raw.imm[0].is_relative)
        out->target = at + z.length + (uint64_t)z.raw.imm[0].value.s;
    if ((z.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0) {
        out->modrm_offset = z.raw.modrm.offset;
        if (z.raw.modrm.mod == 0 && z.raw.modrm.rm == 5) {
            out->relative_memory = true;
            out->disp_offset = z.raw.disp.offset;
            out->memory = at + z.length + (uint64_t)z.raw.disp.value;
            if (z.address_width != 64)
                out->flow = FLOW_REFUSED; /* eip-relative: wraps where it is, not elsewhere */
        }
    }
    return true;
}

/* What common instructions do with flags depends on their kind alone. */
struct kind_flags {
    uint32_t read, written;
    bool unsure;
};

/* Constant once they are made. */
static ZydisDecoder decoder;
static struct kind_flags kind_flags[QUICK_KINDS];
static pthread_once_t decoder_once = PTHREAD_ONCE_INIT;
static void decoder_make(void) {
    uint8_t bytes[QUICK_BYTES];
    struct insn i;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (unsigned k = 0; k < QUICK_KINDS; k++)
        if (insn_quick_sample(k, bytes) && decode_fully(&i, &decoder, bytes, sizeof bytes, 0))
            kind_flags[k] = (struct kind_flags){i.flags_read, i.flags_written, i.kills_unsure};
}

const ZydisDecoder *insn_decoder(void) {
    pthread_once(&decoder_once, decoder_make);
    return &decoder;
}

static bool decode_bytes(struct insn *out, const uint8_t *bytes, size_t most, uintptr_t at) {
    const ZydisDecoder *d = insn_decoder();
    unsigned kind;
    if (most < QUICK_BYTES || !insn_quick_copy(out, bytes, at, &kind))
        return decode_fully(out, d, bytes, most, at);
    out->flags_read = kind_flags[kind].read;
    out->flags_written = kind_flags[kind].written;
    out->kills_unsure = kind_flags[kind].unsure;
    return true;
}

bool insn_decode_fully(struct insn *out, uintptr_t at, uintptr_t end) {
    return at < end && decode_fully(out, insn_decoder(), (const uint8_t *)at, end - at, at);
}

bool insn_decode(struct insn *out, uintptr_t at, uintptr_t end) {
    return at < end && decode_bytes(out, (const uint8_t *)at, end - at, at);
}

bool insn_outline(struct insn *out, uintptr_t at, uintptr_t end) {
    return insn_quick(out, at, end) || insn_decode(out, at, end);
}

bool insn_decode_file(struct insn *out, const struct object *o, uintptr_t at) {
    return in_text(o, at) && decode_bytes(out, o->text_file + (at - o->text), o->text_end - at, at);
}

bool insn_decode_copy(struct insn *out, const uint8_t *bytes, uintptr_t at) {
    return decode_bytes(out, bytes, ZYDIS_MAX_INSTRUCTION_LENGTH, at);
}

int32_t insn_displacement(const uint8_t *modrm) {
    const unsigned mod = *modrm >> 6;
    int32_t d = 0;
    if (mod == 1)
        d = (int8_t)modrm[2];
    else if (mod == 2)
        memcpy(&d, modrm + 2, sizeof d);
    return d;
}

bool insn_uses_stack(const uint8_t *bytes) {
    const ZydisDecoder *d = insn_decoder();
    ZydisDecoderContext context;
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    if (!decode(&z, d, &context, bytes, ZYDIS_MAX_INSTRUCTION_LENGTH) ||
        !ZYAN_SUCCESS(ZydisDecoderDecodeOperands(d, &context, &z, op, z.operand_count)))
        return true;
    for (unsigned k = 0; k < z.operand_count; k++) {
        ZydisRegister r[3] = {ZYDIS_REGISTER_NONE, ZYDIS_REGISTER_NONE, ZYDIS_REGISTER_NONE};
        if (op[k].type == ZYDIS_OPERAND_TYPE_REGISTER)
            r[0] = op[k].reg.value;
        else if (op[k].type == ZYDIS_OPERAND_TYPE_MEMORY) {
            r[1] = op[k].mem.base;
            r[2] = op[k].mem.index;
        }
        for (int j = 0; j < 3; j++)
            if (ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r[j]) ==
                ZYDIS_REGISTER_RSP)
                return true;
    }
    return false;
}

uintptr_t after_endbr(const struct object *o, uintptr_t at) {
    return at + 4 <= o->text_end && memcmp((const void *)at, "\xf3\x0f\x1e\xfa", 4) == 0 ? at + 4
                                                                                         : at;
}
