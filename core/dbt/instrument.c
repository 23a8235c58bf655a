/* Probes in translated code. */
#include "dbt/translator.h"

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
    emit_bind(e, emit_jump(e, CALL), t->dbt->call_probe);     /* call call_probe */
}

/* The counter counts; when it comes to the value, the call follows. */
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

static bool calls(const struct hooks *hooks) {
    for (size_t i = 0; i < hooks->count; i++)
        if (hooks->at[i].probe.kind == PROBE_CALL || hooks->at[i].probe.kind == PROBE_CALL_AT)
            return true;
    return false;
}

bool calls_back(const struct site *site) {
    for (size_t i = 0; i < sizeof site->probes / sizeof *site->probes; i++)
        if (calls(&site->probes[i]))
            return true;
    return false;
}

void fire(struct translation *t, enum probe_when when, int pc) {
    struct emitter *const e = t->e;
    const struct site *const site = t->op->site;
    t->announced = when == PROBE_BEFORE && site && site->probes[when].count;
    if (!site || site->probes[when].count == 0)
        return;
    const struct hooks *const hooks = &site->probes[when];
    const bool called = calls(hooks);
    for (size_t i = 0; i < hooks->count; i++)
        t->fired[hooks->at[i].observer]++;
    if (called) {
        settle(t);
        if (pc == PC_IN_ECX)
            EMIT(e, MOV, CPU(pc), REG(CX)); /* mov [nes + cpu.pc], cx */
        else
            EMIT(e, MOV, CPU(pc), imm16((unsigned)pc)); /* mov word [nes + cpu.pc], pc */
    }
    for (size_t i = 0; i < hooks->count; i++) {
        const struct hook *const hook = &hooks->at[i];
        switch (hook->probe.kind) {
        case PROBE_ADD:
            add_to_counter(e, hook->probe.counter, hook->probe.value);
            break;
        case PROBE_STORE:
            EMIT(e, MOV, REG(RAX), imm((int64_t)hook->probe.value)); /* mov rax, value */
            EMIT(e, MOV, COUNTER(hook->probe.counter), REG(RAX));    /* mov [r14 + i*8], rax */
            break;
        case PROBE_CALL:
            call(t, hook);
            break;
        case PROBE_CALL_AT:
            call_at(t, hook);
            break;
        }
    }
    t->flags.host = t->flags.carry = 0; /* the host's flags are lost */
    if (!called)
        return;
    EMIT(e, CMP, FIELD_OF_NES(attention), imm(0));  /* cmp byte [nes + attention], 0 */
    add_stub(t, emit_jump(e, JNZ), STUB_ATTENTION); /* jnz out */
    if (pc == PC_IN_ECX)
        EMIT(e, MOVZX, REG(ECX), CPU(pc)); /* movzx ecx, word [nes + cpu.pc] */
}
