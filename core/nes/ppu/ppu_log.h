/*
 * ppu_log: register writes that are deferred until the state is needed.
 */
#ifndef HOTGRAPH_PPU_LOG_H
#define HOTGRAPH_PPU_LOG_H

#include "nes/ppu/ppu_pass.h"

/* Current values, deferred writes included. */
static inline struct ppu_registers ppu_registers(const struct ppu *p) {
    const struct ppu_state *s = &p->state;
    if (p->writes.first < p->writes.end)
        return p->writes.log[p->writes.end - 1];
    return (struct ppu_registers){.t = s->t, .x = s->x, .ctrl = s->ctrl, .mask = s->mask};
}
void ppu_set_registers(struct ppu *p, const struct ppu_registers *r);
/* Defers a write that comes before dot number `dot`. False: it cannot be deferred; nothing was
 * written, but the state may have advanced. */
bool ppu_defer(struct ppu *p, unsigned reg, uint8_t value, uint64_t dot);
/* Applies the writes deferred up to dot number `until`, and advances to each. */
void ppu_apply_deferred(struct ppu *p, uint64_t until);
/* Advances to dot number `until` and applies deferred writes on the way. */
static inline void ppu_advance(struct ppu *p, uint64_t until) {
    if (p->writes.first < p->writes.end)
        ppu_apply_deferred(p, until);
    if (p->state.time < until)
        ppu_pass(p, until);
}

#endif
