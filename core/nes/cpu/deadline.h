/*
 * deadline: how far instructions may run without separate bus cycles. Private to core/nes and its
 * engines.
 *
 * A deadline is a cycle at whose end an interrupt line may change, or in which DMA may begin. An
 * instruction may run at once if it surely ends at or before the deadline.
 */
#ifndef HOTGRAPH_DEADLINE_H
#define HOTGRAPH_DEADLINE_H

#include "nes/machine/machine.h"

/* True if an interrupt waits for the end of an instruction. */
static inline bool is_interrupted(const struct nes *n, bool irq_masked) {
    return n->lines.nmi_pending || (n->lines.irq && !irq_masked);
}
/* True if no interrupt can come before the deadline, and the processor is neither jammed nor in
 * reset. */
static inline bool may_run_fast(const struct nes *n, bool irq_masked) {
    return !n->made.options.no_fast && n->cpu.phase == PHASE_RUN && !n->cpu.due &&
           !is_interrupted(n, irq_masked);
}
/* Deadline of an engine that has just accessed a device. 0 if an interrupt waits for the end of the
 * next instruction, which nes_step() must execute. */
static inline uint64_t engine_deadline(const struct nes *n, bool irq_masked) {
    return is_interrupted(n, irq_masked) ? 0 : earlier(n->lines.event, n->dma.from);
}
/* The last cycle in which an instruction may start, at most 2^62. */
static inline uint64_t last_start(uint64_t stop, uint64_t deadline) {
    const uint64_t end = earlier(earlier(stop, deadline), UINT64_MAX / 4);
    const uint64_t safe = deadline < LONGEST_INSTRUCTION ? 0 : deadline - LONGEST_INSTRUCTION;
    return earlier(end - (end > 0), safe);
}
/* True if the next instruction is an RTI, which no engine executes. */
static inline bool next_is_rti(const struct nes *n) {
    const uint8_t *const page = n->memory.rd[n->cpu.r.pc >> 8];
    return page && page[n->cpu.r.pc & 0xff] == OPCODE_RTI;
}

#endif
