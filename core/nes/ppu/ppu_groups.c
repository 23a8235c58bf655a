/*
 * Parts of lines with rendering on, while nothing accesses the PPU. Eight dots fetch a tile or a
 * sprite. Such a group is processed at once, and so are the incomplete groups at the start and end
 * of a part. Only the last two tiles can be observed afterwards, in the shift registers.
 */
#include "nes/ppu/ppu_a12.h"
#include "nes/ppu/ppu_pass.h"
#include "nes/ppu/ppu_scroll.h"
#include "nes/ppu/ppu_sprites.h"

enum { GROUP = 8, DOT_TILES = 1, DOT_SPRITES = 257, DOT_NEXT_TILES = 321, DOT_LAST = 337 };
enum { DOT_ZERO = 66 };                       /* decides on sprite 0 */
enum { DOT_V_FIRST = 280, DOT_V_LAST = 304 }; /* dots of the pre-render line that copy v from t */

/* Some dots of a group, at least one: from `from` to before `to`, counted from 0. */
struct part {
    unsigned from, to;
};
enum { ONE = 0, TWO = 2, THREE = 4, FOUR = 6 }; /* dots of a group that fetch */

static struct part part(const struct ppu_state *s, unsigned to) {
    const unsigned from = (s->dot - 1u) % GROUP, dots = to - s->dot;
    return (struct part){from, from + dots < GROUP ? from + dots : GROUP};
}

static bool has(struct part g, unsigned dot) {
    return g.from <= dot && dot < g.to;
}

static void pass(struct ppu_state *s, unsigned dots) {
    s->dot = (uint16_t)(s->dot + dots);
    s->time += dots;
}

/* ---- the board's view ---- */

/* Reports the addresses of a group, nametables first. Of two fetches from one table the first
 * suffices. */
static void show_group(struct ppu *p, struct part g, uint16_t patterns) {
    const unsigned two = g.from > ONE ? TWO : ONE, four = g.from > THREE ? FOUR : THREE;
    if (has(g, two))
        ppu_show_address(p, nametable_address(p->state.v), p->state.time + two - g.from);
    if (has(g, four))
        ppu_show_address(p, patterns, p->state.time + four - g.from);
}

/* ---- tiles ---- */

/* Detects sprite 0 hits in the columns of the next dots, which belong to one tile. At the end of a
 * part (`end`), a hit in its last dot rises late. */
static void find_hits(struct ppu_state *s, unsigned dots, bool end) {
    const unsigned x = s->dot - 1u, sprite = s->sprites[0].x;
    if (!s->zero_now || x + dots <= sprite || x > sprite + 7)
        return;
    const unsigned left = (unsigned)(s->shift_low | s->shift_high) << s->x >> 8 & 0xFF,
                   shown = left & 0xFF00u >> dots;
    const unsigned hits = ppu_hits(s, sprite, s->sprites[0].low | s->sprites[0].high,
                                   x < sprite ? shown << (sprite - x) : shown >> (x - sprite));
    const unsigned last = x + dots - 1 - sprite; /* column of the sprite; above 7: none */
    const unsigned late = end && last < 8 ? hits & 0x80u >> last : 0;
    if (hits & ~late)
        s->status |= STATUS_HIT;
    if (late)
        s->late_status |= STATUS_HIT;
}

static void shift(struct ppu_state *s, unsigned dots) {
    const unsigned ones = (1u << dots) - 1;
    s->shift_low = (uint16_t)(s->shift_low << dots);
    s->shift_high = (uint16_t)(s->shift_high << dots | ones);
    s->shift_at_low = (uint16_t)(s->shift_at_low << dots | (s->shift_at_low & 1 ? ones : 0));
    s->shift_at_high = (uint16_t)(s->shift_at_high << dots | (s->shift_at_high & 1 ? ones : 0));
}

static void pass_tile(struct ppu *p, struct part g) {
    struct ppu_state *s = &p->state;
    show_group(p, g, pattern_address(s, 0, 0));
    if (has(g, ONE))
        s->nt = ppu_bus_read(p->board, nametable_address(s->v));
    if (has(g, TWO))
        s->at = attribute_bits(s->v, ppu_bus_read(p->board, attribute_address(s->v)));
    if (has(g, THREE))
        s->low = ppu_bus_read(p->board, pattern_address(s, s->v, s->nt));
    if (has(g, FOUR))
        s->high = ppu_bus_read(p->board, pattern_address(s, s->v, s->nt) + 8);
    shift(s, g.to - g.from);
    if (g.to == GROUP) {
        s->v = v_next_tile(s->v);
        ppu_load_shifters(s);
    }
    pass(s, g.to - g.from);
}

/* Number of tiles before dot `to` that can be skipped: all but the last two before the part's end
 * or before the columns of sprite 0. The board can distinguish only the first and the last tile. */
static unsigned tiles_to_skip(const struct ppu_state *s, unsigned to) {
    const unsigned hit = (s->sprites[0].x & ~7u) + 1;
    if (s->dot % GROUP != 1)
        return 0;
    if (s->zero_now && !(s->status & STATUS_HIT) && s->dot <= s->sprites[0].x + GROUP && hit < to)
        to = hit;
    const unsigned whole = s->dot < to ? (to - s->dot) / GROUP : 0;
    return whole > 2 ? whole - 2 : 0;
}

/* Advances to dot `to`, at most to the end of the tiles. `columns`: they are columns of a visible
 * line. */
static void pass_tiles(struct ppu *p, unsigned to, bool columns) {
    struct ppu_state *s = &p->state;
    bool first = p->board->ops->a12_rises;
    while (s->dot < to) {
        const unsigned skipped = first ? 0 : tiles_to_skip(s, to);
        s->v = v_tiles(s->v, skipped);
        pass(s, GROUP * skipped);
        const struct part g = part(s, to);
        first &= g.from != 0;
        if (columns)
            find_hits(s, g.to - g.from, s->dot + g.to - g.from == to);
        pass_tile(p, g);
    }
    if (s->dot == DOT_SPRITES) {
        s->v = v_next_row(s->v);
        ppu_end_sprites(s);
    }
}

/* ---- sprites ---- */

/* Evaluates the dots before dot `to`, then restores the position. `ends`: the line's columns end
 * there; the unit's inner state cannot be observed afterwards. */
static void evaluate(struct ppu *p, unsigned to, bool ends) {
    struct ppu_state *s = &p->state;
    const uint16_t dot = s->dot;
    if (dot == DOT_TILES && ends && s->oam_address == 0) {
        unsigned found;
        const unsigned overflow =
            ppu_evaluate_line(s, s->line, s->secondary, &found, &s->zero_next);
        s->found = (uint8_t)found;
        if (overflow == to)
            s->late_status |= STATUS_OVERFLOW;
        else if (overflow)
            s->status |= STATUS_OVERFLOW;
    } else {
        ppu_evaluate_dots(s, to, ppu_is_empty(p, s->line));
    }
    s->dot = dot;
}

static void pass_sprite(struct ppu *p, struct part g) {
    struct ppu_state *s = &p->state;
    const unsigned i = (s->dot - DOT_SPRITES) / GROUP;
    const uint8_t *sprite = &s->secondary[i * 4];
    const uint16_t a = ppu_sprite_address(s, sprite, s->line);
    const bool shown = ppu_in_range(s, sprite, s->line);
    show_group(p, g, a);
    if (has(g, THREE))
        ppu_load_plane(s, i, sprite, false, shown ? ppu_bus_read(p->board, a) : 0);
    if (has(g, FOUR))
        ppu_load_plane(s, i, sprite, true, shown ? ppu_bus_read(p->board, a + 8) : 0);
    pass(s, g.to - g.from);
}

/* Advances to dot `to`, at most to the end of the sprites. */
static void pass_sprites(struct ppu *p, unsigned to) {
    struct ppu_state *s = &p->state;
    const unsigned from = s->dot;
    if (from == DOT_SPRITES) {
        s->zero_now = s->zero_next;
        ppu_end_columns(s);
    }
    s->oam_address = 0;
    while (s->dot < to)
        pass_sprite(p, part(s, to));
    if (s->line == LINE_PRERENDER && from <= DOT_V_LAST && to > DOT_V_FIRST)
        s->v = (uint16_t)((s->v & ~V_VERTICAL) | (s->t & V_VERTICAL));
}

/* ---- both ---- */

/* True if a part that starts here goes dot by dot, because it clears flags or has no tiles. */
static bool goes_by_dots(const struct ppu_state *s) {
    return s->dot == 0 || s->dot >= DOT_LAST || (s->line == LINE_PRERENDER && s->dot == DOT_FLAGS);
}

void ppu_groups(struct ppu *p, uint64_t until) {
    struct ppu_state *s = &p->state;
    while (s->time < until) {
        if (goes_by_dots(s)) {
            ppu_dots(p, s->time + 1);
            continue;
        }
        ppu_late(p);
        const unsigned end = s->dot < DOT_SPRITES      ? DOT_SPRITES
                             : s->dot < DOT_NEXT_TILES ? DOT_NEXT_TILES
                                                       : DOT_LAST;
        const unsigned to = (unsigned)ppu_least(end, s->dot + (until - s->time));
        const bool columns = end == DOT_SPRITES && s->line <= LINE_LAST;
        if (columns)
            evaluate(p, to, to == end && s->time + (to - s->dot) < until);
        else if (s->dot <= DOT_ZERO && DOT_ZERO < to)
            s->zero_next = false; /* nothing is evaluated in the pre-render line */
        if (end == DOT_NEXT_TILES)
            pass_sprites(p, to);
        else
            pass_tiles(p, to, columns);
    }
}
