/* Executes translated code in software. */
#include "dbt/host/step.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

enum { FORMS = 1 << 16, HELPER_STACK = 512, LONGEST = 16 };
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, REGISTERS = 16, NO_REGISTER = REGISTERS };

enum what {
    DO_MOV,
    DO_MOVSX,
    DO_LEA,
    DO_ADD,
    DO_ADC,
    DO_SUB,
    DO_SBB,
    DO_CMP,
    DO_AND,
    DO_TEST,
    DO_OR,
    DO_XOR,
    DO_INC,
    DO_DEC,
    DO_NOT,
    DO_NEG,
    DO_SHL,
    DO_SHR,
    DO_SAR,
    DO_RCL,
    DO_RCR,
    DO_CMC,
    DO_SET,
    DO_JCC,
    DO_JMP,
    DO_CALL,
    DO_RET,
    DO_PUSH,
    DO_POP,
};

struct part {
    enum { NOTHING, REGISTER, MEMORY, NUMBER } type;
    uint8_t size;                      /* bytes */
    uint8_t base, index, scale, shift; /* shift: 8 for AH, BH, CH, DH */
    int64_t number;                    /* a displacement too; of relative jumps the target */
};

struct step_form {
    const uint8_t *at; /* NULL: empty */
    uint8_t bytes[LONGEST];
    uint8_t length;
    uint8_t what, condition; /* enum what; as in the opcode of Jcc */
    struct part a, b;
};

struct host {
    uint64_t r[REGISTERS + 1]; /* the last one is 0 */
    bool c, z, s, o;
};

/* ---- decoding ---- */

static const struct {
    ZydisMnemonic mnemonic;
    enum what what;
    uint8_t condition;
} known[] = {
    {ZYDIS_MNEMONIC_MOV, DO_MOV, 0},     {ZYDIS_MNEMONIC_MOVZX, DO_MOV, 0},
    {ZYDIS_MNEMONIC_MOVSX, DO_MOVSX, 0}, {ZYDIS_MNEMONIC_MOVSXD, DO_MOVSX, 0},
    {ZYDIS_MNEMONIC_LEA, DO_LEA, 0},     {ZYDIS_MNEMONIC_ADD, DO_ADD, 0},
    {ZYDIS_MNEMONIC_ADC, DO_ADC, 0},     {ZYDIS_MNEMONIC_SUB, DO_SUB, 0},
    {ZYDIS_MNEMONIC_SBB, DO_SBB, 0},     {ZYDIS_MNEMONIC_CMP, DO_CMP, 0},
    {ZYDIS_MNEMONIC_AND, DO_AND, 0},     {ZYDIS_MNEMONIC_TEST, DO_TEST, 0},
    {ZYDIS_MNEMONIC_OR, DO_OR, 0},       {ZYDIS_MNEMONIC_XOR, DO_XOR, 0},
    {ZYDIS_MNEMONIC_INC, DO_INC, 0},     {ZYDIS_MNEMONIC_DEC, DO_DEC, 0},
    {ZYDIS_MNEMONIC_NOT, DO_NOT, 0},     {ZYDIS_MNEMONIC_NEG, DO_NEG, 0},
    {ZYDIS_MNEMONIC_SHL, DO_SHL, 0},     {ZYDIS_MNEMONIC_SHR, DO_SHR, 0},
    {ZYDIS_MNEMONIC_SAR, DO_SAR, 0},     {ZYDIS_MNEMONIC_RCL, DO_RCL, 0},
    {ZYDIS_MNEMONIC_RCR, DO_RCR, 0},     {ZYDIS_MNEMONIC_CMC, DO_CMC, 0},
    {ZYDIS_MNEMONIC_JMP, DO_JMP, 0},     {ZYDIS_MNEMONIC_CALL, DO_CALL, 0},
    {ZYDIS_MNEMONIC_RET, DO_RET, 0},     {ZYDIS_MNEMONIC_PUSH, DO_PUSH, 0},
    {ZYDIS_MNEMONIC_POP, DO_POP, 0},     {ZYDIS_MNEMONIC_JO, DO_JCC, 0},
    {ZYDIS_MNEMONIC_JNO, DO_JCC, 1},     {ZYDIS_MNEMONIC_JB, DO_JCC, 2},
    {ZYDIS_MNEMONIC_JNB, DO_JCC, 3},     {ZYDIS_MNEMONIC_JZ, DO_JCC, 4},
    {ZYDIS_MNEMONIC_JNZ, DO_JCC, 5},     {ZYDIS_MNEMONIC_JBE, DO_JCC, 6},
    {ZYDIS_MNEMONIC_JNBE, DO_JCC, 7},    {ZYDIS_MNEMONIC_JS, DO_JCC, 8},
    {ZYDIS_MNEMONIC_JNS, DO_JCC, 9},     {ZYDIS_MNEMONIC_JL, DO_JCC, 12},
    {ZYDIS_MNEMONIC_JNL, DO_JCC, 13},    {ZYDIS_MNEMONIC_JLE, DO_JCC, 14},
    {ZYDIS_MNEMONIC_JNLE, DO_JCC, 15},   {ZYDIS_MNEMONIC_SETO, DO_SET, 0},
    {ZYDIS_MNEMONIC_SETNO, DO_SET, 1},   {ZYDIS_MNEMONIC_SETB, DO_SET, 2},
    {ZYDIS_MNEMONIC_SETNB, DO_SET, 3},   {ZYDIS_MNEMONIC_SETZ, DO_SET, 4},
    {ZYDIS_MNEMONIC_SETNZ, DO_SET, 5},   {ZYDIS_MNEMONIC_SETBE, DO_SET, 6},
    {ZYDIS_MNEMONIC_SETNBE, DO_SET, 7},  {ZYDIS_MNEMONIC_SETS, DO_SET, 8},
    {ZYDIS_MNEMONIC_SETNS, DO_SET, 9},   {ZYDIS_MNEMONIC_SETL, DO_SET, 12},
    {ZYDIS_MNEMONIC_SETNL, DO_SET, 13},  {ZYDIS_MNEMONIC_SETLE, DO_SET, 14},
    {ZYDIS_MNEMONIC_SETNLE, DO_SET, 15},
};

static uint8_t number_of(ZydisRegister r) {
    if (r == ZYDIS_REGISTER_NONE || r == ZYDIS_REGISTER_RIP)
        return NO_REGISTER;
    return (uint8_t)(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r) -
                     ZYDIS_REGISTER_RAX);
}

static struct part part_of(const ZydisDecodedOperand *o, const uint8_t *next) {
    struct part p = {.size = (uint8_t)(o->size / 8), .base = NO_REGISTER, .index = NO_REGISTER};
    switch (o->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        p.type = REGISTER;
        p.base = number_of(o->reg.value);
        p.shift = o->reg.value >= ZYDIS_REGISTER_AH && o->reg.value <= ZYDIS_REGISTER_BH ? 8 : 0;
        break;
    case ZYDIS_OPERAND_TYPE_MEMORY:
        p.type = MEMORY;
        p.base = number_of(o->mem.base);
        p.index = number_of(o->mem.index);
        p.scale = o->mem.scale;
        p.number = o->mem.disp.has_displacement ? o->mem.disp.value : 0;
        if (o->mem.base == ZYDIS_REGISTER_RIP)
            p.number += (int64_t)(uintptr_t)next;
        break;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        p.type = NUMBER;
        p.number = o->imm.is_signed ? o->imm.value.s : (int64_t)o->imm.value.u;
        if (o->imm.is_relative)
            p.number += (int64_t)(uintptr_t)next;
        break;
    default:
        break;
    }
    return p;
}

static void decode(struct step_form *f, const uint8_t *at) {
    ZydisDecoder decoder;
    ZydisDecodedInstruction in;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, at, LONGEST - 1, &in, operands)))
        abort(); /* nobody here emits it */
    *f = (struct step_form){.at = at, .length = in.length};
    memcpy(f->bytes, at, in.length);
    unsigned i = 0;
    while (i < sizeof known / sizeof *known && known[i].mnemonic != in.mnemonic)
        i++;
    if (i == sizeof known / sizeof *known)
        abort(); /* nobody here emits it */
    f->what = (uint8_t)known[i].what;
    f->condition = known[i].condition;
    if (in.operand_count_visible > 0)
        f->a = part_of(&operands[0], at + in.length);
    if (in.operand_count_visible > 1)
        f->b = part_of(&operands[1], at + in.length);
}

/* Code is overwritten when blocks are chained. */
static const struct step_form *form_at(struct stepper *s, const uint8_t *at) {
    struct step_form *const f = &s->forms[(uintptr_t)at % FORMS];
    if (f->at != at || memcmp(f->bytes, at, f->length) != 0)
        decode(f, at);
    return f;
}

/* ---- operands ---- */

static uint64_t mask_of(unsigned size) {
    return size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

static uint64_t address_of(const struct host *h, const struct part *p) {
    return h->r[p->base] + h->r[p->index] * p->scale + (uint64_t)p->number;
}

static uint64_t load(uint64_t address, unsigned size) {
    uint64_t value = 0;
    memcpy(&value, (const void *)(uintptr_t)address, size);
    return value;
}

static void store(uint64_t address, uint64_t value, unsigned size) {
    memcpy((void *)(uintptr_t)address, &value, size);
}

static uint64_t get(const struct host *h, const struct part *p, uint64_t mask) {
    switch (p->type) {
    case REGISTER:
        return h->r[p->base] >> p->shift & mask_of(p->size) & mask;
    case MEMORY:
        return load(address_of(h, p), p->size) & mask;
    default:
        return (uint64_t)p->number & mask;
    }
}

static void put(struct host *h, const struct part *p, uint64_t value) {
    if (p->type == MEMORY) {
        store(address_of(h, p), value, p->size);
    } else if (p->size >= 4) {
        h->r[p->base] = value & mask_of(p->size);
    } else {
        const uint64_t mask = mask_of(p->size) << p->shift;
        h->r[p->base] = (h->r[p->base] & ~mask) | (value << p->shift & mask);
    }
}

static uint64_t sign_extended(uint64_t value, unsigned size) {
    const unsigned unused = 64 - 8 * size;
    return (uint64_t)((int64_t)(value << unused) >> unused);
}

static void push(struct host *h, uint64_t value) {
    h->r[RSP] -= 8;
    store(h->r[RSP], value, 8);
}

static uint64_t pop(struct host *h) {
    const uint64_t value = load(h->r[RSP], 8);
    h->r[RSP] += 8;
    return value;
}

/* ---- instructions ---- */

static void set_result(struct host *h, uint64_t result, unsigned size) {
    h->z = result == 0;
    h->s = result >> (8 * size - 1) & 1;
}

static uint64_t add(struct host *h, uint64_t a, uint64_t b, bool carry, unsigned size) {
    const uint64_t result = (a + b + carry) & mask_of(size);
    h->c = result < a || (carry && result == a);
    h->o = ((a ^ result) & (b ^ result)) >> (8 * size - 1) & 1;
    set_result(h, result, size);
    return result;
}

static uint64_t subtract(struct host *h, uint64_t a, uint64_t b, bool borrow, unsigned size) {
    const uint64_t result = (a - b - borrow) & mask_of(size);
    h->c = a < b || (borrow && a == b);
    h->o = ((a ^ b) & (a ^ result)) >> (8 * size - 1) & 1;
    set_result(h, result, size);
    return result;
}

static uint64_t logic(struct host *h, uint64_t result, unsigned size) {
    h->c = h->o = false;
    set_result(h, result, size);
    return result;
}

static uint64_t shift(struct host *h, enum what what, uint64_t a, unsigned by, unsigned size) {
    const unsigned bits = 8 * size;
    const uint64_t before = a;
    by &= size == 8 ? 63 : 31;
    if (by == 0)
        return a;
    for (unsigned i = 0; i < by; i++) {
        const bool out = what == DO_SHL || what == DO_RCL ? a >> (bits - 1) & 1 : a & 1;
        switch (what) {
        case DO_SHL:
            a = a << 1;
            break;
        case DO_SHR:
            a = a >> 1;
            break;
        case DO_SAR:
            a = a >> 1 | (a & UINT64_C(1) << (bits - 1));
            break;
        case DO_RCL:
            a = a << 1 | h->c;
            break;
        default: /* RCR */
            a = a >> 1 | (uint64_t)h->c << (bits - 1);
            break;
        }
        a &= mask_of(size);
        h->c = out;
    }
    const bool top = a >> (bits - 1) & 1;
    h->o = what == DO_SHL || what == DO_RCL ? top ^ h->c : top ^ (before >> (bits - 1) & 1);
    if (what != DO_RCL && what != DO_RCR)
        set_result(h, a, size);
    return a;
}

static bool holds(const struct host *h, unsigned condition) {
    const bool of[] = {h->o, h->c,  h->z,         h->c || h->z,
                       h->s, false, h->s != h->o, h->z || h->s != h->o};
    return of[condition >> 1] != (condition & 1);
}

/* Calculations: dst = dst op src. */
static void calculate(struct host *h, const struct step_form *f) {
    const unsigned size = f->a.size;
    const uint64_t mask = mask_of(size), a = get(h, &f->a, mask), b = get(h, &f->b, mask);
    const bool carry = h->c;
    switch ((enum what)f->what) {
    case DO_ADD:
        put(h, &f->a, add(h, a, b, false, size));
        break;
    case DO_ADC:
        put(h, &f->a, add(h, a, b, carry, size));
        break;
    case DO_SUB:
        put(h, &f->a, subtract(h, a, b, false, size));
        break;
    case DO_SBB:
        put(h, &f->a, subtract(h, a, b, carry, size));
        break;
    case DO_CMP:
        subtract(h, a, b, false, size);
        break;
    case DO_AND:
        put(h, &f->a, logic(h, a & b, size));
        break;
    case DO_TEST:
        logic(h, a & b, size);
        break;
    case DO_OR:
        put(h, &f->a, logic(h, a | b, size));
        break;
    case DO_XOR:
        put(h, &f->a, logic(h, a ^ b, size));
        break;
    case DO_INC:
        put(h, &f->a, add(h, a, 1, false, size));
        h->c = carry;
        break;
    case DO_DEC:
        put(h, &f->a, subtract(h, a, 1, false, size));
        h->c = carry;
        break;
    case DO_NOT:
        put(h, &f->a, ~a & mask);
        break;
    case DO_NEG:
        put(h, &f->a, subtract(h, 0, a, false, size));
        break;
    default:
        put(h, &f->a, shift(h, (enum what)f->what, a, (unsigned)b, size));
        break;
    }
}

/* A C function: the host executes it. */
static void call_helper(struct host *h, uint64_t target) {
    uint64_t (*const helper)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t) =
        (uint64_t(*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(uintptr_t)target;
    h->r[RAX] = helper(h->r[RDI], h->r[RSI], h->r[RDX], h->r[RCX], h->r[R8], h->r[R9]);
}

/* Executes one instruction at `at`; returns the next one's address. */
static const uint8_t *execute(struct host *h, const struct step_form *f,
                              const struct cache *cache) {
    const uint8_t *const next = f->at + f->length;
    switch ((enum what)f->what) {
    case DO_MOV:
        put(h, &f->a, get(h, &f->b, UINT64_MAX));
        return next;
    case DO_MOVSX:
        put(h, &f->a, sign_extended(get(h, &f->b, UINT64_MAX), f->b.size));
        return next;
    case DO_LEA:
        put(h, &f->a, address_of(h, &f->b));
        return next;
    case DO_CMC:
        h->c = !h->c;
        return next;
    case DO_SET:
        put(h, &f->a, holds(h, f->condition));
        return next;
    case DO_PUSH:
        push(h, get(h, &f->a, UINT64_MAX));
        return next;
    case DO_POP:
        put(h, &f->a, pop(h));
        return next;
    case DO_JCC:
        return holds(h, f->condition) ? (const uint8_t *)(uintptr_t)f->a.number : next;
    case DO_JMP:
        return (const uint8_t *)(uintptr_t)get(h, &f->a, UINT64_MAX);
    case DO_RET: {
        const uint64_t target = pop(h);
        h->r[RSP] += f->a.type == NUMBER ? (uint64_t)f->a.number : 0;
        return (const uint8_t *)(uintptr_t)target;
    }
    case DO_CALL: {
        const uint64_t target = get(h, &f->a, UINT64_MAX);
        if (target - (uintptr_t)cache->run >= cache->size) {
            call_helper(h, target);
            return next;
        }
        push(h, (uintptr_t)next);
        return (const uint8_t *)(uintptr_t)target;
    }
    default:
        calculate(h, f);
        return next;
    }
}

uint32_t step_enter(struct stepper *s, const struct cache *cache, uint32_t enter, void *frame,
                    const void *code) {
    uint64_t stack[HELPER_STACK / 8] __attribute__((aligned(16)));
    struct host h = {0};
    h.r[RDI] = (uintptr_t)frame;
    h.r[RSI] = (uintptr_t)code;
    h.r[RSP] = (uintptr_t)(stack + HELPER_STACK / 8);
    push(&h, 0); /* returning to address 0 ends it */
    for (const uint8_t *at = cache->run + enter; at; s->executed++)
        at = execute(&h, form_at(s, at), cache);
    return (uint32_t)h.r[RAX];
}

bool stepper_open(struct stepper *s) {
    s->forms = calloc(FORMS, sizeof *s->forms);
    return s->forms != NULL;
}

void stepper_close(struct stepper *s) {
    free(s->forms);
    s->forms = NULL;
}
