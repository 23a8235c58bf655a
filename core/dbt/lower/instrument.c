/* Probes in translated code. */
#include "dbt/lower/instrument.h"

#include <assert.h>
#include <stdlib.h>

/* counters[i] += value */
static void add_to_counter(struct emitter *e, uint32_t i, uint64_t value) {
    if (value <= INT32_MAX) {
        EMIT(e, ADD, COUNTER(i), imm((int64_t)value)); /* add qword [r14 + i*8], value */
        return;
    }
    EMIT(e, MOV, REG(RAX), imm((int64_t)value)); /* mov rax, value */
    EMIT(e, ADD, COUNTER(i), REG(RAX));          /* add [r14 + i*8], rax */
}

static void call(struct translation *t, const struct hook *hook) {
    struct emitter *const e = t->e;
    EMIT(e, MOV, REG(EDX), imm32(t->op->site->insn.address)); /* mov edx, from */
    EMIT(e, MOV, REG(RAX), imm_pointer(hook));                /* mov rax, hook */
    emit_bind(e, emit_jump(e, CALL), t->fixed->call_probe);   /* call call_probe */
}

/* Increments the counter, and calls when it reaches the value. */
static void call_at(struct translation *t, const struct hook *hook) {
    struct emitter *const e = t->e;
    EMIT(e, MOV, REG(RAX), COUNTER(hook->probe.counter));    /* mov rax, [r14 + i*8] */
    EMIT(e, ADD, REG(RAX), imm(1));                          /* add rax, 1 */
    EMIT(e, MOV, COUNTER(hook->probe.counter), REG(RAX));    /* mov [r14 + i*8], rax */
    EMIT(e, MOV, REG(RCX), imm((int64_t)hook->probe.value)); /* mov rcx, value */
    EMIT(e, CMP, REG(RAX), REG(RCX));                        /* cmp rax, rcx */
    const uint32_t not_yet = emit_jump(e, JNZ);              /* jnz not_yet */
    call(t, hook);
    emit_bind(e, not_yet, emit_here(e)); /* not_yet: */
}

static struct targets *new_targets(struct translation *t, struct hook *hook) {
    struct targets *const targets = calloc(1, sizeof *targets);
    if (!targets || !vec_push(&t->targets->all, targets)) {
        free(targets);
        t->out_of_memory = true;
        return NULL;
    }
    targets->hook = hook;
    targets->from = t->op->site->insn.address;
    targets->certain = t->certain;
    for (unsigned i = 0; i < TARGETS; i++)
        targets->at[i].pc = UINT32_MAX;
    return targets;
}

/* The row of an instruction that may go anywhere, where each pc has always the same code address. */
static uint64_t *row_of(const struct translation *t, const struct hook *hook) {
    const struct site *const site = t->op->site;
    const unsigned all = (1u << WINDOWS) - 1;
    const struct returns *const r = t->returns;
    return r->counted && !r->by_jsr && t->certain == all && site->probes[PROBE_INDIRECT].count == 1
               ? returns_row(t->returns, hook, site->insn.address)
               : NULL;
}

/* The first time, a cell borrows, and its pc becomes known. */
static void add_in_row(struct translation *t, struct targets *targets) {
    struct emitter *const e = t->e;
    const int64_t at = (intptr_t)targets->row - (intptr_t)t->nes->observed.counters;
    EMIT(e, SUB, memx(8, COUNTERS, ZYDIS_REGISTER_RCX, 8, at), imm(1));
    struct stub *const s = dbt_add_stub(t, emit_jump(e, JB), STUB_ADD_TO);
    s->targets = targets; /* ^ sub qword [r14 + rcx*8 + row], 1; jb first */
    s->back = emit_here(e);
}

/* A counter for each target; the pc stays in ecx. */
static void add_to(struct translation *t, struct hook *hook, int pc) {
    struct emitter *const e = t->e;
    struct targets *const targets = new_targets(t, hook);
    if (targets && pc == PC_IN_ECX && (targets->row = row_of(t, hook))) {
        targets->returns = t->returns;
        add_in_row(t, targets);
        return;
    }
    if (pc != PC_IN_ECX)
        EMIT(e, MOV, REG(ECX), imm(pc));          /* mov ecx, pc */
    EMIT(e, MOV, REG(RDX), imm_pointer(targets)); /* mov rdx, targets */
    EMIT(e, MOV, REG(EAX), REG(ECX));             /* mov eax, ecx */
    EMIT(e, AND, REG(EAX), imm(TARGETS - 1));     /* and eax, 63 */
    const int64_t at = offsetof(struct targets, at), counter = at + 4;
    EMIT(e, CMP, memx(4, ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RAX, 8, at), REG(ECX));
    struct stub *const s = dbt_add_stub(t, emit_jump(e, JNZ), STUB_ADD_TO); /* ^ cmp .., ecx; jnz */
    EMIT(e, MOV, REG(EAX), memx(4, ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RAX, 8, counter));
    const operand its_counter = memx(8, COUNTERS, ZYDIS_REGISTER_RAX, 8, 0);
    if (hook->probe.value <= INT32_MAX) {
        EMIT(e, ADD, its_counter, imm((int64_t)hook->probe.value)); /* add [r14 + rax*8], value */
    } else {
        EMIT(e, MOV, REG(RDX), imm((int64_t)hook->probe.value)); /* mov rdx, value */
        EMIT(e, ADD, its_counter, REG(RDX));                     /* add [r14 + rax*8], rdx */
    }
    s->back = emit_here(e);
}
static_assert(sizeof((struct targets *)0)->at[0] == 8, "addressed with a scale of 8");

/* A probe that has fired before translation costs nothing. */
static void once(struct translation *t, const struct hook *hook) {
    if (t->nes->observed.counters[hook->probe.counter] != 0)
        return;
    EMIT(t->e, CMP, COUNTER(hook->probe.counter), imm(0)); /* cmp qword [r14 + i*8], 0 */
    struct stub *const s = dbt_add_stub(t, emit_jump(t->e, JZ), STUB_ONCE); /* jz first */
    s->once = hook;
    s->back = emit_here(t->e);
}

/* The code of a STUB_ONCE. */
void dbt_fire_first(struct translation *t, const struct stub *s) {
    struct emitter *const e = t->e;
    const int64_t fired =
        (int64_t)offsetof(struct nes, observed.fired) + 8 * (int64_t)s->once->observer;
    EMIT(e, MOV, COUNTER(s->once->probe.counter), imm(1)); /* mov qword [r14 + i*8], 1 */
    if (!s->once->probe.quiet)
        EMIT(e, ADD, mem(8, NES, fired), imm(1)); /* add qword [nes + fired + ..], 1 */
    emit_bind(e, emit_jump(e, JMP), s->back);     /* jmp back */
}

static void fire_one(struct translation *t, struct hook *hook, int pc) {
    struct emitter *const e = t->e;
    const struct probe *const p = &hook->probe;
    switch (p->kind) {
    case PROBE_ADD:
        add_to_counter(e, p->counter, p->value);
        break;
    case PROBE_STORE:
        EMIT(e, MOV, REG(RAX), imm((int64_t)p->value)); /* mov rax, value */
        EMIT(e, MOV, COUNTER(p->counter), REG(RAX));    /* mov [r14 + i*8], rax */
        break;
    case PROBE_ONCE:
        once(t, hook);
        break;
    case PROBE_CALL:
        call(t, hook);
        break;
    case PROBE_CALL_AT:
        call_at(t, hook);
        break;
    case PROBE_ADD_TO:
        add_to(t, hook, pc);
        break;
    }
}

/* Makes the machine's state observable, with `pc` as its pc. */
static void settle_at(struct translation *t, int pc) {
    dbt_settle(t);
    if (pc == PC_IN_ECX)
        EMIT(t->e, MOV, CPU(pc), REG(CX)); /* mov [nes + cpu.pc], cx */
    else
        EMIT(t->e, MOV, CPU(pc), imm16((unsigned)pc)); /* mov word [nes + cpu.pc], pc */
}

static bool calls_always(const struct hooks *hooks) {
    for (size_t i = 0; i < hooks->count; i++)
        if (hooks->at[i].probe.kind == PROBE_CALL)
            return true;
    return false;
}

/* Counts with one instruction; the rare call is in a stub. */
static void count_to_call(struct translation *t, const struct hooks *hooks, size_t i, int pc) {
    struct emitter *const e = t->e;
    const struct probe *const p = &hooks->at[i].probe;
    EMIT(e, ADD, COUNTER(p->counter), imm(1)); /* add qword [r14 + i*8], 1 */
    if (p->value > INT32_MAX) {
        EMIT(e, MOV, REG(RDX), imm((int64_t)p->value)); /* mov rdx, value */
        EMIT(e, CMP, COUNTER(p->counter), REG(RDX));    /* cmp [r14 + i*8], rdx */
    } else if (p->value != 0) {
        EMIT(e, CMP, COUNTER(p->counter), imm((int64_t)p->value)); /* cmp [r14 + i*8], value */
    }
    struct stub *const s = dbt_add_stub(t, emit_jump(e, JZ), STUB_CALL_AT); /* jz call */
    s->hooks = hooks;
    s->hook = (uint32_t)i;
    s->at = pc;
    s->back = emit_here(e);
}

static void fire_uncalled(struct translation *t, const struct hooks *hooks, int pc) {
    for (size_t i = 0; i < hooks->count; i++)
        if (hooks->at[i].probe.kind == PROBE_CALL_AT)
            count_to_call(t, hooks, i, pc);
        else
            fire_one(t, &hooks->at[i], pc);
    forget_host_flags(t);
}

/* Restores ecx for add_to(). */
static void reload_pc(struct translation *t, int pc) {
    if (pc == PC_IN_ECX)
        EMIT(t->e, MOVZX, REG(ECX), CPU(pc)); /* movzx ecx, word [nes + cpu.pc] */
}

/* The block continues with the same pending counts as before the call. Lazy flags stay lazy,
 * because their sources are unchanged. */
void dbt_fire_counted(struct translation *t, const struct stub *s) {
    struct emitter *const e = t->e;
    const struct uncounted before = t->uncounted;
    settle_at(t, s->at);
    call(t, &s->hooks->at[s->hook]);
    EMIT(e, CMP, FIELD_OF_NES(observed.attention), imm(0)); /* cmp byte [nes + attention], 0 */
    const uint32_t asked = emit_jump(e, JNZ);               /* jnz asked */
    reload_pc(t, s->at);
    dbt_restore_counts(t, &before);
    emit_bind(e, emit_jump(e, JMP), s->back); /* jmp back */
    emit_bind(e, asked, emit_here(e));        /* asked: */
    for (size_t i = s->hook + 1; i < s->hooks->count; i++) {
        reload_pc(t, s->at);
        fire_one(t, &s->hooks->at[i], s->at);
    }
    reload_pc(t, s->at);
}

void dbt_fire_watched(struct translation *t, enum probe_when when, int pc) {
    struct emitter *const e = t->e;
    const struct hooks *const hooks = &t->op->site->probes[when];
    t->announced = when == PROBE_BEFORE && hooks->fires;
    if (!hooks->fires)
        return;
    const bool called = dbt_hooks_call(hooks);
    for (size_t i = 0; i < hooks->count; i++)
        t->uncounted.fired[hooks->at[i].observer] +=
            hooks->at[i].probe.kind != PROBE_ONCE && !hooks->at[i].probe.quiet;
    if (called && !calls_always(hooks)) {
        fire_uncalled(t, hooks, pc);
        return;
    }
    if (called)
        settle_at(t, pc);
    for (size_t i = 0; i < hooks->count; i++) {
        fire_one(t, &hooks->at[i], pc);
        if (called && pc == PC_IN_ECX && i + 1 < hooks->count) /* a call clobbers ecx */
            EMIT(e, MOVZX, REG(ECX), CPU(pc));                 /* movzx ecx, word [nes + cpu.pc] */
    }
    forget_host_flags(t);
    if (!called)
        return;
    EMIT(e, CMP, FIELD_OF_NES(observed.attention), imm(0)); /* cmp byte [nes + attention], 0 */
    dbt_add_stub(t, emit_jump(e, JNZ), STUB_ATTENTION);     /* jnz out */
    if (pc == PC_IN_ECX)
        EMIT(e, MOVZX, REG(ECX), CPU(pc)); /* movzx ecx, word [nes + cpu.pc] */
}

const uint64_t *dbt_fire_returning(struct translation *t) {
    const struct site *const site = t->op->site;
    if (!t->returns->counted || !site || site->probes[PROBE_INDIRECT].count != 1)
        return NULL;
    const struct hook *const hook = &site->probes[PROBE_INDIRECT].at[0];
    if (hook->probe.kind != PROBE_ADD_TO)
        return NULL;
    const uint64_t *const row = returns_row(t->returns, hook, site->insn.address);
    if (row && !hook->probe.quiet)
        t->uncounted.fired[hook->observer]++;
    return row;
}
