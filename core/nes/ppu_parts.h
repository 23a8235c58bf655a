/*
 * What the files ppu*.c share. Everybody else uses ppu.h.
 */
#ifndef HOTGRAPH_PPU_PARTS_H
#define HOTGRAPH_PPU_PARTS_H

#include "nes/ppu.h"

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

enum { LINE_LAST = 239, LINE_IDLE = 240, LINE_VBLANK = 241, LINE_PRERENDER = 261, DOT_FLAGS = 1 };

/* In odd frames the pre-render line ends with this dot when the next one would be rendering: that
 * is a dot less after a write to $2001 than fetches need (blargg, 10-even_odd_timing). */
enum { DOT_SKIPS = 339 };

/* The bits of v and t that a line's start copies, and those that a frame's start copies. */
enum { V_HORIZONTAL = 0x041F, V_VERTICAL = 0x7BE0 };

static inline unsigned sprite_height(const struct ppu_state *s) {
    return s->ctrl & CTRL_TALL ? 16 : 8;
}

static inline uint64_t ppu_least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Dots done before the access of a cycle, and before its end. */
static inline uint64_t ppu_dots_at_access(uint64_t cycle) {
    return 3 * cycle + 1;
}
static inline uint64_t ppu_dots_at_end(uint64_t cycle) {
    return 3 * cycle + 2;
}
/* First cycle whose end comes after dot number `dot`. */
static inline uint64_t ppu_end_after(uint64_t dot) {
    return (dot + 1) / 3;
}

static inline bool ppu_fetching(const struct ppu_state *s) {
    return s->rendering && (s->line <= LINE_LAST || s->line == LINE_PRERENDER);
}

/* Whether dot number `dot` (not one in the past) renders, if nothing is written until then. */
static inline bool ppu_renders_at(const struct ppu_state *s, uint64_t dot) {
    return s->mask_due <= dot ? s->mask & MASK_RENDERING : s->rendering;
}

/* ---- the PPU's bus, without the mapper's hook ---- */

static inline uint8_t ppu_bus_read(const struct board *b, uint16_t address) {
    return address & 0x2000 ? b->nt[address >> 10 & 3][address & 0x3FF]
                            : b->chr[address >> 10 & 7][address & 0x3FF];
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

/* Addresses of what is fetched for the tile at v. */
static inline uint16_t nametable_address(uint16_t v) {
    return (uint16_t)(0x2000 | (v & 0xFFF));
}
static inline uint16_t attribute_address(uint16_t v) {
    return (uint16_t)(0x23C0 | (v & 0xC00) | (v >> 4 & 0x38) | (v >> 2 & 7));
}
static inline uint16_t pattern_address(const struct ppu_state *s, uint16_t v, uint8_t tile) {
    return (uint16_t)((s->ctrl & CTRL_BACKGROUND_TABLE) << 8 | tile << 4 | v >> 12);
}
/* The two palette bits of the tile at v, out of its attribute byte. */
static inline uint8_t attribute_bits(uint16_t v, uint8_t attributes) {
    return attributes >> ((v >> 4 & 4) | (v & 2)) & 3;
}

/* Address of the low pattern byte of the sprite whose four bytes are at `sprite`, for the line
 * after `line`; the high one is 8 further. */
uint16_t ppu_sprite_address(const struct ppu_state *s, const uint8_t *sprite, unsigned line);
/* The byte with its bits the other way round. */
uint8_t ppu_mirrored(uint8_t bits);
/* Loads slot `i` of this line's sprites from the four bytes at `sprite`. */
void ppu_load_sprite(struct ppu_state *s, unsigned i, const uint8_t *sprite, uint8_t low,
                     uint8_t high);

/* ---- the two ways through time ---- */

enum { PPU_IDLE }; /* s.evaluation when nothing is being evaluated */

/* Does every dot before number `until` one by one (ppu_dot.c). */
void ppu_dots(struct ppu *p, uint64_t until);
/* Of these: writes and flags whose time has come when dot number `time` begins; */
void ppu_late(struct ppu *p);
/* what sprite evaluation does in the dots before dot `to`, at most 257, of a visible line; */
void ppu_evaluate_dots(struct ppu_state *s, unsigned to);
/* dot 257 of a line: the sprites shown are gone; with rendering on more, before its fetches; */
void ppu_shift_out_sprites(struct ppu_state *s);
void ppu_end_columns(struct ppu_state *s);
/* a tile that was fetched goes into the shift registers. */
void ppu_load_shifters(struct ppu_state *s);

/* The same for a part of a line with rendering on and no pixels wanted, which nothing touches
 * before dot number `until` (ppu_groups.c). */
void ppu_groups(struct ppu *p, uint64_t until);

/* The same as fast as it can be done (ppu_line.c). */
void ppu_advance(struct ppu *p, uint64_t until);
/* Something has changed what was foreseen: a register or memory (not OAM), or OAM or the size of
 * sprites. */
void ppu_touched(struct ppu *p);
void ppu_sprites_touched(struct ppu *p);

/* ---- what boards see of the address bus (ppu_a12.c) ---- */

/* `address` is on the bus from dot number `dot` on; v from the next one, unless something is
 * fetched. */
void ppu_show_address(struct ppu *p, uint16_t address, uint64_t dot);
void ppu_show_v(struct ppu *p);
/* What the next `lines` lines fetch, visible ones or the pre-render line, from dot 0. */
void ppu_show_lines(struct ppu *p, unsigned lines);

/* Sprite evaluation of a whole line, from OAM address 0 (see ppu_dot.c). Fills 32 bytes. Returns
 * the dot that sets overflow, the one after it is found, or 0. */
unsigned ppu_evaluate_line(const struct ppu_state *s, unsigned line, uint8_t *secondary,
                           unsigned *found, bool *zero);

/* ---- pictures (ppu_picture.c): p->pictures is not NULL ---- */

/* The sprites of this line are loaded: their pixels. */
void ppu_picture_sprites(struct ppu *p);
/* A column of the background leaves the shift registers (dots 1-256). */
void ppu_picture_pixel(struct ppu *p);
/* Gives a column its colour (dots 3-258; other dots do nothing). */
void ppu_picture_dot(struct ppu *p);
/* A whole visible line at once, at dot 0, nothing touching the PPU before its end. */
void ppu_picture_line(struct ppu *p);

/* ---- foresight ---- */

/* Number of the next dot at this place of the picture that is still to come, if nothing touches the
 * PPU. */
uint64_t ppu_next_dot(const struct ppu_state *s, unsigned line, unsigned dot);
/* Status as the dots before number `until` leave it. Brings the PPU there, or, where the sprite
 * flags are foreseen, only to the start of the line. */
uint8_t ppu_status_at(struct ppu *p, uint64_t until);
/* Number of the next dot from `from` on that could change it, untouched; early at times, never
 * late. To be asked after ppu_status_at(p, from). */
uint64_t ppu_next_change(struct ppu *p, uint64_t from);

#endif
