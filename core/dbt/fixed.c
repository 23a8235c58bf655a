/* The fixed code at the start of the cache, which every block leans on. */
#include <assert.h>

#include "dbt/translator.h"

/* What emitted code relies on. */
static_assert(sizeof(bool) == 1, "flags of the machine are bytes");
static_assert(sizeof(void *) == 8, "pages are addressed with a scale of 8");
static_assert(offsetof(struct nes, ram) + RAM_SIZE < INT32_MAX, "displacements have 32 bits");
static_assert(sizeof((struct cpu *)0)->nz == 2 && sizeof((struct cpu *)0)->pc == 2, "16 bits");
static_assert(sizeof((struct cpu *)0)->a == 1 && sizeof((struct cpu *)0)->c == 1, "8 bits");

static void store_registers(struct emitter *e) {
    EMIT(e, MOV, CPU(a), A8);    /* mov [nes + cpu.a], r8b */
    EMIT(e, MOV, CPU(x), X8);    /* mov [nes + cpu.x], r9b */
    EMIT(e, MOV, CPU(y), Y8);    /* mov [nes + cpu.y], r10b */
    EMIT(e, MOV, CPU(s), S8);    /* mov [nes + cpu.s], r11b */
    EMIT(e, MOV, CPU(nz), NZ16); /* mov [nes + cpu.nz], si */
    EMIT(e, MOV, CPU(c), C8);    /* mov [nes + cpu.c], dil */
    EMIT(e, MOV, CPU(v), V8);    /* mov [nes + cpu.v], bpl */
}

static void load_registers(struct emitter *e) {
    EMIT(e, MOVZX, A32, CPU(a));   /* movzx r8d, byte [nes + cpu.a] */
    EMIT(e, MOVZX, X32, CPU(x));   /* movzx r9d, byte [nes + cpu.x] */
    EMIT(e, MOVZX, Y32, CPU(y));   /* movzx r10d, byte [nes + cpu.y] */
    EMIT(e, MOVZX, S32, CPU(s));   /* movzx r11d, byte [nes + cpu.s] */
    EMIT(e, MOVZX, NZ32, CPU(nz)); /* movzx esi, word [nes + cpu.nz] */
    EMIT(e, MOVZX, C32, CPU(c));   /* movzx edi, byte [nes + cpu.c] */
    EMIT(e, MOVZX, V32, CPU(v));   /* movzx ebp, byte [nes + cpu.v] */
}

static const ZydisRegister saved[] = {ZYDIS_REGISTER_RBX, ZYDIS_REGISTER_RBP, ZYDIS_REGISTER_R12,
                                      ZYDIS_REGISTER_R13, ZYDIS_REGISTER_R14, ZYDIS_REGISTER_R15};
/* Guest registers that a call does not preserve. */
static const ZydisRegister volatiles[] = {ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9,
                                          ZYDIS_REGISTER_R10, ZYDIS_REGISTER_R11,
                                          ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDI};
enum { NO_PC = -1 };
enum { RETURN_DEPTH = 2 }; /* how many more entries an RTS looks at */
enum { SAVED = sizeof saved / sizeof *saved, VOLATILES = sizeof volatiles / sizeof *volatiles };

static_assert(SAVED % 2 == 0 && VOLATILES % 2 == 0, "rsp is a multiple of 16 at each call");

void frame_in(struct dbt *d, struct emitter *e, ZydisRegister to) {
    EMIT(e, MOV, reg(to), imm_pointer(&d->frame)); /* mov to, frame */
}

/* leave: eax is the number of the exit. Right before it, leave_indirect: the pc is in ecx. Place 0
 * of the cache, where the table's zeroes lead, comes first: to a pc without a block. */
static void emit_leave(struct dbt *d, struct emitter *e) {
    EMIT(e, MOV, REG(EAX), imm(0)); /* mov eax, 0 */
    d->leave_indirect = emit_here(e);
    EMIT(e, MOV, CPU(pc), REG(CX)); /* mov [nes + cpu.pc], cx */
    d->leave = emit_here(e);
    store_registers(e);
    frame_in(d, e, ZYDIS_REGISTER_RCX);             /* mov rcx, frame */
    EMIT(e, MOV, FRAME(RCX, budget), BUDGET);       /* mov [rcx + budget], r12 */
    EMIT(e, MOV, FRAME(RCX, executed), EXECUTED);   /* mov [rcx + executed], r13 */
    EMIT(e, MOV, REG(RSP), FRAME(RCX, host_stack)); /* mov rsp, [rcx + host_stack] */
    for (unsigned i = SAVED; i-- > 0;)
        EMIT(e, POP, reg(saved[i])); /* pop r15 ... rbx */
    emit_ret(e);                     /* ret */
}

/* uint32_t enter(struct frame *frame, const void *code) */
static void emit_enter(struct dbt *d, struct emitter *e) {
    d->enter = emit_here(e);
    for (unsigned i = 0; i < SAVED; i++)
        EMIT(e, PUSH, reg(saved[i]));               /* push rbx ... r15 */
    EMIT(e, MOV, FRAME(RDI, host_stack), REG(RSP)); /* mov [rdi + host_stack], rsp */
    EMIT(e, SUB, REG(RSP), imm(8));                 /* sub rsp, 8: a multiple of 16 */
    for (unsigned i = 0; i < 1 + RETURN_DEPTH; i++) {
        EMIT(e, PUSH, imm(NO_PC)); /* push -1: an entry of the return stack that is no guess */
        EMIT(e, PUSH, imm(NO_PC)); /* push -1 */
    }
    EMIT(e, MOV, REG(RAX), REG(RSI));                  /* mov rax, rsi */
    EMIT(e, MOV, reg(NES), FRAME(RDI, nes));           /* mov rbx, [rdi + nes] */
    EMIT(e, MOV, reg(COUNTERS), FRAME(RDI, counters)); /* mov r14, [rdi + counters] */
    EMIT(e, MOV, reg(TABLE), FRAME(RDI, table));       /* mov r15, [rdi + table] */
    EMIT(e, MOV, BUDGET, FRAME(RDI, budget));          /* mov r12, [rdi + budget] */
    EMIT(e, MOV, EXECUTED, FRAME(RDI, executed));      /* mov r13, [rdi + executed] */
    load_registers(e);
    EMIT(e, JMP, REG(RAX)); /* jmp rax */
}

/* rax: struct hook; edx: code address of the instruction; cpu.pc: where the machine stands. */
static void emit_call_probe(struct dbt *d, struct emitter *e) {
    d->call_probe = emit_here(e);
    store_registers(e);
    frame_in(d, e, ZYDIS_REGISTER_RDI);                              /* mov rdi, frame */
    EMIT(e, MOV, FRAME(RDI, budget), BUDGET);                        /* mov [rdi + budget], r12 */
    EMIT(e, MOV, FRAME(RDI, executed), EXECUTED);                    /* mov [rdi + executed], r13 */
    EMIT(e, MOV, REG(RSI), REG(RAX));                                /* mov rsi, rax */
    EMIT(e, SUB, REG(RSP), imm(8));                                  /* sub rsp, 8 */
    EMIT(e, MOV, REG(RAX), imm((int64_t)(uintptr_t)dbt_call_probe)); /* mov rax, dbt_call_probe */
    EMIT(e, CALL, REG(RAX));                                         /* call dbt_call_probe */
    EMIT(e, ADD, REG(RSP), imm(8));                                  /* add rsp, 8 */
    load_registers(e);
    emit_ret(e); /* ret */
}

/* eax: `where` of dbt_touch_read or dbt_touch_write; edx: what is written. Returns its place. */
static uint32_t emit_touch(struct dbt *d, struct emitter *e, int64_t function) {
    const uint32_t place = emit_here(e);
    for (unsigned i = 0; i < VOLATILES; i++)
        EMIT(e, PUSH, reg(volatiles[i]));     /* push r8 ... rdi */
    EMIT(e, SUB, REG(RSP), imm(8));           /* sub rsp, 8 */
    frame_in(d, e, ZYDIS_REGISTER_RDI);       /* mov rdi, frame */
    EMIT(e, MOV, FRAME(RDI, budget), BUDGET); /* mov [rdi + budget], r12 */
    EMIT(e, MOV, REG(ESI), REG(EAX));         /* mov esi, eax */
    EMIT(e, MOV, REG(RAX), imm(function));    /* mov rax, function */
    EMIT(e, CALL, REG(RAX));                  /* call rax */
    frame_in(d, e, ZYDIS_REGISTER_RCX);       /* mov rcx, frame */
    EMIT(e, MOV, BUDGET, FRAME(RCX, budget)); /* mov r12, [rcx + budget] */
    EMIT(e, ADD, REG(RSP), imm(8));           /* add rsp, 8 */
    for (unsigned i = VOLATILES; i-- > 0;)
        EMIT(e, POP, reg(volatiles[i])); /* pop rdi ... r8 */
    emit_ret(e);                         /* ret */
    return place;
}

/* From an RTS to the pc in ecx that the top of the return stack does not lead to: where addresses
 * were dropped an entry below does, else the table may know it. */
static void emit_return_miss(struct dbt *d, struct emitter *e) {
    d->return_miss = emit_here(e);
    frame_in(d, e, ZYDIS_REGISTER_RAX);              /* mov rax, frame */
    EMIT(e, ADD, FRAME(RAX, return_misses), imm(1)); /* add [rax + ...], 1 */
    for (int k = 1; k <= RETURN_DEPTH; k++) {
        EMIT(e, CMP, mem(4, ZYDIS_REGISTER_RSP, 16 * k + 8), REG(ECX)); /* cmp [rsp + ..], ecx */
        const uint32_t other = emit_jump(e, JNZ);                       /* jnz other */
        EMIT(e, ADD, REG(RSP), imm(16 * k));                            /* add rsp, 16k */
        emit_ret(e);                                                    /* ret */
        emit_bind(e, other, emit_here(e));                              /* other: */
    }
    emit_look_up(e);
}

enum status fixed_code(struct dbt *d, struct error *e) {
    struct emitter emitter = {
        .code = d->cache.code, .end = (uint32_t)d->cache.size, .encodings = &d->encodings};
    emit_leave(d, &emitter);
    emit_enter(d, &emitter);
    emit_call_probe(d, &emitter);
    d->touch_read = emit_touch(d, &emitter, (int64_t)(uintptr_t)dbt_touch_read);
    d->touch_write = emit_touch(d, &emitter, (int64_t)(uintptr_t)dbt_touch_write);
    emit_return_miss(d, &emitter);
    d->fixed_end = emitter.at;
    d->cache.used = emitter.at;
    return emitter.full ? error_set(e, STATUS_ARGUMENT, "a code cache of %zu bytes is too small",
                                    d->cache.size)
                        : STATUS_OK;
}

void dbt_call_probe(struct frame *frame, const struct hook *hook, uint32_t from) {
    struct nes *const n = frame->nes;
    n->cycle = frame->budget_end - (uint64_t)frame->budget;
    n->instructions = frame->instructions + (frame->executed >> EXECUTED_SHIFT);
    const struct probe_event event = {n, from, nes_code_address(n, n->cpu.pc)};
    hook->probe.call(hook->probe.user, &event);
}
