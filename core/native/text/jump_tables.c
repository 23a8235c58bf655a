/* Jump tables as gcc and clang write them:
 *
 *     cmp  $last, %i ; ja default                 the bound, if the default can be reached
 *     lea  table(%rip), %b
 *     movslq (%b,%i,4), %r ; add %b, %r ; jmp *%r  distances from the table, or
 *     jmp *table(,%i,8)                            addresses
 *
 * Registers that hold addresses for other reasons (a tail call through a pointer, a computed goto)
 * lead to addresses that lie in data or are taken in code, which are targets already. */
#include "native/text/jump_tables.h"
#include "native/text/decode.h"

enum { BACK = 48, ENTRIES = 4096 };

struct full {
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
};

static bool full_decode(struct full *f, uintptr_t at) {
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(insn_decoder(), (const void *)at,
                                               ZYDIS_MAX_INSTRUCTION_LENGTH, &f->z, f->op));
}

static ZydisRegister whole(ZydisRegister r) {
    return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
}

static bool is_register(const ZydisDecodedOperand *op) {
    return op->type == ZYDIS_OPERAND_TYPE_REGISTER;
}

static bool writes(const struct full *f, ZydisRegister r) {
    for (unsigned k = 0; k < f->z.operand_count; k++)
        if (is_register(&f->op[k]) && (f->op[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0 &&
            whole(f->op[k].reg.value) == r)
            return true;
    return false;
}

/* The previous instruction; 0 at the function's start. */
static uintptr_t before(const struct object *o, const struct function *f, uintptr_t at) {
    while (at > f->start)
        if ((*mark_at(o, --at) & MARK_START) != 0)
            return at;
    return 0;
}

static bool in_fixed(const struct object *o, uintptr_t at, size_t size) {
    for (size_t i = 0; i < o->fixed.len; i++)
        if (at >= o->fixed.at[i].start && at + size <= o->fixed.at[i].end)
            return true;
    return false;
}

/* May an entry of the function's table lead to `at`: its own text, or its cold part, which is
 * another function? */
static bool may_lead(const struct object *o, const struct function *f, uintptr_t at) {
    if (at >= f->start && at < f->end)
        return (*mark_at(o, at) & (MARK_START | MARK_SWEPT)) != 0;
    return in_text(o, at) && (*mark_at(o, at) & MARK_SWEPT) != 0;
}

/* Queues the targets of `table`: at most `bound` entries (0: while they are plausible). Returns
 * their number. */
static size_t entries(struct walk *w, const struct function *f, uintptr_t table, uintptr_t origin,
                      bool distances, size_t bound) {
    size_t size = distances ? 4 : 8, n = 0;
    size_t most = bound != 0 ? bound : ENTRIES;
    for (; n < most && in_fixed(w->o, table + n * size, size); n++) {
        uintptr_t at = distances ? origin + (uint64_t)(int64_t)((const int32_t *)table)[n]
                                 : ((const uint64_t *)table)[n];
        if (!may_lead(w->o, f, at))
            break;
        walk_leader(w, at);
    }
    return n;
}

/* Notes the targets of the jump, if the whole table is known. */
static bool note_arms(struct walk *w, uintptr_t jump, uintptr_t table, size_t bound) {
    for (size_t n = 0; n < bound; n++) {
        const struct arm arm = {jump, table + (uint64_t)(int64_t)((const int32_t *)table)[n]};
        if (!seq_push(&w->o->arms, arm))
            return false;
    }
    return true;
}

struct search {
    uintptr_t jump, at;
    ZydisRegister r, base, index; /* the target; the two that are added; the index */
    ZydisRegister from;           /* the register that holds the table's address; none: r or base */
    ZydisRegister origin;         /* another one, from which the distances are; none: that one */
    bool relative;
    size_t bound;
    bool sure; /* the bound is that of a branch to another place, or of a mask */
};

/* ja, of 2 or 6 bytes */
static bool branches_above(const uint8_t *at) {
    return at[0] == 0x77 || (at[0] == 0x0f && at[1] == 0x87);
}

/* Do the instructions after a comparison ask only whether both are equal? That says nothing of others. */
static bool asks_equal(uintptr_t at) {
    bool equal = false;
    struct full i;
    for (int k = 0; k < 4 && full_decode(&i, at); k++, at += i.z.length)
        switch (i.z.mnemonic) {
        case ZYDIS_MNEMONIC_JZ:
        case ZYDIS_MNEMONIC_JNZ:
        case ZYDIS_MNEMONIC_SETZ:
        case ZYDIS_MNEMONIC_SETNZ:
        case ZYDIS_MNEMONIC_CMOVZ:
        case ZYDIS_MNEMONIC_CMOVNZ:
            equal = true;
            break;
        case ZYDIS_MNEMONIC_MOV:
        case ZYDIS_MNEMONIC_LEA:
            break;
        default: /* another condition, or other flags */
            return equal && i.z.meta.category != ZYDIS_CATEGORY_COND_BR;
        }
    return equal;
}

/* The number of entries, from cmp $last, %index before the jump; 0: unknown. */
static size_t find_bound(const struct object *o, const struct function *f, struct search s,
                         bool *sure) {
    struct full i;
    *sure = false;
    for (int k = 0; k < BACK / 2 && (s.at = before(o, f, s.at)) != 0; k++) {
        if (!full_decode(&i, s.at))
            return 0;
        if (i.z.mnemonic == ZYDIS_MNEMONIC_CMP && is_register(&i.op[0]) &&
            i.op[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && whole(i.op[0].reg.value) == s.index &&
            !asks_equal(s.at + i.z.length)) {
            *sure = branches_above((const uint8_t *)s.at + i.z.length);
            return i.op[1].imm.value.u < ENTRIES ? i.op[1].imm.value.u + 1 : 0;
        }
        if (i.z.mnemonic == ZYDIS_MNEMONIC_AND && is_register(&i.op[0]) &&
            i.op[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && whole(i.op[0].reg.value) == s.index)
            return i.op[1].imm.value.u < ENTRIES ? i.op[1].imm.value.u + 1 : 0;
        if (writes(&i, s.index)) {
            /* Follow a plain copy to its source. */
            if ((i.z.mnemonic != ZYDIS_MNEMONIC_MOV && i.z.mnemonic != ZYDIS_MNEMONIC_MOVZX &&
                 i.z.mnemonic != ZYDIS_MNEMONIC_MOVSXD) ||
                !is_register(&i.op[1]))
                return 0;
            s.index = whole(i.op[1].reg.value);
        }
    }
    return 0;
}

static bool loads_address(const struct full *i) {
    return i->z.mnemonic == ZYDIS_MNEMONIC_LEA && i->op[1].mem.base == ZYDIS_REGISTER_RIP;
}

static uintptr_t loaded_address(const struct full *i, uintptr_t at) {
    return at + i->z.length + (uint64_t)i->op[1].mem.disp.value;
}

/* What the register holds that the distances are from; 0: not known. */
static uintptr_t find_origin(const struct object *o, const struct function *f,
                             const struct search *s) {
    struct full i;
    uintptr_t at = s->jump;
    for (int k = 0; k < BACK && (at = before(o, f, at)) != 0 && full_decode(&i, at); k++)
        if (writes(&i, s->origin))
            return loads_address(&i) && whole(i.op[0].reg.value) == s->origin
                       ? loaded_address(&i, at)
                       : 0;
    return 0;
}

/* Is this lea table(%rip), for the register that holds the table's address? */
static bool loads_table(const struct full *i, const struct search *s) {
    if (!loads_address(i))
        return false;
    const ZydisRegister to = whole(i->op[0].reg.value);
    return s->from != ZYDIS_REGISTER_NONE ? to == s->from : to == s->base || to == s->r;
}

/* Finds the instruction that loads the table's address, the nearest one before the jump, else any in
 * the function, and queues the table's targets. Returns their number. */
static size_t find_relative(struct walk *w, const struct function *f, const struct search *s) {
    struct full i;
    size_t found = 0;
    const bool apart = s->origin != ZYDIS_REGISTER_NONE;
    const uintptr_t origin = apart ? find_origin(w->o, f, s) : 0;
    uintptr_t at = s->at;
    if (apart && origin == 0)
        return 0;
    for (int k = 0; k < BACK && found == 0 && (at = before(w->o, f, at)) != 0; k++)
        if (full_decode(&i, at) && loads_table(&i, s)) {
            const uintptr_t table = loaded_address(&i, at);
            found = entries(w, f, table, apart ? origin : table, true, s->bound);
            if (s->sure && !apart && found == s->bound && !note_arms(w, s->jump, table, found))
                w->failed = true;
        }
    for (at = found == 0 ? f->end : 0; (at = before(w->o, f, at)) != 0;)
        if (full_decode(&i, at) && loads_table(&i, s))
            found += entries(w, f, loaded_address(&i, at), apart ? origin : loaded_address(&i, at),
                             true, s->bound);
    return found;
}

/* A memory operand that holds the target. With an index scaled by 8 it is a table of addresses.
 * Without an index it is a pointer, whose value is in data or code: a target already. */
static bool from_memory(struct walk *w, struct function *f, struct search *s,
                        const ZydisDecodedOperand *m) {
    if (m->mem.index == ZYDIS_REGISTER_NONE)
        return true;
    s->index = whole(m->mem.index);
    s->bound = find_bound(w->o, f, *s, &s->sure);
    if (m->mem.base == ZYDIS_REGISTER_NONE && m->mem.scale == 8)
        entries(w, f, (uintptr_t)m->mem.disp.value, 0, false, s->bound);
    return m->mem.scale == 8 || m->mem.scale == 1;
}

/* Classifies the last write to s->r. */
static bool definition(struct walk *w, struct function *f, struct search *s, const struct full *i) {
    switch (i->z.mnemonic) {
    case ZYDIS_MNEMONIC_ADD:
        if (!is_register(&i->op[1]))
            return false;
        s->relative = true;
        s->base = whole(i->op[1].reg.value);
        return true;
    case ZYDIS_MNEMONIC_MOV:
        if (i->op[1].type == ZYDIS_OPERAND_TYPE_MEMORY)
            return from_memory(w, f, s, &i->op[1]);
        return true;
    case ZYDIS_MNEMONIC_LEA: /* of two registers it is a sum, too */
        if (i->op[1].mem.base != ZYDIS_REGISTER_NONE && i->op[1].mem.index != ZYDIS_REGISTER_NONE &&
            i->op[1].mem.scale == 1 && i->op[1].mem.disp.value == 0) {
            s->relative = true;
            s->r = whole(i->op[1].mem.index);
            s->base = whole(i->op[1].mem.base);
        }
        return true;
    case ZYDIS_MNEMONIC_POP:
        return true;
    default:
        /* A call's result, a conditional move of two pointers, an exchange: values, not sums. */
        return i->z.meta.category == ZYDIS_CATEGORY_CALL ||
               i->z.meta.category == ZYDIS_CATEGORY_CMOV || i->z.mnemonic == ZYDIS_MNEMONIC_XCHG ||
               i->z.mnemonic == ZYDIS_MNEMONIC_XOR;
    }
}

/* Finds the index register, from movslq (%b,%i,4), %r before the add. */
static void find_index(const struct object *o, const struct function *f, struct search *s) {
    struct full i;
    uintptr_t at = s->at;
    for (int k = 0; k < 8 && (at = before(o, f, at)) != 0; k++) {
        if (!full_decode(&i, at))
            return;
        if (i.z.mnemonic == ZYDIS_MNEMONIC_MOVSXD && i.op[1].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            (writes(&i, s->r) || writes(&i, s->base)) && i.op[1].mem.index != ZYDIS_REGISTER_NONE) {
            struct search bound = *s;
            s->from = whole(i.op[1].mem.base);
            const ZydisRegister other = writes(&i, s->r) ? s->base : s->r;
            s->origin = other != s->from ? other : ZYDIS_REGISTER_NONE;
            bound.at = at;
            bound.index = whole(i.op[1].mem.index);
            s->bound = find_bound(o, f, bound, &s->sure);
            return;
        }
    }
}

static bool find(struct walk *w, struct function *f, struct search *s) {
    struct full i;
    if (!full_decode(&i, s->jump))
        return false;
    if (!is_register(&i.op[0]))
        return from_memory(w, f, s, &i.op[0]);
    s->r = whole(i.op[0].reg.value);
    for (int k = 0; k < BACK; k++) {
        uintptr_t p = before(w->o, f, s->at);
        if (p == 0)
            return true; /* a parameter: an address that was taken */
        s->at = p;
        if (!full_decode(&i, p))
            return false;
        if (writes(&i, s->r) ||
            (i.z.meta.category == ZYDIS_CATEGORY_CALL && s->r == ZYDIS_REGISTER_RAX))
            break;
        if (k == BACK - 1)
            return false;
    }
    if (!definition(w, f, s, &i))
        return false;
    if (!s->relative)
        return true;
    find_index(w->o, f, s);
    return find_relative(w, f, s) > 0;
}

bool table_find(struct walk *w, struct function *f, uintptr_t at) {
    struct search s = {.jump = at, .at = at};
    const bool proven = find(w, f, &s);
    if ((!proven || s.relative || s.index != ZYDIS_REGISTER_NONE) &&
        !seq_push(&w->o->dispatches, at))
        w->failed = true;
    return proven;
}
