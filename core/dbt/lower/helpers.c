/* Helpers that translated code calls: MMIO, and callbacks of probes. */
#include "dbt/lower/returns.h"

#include "dbt/guest/banks.h"

#include "nes/cpu/cpu_exec.h"
#include "nes/cpu/deadline.h"

static void move_deadline(struct frame *f, uint64_t least) {
    const uint64_t now = engine_deadline(f->nes, f->nes->cpu.r.p & P_I);
    const uint64_t deadline = now > least ? now : least;
    if (deadline != f->deadline) {
        const uint64_t before = f->budget_end;
        f->deadline = deadline;
        f->budget_end = last_start(f->stop, f->deadline);
        f->budget += (int64_t)(f->budget_end - before) * (1 << BUDGET_SHIFT);
    }
    frame_update_stable(f);
}

static bool is_pad(uint16_t address) {
    return address == 0x4016 || address == 0x4017;
}

uint32_t dbt_mmio_read(struct frame *f, uint32_t address, uint64_t cycle) {
    struct nes *const n = f->nes;
    uint8_t value;
    frame_report_status(f);
    if (address == PPU_STATUS_ADDRESS && ppu_reads_again(&n->ppu, cycle, &value)) {
        frame_update_stable(f);
        return value;
    }
    if (is_pad((uint16_t)address))
        return bus_read_pad(n, (uint16_t)address, cycle);
    n->memory.bus = (uint8_t)(address >> 8); /* the last byte that was read */
    value = bus_read_at(n, (uint16_t)address, cycle);
    /* A read of $2002 can only release the NMI line: the deadline never comes earlier. */
    move_deadline(f, address == PPU_STATUS_ADDRESS ? f->deadline : 0);
    return value;
}

void dbt_mmio_write(struct frame *f, uint32_t address, uint32_t value, uint64_t cycle) {
    struct nes *const n = f->nes;
    frame_report_status(f);
    bus_write_at(n, (uint16_t)address, (uint8_t)value, cycle);
    f->moved = n->memory.epoch != f->epoch;
    move_deadline(f, 0);
}

/* Is the boundary between the store before `pc` and the instruction at `pc` unobserved? */
static bool is_between(struct nes *n, uint16_t pc) {
    enum { STORE = 3 };
    return !n->observed.watched || (watch_tally(n, (uint16_t)(pc - STORE)) && watch_tally(n, pc));
}

void dbt_mmio_copy(struct frame *f, uint32_t address, uint32_t value, uint64_t cycle) {
    struct nes *const n = f->nes;
    frame_report_status(f);
    bus_write_at(n, (uint16_t)address, (uint8_t)value, cycle);
    const uint64_t before = n->cpu.cycle;
    if (is_between(n, n->cpu.r.pc) && bus_copy_first(n, n->cpu.r.pc, f->stop))
        f->budget -= (int64_t)(n->cpu.cycle - before) * (1 << BUDGET_SHIFT);
    move_deadline(f, 0);
}

uint32_t dbt_ppu_read(struct frame *f, uint32_t address, uint64_t cycle) {
    frame_report_status(f);
    const uint8_t value = ppu_read(&f->nes->ppu, (uint16_t)address, cycle);
    frame_update_stable(f);
    return value;
}

void dbt_ppu_write(struct frame *f, uint32_t address, uint32_t value, uint64_t cycle) {
    frame_report_status(f);
    ppu_write(&f->nes->ppu, (uint16_t)address, (uint8_t)value, cycle);
    frame_update_stable(f);
}

void dbt_call_probe(struct frame *frame, const struct hook *hook, uint32_t from) {
    struct nes *const n = frame->nes;
    n->cpu.cycle = frame_cycle(frame);
    n->cpu.instructions = frame->instructions + frame_executed(frame);
    const struct probe_event event = {n, from, nes_code_address(n, n->cpu.r.pc)};
    frame_report_status(frame);
    hook->probe.call(hook->probe.user, &event);
    frame_update_stable(frame);
}

uint32_t dbt_add_to(struct frame *f, uint32_t pc, struct targets *targets) {
    struct nes *const n = f->nes;
    const struct probe_event event = {n, targets->from, nes_code_address(n, (uint16_t)pc)};
    if (targets->row && returns_target(targets->returns, targets->row, (uint16_t)pc, event.to))
        return pc;
    const uint32_t counter = watch_add_to(n, targets->hook, &event);
    if (counter != UINT32_MAX && window_in(targets->certain, (uint16_t)pc)) {
        targets->at[pc % TARGETS].pc = pc;
        targets->at[pc % TARGETS].counter = counter;
    }
    return pc;
}
