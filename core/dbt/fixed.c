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
    EMIT(e, MOV, CPU8(a), A8); /* mov [nes + cpu.a], r8b */
    EMIT(e, MOV, CPU8(x), X8);
    EMIT(e, MOV, CPU8(y), Y8);
    EMIT(e, MOV, CPU8(s), S8);
    EMIT(e, MOV, CPU16(nz), NZ16);
    EMIT(e, MOV, CPU8(c), C8);
    EMIT(e, MOV, CPU8(v), V8);
}

static void load_registers(struct emitter *e) {
    EMIT(e, MOVZX, A32, CPU8(a)); /* movzx r8d, byte [nes + cpu.a] */
    EMIT(e, MOVZX, X32, CPU8(x));
    EMIT(e, MOVZX, Y32, CPU8(y));
    EMIT(e, MOVZX, S32, CPU8(s));
    EMIT(e, MOVZX, NZ32, CPU16(nz));
    EMIT(e, MOVZX, C32, CPU8(c));
    EMIT(e, MOVZX, V32, CPU8(v));
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

void frame_in(struct dbt *d, struct emitter *e, ZydisRegister to) {
    EMIT(e, MOV, reg(to), imm_pointer(&d->frame)); /* mov to, frame */
}

/* leave: eax is the number of the exit. Right before it, leave_indirect: the pc is in ecx. Place 0
 * of the cache, where the table's zeroes lead, comes first: to a pc without a block. */
static void emit_leave(struct dbt *d, struct emitter *e) {
    EMIT(e, MOV, REG(EAX), imm(0)); /* mov eax, 0 */
    d->leave_indirect = emit_here(e);
    EMIT(e, MOV, CPU16(pc), REG(CX)); /* mov [nes + cpu.pc], cx */
    d->leave = emit_here(e);
    store_registers(e);
    frame_in(d, e, ZYDIS_REGISTER_RCX);
    EMIT(e, MOV, FRAME(RCX, int64_t, budget), BUDGET); /* mov [rcx + budget], r12 */
    EMIT(e, MOV, FRAME(RCX, uint64_t, executed), EXECUTED);
    EMIT(e, MOV, REG(RSP), FRAME(RCX, uint64_t, host_stack));
    for (unsigned i = SAVED; i-- > 0;)
        EMIT(e, POP, reg(saved[i]));
    emit_ret(e);
}

/* uint32_t enter(struct frame *frame, const void *code) */
static void emit_enter(struct dbt *d, struct emitter *e) {
    d->enter = emit_here(e);
    for (unsigned i = 0; i < SAVED; i++)
        EMIT(e, PUSH, reg(saved[i]));
    EMIT(e, MOV, FRAME(RDI, uint64_t, host_stack), REG(RSP));
    EMIT(e, SUB, REG(RSP), imm(8)); /* sub rsp, 8: a multiple of 16 */
    for (unsigned i = 0; i < 1 + RETURN_DEPTH; i++) {
        EMIT(e, PUSH, imm(NO_PC)); /* push -1: an entry of the return stack that is no guess */
        EMIT(e, PUSH, imm(NO_PC));
    }
    EMIT(e, MOV, REG(RAX), REG(RSI)); /* mov rax, rsi */
    EMIT(e, MOV, reg(NES), FRAME(RDI, void *, nes));
    EMIT(e, MOV, reg(COUNTERS), FRAME(RDI, void *, counters));
    EMIT(e, MOV, reg(TABLE), FRAME(RDI, void *, table));
    EMIT(e, MOV, BUDGET, FRAME(RDI, int64_t, budget));
    EMIT(e, MOV, EXECUTED, FRAME(RDI, uint64_t, executed));
    load_registers(e);
    EMIT(e, JMP, REG(RAX)); /* jmp rax */
}

/* rax: struct hook; edx: code address of the instruction; cpu.pc: where the machine stands. */
static void emit_call_probe(struct dbt *d, struct emitter *e) {
    d->call_probe = emit_here(e);
    store_registers(e);
    frame_in(d, e, ZYDIS_REGISTER_RDI);
    EMIT(e, MOV, FRAME(RDI, int64_t, budget), BUDGET);
    EMIT(e, MOV, FRAME(RDI, uint64_t, executed), EXECUTED);
    EMIT(e, MOV, REG(RSI), REG(RAX)); /* mov rsi, rax */
    EMIT(e, SUB, REG(RSP), imm(8));   /* sub rsp, 8 */
    EMIT(e, MOV, REG(RAX), imm((int64_t)(uintptr_t)dbt_call_probe));
    EMIT(e, CALL, REG(RAX)); /* call dbt_call_probe */
    EMIT(e, ADD, REG(RSP), imm(8));
    load_registers(e);
    emit_ret(e);
}

/* eax: `where` of dbt_touch_read or dbt_touch_write; edx: what is written. Returns its place. */
static uint32_t emit_touch(struct dbt *d, struct emitter *e, int64_t function) {
    const uint32_t place = emit_here(e);
    for (unsigned i = 0; i < VOLATILES; i++)
        EMIT(e, PUSH, reg(volatiles[i]));
    EMIT(e, SUB, REG(RSP), imm(8)); /* sub rsp, 8 */
    frame_in(d, e, ZYDIS_REGISTER_RDI);
    EMIT(e, MOV, FRAME(RDI, int64_t, budget), BUDGET);
    EMIT(e, MOV, REG(ESI), REG(EAX));      /* mov esi, eax */
    EMIT(e, MOV, REG(RAX), imm(function)); /* mov rax, function */
    EMIT(e, CALL, REG(RAX));               /* call rax */
    frame_in(d, e, ZYDIS_REGISTER_RCX);
    EMIT(e, MOV, BUDGET, FRAME(RCX, int64_t, budget));
    EMIT(e, ADD, REG(RSP), imm(8)); /* add rsp, 8 */
    for (unsigned i = VOLATILES; i-- > 0;)
        EMIT(e, POP, reg(volatiles[i]));
    emit_ret(e);
    return place;
}

/* From an RTS to the pc in ecx that the top of the return stack does not lead to: where addresses
 * were dropped an entry below does, else the table may know it. */
static void emit_return_miss(struct dbt *d, struct emitter *e) {
    d->return_miss = emit_here(e);
    frame_in(d, e, ZYDIS_REGISTER_RAX);
    EMIT(e, ADD, FRAME(RAX, uint64_t, return_misses), imm(1)); /* add [rax + ...], 1 */
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
