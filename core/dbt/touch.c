/* Accesses to devices: in the last cycle of an instruction, before which nothing can happen. What
 * may do more (a device that is read without purpose on the way, or written twice) is nes_step's.
 */
#include "dbt/touch.h"

enum {
    PPU_REGISTERS = 0x2000,
    OAM_DMA = 0x4014,
    APU_READABLE = 0x4015,
    PAD_1 = 0x4016,
    PAD_2 = 0x4017
};
enum { PPU_STATUS = 2 /* of the PPU's eight registers the last that has to do with its NMI */ };

/* What is known of an access when it is translated. */
enum touched {
    ANYTHING,
    PPU_APART,   /* the PPU, but no line */
    STATUS,      /* $2002 */
    APU_APART,   /* the APU, but no line */
    APU_NOTHING, /* of it, what can only be heard */
    STROBE,
    PAD, /* a read */
};

/* A board that looks at the PPU's bus may raise its IRQ line for any access. */
static enum touched touched_ppu(const struct nes *n, const struct guest_op *op) {
    const unsigned reg = operand_of(op) & 7;
    if (op->access == READ && operand_of(op) == PPU_STATUS_ADDRESS)
        return STATUS;
    return reg > PPU_STATUS && !n->board.ops->irq ? PPU_APART : ANYTHING;
}

static enum touched touched(const struct nes *n, const struct guest_op *op) {
    const uint16_t at = operand_of(op);
    if (op->info->mode != MODE_ABS || at < PPU_REGISTERS || at >= BOARD_FROM)
        return ANYTHING;
    if (at < 0x4000)
        return touched_ppu(n, op);
    if (at == PAD_1 || at == PAD_2)
        return op->access == READ ? PAD : at == PAD_1 ? STROBE : ANYTHING;
    if (op->access == READ || at == OAM_DMA)
        return ANYTHING;
    switch (apu_effect(at)) {
    case APU_HEARD:
        return APU_NOTHING;
    case APU_SEEN:
        return APU_APART;
    case APU_MOVES:
        break;
    }
    return ANYTHING;
}

bool touch_moves_deadline(const struct nes *n, const struct guest_op *op) {
    if (op->reach != REACH_DEVICE)
        return false;
    const enum touched what = touched(n, op);
    return what == ANYTHING || what == STATUS;
}

/* ecx = address of the operand, rax = place of the last cycle. What is uncounted stays so: it is in
 * that place. */
static void where_it_is(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    const uint16_t base = operand_of(op);
    const ZydisRegister index = op->info->mode == MODE_ABX   ? ZYDIS_REGISTER_R9
                                : op->info->mode == MODE_ABY ? ZYDIS_REGISTER_R10
                                                             : ZYDIS_REGISTER_NONE;
    if (index == ZYDIS_REGISTER_NONE) {
        EMIT(e, MOV, REG(ECX), imm(base)); /* mov ecx, base */
    } else {
        EMIT(e, LEA, REG(ECX), mem(8, index, base)); /* lea ecx, [index + base] */
        if (op->access == READ) {
            /* With a carry, the page of the base would be read first. */
            EMIT(e, MOV, REG(EAX), REG(ECX));     /* mov eax, ecx */
            EMIT(e, XOR, REG(EAX), imm(base));    /* xor eax, base */
            EMIT(e, TEST, REG(EAX), imm(0xff00)); /* test eax, 0ff00h */
            leave_at(t, emit_jump(e, JNZ));       /* jnz to nes_step */
        } else if (op->reach == REACH_DEVICE) {
            EMIT(e, CMP, REG(ECX), imm(APU_READABLE)); /* cmp ecx, 4015h */
            leave_at(t, emit_jump(e, JNB));            /* jae to nes_step */
        }
    }
    EMIT(e, MOV, REG(RAX), imm(op->info->cycles - 1 + t->uncounted.cycles)); /* mov rax, place */
}

static void call(struct translation *t, const struct guest_op *op, uint32_t place) {
    where_it_is(t, op);
    forget_host_flags(t);
    emit_bind(t->e, emit_jump(t->e, CALL), place); /* call place */
}

/* As ppu_reads_again() does it, where it may. */
static void read_status(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    const int64_t ago = (op->info->cycles - 1 + t->uncounted.cycles) * (1 << BUDGET_SHIFT);
    forget_host_flags(t);
    EMIT(e, LEA, REG(RDX), mem(8, ZYDIS_REGISTER_R12, -ago)); /* lea rdx, [r12 - ..] */
    EMIT(e, MOV, REG(RAX), FRAME(budget_end));                /* mov rax, [frame + ..] */
    EMIT(e, SAR, REG(RDX), imm(BUDGET_SHIFT));                /* sar rdx, 16 */
    EMIT(e, SUB, REG(RAX), REG(RDX));                         /* sub rax, rdx: the cycle */
    EMIT(e, CMP, REG(RAX), FIELD_OF_NES(ppu.calm));           /* cmp rax, [nes + calm] */
    struct stub *const s = add_stub(t, emit_jump(e, JNB), STUB_STATUS); /* jae otherwise */
    EMIT(e, MOV, FIELD_OF_NES(ppu.s.latch_cycle[0]), REG(RAX));         /* mov [nes + ..], rax */
    EMIT(e, MOV, FIELD_OF_NES(ppu.s.latch_cycle[1]), REG(RAX));         /* mov [nes + ..], rax */
    EMIT(e, MOVZX, REG(EAX), FIELD_OF_NES(ppu.s.latch)); /* movzx eax, [nes + latch] */
    s->back = emit_here(e);
}

void touch_status(struct translation *t) {
    call(t, t->op, t->fixed->devices.read);
}

void touch_read(struct translation *t, const struct guest_op *op) {
    const struct devices *const d = &t->fixed->devices;
    switch (touched(t->nes, op)) {
    case PPU_APART:
        call(t, op, d->read_ppu);
        break;
    case STATUS:
        read_status(t, op);
        break;
    case PAD:
        call(t, op, d->read_pad[operand_of(op) - PAD_1]);
        break;
    default:
        call(t, op, d->read);
        break;
    }
}

void touch_write(struct translation *t, const struct guest_op *op, operand value) {
    const struct devices *const d = &t->fixed->devices;
    const enum touched what = touched(t->nes, op);
    if (what == APU_NOTHING) {
        EMIT(t->e, MOV, FIELD_OF_NES(bus), value); /* mov [nes + bus], value */
        return;
    }
    EMIT(t->e, MOVZX, REG(EDX), value); /* movzx edx, value */
    switch (what) {
    case PPU_APART:
        call(t, op, d->write_ppu);
        break;
    case APU_APART:
        call(t, op, d->write_apu);
        break;
    case STROBE:
        call(t, op, d->write_strobe);
        break;
    default:
        call(t, op, d->write);
        break;
    }
}
