/*
 * apu: the part of the 2A03's sound hardware that a program can observe: length counters, the frame
 * counter with its IRQ, and the DMC with its memory reads and IRQ. It makes no sound. Private to
 * core/nes.
 *
 * Time is the processor's cycle number. DMA can read in even cycles ("get" in NESdev's "DMA")
 * and write in odd ones ("put").
 *
 * The DMC requests bytes, and the machine's DMA unit fetches them:
 *
 *     if (apu_dmc_wants(a, cycle))       // it tries to halt the processor in this cycle
 *         ...                            // halt (a read cycle), dummy, alignment, then:
 *         apu_dmc_give(a, bus_read(apu_dmc_address(a)), cycle);   // in the get cycle
 *
 * Call apu_dmc_wants() again in every cycle of a halt: stopping the sample can withdraw the request
 * before the byte is read.
 *
 * Invariants
 *  - Cycles given to these functions never decrease.
 *  - After any apu_read, apu_write, apu_dmc_give or load, earlier deadlines are void.
 */
#ifndef HOTGRAPH_APU_H
#define HOTGRAPH_APU_H

#include "base/base.h"

struct apu_length {
    uint8_t value;
    bool enabled, halt;
};

/* All of it is saved; no pointers. Times are cycle numbers, UINT64_MAX: never. */
struct apu {
    uint64_t time; /* everything before this cycle's access is done */

    struct apu_length length[4]; /* pulse 1, pulse 2, triangle, noise */
    /* The last cycle that clocked them, and which counters were not zero before: a length written
     * in the cycle of a clock is lost if its counter was not zero. */
    uint64_t half_frame;
    uint8_t half_frame_running;

    /* Frame counter. */
    uint64_t sequence; /* cycle in which the running sequence began */
    uint8_t step;      /* next event of the sequence */
    bool five_steps, irq_inhibited, frame_irq;
    uint8_t frame_register; /* last value written to $4017 */
    uint64_t restart;       /* cycle in which that takes effect */
    uint64_t acknowledge;   /* cycle in which a read of $4015 clears frame_irq */

    /* DMC. */
    bool dmc_irq_enabled, dmc_loop, dmc_irq;
    bool dmc_full;    /* the sample buffer holds a byte */
    uint8_t dmc_bits; /* left in the shifter, 1-8 */
    uint8_t dmc_address_register, dmc_length_register;
    uint16_t dmc_address, dmc_remaining, dmc_period;
    uint64_t dmc_clock;  /* cycle of the next output clock */
    uint64_t dmc_wish;   /* first cycle that tries to halt the processor for a byte */
    uint64_t dmc_ghost;  /* a cycle in which it tries to halt the processor without needing a
                            byte */
    uint64_t dmc_given;  /* cycle of the last byte */
    uint64_t dmc_enable; /* cycle in which the last start of a sample took effect */
    uint64_t dmc_stop;   /* cycle in which stopping the sample takes effect */
};

/* Power off and on at the start of cycle `cycle`; reset: $4015 = 0, $4017 written again. */
void apu_power(struct apu *a, uint64_t cycle);
void apu_reset(struct apu *a, uint64_t cycle);

/* Catches up with everything before the access of cycle `cycle`; O(events). */
void apu_sync(struct apu *a, uint64_t cycle);
/* Reads $4015; `open_bus` supplies bit 5. */
uint8_t apu_read(struct apu *a, uint16_t address, uint64_t cycle, uint8_t open_bus);
/* Effect of a write to an address from $4000 on. APU_HEARD: only on the sound. APU_SEEN: only later
 * reads of $4015 and later writes reveal it. APU_MOVES: deadlines may move. */
enum apu_effect { APU_HEARD, APU_SEEN, APU_MOVES };
enum apu_effect apu_effect(uint16_t address);
/* The channel of the register at `address`. halt: the bit in a written value that halts its length
 * counter; 0: none. A write that does not change that bit can only be heard. */
static inline unsigned apu_channel(uint16_t address) {
    return (address & 15) >> 2;
}
uint8_t apu_halt_bit(uint16_t address);
/* Writes $4000-$4013, $4015, $4017; other addresses do nothing. `time` may stay behind if that
 * cannot be observed. Returns false if no deadline has changed, which only APU_MOVES can do. */
bool apu_write(struct apu *a, uint16_t address, uint8_t value, uint64_t cycle);

/* Level of the IRQ output (frame counter or DMC; true: asserted) at the end of cycle `cycle`. */
bool apu_irq(struct apu *a, uint64_t cycle);
/* First cycle at whose end that level could change without an access; UINT64_MAX: never. A DMC IRQ,
 * which apu_dmc_give() may raise, is not predicted. */
uint64_t apu_irq_deadline(const struct apu *a);

/* First cycle in which apu_dmc_wants() could be true; UINT64_MAX: none without an access. */
uint64_t apu_dmc_deadline(const struct apu *a);
bool apu_dmc_wants(struct apu *a, uint64_t cycle);
/* True if it tries to halt in each cycle from `cycle` to `until` unless it is given a byte. */
bool apu_dmc_halts(struct apu *a, uint64_t cycle, uint64_t until);
/* True if a byte given now, in a cycle before `cycle`, raises no IRQ and leaves no request in that
 * cycle. */
bool apu_dmc_quiet(const struct apu *a, uint64_t cycle);
uint16_t apu_dmc_address(const struct apu *a);
void apu_dmc_give(struct apu *a, uint8_t value, uint64_t cycle);
/* A whole fetch at once, unless it is a sample's last byte or the sample is stopped: the halt in
 * cycle `halt`, the deadline, and the byte in cycle `fetch`. False: nothing was done. */
bool apu_dmc_fetch(struct apu *a, uint64_t halt, uint64_t fetch);

#endif
