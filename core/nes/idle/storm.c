/*
 * Skips unacknowledged IRQ loops: the IRQ stays asserted and its handler is a single RTI. Then
 * interrupt and RTI alternate, and each pass returns to the boundary before the interrupt, until a
 * line changes or DMA begins. All passes but the first are counted instead of executed, as for
 * busy-waits (wait_pass.c).
 */
#include "nes/idle/storm.h"
#include "nes/cpu/cpu_exec.h"
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

enum { PASS_CYCLES = 7 + 6 /* interrupt, RTI */, VECTOR_IRQ = 0xfffe };

static bool in_rom(const struct nes *n, uint16_t address) {
    return address >= 0x8000 && n->memory.rd[address >> 8] && !n->memory.wr[address >> 8];
}

static uint8_t peek(const struct nes *n, uint16_t address) {
    return n->memory.rd[address >> 8][address & 0xff];
}

static uint16_t irq_handler(const struct nes *n) {
    return (uint16_t)(peek(n, VECTOR_IRQ) | peek(n, VECTOR_IRQ + 1) << 8);
}

/* True also requires that the dummy reads, after the RTI and at its return address, hit plain
 * memory. */
static bool handler_is_rti(const struct nes *n) {
    if (!in_rom(n, VECTOR_IRQ) || !n->memory.rd[n->cpu.r.pc >> 8])
        return false;
    const uint16_t handler = irq_handler(n);
    return in_rom(n, handler) && in_rom(n, (uint16_t)(handler + 1)) &&
           peek(n, handler) == OPCODE_RTI;
}

static bool takes_irq(const struct nes *n) {
    return n->cpu.phase == PHASE_RUN && n->cpu.due && !n->lines.nmi_pending && n->lines.irq &&
           !(n->cpu.r.p & P_I);
}

/* True if no observer needs each event separately. */
static bool can_be_counted(const struct nes *n) {
    const struct watch *const w = n->observed.watch;
    return !n->made.options.no_skip && !n->made.options.no_fast && !n->observed.stepping &&
           !n->observed.announced && (w->listeners & ~w->counting) == 0;
}

/* True if the probes can be counted without firing each one. */
static bool fires_adds_only(const struct hooks *hooks) {
    for (size_t i = 0; i < hooks->count; i++)
        if (hooks->at[i].probe.kind != PROBE_ADD)
            return false;
    return true;
}

static void fire_repeatedly(struct nes *n, const struct hooks *hooks, uint64_t times) {
    for (size_t i = 0; i < hooks->count; i++) {
        n->observed.counters[hooks->at[i].probe.counter] += hooks->at[i].probe.value * times;
        watch_count(n, &hooks->at[i], times);
    }
}

/* Accounts for the pass just executed `times` more. An RTI that resumes a context fires no probes
 * after it. */
static void repeat_pass(struct nes *n, uint64_t times) {
    const uint16_t handler = irq_handler(n);
    if (n->observed.watched)
        fire_repeatedly(n, &watch_mapped(n, handler)->probes[PROBE_BEFORE], times);
    if (n->observed.watch->listeners)
        contexts_repeat(n, nes_code_address(n, handler), times);
    n->cpu.cycle += times * PASS_CYCLES;
    n->observed.switched = n->cpu.cycle;
    n->cpu.instructions += times;
    n->idle.skipped += times;
}

bool storm_pass(struct nes *n, uint64_t stop) {
    const uint64_t start = n->cpu.cycle, end = earlier(stop, earlier(n->lines.event, n->dma.from));
    if (!can_be_counted(n) || !takes_irq(n) || end < start + 2 * PASS_CYCLES || !handler_is_rti(n))
        return false;
    const struct registers before = n->cpu.r;
    n->observed.attention = false;
    nes_step(n);
    nes_step(n);
    if (n->cpu.cycle != start + PASS_CYCLES || !takes_irq(n) || n->observed.attention ||
        n->cpu.r.pc != before.pc || n->cpu.r.s != before.s || n->cpu.r.p != before.p)
        return true;
    if (!n->observed.watched ||
        fires_adds_only(&watch_mapped(n, irq_handler(n))->probes[PROBE_BEFORE]))
        repeat_pass(n, (end - n->cpu.cycle) / PASS_CYCLES);
    return true;
}
