/*
 * The PPU dot by dot: what happens at each of the 341 dots of a line, according to NESdev's "PPU
 * rendering", "PPU sprite evaluation" and "PPU scrolling". This is the definition; ppu_line.c has
 * short cuts to the same state.
 */
#include "nes/ppu/ppu_a12.h"
#include "nes/ppu/ppu_pass.h"
#include "nes/ppu/ppu_picture.h"
#include "nes/ppu/ppu_scroll.h"
#include "nes/ppu/ppu_sprites.h"

static uint8_t fetch(struct ppu *p, uint16_t address) {
    ppu_show_address(p, address, p->state.time);
    return ppu_bus_read(p->board, address);
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
    static const uint8_t none[4] = {0xFF, 0xFF, 0xFF, 0xFF};
    struct ppu_state *s = &p->state;
    unsigned i = (unsigned)(s->dot - 257) >> 3;
    const uint8_t *sprite = i < s->found ? &s->secondary[i * 4] : none;
    s->oam_address = 0;
    switch ((s->dot - 257) & 7) {
    case 0:
    case 2:
        fetch(p, nametable_address(s->v)); /* the result is discarded */
        break;
    case 4: {
        uint8_t low = fetch(p, ppu_sprite_address(s, sprite, s->line));
        if (i < s->found)
            ppu_load_sprite(s, i, sprite, low, 0);
        break;
    }
    case 6: {
        uint8_t low = s->sprites[i].low,
                high = fetch(p, ppu_sprite_address(s, sprite, s->line) + 8);
        if (i < s->found) {
            ppu_load_sprite(s, i, sprite, 0, high);
            s->sprites[i].low = low;
        }
        break;
    }
    }
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
    if (s->zero_now && zero_hits(s))
        s->late_status |= STATUS_HIT;
    if (p->picture.wanted)
        ppu_picture_pixel(p);
}

/* ---- lines ---- */

void ppu_end_columns(struct ppu_state *s) {
    s->v = (uint16_t)((s->v & ~V_HORIZONTAL) | (s->t & V_HORIZONTAL));
    s->evaluation = PPU_IDLE;
    s->copied = s->oam_data = 0;
    s->zero_now = s->zero_next;
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
    if (dot == 257)
        ppu_end_columns(s);
    if (dot <= 320)
        sprite_fetch_dot(p);
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
    bool visible = s->line <= LINE_LAST;
    if (s->dot == 0) {
        s->evaluation = PPU_IDLE;
        s->found = s->copied = 0;
        s->zero_next = false;
    }
    if (s->dot == 257)
        ppu_shift_out_sprites(s);
    bool column = visible && s->dot >= 1 && s->dot <= 256;
    if (column && s->dot == 1 && p->picture.wanted)
        ppu_picture_sprites(p);
    if (s->rendering) {
        rendering_dot(p);
        if (column)
            ppu_evaluation_dot(s);
    }
    if (column)
        pixel_dot(p);
    if (visible && p->picture.wanted)
        ppu_picture_dot(p);
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

void ppu_late(struct ppu *p) {
    struct ppu_state *s = &p->state;
    s->status |= s->late_status;
    s->late_status = 0;
    if (s->mask_due > s->time && s->v_due > s->time)
        return;
    if (s->mask_due <= s->time) {
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
        next_dot(s);
    }
}
