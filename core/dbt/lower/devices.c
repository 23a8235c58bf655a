/* Fixed code that calls helpers, mostly for the machine's devices. */
#include "dbt/lower/devices.h"

/* Guest registers that a call does not preserve. */
static const ZydisRegister volatiles[] = {ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9,
                                          ZYDIS_REGISTER_R10, ZYDIS_REGISTER_R11,
                                          ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDI};
enum { VOLATILES = sizeof volatiles / sizeof *volatiles };

static void save_volatiles(struct emitter *e) {
    for (unsigned i = 0; i < VOLATILES; i++)
        EMIT(e, PUSH, reg(volatiles[i])); /* push r8 ... rdi */
}

static void restore_volatiles(struct emitter *e) {
    for (unsigned i = VOLATILES; i-- > 0;)
        EMIT(e, POP, reg(volatiles[i])); /* pop rdi ... r8 */
}

/* Calls a function on the host's stack. */
static void call_there(struct emitter *e, int64_t function) {
    EMIT(e, MOV, FRAME(called_at), REG(RSP));  /* mov [frame + called_at], rsp */
    EMIT(e, MOV, REG(RSP), FRAME(host_stack)); /* mov rsp, [frame + host_stack] */
    EMIT(e, SUB, REG(RSP), imm(8));            /* sub rsp, 8: a multiple of 16 */
    EMIT(e, MOV, REG(RAX), imm(function));     /* mov rax, function */
    EMIT(e, CALL, REG(RAX));                   /* call rax */
    EMIT(e, MOV, REG(RSP), FRAME(called_at));  /* mov rsp, [frame + called_at] */
}

void emit_call(struct emitter *e, int64_t function) {
    EMIT(e, MOV, REG(RDI), reg(FRAME_AT)); /* mov rdi, frame */
    EMIT(e, MOV, FRAME(budget), BUDGET);   /* mov [frame + budget], r12 */
    call_there(e, function);
}

uint32_t emit_function(struct emitter *e, int64_t function) {
    const uint32_t place = emit_here(e);
    save_volatiles(e);
    EMIT(e, MOV, REG(ESI), REG(EAX)); /* mov esi, eax */
    emit_call(e, function);
    EMIT(e, MOV, BUDGET, FRAME(budget)); /* mov r12, [frame + budget] */
    restore_volatiles(e);
    emit_ret(e); /* ret */
    return place;
}

/* ---- accesses ---- */

void emit_cycle_of_access(struct emitter *e, operand scratch) {
    EMIT(e, ADD, REG(RAX), FRAME(budget_end)); /* add rax, [frame + budget_end] */
    EMIT(e, MOV, scratch, BUDGET);             /* mov scratch, r12 */
    EMIT(e, SAR, scratch, imm(BUDGET_SHIFT));  /* sar scratch, 16 */
    EMIT(e, SUB, REG(RAX), scratch);           /* sub rax, scratch */
}

void emit_place_of_access(struct emitter *e, operand scratch) {
    EMIT(e, SUB, REG(RAX), FRAME(budget_end)); /* sub rax, [frame + budget_end] */
    EMIT(e, MOV, scratch, BUDGET);             /* mov scratch, r12 */
    EMIT(e, SAR, scratch, imm(BUDGET_SHIFT));  /* sar scratch, 16 */
    EMIT(e, ADD, REG(RAX), scratch);           /* add rax, scratch */
}

/* Saves registers and sets the arguments after the first: address, value (of a write), cycle. */
static void arguments(struct emitter *e, bool writes) {
    EMIT(e, MOV, REG(ESI), REG(ECX)); /* mov esi, ecx */
    emit_cycle_of_access(e, REG(RDI));
    if (writes)
        EMIT(e, MOV, REG(RCX), REG(RAX)); /* mov rcx, rax */
    else
        EMIT(e, MOV, REG(RDX), REG(RAX)); /* mov rdx, rax */
}

/* Calls dbt_mmio_read(), dbt_mmio_write() or dbt_mmio_copy(). */
static uint32_t emit_touch(struct emitter *e, int64_t function, bool writes) {
    const uint32_t place = emit_here(e);
    save_volatiles(e);
    arguments(e, writes);
    emit_call(e, function);
    EMIT(e, MOV, BUDGET, FRAME(budget)); /* mov r12, [frame + budget] */
    restore_volatiles(e);
    emit_ret(e); /* ret */
    return place;
}

/* Calls a function whose first argument is at `self`: the device or the frame. */
static uint32_t emit_device(struct emitter *e, int64_t function, operand self, bool writes) {
    const uint32_t place = emit_here(e);
    save_volatiles(e);
    if (writes)
        EMIT(e, MOV, FIELD_OF_NES(memory.bus), REG(DL)); /* mov [nes + bus], dl */
    arguments(e, writes);
    EMIT(e, LEA, REG(RDI), self); /* lea rdi, [self] */
    call_there(e, function);
    restore_volatiles(e);
    if (!writes) {
        EMIT(e, MOV, FIELD_OF_NES(memory.bus), REG(AL)); /* mov [nes + bus], al */
        EMIT(e, MOVZX, REG(EAX), REG(AL));               /* movzx eax, al */
    }
    emit_ret(e); /* ret */
    return place;
}

/* Finishes a read whose cycle is in rax, by the general helper. */
static void read_otherwise(struct emitter *e, const struct devices *devices) {
    emit_place_of_access(e, REG(RDX));
    emit_bind(e, emit_jump(e, JMP), devices->read); /* jmp read */
}

enum { PAD_1 = 0x4016, FROM_SHIFTED_OUT = 0x80, BUS_OF_PADS = 0x40 };

/* As bus.c, if the strobe has been low for some time. Two instructions never read in adjacent
 * cycles. */
static uint32_t emit_read_pad(struct emitter *e, const struct devices *devices, unsigned port) {
    const uint32_t place = emit_here(e);
    emit_cycle_of_access(e, REG(RDX));
    EMIT(e, CMP, REG(RAX), FIELD_OF_NES(pads.strobe_cycle));     /* cmp rax, [nes + strobe_cycle] */
    const uint32_t late = emit_jump(e, JNB);                     /* jae otherwise */
    EMIT(e, CMP, FIELD_OF_NES(pads.strobe), imm(0));             /* cmp byte [nes + strobe], 0 */
    const uint32_t high = emit_jump(e, JNZ);                     /* jnz otherwise */
    EMIT(e, MOV, FIELD_OF_NES(pads.read_cycle[port]), REG(RAX)); /* mov [nes + read_cycle], rax */
    EMIT(e, MOVZX, REG(EAX), FIELD_OF_NES(pads.shift[port]));    /* movzx eax, [nes + shift] */
    EMIT(e, MOV, REG(EDX), REG(EAX));                            /* mov edx, eax */
    EMIT(e, SHR, REG(EDX), imm(1));                              /* shr edx, 1 */
    EMIT(e, OR, REG(EDX), imm(FROM_SHIFTED_OUT));                /* or edx, 80h */
    EMIT(e, MOV, FIELD_OF_NES(pads.shift[port]), REG(DL));       /* mov [nes + shift], dl */
    EMIT(e, AND, REG(EAX), imm(1));                              /* and eax, 1 */
    EMIT(e, MOV, FIELD_OF_NES(pads.out[port]), REG(AL));         /* mov [nes + out], al */
    EMIT(e, OR, REG(EAX), imm(BUS_OF_PADS));                     /* or eax, 40h */
    EMIT(e, MOV, FIELD_OF_NES(memory.bus), REG(AL));             /* mov [nes + bus], al */
    emit_ret(e);                                                 /* ret */
    emit_bind(e, late, emit_here(e));                            /* otherwise: */
    emit_bind(e, high, emit_here(e));
    read_otherwise(e, devices);
    return place;
}

/* Reads with an address known only at run time; `anything`: the code for other registers. */
static uint32_t emit_read(struct emitter *e, const struct devices *devices, uint32_t anything) {
    const uint32_t place = emit_here(e);
    EMIT(e, LEA, REG(EDX), mem(8, ZYDIS_REGISTER_RCX, -PAD_1)); /* lea edx, [rcx - 4016h] */
    EMIT(e, CMP, REG(EDX), imm(1));                             /* cmp edx, 1 */
    emit_bind(e, emit_jump(e, JNBE), anything);                 /* ja anything */
    emit_bind(e, emit_jump(e, JZ), devices->read_pad[1]);       /* je read_pad[1] */
    emit_bind(e, emit_jump(e, JMP), devices->read_pad[0]);      /* jmp read_pad[0] */
    return place;
}

void devices_code(struct devices *devices, struct emitter *e) {
    const operand frame = mem(8, FRAME_AT, 0), nes = mem(8, NES, 0);
    const operand apu = mem(8, NES, offsetof(struct nes, apu));
    devices->read = emit_touch(e, (int64_t)(uintptr_t)dbt_mmio_read, false);
    devices->write = emit_touch(e, (int64_t)(uintptr_t)dbt_mmio_write, true);
    devices->copy_oam = emit_touch(e, (int64_t)(uintptr_t)dbt_mmio_copy, true);
    devices->read_ppu = emit_device(e, (int64_t)(uintptr_t)dbt_ppu_read, frame, false);
    devices->write_ppu = emit_device(e, (int64_t)(uintptr_t)dbt_ppu_write, frame, true);
    devices->write_apu = emit_device(e, (int64_t)(uintptr_t)apu_write, apu, true);
    devices->write_strobe = emit_device(e, (int64_t)(uintptr_t)bus_write_strobe, nes, true);
    for (unsigned port = 0; port < 2; port++)
        devices->read_pad[port] = emit_read_pad(e, devices, port);
    devices->read = emit_read(e, devices, devices->read);
}
