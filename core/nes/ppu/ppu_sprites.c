/*
 * Sprites: which of them show on a line, and their pixels (NESdev, "PPU sprite evaluation"). The
 * unit evaluates the next line during dots 1-256. Here this is done dot by dot, which is the
 * definition, or for a whole line at once, with the same outcome.
 */
#include <string.h>

#include "nes/ppu/ppu_sprites.h"

enum evaluation {
    IDLE = PPU_IDLE, /* no sprite left to examine: the address keeps stepping */
    SEARCH,          /* is the next sprite on the line? */
    COPY,            /* its other three bytes */
    OVERFLOW,        /* eight are found; the search continues with the faulty address step */
    OVERFLOWN,       /* the other bytes of a ninth sprite */
};

/* ---- evaluation, dot by dot ---- */

static bool on_line(const struct ppu_state *s, uint8_t y) {
    return (unsigned)(s->line - y) < sprite_height(s);
}

/* Moves the OAM address to `next`; at the end of OAM no sprite is left to examine. */
static void step_to(struct ppu_state *s, unsigned next, enum evaluation then) {
    s->oam_address = (uint8_t)next;
    s->evaluation = (uint8_t)(next > 0xFF ? IDLE : then);
}

static void copy_byte(struct ppu_state *s) {
    s->secondary[(s->found * 4 + s->copied) & 31] = s->oam_data;
    if (++s->copied < 4) {
        step_to(s, s->oam_address + 1u, COPY);
        return;
    }
    s->copied = 0;
    s->found++;
    step_to(s, (s->oam_address + 1u) & ~3u, s->found == 8 ? OVERFLOW : SEARCH);
}

/* An even dot of 66-256: decides on the byte that the odd dot before has read. */
static void evaluate(struct ppu_state *s) {
    unsigned address = s->oam_address;
    bool writes = s->evaluation == SEARCH || s->evaluation == COPY;
    switch ((enum evaluation)s->evaluation) {
    case SEARCH:
        s->secondary[(s->found * 4) & 31] = s->oam_data;
        if (s->dot == 66)
            s->zero_next = on_line(s, s->oam_data);
        if (on_line(s, s->oam_data)) {
            s->copied = 1;
            step_to(s, address + 1, COPY);
        } else
            step_to(s, (address & ~3u) + 4, SEARCH);
        break;
    case COPY:
        copy_byte(s);
        break;
    case OVERFLOW:
        if (on_line(s, s->oam_data)) {
            s->late_status |= STATUS_OVERFLOW;
            s->copied = 1;
            step_to(s, address + 1, OVERFLOWN);
        } else /* the chip's bug: the byte within the sprite steps too, without carry */
            step_to(s, ((address & ~3u) + 4) | ((address + 1) & 3), OVERFLOW);
        break;
    case OVERFLOWN:
        if (++s->copied < 4)
            step_to(s, address + 1, OVERFLOWN);
        else {
            s->copied = 0;
            step_to(s, (address + 1) & ~3u, IDLE);
        }
        break;
    case IDLE:
        s->oam_address = (uint8_t)((address & ~3u) + 4);
        break;
    }
    if (!writes) /* secondary OAM is read instead */
        s->oam_data = s->secondary[s->found < 8 ? s->found * 4 + s->copied : 0];
}

void ppu_evaluation_dot(struct ppu_state *s) {
    if (s->dot <= 64) {
        s->oam_data = 0xFF;
        s->secondary[((s->dot - 1) >> 1) & 31] = 0xFF;
        return;
    }
    if (s->dot == 65)
        s->evaluation = SEARCH;
    if (s->dot & 1)
        s->oam_data = s->oam[s->oam_address];
    else
        evaluate(s);
}

/* Dots 1-64, from s->dot on: secondary OAM is cleared, a byte every other dot. */
static void clear_ahead(struct ppu_state *s, unsigned to) {
    const unsigned end = to < 65 ? to : 65, first = (s->dot - 1u) >> 1, last = (end - 2) >> 1;
    memset(s->secondary + first, 0xFF, last - first + 1);
    s->oam_data = 0xFF;
    s->dot = (uint16_t)end;
}

/* At an odd dot and the first byte of a sprite: number of sprites before dot `to` that are not on
 * the line. */
static unsigned misses(const struct ppu_state *s, unsigned to, bool empty) {
    const unsigned dots = (to - s->dot) / 2, left = (256u - s->oam_address) / 4;
    const unsigned most = dots < left ? dots : left, height = sprite_height(s);
    const uint8_t *const y = s->oam + s->oam_address;
    unsigned count = empty ? most : 0;
    while (count < most && (unsigned)(s->line - y[count * 4]) >= height)
        count++;
    return count;
}

static void pass_misses(struct ppu_state *s, unsigned count) {
    if (s->dot == 65)
        s->zero_next = false;
    s->oam_data = s->oam[s->oam_address + 4 * (count - 1)];
    s->secondary[(s->found * 4) & 31] = s->oam_data;
    s->dot = (uint16_t)(s->dot + 2 * count);
    step_to(s, s->oam_address + 4 * count, SEARCH);
}

/* Continues from there sprite by sprite, for all sprites that are complete before dot `to`. */
static void search_ahead(struct ppu_state *s, unsigned to, bool empty) {
    while (s->evaluation == SEARCH && s->dot + 2u <= to) {
        const unsigned count = misses(s, to, empty);
        if (count > 0) {
            pass_misses(s, count);
            continue;
        }
        if (s->dot + 8u > to)
            return;
        const uint8_t *sprite = &s->oam[s->oam_address];
        if (s->dot == 65)
            s->zero_next = true;
        memcpy(&s->secondary[(s->found * 4) & 31], sprite, 4);
        s->found++;
        s->copied = 0;
        s->oam_data = sprite[3];
        s->dot += 8;
        step_to(s, s->oam_address + 4u, s->found == 8 ? OVERFLOW : SEARCH);
    }
}

/* At an odd dot with no sprite left to examine: the address keeps stepping. */
static void idle_ahead(struct ppu_state *s, unsigned to) {
    const unsigned dots = to - s->dot, pairs = dots / 2;
    if (pairs > 0) {
        s->oam_address = (uint8_t)((s->oam_address & ~3u) + 4 * pairs);
        s->oam_data = s->secondary[s->found < 8 ? s->found * 4 + s->copied : 0];
    }
    if (dots & 1)
        s->oam_data = s->oam[s->oam_address];
    s->dot = (uint16_t)to;
}

void ppu_evaluate_dots(struct ppu_state *s, unsigned to, bool empty) {
    while (s->dot < to) {
        s->status |= s->late_status;
        s->late_status = 0;
        if (s->dot == 65)
            s->evaluation = SEARCH;
        if (s->dot < 65)
            clear_ahead(s, to);
        else if (s->dot & 1 && s->evaluation == IDLE)
            idle_ahead(s, to);
        else if (s->dot & 1 && s->evaluation == SEARCH && !(s->oam_address & 3) &&
                 s->dot + 8u <= to)
            search_ahead(s, to, empty);
        else
            ppu_evaluation_dot(s), s->dot++;
    }
}

/* ---- a whole line at once ---- */

unsigned ppu_evaluate_line(const struct ppu_state *s, unsigned line, uint8_t *secondary,
                           unsigned *found, bool *zero) {
    unsigned height = sprite_height(s), dot = 66, i = 0;
    memset(secondary, 0xFF, 32);
    *found = 0;
    *zero = line - s->oam[0] < height;
    for (; i < 64 && *found < 8; i++, dot += 2) {
        secondary[*found * 4] = s->oam[i * 4];
        if (line - s->oam[i * 4] >= height)
            continue;
        memcpy(&secondary[*found * 4], &s->oam[i * 4], 4);
        ++*found;
        dot += 6;
    }
    for (unsigned byte = 0; i < 64; i++, byte = (byte + 1) & 3, dot += 2)
        if (line - s->oam[i * 4 + byte] < height)
            return dot + 1;
    return 0;
}

/* ---- pixels ---- */

uint16_t ppu_sprite_address(const struct ppu_state *s, const uint8_t *sprite, unsigned line) {
    unsigned tile = sprite[1], row = (line & 0xFF) - sprite[0], height = sprite_height(s);
    if (sprite[2] & SPRITE_FLIP_Y)
        row = height - 1 - row;
    row &= height - 1;
    if (height == 8)
        return (uint16_t)((s->ctrl & CTRL_SPRITE_TABLE) << 9 | tile << 4 | row);
    return (uint16_t)((tile & 1) << 12 | (tile & 0xFE) << 4 | (row & 8) << 1 | (row & 7));
}

uint8_t ppu_mirrored(uint8_t pixels) {
    unsigned mirrored = 0;
    for (unsigned i = 0; i < 8; i++)
        mirrored |= (pixels >> i & 1u) << (7 - i);
    return (uint8_t)mirrored;
}

unsigned ppu_hits(const struct ppu_state *s, unsigned x, unsigned sprite, unsigned background) {
    enum { BOTH_LEFT = MASK_LEFT_BACKGROUND | MASK_LEFT_SPRITES };
    unsigned hits = sprite & background & 0xFF;
    if ((s->mask & MASK_RENDERING) != MASK_RENDERING)
        return 0;
    if (x < 8 && (s->mask & BOTH_LEFT) != BOTH_LEFT)
        hits &= 0xFFu >> (8 - x);
    if (x > 247) /* column 255 never hits, and pixels do not wrap */
        hits &= 0xFF00u >> (255 - x);
    return hits;
}

/* ---- units ---- */

enum { UNITS = 8, COLUMNS = PPU_WIDTH };

/* An exhausted unit cannot be told from an empty one. */
static void settle(struct ppu_state *s, unsigned i) {
    if (!(s->sprites[i].low | s->sprites[i].high))
        s->sprites[i].attributes = 0, s->sprites[i].x = 0;
}

void ppu_load_plane(struct ppu_state *s, unsigned i, const uint8_t *sprite, bool high,
                    uint8_t pattern) {
    *(high ? &s->sprites[i].high : &s->sprites[i].low) =
        sprite[2] & SPRITE_FLIP_X ? ppu_mirrored(pattern) : pattern;
    s->sprites[i].attributes = sprite[2];
    s->sprites[i].x = sprite[3];
    settle(s, i);
}

void ppu_load_sprite(struct ppu_state *s, unsigned i, const uint8_t *sprite, uint8_t low,
                     uint8_t high) {
    const bool flip = sprite[2] & SPRITE_FLIP_X;
    s->sprites[i].low = flip ? ppu_mirrored(low) : low;
    s->sprites[i].high = flip ? ppu_mirrored(high) : high;
    s->sprites[i].attributes = sprite[2];
    s->sprites[i].x = sprite[3];
    settle(s, i);
}

/* Unit `i` shifts out the columns before `to`, and goes on from column `next`. */
static void shift_unit(struct ppu_state *s, unsigned i, unsigned to, unsigned next) {
    const unsigned columns = to > s->sprites[i].x ? to - s->sprites[i].x : 0;
    s->sprites[i].low = (uint8_t)(columns < 8 ? s->sprites[i].low << columns : 0);
    s->sprites[i].high = (uint8_t)(columns < 8 ? s->sprites[i].high << columns : 0);
    s->sprites[i].x = (uint16_t)next;
    settle(s, i);
}

void ppu_hold_sprites(struct ppu_state *s, unsigned from, unsigned to) {
    for (unsigned i = 0; i < UNITS; i++)
        if (s->sprites[i].x < to)
            shift_unit(s, i, from, to);
}

void ppu_end_sprites(struct ppu_state *s) {
    for (unsigned i = 0; i < UNITS; i++)
        if (s->sprites[i].low | s->sprites[i].high)
            shift_unit(s, i, COLUMNS, 0);
}

void ppu_halt_sprites(struct ppu_state *s) {
    for (unsigned i = 0; i < UNITS; i++)
        s->sprites[i].x = 0;
}

void ppu_pass_late_column(struct ppu_state *s, const uint16_t x[8]) {
    for (unsigned i = 0; i < UNITS; i++) {
        s->sprites[i].x = 0;
        if (x[i] > 0)
            shift_unit(s, i, s->rendering ? 1 : 0, x[i] + 1u);
    }
    s->odd_dots.late_sprites = false;
}

void ppu_empty_sprites(struct ppu_state *s) {
    memset(s->sprites, 0, sizeof s->sprites);
    s->zero_now = false;
}
