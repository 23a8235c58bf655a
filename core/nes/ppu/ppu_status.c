/*
 * The sprite flags, told from where the state stands wherever they can be: it need not move for
 * somebody who only asks for them.
 */
#include "nes/ppu/ppu_parts.h"

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

/* Brings the PPU to a place from which the sprite flags can be told up to dot number `until`, and
 * tells them; false: there is none, and it is brought to that dot. */
static bool tell_flags(struct ppu *p, uint64_t until) {
    const struct ppu_state *s = &p->s;
    if (s->line > LINE_LAST && ppu_next_dot(s, 0, 0) < until)
        ppu_advance(p, ppu_next_dot(s, 0, 0));
    if (p->log_first == p->log_end && ppu_foreseeable(s))
        ppu_foresee(p);
    if (!ppu_flags_told(p, until))
        ppu_advance(p, line_start(s, until));
    if (s->time < until && ppu_foreseeable(s))
        ppu_foresee(p);
    if (ppu_flags_told(p, until))
        return true;
    ppu_advance(p, until);
    return false;
}

uint8_t ppu_status_at(struct ppu *p, uint64_t until) {
    const struct ppu_state *s = &p->s;
    if (until <= p->idle_until)
        return s->status;
    if (s->time < until && ppu_flags_cleared(s, until))
        return 0;
    if (s->time >= until || (!ppu_flags_told(p, until) && !tell_flags(p, until)))
        return s->status;
    return (uint8_t)(s->status | (p->hit_dot < until ? STATUS_HIT : 0) |
                     (p->overflow_dot < until ? STATUS_OVERFLOW : 0));
}
