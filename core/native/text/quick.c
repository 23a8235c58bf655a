/* A fast decoder for the encodings of most code, for the linear sweep: length, flow and addresses
 * only. The full decoder, which takes ten times as long, does all others. A test compares the
 * two. */
#include "native/text/quick.h"

#include <string.h>

/* The bytes after an opcode. */
enum shape {
    NONE,  /* left to the decoder */
    PLAIN, /* nothing */
    MODRM,
    MODRM_MEMORY, /* no register operand: lea */
    MODRM_8,
    MODRM_32,  /* 16 bits with an operand-size prefix */
    MODRM_0_8, /* only /0 is used */
    MODRM_0_32,
    MODRM_SHIFT, /* all but /6 */
    MODRM_SHIFT_8,
    MODRM_TEST_8, /* /0 with an immediate, /2 to /7 without */
    MODRM_TEST_32,
    MODRM_INC,      /* /0 and /1 */
    MODRM_INC_PUSH, /* and /6 */
    IMMEDIATE_8,
    IMMEDIATE_32,
    IMMEDIATE_FULL, /* 64 bits with REX.W */
    JUMP_8,
    BRANCH_8,
    JUMP_32,
    CALL_32,
    BRANCH_32,
    RETURN,
    NOP_MODRM,
};

#define X4(s)  s, s, s, s
#define X8(s)  X4(s), X4(s)
#define X16(s) X8(s), X8(s)
#define ALU    X4(MODRM), IMMEDIATE_8, IMMEDIATE_32, NONE, NONE

/* clang-format off */
static const uint8_t one_byte[256] = {
    ALU, ALU,
    ALU, ALU,
    ALU, ALU,
    ALU, ALU,
    X16(NONE),
    X16(PLAIN), /* push, pop */
    NONE, NONE, NONE, MODRM, NONE, NONE, NONE, NONE,
    IMMEDIATE_32, MODRM_32, IMMEDIATE_8, MODRM_8, X4(NONE),
    X16(BRANCH_8),
    MODRM_8, MODRM_32, NONE, MODRM_8, MODRM, MODRM, NONE, NONE,
    X4(MODRM), NONE, MODRM_MEMORY, NONE, NONE,
    X8(NONE),
    PLAIN, PLAIN, X4(NONE), NONE, NONE,
    X8(NONE),
    IMMEDIATE_8, IMMEDIATE_32, X4(NONE), NONE, NONE,
    X8(IMMEDIATE_8),
    X8(IMMEDIATE_FULL),
    MODRM_SHIFT_8, MODRM_SHIFT_8, NONE, RETURN, NONE, NONE, MODRM_0_8, MODRM_0_32,
    NONE, PLAIN, X4(NONE), NONE, NONE,
    X4(MODRM_SHIFT), X4(NONE),
    X8(NONE),
    X8(NONE),
    CALL_32, JUMP_32, NONE, JUMP_8, X4(NONE),
    X4(NONE), NONE, NONE, MODRM_TEST_8, MODRM_TEST_32,
    X4(NONE), NONE, NONE, MODRM_INC, MODRM_INC_PUSH,
};

static const uint8_t after_0f[256] = {
    X16(NONE),
    MODRM, MODRM, NONE, NONE, MODRM, MODRM, NONE, NONE, X4(NONE), NONE, NONE, NONE, NOP_MODRM,
    X8(NONE), MODRM, MODRM, X4(NONE), MODRM, MODRM,
    X16(NONE),
    X16(MODRM), /* cmov */
    NONE, MODRM, NONE, NONE, MODRM, MODRM, MODRM, MODRM, MODRM, MODRM, NONE, NONE, MODRM, MODRM, MODRM, MODRM,
    X16(NONE),
    X16(NONE),
    X16(BRANCH_32),
    X16(MODRM), /* set */
    X4(NONE), X4(NONE), X4(NONE), NONE, NONE, NONE, MODRM,
    X4(NONE), NONE, NONE, MODRM, MODRM, X4(NONE), NONE, NONE, MODRM, MODRM,
    X16(NONE),
    X16(NONE),
    X16(NONE),
    X16(NONE),
};
/* clang-format on */

struct shaped {
    bool modrm, memory_only;
    unsigned registers; /* bits: the valid /reg values */
    unsigned immediate; /* bytes */
};

static bool with_modrm(enum shape shape, unsigned reg, bool narrow, struct shaped *s) {
    const unsigned word = narrow ? 2 : 4;
    *s = (struct shaped){.modrm = true, .registers = 0xff};
    switch (shape) {
    case MODRM:
    case NOP_MODRM:
        return true;
    case MODRM_MEMORY:
        s->memory_only = true;
        return true;
    case MODRM_8:
        s->immediate = 1;
        return true;
    case MODRM_32:
        s->immediate = word;
        return true;
    case MODRM_0_8:
    case MODRM_0_32:
        s->registers = 1;
        s->immediate = shape == MODRM_0_8 ? 1 : word;
        return true;
    case MODRM_SHIFT:
    case MODRM_SHIFT_8:
        s->registers = 0xbf;
        s->immediate = shape == MODRM_SHIFT_8;
        return true;
    case MODRM_TEST_8:
    case MODRM_TEST_32:
        s->registers = 0xfd;
        s->immediate = reg != 0 ? 0 : shape == MODRM_TEST_8 ? 1 : word;
        return true;
    case MODRM_INC:
        s->registers = 3;
        return true;
    case MODRM_INC_PUSH:
        s->registers = 0x43;
        return true;
    default:
        return false;
    }
}

static bool without_modrm(enum shape shape, bool narrow, bool wide, struct shaped *s) {
    *s = (struct shaped){0};
    switch (shape) {
    case PLAIN:
    case RETURN:
        return true;
    case IMMEDIATE_8:
    case JUMP_8:
    case BRANCH_8:
        s->immediate = 1;
        return true;
    case IMMEDIATE_32:
        s->immediate = narrow ? 2 : 4;
        return true;
    case IMMEDIATE_FULL:
        s->immediate = wide ? 8 : narrow ? 2 : 4;
        return true;
    case JUMP_32:
    case CALL_32:
    case BRANCH_32:
        s->immediate = 4;
        return true;
    default:
        return false;
    }
}

static uint8_t flow_of(enum shape shape) {
    switch (shape) {
    case JUMP_8:
    case JUMP_32:
        return FLOW_JUMP;
    case BRANCH_8:
    case BRANCH_32:
        return FLOW_BRANCH;
    case CALL_32:
        return FLOW_CALL;
    case RETURN:
        return FLOW_RETURN;
    default:
        return FLOW_NEXT;
    }
}

/* Size of ModRM, SIB and displacement. */
static unsigned modrm_size(const uint8_t *b) {
    unsigned mod = b[0] >> 6, rm = b[0] & 7, n = 1;
    bool sib = mod != 3 && rm == 4;
    n += sib;
    if (mod == 1)
        n += 1;
    else if (mod == 2 || (mod == 0 && (rm == 5 || (sib && (b[1] & 7) == 5))))
        n += 4;
    return n;
}

static int64_t signed_of(const uint8_t *b, unsigned n) {
    int32_t v;
    if (n == 1)
        return (int8_t)b[0];
    memcpy(&v, b, sizeof v);
    return v;
}

bool insn_quick_copy(struct insn *out, const uint8_t *b, uintptr_t at, unsigned *kind) {
    unsigned k = 0;
    bool narrow = b[0] == 0x66;
    k += narrow;
    unsigned rex = (b[k] & 0xf0) == 0x40 ? b[k] : 0;
    k += rex != 0;
    bool wide = (rex & 8) != 0, two = b[k] == 0x0f;
    k += two;
    const uint8_t opcode = b[k++];
    enum shape shape = (enum shape)(two ? after_0f[opcode] : one_byte[opcode]);
    struct shaped s;
    uint8_t flow = flow_of(shape);
    unsigned reg = b[k] >> 3 & 7, modrm = k;
    narrow = narrow && !wide;
    if (shape == NONE || (flow != FLOW_NEXT && k > (two ? 2u : 1u)))
        return false; /* prefixes change the meaning of some jumps */
    if (!with_modrm(shape, reg, narrow, &s) && !without_modrm(shape, narrow, wide, &s))
        return false;
    *out = (struct insn){
        .at = at, .bytes = b, .opcode = opcode, .flow = flow, .nop = shape == NOP_MODRM};
    *kind = (two * 256u + opcode) * 8u + (s.modrm ? reg : 0);
    if (s.modrm) {
        if ((s.registers >> reg & 1) == 0 || (s.memory_only && b[k] >> 6 == 3))
            return false;
        out->modrm_offset = (uint8_t)modrm;
        out->relative_memory = (b[k] & 0xc7) == 5;
        out->disp_offset = (uint8_t)(out->relative_memory ? modrm + 1 : 0);
        k += modrm_size(b + k);
    }
    out->length = (uint8_t)(k + s.immediate);
    if (out->relative_memory)
        out->memory = at + out->length + (uint64_t)signed_of(b + modrm + 1, 4);
    if (flow != FLOW_NEXT && s.immediate > 0)
        out->target = at + out->length + (uint64_t)signed_of(b + k, s.immediate);
    out->imm_offset = (uint8_t)(s.immediate > 0 ? k : 0);
    out->imm_size = (uint8_t)(8 * s.immediate);
    return true;
}

bool insn_quick(struct insn *out, uintptr_t at, uintptr_t end) {
    unsigned kind;
    return end - at >= QUICK_BYTES && insn_quick_copy(out, (const uint8_t *)at, at, &kind);
}

bool insn_quick_sample(unsigned kind, uint8_t bytes[QUICK_BYTES]) {
    struct insn i;
    unsigned is = 0, k = 0;
    memset(bytes, 0, QUICK_BYTES);
    if (kind >= QUICK_KINDS / 2)
        bytes[k++] = 0x0f;
    bytes[k++] = (uint8_t)(kind / 8);
    bytes[k] = (uint8_t)(kind % 8 << 3); /* with an operand in memory, which most allow */
    return insn_quick_copy(&i, bytes, 0, &is) && is == kind;
}
