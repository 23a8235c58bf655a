/*
 * The PPU dot by dot: what happens at each of the 341 dots of a line, according to NESdev's "PPU
 * rendering", "PPU sprite evaluation" and "PPU scrolling". This is the definition; ppu_line.c has
 * short cuts to the same state.
 */
#include <string.h>

#include "nes/ppu/ppu_a12.h"
#include "nes/ppu/ppu_pass.h"
#include "nes/ppu/ppu_picture.h"
#include "nes/ppu/ppu_prediction.h"
#include "nes/ppu/ppu_scroll.h"
#include "nes/ppu/ppu_sprites.h"

/* ---- the bus ---- */

/* An address and the data share eight lines, so a fetch takes two dots: the odd one puts the low
 * byte into a latch, the even one reads. Here both happen in the odd one. */

/* True if a read of $2007 fills its buffer in this dot. */
static bool fills_buffer(const struct ppu_state *s) {
    return s->odd_dots.data_due && s->time >= ppu_data_dot(s);
}

/* If a read of $2007 fills its buffer in the odd dot, the latch is open while the bus carries data:
 * instead of the low byte of the address it gets the last byte read, and then the next one
 * (AccuracyCoin, "ALE + Read"). */
static uint8_t fetch(struct ppu *p, uint16_t address) {
    struct ppu_state *s = &p->state;
    ppu_show_address(p, address, s->time);
    for (unsigned i = 0; fills_buffer(s) && i < 2; i++) {
        address = (uint16_t)((address & 0xFF00) | s->odd_dots.data_bus);
        s->odd_dots.data_bus = ppu_bus_read(p->board, address);
    }
    const uint8_t value = ppu_bus_read(p->board, address);
    if (s->odd_dots.data_due)
        s->odd_dots.data_bus = value;
    return value;
}

/* The end of such a dot: the buffer gets what the bus carries, and v steps. */
static void fill_buffer(struct ppu *p) {
    struct ppu_state *s = &p->state;
    s->read_buffer = ppu_fetching(s) ? s->odd_dots.data_bus : ppu_bus_read(p->board, s->v & 0x3FFF);
    s->odd_dots.data_due = false;
    s->odd_dots.data_bus = 0;
    ppu_step_v(p);
}

/* ---- background ---- */

void ppu_load_shifters(struct ppu_state *s) {
    s->shift_low = (uint16_t)((s->shift_low & 0xFF00) | s->low);
    s->shift_high = (uint16_t)((s->shift_high & 0xFF00) | s->high);
    s->shift_at_low = (uint16_t)((s->shift_at_low & 0xFF00) | (s->at & 1 ? 0xFF : 0));
    s->shift_at_high = (uint16_t)((s->shift_at_high & 0xFF00) | (s->at & 2 ? 0xFF : 0));
}

/* If no tile is loaded in time, ones follow in the high plane (AccuracyCoin, "BG serial in"). */
static void shift(struct ppu_state *s) {
    s->shift_low = (uint16_t)(s->shift_low << 1);
    s->shift_high = (uint16_t)(s->shift_high << 1 | 1);
    s->shift_at_low = (uint16_t)(s->shift_at_low << 1 | (s->shift_at_low & 1));
    s->shift_at_high = (uint16_t)(s->shift_at_high << 1 | (s->shift_at_high & 1));
}

/* One dot of the eight that fetch a tile: dots 1-256 and 321-336. */
static void fetch_tile(struct ppu *p) {
    struct ppu_state *s = &p->state;
    switch (s->dot & 7) {
    case 1:
        s->nt = fetch(p, nametable_address(s->v));
        break;
    case 3:
        s->at = attribute_bits(s->v, fetch(p, attribute_address(s->v)));
        break;
    case 5:
        s->low = fetch(p, pattern_address(s, s->v, s->nt));
        break;
    case 7:
        s->high = fetch(p, pattern_address(s, s->v, s->nt) + 8);
        break;
    case 0:
        s->v = v_next_tile(s->v);
        break;
    }
}

/* ---- sprites ---- */

/* Dots 257-320: eight dots for each of the eight sprite slots. Empty slots fetch tile $FF. */
static void sprite_fetch_dot(struct ppu *p) {
    struct ppu_state *s = &p->state;
    unsigned i = (unsigned)(s->dot - 257) >> 3;
    const uint8_t *sprite = &s->secondary[i * 4];
    const uint16_t address = ppu_sprite_address(s, sprite, s->line);
    const uint8_t shown = ppu_in_range(s, sprite, s->line) ? 0xFF : 0;
    s->oam_address = 0;
    switch ((s->dot - 257) & 7) {
    case 0:
    case 2:
        fetch(p, nametable_address(s->v)); /* the result is discarded */
        break;
    case 4:
        ppu_load_plane(s, i, sprite, false, fetch(p, address) & shown);
        break;
    case 6:
        ppu_load_plane(s, i, sprite, true, fetch(p, address + 8) & shown);
        break;
    }
}

/* OAM and secondary OAM are one memory. Where rendering ends, the address in secondary OAM stays
 * selected, and the next rendered dot overwrites that row of OAM with row 0, unless rendering begins
 * outside of the vertical blank. `s`: at the first dot without rendering, whose evaluation still
 * happens. (AccuracyCoin, "OAM corruption", which says how this depends on the alignment of
 * processor and PPU; the alignment here is one of those that take three dots.) */
static uint8_t selected_row(const struct ppu_state *s) {
    if (s->dot <= 64)
        return s->dot >> 1 & 31;
    if (s->dot <= 256) {
        struct ppu_state next = *s;
        if (s->line == LINE_PRERENDER)
            return 0;
        ppu_evaluation_dot(&next);
        return next.found < 8 ? (uint8_t)((next.found * 4 + (next.copied ? 4 : 0)) & 31) : 0;
    }
    if (s->dot > 320)
        return 0;
    const unsigned i = (s->dot - 257u) >> 3, byte = (s->dot - 257u) & 7;
    return (uint8_t)(i * 4 + (byte < 3 ? byte + 1 : byte < 7 ? 3 : 4)) & 31;
}

static void corrupt_oam(struct ppu *p) {
    struct ppu_state *s = &p->state;
    memcpy(&s->oam[s->odd_dots.corrupt_row * 8u], s->oam, 8);
    s->secondary[s->odd_dots.corrupt_row] = s->secondary[0];
    s->odd_dots.corrupt_row = 0;
    ppu_invalidate_sprites(p);
}

/* ---- pixels ---- */

/* True if sprite 0 hits in the column that leaves the shift registers. */
static bool zero_hits(const struct ppu_state *s) {
    const unsigned sprite = s->sprites[0].x, at = s->dot - 1u - sprite, bit = 15u - s->x;
    if (at > 7)
        return false;
    const unsigned background = (s->shift_low | s->shift_high) >> bit & 1;
    return ppu_hits(s, sprite, s->sprites[0].low | s->sprites[0].high, background << (7 - at));
}

/* Dots 1-256 of a visible line: column dot - 1. */
static void pixel_dot(struct ppu *p) {
    struct ppu_state *s = &p->state;
    if (s->zero_now && s->rendering && zero_hits(s))
        s->late_status |= STATUS_HIT;
    if (p->picture.wanted)
        ppu_picture_pixel(p);
}

/* The units after the pixel of dots 1-256 was taken. */
static void end_of_column(struct ppu *p, bool visible) {
    struct ppu_state *s = &p->state;
    if (!s->rendering) {
        ppu_hold_sprites(s, s->dot - 1u, s->dot);
        if (visible && p->picture.wanted)
            ppu_picture_sprites(p, s->dot);
    }
    if (s->dot == 256)
        ppu_end_sprites(s);
}

/* Column 0 if the pre-render line was a dot short: units begin to count a dot later, and have shown
 * their first pixel (AccuracyCoin, "Sprites on scanline 0"). */
static void late_column(struct ppu *p) {
    struct ppu_state *s = &p->state;
    uint16_t x[8];
    for (unsigned i = 0; i < 8; i++) {
        x[i] = s->sprites[i].x;
        s->sprites[i].x = 0;
    }
    if (p->picture.wanted)
        ppu_picture_sprites(p, 0);
    pixel_dot(p);
    ppu_pass_late_column(s, x);
    if (p->picture.wanted)
        ppu_picture_sprites(p, 1);
}

/* ---- lines ---- */

void ppu_end_columns(struct ppu_state *s) {
    s->v = (uint16_t)((s->v & ~V_HORIZONTAL) | (s->t & V_HORIZONTAL));
    s->evaluation = PPU_IDLE;
    s->copied = s->oam_data = 0;
}

/* One dot of a line with fetches, visible or pre-render, while rendering is on. */
static void rendering_dot(struct ppu *p) {
    struct ppu_state *s = &p->state;
    unsigned dot = s->dot;
    if (dot == 0) { /* the address of the next pattern is already on the bus */
        if (s->line <= LINE_LAST)
            ppu_show_address(p, pattern_address(s, s->v, s->nt), s->time);
        return;
    }
    if (dot <= 256 || (dot >= 321 && dot <= 336)) {
        fetch_tile(p);
        return;
    }
    if (dot <= 320)
        sprite_fetch_dot(p);
    if (dot == 257) /* after the fetch, for which v is still that of the columns */
        ppu_end_columns(s);
    if (dot >= 280 && dot <= 304 && s->line == LINE_PRERENDER)
        s->v = (uint16_t)((s->v & ~V_VERTICAL) | (s->t & V_VERTICAL));
    if (dot == 337 || dot == 339)
        s->nt = fetch(p, nametable_address(s->v));
}

/* Call after the pixel was taken. A tile is loaded in the last of its eight dots, not in the first
 * one of the next tile: rendering may begin between the two (AccuracyCoin, "BG serial in"). */
static void end_of_tile_dot(struct ppu_state *s) {
    if (s->dot == 256)
        s->v = v_next_row(s->v);
    if ((s->dot >= 1 && s->dot <= 256) || (s->dot >= 321 && s->dot <= 336)) {
        shift(s);
        if ((s->dot & 7) == 0)
            ppu_load_shifters(s);
    }
}

static void line_dot(struct ppu *p) {
    struct ppu_state *s = &p->state;
    const bool visible = s->line <= LINE_LAST, column = s->dot >= 1 && s->dot <= 256;
    if (s->rendering && s->odd_dots.corrupt_row)
        corrupt_oam(p);
    if (s->dot == 0) {
        s->evaluation = PPU_IDLE;
        s->found = s->copied = 0;
    }
    if (s->dot == 257)
        s->zero_now = s->zero_next;
    if (s->dot == 339 && !s->rendering)
        ppu_halt_sprites(s);
    if (visible && s->dot == 1 && p->picture.wanted)
        ppu_picture_sprites(p, 0);
    if (s->rendering) {
        rendering_dot(p);
        if (visible && column)
            ppu_evaluation_dot(s);
        else if (s->dot == 66) /* nothing is evaluated in the pre-render line */
            s->zero_next = false;
    }
    if (s->odd_dots.late_sprites && s->dot == 1)
        late_column(p);
    else if (visible && column)
        pixel_dot(p);
    if (visible && p->picture.wanted)
        ppu_picture_dot(p);
    if (column)
        end_of_column(p, visible);
    if (s->rendering)
        end_of_tile_dot(s);
}

static void flags_dot(struct ppu *p) {
    struct ppu_state *s = &p->state;
    if (s->line == LINE_VBLANK) {
        if (!s->vblank_suppressed)
            s->status |= STATUS_VBLANK;
        s->vblank_suppressed = false;
    } else if (s->line == LINE_PRERENDER) {
        s->status = 0;
        s->ignore_writes = false;
    } else if (s->line == LINE_IDLE) {
        ppu_picture_ends(p);
        ppu_show_v(p);
    }
}

void ppu_step_v(struct ppu *p) {
    struct ppu_state *s = &p->state;
    if (ppu_fetching(s))
        s->v = v_next_row(v_next_tile(s->v));
    else
        s->v = v_stepped(s->v, s->ctrl);
    ppu_show_v(p);
}

void ppu_late(struct ppu *p) {
    struct ppu_state *s = &p->state;
    s->status |= s->late_status;
    s->late_status = 0;
    if (s->mask_due > s->time && s->v_due > s->time)
        return;
    if (s->mask_due <= s->time) {
        const bool renders = s->mask & MASK_RENDERING;
        if (!renders && ppu_fetching(s))
            s->odd_dots.corrupt_row = selected_row(s);
        else if (renders && (s->line <= LINE_IDLE || s->line == LINE_PRERENDER))
            s->odd_dots.corrupt_row = 0;
        s->rendering = s->mask & MASK_RENDERING;
        s->mask_due = UINT64_MAX;
    }
    if (s->v_due <= s->time) {
        s->v = s->t;
        s->v_due = UINT64_MAX;
    }
    ppu_show_v(p);
}

static void next_dot(struct ppu_state *s) {
    bool skip = s->odd && s->line == LINE_PRERENDER && s->dot == DOT_SKIPS &&
                ppu_renders_at(s, s->time + 1);
    s->time++;
    s->odd_dots.late_sprites |= skip && ppu_any_sprite(s);
    if (!skip && ++s->dot < PPU_DOTS)
        return;
    s->dot = 0;
    if (++s->line < PPU_LINES)
        return;
    s->line = 0;
    s->odd = !s->odd;
}

void ppu_dots(struct ppu *p, uint64_t until) {
    struct ppu_state *s = &p->state;
    while (s->time < until) {
        ppu_late(p);
        if (s->dot == DOT_FLAGS)
            flags_dot(p);
        if (s->line <= LINE_LAST || s->line == LINE_PRERENDER)
            line_dot(p);
        if (fills_buffer(s))
            fill_buffer(p);
        next_dot(s);
    }
}
