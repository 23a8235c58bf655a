#include <string.h>

#include "nes/apu/apu.h"

/* NESdev, "APU Length Counter". */
static const uint8_t length_table[32] = {10, 254, 20,  2,  40, 4,  80, 6,  160, 8,  60,
                                         10, 14,  12,  26, 14, 12, 16, 24, 18,  48, 20,
                                         96, 22,  192, 24, 72, 26, 16, 28, 32,  30};
/* Cycles between two output clocks; NESdev, "APU DMC". */
static const uint16_t dmc_periods[16] = {428, 380, 340, 320, 286, 254, 226, 214,
                                         190, 160, 142, 128, 106, 84,  72,  54};

enum { HALF_FRAME = 1, FRAME_FLAG = 2, FRAME_IRQ = 4, WRAP = 8 };

/* The events of the two sequences that the processor can observe, by cycle after the sequence's
 * start (NESdev, "APU Frame Counter"). Quarter frames cannot be observed without sound. Half frames
 * are listed one cycle earlier than in NESdev: in that cycle, writes come after the clock, but
 * reads still see the state before it (blargg, len_halt_timing and len_reload_timing). The flag
 * rises for two cycles without asserting the line, even when it is inhibited. */
struct frame_event {
    uint16_t cycle;
    uint8_t what;
};
static const struct frame_event four_steps[] = {
    {14912, HALF_FRAME},
    {29828, FRAME_FLAG | HALF_FRAME},
    {29829, FRAME_FLAG},
    {29830, FRAME_IRQ | WRAP},
};
static const struct frame_event five_steps[] = {
    {14912, HALF_FRAME},
    {37280, HALF_FRAME},
    {37282, WRAP},
    {37282, WRAP}, /* only reachable from a made-up state; keeps the table as long as the other */
};
enum { FIRST_IRQ_EVENT = 1, IRQ_CYCLE = 29828 };

/* ---- power ---- */

static void frame_restart(struct apu *a, uint64_t cycle) {
    a->sequence = cycle;
    a->step = 0;
    a->five_steps = a->frame_register & 0x80;
    a->restart = UINT64_MAX;
}

void apu_power(struct apu *a, uint64_t cycle) {
    memset(a, 0, sizeof *a); /* padding, too: states are compared as bytes */
    a->time = cycle;
    a->half_frame = UINT64_MAX;
    a->dmc_bits = 8;
    a->dmc_address = 0xC000;
    a->dmc_period = dmc_periods[0];
    a->dmc_clock = cycle + (cycle & 1) + dmc_periods[0]; /* output clocks fall on get cycles */
    a->dmc_wish = a->dmc_ghost = a->dmc_given = a->dmc_stop = UINT64_MAX;
    a->acknowledge = UINT64_MAX;
    /* Power-on acts as a write to $4017 about ten cycles before the first instruction, which starts
     * seven cycles from here (blargg, apu_reset). */
    frame_restart(a, cycle);
}

void apu_reset(struct apu *a, uint64_t cycle) {
    apu_sync(a, cycle);
    for (unsigned i = 0; i < 4; i++)
        a->length[i].enabled = false, a->length[i].value = 0;
    a->dmc_remaining = 0;
    a->dmc_wish = a->dmc_ghost = a->dmc_stop = UINT64_MAX;
    a->dmc_irq = a->frame_irq = false;
    a->acknowledge = UINT64_MAX;
    a->irq_inhibited = a->frame_register & 0x40;
    frame_restart(a, cycle);
}

/* ---- time ---- */

static void half_frame(struct apu *a, uint64_t cycle) {
    a->half_frame = cycle;
    a->half_frame_running = 0;
    for (unsigned i = 0; i < 4; i++) {
        struct apu_length *l = &a->length[i];
        if (l->value)
            a->half_frame_running |= (uint8_t)(1u << i);
        if (l->value && !l->halt)
            l->value--;
    }
}

/* Clears the flag after a read of $4015, unless it is set in the same cycle. */
static void acknowledge(struct apu *a, uint64_t cycle) {
    if (a->acknowledge > cycle)
        return;
    a->frame_irq = false;
    a->acknowledge = UINT64_MAX;
}

static void frame_sync(struct apu *a, uint64_t cycle) {
    for (;;) {
        const struct frame_event *e = &(a->five_steps ? five_steps : four_steps)[a->step];
        uint64_t at = a->sequence + e->cycle;
        if (a->restart - 1 <= cycle && a->restart <= at) {
            frame_restart(a, a->restart);
            if (a->five_steps) /* an immediate half frame, one cycle early, as above */
                half_frame(a, a->sequence - 1);
            continue;
        }
        acknowledge(a, at < cycle ? at : cycle);
        if (at > cycle)
            return;
        if (e->what & HALF_FRAME)
            half_frame(a, at);
        if (e->what & FRAME_FLAG)
            a->frame_irq = true;
        if (e->what & FRAME_IRQ)
            a->frame_irq = !a->irq_inhibited;
        a->step++;
        if (e->what & WRAP)
            a->sequence = at, a->step = 0;
    }
}

/* The empty shifter takes the byte of the sample buffer. The buffer requests another one from the
 * next cycle on. */
static void empty_buffer(struct apu *a, uint64_t cycle) {
    a->dmc_full = false;
    if (a->dmc_remaining)
        a->dmc_wish = cycle + 1 > a->dmc_enable ? cycle + 1 : a->dmc_enable;
    else if (a->dmc_given + 2 == cycle) /* the unit learns one cycle late that it was the last
                                           byte */
        a->dmc_ghost = cycle + 1;
}

static void dmc_sync(struct apu *a, uint64_t cycle) {
    uint64_t period = a->dmc_period, shifted_out = a->dmc_clock + (a->dmc_bits - 1) * period;
    if (a->dmc_full && shifted_out <= cycle) {
        empty_buffer(a, shifted_out);
        a->dmc_bits = 8;
        a->dmc_clock = shifted_out + period;
    }
    if (a->dmc_clock <= cycle) {
        uint64_t clocks = (cycle - a->dmc_clock) / period + 1;
        a->dmc_clock += clocks * period;
        a->dmc_bits = (uint8_t)((a->dmc_bits + 7 - clocks % 8) % 8 + 1);
    }
}

/* Withdraws a request that began in the previous cycle; an older one is still served. */
static void stop_sample(struct apu *a) {
    a->dmc_remaining = 0;
    if (a->dmc_wish + 1 >= a->dmc_stop)
        a->dmc_wish = UINT64_MAX;
    a->dmc_stop = UINT64_MAX;
}

void apu_sync(struct apu *a, uint64_t cycle) {
    if (cycle <= a->time)
        return;
    frame_sync(a, cycle);
    if (a->dmc_stop <= cycle) {
        dmc_sync(a, a->dmc_stop);
        stop_sample(a);
    }
    dmc_sync(a, cycle);
    a->time = cycle;
}

/* ---- registers ---- */

uint8_t apu_read(struct apu *a, uint16_t address, uint64_t cycle, uint8_t open_bus) {
    if (address != 0x4015)
        return open_bus;
    apu_sync(a, cycle);
    uint8_t value = open_bus & 0x20;
    if (a->half_frame == cycle)
        value |= a->half_frame_running;
    else
        for (unsigned i = 0; i < 4; i++)
            value |= (uint8_t)((a->length[i].value > 0) << i);
    value |= (uint8_t)((a->dmc_remaining > 0) << 4 | a->frame_irq << 6 | a->dmc_irq << 7);
    if (a->frame_irq && a->acknowledge == UINT64_MAX)
        a->acknowledge = cycle + (cycle & 1 ? 1 : 2); /* the next get cycle after this one */
    return value;
}

static void halt_write(struct apu *a, unsigned channel, bool halt, uint64_t cycle) {
    if (a->length[channel].halt == halt)
        return;
    apu_sync(a, cycle);
    a->length[channel].halt = halt;
}

static void length_write(struct apu *a, unsigned channel, uint8_t value, uint64_t cycle) {
    struct apu_length *l = &a->length[channel];
    if (!l->enabled)
        return;
    apu_sync(a, cycle);
    bool lost = a->half_frame == cycle && a->half_frame_running & 1u << channel;
    if (!lost)
        l->value = length_table[value >> 3];
}

static void dmc_begin(struct apu *a) {
    a->dmc_address = (uint16_t)(0xC000 | a->dmc_address_register << 6);
    a->dmc_remaining = (uint16_t)(a->dmc_length_register << 4 | 1);
}

static void enable_write(struct apu *a, uint8_t value, uint64_t cycle) {
    for (unsigned i = 0; i < 4; i++) {
        a->length[i].enabled = value >> i & 1;
        if (!a->length[i].enabled)
            a->length[i].value = 0;
    }
    a->dmc_irq = false;
    /* Both take effect in the get cycle of the second APU cycle from now. */
    uint64_t effect = cycle + (cycle & 1 ? 3 : 4);
    if (!(value & 0x10)) {
        if (a->dmc_remaining && a->dmc_stop == UINT64_MAX)
            a->dmc_stop = effect;
        return;
    }
    a->dmc_stop = UINT64_MAX;
    if (a->dmc_remaining)
        return;
    dmc_begin(a);
    a->dmc_enable = effect;
    if (!a->dmc_full)
        a->dmc_wish = effect;
}

static void frame_write(struct apu *a, uint8_t value, uint64_t cycle) {
    a->frame_register = value;
    a->irq_inhibited = value & 0x40;
    if (a->irq_inhibited)
        a->frame_irq = false;
    a->restart = cycle + (cycle & 1 ? 3 : 4);
}

/* The part that a write to $4000-$4017 changes; NOTHING: it can only be heard. */
enum part { NOTHING, HALT, LENGTH, SAMPLE, CONTROL };
static const uint8_t parts[0x18] = {
    [0x00] = HALT,   [0x03] = LENGTH,  [0x04] = HALT,    [0x07] = LENGTH,  [0x08] = HALT,
    [0x0B] = LENGTH, [0x0C] = HALT,    [0x0F] = LENGTH,  [0x10] = CONTROL, [0x12] = SAMPLE,
    [0x13] = SAMPLE, [0x15] = CONTROL, [0x17] = CONTROL,
};

static enum part part_of(uint16_t address) {
    return address <= 0x4017 ? parts[address & 0x1F] : NOTHING;
}

enum apu_effect apu_effect(uint16_t address) {
    const enum part part = part_of(address);
    return part == NOTHING ? APU_HEARD : part == CONTROL ? APU_MOVES : APU_SEEN;
}

uint8_t apu_halt_bit(uint16_t address) {
    return part_of(address) != HALT ? 0 : apu_channel(address) == 2 ? 0x80 : 0x20;
}

static void control_write(struct apu *a, uint16_t address, uint8_t value, uint64_t cycle) {
    switch (address) {
    case 0x4010:
        a->dmc_irq_enabled = value & 0x80;
        a->dmc_loop = value & 0x40;
        a->dmc_period = dmc_periods[value & 15];
        if (!a->dmc_irq_enabled)
            a->dmc_irq = false;
        break;
    case 0x4015:
        enable_write(a, value, cycle);
        break;
    case 0x4017:
        frame_write(a, value, cycle);
        break;
    }
}

bool apu_write(struct apu *a, uint16_t address, uint8_t value, uint64_t cycle) {
    const unsigned channel = apu_channel(address);
    switch (part_of(address)) {
    case NOTHING:
        break;
    case HALT:
        halt_write(a, channel, value & apu_halt_bit(address), cycle);
        break;
    case LENGTH:
        length_write(a, channel, value, cycle);
        break;
    case SAMPLE: /* of the next sample */
        *(address == 0x4012 ? &a->dmc_address_register : &a->dmc_length_register) = value;
        break;
    case CONTROL:
        apu_sync(a, cycle);
        control_write(a, address, value, cycle);
        return true;
    }
    return false;
}

/* ---- lines ---- */

bool apu_irq(struct apu *a, uint64_t cycle) {
    apu_sync(a, cycle);
    return (a->frame_irq && !a->irq_inhibited) || a->dmc_irq;
}

uint64_t apu_irq_deadline(const struct apu *a) {
    if (a->dmc_irq || a->irq_inhibited)
        return UINT64_MAX;
    if (a->frame_irq)
        return a->acknowledge;
    uint64_t next = UINT64_MAX;
    if (!a->five_steps)
        next =
            a->sequence + IRQ_CYCLE + (a->step > FIRST_IRQ_EVENT ? a->step - FIRST_IRQ_EVENT : 0);
    if (a->restart < next)
        next = a->frame_register & 0x80 ? UINT64_MAX : a->restart + IRQ_CYCLE;
    return next;
}

uint64_t apu_dmc_deadline(const struct apu *a) {
    uint64_t next = a->dmc_wish;
    uint64_t shifted_out = a->dmc_clock + (uint64_t)(a->dmc_bits - 1) * a->dmc_period;
    if (next == UINT64_MAX && a->dmc_full && (a->dmc_remaining || a->dmc_given + 2 == shifted_out))
        next = shifted_out + 1;
    if (a->dmc_ghost >= a->time && a->dmc_ghost < next)
        next = a->dmc_ghost;
    return next;
}

bool apu_dmc_wants(struct apu *a, uint64_t cycle) {
    apu_sync(a, cycle);
    return a->dmc_wish <= cycle || a->dmc_ghost == cycle;
}

bool apu_dmc_halts(struct apu *a, uint64_t cycle, uint64_t until) {
    return apu_dmc_wants(a, cycle) && a->dmc_wish <= cycle && a->dmc_stop > until &&
           (a->dmc_ghost < cycle || a->dmc_ghost == UINT64_MAX);
}

bool apu_dmc_quiet(const struct apu *a, uint64_t cycle) {
    const bool irq = a->dmc_irq_enabled && !a->dmc_loop && a->dmc_remaining == 1;
    return !irq && a->dmc_clock + (uint64_t)(a->dmc_bits - 1) * a->dmc_period > cycle;
}

static void take_byte(struct apu *a, uint64_t cycle) {
    a->dmc_full = true;
    a->dmc_given = cycle;
    a->dmc_wish = UINT64_MAX;
    a->dmc_address = a->dmc_address == 0xFFFF ? 0x8000 : (uint16_t)(a->dmc_address + 1);
}

bool apu_dmc_fetch(struct apu *a, uint64_t halt, uint64_t fetch) {
    enum { NOT_THE_LAST = 2 };
    if (a->dmc_stop != UINT64_MAX || a->dmc_remaining < NOT_THE_LAST ||
        (a->dmc_ghost != UINT64_MAX && a->dmc_ghost >= a->time))
        return false;
    dmc_sync(a, halt);
    if (a->dmc_wish > halt ||
        a->dmc_clock + (uint64_t)(a->dmc_bits - 1) * a->dmc_period <= fetch + 1)
        return false;
    dmc_sync(a, fetch);
    take_byte(a, fetch);
    a->dmc_remaining--;
    return true;
}

uint16_t apu_dmc_address(const struct apu *a) {
    return a->dmc_address;
}

void apu_dmc_give(struct apu *a, uint8_t value, uint64_t cycle) {
    (void)value; /* it can only be heard */
    apu_sync(a, cycle);
    take_byte(a, cycle);
    if (a->dmc_remaining && --a->dmc_remaining == 0) {
        if (a->dmc_loop)
            dmc_begin(a);
        else if (a->dmc_irq_enabled)
            a->dmc_irq = true;
    }
}
