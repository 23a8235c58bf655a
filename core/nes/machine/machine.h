/*
 * machine: the inside of struct nes, shared by the files of core/nes and by engines.
 *
 * The files, from the top down; each uses those below it, and none above (a test checks that):
 *
 *     run/machine.c, state.c     the loop that all engines share; saved states
 *     idle/wait_pass.c, spin.c, storm.c
 *                                skipping busy-waits and unacknowledged IRQ loops
 *     cpu/cpu_*.c, wait.c        instructions; which jumps may end a busy-wait
 *     bus/bus.c                  registers, pads, DMA, interrupt lines
 *     observe/probes.c, contexts.c, watch.c, trace.c
 *                                observers, interrupted contexts, instrumented instructions,
 *                                recorded instructions
 *     run/inspect.c, bus/bus_map.c
 *                                queries from outside; the page table
 *     ppu/ppu.c, apu/apu.c, board/board.c
 *                                the devices, which know nothing of the machine
 *
 * They share one struct because a console is one: the processor's cycle moves every device, and
 * each of them may stop or interrupt the processor. What the struct holds is grouped by what
 * becomes of it: the state, which is saved; what is derived from the state; how the machine was
 * made.
 *
 * Time: `cycle` is the number of processor cycles done, that is the number of the cycle to be done
 * next. Nothing outside the processor happens until it is asked for; what the processor could
 * notice by itself is published as `event` (an interrupt line may change at the end of that cycle)
 * and `dma_from` (a read in that cycle or later is halted). Before both, an instruction that
 * touches only memory needs no separate bus cycles.
 *
 * Invariants at every instruction boundary
 *  - rd, wr and code_end agree with the board's pages.
 *  - bus_nmi_level(), nmi_pending and irq are what the chip's latches hold at the end of cycle - 1.
 *  - `bus` (the value left on the data bus) matters only where the next fetch is from open bus.
 */
#ifndef HOTGRAPH_MACHINE_H
#define HOTGRAPH_MACHINE_H

#include "nes/apu/apu.h"
#include "nes/board/board.h"
#include "nes/cpu/wait.h"
#include "nes/engine.h"
#include "nes/idle/spin.h"
#include "nes/nes.h"
#include "nes/ppu/ppu.h"

#define NEVER UINT64_MAX
static inline uint64_t earlier(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

enum {
    RAM_SIZE = 0x800,
    LONGEST_INSTRUCTION = 8, /* cycles, untouched by DMA */
};

struct cpu {
    uint16_t pc;
    uint16_t nz; /* flag Z: low byte is 0; flag N: bit 7 or 15 */
    uint8_t a, x, y, s;
    uint8_t p; /* I and D in their places */
    uint8_t c; /* 0 or 1 */
    uint8_t v; /* not 0: set */
};
uint8_t cpu_flags(const struct cpu *cpu); /* P as pushed, bit 5 set, bit 4 clear */
void cpu_set_flags(struct cpu *cpu, uint8_t flags);

/* Where an instruction went, for probes. */
enum went { WENT_NEXT, WENT_TARGET, WENT_ELSEWHERE, WENT_RTI, WENT_NOWHERE };

/* What nes_step is about to do. */
enum phase {
    PHASE_RUN,   /* an instruction */
    PHASE_RESET, /* the reset sequence */
    PHASE_JAM,   /* nothing, for ever: a JAM was met */
};

struct pads {
    uint8_t buttons[2]; /* held now */
    uint8_t shift[2];
    uint8_t out[2];         /* what the last read gave */
    uint64_t read_cycle[2]; /* of the last read: reads in adjacent cycles are one to the pad */
    bool strobe;            /* as the pads see it */
    bool written;           /* what was written last to $4016 bit 0; they see it ... */
    uint64_t strobe_cycle;  /* ... from the start of this cycle */
};

enum { THREADS = 16 };

struct threads {
    unsigned count;
    struct {
        uint32_t address; /* where it goes on */
        uint8_t s;        /* stack pointer after the interrupt's push */
    } at[THREADS];
};

struct record;
struct watch; /* observers and instrumented instructions: watch.h */
struct site;

/* What the devices have published of their lines: when each may change, and the two levels that
 * make up the IRQ line. */
struct lines {
    uint64_t nmi_event, board_event, apu_event;
    uint64_t nmi_fall; /* when the NMI line, which is asserted, falls by itself */
    bool board_irq, apu_irq;
};

/* While the bus was DMA's the processor kept what it had read itself: `value`, in the cycle `cycle`
 * that ends the DMA. */
struct kept {
    uint64_t cycle;
    uint8_t value;
};

struct nes {
    /* Memory as the processor sees it, by page; NULL: go through bus_read, bus_write. */
    const uint8_t *rd[256];
    uint8_t *wr[256];
    /* An instruction that starts before code_end[page] in this page lies whole in the memory that
     * follows rd[page], as far as the next pages are contiguous; NULL where rd is. */
    const uint8_t *code_end[256];
    uint32_t map_epoch; /* changes with every change of the PRG pages */

    /* The state: with board.state, the board's RAMs, ppu.s and apu below it is all that is saved,
     * and nothing else of the machine is. */
    struct {
        struct cpu cpu;
        uint64_t cycle, instructions;
        bool nmi_level, nmi_pending; /* the NMI line as last sampled, see bus_nmi_level(); an edge
                                        not yet served */
        bool irq;                    /* the IRQ line, true: asserted */
        bool due;                    /* an interrupt comes before the next instruction */
        uint8_t phase;               /* enum phase */
        uint8_t jam_cycle;
        uint8_t flags; /* P while a state is written or read; else meaningless */
        uint8_t bus;
        uint64_t jam_frame; /* in which the JAM was met */
        bool oam_pending;
        uint8_t oam_page;
        bool frame_guess;
        uint64_t frame;
        uint64_t frame_end; /* cycle of the vertical blank, or, with frame_guess, one before it at
                               which the PPU can tell */
        struct pads pads;
        uint8_t ram[RAM_SIZE];
        struct threads threads;
    };
    struct board board;
    struct ppu ppu;
    struct apu apu;

    /* Derived from the state; void after a load. */
    uint64_t event, dma_from; /* event: the earliest of the lines' */
    struct lines lines;
    struct kept kept;
    uint8_t fetched[3]; /* what nes_step fetched last as an instruction */

    /* Busy-waits. */
    struct wait waits[WAITS];
    struct wait *waiting; /* the engine has stopped at the start of this busy-wait */
    struct spins spins;
    uint64_t skipped;     /* instructions passed over, counted in `instructions` */
    uint64_t interrupted; /* instructions before the last interrupt or reset */

    /* Observers. */
    struct watch *watch;
    bool watched;            /* some observer instruments, or steps now */
    bool stepping;           /* some observer steps or records now */
    struct record *recorder; /* of the only one to be told of anything now; else NULL */
    struct record *coming;   /* of the only one, whose alarm is for nothing but to begin it */
    uint64_t stop_behind;    /* the engine's stop without that alarm */
    bool announced;          /* what comes before the next instruction has been fired already */
    bool attention;     /* a callback has changed an alarm or what steps, since the last advance */
    uint64_t alarm;     /* the earliest */
    uint64_t *counters; /* of the probes */
    uint64_t fired[NES_OBSERVERS];

    /* As it was made. */
    struct nes_options options;
    const struct engine *engine;
    void *engine_self;
    uint16_t *pictures;
};

/* ---- machine.c ---- */

/* Cycles from a vertical blank to one before the next, and to one behind its pre-render line. */
enum { LESS_THAN_FRAME = 29000, MORE_THAN_BLANK = 2400 };

/* ---- cpu_step.c: cycle by cycle ---- */

/* One step: an instruction, an interrupt or reset sequence, or one cycle of a jammed processor. */
void nes_step(struct nes *n);

/* The next instruction is an RTI, which no engine executes. */
enum { OPCODE_RTI = 0x40, OPCODE_CLI = 0x58 };
static inline bool next_is_rti(const struct nes *n) {
    const uint8_t *const page = n->rd[n->cpu.pc >> 8];
    return page && page[n->cpu.pc & 0xff] == OPCODE_RTI;
}

/* ---- storm.c: an IRQ that is never acknowledged ---- */

/* An interrupt is due: passes over as many as lead back here before cycle `stop`. False: nothing
 * was done. */
bool storm_pass(struct nes *n, uint64_t stop);

/* ---- contexts.c: which interrupted contexts wait for their RTI ---- */

/* An interrupt was taken with stack pointer s before its push, and its handler is at pc now. */
void threads_interrupt(struct nes *n, uint32_t resume, uint8_t s, enum thread_cause cause);
/* An RTI was executed with stack pointer s; true when it resumes a thread. */
bool threads_rti(struct nes *n, uint8_t s);
/* An IRQ that was taken here and the RTI at `handler` that went on here follow each other `times`
 * more: tells of it. */
void threads_repeat(struct nes *n, uint32_t handler, uint64_t times);
/* A thread begins at pc. */
void threads_begin(struct nes *n, enum thread_cause cause);
/* All threads end, for `cause` THREAD_RESET. */
void threads_end(struct nes *n, enum thread_cause cause);

/* ---- cpu_fast.c, cpu_plain.c, cpu_recorded.c, cpu_spin.c, cpu_watched.c, cpu_tallied.c: many
 * instructions without separate bus cycles. Each starts before `stop` and surely ends at or before
 * `deadline`.
 * ---- */

/* Where nobody watches. What touches devices moves the deadline with what they publish; the second
 * always does, and does not stop at busy-waits. */
void cpu_run_fast(struct nes *n, uint64_t stop, uint64_t deadline, bool touches);
void cpu_run_plain(struct nes *n, uint64_t stop, uint64_t deadline);
/* For n->recorder, and a little further. */
void cpu_run_recorded(struct nes *n, uint64_t stop, uint64_t deadline);
/* Where nobody watches, touching only pads: to the first jump behind which the machine stands at
 * `place` with these registers, or behind any jump, where that is NULL. May end before, and leaves
 * *how_ended alone then. */
enum spin_end { SPIN_LEFT, SPIN_ARRIVED, SPIN_WAITS /* in a busy-wait of wait.h's */ };
void cpu_run_spin(struct nes *n, const struct cpu *place, uint64_t stop, uint64_t deadline,
                  enum spin_end *how_ended);
/* Firing probes; the second from a run that is known to the next that is not (see watch.h), and
 * says whether it has come to one. */
void cpu_run_watched(struct nes *n, uint64_t stop, uint64_t deadline);
void cpu_run_tallied(struct nes *n, uint64_t stop, uint64_t deadline, bool *unknown);

/* ---- bus.c ---- */

/* An access in cycle `cycle` to a page that is not plain memory, and what follows from it at the
 * end of that cycle. */
uint8_t bus_read_at(struct nes *n, uint16_t address, uint64_t cycle);
void bus_write_at(struct nes *n, uint16_t address, uint8_t value, uint64_t cycle);

/* The same for reads of $4016 and $4017 and writes to $4016, with which no line and no deadline has
 * to do. */
uint8_t bus_read_pad(struct nes *n, uint16_t address, uint64_t cycle);
void bus_write_strobe(struct nes *n, uint16_t address, uint8_t value, uint64_t cycle);

/* An interrupt waits for the end of an instruction. */
static inline bool is_interrupted(const struct nes *n, bool irq_masked) {
    return n->nmi_pending || (n->irq && !irq_masked);
}
/* No interrupt can come before the deadline, and nothing else keeps the processor. */
static inline bool may_run_fast(const struct nes *n, bool irq_masked) {
    return !n->options.no_fast && n->phase == PHASE_RUN && !n->due &&
           !is_interrupted(n, irq_masked);
}
/* The deadline of an engine that has just touched a device: 0, that is none, where an interrupt
 * waits for the end of the next instruction, which is nes_step's then. */
static inline uint64_t engine_deadline(const struct nes *n, bool irq_masked) {
    return is_interrupted(n, irq_masked) ? 0 : earlier(n->event, n->dma_from);
}
/* The last cycle in which an instruction may start, now or at least within the next 2^62. */
static inline uint64_t last_start(uint64_t stop, uint64_t deadline) {
    const uint64_t end = earlier(earlier(stop, deadline), UINT64_MAX / 4);
    const uint64_t safe = deadline < LONGEST_INSTRUCTION ? 0 : deadline - LONGEST_INSTRUCTION;
    return earlier(end - (end > 0), safe);
}

/* An access of the current cycle to a page that is not plain memory. */
uint8_t bus_read(struct nes *n, uint16_t address);
void bus_write(struct nes *n, uint16_t address, uint8_t value);
/* Halts the processor, which is about to read `address`, as long as DMA wants. */
void bus_dma(struct nes *n, uint16_t address);
/* The copy to OAM that the instruction before this boundary has asked for, before the one at pc
 * instead of in its first cycle, which is the same where nobody looks at the boundary between them:
 * false, and nothing is done, where a stop, another DMA, a line or an interrupt may be before its
 * end. */
bool bus_copy_first(struct nes *n, uint16_t pc, uint64_t stop);
/* Samples the interrupt lines at the end of the current cycle and computes event and dma_from. */
void bus_lines(struct nes *n);
/* The NMI line as it is, which may have fallen since it was sampled. */
bool bus_nmi_level(const struct nes *n);
/* A frame has begun (ppu_begin_frame): foretells its NMI. */
void bus_begin_frame(struct nes *n);
/* All lines are sampled anew at the end of the next cycle. */
void bus_forget_lines(struct nes *n);
/* What was written to the pads' strobe reaches them if its time has come. */
void bus_strobe(struct nes *n);
/* Recomputes rd, wr and code_end from the board; after a write to it, true when they changed. */
void bus_map(struct nes *n);
bool bus_map_changes(struct nes *n);

#endif
