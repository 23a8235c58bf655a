/*
 * ppu_sprites: sprite evaluation, the pixels of a sprite, and the rule of sprite 0.
 */
#ifndef HOTGRAPH_PPU_SPRITES_H
#define HOTGRAPH_PPU_SPRITES_H

#include "nes/ppu/ppu_registers.h"

enum { PPU_IDLE }; /* s.evaluation when nothing is evaluated */

/* One dot of sprite evaluation, 1-256. ppu_evaluate_dots(): all dots before dot `to`, at most 257,
 * of a visible line; `empty`: the line is known to have no sprites. */
void ppu_evaluation_dot(struct ppu_state *s);
void ppu_evaluate_dots(struct ppu_state *s, unsigned to, bool empty);
/* True if the line is known to have no sprites. */
static inline bool ppu_is_empty(const struct ppu *p, unsigned line) {
    return p->sprites_known.lines && p->sprites_known.on_line[line] == 0;
}
/* Evaluates a whole line, from OAM address 0. Fills 32 bytes. Returns the dot that sets overflow,
 * which is the dot after it is found, or 0. */
unsigned ppu_evaluate_line(const struct ppu_state *s, unsigned line, uint8_t *secondary,
                           unsigned *found, bool *zero);
/* Address of the low pattern byte, for the line after `line`, of the sprite whose four bytes are at
 * `sprite`; the high one is 8 bytes further. */
uint16_t ppu_sprite_address(const struct ppu_state *s, const uint8_t *sprite, unsigned line);
/* Reverses eight pixels. */
uint8_t ppu_mirrored(uint8_t pixels);
/* The rule of sprite 0: which of the eight columns from x on hit, leftmost in bit 7, if these
 * pixels of sprite and background are opaque. */
unsigned ppu_hits(const struct ppu_state *s, unsigned x, unsigned sprite, unsigned background);
/* Loads slot `i` of this line's sprites from the four bytes at `sprite`. */
void ppu_load_sprite(struct ppu_state *s, unsigned i, const uint8_t *sprite, uint8_t low,
                     uint8_t high);
/* Dot 257 of a line: its sprites are finished. */
void ppu_shift_out_sprites(struct ppu_state *s);

#endif
