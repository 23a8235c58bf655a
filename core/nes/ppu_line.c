/*
 * Short cuts through time, for while nothing touches the PPU.
 */
#include "nes/ppu_parts.h"

/* ---- foresight ---- */

static uint64_t place(unsigned line, unsigned dot) {
    return (uint64_t)line * PPU_DOTS + dot;
}

uint64_t ppu_next_dot(const struct ppu_state *s, unsigned line, unsigned dot) {
    uint64_t here = place(s->line, s->dot), there = place(line, dot);
    if (there >= here)
        return s->time + (there - here);
    uint64_t frame = place(PPU_LINES, 0), skip = place(LINE_PRERENDER, PPU_DOTS - 2);
    if (s->odd && here <= skip) {
        bool late = s->mask_due <= s->time + (skip - here);
        if (late ? s->mask & MASK_RENDERING : s->rendering)
            frame--;
    }
    return s->time + frame - here + there;
}

uint64_t ppu_next_sprite_flag(struct ppu *p) {
    const struct ppu_state *s = &p->s;
    if (s->line <= LINE_LAST || s->line == LINE_PRERENDER)
        return s->time;
    return UINT64_MAX;
}

void ppu_touched(struct ppu *p) {
    (void)p;
}

/* ---- time ---- */

void ppu_advance(struct ppu *p, uint64_t until) {
    struct ppu_state *s = &p->s;
    if (s->time >= until)
        return;
    ppu_dots(p, until);
}
