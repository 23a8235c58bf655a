/* Jumps from a block to the next, and the entries of blocks. */
#include "dbt/block/edges.h"

#include <assert.h>
#include <string.h>

uint32_t dbt_add_exit(struct translation *t, struct exit exit) {
    exit.certain = (uint8_t)t->certain;
    if (!vec_push(&t->exits->all, exit))
        t->out_of_memory = true;
    return (uint32_t)(t->exits->all.len - 1);
}

/* At `out`: mov eax, number; jmp place */
static void write_out(struct translation *t, uint32_t out, struct exit exit, uint32_t place) {
    emit_number(t->e, out + OUT_NUMBER, (int32_t)dbt_add_exit(t, exit));
    emit_bind(t->e, out + OUT_JUMP, place);
}

void emit_exit(struct translation *t, struct exit exit, uint32_t place) {
    const uint32_t out = emit_again(t->e, t->fixed->edge + EDGE_OUT, OUT_SIZE);
    write_out(t, out, exit, place);
}

/* ---- entries ---- */

/* In the byte before an entry. */
enum { HAS_BODY = 1, UNASKED_NZ = 2, UNASKED_C = 4, UNASKED_V = 8, IN_LOOP = 16 };
/* Offsets of an entry's parts. */
enum { ENTRY_BEFORE = -1, ENTRY_RESERVE = 3, ENTRY_BODY = 13 };

/* Always with a 32-bit immediate, which is overwritten later. */
static void emit_spend(struct emitter *e, int32_t spent) {
    EMIT(e, SUB, BUDGET, imm(INT32_MAX)); /* sub r12, spent */
    if (!e->full)
        memcpy(e->code + e->at - sizeof spent, &spent, sizeof spent);
}

static unsigned in_byte(unsigned unasked) {
    const unsigned nz = FLAG_N | FLAG_Z;
    return ((unasked & nz) == nz ? UNASKED_NZ : 0) | (unasked & FLAG_C ? UNASKED_C : 0) |
           (unasked & FLAG_V ? UNASKED_V : 0);
}

void emit_before_entry(struct translation *t, bool has_body, unsigned unasked, bool in_loop) {
    emit_byte(t->e,
              (uint8_t)((has_body ? HAS_BODY : 0) | in_byte(unasked) | (in_loop ? IN_LOOP : 0)));
}

bool entry_is_in_loop(const struct emitter *e, uint32_t place) {
    return e->code[place + (uint32_t)ENTRY_BEFORE] & IN_LOOP;
}

uint32_t emit_entry(struct translation *t, int reserve) {
    const uint32_t from = emit_here(t->e);
    emit_spend(t->e, reserve * (1 << BUDGET_SHIFT)); /* sub r12, reserve << 16 */
    t->uncounted.cycles = -reserve;
    const uint32_t jump = emit_jump(t->e, JL); /* jl out */
    assert(t->e->full || emit_here(t->e) == from + ENTRY_BODY);
    (void)from;
    return jump;
}

struct entry {
    uint32_t place; /* where edges jump to */
    int32_t reserve;
    unsigned unasked;
};

static struct entry body_behind(const struct emitter *e, uint32_t place, unsigned unasked) {
    struct entry entry = {.place = place + ENTRY_BODY, .unasked = unasked};
    memcpy(&entry.reserve, e->code + place + ENTRY_RESERVE, sizeof entry.reserve);
    return entry;
}

/* The entry for edge x. */
static struct entry entry_at(const struct exit *x, const struct emitter *e, uint32_t place) {
    const unsigned before = e->code[place + (uint32_t)ENTRY_BEFORE];
    if (!(before & HAS_BODY))
        return (struct entry){.place = place};
    struct entry entry = body_behind(e, place, before & (UNASKED_NZ | UNASKED_C | UNASKED_V));
    entry.place += x->loop && before & IN_LOOP ? LOOP_SIZE : 0;
    return entry;
}

void entry_replace(struct emitter *e, uint32_t place, uint32_t replacement) {
    e->at = place;
    e->end = place + ENTRY_BODY;
    e->over = true;
    emit_bind(e, emit_jump(e, JMP), replacement); /* jmp replacement */
    assert(!e->full);
}

/* ---- edges ---- */

static void settle_some(struct emitter *e, struct known_flags *f, unsigned unasked) {
    if (!(unasked & UNASKED_C))
        dbt_settle_c(e, f);
    if (!(unasked & UNASKED_NZ))
        dbt_settle_nz(e, f);
    if (!(unasked & UNASKED_V))
        dbt_settle_v(e, f);
}

/* Overwrites an edge up to its exit. Returns the offset of its displacement. */
static uint32_t write_edge(struct exit *x, struct emitter *e, const struct entry *to) {
    struct known_flags flags = x->flags;
    settle_some(e, &flags, to->unasked);     /* mov esi, ..; mov edi, .. */
    emit_spend(e, x->spent + to->reserve);   /* sub r12, spent + reserve */
    const uint32_t jump = emit_jump(e, JNL); /* jge body */
    settle_some(e, &flags, 0);               /* mov esi, ..; mov edi, .. */
    emit_spend(e, -to->reserve);             /* sub r12, -reserve */
    return jump;
}

/* Takes pending counts: the number to subtract from r12. */
static int32_t take_spent(struct translation *t) {
    const int32_t spent = t->uncounted.cycles * (1 << BUDGET_SHIFT) - t->uncounted.instructions;
    t->uncounted.cycles = t->uncounted.instructions = 0;
    dbt_settle_counts(t);
    return spent;
}

void emit_edge(struct translation *t, uint16_t pc) {
    struct emitter *const e = t->e;
    const struct loop_count *const loop = t->loop && loop_holds(t->loop, pc) ? t->loop : NULL;
    if (t->loop && !loop)
        emit_loop(e, t->loop, false);
    struct exit x = {
        .leave = LEAVE_LINK, .pc = pc, .flags = t->flags, .spent = take_spent(t), .loop = loop};
    x.from = emit_here(e);
    struct known_flags flags = x.flags;
    settle_some(e, &flags, 0); /* mov esi, ..; mov edi, .. */
    const uint32_t edge = emit_again(e, t->fixed->edge, EDGE_SIZE);
    x.jump = edge + EDGE_JUMP;
    emit_number(e, edge + EDGE_SPENT, x.spent); /* sub r12, spent */
    emit_bind(e, x.jump, edge + EDGE_UNBOUND);  /* jge unbound */
    emit_number(e, edge + EDGE_RESTORE, 0);     /* sub r12, 0 */
    x.unbound = edge + EDGE_UNBOUND;
    const uint32_t leave = loop ? edge + EDGE_SIZE : t->fixed->leave;
    write_out(t, edge + EDGE_OUT, (struct exit){.leave = LEAVE_BUDGET, .pc = pc}, leave);
    write_out(t, x.unbound, x, leave); /* unbound: */
    if (loop) {
        emit_loop(e, loop, false);
        emit_bind(e, emit_jump(e, JMP), t->fixed->leave); /* jmp leave */
    }
}

void emit_call_edge(struct translation *t, uint16_t pc, uint16_t back, int column) {
    struct emitter *const e = t->e;
    dbt_settle_c(e, &t->flags);
    dbt_settle_nz(e, &t->flags);
    dbt_settle_v(e, &t->flags);
    struct exit x = {.leave = LEAVE_LINK, .pc = pc, .calls = true, .spent = take_spent(t)};
    EMIT(e, PUSH, imm((uint16_t)(back - 1))); /* push back - 1 */
    x.from = emit_here(e);
    emit_spend(e, x.spent);                /* sub r12, spent */
    const uint32_t out = emit_jump(e, JL); /* jl out */
    x.jump = emit_jump(e, CALL);           /* call body */
    const uint32_t returned = emit_here(e);
    if (t->returns->counted && t->returns->by_jsr)
        EMIT(e, ADD, mem(8, ZYDIS_REGISTER_RAX, 8 * column), imm(1)); /* add qword [rax + ..], 1 */
    emit_edge(t, back);
    emit_bind(e, out, emit_here(e)); /* out: */
    x.restores = emit_here(e);
    emit_spend(e, 0);                              /* sub r12, -reserve */
    emit_address(e, ZYDIS_REGISTER_RAX, returned); /* lea rax, [returned] */
    EMIT(e, PUSH, REG(RAX));                       /* push rax: as if it had called */
    emit_exit(t, (struct exit){.leave = LEAVE_BUDGET, .pc = pc}, t->fixed->leave);
    emit_bind(e, x.jump, emit_here(e)); /* the unbound call leads here: */
    emit_exit(t, x, t->fixed->leave);
}

static void bind(struct exit *x, const struct emitter *e, const struct entry *to) {
    struct emitter over = *e;
    over.at = x->from;
    over.full = false;
    over.over = true;
    if (x->calls) {
        emit_spend(&over, x->spent + to->reserve); /* sub r12, spent + reserve */
        over.at = x->restores;
        emit_spend(&over, -to->reserve); /* sub r12, -reserve */
    } else {
        x->jump = write_edge(x, &over, to);
    }
    emit_bind(&over, x->jump, to->place);
    x->linked = true;
}

void edge_bind(struct exit *x, const struct emitter *e, uint32_t place) {
    const struct entry to = entry_at(x, e, place);
    x->to = place;
    bind(x, e, &to);
}

void edge_unbind(struct exit *x, const struct emitter *e) {
    bind(x, e, &(struct entry){.place = x->unbound});
    x->linked = false;
}

void edge_bind_back(struct exit *x, const struct emitter *e, uint32_t place, unsigned unasked) {
    struct entry to = body_behind(e, place, in_byte(unasked));
    to.place += x->loop ? LOOP_SIZE : 0;
    x->to = place;
    bind(x, e, &to);
}
