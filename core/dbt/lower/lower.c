/* One guest instruction as host instructions. nes/cpu/cpu_exec.h defines their meaning; tests
 * compare the two. */
#include "dbt/lower/lower.h"

#include "dbt/lower/mmio.h"
#include "dbt/lower/operands.h"

#include "nes/cpu/cpu_exec.h"

/* ---- flags ---- */

static void set_nz(struct translation *t, unsigned where, unsigned host) {
    t->flags.nz = (uint8_t)where;
    t->flags.host = (uint8_t)host;
}

/* Sets the host's carry to C. */
static void carry_in(struct translation *t) {
    if (t->carry_before == CARRY_IS_C)
        return;
    if (t->carry_before == CARRY_IS_NOT_C) {
        emit_plain(t->e, CMC); /* cmc */
        return;
    }
    dbt_settle_c(t->e, &t->flags);
    EMIT(t->e, ADD, C8, imm(-1)); /* add dil, -1: carries when it was 1 */
}

/* Sets C to the host's carry. */
static void borrow_in(struct translation *t) {
    if (t->carry_before == CARRY_IS_NOT_C)
        return;
    if (t->carry_before == CARRY_IS_C) {
        emit_plain(t->e, CMC); /* cmc */
        return;
    }
    dbt_settle_c(t->e, &t->flags);
    EMIT(t->e, CMP, C8, imm(1)); /* cmp dil, 1: borrows when it was 0 */
}

/* RRA reads the carry of its own first half. */
static bool needed(const struct translation *t, unsigned flags) {
    if (flags == FLAG_C && t->op->passes_carry)
        return false;
    return t->op->needed & flags || (flags == FLAG_C && t->op->mnemonic == DO_RRA);
}

static void borrow_out(struct translation *t) {
    if (needed(t, FLAG_C))
        EMIT(t->e, SETNB, C8); /* setnc dil */
    t->flags.c = C_HERE;
    t->flags.carry = CARRY_IS_NOT_C;
}

static void carry_out(struct translation *t) {
    if (needed(t, FLAG_C))
        EMIT(t->e, SETB, C8); /* setc dil */
    t->flags.c = C_HERE;
    t->flags.carry = CARRY_IS_C;
}

static void overflow_out(struct translation *t) {
    if (needed(t, FLAG_V))
        EMIT(t->e, SETO, V8); /* seto bpl */
    t->flags.v = V_HERE;
}

/* Loads the operand into `to`, zero-extended. */
static void load(struct translation *t, operand to, operand from) {
    if (is_imm(from))
        EMIT(t->e, MOV, to, imm((uint8_t)from.number)); /* mov to, byte */
    else
        EMIT(t->e, MOVZX, to, from); /* movzx to, from */
}

/* ---- READ ---- */

/* A, C, V = A + m + C. m: any register but dil. */
static void add_with(struct translation *t, operand m) {
    if (t->flags.c == C_IS_0) {
        EMIT(t->e, ADD, A8, m); /* add r8b, m */
    } else {
        carry_in(t);
        EMIT(t->e, ADC, A8, m); /* adc r8b, m */
    }
    carry_out(t);
    overflow_out(t);
    set_nz(t, NZ_IS_A, HOST_HAS_NZ);
}

/* A + ~m + C = A - m - 1 + C; the host's carry is a borrow. */
static void subtract_with(struct translation *t, operand m) {
    if (t->flags.c == C_IS_1) {
        EMIT(t->e, SUB, A8, m); /* sub r8b, m */
    } else {
        borrow_in(t);
        EMIT(t->e, SBB, A8, m); /* sbb r8b, m */
    }
    borrow_out(t);
    overflow_out(t);
    set_nz(t, NZ_IS_A, HOST_HAS_NZ);
}

static void compare(struct translation *t, operand r32, operand m) {
    EMIT(t->e, MOV, NZ32, r32); /* mov esi, r */
    EMIT(t->e, SUB, NZ8, m);    /* sub sil, m */
    borrow_out(t);
    set_nz(t, NZ_HERE, HOST_HAS_NZ);
}

/* Compares with a number: the difference is computed only if it is read. nz: NZ_IS_..._LESS. */
static void compare_register(struct translation *t, operand r8, operand r32, unsigned nz,
                             operand m) {
    if (!is_imm(m)) {
        compare(t, r32, m);
        return;
    }
    EMIT(t->e, CMP, r8, m); /* cmp r, m */
    borrow_out(t);
    set_nz(t, nz, HOST_HAS_NZ);
    t->flags.number = (uint8_t)m.number;
}

/* All flags are in the byte read, which ebp keeps. A callback to an observer would not preserve it. */
static void bit(struct translation *t, operand m) {
    if (needed(t, FLAG_V | FLAG_N | FLAG_Z))
        load(t, V32, m); /* movzx ebp, m */
    t->flags.v = V_IS_BIT_6;
    set_nz(t, NZ_IS_BIT, HOST_NOTHING);
    if (t->called)
        dbt_settle_v(t->e, &t->flags);
}

static void arr(struct translation *t, operand m) {
    struct emitter *const e = t->e;
    EMIT(e, AND, A8, m);       /* and r8b, m */
    carry_in(t);               /* add dil, -1 */
    EMIT(e, RCR, A8, imm(1));  /* rcr r8b, 1 */
    EMIT(e, MOV, C32, A32);    /* mov edi, r8d */
    EMIT(e, SHR, C32, imm(6)); /* shr edi, 6 */
    EMIT(e, MOV, V32, A32);    /* mov ebp, r8d */
    EMIT(e, SHR, V32, imm(5)); /* shr ebp, 5 */
    EMIT(e, XOR, V32, C32);    /* xor ebp, edi */
    EMIT(e, AND, V32, imm(1)); /* and ebp, 1 */
    EMIT(e, AND, C32, imm(1)); /* and edi, 1 */
    t->flags.c = C_HERE;
    t->flags.v = V_HERE;
    set_nz(t, NZ_IS_A, HOST_NOTHING);
}

static void lower_read(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    const operand m = operand_place(t, op);
    switch (op->mnemonic) {
    case DO_LDA:
        load(t, A32, m);
        set_nz(t, NZ_IS_A, HOST_NOTHING);
        break;
    case DO_LDX:
        load(t, X32, m);
        set_nz(t, NZ_IS_X, HOST_NOTHING);
        break;
    case DO_LDY:
        load(t, Y32, m);
        set_nz(t, NZ_IS_Y, HOST_NOTHING);
        break;
    case DO_LAX:
        load(t, A32, m);
        EMIT(e, MOV, X32, A32); /* mov r9d, r8d */
        set_nz(t, NZ_IS_A, HOST_NOTHING);
        break;
    case DO_ORA:
        EMIT(e, OR, A8, m); /* or r8b, m */
        set_nz(t, NZ_IS_A, HOST_HAS_NZ);
        break;
    case DO_AND:
        EMIT(e, AND, A8, m); /* and r8b, m */
        set_nz(t, NZ_IS_A, HOST_HAS_NZ);
        break;
    case DO_EOR:
        EMIT(e, XOR, A8, m); /* xor r8b, m */
        set_nz(t, NZ_IS_A, HOST_HAS_NZ);
        break;
    case DO_ADC:
        add_with(t, m);
        break;
    case DO_SBC:
        subtract_with(t, m);
        break;
    case DO_CMP:
        compare_register(t, A8, A32, NZ_IS_A_LESS, m);
        break;
    case DO_CPX:
        compare_register(t, X8, X32, NZ_IS_X_LESS, m);
        break;
    case DO_CPY:
        compare_register(t, Y8, Y32, NZ_IS_Y_LESS, m);
        break;
    case DO_BIT:
        bit(t, m);
        break;
    case DO_LAS:
        EMIT(e, AND, S8, m);    /* and r11b, m */
        EMIT(e, MOV, A32, S32); /* mov r8d, r11d */
        EMIT(e, MOV, X32, S32); /* mov r9d, r11d */
        set_nz(t, NZ_IS_A, HOST_HAS_NZ);
        break;
    case DO_ANC:
        EMIT(e, AND, A8, m);       /* and r8b, m */
        EMIT(e, MOV, C32, A32);    /* mov edi, r8d */
        EMIT(e, SHR, C32, imm(7)); /* shr edi, 7 */
        t->flags.c = C_HERE;
        set_nz(t, NZ_IS_A, HOST_NOTHING);
        break;
    case DO_ALR:
        EMIT(e, AND, A8, m);      /* and r8b, m */
        EMIT(e, SHR, A8, imm(1)); /* shr r8b, 1 */
        carry_out(t);             /* setc dil */
        set_nz(t, NZ_IS_A, HOST_HAS_NZ);
        break;
    case DO_ARR:
        arr(t, m);
        break;
    case DO_ANE:
        EMIT(e, OR, A8, imm8(ANE_CONSTANT)); /* or r8b, constant */
        EMIT(e, AND, A8, X8);                /* and r8b, r9b */
        EMIT(e, AND, A8, m);                 /* and r8b, m */
        set_nz(t, NZ_IS_A, HOST_HAS_NZ);
        break;
    case DO_LXA:
        EMIT(e, OR, A8, imm8(LXA_CONSTANT)); /* or r8b, constant */
        EMIT(e, AND, A8, m);                 /* and r8b, m */
        EMIT(e, MOV, X32, A32);              /* mov r9d, r8d */
        set_nz(t, NZ_IS_A, HOST_HAS_NZ);
        break;
    case DO_SBX:
        EMIT(e, AND, X8, A8); /* and r9b, r8b */
        EMIT(e, SUB, X8, m);  /* sub r9b, m */
        borrow_out(t);
        set_nz(t, NZ_IS_X, HOST_HAS_NZ);
        break;
    default: /* NOP: operand_place() has emitted its read */
        break;
    }
}

/* ---- WRITE ---- */

/* The register that is stored. */
static operand stored(struct translation *t, const struct guest_op *op) {
    switch (op->mnemonic) {
    case DO_STA:
        return A8;
    case DO_STX:
        return X8;
    case DO_STY:
        return Y8;
    default:                            /* SAX */
        EMIT(t->e, MOV, REG(EDX), A32); /* mov edx, r8d */
        EMIT(t->e, AND, REG(EDX), X32); /* and edx, r9d */
        return REG(DL);
    }
}

static void lower_write(struct translation *t, const struct guest_op *op) {
    if (t->flags.nz == NZ_IS_ZERO_PAGE &&
        (op->info->mode != MODE_ZP || op->bytes[1] == t->flags.number))
        dbt_settle_nz(t->e, &t->flags); /* before it is overwritten */
    if (op->reach != REACH_MEMORY) {
        mmio_write(t, op, stored(t, op));
        return;
    }
    const operand m = operand_place(t, op);
    EMIT(t->e, MOV, m, stored(t, op)); /* mov m, r8b */
}

/* ---- MODIFY ---- */

/* The shift or count of the mnemonic, on byte r; `nz` says which register r is. */
static void shift(struct translation *t, unsigned mnemonic, operand r, unsigned nz) {
    struct emitter *const e = t->e;
    switch (mnemonic) {
    case DO_ASL:
    case DO_SLO:
        EMIT(e, SHL, r, imm(1)); /* shl r, 1 */
        carry_out(t);            /* setc dil */
        set_nz(t, nz, HOST_HAS_NZ);
        break;
    case DO_LSR:
    case DO_SRE:
        EMIT(e, SHR, r, imm(1)); /* shr r, 1 */
        carry_out(t);
        set_nz(t, nz, HOST_HAS_NZ);
        break;
    case DO_ROL:
    case DO_RLA:
        carry_in(t);             /* add dil, -1 */
        EMIT(e, RCL, r, imm(1)); /* rcl r, 1 */
        carry_out(t);            /* setc dil */
        set_nz(t, nz, HOST_NOTHING);
        break;
    case DO_ROR:
    case DO_RRA:
        carry_in(t);
        EMIT(e, RCR, r, imm(1)); /* rcr r, 1 */
        carry_out(t);
        set_nz(t, nz, HOST_NOTHING);
        break;
    case DO_INC:
    case DO_ISC:
        EMIT(e, INC, r); /* inc r */
        set_nz(t, nz, HOST_HAS_NZ);
        break;
    default:             /* DEC, DCP */
        EMIT(e, DEC, r); /* dec r */
        set_nz(t, nz, HOST_HAS_NZ);
        break;
    }
}

/* The second half of unofficial instructions, on the result in sil. */
static void combine(struct translation *t, unsigned mnemonic) {
    struct emitter *const e = t->e;
    switch (mnemonic) {
    case DO_SLO:
        EMIT(e, OR, A8, NZ8); /* or r8b, sil */
        set_nz(t, NZ_IS_A, HOST_HAS_NZ);
        t->flags.carry = CARRY_IS_NOTHING;
        break;
    case DO_RLA:
        EMIT(e, AND, A8, NZ8); /* and r8b, sil */
        set_nz(t, NZ_IS_A, HOST_HAS_NZ);
        t->flags.carry = CARRY_IS_NOTHING;
        break;
    case DO_SRE:
        EMIT(e, XOR, A8, NZ8); /* xor r8b, sil */
        set_nz(t, NZ_IS_A, HOST_HAS_NZ);
        t->flags.carry = CARRY_IS_NOTHING;
        break;
    case DO_RRA:
        add_with(t, NZ8);
        break;
    case DO_ISC:
        subtract_with(t, NZ8);
        break;
    case DO_DCP:
        EMIT(e, MOV, REG(EDX), NZ32); /* mov edx, esi */
        compare(t, A32, REG(DL));
        break;
    default:
        break;
    }
}

/* Does it only write its result to memory? */
static bool is_official(unsigned mnemonic) {
    switch (mnemonic) {
    case DO_ASL:
    case DO_LSR:
    case DO_ROL:
    case DO_ROR:
    case DO_INC:
    case DO_DEC:
        return true;
    default:
        return false;
    }
}

static void lower_modify(struct translation *t, const struct guest_op *op) {
    if (op->info->mode == MODE_ACC) {
        shift(t, op->mnemonic, A8, NZ_IS_A);
        return;
    }
    const operand m = operand_place(t, op);
    if (op->info->mode == MODE_ZP && is_official(op->mnemonic)) {
        shift(t, op->mnemonic, m, NZ_IS_ZERO_PAGE);
        t->flags.number = op->bytes[1];
        return;
    }
    EMIT(t->e, MOVZX, NZ32, m); /* movzx esi, m */
    shift(t, op->mnemonic, NZ8, NZ_HERE);
    EMIT(t->e, MOV, m, NZ8); /* mov m, sil */
    combine(t, op->mnemonic);
}

/* ---- NONE ---- */

static void transfer(struct translation *t, operand to, operand from, unsigned nz) {
    EMIT(t->e, MOV, to, from); /* mov to, from */
    set_nz(t, nz, HOST_NOTHING);
}

/* CLI and PLP may admit a pending IRQ: nes_step handles that. */
static void leave_if_irq(struct translation *t) {
    EMIT(t->e, CMP, FIELD_OF_NES(lines.irq), imm(0)); /* cmp byte [nes + irq], 0 */
    dbt_leave_to_step(t, emit_jump(t->e, JNZ));       /* jnz to nes_step */
}

static void lower_none(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    switch (op->mnemonic) {
    case DO_TAX:
        transfer(t, X32, A32, NZ_IS_X);
        break;
    case DO_TAY:
        transfer(t, Y32, A32, NZ_IS_Y);
        break;
    case DO_TXA:
        transfer(t, A32, X32, NZ_IS_A);
        break;
    case DO_TYA:
        transfer(t, A32, Y32, NZ_IS_A);
        break;
    case DO_TSX:
        transfer(t, X32, S32, NZ_IS_X);
        break;
    case DO_TXS:
        EMIT(e, MOV, S32, X32); /* mov r11d, r9d */
        break;
    case DO_INX:
        shift(t, DO_INC, X8, NZ_IS_X);
        break;
    case DO_INY:
        shift(t, DO_INC, Y8, NZ_IS_Y);
        break;
    case DO_DEX:
        shift(t, DO_DEC, X8, NZ_IS_X);
        break;
    case DO_DEY:
        shift(t, DO_DEC, Y8, NZ_IS_Y);
        break;
    case DO_CLC:
        t->flags.c = C_IS_0;
        break;
    case DO_SEC:
        t->flags.c = C_IS_1;
        break;
    case DO_CLV:
        if (t->flags.nz == NZ_IS_BIT)
            dbt_settle_nz(e, &t->flags);
        EMIT(e, MOV, V32, imm(0)); /* mov ebp, 0 */
        t->flags.v = V_HERE;
        break;
    case DO_CLD:
        EMIT(e, AND, CPU(p), imm8((uint8_t)~P_D)); /* and byte [nes + p], ~D */
        break;
    case DO_SED:
        EMIT(e, OR, CPU(p), imm(P_D)); /* or byte [nes + cpu.p], D */
        break;
    case DO_SEI:
        EMIT(e, OR, CPU(p), imm(P_I)); /* or byte [nes + cpu.p], I */
        break;
    case DO_CLI:
        leave_if_irq(t);
        EMIT(e, AND, CPU(p), imm8((uint8_t)~P_I)); /* and byte [nes + cpu.p], ~I */
        break;
    default: /* NOP */
        break;
    }
}

/* ---- STACK ---- */

/* al = P as it is pushed */
static void gather_flags(struct translation *t) {
    struct emitter *const e = t->e;
    dbt_settle_c(e, &t->flags);
    dbt_settle_nz(e, &t->flags);
    dbt_settle_v(e, &t->flags);
    EMIT(e, MOVZX, REG(EAX), CPU(p));        /* movzx eax, byte [nes + p] */
    EMIT(e, OR, REG(EAX), imm(P_ONE | P_B)); /* or eax, 30h */
    EMIT(e, OR, REG(EAX), C32);              /* or eax, edi */
    EMIT(e, XOR, REG(ECX), REG(ECX));        /* xor ecx, ecx */
    EMIT(e, TEST, NZ16, imm16(0x8080));      /* test si, 8080h */
    EMIT(e, SETNZ, REG(CL));                 /* setnz cl */
    EMIT(e, SHL, REG(ECX), imm(7));          /* shl ecx, 7 */
    EMIT(e, OR, REG(EAX), REG(ECX));         /* or eax, ecx */
    EMIT(e, XOR, REG(ECX), REG(ECX));        /* xor ecx, ecx */
    EMIT(e, TEST, NZ8, NZ8);                 /* test sil, sil */
    EMIT(e, SETZ, REG(CL));                  /* setz cl */
    EMIT(e, LEA, REG(EAX), memx(8, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX, 2, 0));
    EMIT(e, XOR, REG(ECX), REG(ECX)); /* ^ lea eax, [rax + rcx*2]; xor ecx, ecx */
    EMIT(e, TEST, V8, V8);            /* test bpl, bpl */
    EMIT(e, SETNZ, REG(CL));          /* setnz cl */
    EMIT(e, SHL, REG(ECX), imm(6));   /* shl ecx, 6 */
    EMIT(e, OR, REG(EAX), REG(ECX));  /* or eax, ecx */
}

/* From P in eax. */
static void spread_flags(struct translation *t) {
    struct emitter *const e = t->e;
    EMIT(e, MOV, REG(ECX), REG(EAX));       /* mov ecx, eax */
    EMIT(e, AND, REG(ECX), imm(P_I | P_D)); /* and ecx, 0ch */
    EMIT(e, MOV, CPU(p), REG(CL));          /* mov [nes + p], cl */
    EMIT(e, MOV, C32, REG(EAX));            /* mov edi, eax */
    EMIT(e, AND, C32, imm(P_C));            /* and edi, 1 */
    EMIT(e, MOV, V32, REG(EAX));            /* mov ebp, eax */
    EMIT(e, AND, V32, imm(P_V));            /* and ebp, 40h */
    EMIT(e, MOV, NZ32, REG(EAX));           /* mov esi, eax */
    EMIT(e, AND, NZ32, imm(P_N));           /* and esi, 80h */
    EMIT(e, SHL, NZ32, imm(8));             /* shl esi, 8 */
    EMIT(e, TEST, REG(AL), imm(P_Z));       /* test al, 2 */
    EMIT(e, SETZ, REG(CL));                 /* setz cl */
    EMIT(e, OR, NZ8, REG(CL));              /* or sil, cl */
    t->flags.c = C_HERE;
    t->flags.v = V_HERE;
    set_nz(t, NZ_HERE, HOST_NOTHING);
}

static void lower_stack(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    switch (op->mnemonic) {
    case DO_PHA:
        EMIT(e, MOV, MEMORY_AT(R11, 0x100), A8); /* mov [nes + r11 + ram + 100h], r8b */
        EMIT(e, DEC, S8);                        /* dec r11b */
        break;
    case DO_PHP:
        gather_flags(t);
        EMIT(e, MOV, MEMORY_AT(R11, 0x100), REG(AL)); /* mov [nes + r11 + ram + 100h], al */
        EMIT(e, DEC, S8);                             /* dec r11b */
        break;
    case DO_PLA:
        EMIT(e, INC, S8);                           /* inc r11b */
        EMIT(e, MOVZX, A32, MEMORY_AT(R11, 0x100)); /* movzx r8d, byte [stack] */
        set_nz(t, NZ_IS_A, HOST_NOTHING);
        break;
    default: /* PLP */
        leave_if_irq(t);
        EMIT(e, INC, S8);                                /* inc r11b */
        EMIT(e, MOVZX, REG(EAX), MEMORY_AT(R11, 0x100)); /* movzx eax, byte [stack] */
        spread_flags(t);
        break;
    }
}

void dbt_lower(struct translation *t, const struct guest_op *op) {
    t->carry_before =
        takes_carry(op) && dbt_finds_quietly(op) ? t->flags.carry : (uint8_t)CARRY_IS_NOTHING;
    if (op->access != FLOW)
        forget_host_flags(t);
    switch ((enum access)op->access) {
    case READ:
        lower_read(t, op);
        break;
    case WRITE:
        lower_write(t, op);
        break;
    case MODIFY:
        lower_modify(t, op);
        break;
    case NONE:
        lower_none(t, op);
        break;
    case STACK:
        lower_stack(t, op);
        break;
    case FLOW:
        if (op->info->kind == INSN_CALL)
            lower_call(t, op);
        break;
    case MANGLE:
        break; /* never in a block */
    }
}
