/*
 * What the files ppu*.c share, from the bottom up: a file uses those above it here, never one
 * below. Everybody else uses ppu.h, whose functions are in ppu.c, on top of all.
 */
#ifndef HOTGRAPH_PPU_PARTS_H
#define HOTGRAPH_PPU_PARTS_H

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

enum { LINE_LAST = 239, LINE_IDLE = 240, LINE_VBLANK = 241, LINE_PRERENDER = 261, DOT_FLAGS = 1 };
enum { DOT_ROW = 256 }; /* v goes down by a row of pixels */

/* Dots between a write and its effect on fetches ($2001) and on v (second write to $2006). */
enum { PPU_MASK_DELAY = 2, PPU_V_DELAY = 3 };

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

/* ---- places of the picture ---- */

static inline uint64_t place(unsigned line, unsigned dot) {
    return (uint64_t)line * PPU_DOTS + dot;
}

/* Number of the first dot of the state's picture. */
static inline uint64_t picture_start(const struct ppu_state *s) {
    return s->time - place(s->line, s->dot);
}

/* Number of the next dot at this place of the picture that is still to come, if nothing touches the
 * PPU. */
static inline uint64_t ppu_next_dot(const struct ppu_state *s, unsigned line, unsigned dot) {
    uint64_t here = place(s->line, s->dot), there = place(line, dot);
    if (there >= here)
        return s->time + (there - here);
    uint64_t frame = place(PPU_LINES, 0), skip = place(LINE_PRERENDER, DOT_SKIPS);
    if (s->odd && here <= skip && ppu_renders_at(s, s->time + (skip - here) + 1))
        frame--;
    return s->time + frame - here + there;
}

/* Whether the dots before number `until`, but not those before the state's place in the vertical
 * blank, have cleared all flags, and nothing can have set one since. */
static inline bool ppu_flags_cleared(const struct ppu_state *s, uint64_t until) {
    const uint64_t here = place(s->line, s->dot), cleared = place(LINE_PRERENDER, DOT_FLAGS) + 1;
    return here > place(LINE_VBLANK, DOT_FLAGS) && here < cleared &&
           until >= s->time + (cleared - here) && until <= ppu_next_dot(s, 0, 0);
}

static inline bool writes_pending(const struct ppu_state *s) {
    return s->mask_due != UINT64_MAX || s->v_due != UINT64_MAX;
}

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

/* v some tiles, less than 64, further right. */
static inline uint16_t v_tiles(uint16_t v, unsigned tiles) {
    const unsigned coarse = (v & 31) + tiles;
    return (uint16_t)((v & ~31u) ^ (coarse & 32) << 5) | (coarse & 31);
}

/* v after an access to $2007 with rendering off. */
static inline uint16_t v_stepped(uint16_t v, uint8_t ctrl) {
    return (v + (ctrl & CTRL_INCREMENT_32 ? 32 : 1)) & 0x7FFF;
}

/* v some rows of pixels further down. */
static inline uint16_t v_rows(uint16_t v, unsigned rows) {
    unsigned fine = (v >> 12) + rows, coarse = v >> 5 & 31, tiles = fine >> 3,
             nametable = v & 0x800;
    if (coarse >= 30 && tiles) { /* in the attributes: runs to 32 and wraps without a switch */
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

/* ---- sprites (ppu_sprites.c) ---- */

enum { PPU_IDLE }; /* s.evaluation when nothing is being evaluated */

/* One dot of sprite evaluation, 1-256; and what it does in the dots before dot `to`, at most 257,
 * of a visible line, which may be known to be `empty`: to have no sprites. */
void ppu_evaluation_dot(struct ppu_state *s);
void ppu_evaluate_dots(struct ppu_state *s, unsigned to, bool empty);
/* Whether the line is known to be so. */
static inline bool ppu_is_empty(const struct ppu *p, unsigned line) {
    return p->lines_known && p->sprites_on_line[line] == 0;
}
/* The same of a whole line, from OAM address 0. Fills 32 bytes. Returns the dot that sets overflow,
 * the one after it is found, or 0. */
unsigned ppu_evaluate_line(const struct ppu_state *s, unsigned line, uint8_t *secondary,
                           unsigned *found, bool *zero);
/* Address of the low pattern byte of the sprite whose four bytes are at `sprite`, for the line
 * after `line`; the high one is 8 further. */
uint16_t ppu_sprite_address(const struct ppu_state *s, const uint8_t *sprite, unsigned line);
/* Eight pixels from right to left. */
uint8_t ppu_mirrored(uint8_t pixels);
/* The rule of sprite 0: which of the eight columns from x on hit, leftmost in bit 7, where these
 * pixels of sprite and background are opaque. */
unsigned ppu_hits(const struct ppu_state *s, unsigned x, unsigned sprite, unsigned background);
/* Loads slot `i` of this line's sprites from the four bytes at `sprite`. */
void ppu_load_sprite(struct ppu_state *s, unsigned i, const uint8_t *sprite, uint8_t low,
                     uint8_t high);
/* Dot 257 of a line: the sprites shown are gone. */
void ppu_shift_out_sprites(struct ppu_state *s);

/* ---- what boards see of the address bus (ppu_a12.c) ---- */

enum { PPU_A12 = 0x1000 };

/* `address` is on the bus from dot number `dot` on; v from the next one, unless something is
 * fetched. */
static inline void ppu_show_address(struct ppu *p, uint16_t address, uint64_t dot) {
    if (p->board->ops->a12_rises && dot >= p->shown)
        board_a12(p->board, address & PPU_A12, dot);
}
static inline void ppu_show_v(struct ppu *p) {
    if (!ppu_fetching(&p->s))
        ppu_show_address(p, p->s.v, p->s.time);
}
/* What the next `lines` lines fetch, visible ones or the pre-render line, from dot 0. */
void ppu_show_lines(struct ppu *p, unsigned lines);
/* What is fetched before dot number `until`, while the state stays where it stands; false, and
 * nothing is done, where that cannot be told from there. */
bool ppu_show_until(struct ppu *p, uint64_t until);
/* Dot number of the `rises`-th rise of line 12 from now on that counts, or of a place before it,
 * untouched; UINT64_MAX: none comes. */
uint64_t ppu_next_rise(const struct ppu *p, unsigned rises);

/* ---- pictures (ppu_picture.c): but for the first, p->pictures is not NULL ---- */

/* Line 240: the picture is complete, and the next one goes into the other buffer. */
static inline void ppu_picture_ends(struct ppu *p) {
    p->drawing ^= 1;
    p->whole = p->begun;
    p->begun = p->pictures != NULL;
}
/* The sprites of this line are loaded: their pixels. */
void ppu_picture_sprites(struct ppu *p);
/* A column of the background leaves the shift registers (dots 1-256). */
void ppu_picture_pixel(struct ppu *p);
/* Gives a column its colour (dots 3-258; other dots do nothing). */
void ppu_picture_dot(struct ppu *p);
/* A whole visible line at once, at dot 0, nothing touching the PPU before its end. */
void ppu_picture_line(struct ppu *p);

/* ---- foresight (ppu_foresight.c) ---- */

/* Something has changed what was foreseen: a register or memory (not OAM), or OAM or the size of
 * sprites. */
static inline void ppu_touched(struct ppu *p) {
    p->foreseen = p->hit_known = p->calm = p->log_until = 0;
}
static inline void ppu_sprites_touched(struct ppu *p) {
    ppu_touched(p);
    p->lines_known = p->slots_known = p->overflow_known = false;
}
/* Whether the rest of the frame (the next one from line 240 on) can be told from here, with
 * rendering on; and tells it: p->hit_dot and overflow_dot. */
bool ppu_foreseeable(const struct ppu_state *s);
void ppu_foresee(struct ppu *p);
/* Registers are put down: from then on sprite 0 may hit elsewhere than was foreseen. */
void ppu_hit_unsure(struct ppu *p, const struct ppu_registers *r);
/* Whether hits before dot number `until` are known, or all sprite flags. */
bool ppu_hit_told(const struct ppu *p, uint64_t until);
bool ppu_flags_told(const struct ppu *p, uint64_t until);
/* Number of the next dot from `from` on that could change the status, untouched; early at times,
 * never late. To be asked after ppu_status_at(p, from). */
uint64_t ppu_next_change(struct ppu *p, uint64_t from);

/* ---- every dot by itself (ppu_dot.c) ---- */

/* Does every dot before number `until` one by one. */
void ppu_dots(struct ppu *p, uint64_t until);
/* Of these: writes and flags whose time has come when dot number `time` begins; */
void ppu_late(struct ppu *p);
/* dot 257 with rendering on, before its fetches; */
void ppu_end_columns(struct ppu_state *s);
/* a tile that was fetched goes into the shift registers. */
void ppu_load_shifters(struct ppu_state *s);

/* ---- groups of eight dots (ppu_groups.c) ---- */

/* The same for a part of a line with rendering on and no pixels wanted, which nothing touches
 * before dot number `until`. */
void ppu_groups(struct ppu *p, uint64_t until);

/* ---- lines and blanks (ppu_line.c) ---- */

/* Does every dot before number `until` as fast as it can be done, where nothing is put down for the
 * time until then. */
void ppu_pass(struct ppu *p, uint64_t until);

/* ---- writes put down (ppu_log.c) ---- */

/* As they are at present. */
static inline struct ppu_registers ppu_registers(const struct ppu *p) {
    const struct ppu_state *s = &p->s;
    if (p->log_first < p->log_end)
        return p->log[p->log_end - 1];
    return (struct ppu_registers){.t = s->t, .x = s->x, .ctrl = s->ctrl, .mask = s->mask};
}
/* A write to $2000, $2001, $2005, $2006, in these two the second one or not, or $2007 with
 * rendering off. */
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
void ppu_set_registers(struct ppu *p, const struct ppu_registers *r);
/* Puts a write to a register down that comes when dot number `dot` is next; false, and nothing is
 * done but that time may have passed, when it cannot wait. */
bool ppu_put_down(struct ppu *p, unsigned reg, uint8_t value, uint64_t dot);
/* Carries out what was put down up to dot number `until`, and what happens before each. */
void ppu_carry_out(struct ppu *p, uint64_t until);
/* Does every dot before number `until`, and carries out what was put down. */
static inline void ppu_advance(struct ppu *p, uint64_t until) {
    if (p->log_first < p->log_end)
        ppu_carry_out(p, until);
    if (p->s.time < until)
        ppu_pass(p, until);
}

/* ---- the sprite flags (ppu_status.c) ---- */

/* Status as the dots before number `until` leave it. Brings the PPU there, or, where the sprite
 * flags are foreseen, not so far. */
uint8_t ppu_status_at(struct ppu *p, uint64_t until);

#endif
