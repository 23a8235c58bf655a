/*
 * cpu: the processor's state, and the loops that execute instructions. Private to core/nes.
 *
 * cpu_step.c executes cycle by cycle. The other loops execute many instructions without separate
 * bus cycles; each of these instructions starts before `stop` and surely ends at or before
 * `deadline`.
 */
#ifndef HOTGRAPH_CPU_H
#define HOTGRAPH_CPU_H

#include "base/base.h"

struct nes;

enum {
    OPCODE_RTI = 0x40,
    OPCODE_CLI = 0x58,
    LONGEST_INSTRUCTION = 8, /* cycles, without DMA */
};

/* Registers, with the flags unpacked. Translated code relies on the widths. */
struct registers {
    uint16_t pc;
    uint16_t nz; /* flag Z: low byte is 0; flag N: bit 7 or 15 */
    uint8_t a, x, y, s;
    uint8_t p; /* I and D, at their bits of P */
    uint8_t c; /* 0 or 1 */
    uint8_t v; /* not 0: set */
};
uint8_t cpu_flags(const struct registers *r); /* P as pushed, bit 5 set, bit 4 clear */
void cpu_set_flags(struct registers *r, uint8_t flags);

/* What nes_step() is about to do. */
enum phase {
    PHASE_RUN,   /* an instruction */
    PHASE_RESET, /* the reset sequence */
    PHASE_JAM,   /* nothing until a reset: the processor has met a JAM */
};

/* Saved, except for `fetched` and `started`. */
struct cpu {
    struct registers r;
    uint64_t cycle;        /* cycles done, which is the number of the next cycle */
    uint64_t instructions; /* executed */
    bool due;              /* an interrupt comes before the next instruction */
    uint8_t phase;         /* enum phase */
    uint8_t jam_cycle;
    uint8_t flags;      /* P while a state is written or read; else meaningless */
    uint64_t jam_frame; /* frame of the JAM */
    uint8_t fetched[3]; /* the instruction that nes_step() fetched last */
    uint64_t started;   /* cycle in which the last instruction that nes_step() executed started */
};

/* Where execution continues after an instruction, for probes. */
enum insn_outcome { OUTCOME_NEXT, OUTCOME_TARGET, OUTCOME_ELSEWHERE, OUTCOME_RTI, OUTCOME_NOWHERE };

/* One step: an instruction, an interrupt or reset sequence, or one cycle of a jammed processor. */
void nes_step(struct nes *n);

/* Without observers. cpu_run_fast() touches devices only if `touches`; cpu_run_plain() always does,
 * and does not stop at busy-waits. A device access moves the deadline to what the device publishes.
 */
void cpu_run_fast(struct nes *n, uint64_t stop, uint64_t deadline, bool touches);
void cpu_run_plain(struct nes *n, uint64_t stop, uint64_t deadline);
/* Code below $8000, to the first transfer that leaves it: without observers. Touches devices. */
void cpu_run_ram(struct nes *n, uint64_t stop, uint64_t deadline);
/* For observed.recorder; may run a little past its last instruction. */
void cpu_run_recorded(struct nes *n, uint64_t stop, uint64_t deadline);
/* For observed.follow. Hands over what it has followed. False: it ended before cycle follow->from,
 * and nothing was handed over. */
bool cpu_follow(struct nes *n, uint64_t stop);
/* Without observers, touching no device but pads: runs to the first jump after which the registers
 * equal *target, or to the first jump at all if that is NULL. If the loop ends before, *how_ended
 * is left unchanged. */
enum spin_end { SPIN_LEFT, SPIN_ARRIVED, SPIN_WAITS /* stopped at a busy-wait of wait.h */ };
void cpu_run_spin(struct nes *n, const struct registers *target, uint64_t stop, uint64_t deadline,
                  enum spin_end *how_ended);
/* The same with observers that only count: *counts also notes what the run counts. It may end before, where
 * a known run begins (watch_run_known()). */
struct run_counts;
void cpu_run_spin_counted(struct nes *n, const struct registers *target, uint64_t stop,
                          uint64_t deadline, enum spin_end *how_ended, struct run_counts *counts);
/* The same from a known run to the next run that is not known. */
void cpu_run_spin_tallied(struct nes *n, const struct registers *target, uint64_t stop,
                          uint64_t deadline, enum spin_end *how_ended, struct run_counts *counts);
/* With probes. */
void cpu_run_watched(struct nes *n, uint64_t stop, uint64_t deadline);
/* The same from code below $8000, touching devices. It may end where control leaves such code. */
void cpu_run_ram_watched(struct nes *n, uint64_t stop, uint64_t deadline);
/* Code below $8000 while watch_goes_by_opcode(). *ended is left unchanged unless it has left such code
 * (RAM_LEFT), or the next instruction is more than a count (RAM_UNKNOWN). */
enum ram_end { RAM_STOPPED, RAM_LEFT, RAM_UNKNOWN };
void cpu_run_ram_tallied(struct nes *n, uint64_t stop, uint64_t deadline, bool touches,
                         enum ram_end *ended);
/* From a known run to the next run that is not known (watch_run_known()); *unknown says whether it
 * reached one. */
void cpu_run_tallied(struct nes *n, uint64_t stop, uint64_t deadline, bool *unknown);

#endif
