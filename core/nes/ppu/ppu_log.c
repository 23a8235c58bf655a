/*
 * Deferred register writes.
 *
 * While something is rendered, scroll, pattern tables and masks decide pixels, v, and when sprite 0
 * hits. They decide neither which sprites are found nor what a board sees of the bus. So such a
 * write goes into a log, with its dot, and the state stays where it is. When somebody needs the
 * state, whole lines are skipped: only v remains of them, and the line before the one that is
 * needed fetches everything else anew. Lines on which sprite 0 may hit are done write by write.
 */
#include "nes/ppu/ppu_parts.h"

/* ---- registers ---- */

void ppu_set_registers(struct ppu *p, const struct ppu_registers *r) {
    struct ppu_state *s = &p->s;
    s->t = r->t;
    s->x = r->x;
    s->ctrl = r->ctrl;
    s->mask = r->mask;
    if (r->loads_v)
        s->v_due = r->dot + PPU_V_DELAY;
    if (r->masks) {
        s->mask_due = r->dot + PPU_MASK_DELAY;
        if (s->line <= LINE_LAST)
            p->idle_until = p->plain_until = 0;
    }
}

/* ---- deferring ---- */

/* Brings the state into the picture that has dot number `dot`, if it is not there and that is
 * cheap. True if writes to this picture can be deferred. */
static __attribute__((noinline)) bool begin(struct ppu *p, uint64_t dot) {
    enum { TABLES = CTRL_SPRITE_TABLE | CTRL_BACKGROUND_TABLE };
    const struct ppu_state *s = &p->s;
    if (p->pictures)
        return false;
    if (writes_pending(s) || p->log_end == PPU_LOG)
        ppu_advance(p, dot);
    if (s->line <= LINE_LAST && dot >= picture_start(s) + place(LINE_IDLE, 0))
        ppu_advance(p, picture_start(s) + place(LINE_IDLE, 0));
    if (s->line > LINE_LAST) {
        const uint64_t start = ppu_next_dot(s, 0, 0);
        if (start > dot)
            return false;
        ppu_advance(p, start);
    }
    if (!s->rendering || writes_pending(s) || s->ignore_writes)
        return false;
    p->log_until = picture_start(s) + place(LINE_IDLE, 0);
    p->log_firm = p->board->ops->a12_rises ? CTRL_TALL | TABLES : CTRL_TALL;
    return dot < p->log_until;
}

/* Rendering is on while the log is open: a write that switches it off is never deferred. */
static inline bool can_wait(const struct ppu *p, uint8_t ctrl, unsigned reg, uint8_t value) {
    switch (reg) {
    case 0:
        return !((ctrl ^ value) & p->log_firm);
    case 1:
        return value & MASK_RENDERING;
    default:
        return reg == 5 || reg == 6;
    }
}

bool ppu_put_down(struct ppu *p, unsigned reg, uint8_t value, uint64_t dot) {
    if ((dot >= p->log_until || p->log_end == PPU_LOG) && !begin(p, dot))
        return false;
    struct ppu_registers now = ppu_registers(p);
    if (!can_wait(p, now.ctrl, reg, value))
        return false;
    ppu_change_registers(&now, reg, p->s.w, value);
    now.dot = dot;
    p->log[p->log_end++] = now;
    p->s.w ^= reg >= 5;
    if (reg == 1)
        p->nmi_quiet = 0;
    if (p->hit_dot >= dot && dot < p->hit_known)
        ppu_hit_unsure(p, &now);
    return true;
}

/* ---- applying ---- */

/* The latest start of a line to which lines can be skipped: the one before the line of dot number
 * `until`, or before the first line on which sprite 0 may hit. 0: there is none. */
static uint64_t reach(struct ppu *p, uint64_t until) {
    const struct ppu_state *s = &p->s;
    const uint64_t start = picture_start(s), end = start + place(LINE_IDLE, 0);
    if (!ppu_foreseeable(s) || s->line > LINE_LAST || p->pictures)
        return 0;
    ppu_foresee(p);
    uint64_t line = (ppu_least(until, end) - start) / PPU_DOTS; /* the one that is needed */
    if (!ppu_hit_told(p, start + line * PPU_DOTS))
        line = (p->hit_known - start) / PPU_DOTS;
    if (line > 1 && p->hit_dot - start >= (line - 1) * PPU_DOTS &&
        p->hit_dot - start < line * PPU_DOTS)
        line--;
    return line > s->line + 1u ? start + (line - 1) * PPU_DOTS : 0;
}

/* The end of the deferred writes that come before dot number `dot`. */
static unsigned writes_before(const struct ppu *p, uint64_t dot) {
    unsigned end = p->log_end;
    while (end > p->log_first && p->log[end - 1].dot >= dot)
        end--;
    return end;
}

/* v at the line's start `there`, without its column, which comes from t before it is used. */
static uint16_t v_at(const struct ppu *p, uint64_t there) {
    const struct ppu_state *s = &p->s;
    const uint64_t start = picture_start(s);
    unsigned load = writes_before(p, there);
    while (load > p->log_first && !p->log[load - 1].loads_v)
        load--;
    uint16_t v = s->v;
    uint64_t from = s->time - start;
    if (load > p->log_first) {
        const uint64_t due = p->log[load - 1].dot + PPU_V_DELAY;
        v = p->log[writes_before(p, ppu_least(there, due + 1)) - 1].t;
        from = due - start;
    }
    const unsigned lines = (unsigned)((there - start) / PPU_DOTS - from / PPU_DOTS);
    return v_rows(v, lines - (from % PPU_DOTS > DOT_ROW));
}

/* Skips to the start of a line, with the deferred writes before it. The tiles and sprites of that
 * line are unknown, but cannot be observed: sprite 0 does not hit on it. */
static void skip_to(struct ppu *p, uint64_t there) {
    struct ppu_state *s = &p->s;
    const uint64_t start = picture_start(s);
    const unsigned end = writes_before(p, there);
    const uint16_t v = v_at(p, there);
    ppu_show_lines(p, (unsigned)((there - s->time) / PPU_DOTS));
    if (end > p->log_first) {
        struct ppu_registers last = p->log[end - 1];
        last.loads_v = last.masks = false; /* both have taken effect */
        ppu_set_registers(p, &last);
    }
    s->mask_due = s->v_due = UINT64_MAX;
    s->rendering = s->mask & MASK_RENDERING;
    p->log_first = end;
    s->status |=
        (p->hit_dot < there ? STATUS_HIT : 0) | (p->overflow_dot < there ? STATUS_OVERFLOW : 0);
    ppu_shift_out_sprites(s);
    s->v = v;
    s->oam_address = 0;
    s->line = (uint16_t)((there - start) / PPU_DOTS);
    s->dot = 0;
    s->time = there;
}

void ppu_carry_out(struct ppu *p, uint64_t until) {
    const struct ppu_state *s = &p->s;
    while (p->log_first < p->log_end && p->log[p->log_first].dot <= until) {
        const struct ppu_registers *const r = &p->log[p->log_first];
        if (s->time < r->dot) {
            const uint64_t there = reach(p, until);
            if (there != 0) {
                skip_to(p, there);
                continue;
            }
            /* From the next line's start on more may be possible. */
            const uint64_t next = s->time + PPU_DOTS - s->dot;
            ppu_pass(p, s->dot ? ppu_least(next, r->dot) : r->dot);
            if (s->time < r->dot)
                continue;
        }
        ppu_set_registers(p, r);
        p->log_first++;
    }
    if (p->log_first == p->log_end)
        p->log_first = p->log_end = 0;
}
