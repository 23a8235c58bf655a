/*
 * Deferred register writes.
 *
 * While the PPU renders, scroll, pattern tables and masks determine pixels, v, and when sprite 0
 * hits. They affect neither which sprites are found nor what a board observes on the bus. So such a
 * write is logged with its dot, and the state stays where it is. When the state is needed, whole
 * lines are skipped: they only change v, and the line before the needed one fetches everything else
 * anew. Lines on which sprite 0 may hit are computed write by write.
 */
#include "nes/ppu/ppu_log.h"
#include "nes/ppu/ppu_a12.h"
#include "nes/ppu/ppu_prediction.h"
#include "nes/ppu/ppu_scroll.h"
#include "nes/ppu/ppu_sprites.h"

/* ---- registers ---- */

void ppu_set_registers(struct ppu *p, const struct ppu_registers *r) {
    struct ppu_state *s = &p->state;
    s->t = r->t;
    s->x = r->x;
    s->ctrl = r->ctrl;
    s->mask = r->mask;
    if (r->loads_v)
        s->v_due = r->dot + PPU_V_DELAY;
    if (r->masks) {
        s->mask_due = r->dot + PPU_MASK_DELAY;
        if (s->line <= LINE_LAST)
            p->known.idle_until = p->known.plain_until = 0;
    }
}

/* ---- deferring ---- */

/* Advances the state into the picture that contains dot number `dot`, if it is not there and that
 * is cheap. True if writes to this picture can be deferred. */
static __attribute__((noinline)) bool begin(struct ppu *p, uint64_t dot) {
    enum { TABLES = CTRL_SPRITE_TABLE | CTRL_BACKGROUND_TABLE };
    const struct ppu_state *s = &p->state;
    if (p->picture.wanted)
        return false;
    if (ppu_writes_pending(s) || p->writes.end == PPU_LOG)
        ppu_advance(p, dot);
    if (s->line <= LINE_LAST && dot >= ppu_picture_start(s) + raster(LINE_IDLE, 0))
        ppu_advance(p, ppu_picture_start(s) + raster(LINE_IDLE, 0));
    if (s->line > LINE_LAST) {
        const uint64_t start = ppu_next_dot(s, 0, 0);
        if (start > dot)
            return false;
        ppu_advance(p, start);
    }
    if (!s->rendering || ppu_writes_pending(s) || s->ignore_writes)
        return false;
    p->writes.until = ppu_picture_start(s) + raster(LINE_IDLE, 0);
    p->writes.fixed_ctrl = p->board->ops->a12_rises ? CTRL_TALL | TABLES : CTRL_TALL;
    return dot < p->writes.until;
}

/* Rendering stays on while writes are deferred: a write that turns it off is never deferred. */
static inline bool can_wait(const struct ppu *p, uint8_t ctrl, unsigned reg, uint8_t value) {
    switch (reg) {
    case 0:
        return !((ctrl ^ value) & p->writes.fixed_ctrl);
    case 1:
        return value & MASK_RENDERING;
    default:
        return reg == 5 || reg == 6;
    }
}

bool ppu_defer(struct ppu *p, unsigned reg, uint8_t value, uint64_t dot) {
    if ((dot >= p->writes.until || p->writes.end == PPU_LOG) && !begin(p, dot))
        return false;
    struct ppu_registers now = ppu_registers(p);
    if (!can_wait(p, now.ctrl, reg, value))
        return false;
    ppu_change_registers(&now, reg, p->state.w, value);
    now.dot = dot;
    p->writes.log[p->writes.end++] = now;
    p->state.w ^= reg >= 5;
    if (reg == 1)
        p->known.vblank_stable_until = 0;
    if (p->known.hit_dot >= dot && dot < p->known.hit_known_until)
        ppu_hit_may_move(p, &now);
    return true;
}

/* ---- applying ---- */

/* The latest start of a line to which lines can be skipped: that of the line before dot number
 * `until`'s, or before the first line on which sprite 0 may hit. 0: none. */
static uint64_t reach(struct ppu *p, uint64_t until) {
    const struct ppu_state *s = &p->state;
    const uint64_t start = ppu_picture_start(s), end = start + raster(LINE_IDLE, 0);
    if (!ppu_predictable(s) || s->line > LINE_LAST || p->picture.wanted)
        return 0;
    ppu_predict(p);
    uint64_t line = (ppu_least(until, end) - start) / PPU_DOTS; /* the line that is needed */
    if (!ppu_hit_predicted(p, start + line * PPU_DOTS))
        line = (p->known.hit_known_until - start) / PPU_DOTS;
    if (line > 1 && p->known.hit_dot - start >= (line - 1) * PPU_DOTS &&
        p->known.hit_dot - start < line * PPU_DOTS)
        line--;
    return line > s->line + 1u ? start + (line - 1) * PPU_DOTS : 0;
}

/* Index after the deferred writes before dot number `dot`. */
static unsigned writes_before(const struct ppu *p, uint64_t dot) {
    unsigned end = p->writes.end;
    while (end > p->writes.first && p->writes.log[end - 1].dot >= dot)
        end--;
    return end;
}

/* v at the line's start `there`, without its column, which is loaded from t before it is used. */
static uint16_t v_at(const struct ppu *p, uint64_t there) {
    const struct ppu_state *s = &p->state;
    const uint64_t start = ppu_picture_start(s);
    unsigned load = writes_before(p, there);
    while (load > p->writes.first && !p->writes.log[load - 1].loads_v)
        load--;
    uint16_t v = s->v;
    uint64_t from = s->time - start;
    if (load > p->writes.first) {
        const uint64_t due = p->writes.log[load - 1].dot + PPU_V_DELAY;
        v = p->writes.log[writes_before(p, ppu_least(there, due + 1)) - 1].t;
        from = due - start;
    }
    const unsigned lines = (unsigned)((there - start) / PPU_DOTS - from / PPU_DOTS);
    return v_rows(v, lines - (from % PPU_DOTS > DOT_ROW));
}

/* Skips to the start of a line and applies the deferred writes before it. The tiles and sprites of
 * that line are unknown, but cannot be observed: sprite 0 does not hit on it. */
static void skip_to(struct ppu *p, uint64_t there) {
    struct ppu_state *s = &p->state;
    const uint64_t start = ppu_picture_start(s);
    const unsigned end = writes_before(p, there);
    const uint16_t v = v_at(p, there);
    ppu_show_lines(p, (unsigned)((there - s->time) / PPU_DOTS));
    if (end > p->writes.first) {
        struct ppu_registers last = p->writes.log[end - 1];
        last.loads_v = last.masks = false; /* both have taken effect */
        ppu_set_registers(p, &last);
    }
    s->mask_due = s->v_due = UINT64_MAX;
    s->rendering = s->mask & MASK_RENDERING;
    p->writes.first = end;
    s->status |= (p->known.hit_dot < there ? STATUS_HIT : 0) |
                 (p->known.overflow_dot < there ? STATUS_OVERFLOW : 0);
    ppu_empty_sprites(s);
    s->v = v;
    s->oam_address = 0;
    s->line = (uint16_t)((there - start) / PPU_DOTS);
    s->dot = 0;
    s->time = there;
}

void ppu_apply_deferred(struct ppu *p, uint64_t until) {
    const struct ppu_state *s = &p->state;
    while (p->writes.first < p->writes.end && p->writes.log[p->writes.first].dot <= until) {
        const struct ppu_registers *const r = &p->writes.log[p->writes.first];
        if (s->time < r->dot) {
            const uint64_t there = reach(p, until);
            if (there != 0) {
                skip_to(p, there);
                continue;
            }
            /* More may be possible from the start of the next line. */
            const uint64_t next = s->time + PPU_DOTS - s->dot;
            ppu_pass(p, s->dot ? ppu_least(next, r->dot) : r->dot);
            if (s->time < r->dot)
                continue;
        }
        ppu_set_registers(p, r);
        p->writes.first++;
    }
    if (p->writes.first == p->writes.end)
        p->writes.first = p->writes.end = 0;
}
