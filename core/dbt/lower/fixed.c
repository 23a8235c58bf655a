/* The fixed code at the start of the cache, shared by all blocks. */
#include <assert.h>

#include "dbt/lower/fixed.h"

#include "dbt/guest/banks.h"

/* Emitted code relies on these. */
static_assert(sizeof(bool) == 1, "flags of the machine are bytes");
static_assert(sizeof(void *) == 8, "pages are addressed with a scale of 8");
static_assert(offsetof(struct nes, memory.ram) + RAM_SIZE < INT32_MAX,
              "displacements have 32 bits");
static_assert(sizeof((struct registers *)0)->nz == 2 && sizeof((struct registers *)0)->pc == 2,
              "16 bits");
static_assert(sizeof((struct registers *)0)->a == 1 && sizeof((struct registers *)0)->c == 1,
              "8 bits");

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
enum { SAVED = sizeof saved / sizeof *saved };

/* leave: eax is the exit's number. leave_indirect, right before it: the pc is in ecx. Offset 0 of
 * the cache comes first: zeroes in the table lead there, for a pc without a block. */
static void emit_leave(struct fixed *fixed, struct emitter *e) {
    EMIT(e, MOV, REG(EAX), imm(0)); /* mov eax, 0 */
    fixed->leave_indirect = emit_here(e);
    EMIT(e, MOV, CPU(pc), REG(CX)); /* mov [nes + cpu.pc], cx */
    fixed->leave = emit_here(e);
    store_registers(e);
    EMIT(e, MOV, FRAME(budget), BUDGET);       /* mov [frame + budget], r12 */
    EMIT(e, MOV, FRAME(called_at), REG(RSP));  /* mov [frame + called_at], rsp */
    EMIT(e, MOV, REG(RSP), FRAME(host_stack)); /* mov rsp, [frame + host_stack] */
    for (unsigned i = SAVED; i-- > 0;)
        EMIT(e, POP, reg(saved[i])); /* pop r15 ... rbx */
    emit_ret(e);                     /* ret */
}

/* uint32_t enter(struct frame *frame, const void *code) */
static void emit_enter(struct fixed *fixed, struct emitter *e) {
    fixed->enter = emit_here(e);
    for (unsigned i = 0; i < SAVED; i++)
        EMIT(e, PUSH, reg(saved[i]));             /* push rbx ... r15 */
    EMIT(e, MOV, reg(FRAME_AT), REG(RDI));        /* mov r13, rdi */
    EMIT(e, MOV, FRAME(host_stack), REG(RSP));    /* mov [frame + host_stack], rsp */
    EMIT(e, MOV, REG(RSP), FRAME(return_stack));  /* mov rsp, [frame + return_stack] */
    EMIT(e, MOV, REG(RAX), REG(RSI));             /* mov rax, rsi */
    EMIT(e, MOV, reg(NES), FRAME(nes));           /* mov rbx, [frame + nes] */
    EMIT(e, MOV, reg(COUNTERS), FRAME(counters)); /* mov r14, [frame + counters] */
    EMIT(e, MOV, reg(PRG), FRAME(prg));           /* mov r15, [frame + prg] */
    EMIT(e, MOV, BUDGET, FRAME(budget));          /* mov r12, [frame + budget] */
    load_registers(e);
    EMIT(e, JMP, REG(RAX)); /* jmp rax */
}

static_assert((SAVED + 1) % 2 == 1, "host_stack is 8 beside a multiple of 16");

/* rax: struct hook; edx: code address of the instruction; cpu.pc is set. */
static void emit_call_probe(struct fixed *fixed, struct emitter *e) {
    fixed->call_probe = emit_here(e);
    store_registers(e);
    EMIT(e, MOV, REG(RSI), REG(RAX)); /* mov rsi, rax */
    emit_call(e, (int64_t)(uintptr_t)dbt_call_probe);
    load_registers(e);
    emit_ret(e); /* ret */
}

void emit_look_up(struct emitter *e) {
    EMIT(e, MOV, REG(EAX), REG(ECX));          /* mov eax, ecx */
    EMIT(e, SHR, REG(EAX), imm(WINDOW_SHIFT)); /* shr eax, 13 */
    EMIT(e, MOV, REG(RDX), FRAME(tables));     /* mov rdx, [frame + tables] */
    EMIT(e, MOV, REG(RAX), memx(8, ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RAX, 8, 0));
    /* ^ mov rax, [rdx + rax*8] */
    EMIT(e, MOV, REG(EAX),
         memx(4, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX, 4, 0)); /* mov eax, [rax + rcx*4] */
    emit_address(e, ZYDIS_REGISTER_RDX, 0);                      /* lea rdx, [place 0] */
    EMIT(e, ADD, REG(RAX), REG(RDX));                            /* add rax, rdx */
    EMIT(e, JMP, REG(RAX));                                      /* jmp rax */
}

/* An RTS to the pc in ecx that the top of the return stack did not predict: if the guest has
 * dropped return addresses, an entry below may match; else the table is looked up. */
static void emit_return_miss(struct fixed *fixed, struct emitter *e) {
    fixed->return_miss = emit_here(e);
    EMIT(e, ADD, FRAME(return_misses), imm(1));             /* add [frame + ...], 1 */
    EMIT(e, LEA, REG(EAX), mem(8, ZYDIS_REGISTER_RCX, -1)); /* lea eax, [rcx - 1] */
    EMIT(e, MOVZX, REG(EAX), REG(AX));                      /* movzx eax, ax */
    for (int k = 1; k <= RETURN_DEPTH; k++) {
        EMIT(e, CMP, mem(4, ZYDIS_REGISTER_RSP, 16 * k + 8), REG(EAX)); /* cmp [rsp + ..], eax */
        const uint32_t other = emit_jump(e, JNZ);                       /* jnz other */
        EMIT(e, ADD, REG(RSP), imm(16 * k));                            /* add rsp, 16k */
        EMIT(e, MOV, REG(RAX), FRAME(nobodys)); /* mov rax, [frame + nobodys] */
        emit_ret_popping(e, 8);                 /* ret 8 */
        emit_bind(e, other, emit_here(e));      /* other: */
    }
    emit_look_up(e);
}

static void emit_edge_pattern(struct fixed *fixed, struct emitter *e) {
    fixed->edge = emit_here(e);
    EMIT(e, SUB, BUDGET, imm(INT32_MAX)); /* sub r12, .. */
    const uint32_t jump = emit_jump(e, JNL);
    EMIT(e, SUB, BUDGET, imm(INT32_MAX)); /* ^ jge ..; sub r12, .. */
    for (unsigned i = 0; i < 2; i++) {
        assert(emit_here(e) == fixed->edge + (i == 0 ? EDGE_OUT : EDGE_UNBOUND) || e->full);
        EMIT(e, MOV, REG(EAX), imm(INT32_MAX)); /* mov eax, .. */
        emit_jump(e, JMP);                      /* jmp .. */
    }
    assert((jump == fixed->edge + EDGE_JUMP && emit_here(e) == fixed->edge + EDGE_SIZE) || e->full);
    (void)jump;
}

void fixed_code(struct fixed *fixed, struct emitter *e) {
    emit_leave(fixed, e);
    emit_enter(fixed, e);
    emit_call_probe(fixed, e);
    devices_code(&fixed->devices, e);
    devices_blank(&fixed->devices, e);
    fixed->add_to = emit_function(e, (int64_t)(uintptr_t)dbt_add_to);
    emit_return_miss(fixed, e);
    emit_edge_pattern(fixed, e);
    fixed->end = emit_here(e);
}
