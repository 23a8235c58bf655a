/*
 * engine: what runs guest instructions fast. The machine does everything else.
 *
 * The machine's loop asks its engine to run whole instructions up to a deadline: the next cycle in
 * which the processor could see a change that it did not cause. An engine may run an instruction
 * only if it surely ends before the deadline. It may access a device only in the instruction's last
 * cycle, by bus_read_at or bus_write_at; from then on the deadline is that of engine_deadline().
 * Before any other instruction it returns at the boundary, and the machine executes that
 * instruction cycle by cycle (nes_step), with the devices caught up before each access. So time,
 * interrupts and devices are handled in one place, and an engine cannot get them wrong. RTI, BRK
 * and JAM are always left to nes_step, and so are CLI and PLP while the IRQ line is asserted.
 *
 * Invariants
 *  - run() leaves the machine at an instruction boundary, with registers, RAM, cycle and
 *    instruction count exact.
 *  - Probes fire exactly as nes_step fires them.
 */
#ifndef HOTGRAPH_ENGINE_H
#define HOTGRAPH_ENGINE_H

#include "nes/nes.h"

struct engine {
    const char *name;
    /* Creates the engine's own state for a machine; NULL function: none needed. */
    enum status (*create)(void **self, struct nes *nes, struct error *e);
    void (*destroy)(void *self);
    /* Runs instructions while each starts before cycle `stop` (an alarm, or the end of the frame or
     * run: the machine stops at the first boundary from there on) and surely ends at or before
     * cycle `deadline` (at its end an interrupt line may change, or DMA may begin). May run none.
     * Not called while an observer steps: the interpreter does that for all engines. */
    void (*run)(void *self, struct nes *nes, uint64_t stop, uint64_t deadline);
    /* As run(), but also records for observed.recorder. NULL: cpu_run_recorded() is used. An engine
     * that has it may also start observed.coming within run(), up to observed.later_stop. */
    void (*record)(void *self, struct nes *nes, uint64_t stop, uint64_t deadline);
    /* For an engine that has record(): the instructions of code number `code` of a trace that was
     * recorded just now (trace_recorder.h), with `banks` mapped. */
    const struct guest_insn *(*recorded_code)(void *self, const struct nes *nes, uint32_t code,
                                              uint64_t banks);
    /* Invalidates everything prepared from guest code: observers were attached or detached, or a
     * state was loaded. */
    void (*forget)(void *self);
    /* Instead of forget(), if all that changed is that an observer without probes was detached:
     * invalidates what refers to recordings. NULL: forget() is called. */
    void (*forget_recorded)(void *self);
    /* The instructions at these pcs have other probes now, in all banks: code prepared from them must not run any
     * more. Not within run(). NULL: nothing is prepared. */
    void (*probes_changed)(void *self, const bool at_pc[0x10000]);
    /* Flushes what the engine counts elsewhere to the counters. NULL: nothing is. */
    void (*settle)(void *self);
    /* As nes_retranslate(), at once or later. NULL: nothing is translated. */
    void (*retranslate)(void *self, struct nes *nes, uint32_t address);
};

/* Hint that the code at this address is hot: a translator translates it again. Does not affect the
 * guest. For callbacks of probes, and between runs. */
void nes_retranslate(struct nes *nes, uint32_t address);

#endif
