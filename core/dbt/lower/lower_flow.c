/* Jumps, calls, returns and branches: what they push and pull, their targets and conditions. */
#include "dbt/lower/lower.h"
#include "dbt/lower/operands.h"

#include "nes/cpu/cpu_exec.h"

static operand pushed(int64_t at) {
    return memx(2, NES, ZYDIS_REGISTER_R11, 1, (int64_t)offsetof(struct nes, memory.ram) + at);
}

void lower_call(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    EMIT(e, SUB, S8, imm(2));                                                  /* sub r11b, 2 */
    struct stub *const s = dbt_add_stub(t, emit_jump(e, JB), STUB_PUSH_WRAPS); /* jb wraps */
    EMIT(e, MOV, pushed(0x101), imm16(op->pc + 2u)); /* mov word [nes + r11 + ram + 101h], .. */
    s->back = emit_here(e);
    forget_host_flags(t);
}

void lower_wrapped_call(struct translation *t) {
    struct emitter *const e = t->e;
    const uint16_t back = (uint16_t)(t->op->pc + 2);
    for (unsigned i = 0; i < 2; i++) {
        EMIT(e, LEA, REG(EAX), mem(8, ZYDIS_REGISTER_R11, 2 - (int)i)); /* lea eax, [r11 + ..] */
        EMIT(e, MOVZX, REG(EAX), REG(AL));                              /* movzx eax, al */
        EMIT(e, MOV, MEMORY_AT(RAX, 0x100), imm8(i == 0 ? back >> 8 : back));
    } /* ^ mov byte [nes + rax + ram + 100h], .. */
}

/* An RTS makes a dummy read at its return address, before the pc in ecx. */
static void check_return(struct translation *t) {
    struct emitter *const e = t->e;
    EMIT(e, LEA, REG(EAX), mem(8, ZYDIS_REGISTER_RCX, -1)); /* lea eax, [rcx - 1] */
    EMIT(e, MOVZX, REG(EAX), REG(AH));                      /* movzx eax, ah */
    EMIT(e, CMP, PAGE_OF(memory.rd, RAX), imm(0));          /* cmp qword [nes + rax*8 + rd], 0 */
    dbt_leave_to_step(t, emit_jump(e, JZ));                 /* jz to nes_step */
}

/* nes_step does an RTS whose stack wraps. A predicted target is readable: it follows a JSR. */
static void pull_foretold(struct translation *t) {
    struct emitter *const e = t->e;
    EMIT(e, MOVZX, REG(ECX), pushed(0x101));               /* movzx ecx, word [..] */
    EMIT(e, ADD, S8, imm(2));                              /* add r11b, 2 */
    dbt_add_stub(t, emit_jump(e, JB), STUB_PULL_WRAPS);    /* jc wraps */
    EMIT(e, CMP, mem(4, ZYDIS_REGISTER_RSP, 8), REG(ECX)); /* cmp [rsp + 8], ecx */
    dbt_add_stub(t, emit_jump(e, JNZ), STUB_MISSED);       /* jnz missed */
}

void lower_inlined_return(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    EMIT(e, MOVZX, REG(ECX), pushed(0x101));                /* movzx ecx, word [..] */
    EMIT(e, ADD, S8, imm(2));                               /* add r11b, 2 */
    dbt_add_stub(t, emit_jump(e, JB), STUB_PULL_WRAPS);     /* jc wraps */
    EMIT(e, CMP, REG(ECX), imm(next_pc(op->caller) - 1));   /* cmp ecx, back - 1 */
    dbt_add_stub(t, emit_jump(e, JNZ), STUB_MISSED_INLINE); /* jnz missed */
    forget_host_flags(t);
}

static void pull_return(struct translation *t) {
    struct emitter *const e = t->e;
    EMIT(e, CMP, S8, imm8(0xfe));            /* cmp r11b, 0feh */
    dbt_leave_to_step(t, emit_jump(e, JNB)); /* jae to nes_step */
    EMIT(e, MOVZX, REG(ECX), pushed(0x101)); /* movzx ecx, word [nes + r11 + ram + 101h] */
    EMIT(e, INC, REG(CX));                   /* inc cx */
    check_return(t);
    EMIT(e, ADD, S8, imm(2)); /* add r11b, 2 */
}

void lower_unpull(struct translation *t) {
    EMIT(t->e, SUB, S8, imm(2)); /* sub r11b, 2 */
}

void lower_missed_return(struct translation *t) {
    lower_unpull(t);
    EMIT(t->e, INC, REG(CX)); /* inc cx */
    check_return(t);
    EMIT(t->e, ADD, S8, imm(2)); /* add r11b, 2 */
}

/* JMP (indirect) does not carry into the high byte of its pointer. */
static void follow_pointer(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    const uint16_t at = operand_of(op);
    const uint16_t high = (uint16_t)((at & 0xff00) | ((at + 1) & 0xff));
    EMIT(e, MOVZX, REG(EDX), operand_in_memory(t, at, ZYDIS_REGISTER_NONE, false));
    EMIT(e, MOVZX, REG(ECX), operand_in_memory(t, high, ZYDIS_REGISTER_NONE, false));
    EMIT(e, SHL, REG(ECX), imm(8));  /* movzx edx, byte [low]; movzx ecx, byte [high]; shl ecx, 8 */
    EMIT(e, OR, REG(ECX), REG(EDX)); /* or ecx, edx */
}

void lower_target(struct translation *t, const struct guest_op *op) {
    if (op->info->kind != INSN_RETURN)
        follow_pointer(t, op);
    else if (returns_are_predicted(t))
        pull_foretold(t);
    else
        pull_return(t);
    forget_host_flags(t);
}

/* Makes the host's flags hold Z, and N unless `only_z`. */
static void test_nz(struct translation *t, bool only_z) {
    struct emitter *const e = t->e;
    if (t->flags.host == HOST_HAS_NZ)
        return;
    t->flags.carry = CARRY_IS_NOTHING;
    if (t->flags.nz >= NZ_IS_A_LESS) {
        dbt_settle_nz(e, &t->flags); /* mov esi, r; sub sil, number */
        t->flags.host = HOST_HAS_NZ;
        return;
    }
    t->flags.host = t->flags.nz == NZ_HERE ? HOST_NOTHING : HOST_HAS_NZ;
    if (t->flags.nz == NZ_IS_A)
        EMIT(e, TEST, A8, A8); /* test r8b, r8b */
    else if (t->flags.nz == NZ_IS_X)
        EMIT(e, TEST, X8, X8); /* test r9b, r9b */
    else if (t->flags.nz == NZ_IS_Y)
        EMIT(e, TEST, Y8, Y8); /* test r10b, r10b */
    else if (t->flags.nz == NZ_IS_ZERO_PAGE)
        EMIT(e, CMP, MEMORY(t->flags.number), imm(0)); /* cmp byte [nes + ram + number], 0 */
    else if (only_z)
        EMIT(e, TEST, NZ8, NZ8); /* test sil, sil */
    else
        EMIT(e, TEST, NZ16, imm16(0x8080)); /* test si, 8080h: not zero if N is set */
}

static uint32_t jump_if_n(struct translation *t, bool set) {
    if (t->flags.nz == NZ_IS_BIT) {
        forget_host_flags(t);
        EMIT(t->e, TEST, V8, V8);                                /* test bpl, bpl */
        return set ? emit_jump(t->e, JS) : emit_jump(t->e, JNS); /* js or jns taken */
    }
    test_nz(t, false);
    if (t->flags.host == HOST_HAS_NZ)
        return set ? emit_jump(t->e, JS) : emit_jump(t->e, JNS); /* js or jns taken */
    return set ? emit_jump(t->e, JNZ) : emit_jump(t->e, JZ);     /* jnz or jz taken */
}

static uint32_t jump_if_z(struct translation *t, bool set) {
    if (t->flags.nz == NZ_IS_BIT) {
        forget_host_flags(t);
        EMIT(t->e, TEST, V8, A8); /* test bpl, r8b */
    } else {
        test_nz(t, true);
    }
    return set ? emit_jump(t->e, JZ) : emit_jump(t->e, JNZ); /* jz or jnz taken */
}

static uint32_t jump_if(struct translation *t, operand flag, operand bits, bool set) {
    EMIT(t->e, TEST, flag, bits);                            /* test flag, bits */
    return set ? emit_jump(t->e, JNZ) : emit_jump(t->e, JZ); /* jnz or jz taken */
}

uint32_t lower_condition(struct translation *t, const struct guest_op *op) {
    uint32_t jump;
    switch (op->mnemonic) {
    case DO_BPL:
    case DO_BMI:
        return jump_if_n(t, op->mnemonic == DO_BMI);
    case DO_BNE:
    case DO_BEQ:
        return jump_if_z(t, op->mnemonic == DO_BEQ);
    case DO_BVC:
    case DO_BVS:
        jump = jump_if(t, V8, t->flags.v == V_IS_BIT_6 ? imm(P_V) : V8, op->mnemonic == DO_BVS);
        break;
    default: /* BCC, BCS */
        if (t->flags.carry == CARRY_IS_C)
            return op->mnemonic == DO_BCS ? emit_jump(t->e, JB) : emit_jump(t->e, JNB);
        if (t->flags.carry == CARRY_IS_NOT_C)
            return op->mnemonic == DO_BCS ? emit_jump(t->e, JNB) : emit_jump(t->e, JB);
        dbt_settle_c(t->e, &t->flags);
        jump = jump_if(t, C8, C8, op->mnemonic == DO_BCS);
        break;
    }
    forget_host_flags(t);
    return jump;
}
