/* MMIO accesses in the last cycle of an instruction. nes_step does instructions with further
 * accesses: dummy reads of a device, double writes. */
#include "dbt/lower/mmio.h"

enum {
    PPU_REGISTERS = 0x2000,
    OAM_DMA = 0x4014,
    APU_READABLE = 0x4015,
    PAD_1 = 0x4016,
    PAD_2 = 0x4017
};
enum { PPU_STATUS = 2 /* the last of the PPU's eight registers that can affect the NMI */ };

/* What an access can affect, as known at translation. */
enum effect {
    ANYTHING,
    PPU_APART,   /* the PPU, but no interrupt line */
    STATUS,      /* $2002 */
    APU_APART,   /* the APU, but no interrupt line */
    APU_NOTHING, /* only the APU's sound */
    STROBE,
    PAD, /* a read */
};

/* A board that watches the PPU's bus may raise its IRQ line at any access. */
static enum effect effect_of_ppu(const struct nes *n, const struct guest_op *op) {
    const unsigned reg = operand_of(op) & 7;
    if (op->access == READ && operand_of(op) == PPU_STATUS_ADDRESS)
        return STATUS;
    return reg > PPU_STATUS && !n->board.ops->irq ? PPU_APART : ANYTHING;
}

static enum effect effect_of(const struct nes *n, const struct guest_op *op) {
    const uint16_t at = operand_of(op);
    if (op->info->mode != MODE_ABS || at < PPU_REGISTERS || at >= BOARD_FROM)
        return ANYTHING;
    if (at < 0x4000)
        return effect_of_ppu(n, op);
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

bool mmio_moves_deadline(const struct nes *n, const struct guest_op *op) {
    if (op->reach != REACH_DEVICE)
        return false;
    return effect_of(n, op) == ANYTHING; /* STATUS can only delay it: see dbt_mmio_read() */
}

/* ecx = address of the operand, rax = offset of the last cycle, which includes pending cycles; they
 * stay pending. */
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
            /* A carry makes a dummy read in the base's page. */
            EMIT(e, MOV, REG(EAX), REG(ECX));        /* mov eax, ecx */
            EMIT(e, XOR, REG(EAX), imm(base));       /* xor eax, base */
            EMIT(e, TEST, REG(EAX), imm(0xff00));    /* test eax, 0ff00h */
            dbt_leave_to_step(t, emit_jump(e, JNZ)); /* jnz to nes_step */
        } else if (op->reach == REACH_DEVICE) {
            EMIT(e, CMP, REG(ECX), imm(APU_READABLE)); /* cmp ecx, 4015h */
            dbt_leave_to_step(t, emit_jump(e, JNB));   /* jae to nes_step */
        }
    }
    EMIT(e, MOV, REG(RAX), imm(op->info->cycles - 1 + t->uncounted.cycles)); /* mov rax, place */
}

static void call(struct translation *t, const struct guest_op *op, uint32_t place) {
    where_it_is(t, op);
    forget_host_flags(t);
    emit_bind(t->e, emit_jump(t->e, CALL), place); /* call place */
}

/* As ppu_reads_again(), if allowed: see frame_update_stable(). The result is in the latch, also
 * after the slow path. */
static operand read_status(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    const int64_t ago = (op->info->cycles - 1 + t->uncounted.cycles) * (1 << BUDGET_SHIFT);
    forget_host_flags(t);
    EMIT(e, LEA, REG(RDX), mem(8, ZYDIS_REGISTER_R12, -ago)); /* lea rdx, [r12 - ..] */
    EMIT(e, CMP, REG(RDX), FRAME(status_stable));             /* cmp rdx, [frame + status_stable] */
    struct stub *const s = dbt_add_stub(t, emit_jump(e, JL), STUB_MMIO); /* jl otherwise */
    EMIT(e, MOV, FRAME(status_read), REG(RDX)); /* mov [frame + status_read], rdx */
    s->back = emit_here(e);
    return FIELD_OF_NES(ppu.state.latch);
}

/* The helper for a write: the device's own, or the general one. */
static uint32_t write_helper(const struct translation *t, const struct guest_op *op) {
    const struct devices *const d = &t->fixed->devices;
    switch (effect_of(t->nes, op)) {
    case PPU_APART:
        return d->write_ppu_at[operand_of(op) & 7];
    case APU_APART:
        return d->write_apu;
    case STROBE:
        return d->write_strobe;
    default:
        return d->write;
    }
}

/* Most writes to such a register change only what is heard. */
static void write_halt(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    const uint16_t at = operand_of(op);
    forget_host_flags(t);
    EMIT(e, TEST, REG(EDX), imm(apu_halt_bit(at)));                        /* test edx, bit */
    EMIT(e, SETNZ, REG(AL));                                               /* setnz al */
    EMIT(e, CMP, FIELD_OF_NES(apu.length[apu_channel(at)].halt), REG(AL)); /* cmp [nes + ..], al */
    struct stub *const s = dbt_add_stub(t, emit_jump(e, JNZ), STUB_MMIO);  /* jne otherwise */
    EMIT(e, MOV, FIELD_OF_NES(memory.bus), REG(DL));                       /* mov [nes + bus], dl */
    s->back = emit_here(e);
}

void mmio_otherwise(struct translation *t) {
    const struct guest_op *const op = t->op;
    call(t, op, op->access == READ ? t->fixed->devices.read : write_helper(t, op));
}

operand mmio_read(struct translation *t, const struct guest_op *op) {
    const struct devices *const d = &t->fixed->devices;
    switch (effect_of(t->nes, op)) {
    case STATUS:
        return read_status(t, op);
    case PPU_APART:
        call(t, op, d->read_ppu);
        break;
    case PAD:
        call(t, op, d->read_pad[operand_of(op) - PAD_1]);
        break;
    default:
        call(t, op, d->read);
        break;
    }
    return REG(AL);
}

/* A recording has a cycle for the boundary after the write. */
static bool copies_oam(const struct translation *t, const struct guest_op *op) {
    return op->info->mode == MODE_ABS && operand_of(op) == OAM_DMA && !t->recorded;
}

static void copy_oam(struct translation *t, const struct guest_op *op) {
    const uint16_t next = (uint16_t)(op->pc + op->info->size);
    EMIT(t->e, MOV, CPU(pc), imm16(next)); /* mov word [nes + cpu.pc], next */
    call(t, op, t->fixed->devices.copy_oam);
}

void mmio_write(struct translation *t, const struct guest_op *op, operand value) {
    if (effect_of(t->nes, op) == APU_NOTHING) {
        EMIT(t->e, MOV, FIELD_OF_NES(memory.bus), value); /* mov [nes + bus], value */
        return;
    }
    EMIT(t->e, MOVZX, REG(EDX), value); /* movzx edx, value */
    if (effect_of(t->nes, op) == APU_APART && apu_halt_bit(operand_of(op)))
        write_halt(t, op);
    else if (copies_oam(t, op))
        copy_oam(t, op);
    else
        call(t, op, write_helper(t, op));
}
