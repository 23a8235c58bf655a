/*
 * ppu_scroll: arithmetic on v (NESdev, "PPU scrolling"), the addresses fetched for it, and the
 * PPU's own bus. Private to core/nes.
 */
#ifndef HOTGRAPH_PPU_SCROLL_H
#define HOTGRAPH_PPU_SCROLL_H

#include "nes/ppu/ppu_registers.h"

/* The bits that v gets from t at the start of a line, and at the start of a frame. */
enum { V_HORIZONTAL = 0x041F, V_VERTICAL = 0x7BE0 };

/* ---- the PPU's bus, without the mapper's hook ---- */

static inline uint8_t ppu_bus_read(const struct board *b, uint16_t address) {
    return address & 0x2000 ? b->nt[address >> 10 & 3][address & 0x3FF]
                            : b->chr[address >> 10 & 7][address & 0x3FF];
}

enum { PPU_PALETTE = 0x3F00 };
static inline unsigned ppu_palette_index(uint16_t address) {
    const unsigned i = address & 0x1F;
    return (i & 3) == 0 ? i & 0x0F : i;
}

/* ---- scrolling (NESdev, "PPU scrolling") ---- */

static inline uint16_t v_next_tile(uint16_t v) {
    return (v & 0x1F) == 31 ? (uint16_t)((v & ~0x1F) ^ 0x400) : (uint16_t)(v + 1);
}

static inline uint16_t v_next_row(uint16_t v) {
    if ((v & 0x7000) != 0x7000)
        return (uint16_t)(v + 0x1000);
    v &= 0x0FFF;
    if ((v & 0x3E0) == 29 << 5)
        return (uint16_t)((v & ~0x3E0) ^ 0x800);
    return (v & 0x3E0) == 31 << 5 ? (uint16_t)(v & ~0x3E0) : (uint16_t)(v + 32);
}

/* v moved right by fewer than 64 tiles. */
static inline uint16_t v_tiles(uint16_t v, unsigned tiles) {
    const unsigned coarse = (v & 31) + tiles;
    return (uint16_t)((v & ~31u) ^ (coarse & 32) << 5) | (coarse & 31);
}

/* v after an access to $2007 with rendering off. */
static inline uint16_t v_stepped(uint16_t v, uint8_t ctrl) {
    return (v + (ctrl & CTRL_INCREMENT_32 ? 32 : 1)) & 0x7FFF;
}

/* v moved down by rows of pixels. */
static inline uint16_t v_rows(uint16_t v, unsigned rows) {
    unsigned fine = (v >> 12) + rows, coarse = v >> 5 & 31, tiles = fine >> 3,
             nametable = v & 0x800;
    if (coarse >= 30 && tiles) { /* in the attribute table: counts to 32 and wraps without switching
                                    nametables */
        unsigned left = 32 - coarse;
        coarse = tiles < left ? coarse + tiles : 0;
        tiles = tiles < left ? 0 : tiles - left;
    }
    if (coarse < 30) {
        coarse += tiles;
        nametable ^= coarse / 30 & 1 ? 0x800 : 0;
        coarse %= 30;
    }
    return (uint16_t)((fine & 7) << 12 | nametable | coarse << 5 | (v & V_HORIZONTAL));
}

/* Addresses fetched for the tile at v. */
static inline uint16_t nametable_address(uint16_t v) {
    return (uint16_t)(0x2000 | (v & 0xFFF));
}
static inline uint16_t attribute_address(uint16_t v) {
    return (uint16_t)(0x23C0 | (v & 0xC00) | (v >> 4 & 0x38) | (v >> 2 & 7));
}
static inline uint16_t pattern_address(const struct ppu_state *s, uint16_t v, uint8_t tile) {
    return (uint16_t)((s->ctrl & CTRL_BACKGROUND_TABLE) << 8 | tile << 4 | v >> 12);
}
/* The two palette bits of the tile at v, from its attribute byte. */
static inline uint8_t attribute_bits(uint16_t v, uint8_t attributes) {
    return attributes >> ((v >> 4 & 4) | (v & 2)) & 3;
}

#endif
