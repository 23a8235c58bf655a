/*
 * Predicts the sprite flags for the rest of a picture if nothing accesses the PPU.
 */
#include <string.h>

#include "nes/ppu/ppu_prediction.h"
#include "nes/ppu/ppu_scroll.h"
#include "nes/ppu/ppu_sprites.h"

/* ---- sprites on lines ---- */

/* Counts of eight lines are added and compared as one number: byte by byte this takes 3 to 5 % of a
 * frame. No count exceeds 64, so no byte carries into the next one. */
enum { CROWDED = 8, LINES_AT_ONCE = 8 };
static const uint64_t each_line = 0x0101010101010101;

static inline void count_on_lines(uint8_t *first) {
    uint64_t lines;
    memcpy(&lines, first, sizeof lines);
    lines += each_line;
    memcpy(first, &lines, sizeof lines);
}

/* Sets the highest bit of each byte that is the count of a crowded line. */
static inline uint64_t crowded_lines(const uint8_t *first) {
    uint64_t lines;
    memcpy(&lines, first, sizeof lines);
    return (lines + (0x80 - CROWDED) * each_line) & 0x80 * each_line;
}

static void find_first_crowded(struct ppu *p) {
    unsigned line = 0;
    while (line < PPU_HEIGHT && !crowded_lines(p->sprites_known.on_line + line))
        line += LINES_AT_ONCE;
    while (line < PPU_HEIGHT && p->sprites_known.on_line[line] < CROWDED)
        line++;
    p->sprites_known.crowded_first = (uint8_t)line;
}

static void count_sprites(struct ppu *p) {
    const uint8_t *const oam = p->state.oam;
    uint8_t *const counts = p->sprites_known.on_line;
    memset(counts, 0, sizeof p->sprites_known.on_line);
    for (unsigned i = 0; i < 256; i += 4)
        count_on_lines(counts + oam[i]);
    for (unsigned i = 0; p->state.ctrl & CTRL_TALL && i < 256; i += 4)
        count_on_lines(counts + oam[i] + LINES_AT_ONCE);
    find_first_crowded(p);
    p->sprites_known.lines = true;
}

/* ---- sprite 0 and overflow ---- */

/* A line with rendering on at its start. */
struct line_start {
    unsigned line;
    uint64_t time;
    uint16_t v; /* of the tile at column 0, or 16; other lines take theirs from t */
};

/* The dot at which the leftmost of these pixels, at column x, hits; there is at least one. It
 * leaves the shift registers one dot earlier. */
static unsigned hit_at(unsigned pixels, unsigned x) {
    return x + 2 + (unsigned)__builtin_clz(pixels << 24);
}

/* Opaque pixels of the row of a tile, leftmost in bit 7. */
static unsigned opaque(const uint8_t *row) {
    return row[0] | row[8];
}

/* The row of the tile at v. */
static const uint8_t *background(const struct ppu *p, uint16_t v) {
    const uint16_t a = pattern_address(&p->state, v, ppu_bus_read(p->board, nametable_address(v)));
    return &p->board->chr[a >> 10 & 7][a & 0x3FF];
}

/* The dot of a hit on the line that has begun, whose first two tiles are in the shift registers. */
static uint64_t hit_on_this_line(const struct ppu *p, const struct line_start *l) {
    const struct ppu_state *s = &p->state;
    const unsigned x = s->sprites[0].x, column = x + s->x;
    unsigned two = 0;
    if (x >= PPU_WIDTH - 1) /* column 255 never hits */
        return UINT64_MAX;
    for (unsigned tile = column >> 3, i = 0; i < 2; tile++, i++)
        two = two << 8 |
              (tile >= 2 ? opaque(background(p, v_tiles(l->v, tile - 2)))
                         : (unsigned)(s->shift_low | s->shift_high) >> (tile ? 0 : 8) & 0xFF);
    const unsigned pixels =
        ppu_hits(s, x, s->sprites[0].low | s->sprites[0].high, two >> (8 - (column & 7)));
    return pixels ? l->time + hit_at(pixels, x) : UINT64_MAX;
}

/* The opaque pixels of the sprite, row by row. */
static void sprite_rows(const struct ppu *p, const uint8_t *sprite, uint8_t rows[16]) {
    for (unsigned top = 0; top < sprite_height(&p->state); top += 8) {
        const uint16_t a = ppu_sprite_address(&p->state, sprite, sprite[0] + top) & ~7;
        const uint8_t *const tile = &p->board->chr[a >> 10][a & 0x3FF];
        for (unsigned row = 0; row < 8; row++) {
            const unsigned from = sprite[2] & SPRITE_FLIP_Y ? 7 - row : row;
            const uint8_t pixels = (uint8_t)opaque(tile + from);
            rows[top + row] = sprite[2] & SPRITE_FLIP_X ? ppu_mirrored(pixels) : pixels;
        }
    }
}

/* The dot of a hit on lines from `line` to before `end`, none of which has begun. Lines that show
 * the same two tiles are tested at once. */
static uint64_t hit_on_lines(const struct ppu *p, const struct line_start *l, unsigned line,
                             unsigned end) {
    const struct ppu_state *s = &p->state;
    const unsigned x = s->oam[3], column = x + s->x;
    uint8_t rows[16];
    sprite_rows(p, s->oam, rows);
    const uint8_t *row = rows + (line - s->oam[0] - 1u);
    while (line < end) {
        const uint16_t v =
            (uint16_t)((v_rows(l->v, line - l->line) & ~V_HORIZONTAL) | (s->t & V_HORIZONTAL));
        const uint8_t *left = background(p, v_tiles(v, column >> 3)),
                      *right = background(p, v_tiles(v, (column >> 3) + 1));
        const unsigned left_of_tile = 8u - (v >> 12),
                       stop = end - line < left_of_tile ? end : line + left_of_tile;
        for (; line < stop; line++) {
            const unsigned two = opaque(left++) << 8 | opaque(right++);
            const unsigned pixels = ppu_hits(s, x, *row++, two >> (8 - (column & 7)));
            if (pixels)
                return l->time + raster(line - l->line, hit_at(pixels, x));
        }
    }
    return UINT64_MAX;
}

/* Call with the first remaining line. `this_line`: it has begun, so its sprites are loaded and the
 * flag may be set already. */
static uint64_t predict_hit(const struct ppu *p, struct line_start l, bool this_line) {
    const struct ppu_state *s = &p->state;
    if ((s->mask & MASK_RENDERING) != MASK_RENDERING || (this_line && s->status & STATUS_HIT))
        return UINT64_MAX;
    if (this_line && s->zero_now) {
        const uint64_t hit = hit_on_this_line(p, &l);
        if (hit != UINT64_MAX)
            return hit;
    }
    unsigned first = s->oam[0] + 1u, end = first + sprite_height(s);
    if (first <= l.line)
        first = l.line + 1;
    if (end > LINE_IDLE)
        end = LINE_IDLE;
    return first < end ? hit_on_lines(p, &l, first, end) : UINT64_MAX;
}

/* Finds the first line from `first` on that sets overflow, and the dot. */
static void find_overflow(struct ppu *p, unsigned first) {
    unsigned line = first, dot = 0;
    if (!p->sprites_known.lines)
        count_sprites(p);
    if (line < p->sprites_known.crowded_first)
        line = p->sprites_known.crowded_first;
    for (; line <= LINE_LAST; line++) {
        uint8_t secondary[32];
        unsigned found;
        bool zero;
        if (p->sprites_known.on_line[line] >= 8)
            dot = ppu_evaluate_line(&p->state, line, secondary, &found, &zero);
        if (dot)
            break;
    }
    p->sprites_known.overflow = true;
    p->sprites_known.overflow_from = (uint8_t)first;
    p->sprites_known.overflow_line = (uint8_t)line;
    p->sprites_known.overflow_at = (uint16_t)dot;
}

static uint64_t predict_overflow(struct ppu *p, struct line_start l, bool this_line) {
    if (this_line && p->state.status & STATUS_OVERFLOW)
        return UINT64_MAX;
    if (!p->sprites_known.overflow || l.line < p->sprites_known.overflow_from ||
        l.line > p->sprites_known.overflow_line)
        find_overflow(p, l.line);
    return p->sprites_known.overflow_line > LINE_LAST
               ? UINT64_MAX
               : l.time +
                     raster(p->sprites_known.overflow_line - l.line, p->sprites_known.overflow_at);
}

bool ppu_predictable(const struct ppu_state *s) {
    if (!s->rendering || ppu_writes_pending(s) || ppu_odd(s))
        return false;
    return s->line <= LINE_LAST ? s->dot == 0 && s->oam_address == 0
                                : s->line < LINE_PRERENDER || s->dot == 0;
}

bool ppu_hit_predicted(const struct ppu *p, uint64_t until) {
    return until <= p->known.hit_known_until || p->known.hit_dot < until ||
           p->state.status & STATUS_HIT;
}

bool ppu_flags_predicted(const struct ppu *p, uint64_t until) {
    return p->state.line <= LINE_LAST && until <= p->known.predicted_until &&
           ppu_hit_predicted(p, until);
}

/* The end of the state's line if it shows a sprite 0, whatever OAM says by now; else 0. */
static uint64_t zero_line_end(const struct ppu_state *s) {
    return s->zero_now && s->line <= LINE_LAST ? s->time + PPU_DOTS - s->dot : 0;
}

void ppu_hit_may_move(struct ppu *p, const struct ppu_registers *r) {
    const struct ppu_state *s = &p->state;
    if (p->known.hit_dot < r->dot || r->dot >= p->known.hit_known_until || s->status & STATUS_HIT)
        return;
    if ((r->mask & MASK_RENDERING) != MASK_RENDERING) {
        p->known.hit_dot = UINT64_MAX;
        return;
    }
    const uint64_t start = ppu_picture_start(s), first = start + raster(s->oam[0] + 1u, 0);
    const bool on_this_line = r->dot < zero_line_end(s);
    if (r->dot >= first + sprite_height(s) * PPU_DOTS && !on_this_line)
        return;
    p->known.hit_known_until = first > r->dot && !on_this_line ? first : r->dot;
    p->known.hit_dot = UINT64_MAX;
}

/* Registers that are written from this dot on no longer affect the hit. */
static uint64_t hit_open(const struct ppu *p) {
    const struct ppu_state *s = &p->state;
    if (s->status & STATUS_HIT)
        return 0;
    if (p->known.hit_dot != UINT64_MAX)
        return ppu_least(p->known.hit_known_until, p->known.hit_dot + 1);
    const unsigned line = s->oam[0] + 1u;
    const uint64_t first = ppu_picture_start(s) + raster(line, 0);
    const uint64_t end = p->known.hit_known_until > first ? first + sprite_height(s) * PPU_DOTS : 0,
                   here = zero_line_end(s);
    return ppu_least(p->known.hit_known_until, here > end ? here : end);
}

/* Predicts from the state's dot; all writes before it have been applied. */
void ppu_predict(struct ppu *p) {
    const struct ppu_state *s = &p->state;
    const bool flags = s->time >= p->known.predicted_until;
    const uint64_t next =
        p->writes.first < p->writes.end ? p->writes.log[p->writes.first].dot : UINT64_MAX;
    if (!flags && ppu_hit_predicted(p, ppu_least(next, p->known.predicted_until)))
        return;
    struct line_start l = {.line = s->line, .time = s->time, .v = s->v};
    bool visible = s->line <= LINE_LAST;
    if (!visible) {
        l.line = 0;
        l.time = ppu_next_dot(s, 0, 0);
        l.v = s->t;
    }
    if (flags) {
        p->known.overflow_dot = predict_overflow(p, l, visible);
        p->known.predicted_until = l.time + raster(LINE_IDLE - l.line, 0);
    }
    p->known.hit_dot = predict_hit(p, l, visible);
    p->known.hit_known_until = p->known.predicted_until;
    for (unsigned i = p->writes.first; i < p->writes.end && p->writes.log[i].dot < hit_open(p); i++)
        ppu_hit_may_move(p, &p->writes.log[i]);
}

/* In a visible line: a dot not later than the next one that could set a sprite flag. */
static uint64_t next_flag_on_line(const struct ppu *p) {
    const struct ppu_state *s = &p->state;
    if (s->dot == 0 || ppu_writes_pending(s) || s->late_status)
        return s->time;
    if (s->zero_now && !(s->status & STATUS_HIT) && s->dot <= s->sprites[0].x + 8u)
        return s->time;
    struct ppu_state copy = *s;
    ppu_evaluate_dots(&copy, 257, ppu_is_empty(p, s->line));
    if ((copy.status | copy.late_status) & ~s->status)
        return s->time;
    return s->time + PPU_DOTS - s->dot;
}

/* The first dot from `from` on that could set a sprite flag. */
static uint64_t next_sprite_flag(struct ppu *p, uint64_t from) {
    const struct ppu_state *s = &p->state;
    if (!s->rendering && !ppu_writes_pending(s))
        return UINT64_MAX;
    if (!ppu_flags_predicted(p, from + 1)) {
        if (!ppu_predictable(s)) /* nothing happens in the rest of the pre-render line */
            return s->line == LINE_PRERENDER ? ppu_next_dot(s, 0, 0) : next_flag_on_line(p);
        ppu_predict(p);
    }
    uint64_t hit = p->known.hit_dot >= from ? p->known.hit_dot : UINT64_MAX;
    if (!ppu_hit_predicted(p, p->known.predicted_until))
        hit = p->known.hit_known_until;
    return ppu_least(hit, p->known.overflow_dot >= from ? p->known.overflow_dot : UINT64_MAX);
}

uint64_t ppu_next_change(struct ppu *p, uint64_t from) {
    const struct ppu_state *s = &p->state;
    const uint64_t flags = ppu_least(ppu_next_dot(s, LINE_VBLANK, DOT_FLAGS),
                                     ppu_next_dot(s, LINE_PRERENDER, DOT_FLAGS));
    if (ppu_flags_cleared(s, from))
        return ppu_next_dot(s, 0, 0);
    /* From line 240 on, one of these comes before any sprite flag. */
    if (s->line >= LINE_IDLE && s->line < LINE_PRERENDER && !s->late_status)
        return flags;
    return ppu_least(flags, next_sprite_flag(p, from));
}
