/*
 * Short cuts through time while nothing accesses the PPU.
 *
 * Blanks are skipped at once. Of whole lines with rendering on, only the last one is computed, for
 * the contents of the pipeline. The only lasting effects of the others, sprite 0 hit and overflow,
 * are predicted for all remaining lines of the picture. Everything else is left to ppu_dots().
 */
#include <string.h>

#include "nes/ppu/ppu_a12.h"
#include "nes/ppu/ppu_pass.h"
#include "nes/ppu/ppu_picture.h"
#include "nes/ppu/ppu_prediction.h"
#include "nes/ppu/ppu_scroll.h"
#include "nes/ppu/ppu_sprites.h"

/* ---- whole lines ---- */

static void load_sprite(struct ppu *p, unsigned i, unsigned line) {
    const uint8_t *sprite = &p->state.secondary[i * 4];
    const uint16_t a = ppu_sprite_address(&p->state, sprite, line);
    ppu_load_sprite(&p->state, i, sprite, ppu_bus_read(p->board, a), ppu_bus_read(p->board, a + 8));
}

/* The effect of dots 257-340 of a line with rendering on, with secondary OAM filled. The first
 * `count` sprites in it show. */
static void end_line(struct ppu *p, unsigned line, unsigned count) {
    struct ppu_state *s = &p->state;
    ppu_empty_sprites(s);
    for (unsigned i = 0; i < count; i++)
        load_sprite(p, i, line);
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

/* Passes `lines` whole visible lines, from dot 0. */
static void pass_lines(struct ppu *p, unsigned lines) {
    struct ppu_state *s = &p->state;
    ppu_predict(p);
    uint64_t end = s->time + raster(lines, 0);
    if (p->known.hit_dot >= s->time && p->known.hit_dot < end)
        s->status |= STATUS_HIT;
    if (p->known.overflow_dot >= s->time && p->known.overflow_dot < end)
        s->status |= STATUS_OVERFLOW;
    unsigned last = s->line + lines - 1, found;
    ppu_show_lines(p, lines);
    if (ppu_is_empty(p, last)) {
        memset(s->secondary, 0xFF, sizeof s->secondary);
        s->secondary[0] = s->oam[252]; /* the last sprite examined */
        s->zero_next = false;
        found = 0;
    } else {
        ppu_evaluate_line(s, last, s->secondary, &found, &s->zero_next);
    }
    s->found = (uint8_t)found;
    s->v = (uint16_t)((v_rows(s->v, lines) & ~V_HORIZONTAL) | (s->t & V_HORIZONTAL));
    end_line(p, last, found);
    s->line = (uint16_t)(last + 1);
    s->time = end;
}

/* Passes the whole pre-render line, up to dot 0 of line 0 at time `end`. */
static void pass_prerender(struct ppu *p, uint64_t end) {
    struct ppu_state *s = &p->state;
    ppu_show_lines(p, 1);
    s->status = 0;
    s->ignore_writes = false;
    s->found = 0;
    s->zero_next = false;
    s->v = s->t & 0x7FFF;
    end_line(p, LINE_PRERENDER, 0);
    for (unsigned i = 0; i < 8; i++)
        if (s->secondary[i * 4] <= (LINE_PRERENDER & 0xFF)) /* which ppu_in_range() requires */
            load_sprite(p, i, LINE_PRERENDER);
    s->odd_dots.late_sprites = end - s->time < PPU_DOTS && ppu_any_sprite(s);
    s->line = 0;
    s->odd = !s->odd;
    s->time = end;
}

/* ---- blanks ---- */

/* True if dot `dot` of a visible line or the pre-render line lies between raster positions `from`
 * and `to`, the latter excluded. */
static bool passes(uint64_t from, uint64_t to, unsigned dot) {
    uint64_t line = from <= dot ? 0 : (from - dot + PPU_DOTS - 1) / PPU_DOTS;
    if (line > LINE_LAST && line < LINE_PRERENDER)
        line = LINE_PRERENDER;
    return raster((unsigned)line, dot) < to;
}

/* True if nothing of the picture can be observed while rendering stays off. */
static bool is_dark(const struct ppu *p) {
    return !p->state.rendering && p->state.mask_due == UINT64_MAX &&
           p->writes.first == p->writes.end && !p->picture.wanted && !p->board->ops->a12_rises;
}

/* Lets time pass to `end`; no write is deferred before it. */
static void idle(struct ppu *p, uint64_t end) {
    p->known.idle_until = end;
    p->writes.until = 0;
}

/* Sprites in the dots of one line from `from` to before `to`, with rendering off. */
static void hold_on_line(struct ppu_state *s, unsigned line, unsigned from, unsigned to) {
    enum { END = PPU_WIDTH + 1, DOT_COUNTS = 339 };
    if (line > LINE_LAST && line < LINE_PRERENDER)
        return;
    if (from < END && to > 1)
        ppu_hold_sprites(s, from > 0 ? from - 1 : 0, to < END ? to - 1 : PPU_WIDTH);
    if (from < END && to >= END)
        ppu_end_sprites(s);
    if (from <= DOT_COUNTS && to > DOT_COUNTS)
        ppu_halt_sprites(s);
}

/* The same between two raster positions. A second whole line changes nothing more. */
static void hold_sprites(struct ppu_state *s, uint64_t from, uint64_t to) {
    const unsigned last = (unsigned)(to / PPU_DOTS);
    unsigned line = (unsigned)(from / PPU_DOTS), dot = (unsigned)(from % PPU_DOTS);
    for (unsigned whole = 0; line < last; line++, dot = 0) {
        hold_on_line(s, line, dot, PPU_DOTS);
        whole += dot == 0;
        if (whole == 1 && line + 1 < last && last <= LINE_IDLE)
            line = last - 1;
    }
    hold_on_line(s, line, dot, (unsigned)(to % PPU_DOTS));
}

/* Advances to `until` or to the next dot with an effect, whichever comes first. */
static void pass_blank(struct ppu *p, uint64_t until) {
    struct ppu_state *s = &p->state;
    uint64_t end = ppu_least(ppu_next_dot(s, LINE_VBLANK, DOT_FLAGS),
                             ppu_next_dot(s, LINE_PRERENDER, s->rendering ? 0 : DOT_FLAGS));
    if (s->time == end) {
        ppu_dots(p, s->time + 1);
        return;
    }
    if (s->line == LINE_PRERENDER)
        end = ppu_least(end, ppu_next_dot(s, 0, 0));
    end = ppu_least(end, until);
    uint64_t from = raster(s->line, s->dot), to = from + (end - s->time);
    if (passes(from, to, 0)) {
        s->evaluation = PPU_IDLE;
        s->found = s->copied = 0;
    }
    if (passes(from, to, 257))
        s->zero_now = s->zero_next;
    if (!s->rendering && ppu_any_sprite(s))
        hold_sprites(s, from, to);
    if (from <= raster(LINE_IDLE, DOT_FLAGS) && raster(LINE_IDLE, DOT_FLAGS) < to) {
        ppu_picture_ends(p);
        ppu_show_address(p, s->v, s->time + raster(LINE_IDLE, DOT_FLAGS) - from);
    }
    if (to == raster(PPU_LINES, 0)) {
        to = 0;
        s->odd = !s->odd;
    }
    s->line = (uint16_t)(to / PPU_DOTS);
    s->dot = (uint16_t)(to % PPU_DOTS);
    s->time = end;
    const bool visible = s->line <= LINE_LAST;
    if (visible ? is_dark(p) : s->line < LINE_PRERENDER && to > raster(LINE_VBLANK, DOT_FLAGS))
        idle(p, s->time + raster(visible ? LINE_IDLE : LINE_PRERENDER, 0) - to);
}

/* Lets time pass. */
static void skip_dots(struct ppu_state *s, uint64_t until) {
    const uint64_t dot = s->dot + (until - s->time);
    s->line = (uint16_t)(s->line + dot / PPU_DOTS);
    s->dot = (uint16_t)(dot % PPU_DOTS);
    s->time = until;
}

/* The same in the vertical blank, before p->known.idle_until. */
static void pass_idle(struct ppu *p, uint64_t until) {
    struct ppu_state *s = &p->state;
    while (ppu_writes_pending(s) && s->time < until) {
        ppu_late(p);
        skip_dots(s, ppu_least(until, ppu_least(s->mask_due, s->v_due)));
    }
    skip_dots(s, until);
}

/* Passes from the start of line 240 to the dot after the vblank flag's rise. */
static void pass_picture_end(struct ppu *p) {
    struct ppu_state *s = &p->state;
    const uint64_t start = s->time - raster(LINE_IDLE, 0);
    ppu_picture_ends(p);
    ppu_show_address(p, s->v, start + raster(LINE_IDLE, DOT_FLAGS));
    if (!s->vblank_suppressed)
        s->status |= STATUS_VBLANK;
    s->vblank_suppressed = false;
    s->line = LINE_VBLANK;
    s->dot = DOT_FLAGS + 1;
    s->time = start + raster(LINE_VBLANK, DOT_FLAGS + 1);
    idle(p, start + raster(LINE_PRERENDER, 0));
}

/* ---- time ---- */

/* One step with rendering on, in a line that fetches: whole lines, or the rest of one. */
static void pass_rendering(struct ppu *p, uint64_t until) {
    struct ppu_state *s = &p->state;
    bool visible = s->line <= LINE_LAST;
    uint64_t end = visible ? s->time + PPU_DOTS - s->dot : ppu_next_dot(s, 0, 0);
    if (end > until || !ppu_predictable(s)) {
        if (ppu_predictable(s)) /* cheap here, impossible in the middle of the line */
            ppu_predict(p);
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
    struct ppu_state *s = &p->state;
    uint64_t end = s->time + PPU_DOTS - s->dot;
    if (s->dot != 0 || end > until || (s->rendering && !ppu_predictable(s))) {
        ppu_dots(p, ppu_least(end, until));
        return;
    }
    ppu_picture_line(p);
    if (s->rendering)
        pass_lines(p, 1);
    else
        pass_blank(p, end);
}

void ppu_pass(struct ppu *p, uint64_t until) {
    struct ppu_state *s = &p->state;
    if (p->known.board_synced_until > s->time) /* the board has seen dots ahead of the state */
        ppu_show_until(p, ppu_least(until, ppu_picture_start(s) + raster(LINE_IDLE, 0)));
    if (until <= p->known.idle_until && s->line > LINE_LAST) {
        pass_idle(p, until);
        return;
    }
    if (s->time < p->known.idle_until && s->line > LINE_LAST)
        pass_idle(p, p->known.idle_until);
    while (s->time < until) {
        ppu_late(p);
        const uint64_t next = ppu_least(until, ppu_least(s->mask_due, s->v_due));
        if (ppu_odd(s) && (ppu_fetching(s) || s->odd_dots.data_due || s->odd_dots.late_sprites))
            ppu_dots(p, s->time + 1);
        else if (p->picture.wanted && s->line <= LINE_LAST)
            pass_drawing(p, next);
        else if (s->line == LINE_PRERENDER &&
                 ppu_writes_pending(s)) /* line length not yet decided (odd frame) */
            ppu_dots(p, next);
        else if (s->line == LINE_IDLE && s->dot == 0 && next > s->time + PPU_DOTS + DOT_FLAGS)
            pass_picture_end(p);
        else if (!s->rendering || (s->line >= LINE_IDLE && s->line < LINE_PRERENDER))
            pass_blank(p, next);
        else
            pass_rendering(p, next);
    }
}
