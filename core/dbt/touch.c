/* Accesses to devices: in the last cycle of an instruction, before which nothing can happen. What
 * may do more (a device that is read without purpose on the way, or written twice) is nes_step's.
 */
#include "dbt/translator.h"

#include "nes/cpu_exec.h"

enum { LAST_CYCLE_SHIFT = 16, APU_READABLE = 0x4015 };

/* ---- while it runs ---- */

static uint64_t cycle_of(const struct frame *f, uint32_t where) {
    return f->budget_end - (uint64_t)f->budget + (where >> LAST_CYCLE_SHIFT);
}

static void move_deadline(struct frame *f) {
    const uint64_t now = f->budget_end - (uint64_t)f->budget;
    const uint64_t deadline = engine_deadline(f->nes, f->nes->cpu.p & P_I);
    if (deadline == f->deadline)
        return;
    f->deadline = deadline;
    f->budget_end = last_start(f->stop, f->deadline);
    f->budget = (int64_t)(f->budget_end - now);
}

uint32_t dbt_touch_read(struct frame *f, uint32_t where) {
    struct nes *const n = f->nes;
    const uint16_t address = (uint16_t)where;
    const uint64_t cycle = cycle_of(f, where);
    uint8_t value;
    if (address == PPU_STATUS_ADDRESS && ppu_reads_again(&n->ppu, cycle, &value))
        return value;
    n->bus = address >> 8; /* the last byte that was read */
    value = bus_read_at(n, address, cycle);
    move_deadline(f);
    return value;
}

void dbt_touch_write(struct frame *f, uint32_t where, uint32_t value) {
    struct nes *const n = f->nes;
    bus_write_at(n, (uint16_t)where, (uint8_t)value, cycle_of(f, where));
    f->moved = n->map_epoch != f->epoch;
    move_deadline(f);
}

/* ---- while it is translated ---- */

/* eax = address of the operand and the place of the last cycle */
static void where_it_is(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    const uint16_t base = (uint16_t)(op->bytes[1] | op->bytes[2] << 8);
    const int32_t last_cycle = (op->info->cycles - 1) << LAST_CYCLE_SHIFT;
    const ZydisRegister index = op->info->mode == MODE_ABX   ? ZYDIS_REGISTER_R9
                                : op->info->mode == MODE_ABY ? ZYDIS_REGISTER_R10
                                                             : ZYDIS_REGISTER_NONE;
    if (index == ZYDIS_REGISTER_NONE) {
        settle(t);
        EMIT(e, MOV, REG(EAX), imm(base | last_cycle)); /* mov eax, where */
        return;
    }
    EMIT(e, LEA, REG(EAX), mem(8, index, base | last_cycle)); /* lea eax, [index + where] */
    if (op->access == READ) {
        /* With a carry, the page of the base would be read first. */
        EMIT(e, MOV, REG(ECX), REG(EAX));               /* mov ecx, eax */
        EMIT(e, XOR, REG(ECX), imm(base | last_cycle)); /* xor ecx, where */
        EMIT(e, TEST, REG(ECX), imm(0xff00));           /* test ecx, 0ff00h */
        leave_at(t, emit_jump(e, JNZ));                 /* jnz to nes_step */
    } else if (op->reach == REACH_DEVICE) {
        EMIT(e, CMP, REG(EAX), imm(APU_READABLE | last_cycle)); /* cmp eax, ... */
        leave_at(t, emit_jump(e, JNB));                         /* jae to nes_step */
    }
    settle(t);
}

void touch_read(struct translation *t, const struct guest_op *op) {
    where_it_is(t, op);
    emit_bind(t->e, emit_jump(t->e, CALL), t->dbt->touch_read); /* call touch_read */
}

void touch_write(struct translation *t, const struct guest_op *op, operand value) {
    EMIT(t->e, MOVZX, REG(EDX), value); /* movzx edx, value */
    where_it_is(t, op);
    emit_bind(t->e, emit_jump(t->e, CALL), t->dbt->touch_write); /* call touch_write */
}
