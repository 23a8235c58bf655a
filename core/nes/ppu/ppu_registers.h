/*
 * ppu_registers: the bits of the PPU's registers and of a sprite's attributes, and what a write to
 * a scroll, control or mask register changes. Private to core/nes.
 */
#ifndef HOTGRAPH_PPU_REGISTERS_H
#define HOTGRAPH_PPU_REGISTERS_H

#include "nes/ppu/ppu.h"

enum {
    CTRL_INCREMENT_32 = 4,
    CTRL_SPRITE_TABLE = 8,
    CTRL_BACKGROUND_TABLE = 16,
    CTRL_TALL = 32,
    CTRL_NMI = 128
};
enum {
    MASK_GREY = 1,
    MASK_LEFT_BACKGROUND = 2,
    MASK_LEFT_SPRITES = 4,
    MASK_BACKGROUND = 8,
    MASK_SPRITES = 16,
    MASK_RENDERING = 24
};
enum { STATUS_OVERFLOW = 32, STATUS_HIT = 64, STATUS_VBLANK = 128 };
enum { SPRITE_FLIP_X = 64, SPRITE_FLIP_Y = 128, SPRITE_BEHIND = 32 };

enum { OAM_ATTRIBUTES = 0xE3 }; /* bits that exist in a sprite's third byte */

/* Dots between a write and its effect on fetches ($2001) and on v (second write to $2006). */
enum { PPU_MASK_DELAY = 2, PPU_V_DELAY = 3 };

static inline unsigned sprite_height(const struct ppu_state *s) {
    return s->ctrl & CTRL_TALL ? 16 : 8;
}

/* Applies a write to $2000, $2001, $2005, $2006 (for these two: the second write or the first), or
 * to $2007 with rendering off. */
static inline void ppu_change_registers(struct ppu_registers *r, unsigned reg, bool second,
                                        uint8_t value) {
    r->loads_v = r->masks = false;
    switch (reg) {
    case 0:
        r->ctrl = value;
        r->t = (uint16_t)((r->t & ~0xC00) | (value & 3) << 10);
        break;
    case 1:
        r->mask = value;
        r->masks = true;
        break;
    case 5:
        if (!second) {
            r->x = value & 7;
            r->t = (uint16_t)((r->t & ~0x1F) | value >> 3);
        } else
            r->t = (uint16_t)((r->t & 0x0C1F) | (value & 7) << 12 | (value & 0xF8) << 2);
        break;
    default:
        r->t = (uint16_t)(second ? (r->t & 0xFF00) | value : (r->t & 0x00FF) | (value & 0x3F) << 8);
        r->loads_v = second;
    }
}

#endif
