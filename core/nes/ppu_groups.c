/*
 * Parts of lines with rendering on, for while nothing touches the PPU: the eight dots that fetch a
 * tile or a sprite at once. What does not begin or end with such a group goes dot by dot, and so do
 * the columns in which sprite 0 may hit.
 */
#include "nes/ppu_parts.h"

enum { GROUP = 8, DOT_TILES = 1, DOT_SPRITES = 257, DOT_NEXT_TILES = 321, DOT_LAST = 337 };
enum { DOT_V_FIRST = 280, DOT_V_LAST = 304 }; /* of the pre-render line, which copy v from t */

/* ---- the board's view ---- */

/* The addresses of a group; the nametables' come first. */
static void show_group(struct ppu *p, uint16_t patterns) {
    ppu_show_address(p, nametable_address(p->s.v), p->s.time);
    ppu_show_address(p, patterns, p->s.time + 4);
}

/* ---- tiles ---- */

static void pass_tile(struct ppu *p) {
    struct ppu_state *s = &p->s;
    show_group(p, pattern_address(s, 0, 0));
    s->nt = ppu_bus_read(p->board, nametable_address(s->v));
    s->at = attribute_bits(s->v, ppu_bus_read(p->board, attribute_address(s->v)));
    s->low = ppu_bus_read(p->board, pattern_address(s, s->v, s->nt));
    s->high = ppu_bus_read(p->board, pattern_address(s, s->v, s->nt) + 8);
    s->v = v_next_tile(s->v);
    s->shift_low = (uint16_t)(s->shift_low << 8);
    s->shift_high = (uint16_t)(s->shift_high << 8 | 0xFF);
    s->shift_at_low = (uint16_t)(s->shift_at_low << 8 | (s->shift_at_low & 1 ? 0xFF : 0));
    s->shift_at_high = (uint16_t)(s->shift_at_high << 8 | (s->shift_at_high & 1 ? 0xFF : 0));
    ppu_load_shifters(s);
}

/* Only the last two tiles are still to be seen in the shift registers afterwards, and to the board
 * all are alike but the first and the last. */
static void pass_tiles(struct ppu *p, unsigned count) {
    struct ppu_state *s = &p->s;
    for (unsigned left = count; left > 0; left--) {
        if (left > 2 && left < count) {
            const unsigned skipped = left - 2;
            for (unsigned i = 0; i < skipped; i++)
                s->v = v_next_tile(s->v);
            s->dot = (uint16_t)(s->dot + GROUP * skipped);
            s->time += GROUP * skipped;
            left = 2;
        }
        pass_tile(p);
        s->dot += GROUP;
        s->time += GROUP;
    }
    if (s->dot == DOT_SPRITES)
        s->v = v_next_row(s->v);
}

/* ---- sprites ---- */

/* Evaluation in the dots before dot `to`, then back to where it began. `ends`: the line's columns
 * end there, and what follows shows nothing of the unit's inner state. */
static void evaluate(struct ppu_state *s, unsigned to, bool ends) {
    const uint16_t dot = s->dot;
    if (dot == DOT_TILES && ends && s->oam_address == 0 && !s->zero_next) {
        unsigned found;
        const unsigned overflow =
            ppu_evaluate_line(s, s->line, s->secondary, &found, &s->zero_next);
        s->found = (uint8_t)found;
        if (overflow == to)
            s->late_status |= STATUS_OVERFLOW;
        else if (overflow)
            s->status |= STATUS_OVERFLOW;
    } else {
        ppu_evaluate_dots(s, to);
    }
    s->dot = dot;
}

static void pass_sprite(struct ppu *p) {
    static const uint8_t none[4] = {0xFF, 0xFF, 0xFF, 0xFF};
    struct ppu_state *s = &p->s;
    const unsigned i = (s->dot - DOT_SPRITES) / GROUP;
    const uint8_t *sprite = i < s->found ? &s->secondary[i * 4] : none;
    const uint16_t a = ppu_sprite_address(s, sprite, s->line);
    if (s->dot == DOT_SPRITES) {
        ppu_shift_out_sprites(s);
        ppu_end_columns(s);
    }
    show_group(p, a);
    if (i < s->found)
        ppu_load_sprite(s, i, sprite, ppu_bus_read(p->board, a), ppu_bus_read(p->board, a + 8));
    s->oam_address = 0;
    s->dot += GROUP;
    s->time += GROUP;
    if (s->line == LINE_PRERENDER && s->dot > DOT_V_FIRST && s->dot <= DOT_V_LAST + GROUP)
        s->v = (uint16_t)((s->v & ~V_VERTICAL) | (s->t & V_VERTICAL));
}

/* ---- both ---- */

/* How many of the next `count` groups come before the columns in which sprite 0 may hit. */
static unsigned before_hit(const struct ppu_state *s, unsigned count) {
    const unsigned first = s->sprites[0].x + 1u, last = first + GROUP - 1;
    if (!s->zero_now || s->status & STATUS_HIT || s->dot > last)
        return count;
    const unsigned before = s->dot < first ? (first - s->dot) / GROUP : 0;
    return before < count ? before : count;
}

/* How many groups can be done at once, all of one kind, in the next `dots` dots. */
static unsigned whole_groups(const struct ppu_state *s, unsigned dots) {
    if (s->dot % GROUP != 1 || s->dot >= DOT_LAST ||
        (s->line == LINE_PRERENDER && s->dot == DOT_FLAGS))
        return 0;
    const unsigned end = s->dot < DOT_SPRITES      ? DOT_SPRITES
                         : s->dot < DOT_NEXT_TILES ? DOT_NEXT_TILES
                                                   : DOT_LAST;
    const unsigned count = (s->dot + dots < end ? dots : end - s->dot) / GROUP;
    return s->line <= LINE_LAST && end == DOT_SPRITES ? before_hit(s, count) : count;
}

void ppu_groups(struct ppu *p, uint64_t until) {
    struct ppu_state *s = &p->s;
    while (s->time < until) {
        const unsigned dots = (unsigned)(until - s->time), count = whole_groups(s, dots);
        if (count == 0) {
            const unsigned rest = GROUP - (s->dot + GROUP - 1) % GROUP;
            ppu_dots(p, s->time + (rest < dots ? rest : dots));
            continue;
        }
        ppu_late(p);
        if (s->dot >= DOT_SPRITES && s->dot < DOT_NEXT_TILES) {
            for (unsigned i = 0; i < count; i++)
                pass_sprite(p);
            continue;
        }
        const unsigned to = s->dot + count * GROUP;
        if (s->line <= LINE_LAST && s->dot < DOT_SPRITES)
            evaluate(s, to, to == DOT_SPRITES && dots > count * GROUP);
        pass_tiles(p, count);
    }
}
