/* Stubs, flags and pending counts of a block during its translation. */
#include "dbt/lower/translation.h"

#include <assert.h>

#include "nes/cpu/cpu_exec.h"

struct stub *dbt_add_stub(struct translation *t, uint32_t jump, int kind) {
    struct stub *const s = &t->stubs[t->stub_count];
    if (t->stub_count + 1 < STUBS)
        t->stub_count++;
    else
        t->e->full = true;
    *s = (struct stub){.jump = jump,
                       .flags = t->flags,
                       .uncounted = t->uncounted,
                       .op = t->op,
                       .kind = kind,
                       .loop = t->loop,
                       .announced = t->announced};
    return s;
}

void dbt_leave_to_step(struct translation *t, uint32_t jump) {
    dbt_add_stub(t, jump, STUB_SLOW);
}

void dbt_settle_c(struct emitter *e, struct known_flags *f) {
    if (f->c != C_HERE)
        EMIT(e, MOV, C32, imm(f->c == C_IS_1)); /* mov edi, 0 or 1; leaves the host's flags */
    f->c = C_HERE;
}

void dbt_settle_nz(struct emitter *e, struct known_flags *f) {
    if (f->nz == NZ_IS_A || f->nz == NZ_IS_A_LESS)
        EMIT(e, MOV, NZ32, A32); /* mov esi, r8d */
    else if (f->nz == NZ_IS_X || f->nz == NZ_IS_X_LESS)
        EMIT(e, MOV, NZ32, X32); /* mov esi, r9d */
    else if (f->nz == NZ_IS_Y || f->nz == NZ_IS_Y_LESS)
        EMIT(e, MOV, NZ32, Y32); /* mov esi, r10d */
    else if (f->nz == NZ_IS_ZERO_PAGE)
        EMIT(e, MOVZX, NZ32, MEMORY(f->number)); /* movzx esi, byte [nes + ram + number] */
    if (f->nz == NZ_IS_BIT) {
        EMIT(e, MOV, NZ32, V32);     /* mov esi, ebp */
        EMIT(e, SHL, NZ32, imm(8));  /* shl esi, 8 */
        EMIT(e, MOV, REG(EAX), V32); /* mov eax, ebp */
        EMIT(e, AND, REG(EAX), A32); /* and eax, r8d */
        EMIT(e, OR, NZ32, REG(EAX)); /* or esi, eax */
    }
    if (f->nz >= NZ_IS_A_LESS)
        EMIT(e, SUB, NZ8, imm8(f->number)); /* sub sil, number */
    f->nz = NZ_HERE;
}

void dbt_settle_v(struct emitter *e, struct known_flags *f) {
    if (f->v == V_HERE)
        return;
    if (f->nz == NZ_IS_BIT)
        dbt_settle_nz(e, f);
    EMIT(e, AND, V32, imm(P_V)); /* and ebp, 40h */
    f->v = V_HERE;
}

/* Debits the budget (r12). */
static void spend(struct translation *t, int cycles, int instructions) {
    const int64_t spent = (int64_t)cycles * (1 << BUDGET_SHIFT) - instructions;
    if (spent)
        EMIT(t->e, SUB, BUDGET, imm(spent)); /* sub r12, (cycles << 16) - instructions */
}
static_assert(SUPERBLOCK_LONGEST * 16 < 1 << (31 - BUDGET_SHIFT), "32 bits");

void dbt_settle_counts(struct translation *t) {
    struct uncounted *const u = &t->uncounted;
    spend(t, u->cycles, u->instructions);
    for (unsigned i = 0; t->nes->observed.watched && i < NES_OBSERVERS; i++)
        if (u->fired[i])
            EMIT(t->e, ADD, mem(8, NES, (int64_t)offsetof(struct nes, observed.fired) + 8 * i),
                 imm(u->fired[i])); /* add qword [nes + fired + i*8], count */
    *u = (struct uncounted){0};
    forget_host_flags(t);
}

void dbt_restore_counts(struct translation *t, const struct uncounted *u) {
    spend(t, -u->cycles, -u->instructions);
    for (unsigned i = 0; i < NES_OBSERVERS; i++)
        if (u->fired[i])
            EMIT(t->e, SUB, mem(8, NES, (int64_t)offsetof(struct nes, observed.fired) + 8 * i),
                 imm(u->fired[i])); /* sub qword [nes + fired + i*8], count */
}

void dbt_settle(struct translation *t) {
    dbt_settle_c(t->e, &t->flags);
    dbt_settle_nz(t->e, &t->flags);
    dbt_settle_v(t->e, &t->flags);
    dbt_settle_counts(t);
}

void dbt_log(struct translation *t, int64_t what) {
    EMIT(t->e, PUSH, BUDGET);            /* push r12 */
    EMIT(t->e, PUSH, FRAME(budget_end)); /* push qword [frame + budget_end] */
    EMIT(t->e, PUSH, imm(what));         /* push what */
}
static_assert(sizeof(struct logged) == 3 * 8, "three pushes");

void dbt_debit_cycle(struct translation *t) {
    if (t->recorded)
        dbt_log(t, -1 - (int64_t)t->op->pc);
    EMIT(t->e, SUB, BUDGET, imm(1 << BUDGET_SHIFT)); /* sub r12, 1 << 16 */
}

void dbt_debit(struct translation *t, int cycles) {
    struct uncounted *const u = &t->uncounted;
    if (u->cycles + cycles == 0 && u->instructions == 0)
        EMIT(t->e, CMP, BUDGET, imm(0)); /* cmp r12, 0 */
    else
        spend(t, u->cycles + cycles, u->instructions);
    u->cycles = -cycles;
    u->instructions = 0;
    forget_host_flags(t);
}
