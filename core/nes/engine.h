/*
 * engine: what runs guest instructions fast. The machine does everything else.
 *
 * The machine's loop asks its engine to run whole instructions up to a deadline: the next cycle at
 * which the processor could see a change that it did not cause. An engine may run an instruction
 * only if it surely ends before the deadline. It may touch a device in the instruction's last cycle
 * only, by bus_read_at or bus_write_at, and the deadline is engine_deadline()'s from then on.
 * Before any other instruction it returns, at the boundary, and the machine executes that one cycle
 * by cycle (nes_step), with the devices caught up before each access. So time, interrupts and
 * devices are in one place, and an engine cannot get them wrong. RTI, BRK and JAM are always
 * nes_step's, and so are CLI and PLP while the IRQ line is asserted.
 *
 * Invariants
 *  - run() leaves the machine at an instruction boundary with registers, RAM, cycle and
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
    /* Runs instructions while each starts before cycle `stop` (an alarm, the end of the frame or of
     * the run: the machine must come to a boundary there, and it may be late) and surely ends at or
     * before cycle `deadline` (an interrupt line may change at its end, or DMA begin). May run
     * none. Not called while an observer steps: the interpreter does that for all engines. */
    void (*run)(void *self, struct nes *nes, uint64_t stop, uint64_t deadline);
    /* As run(), for n->observed.recorder alone: cpu_run_recorded() or the same. NULL: that. An engine that
     * has it may also record n->observed.coming in run(), which stops at n->observed.later_stop then. */
    void (*record)(void *self, struct nes *nes, uint64_t stop, uint64_t deadline);
    /* The instructions of code that is part of a way (watch.h), which was recorded just now, as
     * they are when `banks` are mapped. Of an engine that has record(). */
    const struct guest_insn *(*recorded_code)(void *self, const struct nes *nes, uint32_t code,
                                              uint64_t banks);
    /* Observers were attached or detached, or a state was loaded: whatever was prepared from guest
     * code is void. */
    void (*forget)(void *self);
    /* Whatever is counted elsewhere is brought to the counters. NULL function: nothing is. */
    void (*settle)(void *self);
    /* As nes_retranslate(), at once or later; NULL function: nothing is translated. */
    void (*retranslate)(void *self, struct nes *nes, uint32_t address);
};

/* What begins at that code address is hot: an engine that has translated it does so again. Changes
 * nothing of what the guest does. For callbacks of probes, and between runs. */
void nes_retranslate(struct nes *nes, uint32_t address);

#endif
