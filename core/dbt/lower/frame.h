/*
 * frame: what translated code is entered with and gives back, and the C functions that it calls.
 * Private to core/dbt. Place: above core/nes, knows nothing of how code is emitted.
 */
#ifndef HOTGRAPH_DBT_FRAME_H
#define HOTGRAPH_DBT_FRAME_H

#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

/* Translated code counts cycles and instructions in one register: what is left of the budget, times
 * 2^16, plus the instructions executed since it was entered. Blocks are charged when they begin, so
 * in their middle it may be ahead. */
enum { BUDGET_SHIFT = 16 };

struct frame {
    struct nes *nes;
    uint64_t *counters;
    const uint64_t *tables; /* see banks.h */
    const uint8_t *prg;     /* NULL without a cartridge */
    int64_t budget;
    uint64_t instructions;   /* nes->instructions when none were executed */
    uint64_t budget_end;     /* nes->cycle when none of the budget is left */
    uint64_t stop, deadline; /* see engine.h; a touch of a device moves the deadline */
    uint32_t epoch, moved;   /* map_epoch that is translated; whether it has ended */
    uint64_t return_misses;  /* so many */
    uint64_t host_stack;     /* rsp to leave with; what is called from here runs below it */
    uint64_t return_stack;   /* rsp to begin with */
    uint64_t called_at;      /* rsp while something is called, and where it was left */
    uint64_t nobodys;        /* row; see returns.h */
    int64_t status_stable;   /* see frame_update_stable() */
    int64_t status_read; /* budget at the last read of $2002 that is not told yet; or NOT_READ */
    uint16_t until;      /* recorded blocks leave when so many instructions were executed */
};

static inline uint64_t frame_cycle(const struct frame *f) {
    return f->budget_end - (uint64_t)(f->budget >> BUDGET_SHIFT);
}
static inline uint64_t frame_executed(const struct frame *f) {
    return (uint64_t)f->budget & ((1u << BUDGET_SHIFT) - 1);
}

/* Where no less than `calm` of the budget is left, a read of $2002 does what the last one did
 * (ppu_reads_again). Translated code only notes it, and tells before anything else happens to the
 * PPU. To be called when the PPU or the budget's end has changed. */
enum { NOT_READ = -1 }; /* no run executes so many instructions */
static inline void frame_update_stable(struct frame *f) {
    const uint64_t longest = UINT64_C(1) << 40, most = f->budget_end + longest;
    const uint64_t calm = f->nes->ppu.calm < most ? f->nes->ppu.calm : most;
    f->status_stable = ((int64_t)(f->budget_end - calm) + 1) * (1 << BUDGET_SHIFT);
}
static inline void frame_report_status(struct frame *f) {
    struct ppu_state *const s = &f->nes->ppu.s;
    if (f->status_read == NOT_READ)
        return;
    s->latch_cycle[0] = s->latch_cycle[1] =
        f->budget_end - (uint64_t)(f->status_read >> BUDGET_SHIFT);
    f->status_read = NOT_READ;
}

/* What recorded blocks push; from below the return stack's bottom downwards. */
struct logged {
    int64_t what; /* a block's number where it begins; -1 - pc: a penalty of one cycle there */
    uint64_t budget_end; /* as they were */
    int64_t budget;
};
static inline uint64_t logged_cycle(const struct logged *at) {
    return at->budget_end - (uint64_t)(at->budget >> BUDGET_SHIFT);
}
/* Instructions, since blocks were entered. */
static inline unsigned logged_executed(const struct logged *at) {
    return (unsigned)at->budget & ((1u << BUDGET_SHIFT) - 1);
}
enum {
    RETURN_DEPTH = 2,                        /* how many more entries an RTS looks at */
    RETURN_BOTTOM = 16 * (1 + RETURN_DEPTH), /* entries that are no guess */
    LOGGED_MOST = 2048,                      /* instructions that are recorded at once */
};

/* Accesses to devices, in the last cycle of an instruction, which is `cycle`. They move budget and
 * deadline. */
uint32_t dbt_mmio_read(struct frame *frame, uint32_t address, uint64_t cycle);
void dbt_mmio_write(struct frame *frame, uint32_t address, uint32_t value, uint64_t cycle);
/* The same of $4014, by a store of three bytes behind which the instruction at cpu.pc comes: the
 * copy is made at once, if it can be, and nobody looks between the two. */
void dbt_mmio_copy(struct frame *frame, uint32_t address, uint32_t value, uint64_t cycle);
/* The same of registers of the PPU that move no deadline. */
uint32_t dbt_ppu_read(struct frame *frame, uint32_t address, uint64_t cycle);
void dbt_ppu_write(struct frame *frame, uint32_t address, uint32_t value, uint64_t cycle);
/* The counters of a PROBE_ADD_TO in translated code, by the lower bits of the pc it goes to. */
enum { TARGETS = 64 };
struct targets {
    const struct hook *hook;
    uint32_t from;    /* code address of the instruction */
    uint32_t certain; /* windows in which a pc is always the same code address; see banks.h */
    struct {
        uint32_t pc, counter;
    } at[TARGETS]; /* pc beyond 16 bits: empty */
};
/* Counts where `targets` does not know the pc, which is remembered if it can be; returns the pc. */
uint32_t dbt_add_to(struct frame *frame, uint32_t pc, struct targets *targets);
/* A callback of a probe; cpu holds the registers. from: code address of the instruction. */
void dbt_call_probe(struct frame *frame, const struct hook *hook, uint32_t from);

#endif
