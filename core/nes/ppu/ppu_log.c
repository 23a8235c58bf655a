/*
 * Writes into the picture whose effect nobody has seen yet.
 *
 * While something is rendered, scroll, patterns and masks decide pixels, v, and when sprite 0 hits;
 * neither what sprites are found nor what a board sees of the bus. So such a write is put down, and
 * the state stays where it stands. When somebody looks, lines that have passed are passed at once:
 * all that is left of them in the end is v, and the line before the one looked at brings everything
 * else anew. Lines on which it is open whether sprite 0 hits are done write by write. Where
 * rendering is switched off and on, ppu_follow.c says what is left of which lines.
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
    if (r->steps_v)
        s->v = v_stepped(s->v, r->ctrl);
}

/* ---- putting down ---- */

/* Whether the state stands, or can be made to stand without doing much, in the picture that has dot
 * number `dot`, and what is written at that dot can be put down. */
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
    p->queue_firm = p->log_firm | CTRL_NMI;
    p->now = ppu_registers(p);
    return dot < p->log_until;
}

/* A write to memory, known to be the palette's: done at once, but for v. */
static bool write_palette(struct ppu *p, uint8_t value, uint64_t dot) {
    if (!p->follow.on)
        return false;
    ppu_follow_to(p, dot);
    const uint16_t address = p->follow.v & 0x3FFF;
    if (p->follow.since != UINT64_MAX || address < PPU_PALETTE)
        return false;
    p->s.palette[ppu_palette_index(address)] = value & 0x3F;
    return true;
}

/* From where the state stands, or else from here. */
static bool follow(struct ppu *p, uint64_t dot) {
    if (ppu_follow(p, dot))
        return true;
    ppu_advance(p, dot);
    return ppu_follow(p, dot);
}

/* Whether all that the write changes can wait. */
static inline bool can_wait(struct ppu *p, unsigned reg, uint8_t value, uint64_t dot) {
    switch (reg) {
    case 0:
        return !((p->now.ctrl ^ value) & p->log_firm);
    case 1:
        return (p->now.mask & MASK_RENDERING && value & MASK_RENDERING) || follow(p, dot);
    case 7:
        return write_palette(p, value, dot);
    default:
        return reg >= 5;
    }
}

bool ppu_put_down(struct ppu *p, unsigned reg, uint8_t value, uint64_t dot) {
    if ((dot >= p->log_until || p->log_end == PPU_LOG) && !begin(p, dot))
        return false;
    if (!can_wait(p, reg, value, dot))
        return false;
    ppu_change_registers(&p->now, reg, p->s.w, value);
    p->now.dot = dot;
    p->log[p->log_end++] = p->now;
    p->s.w ^= reg == 5 || reg == 6;
    if (reg == 1)
        p->nmi_quiet = 0;
    if (p->hit_dot >= dot && dot < p->hit_known)
        ppu_hit_unsure(p, &p->now);
    return true;
}

/* ---- carrying out ---- */

/* The latest start of a line that can be reached without looking at what lies between: the one
 * before the line of dot number `until` or of the first line on which sprite 0 may hit; 0: none. */
static uint64_t reach(struct ppu *p, uint64_t until) {
    const struct ppu_state *s = &p->s;
    const uint64_t start = picture_start(s), end = start + place(LINE_IDLE, 0);
    if (!ppu_foreseeable(s) || s->line > LINE_LAST || p->pictures)
        return 0;
    ppu_foresee(p);
    uint64_t line = (ppu_least(until, end) - start) / PPU_DOTS; /* the one looked at */
    if (!ppu_hit_told(p, start + line * PPU_DOTS))
        line = (p->hit_known - start) / PPU_DOTS;
    if (line > 1 && p->hit_dot - start >= (line - 1) * PPU_DOTS &&
        p->hit_dot - start < line * PPU_DOTS)
        line--;
    return line > s->line + 1u ? start + (line - 1) * PPU_DOTS : 0;
}

/* How many writes of those before `end` come before dot number `dot`: the end of these. */
static unsigned writes_before(const struct ppu *p, unsigned end, uint64_t dot) {
    while (end > p->log_first && p->log[end - 1].dot >= dot)
        end--;
    return end;
}

/* v at the line's start `there`, but for its column, which comes from t before anybody looks. */
static uint16_t v_at(const struct ppu *p, unsigned end, uint64_t there) {
    const struct ppu_state *s = &p->s;
    const uint64_t start = picture_start(s);
    unsigned load = end;
    while (load > p->log_first && !p->log[load - 1].loads_v)
        load--;
    uint16_t v = s->v;
    uint64_t from = s->time - start;
    if (load > p->log_first) {
        const uint64_t due = p->log[load - 1].dot + PPU_V_DELAY;
        v = p->log[writes_before(p, end, due + 1) - 1].t;
        from = due - start;
    }
    const unsigned lines = (unsigned)((there - start) / PPU_DOTS - from / PPU_DOTS);
    return v_rows(v, lines - (from % PPU_DOTS > DOT_ROW));
}

/* On to the start of a line. Of its tiles and sprites nothing is known, and none of it shows:
 * sprite 0 does not hit on it. */
void ppu_skip_to(struct ppu *p, const struct ppu_start *line) {
    struct ppu_state *s = &p->s;
    const uint64_t start = picture_start(s), there = line->time;
    const unsigned end = writes_before(p, p->log_end, there);
    ppu_show_lines(p, (unsigned)((there - s->time) / PPU_DOTS));
    if (end > p->log_first) { /* what the last one does is done before anything else begins */
        struct ppu_registers last = p->log[end - 1];
        last.loads_v = last.masks = last.steps_v = false;
        ppu_set_registers(p, &last);
    }
    s->mask_due = s->v_due = UINT64_MAX;
    s->rendering = s->mask & MASK_RENDERING;
    p->log_first = end;
    s->status |=
        (p->hit_dot < there ? STATUS_HIT : 0) | (p->overflow_dot < there ? STATUS_OVERFLOW : 0);
    ppu_shift_out_sprites(s);
    s->v = line->v;
    s->oam_address = line->oam_address;
    s->line = (uint16_t)((there - start) / PPU_DOTS);
    s->dot = 0;
    s->time = there;
}

/* Skips what can be skipped before dot number `until`. */
static bool skip(struct ppu *p, uint64_t until) {
    const struct ppu_follow *f = &p->follow;
    const uint64_t end = ppu_least(until, picture_start(&p->s) + place(LINE_IDLE, 0));
    if (f->on && p->log[p->log_end - 1].dot <= end) {
        ppu_follow_to(p, end);
        if (f->fresh.time > p->s.time) {
            ppu_skip_to(p, &f->fresh);
            return true;
        }
    }
    const uint64_t there = reach(p, f->on ? ppu_least(until, f->from) : until);
    if (there == 0)
        return false;
    ppu_skip_to(p, &(struct ppu_start){.time = there,
                                       .v = v_at(p, writes_before(p, p->log_end, there), there)});
    return true;
}

void ppu_carry_out(struct ppu *p, uint64_t until) {
    const struct ppu_state *s = &p->s;
    while (p->log_first < p->log_end && p->log[p->log_first].dot <= until) {
        const struct ppu_registers *const r = &p->log[p->log_first];
        if (s->time < r->dot) {
            if (skip(p, until))
                continue;
            /* From the next line's start on more may be possible. */
            const uint64_t next = s->time + PPU_DOTS - s->dot;
            ppu_pass(p, s->dot ? ppu_least(next, r->dot) : r->dot);
            if (s->time < r->dot)
                continue;
        }
        ppu_set_registers(p, r);
        p->log_first++;
    }
    if (p->log_first == p->log_end) {
        p->log_first = p->log_end = 0;
        p->follow.on = false;
    }
}
