/*
 * Pixels, computed only if pictures are wanted; not part of the PPU's state.
 *
 * A pixel leaves the shift registers at dot column + 1 and gets its colour two dots later, from
 * $2001 and the palette at that time (as blargg's nmi_sync shows).
 */
#include <string.h>

#include "nes/ppu/ppu_picture.h"
#include "nes/ppu/ppu_scroll.h"

enum { BEHIND = 0x20, FIRST_COLOUR_DOT = 3 };

void ppu_picture_sprites(struct ppu *p, unsigned from) {
    const struct ppu_state *s = &p->state;
    memset(p->picture.sprites + from, 0, sizeof p->picture.sprites - from);
    for (unsigned i = 8; i-- > 0;) { /* the first one has priority */
        for (unsigned at = 0; at < 8 && s->sprites[i].x + at < PPU_WIDTH; at++) {
            unsigned pixel =
                (s->sprites[i].low >> (7 - at) & 1) | (s->sprites[i].high >> (7 - at) & 1) << 1;
            if (pixel && s->sprites[i].x + at >= from)
                p->picture.sprites[s->sprites[i].x + at] =
                    (uint8_t)(16 | (s->sprites[i].attributes & 3) << 2 | pixel |
                              (s->sprites[i].attributes & SPRITE_BEHIND ? BEHIND : 0));
        }
    }
}

/* The background's pixel at this bit of the shift registers. */
static uint8_t shifted(const struct ppu_state *s, unsigned bit) {
    unsigned pixel = (s->shift_low >> bit & 1) | (s->shift_high >> bit & 1) << 1;
    if (pixel)
        pixel |= (s->shift_at_low >> bit & 1) << 2 | (s->shift_at_high >> bit & 1) << 3;
    return (uint8_t)pixel;
}

void ppu_picture_pixel(struct ppu *p) {
    p->picture.background[p->state.dot - 1] = shifted(&p->state, 15u - p->state.x);
}

/* The colour of a pixel with this palette index. */
static uint16_t colour(const struct ppu_state *s, unsigned index) {
    if (!(s->mask & MASK_RENDERING) && (s->v & 0x3F00) == 0x3F00)
        index = (s->v & 3) == 0 ? s->v & 0x0F : s->v & 0x1F; /* shows the colour that v points at */
    unsigned entry = s->palette[index] & (s->mask & MASK_GREY ? 0x30 : 0x3F);
    return (uint16_t)(entry | (s->mask & 0xE0u) << 1);
}

/* Palette index of column x after masks and priority. */
static unsigned visible_index(const struct ppu *p, unsigned x) {
    unsigned mask = p->state.mask, background = p->picture.background[x],
             sprite = p->picture.sprites[x];
    if (!(mask & MASK_BACKGROUND) || (x < 8 && !(mask & MASK_LEFT_BACKGROUND)))
        background = 0;
    if (!(mask & MASK_SPRITES) || (x < 8 && !(mask & MASK_LEFT_SPRITES)))
        sprite = 0;
    return sprite && !(background && sprite & BEHIND) ? sprite & 0x1F : background;
}

static uint16_t *line_pixels(const struct ppu *p) {
    return p->picture.wanted + (p->picture.drawing * PPU_HEIGHT + p->state.line) * PPU_WIDTH;
}

void ppu_picture_dot(struct ppu *p) {
    unsigned x = p->state.dot - (unsigned)FIRST_COLOUR_DOT;
    if (x < PPU_WIDTH)
        line_pixels(p)[x] = colour(&p->state, visible_index(p, x));
}

/* The eight pixels of a tile. */
static void put_tile(uint8_t *to, unsigned low, unsigned high, unsigned palette) {
    for (unsigned i = 0; i < 8; i++) {
        unsigned pixel = (low >> (7 - i) & 1) | (high >> (7 - i) & 1) << 1;
        to[i] = (uint8_t)(pixel ? palette << 2 | pixel : 0);
    }
}

void ppu_picture_line(struct ppu *p) {
    const struct ppu_state *s = &p->state;
    const struct board *b = p->board;
    uint8_t tiles[PPU_WIDTH + 16];
    if (s->rendering) {
        /* If rendering started within a tile, its columns may differ in their colours. */
        for (unsigned i = 0; i < 16; i++)
            tiles[i] = shifted(s, 15 - i);
        uint16_t v = s->v;
        for (unsigned i = 2; i < 33; i++, v = v_next_tile(v)) {
            uint16_t a = pattern_address(s, v, ppu_bus_read(b, nametable_address(v)));
            put_tile(tiles + i * 8, ppu_bus_read(b, a), ppu_bus_read(b, a + 8),
                     attribute_bits(v, ppu_bus_read(b, attribute_address(v))));
        }
        memcpy(p->picture.background, tiles + s->x, PPU_WIDTH);
        ppu_picture_sprites(p, 0);
    }
    uint16_t colours[32], *to = line_pixels(p);
    for (unsigned i = 0; i < 32; i++)
        colours[i] = colour(s, i);
    for (unsigned x = 0; x < PPU_WIDTH; x++)
        to[x] = colours[visible_index(p, x)];
}
