/* Relocates an instruction. Distances always have 32 bits, so that the size does not depend on the
 * address. */
#include "native/text/relocate.h"

#include <string.h>

void emit_bytes(struct emit *e, const void *bytes, size_t n) {
    if (sizeof e->bytes - e->len < n) {
        e->full = true;
        return;
    }
    memcpy(e->bytes + e->len, bytes, n);
    e->len += n;
}

static void emit_u8(struct emit *e, unsigned byte) {
    uint8_t b = (uint8_t)byte;
    emit_bytes(e, &b, 1);
}

void emit_u32(struct emit *e, uint32_t v) {
    emit_bytes(e, &v, sizeof v);
}

void emit_distance(struct emit *e, uintptr_t target, size_t rest) {
    int64_t d = (int64_t)(target - (e->at + e->len + 4 + rest));
    if (d != (int32_t)d)
        e->far = true;
    emit_u32(e, (uint32_t)d);
}

void emit_jump(struct emit *e, uintptr_t target) {
    emit_u8(e, 0xe9); /* jmp target */
    emit_distance(e, target, 0);
}

void emit_constant(struct emit *e, struct constants *c, uint64_t value) {
    if (c->count == sizeof c->value / sizeof *c->value) {
        e->full = true;
        return;
    }
    c->value[c->count] = value;
    c->use[c->count++] = e->len;
    emit_u32(e, 0);
}

void emit_push_constant(struct emit *e, struct constants *c, uint64_t value) {
    emit_bytes(e, "\xff\x35", 2); /* push qword [rip + constant] */
    emit_constant(e, c, value);
}

void constants_place(struct emit *e, struct constants *c) {
    while (c->count > 0 && ((e->at + e->len) & 7) != 0 && !e->full)
        emit_u8(e, 0xcc);
    for (size_t i = 0; i < c->count && !e->full; i++) {
        int32_t d = (int32_t)(e->len - (c->use[i] + 4));
        memcpy(e->bytes + c->use[i], &d, sizeof d);
        emit_bytes(e, &c->value[i], sizeof c->value[i]);
    }
}

/* Copies the bytes; adjusts the distance of a RIP-relative operand. */
static void copy(struct emit *e, const struct insn *i) {
    const uint8_t *from = i->bytes;
    if (!i->relative_memory) {
        emit_bytes(e, from, i->length);
        return;
    }
    size_t behind = i->length - i->disp_offset - 4u;
    emit_bytes(e, from, i->disp_offset);
    emit_distance(e, i->memory, behind);
    emit_bytes(e, from + i->disp_offset + 4, behind);
}

/* loop, loope, loopne, jrcxz: reach 127 bytes only.
 *     loop 1f ; jmp short 2f ; 1: jmp target ; 2: */
static void loop(struct emit *e, const struct insn *i) {
    emit_bytes(e, i->bytes, i->length - 1u);
    emit_bytes(e, "\x02\xeb\x05", 3);
    emit_jump(e, i->target);
}

/* Pushes the return address of a call that becomes a jump. A call without effect keeps the processor's
 * return stack in step: without it, the returns of all callers would be mispredicted, not only this
 * one.  call 1f ; int3 ; 1: lea 8(%rsp), %rsp ; push constant(%rip) */
static void push_return(struct emit *e, struct constants *c, uintptr_t address) {
    emit_bytes(e, "\xe8\x01\x00\x00\x00\xcc\x48\x8d\x64\x24\x08", 11);
    emit_push_constant(e, c, address);
}

/* Replaces call *operand by a push of the return address and jmp *operand; an operand relative to
 * rsp moves by 8. Not for an operand in the red zone, which the push would overwrite. */
static bool call_away(struct emit *e, struct constants *c, const struct insn *i, bool pushed) {
    uint8_t b[16 + 4];
    size_t n = i->length;
    memcpy(b, i->bytes, n);
    uint8_t *modrm = b + i->modrm_offset;
    unsigned mod = *modrm >> 6, rm = *modrm & 7;
    bool rex_b = i->modrm_offset >= 2 && (b[i->modrm_offset - 2] & 0xf1) == 0x41;
    if (i->modrm_offset == 0 || modrm[-1] != 0xff || (mod == 3 && rm == 4 && !rex_b))
        return false;
    *modrm = (uint8_t)((*modrm & ~0x38) | 4 << 3);
    bool stack = mod != 3 && rm == 4 && (modrm[1] & 7) == 4 && !rex_b;
    if (stack) {
        int32_t d = insn_displacement(modrm);
        if (d < 0 || d > INT32_MAX - 8)
            return false;
        d += 8;
        *modrm = (uint8_t)((*modrm & 0x3f) | 0x80);
        memcpy(modrm + 2, &d, sizeof d);
        n = i->modrm_offset + 6u;
    }
    if (!pushed)
        push_return(e, c, i->at + i->length);
    if (i->relative_memory) {
        emit_bytes(e, b, i->disp_offset);
        emit_distance(e, i->memory, 0);
    } else {
        emit_bytes(e, b, n);
    }
    return true;
}

bool relocate(struct emit *e, struct constants *c, const struct insn *i, bool pushed) {
    switch ((enum flow)i->flow) {
    case FLOW_NEXT:
    case FLOW_RETURN:
    case FLOW_STOP:
    case FLOW_SYSTEM:
    case FLOW_JUMP_AWAY:
        copy(e, i);
        return true;
    case FLOW_JUMP:
        emit_jump(e, i->target);
        return true;
    case FLOW_BRANCH:
        emit_u8(e, 0x0f);
        emit_u8(e, 0x80u | (i->opcode & 0x0fu)); /* jcc target */
        emit_distance(e, i->target, 0);
        return true;
    case FLOW_LOOP:
        loop(e, i);
        return true;
    case FLOW_CALL:
        if (!pushed)
            push_return(e, c, i->at + i->length);
        emit_jump(e, i->target);
        return true;
    case FLOW_CALL_AWAY:
        return call_away(e, c, i, pushed);
    case FLOW_REFUSED:
        break;
    }
    return false;
}

bool can_relocate(const struct insn *i) {
    if (i->flow != FLOW_CALL_AWAY)
        return i->flow != FLOW_REFUSED;
    struct emit e = {.at = i->at};
    struct constants c = {0};
    return relocate(&e, &c, i, false);
}
