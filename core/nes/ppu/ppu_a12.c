/*
 * Line 12 of the PPU's address bus, for boards that count its rises.
 *
 * While rendering, the line is high for pattern fetches from $1000 on and low for everything else:
 * eight dots a tile, four of them nametable and attributes. So what it does in a line follows from
 * $2000 and, with tall sprites, from the tiles of the sprites found.
 */
#include <string.h>

#include "nes/ppu/ppu_a12.h"

enum { SLOTS = 8, DOT_SLOTS = 257, DOT_NEXT_LINE = 321, DOT_LAST_FETCHES = 337 };

/* The facts that determine A12 in a line: whether the background's patterns are high, and one bit
 * for each sprite slot with high patterns. */
struct line_a12 {
    bool background;
    uint8_t slots;
};

/* A walk along a line over the changes of A12 that may matter. */
struct walk {
    uint64_t time;  /* number of dot 0 of the line */
    unsigned from;  /* first dot to visit */
    unsigned to;    /* the dot after the last one */
    unsigned most;  /* stop after this many rises */
    uint64_t fell;  /* see a12_counts */
    unsigned rises; /* number of counted rises */
    uint64_t last;  /* dot number of the last one */
};

static void walk_to(struct walk *w, unsigned dot, bool level) {
    if (dot < w->from || dot >= w->to || w->rises == w->most ||
        !a12_counts(&w->fell, level, w->time + dot))
        return;
    w->rises++;
    w->last = w->time + dot;
}

/* Visits `count` equal groups from `dot` on: each is low for four dots, then has the level of the
 * patterns for four. If that is high, only the first rise may count: later ones come too soon after
 * the fall. */
static void walk_groups(struct walk *w, unsigned dot, unsigned count, bool patterns) {
    const unsigned end = w->to < dot + count * 8 ? w->to : dot + count * 8;
    const unsigned first = w->from <= dot ? 0 : (w->from - dot + 1) & ~1u; /* fetch */
    if (dot + first >= end)
        return;
    if (!patterns || !(first & 4))
        walk_to(w, dot + first, false);
    const unsigned high = first & 4 ? first : (first & ~7u) + 4;
    if (!patterns || dot + high >= end)
        return;
    walk_to(w, dot + high, true);
    const unsigned last = end - 1 - dot, group = last & ~7u;
    if (group > high)
        w->fell = last & 4 ? A12_HIGH : w->time + dot + group;
}

static void walk_background(struct walk *w, const struct line_a12 *l, bool visible) {
    if (visible)
        walk_to(w, 0, l->background);
    walk_groups(w, 1, 32, l->background);
}

static void walk_rest(struct walk *w, const struct line_a12 *l) {
    if (l->slots == 0 || l->slots == 0xFF)
        walk_groups(w, DOT_SLOTS, SLOTS, l->slots);
    else
        for (unsigned i = 0; i < SLOTS; i++)
            walk_groups(w, DOT_SLOTS + i * 8, 1, l->slots >> i & 1);
    walk_groups(w, DOT_NEXT_LINE, 2, l->background);
    walk_to(w, DOT_LAST_FETCHES, false);
}

static void count_rise(struct walk *w, unsigned dot) {
    w->rises++;
    w->last = w->time + dot;
}

/* Dots of the one rise that counts in every line, if sprites are high and the background is low, or
 * the reverse. */
enum { DOT_SPRITES_RISE = DOT_SLOTS + 4, DOT_TILES_RISE = DOT_NEXT_LINE + 4 };

/* Visits a whole line at once, from dot 0, whose slots are all equal. Between fetches of one kind
 * the line is low for four dots, which is too short to count. */
static void walk_line(struct walk *w, const struct line_a12 *l, bool visible) {
    if (!l->background) {
        a12_counts(&w->fell, false, w->time + !visible);
        if (l->slots) {
            count_rise(w, DOT_SPRITES_RISE);
            w->fell = w->time + DOT_NEXT_LINE;
        }
        return;
    }
    const unsigned first = visible ? 0 : 5;
    if (!visible)
        a12_counts(&w->fell, false, w->time + 1);
    if (a12_counts(&w->fell, true, w->time + first))
        count_rise(w, first);
    if (!l->slots)
        count_rise(w, DOT_TILES_RISE);
    w->fell = w->time + DOT_LAST_FETCHES;
}

/* Visits further visible lines like the previous one. */
static void walk_more(struct walk *w, const struct line_a12 *l, unsigned lines) {
    if (lines == 0)
        return;
    w->time += (uint64_t)lines * PPU_DOTS;
    if (l->background != (l->slots != 0))
        w->rises += lines;
    if (l->background)
        w->fell = w->time + DOT_LAST_FETCHES;
    else if (l->slots)
        w->fell = w->time + DOT_NEXT_LINE;
}

/* Call with secondary OAM filled if sprites are tall. */
static struct line_a12 line_a12(const struct ppu_state *s) {
    struct line_a12 l = {.background = s->ctrl & CTRL_BACKGROUND_TABLE,
                         .slots = s->ctrl & CTRL_SPRITE_TABLE ? 0xFF : 0};
    if (s->ctrl & CTRL_TALL) {
        l.slots = 0;
        for (unsigned i = 0; i < SLOTS; i++)
            l.slots |= (uint8_t)((s->secondary[i * 4 + 1] & 1) << i);
    }
    return l;
}

/* The same for tall sprites on all visible lines: a bit for each slot, as in line_a12. */
static void know_slots(struct ppu *p) {
    enum { TALL = 16 };
    const uint8_t *oam = p->state.oam;
    uint8_t found[PPU_HEIGHT] = {0};
    memset(p->sprites_known.high_slots, 0xFF,
           sizeof p->sprites_known.high_slots); /* an empty slot fetches tile $FF */
    for (unsigned i = 0; i < 256; i += 4)
        for (unsigned line = oam[i]; line < oam[i] + (unsigned)TALL && line < PPU_HEIGHT; line++) {
            if (found[line] == SLOTS)
                continue;
            if (!(oam[i + 1] & 1))
                p->sprites_known.high_slots[line] &= (uint8_t) ~(1u << found[line]);
            found[line]++;
        }
    p->sprites_known.slots = true;
}

/* ---- reporting to the board ---- */

/* Reports visible lines with small sprites, from the first dot that the board has not seen to
 * before dot number `until`. */
static void show_visible(struct ppu *p, uint64_t until) {
    const struct ppu_state *s = &p->state;
    struct board *b = p->board;
    const uint64_t start = ppu_picture_start(s);
    const struct line_a12 l = line_a12(s);
    struct walk w = {.most = ~0u, .fell = b->state.clock};
    uint64_t from = p->known.board_synced_until > s->time ? p->known.board_synced_until : s->time;
    while (from < until) {
        w.time = start + (from - start) / PPU_DOTS * PPU_DOTS;
        w.from = (unsigned)(from - w.time);
        w.to = (unsigned)ppu_least(until - w.time, PPU_DOTS);
        if (w.from == 0 && w.to == PPU_DOTS) {
            walk_line(&w, &l, true);
            walk_more(&w, &l, (unsigned)((until - from) / PPU_DOTS) - 1);
        } else {
            if (w.from < DOT_SLOTS)
                walk_background(&w, &l, true);
            if (w.to > DOT_SLOTS)
                walk_rest(&w, &l);
        }
        from = w.time + w.to;
    }
    p->known.board_synced_until = until;
    b->state.clock = w.fell;
    if (w.rises > 0)
        b->ops->a12_rises(b, w.rises);
}

bool ppu_show_until(struct ppu *p, uint64_t until) {
    const struct ppu_state *s = &p->state;
    const bool ahead =
        p->known.board_synced_until > s->time; /* then the board cannot observe pending writes */
    if (!p->board->ops->a12_rises || p->picture.wanted || s->line > LINE_LAST || !s->rendering ||
        (ppu_writes_pending(s) && !ahead) || s->ctrl & CTRL_TALL ||
        until > ppu_picture_start(s) + raster(LINE_IDLE, 0))
        return false;
    if (until > p->known.board_synced_until && until > s->time)
        show_visible(p, until);
    return true;
}

void ppu_show_lines(struct ppu *p, unsigned lines) {
    const struct ppu_state *s = &p->state;
    struct board *b = p->board;
    if (!b->ops->a12_rises)
        return;
    const bool visible = s->line <= LINE_LAST;
    if (visible && !(s->ctrl & CTRL_TALL)) {
        const uint64_t end = s->time + raster(lines, 0);
        if (end > p->known.board_synced_until)
            show_visible(p, end);
        return;
    }
    const bool evaluated = visible && s->ctrl & CTRL_TALL;
    if (evaluated && !p->sprites_known.slots)
        know_slots(p);
    struct walk w = {.time = s->time, .to = PPU_DOTS, .most = ~0u, .fell = b->state.clock};
    for (unsigned i = 0, alike; i < lines; i += alike, w.time += PPU_DOTS) {
        struct line_a12 l = line_a12(s); /* the pre-render line fetches the last line's sprites */
        alike = evaluated ? 1 : lines;
        if (evaluated) {
            l.slots = p->sprites_known.high_slots[s->line + i];
            while (i + alike < lines && p->sprites_known.high_slots[s->line + i + alike] == l.slots)
                alike++;
        }
        if (l.slots == 0 || l.slots == 0xFF) {
            walk_line(&w, &l, visible);
            walk_more(&w, &l, alike - 1);
            continue;
        }
        alike = 1;
        walk_background(&w, &l, visible);
        walk_rest(&w, &l);
    }
    b->state.clock = w.fell;
    if (w.rises > 0)
        b->ops->a12_rises(b, w.rises);
}

/* ---- predicting rises ---- */

/* Whole lines, from this one on, with fewer than `rises` rises: at most five in a line after a
 * completely fetched one, one more in the first. */
static unsigned lines_before(unsigned rises) {
    enum { MOST = 5 };
    return rises < 3 ? 0 : (rises - 3) / MOST;
}

/* Dot number of the `rises`-th rise with tall sprites, or an earlier number. The search starts at
 * dot `dot` of line `line`, in which something is fetched; its number is `time`. */
static uint64_t tall_rise(const struct ppu *p, unsigned line, unsigned dot, uint64_t time,
                          unsigned rises) {
    const struct ppu_state *s = &p->state;
    const bool visible = line <= LINE_LAST;
    const unsigned next = visible ? line + 1u : 0, lines = lines_before(rises);
    if (lines > 0) {
        const unsigned there = next + lines - 1;
        return ppu_next_dot(s, there < LINE_IDLE ? there : LINE_IDLE, 0);
    }
    struct walk w = {.time = time - dot,
                     .from = dot,
                     .to = PPU_DOTS,
                     .most = rises,
                     .fell = p->board->state.clock};
    const struct line_a12 l = line_a12(s);
    walk_background(&w, &l, visible);
    if (w.rises < rises && visible && dot < DOT_SLOTS)
        return w.time + DOT_SLOTS; /* the sprites of the next line are unknown before this dot */
    walk_rest(&w, &l);
    return w.rises == rises ? w.last : ppu_next_dot(s, next, 0);
}

/* The same for small sprites, which make all lines equal: walks the current line and one more; in
 * all later lines the rise, if any, comes at the same dot. */
static uint64_t small_rise(const struct ppu *p, struct walk *w, unsigned line) {
    const struct ppu_state *s = &p->state;
    const struct line_a12 l = line_a12(s);
    if (line == LINE_PRERENDER) {
        walk_background(w, &l, false);
        walk_rest(w, &l);
        w->time = ppu_next_dot(s, 0, 0);
        w->from = line = 0;
    }
    const uint64_t end = w->time + raster(LINE_IDLE - line, DOT_FLAGS);
    for (unsigned i = 0; i < 2 && line <= LINE_LAST; i++, line++) {
        walk_background(w, &l, true);
        walk_rest(w, &l);
        w->time += PPU_DOTS;
        w->from = 0;
    }
    if (w->rises == w->most)
        return w->last;
    const unsigned left = w->most - w->rises - 1;
    if (l.background == (l.slots != 0) || line + left > LINE_LAST)
        return end;
    return w->time + raster(left, l.background ? DOT_TILES_RISE : DOT_SPRITES_RISE);
}

uint64_t ppu_next_rise(const struct ppu *p, unsigned rises) {
    const struct ppu_state *s = &p->state;
    const bool ahead =
        p->known.board_synced_until > s->time; /* in the picture, pending writes do not matter */
    if (!ahead && ppu_writes_pending(s))
        return s->time;
    if (!s->rendering)
        return UINT64_MAX; /* v is constant */
    const uint64_t time = ahead ? p->known.board_synced_until : s->time,
                   dots = raster(s->line, s->dot) + (time - s->time);
    unsigned line = (unsigned)(dots / PPU_DOTS), dot = (unsigned)(dots % PPU_DOTS);
    const bool idle = line >= LINE_IDLE && line < LINE_PRERENDER;
    if (line == LINE_IDLE && dot <= DOT_FLAGS)
        return time + DOT_FLAGS - dot;
    const uint64_t next = idle ? ppu_next_dot(s, LINE_PRERENDER, 0) : time;
    if (idle)
        line = LINE_PRERENDER, dot = 0;
    if (s->ctrl & CTRL_TALL)
        return idle ? next : tall_rise(p, line, dot, next, rises);
    struct walk w = {.time = next - dot,
                     .from = dot,
                     .to = PPU_DOTS,
                     .most = rises,
                     .fell = p->board->state.clock};
    return small_rise(p, &w, line);
}
