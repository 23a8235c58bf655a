/* Accesses to devices: in the last cycle of an instruction, before which nothing can happen. What
 * may do more (a device that is read without purpose on the way, or written twice) is nes_step's.
 */
#include "dbt/touch.h"

enum { APU_READABLE = 0x4015 };

/* eax = address of the operand and the place of the last cycle. What is uncounted stays so: it is
 * in that place. */
static void where_it_is(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    const uint16_t base = operand_of(op);
    const int32_t last_cycle =
        (op->info->cycles - 1 + t->uncounted.cycles) * (1 << LAST_CYCLE_SHIFT);
    const ZydisRegister index = op->info->mode == MODE_ABX   ? ZYDIS_REGISTER_R9
                                : op->info->mode == MODE_ABY ? ZYDIS_REGISTER_R10
                                                             : ZYDIS_REGISTER_NONE;
    if (index == ZYDIS_REGISTER_NONE) {
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
}

void touch_read(struct translation *t, const struct guest_op *op) {
    where_it_is(t, op);
    forget_host_flags(t);
    emit_bind(t->e, emit_jump(t->e, CALL), t->fixed->touch_read); /* call touch_read */
}

void touch_write(struct translation *t, const struct guest_op *op, operand value) {
    EMIT(t->e, MOVZX, REG(EDX), value); /* movzx edx, value */
    where_it_is(t, op);
    forget_host_flags(t);
    emit_bind(t->e, emit_jump(t->e, CALL), t->fixed->touch_write); /* call touch_write */
}
