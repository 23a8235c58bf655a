/*
 * Short cuts through time, for while nothing touches the PPU.
 *
 * Blanks pass at once. Of whole lines with rendering on only the last one is looked at, for what it
 * leaves in the pipeline; what the others can do that is seen later, sprite 0 hit and overflow, is
 * foreseen for all lines of the frame that are left. Everything else goes to ppu_dots.
 */
#include <string.h>

#include "nes/ppu_parts.h"

/* ---- places ---- */

static uint64_t place(unsigned line, unsigned dot) {
    return (uint64_t)line * PPU_DOTS + dot;
}

uint64_t ppu_next_dot(const struct ppu_state *s, unsigned line, unsigned dot) {
    uint64_t here = place(s->line, s->dot), there = place(line, dot);
    if (there >= here)
        return s->time + (there - here);
    uint64_t frame = place(PPU_LINES, 0), skip = place(LINE_PRERENDER, DOT_SKIPS);
    if (s->odd && here <= skip && ppu_renders_at(s, s->time + (skip - here) + 1))
        frame--;
    return s->time + frame - here + there;
}

static bool writes_pending(const struct ppu_state *s) {
    return s->mask_due != UINT64_MAX || s->v_due != UINT64_MAX;
}

/* ---- background ---- */

/* v some rows of pixels further down. */
static uint16_t v_rows(uint16_t v, unsigned rows) {
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

/* v some tiles, less than 64, further right. */
static uint16_t v_tiles(uint16_t v, unsigned tiles) {
    unsigned coarse = (v & 31) + tiles;
    return (uint16_t)((v & ~31u) ^ (coarse & 32) << 5) | (coarse & 31);
}

/* Opaque pixels of the tile at v, leftmost in bit 7. */
static unsigned opaque(const struct ppu *p, uint16_t v) {
    uint16_t a = pattern_address(&p->s, v, ppu_bus_read(p->board, nametable_address(v)));
    return ppu_bus_read(p->board, a) | ppu_bus_read(p->board, a + 8);
}

/* ---- sprites ---- */

static void count_sprites(struct ppu *p) {
    struct ppu_state *s = &p->s;
    int8_t change[256 + 16] = {0};
    unsigned height = sprite_height(s), count = 0;
    for (unsigned i = 0; i < 256; i += 4) {
        change[s->oam[i]]++;
        change[s->oam[i] + height]--;
    }
    p->crowded_first = PPU_HEIGHT;
    for (unsigned line = 0; line < PPU_HEIGHT; line++) {
        count += (unsigned)change[line];
        p->sprites_on_line[line] = (uint8_t)count;
        if (count >= 8 && p->crowded_first == PPU_HEIGHT)
            p->crowded_first = (uint8_t)line;
    }
    p->lines_known = true;
}

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

/* ---- foresight ---- */

void ppu_touched(struct ppu *p) {
    p->foreseen = p->calm = 0;
}

void ppu_sprites_touched(struct ppu *p) {
    ppu_touched(p);
    p->lines_known = false;
}

/* A line with rendering on at its start: where the background comes from. */
struct line_start {
    unsigned line;
    uint64_t time;
    uint16_t v;  /* of the tile at column 0; of column 16 when `loaded` */
    bool loaded; /* the first two tiles are in the shift registers */
};

static unsigned opaque_tile(const struct ppu *p, const struct line_start *l, unsigned tile) {
    if (!l->loaded)
        return opaque(p, v_tiles(l->v, tile));
    if (tile >= 2)
        return opaque(p, v_tiles(l->v, tile - 2));
    return (unsigned)(p->s.shift_low | p->s.shift_high) >> (tile ? 0 : 8) & 0xFF;
}

/* The dot number at which a sprite 0 with these pixels at column x hits on a line, or UINT64_MAX.
 */
static uint64_t hit_on_line(const struct ppu *p, const struct line_start *l, unsigned pixels,
                            unsigned x) {
    enum { BOTH_LEFT = MASK_LEFT_BACKGROUND | MASK_LEFT_SPRITES };
    const struct ppu_state *s = &p->s;
    if (x < 8 && (s->mask & BOTH_LEFT) != BOTH_LEFT)
        pixels &= 0xFFu >> (8 - x);
    if (x > 247) /* column 255 never hits, and nothing wraps */
        pixels &= 0xFF00u >> (255 - x);
    if (!pixels)
        return UINT64_MAX;
    unsigned column = x + s->x;
    unsigned two = opaque_tile(p, l, column >> 3) << 8 | opaque_tile(p, l, (column >> 3) + 1);
    pixels &= two >> (8 - (column & 7));
    if (!pixels)
        return UINT64_MAX;
    while (!(pixels & 0x80))
        pixels <<= 1, x++;
    return l->time + x + 2; /* it leaves the shift registers at x + 1 */
}

/* The first line that is left must be given; `this_line` says that it has begun: sprites are
 * loaded, and the flag may be set already. */
static uint64_t foresee_hit(const struct ppu *p, struct line_start l, bool this_line) {
    const struct ppu_state *s = &p->s;
    if ((s->mask & MASK_RENDERING) != MASK_RENDERING || (this_line && s->status & STATUS_HIT))
        return UINT64_MAX;
    if (this_line && s->zero_now) {
        unsigned pixels = s->sprites[0].low | s->sprites[0].high;
        uint64_t hit = hit_on_line(p, &l, pixels, s->sprites[0].x);
        if (hit != UINT64_MAX)
            return hit;
    }
    unsigned first = s->oam[0] + 1u, end = first + sprite_height(s);
    if (first <= l.line)
        first = l.line + 1;
    for (unsigned line = first; line < end && line <= LINE_LAST; line++) {
        uint16_t row = v_rows(l.v, line - l.line), a = ppu_sprite_address(s, s->oam, line - 1);
        struct line_start at = {.line = line,
                                .time = l.time + place(line - l.line, 0),
                                .v = (uint16_t)((row & ~V_HORIZONTAL) | (s->t & V_HORIZONTAL))};
        unsigned pixels = ppu_bus_read(p->board, a) | ppu_bus_read(p->board, a + 8);
        if (s->oam[2] & SPRITE_FLIP_X)
            pixels = ppu_mirrored((uint8_t)pixels);
        uint64_t hit = hit_on_line(p, &at, pixels, s->oam[3]);
        if (hit != UINT64_MAX)
            return hit;
    }
    return UINT64_MAX;
}

static uint64_t foresee_overflow(struct ppu *p, struct line_start l, bool this_line) {
    const struct ppu_state *s = &p->s;
    if (this_line && s->status & STATUS_OVERFLOW)
        return UINT64_MAX;
    if (!p->lines_known)
        count_sprites(p);
    for (unsigned line = l.line > p->crowded_first ? l.line : p->crowded_first; line <= LINE_LAST;
         line++) {
        uint8_t secondary[32];
        unsigned found, dot = 0;
        bool zero;
        if (p->sprites_on_line[line] >= 8)
            dot = ppu_evaluate_line(s, line, secondary, &found, &zero);
        if (dot)
            return l.time + place(line - l.line, dot);
    }
    return UINT64_MAX;
}

/* Whether the rest of the frame (the next one from line 240 on) can be told from here, with
 * rendering on. */
static bool foreseeable(const struct ppu_state *s) {
    if (!s->rendering || writes_pending(s))
        return false;
    return s->line <= LINE_LAST ? s->dot == 0 && s->oam_address == 0
                                : s->line < LINE_PRERENDER || s->dot == 0;
}

static void foresee(struct ppu *p) {
    const struct ppu_state *s = &p->s;
    if (s->time < p->foreseen)
        return;
    struct line_start l = {.line = s->line, .time = s->time, .v = s->v, .loaded = true};
    bool visible = s->line <= LINE_LAST;
    if (!visible) {
        l.line = 0;
        l.time = ppu_next_dot(s, 0, 0);
        l.v = s->t;
        l.loaded = false;
    }
    p->hit_dot = foresee_hit(p, l, visible);
    p->overflow_dot = foresee_overflow(p, l, visible);
    p->foreseen = l.time + place(LINE_IDLE - l.line, 0);
}

/* In the middle of a visible line: a dot before any other that could set a sprite flag. */
static uint64_t next_flag_on_line(const struct ppu *p) {
    const struct ppu_state *s = &p->s;
    if (s->dot == 0 || writes_pending(s) || s->late_status)
        return s->time;
    if (s->zero_now && !(s->status & STATUS_HIT) && s->dot <= s->sprites[0].x + 8u)
        return s->time;
    struct ppu_state copy = *s;
    ppu_evaluate_dots(&copy, 257);
    if ((copy.status | copy.late_status) & ~s->status)
        return s->time;
    return s->time + PPU_DOTS - s->dot;
}

/* The first dot from `from` on that could set a sprite flag. */
static uint64_t next_sprite_flag(struct ppu *p, uint64_t from) {
    const struct ppu_state *s = &p->s;
    if (!s->rendering && !writes_pending(s))
        return UINT64_MAX;
    if (s->time >= p->foreseen) {
        if (!foreseeable(s)) /* nothing happens in what is left of the pre-render line */
            return s->line == LINE_PRERENDER ? ppu_next_dot(s, 0, 0) : next_flag_on_line(p);
        foresee(p);
    }
    uint64_t hit = p->hit_dot >= from ? p->hit_dot : UINT64_MAX;
    return ppu_least(hit, p->overflow_dot >= from ? p->overflow_dot : UINT64_MAX);
}

uint64_t ppu_next_change(struct ppu *p, uint64_t from) {
    uint64_t flags = ppu_least(ppu_next_dot(&p->s, LINE_VBLANK, DOT_FLAGS),
                               ppu_next_dot(&p->s, LINE_PRERENDER, DOT_FLAGS));
    return ppu_least(flags, next_sprite_flag(p, from));
}

/* Dot 0 of the visible line with dot number `dot`; `dot` itself when it lies elsewhere, or that is
 * past. */
static uint64_t line_start(const struct ppu_state *s, uint64_t dot) {
    const bool visible = s->line <= LINE_LAST;
    const uint64_t first = visible ? s->time - s->dot : ppu_next_dot(s, 0, 0);
    if (dot < first)
        return dot;
    const uint64_t lines = (dot - first) / PPU_DOTS, start = first + lines * PPU_DOTS;
    return start < s->time || lines + (visible ? s->line : 0) > LINE_LAST ? dot : start;
}

uint8_t ppu_status_at(struct ppu *p, uint64_t until) {
    const struct ppu_state *s = &p->s;
    if (s->time < until)
        ppu_advance(p, line_start(s, until));
    if (s->time >= until)
        return s->status;
    if (!foreseeable(s)) {
        ppu_advance(p, until);
        return s->status;
    }
    foresee(p);
    return (uint8_t)(s->status | (p->hit_dot < until ? STATUS_HIT : 0) |
                     (p->overflow_dot < until ? STATUS_OVERFLOW : 0));
}

/* ---- whole lines ---- */

/* What a line with rendering on leaves behind in dots 257-340, secondary OAM being filled. */
static void end_line(struct ppu *p, unsigned line) {
    struct ppu_state *s = &p->s;
    ppu_shift_out_sprites(s);
    for (unsigned i = 0; i < s->found; i++) {
        const uint8_t *sprite = &s->secondary[i * 4];
        uint16_t a = ppu_sprite_address(s, sprite, line);
        ppu_load_sprite(s, i, sprite, ppu_bus_read(p->board, a), ppu_bus_read(p->board, a + 8));
    }
    s->zero_now = s->zero_next;
    s->evaluation = PPU_IDLE;
    s->copied = s->oam_address = s->oam_data = 0;
    s->shift_low = s->shift_high = s->shift_at_low = s->shift_at_high = 0;
    for (unsigned i = 0; i < 2; i++, s->v = v_next_tile(s->v)) {
        s->nt = ppu_bus_read(p->board, nametable_address(s->v));
        s->at = attribute_bits(s->v, ppu_bus_read(p->board, attribute_address(s->v)));
        s->low = ppu_bus_read(p->board, pattern_address(s, s->v, s->nt));
        s->high = ppu_bus_read(p->board, pattern_address(s, s->v, s->nt) + 8);
        s->shift_low = (uint16_t)(s->shift_low << 8 | s->low);
        s->shift_high = (uint16_t)(s->shift_high << 8 | s->high);
        s->shift_at_low = (uint16_t)(s->shift_at_low << 8 | (s->at & 1 ? 0xFF : 0));
        s->shift_at_high = (uint16_t)(s->shift_at_high << 8 | (s->at & 2 ? 0xFF : 0));
    }
    s->nt = ppu_bus_read(p->board, nametable_address(s->v));
}

/* `lines` whole visible lines, from dot 0. */
static void pass_lines(struct ppu *p, unsigned lines) {
    struct ppu_state *s = &p->s;
    foresee(p);
    uint64_t end = s->time + place(lines, 0);
    if (p->hit_dot >= s->time && p->hit_dot < end)
        s->status |= STATUS_HIT;
    if (p->overflow_dot >= s->time && p->overflow_dot < end)
        s->status |= STATUS_OVERFLOW;
    unsigned last = s->line + lines - 1, found;
    ppu_show_lines(p, lines);
    ppu_evaluate_line(s, last, s->secondary, &found, &s->zero_next);
    s->found = (uint8_t)found;
    s->v = (uint16_t)((v_rows(s->v, lines) & ~V_HORIZONTAL) | (s->t & V_HORIZONTAL));
    end_line(p, last);
    s->line = (uint16_t)(last + 1);
    s->time = end;
}

/* The whole pre-render line, up to dot 0 of line 0 at time `end`. */
static void pass_prerender(struct ppu *p, uint64_t end) {
    struct ppu_state *s = &p->s;
    ppu_show_lines(p, 1);
    s->status = 0;
    s->ignore_writes = false;
    s->found = 0;
    s->zero_next = false;
    s->v = s->t & 0x7FFF;
    end_line(p, LINE_PRERENDER);
    s->line = 0;
    s->odd = !s->odd;
    s->time = end;
}

/* ---- blanks ---- */

/* Whether dot `dot` of a visible or the pre-render line is among places `from` to before `to`. */
static bool passes(uint64_t from, uint64_t to, unsigned dot) {
    uint64_t line = from <= dot ? 0 : (from - dot + PPU_DOTS - 1) / PPU_DOTS;
    if (line > LINE_LAST && line < LINE_PRERENDER)
        line = LINE_PRERENDER;
    return place((unsigned)line, dot) < to;
}

/* On to `until` or the next place where something has to be done, whatever comes first. */
static void pass_blank(struct ppu *p, uint64_t until) {
    struct ppu_state *s = &p->s;
    uint64_t end = ppu_least(ppu_next_dot(s, LINE_VBLANK, DOT_FLAGS),
                             ppu_next_dot(s, LINE_PRERENDER, s->rendering ? 0 : DOT_FLAGS));
    if (s->time == end) {
        ppu_dots(p, s->time + 1);
        return;
    }
    if (s->line == LINE_PRERENDER)
        end = ppu_least(end, ppu_next_dot(s, 0, 0));
    end = ppu_least(end, until);
    uint64_t from = place(s->line, s->dot), to = from + (end - s->time);
    if (passes(from, to, 0)) {
        s->evaluation = PPU_IDLE;
        s->found = s->copied = 0;
        s->zero_next = false;
    }
    if (passes(from, to, 257))
        ppu_shift_out_sprites(s);
    if (from <= place(LINE_IDLE, DOT_FLAGS) && place(LINE_IDLE, DOT_FLAGS) < to) {
        p->drawing ^= 1;
        ppu_show_address(p, s->v, s->time + place(LINE_IDLE, DOT_FLAGS) - from);
    }
    if (to == place(PPU_LINES, 0)) {
        to = 0;
        s->odd = !s->odd;
    }
    s->line = (uint16_t)(to / PPU_DOTS);
    s->dot = (uint16_t)(to % PPU_DOTS);
    s->time = end;
    if (s->line < LINE_PRERENDER && to > place(LINE_VBLANK, DOT_FLAGS))
        p->idle_until = s->time + place(LINE_PRERENDER, 0) - to;
}

/* Time passes, and nothing else. */
static void skip_dots(struct ppu_state *s, uint64_t until) {
    const uint64_t dot = s->dot + (until - s->time);
    s->line = (uint16_t)(s->line + dot / PPU_DOTS);
    s->dot = (uint16_t)(dot % PPU_DOTS);
    s->time = until;
}

/* The same in the vertical blank, before p->idle_until. */
static void pass_idle(struct ppu *p, uint64_t until) {
    struct ppu_state *s = &p->s;
    while (writes_pending(s) && s->time < until) {
        ppu_late(p);
        skip_dots(s, ppu_least(until, ppu_least(s->mask_due, s->v_due)));
    }
    skip_dots(s, until);
}

/* ---- time ---- */

/* One step with rendering on, in a line that fetches: whole lines, or what is left of one. */
static void pass_rendering(struct ppu *p, uint64_t until) {
    struct ppu_state *s = &p->s;
    bool visible = s->line <= LINE_LAST;
    uint64_t end = visible ? s->time + PPU_DOTS - s->dot : ppu_next_dot(s, 0, 0);
    if (end > until || !foreseeable(s)) {
        if (foreseeable(s)) /* it is cheap here, and not possible in the middle of the line */
            foresee(p);
        ppu_groups(p, ppu_least(end, until));
    } else if (!visible)
        pass_prerender(p, end);
    else {
        uint64_t lines = (until - s->time) / PPU_DOTS, left = LINE_IDLE - s->line;
        pass_lines(p, (unsigned)ppu_least(lines, left));
    }
}

/* One step in a visible line whose pixels are wanted. */
static void pass_drawing(struct ppu *p, uint64_t until) {
    struct ppu_state *s = &p->s;
    uint64_t end = s->time + PPU_DOTS - s->dot;
    if (s->dot != 0 || end > until || (s->rendering && !foreseeable(s))) {
        ppu_dots(p, ppu_least(end, until));
        return;
    }
    ppu_picture_line(p);
    if (s->rendering)
        pass_lines(p, 1);
    else
        pass_blank(p, end);
}

void ppu_advance(struct ppu *p, uint64_t until) {
    struct ppu_state *s = &p->s;
    if (s->time >= until)
        return;
    if (until <= p->idle_until) {
        pass_idle(p, until);
        return;
    }
    while (s->time < until) {
        ppu_late(p);
        const uint64_t next = ppu_least(until, ppu_least(s->mask_due, s->v_due));
        if (p->pictures && s->line <= LINE_LAST)
            pass_drawing(p, next);
        else if (s->line == LINE_PRERENDER && writes_pending(s)) /* how long is it? */
            ppu_dots(p, next);
        else if (!s->rendering || (s->line >= LINE_IDLE && s->line < LINE_PRERENDER))
            pass_blank(p, next);
        else
            pass_rendering(p, next);
    }
}
