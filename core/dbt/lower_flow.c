/* Instructions that go somewhere: what they push and pull, where they go, and on what condition. */
#include "dbt/translator.h"

void lower_call(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    const uint16_t back = (uint16_t)(op->pc + 2);
    EMIT(e, MOV, MEMORY_AT(R11, 0x100),
         imm8(back >> 8));                           /* mov byte [nes + r11 + ram + 100h], .. */
    EMIT(e, DEC, S8);                                /* dec r11b */
    EMIT(e, MOV, MEMORY_AT(R11, 0x100), imm8(back)); /* mov byte [nes + r11 + ram + 100h], .. */
    EMIT(e, DEC, S8);                                /* dec r11b */
}

/* RTS pulls, and reads without purpose where it came from before it goes on behind that. */
static void pull_return(struct translation *t) {
    struct emitter *const e = t->e;
    EMIT(e, LEA, REG(EAX), mem(8, ZYDIS_REGISTER_R11, 1)); /* lea eax, [r11 + 1] */
    EMIT(e, MOVZX, REG(EAX), REG(AL));                     /* movzx eax, al */
    EMIT(e, MOVZX, REG(ECX), MEMORY_AT(RAX, 0x100));       /* movzx ecx, byte [nes + rax + ...] */
    EMIT(e, LEA, REG(EDX), mem(8, ZYDIS_REGISTER_R11, 2)); /* lea edx, [r11 + 2] */
    EMIT(e, MOVZX, REG(EDX), REG(DL));                     /* movzx edx, dl */
    EMIT(e, MOVZX, REG(EAX), MEMORY_AT(RDX, 0x100));       /* movzx eax, byte [nes + rdx + ...] */
    EMIT(e, CMP, PAGE_OF(rd, RAX), imm(0));                /* cmp qword [nes + rax*8 + rd], 0 */
    leave_at(t, emit_jump(e, JZ));                         /* jz to nes_step */
    EMIT(e, MOV, S32, REG(EDX));                           /* mov r11d, edx */
    EMIT(e, SHL, REG(EAX), imm(8));                        /* shl eax, 8 */
    EMIT(e, LEA, REG(ECX), memx(8, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX, 1, 1));
    EMIT(e, MOVZX, REG(ECX), REG(CX)); /* ^ lea ecx, [rax + rcx + 1]; movzx ecx, cx */
}

/* JMP (indirect) does not carry into the high byte of its pointer. */
static void follow_pointer(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    const uint8_t *const page = t->nes->rd[op->bytes[2]];
    EMIT(e, MOVZX, REG(EDX), lower_memory_at(t, page + op->bytes[1], ZYDIS_REGISTER_NONE));
    EMIT(e, MOVZX, REG(ECX),
         lower_memory_at(t, page + (uint8_t)(op->bytes[1] + 1), ZYDIS_REGISTER_NONE));
    EMIT(e, SHL, REG(ECX), imm(8));  /* movzx edx, byte [low]; movzx ecx, byte [high]; shl ecx, 8 */
    EMIT(e, OR, REG(ECX), REG(EDX)); /* or ecx, edx */
}

void lower_target(struct translation *t, const struct guest_op *op) {
    if (op->info->kind == INSN_RETURN)
        pull_return(t);
    else
        follow_pointer(t, op);
}

/* The host's flags tell Z after this, and N unless `only_z`; they may have told it before. */
static void test_nz(struct translation *t, bool only_z) {
    struct emitter *const e = t->e;
    if (t->flags.host == HOST_HAS_NZ)
        return;
    t->flags.carry = CARRY_IS_NOTHING;
    t->flags.host = t->flags.nz == NZ_HERE ? HOST_NOTHING : HOST_HAS_NZ;
    if (t->flags.nz == NZ_IS_A)
        EMIT(e, TEST, A8, A8); /* test r8b, r8b */
    else if (t->flags.nz == NZ_IS_X)
        EMIT(e, TEST, X8, X8); /* test r9b, r9b */
    else if (t->flags.nz == NZ_IS_Y)
        EMIT(e, TEST, Y8, Y8); /* test r10b, r10b */
    else if (only_z)
        EMIT(e, TEST, NZ8, NZ8); /* test sil, sil */
    else
        EMIT(e, TEST, NZ16, imm16(0x8080)); /* test si, 8080h: not zero where N is set */
}

static uint32_t jump_if_n(struct translation *t, bool set) {
    test_nz(t, false);
    if (t->flags.host == HOST_HAS_NZ)
        return set ? emit_jump(t->e, JS) : emit_jump(t->e, JNS); /* js or jns taken */
    return set ? emit_jump(t->e, JNZ) : emit_jump(t->e, JZ);     /* jnz or jz taken */
}

static uint32_t jump_if_z(struct translation *t, bool set) {
    test_nz(t, true);
    return set ? emit_jump(t->e, JZ) : emit_jump(t->e, JNZ); /* jz or jnz taken */
}

static uint32_t jump_if(struct translation *t, operand flag, bool set) {
    EMIT(t->e, TEST, flag, flag);                            /* test flag, flag */
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
        jump = jump_if(t, V8, op->mnemonic == DO_BVS);
        break;
    default: /* BCC, BCS */
        if (t->flags.carry == CARRY_IS_C)
            return op->mnemonic == DO_BCS ? emit_jump(t->e, JB) : emit_jump(t->e, JNB);
        if (t->flags.carry == CARRY_IS_NOT_C)
            return op->mnemonic == DO_BCS ? emit_jump(t->e, JNB) : emit_jump(t->e, JB);
        settle_c(t->e, &t->flags);
        jump = jump_if(t, C8, op->mnemonic == DO_BCS);
        break;
    }
    t->flags.host = t->flags.carry = 0;
    return jump;
}
