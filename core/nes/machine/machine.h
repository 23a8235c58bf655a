/*
 * machine: struct nes, which consists of parts. Each part's type is in the header of the room that
 * owns it. Private to core/nes and its engines.
 *
 * The rooms, from the top down; each uses those below it, and none above (a test checks that):
 *
 *     run/machine.c, state.c     the loop that all engines share; saved states
 *     idle/wait_pass.c, spin.c, storm.c
 *                                skipping busy-waits and unacknowledged IRQ loops
 *     cpu/cpu_*.c, wait.c        instructions; which jumps may end a busy-wait
 *     bus/bus.c                  registers, pads, DMA, interrupt lines
 *     observe/probes.c, contexts.c, watch.c, trace_recorder.c
 *                                observers, interrupted contexts, instrumented instructions,
 *                                recorded instructions
 *     run/inspect.c, bus/bus_map.c
 *                                queries from outside; the page table
 *     ppu/ppu.c, apu/apu.c, board/board.c
 *                                the devices, which know nothing of the machine
 *
 * All parts are in one struct because a console is one: each processor cycle moves every device,
 * and each device may stop or interrupt the processor.
 *
 * Time: cpu.cycle is the number of processor cycles done, that is the number of the next cycle.
 * Devices are lazy: they catch up only when they are accessed. What the processor could notice by
 * itself is published as lines.event (an interrupt line may change at the end of that cycle) and
 * dma.from (a read in that cycle or later is halted). Before both, an instruction that touches only
 * memory needs no separate bus cycles.
 *
 * Invariants at every instruction boundary
 *  - memory.rd, wr and code_end agree with the board's pages.
 *  - bus_nmi_level(), lines.nmi_pending and lines.irq are what the chip's latches hold at the end
 *    of cycle cpu.cycle - 1.
 *  - memory.bus matters only if the next fetch is from open bus.
 */
#ifndef HOTGRAPH_MACHINE_H
#define HOTGRAPH_MACHINE_H

#include "nes/apu/apu.h"
#include "nes/board/board.h"
#include "nes/bus/bus.h"
#include "nes/cpu/cpu.h"
#include "nes/engine.h"
#include "nes/idle/idle.h"
#include "nes/nes.h"
#include "nes/observe/contexts.h"
#include "nes/observe/observe.h"
#include "nes/ppu/ppu.h"
#include "nes/run/video_frame.h"

#define NEVER UINT64_MAX
static inline uint64_t earlier(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* How the machine was created. */
struct made {
    struct nes_options options;
    const struct engine *engine;
    void *engine_self;
    uint16_t *pictures;
};

/* "saved": the part, or those of its members that its header marks, belong to a saved state. The
 * rest is derived from them and void after a load. */
struct nes {
    struct memory memory;     /* saved: ram, bus */
    struct cpu cpu;           /* saved, except fetched, started */
    struct video_frame frame; /* saved */
    struct pads pads;         /* saved */
    struct dma dma;           /* saved: oam_pending, oam_page */
    struct lines lines;       /* saved: nmi_level, nmi_pending, irq */
    struct contexts contexts; /* saved */
    struct board board;       /* saved: state, prg_ram, chr_ram */
    struct ppu ppu;           /* saved: s */
    struct apu apu;           /* saved */
    struct idle idle;
    struct observed observed;
    struct made made;
};

#endif
