/* Program pieces that access devices; for random_programs.h. */
#ifndef HOTGRAPH_TESTS_IDIOMS_IO_H
#define HOTGRAPH_TESTS_IDIOMS_IO_H

#include "tests/support/program_writer.h"

static inline unsigned random_mask(struct writer *w) {
    return chance(w, 70) ? ONE_OF(w, 0x00, 0x08, 0x10, 0x18, 0x1E) : below(w, 256);
}

/* A value that programs write to that register. */
static inline unsigned likely_value(struct writer *w, uint16_t address) {
    switch (address) {
    case 0x2000:
        return below(w, 256) | (chance(w, 70) ? 0x80 : 0);
    case 0x2001:
        return random_mask(w);
    case 0x4010:
        return below(w, 256) | (chance(w, 70) ? 0x0C : 0);
    case 0x4013:
        return below(w, 4);
    case 0x4014:
        return chance(w, 70) ? below(w, 8) : ONE_OF(w, 0x20, 0x3F, 0x40, 0x50, 0x60, 0x80, 0xFF);
    case 0x4015:
        return ONE_OF(w, 0x00, 0x0F, 0x10, 0x1F);
    case 0x4016:
        return below(w, 2);
    case 0x4017:
        return ONE_OF(w, 0x00, 0x00, 0x40, 0x80, 0xC0);
    default:
        return below(w, 256);
    }
}

/* Any access to any register. */
static inline void put_device(struct writer *w) {
    const uint16_t reads[] = {0x2002, 0x2007, 0x2004, 0x4015, 0x4016, 0x4017,
                              0x3002, 0x2000, 0x4014, 0x401F, 0x3FFF};
    const uint16_t writes[] = {0x2000, 0x2001, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x4014,
                               0x4015, 0x4016, 0x4017, 0x4010, 0x4013, 0x4003, 0x4000, 0x4018};
    if (chance(w, 45)) {
        const uint16_t from = reads[below(w, sizeof reads / sizeof *reads)];
        put_access(w, ACCESS_READ, from, -1);
        return;
    }
    const uint16_t to = writes[below(w, sizeof writes / sizeof *writes)];
    if (chance(w, 15))
        put_access(w, ACCESS_MODIFY, to, -1);
    else
        put_register(w, to, likely_value(w, to));
}

/* Device after device, without anything between them. */
static inline void put_devices(struct writer *w) {
    for (unsigned i = 2 + below(w, 4); i-- > 0;)
        put_device(w);
}

static inline void put_device_loop(struct writer *w) {
    put_load(w, 1 + below(w, 20)), put2(w, STA_ZP, ZP_COUNT);
    const uint16_t top = here(w);
    for (unsigned i = 1 + below(w, 3); i-- > 0;)
        put_device(w);
    PUT(w, DEC_ZP, ZP_COUNT, BEQ, 3);
    put_word(w, JMP, top);
}

/* Open bus: reads give the previous value on the bus. */
static inline void put_open_bus(struct writer *w) {
    const uint16_t at =
        (uint16_t)(chance(w, 40) ? 0x4018 + below(w, 0x20) : 0x4020 + below(w, 0x1FE0));
    put_access(w, (enum access_kind)below(w, 3), at, -1);
}

/* ---- sound, and the DMA of samples ---- */

static inline void put_dmc(struct writer *w) {
    put_register(w, 0x4010, (below(w, 4) << 6) | (chance(w, 80) ? 12 + below(w, 4) : below(w, 16)));
    put_register(w, 0x4012, below(w, 256));
    put_register(w, 0x4013, ONE_OF(w, 0, 0, 1, 2, 16));
    put_register(w, 0x4015, chance(w, 85) ? 0x10 | below(w, 16) : below(w, 256));
}

static inline void put_oam_dma(struct writer *w) {
    if (chance(w, 40))
        put_register(w, 0x2003, below(w, 256));
    if (chance(w, 10))
        put_access(w, ACCESS_MODIFY, 0x4014, -1);
    else
        put_register(w, 0x4014, likely_value(w, 0x4014));
    if (chance(w, 40))
        put_device(w);
}

static inline void put_frame_counter(struct writer *w) {
    put_register(w, 0x4017, likely_value(w, 0x4017));
    if (chance(w, 40))
        put_access(w, ACCESS_READ, 0x4015, -1);
}

/* ---- pads ---- */

static inline void put_pads(struct writer *w) {
    const unsigned pad = 0x4016 + below(w, 2);
    put_register(w, 0x4016, 1);
    put_register(w, 0x4016, chance(w, 90) ? 0 : 1);
    put2(w, LDX_IMM, chance(w, 70) ? 8 : 1 + below(w, 12));
    const uint16_t top = w->at;
    put_word(w, chance(w, 80) ? LDA_ABS : 0xAF /* LAX */, pad);
    if (w->rom[top - 0xC000] != LDA_ABS)
        put2(w, LDX_IMM, 1);           /* once */
    PUT(w, LSR_A, 0x26, ZP_BITS, DEX); /* ROL */
    put2(w, BNE, top - (w->at + 2u));
}

/* ---- the PPU ---- */

static inline void put_rendering(struct writer *w) {
    put_register(w, 0x2001, random_mask(w));
    if (chance(w, 50)) {
        put_register(w, 0x2005, below(w, 256));
        put_register(w, 0x2005, below(w, 256));
    }
}

static inline void put_video_memory(struct writer *w) {
    put_register(w, 0x2006, chance(w, 50) ? 0x20 + below(w, 0x20) : below(w, 256));
    put_register(w, 0x2006, below(w, 256));
    for (unsigned i = 1 + below(w, 4); i-- > 0;)
        put_access(w, (enum access_kind)below(w, 3), 0x2007, -1);
}

/* $2000 bit 7 off and on while the flag of vertical blank is set: each time an NMI. The handler
 * does so too, but not in itself. */
static inline void put_nmi_toggle(struct writer *w) {
    PUT(w, LDA_ZP, ZP_TOGGLING, BNE, 0);
    const uint16_t branch = w->at;
    put2(w, INC_ZP, ZP_TOGGLING);
    for (unsigned i = 1 + below(w, 3); i-- > 0;) {
        put_store(w, below(w, 128), 0x2000);
        for (unsigned k = below(w, 3); k-- > 0;)
            put(w, NOP);
        put_store(w, 128 + below(w, 128), 0x2000);
    }
    put2(w, DEC_ZP, ZP_TOGGLING);
    poke(w, branch - 1, w->at - branch);
}

/* Reads $2002 at many distances from the flag's edge. */
static inline void put_status_loop(struct writer *w) {
    const bool v = chance(w, 30);
    put2(w, LDX_IMM, 1 + below(w, 255));
    const uint16_t top = w->at;
    put_word(w, v || chance(w, 50) ? BIT_ABS : LDA_ABS, 0x2002 | below(w, 0x400) << 3);
    for (unsigned k = below(w, 4); k-- > 0;)
        put(w, NOP);
    put2(w, v ? BVS : BMI, 3);
    put(w, DEX);
    put2(w, BNE, top - (w->at + 2u));
    PUT(w, PHP, PLA, STA_ZP, ZP_SINK);
}

/* Puts sprite 0 somewhere; then waits for its hit, for a limited time. */
static inline void put_sprite_poll(struct writer *w) {
    if (chance(w, 70)) {
        put_store(w, 0, 0x2003);
        for (unsigned i = 0; i < 4; i++)
            put_store(w, i == 0 ? below(w, 240) : i == 2 ? below(w, 4) : below(w, 256), 0x2004);
    }
    put_store(w, 0x1E, 0x2001);
    put_status_loop(w);
}

/* Busy-waits: for the NMI's handler, for vertical blank, for the end of the hit. */
static inline void put_wait(struct writer *w) {
    switch (below(w, 5)) {
    case 0:
    case 1:
        put_store(w, 0x80, 0x2000);
        PUT(w, LDA_ZP, ZP_NMIS, CMP_ZP, ZP_NMIS, BEQ, 0xFC);
        break;
    case 2:
        put_store(w, 0x80, 0x2000);
        PUT(w, BIT_ABS, 0x02, 0x20, BVS, 0xFB);
        break;
    default:
        PUT(w, BIT_ABS, 0x02, 0x20, BPL, 0xFB);
        break;
    }
}

/* ---- interrupts ---- */

/* A device is accessed while interrupts are being enabled or disabled. */
static inline void put_masked_device(struct writer *w) {
    switch (below(w, 5)) {
    case 0:
        put(w, SEI), put_device(w), put(w, CLI), put_device(w);
        break;
    case 1:
        PUT(w, PHP, SEI), put_device(w), put(w, PLP), put_device(w);
        break;
    case 2:
        put_load(w, below(w, 256)), put(w, PHA), put_device(w), put(w, PLP);
        break;
    case 3:
        PUT(w, CLI, SEI), put_device(w);
        break;
    default:
        put(w, CLI), put_device(w), put(w, SEI);
        break;
    }
}

/* ---- cartridges ---- */

static inline uint16_t rom_address(struct writer *w) {
    return (uint16_t)(0x8000 + below(w, 0x8000));
}

static inline void put_serial_register(struct writer *w) {
    const uint16_t to = rom_address(w);
    if (chance(w, 15)) {
        put_access(w, chance(w, 50) ? ACCESS_MODIFY : ACCESS_WRITE, to, 0x80 | (int)below(w, 128));
        return;
    }
    put_load(w, below(w, 32));
    for (unsigned i = chance(w, 90) ? 5 : below(w, 5); i-- > 0;) {
        put_word(w, STA_ABS, to);
        put(w, LSR_A);
    }
}

static inline void put_scanline_irq(struct writer *w) {
    put_register(w, 0xC000, chance(w, 80) ? below(w, 30) : below(w, 256));
    put_register(w, 0xC001, below(w, 256));
    put_register(w, chance(w, 85) ? 0xE001 : 0xE000, below(w, 256));
    if (chance(w, 60)) {
        put_register(w, 0x2000, 0x80 | ONE_OF(w, 0x08, 0x10, 0x18, 0x20, 0x28));
        put_register(w, 0x2001, 0x18);
    }
    if (chance(w, 60))
        put(w, CLI);
}

/* The counter is clocked by what the program does with $2007: reads and writes step the address,
 * and line 12 rises with it. */
static inline void put_video_clock(struct writer *w) {
    if (w->g->cart.mapper != 4)
        return;
    put_register(w, 0x2001, 0);
    put_register(w, 0xC000, below(w, 2));
    put_register(w, 0xC001, 0);
    put_register(w, 0xE001, 0);
    if (chance(w, 80))
        put(w, CLI);
    for (unsigned i = 1 + below(w, 3); i-- > 0;) {
        put_store(w, 0x0F, 0x2006), put_store(w, chance(w, 60) ? 0xFF : 0xE0, 0x2006);
        put_access(w, chance(w, 70) ? ACCESS_READ : ACCESS_WRITE, 0x2007, -1);
        put_work(w);
    }
}

/* Of its eight registers two are code; with even and odd banks as they lie in the file code goes
 * on where it would. */
static inline void put_mmc3_bank(struct writer *w) {
    const unsigned which = chance(w, 70) ? 6 + below(w, 2) : below(w, 6);
    put_register(w, 0x8000, which | (chance(w, 15) ? 0x40 : 0) | (chance(w, 20) ? 0x80 : 0));
    put_register(w, 0x8001, chance(w, 70) ? below(w, 16) * 2 + (which == 7) : below(w, 256));
    if (chance(w, 10))
        put_register(w, 0xA001, chance(w, 70) ? 0x80 : below(w, 256));
}

/* The cartridge's RAM comes and goes, with data and with code. */
static inline void put_ram_switch(struct writer *w) {
    const bool serial = w->g->cart.mapper == 1;
    if (!serial && w->g->cart.mapper != 4)
        return;
    const unsigned off = serial ? 0x10 : ONE_OF(w, 0x00, 0xC0), on = serial ? 0 : 0x80;
    for (unsigned pass = 0; pass < 2; pass++) {
        put_load(w, chance(w, 85) == (pass == 0) ? off : on);
        for (unsigned i = serial ? 5 : 1; i-- > 0;) {
            put_word(w, STA_ABS, serial ? 0xE000 : 0xA001);
            put(w, LSR_A);
        }
        put_access(w, (enum access_kind)below(w, 3), (uint16_t)(0x6100 + below(w, 0x1F00)), -1);
        if (!w->leaf && chance(w, 50))
            put_word(w, JSR, WRAM_COPY);
    }
}

/* Any of these writes may switch the bank of the next instruction. */
static inline void put_bank_switch(struct writer *w) {
    const unsigned mapper = w->g->cart.mapper;
    if (chance(w, 15))
        put_access(w, chance(w, 60) ? ACCESS_WRITE : ACCESS_MODIFY, rom_address(w), -1);
    else if (mapper == 1)
        put_serial_register(w);
    else if (mapper == 4 && chance(w, 50))
        put_scanline_irq(w);
    else if (mapper == 4)
        put_mmc3_bank(w);
    else if (mapper == 28) /* its register is chosen below */
        put_register(w, chance(w, 40) ? 0x5000 : rom_address(w), below(w, 256) & 0x81);
    else
        put_register(w, rom_address(w), below(w, 256));
}

#endif
