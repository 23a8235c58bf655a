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
/* True if the sprite whose four bytes are at `sprite` shows on the line after `line`. The
 * pre-render line counts as line 5, and its sprites are those that the last evaluation left. */
static inline bool ppu_in_range(const struct ppu_state *s, const uint8_t *sprite, unsigned line) {
    return (line & 0xFF) - sprite[0] < sprite_height(s);
}

/* ---- the eight units that show sprites ---- */

/* Loads unit `i` from the four bytes at `sprite` and its pattern; the second function one plane of
 * it. */
void ppu_load_sprite(struct ppu_state *s, unsigned i, const uint8_t *sprite, uint8_t low,
                     uint8_t high);
void ppu_load_plane(struct ppu_state *s, unsigned i, const uint8_t *sprite, bool high,
                    uint8_t pattern);
/* Columns `from` to `to` - 1 pass with rendering off: units count on, but shift nothing. */
void ppu_hold_sprites(struct ppu_state *s, unsigned from, unsigned to);
/* Dot 256 of a line: all its columns are shifted out. What is left in a unit would show at once. */
void ppu_end_sprites(struct ppu_state *s);
/* Dot 339 with rendering off: units do not begin to count, and show at once. */
void ppu_halt_sprites(struct ppu_state *s);
/* Column 0 has shown the first pixel of every unit; they count from the next one to column `x`. */
void ppu_pass_late_column(struct ppu_state *s, const uint16_t x[8]);
static inline bool ppu_any_sprite(const struct ppu_state *s) {
    unsigned any = 0;
    for (unsigned i = 0; i < 8; i++)
        any |= s->sprites[i].low | s->sprites[i].high;
    return any;
}
/* Empties all units. */
void ppu_empty_sprites(struct ppu_state *s);

#endif
