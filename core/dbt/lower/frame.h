/*
 * frame: the interface between translated code and C: its inputs and outputs, and the helpers it
 * calls. Private to core/dbt. Place: above core/nes; independent of how code is emitted.
 */
#ifndef HOTGRAPH_DBT_FRAME_H
#define HOTGRAPH_DBT_FRAME_H

#include "nes/machine/machine.h"
#include "nes/observe/watch.h"
#include "nes/ppu/ppu_inlined.h"

/* Translated code counts cycles and instructions in one register: the remaining budget in cycles,
 * times 2^16, plus the instructions executed since entry. Blocks debit the budget when they begin,
 * so within a block the register may be ahead. */
enum { BUDGET_SHIFT = 16 };

struct frame {
    struct nes *nes;
    uint64_t *counters;
    const uint64_t *tables; /* see banks.h */
    const uint8_t *prg;     /* NULL without a cartridge */
    int64_t budget;
    uint64_t instructions;   /* nes->cpu.instructions at entry */
    uint64_t budget_end;     /* nes->cpu.cycle when the budget is 0 */
    uint64_t stop, deadline; /* see engine.h; MMIO may move the deadline */
    uint32_t epoch, moved;   /* the translated map_epoch; has it ended? */
    uint64_t return_misses;  /* see dbt_statistics */
    uint64_t host_stack;     /* rsp of the caller; helpers run below it */
    uint64_t return_bottom;  /* rsp with an empty return stack */
    uint64_t
        return_stack;   /* rsp at the next entry: what the last run has left on the stack stays */
    uint64_t called_at; /* rsp at a call of a helper, and at the exit */
    uint64_t nobodys;   /* row; see returns.h */
    int64_t status_stable; /* see frame_update_stable() */
    int64_t status_read;   /* budget at the last read of $2002 not reported yet; or NOT_READ */
    uint16_t until;        /* traced blocks leave after this many instructions */
};

static inline uint64_t frame_cycle(const struct frame *f) {
    return f->budget_end - (uint64_t)(f->budget >> BUDGET_SHIFT);
}
static inline uint64_t frame_executed(const struct frame *f) {
    return (uint64_t)f->budget & ((1u << BUDGET_SHIFT) - 1);
}

/* While the budget is at least `status_stable`, a read of $2002 repeats the previous one
 * (ppu_reads_again). Translated code only logs it, and frame_report_status() reports it before the
 * PPU is accessed. Call when the PPU or the budget's end has changed. */
enum { NOT_READ = -1 }; /* no run executes this many instructions */
static inline void frame_update_stable(struct frame *f) {
    const uint64_t longest = UINT64_C(1) << 40, most = f->budget_end + longest;
    const uint64_t calm =
        f->nes->ppu.known.status_stable_until < most ? f->nes->ppu.known.status_stable_until : most;
    f->status_stable = ((int64_t)(f->budget_end - calm) + 1) * (1 << BUDGET_SHIFT);
}
static inline void frame_report_status(struct frame *f) {
    struct ppu_state *const s = &f->nes->ppu.state;
    if (f->status_read == NOT_READ)
        return;
    s->latch_cycle[0] = s->latch_cycle[1] =
        f->budget_end - (uint64_t)(f->status_read >> BUDGET_SHIFT);
    f->status_read = NOT_READ;
}

/* An entry of a traced block's log, which grows downwards from the bottom of the return stack. */
struct logged {
    int64_t what;        /* a block's number at its start; -1 - pc: one unknown cycle there */
    uint64_t budget_end; /* at that moment */
    int64_t budget;
};
static inline uint64_t logged_cycle(const struct logged *at) {
    return at->budget_end - (uint64_t)(at->budget >> BUDGET_SHIFT);
}
/* Instructions executed since translated code was entered. */
static inline unsigned logged_executed(const struct logged *at) {
    return (unsigned)at->budget & ((1u << BUDGET_SHIFT) - 1);
}
enum {
    RETURN_DEPTH = 2,                 /* further entries that an RTS compares */
    RETURN_BOTTOM = 1 + RETURN_DEPTH, /* entries that predict nothing */
    RETURN_ENTRY = 16,                /* bytes */
    LOGGED_MOST = 2048,               /* instructions recorded in one run */
};

/* MMIO accesses in `cycle`, the last one of an instruction. They update budget and deadline. */
uint32_t dbt_mmio_read(struct frame *frame, uint32_t address, uint64_t cycle);
void dbt_mmio_write(struct frame *frame, uint32_t address, uint32_t value, uint64_t cycle);
/* A write to $4014 by a three-byte store before the instruction at cpu.pc. If nobody observes the
 * boundary between the two, the OAM copy is made at once. */
void dbt_mmio_copy(struct frame *frame, uint32_t address, uint32_t value, uint64_t cycle);
/* Accesses to PPU registers that move no deadline. */
uint32_t dbt_ppu_read(struct frame *frame, uint32_t address, uint64_t cycle);
void dbt_ppu_write(struct frame *frame, uint32_t address, uint32_t value, uint64_t cycle);
/* The counters of a PROBE_ADD_TO, hashed by the lower bits of the target pc. */
enum { TARGETS = 64 };
struct targets {
    struct hook *hook;
    uint32_t from;    /* code address of the instruction */
    uint32_t certain; /* windows in which a pc is always the same code address; see banks.h */
    struct {
        uint32_t pc, counter;
    } at[TARGETS]; /* a pc over 16 bits: empty */
    /* Counted by value instead: the row, by pc; see returns.h. NULL: not so. */
    uint64_t *row;
    struct returns *returns;
};
/* Counts a pc that `targets` does not hold, and adds it if possible. Returns the pc. With a row, its cell was counted. */
uint32_t dbt_add_to(struct frame *frame, uint32_t pc, struct targets *targets);
/* Calls a probe's function; n->cpu.r is up to date. from: code address of the instruction. */
void dbt_call_probe(struct frame *frame, const struct hook *hook, uint32_t from);

#endif
