/*
 * ppu_log: register writes that are deferred until somebody needs the state.
 */
#ifndef HOTGRAPH_PPU_LOG_H
#define HOTGRAPH_PPU_LOG_H

#include "nes/ppu/ppu_pass.h"

/* As they are at present. */
static inline struct ppu_registers ppu_registers(const struct ppu *p) {
    const struct ppu_state *s = &p->state;
    if (p->writes.first < p->writes.end)
        return p->writes.log[p->writes.end - 1];
    return (struct ppu_registers){.t = s->t, .x = s->x, .ctrl = s->ctrl, .mask = s->mask};
}
void ppu_set_registers(struct ppu *p, const struct ppu_registers *r);
/* Puts a write to a register down that comes when dot number `dot` is next; false, and nothing is
 * done but that time may have passed, when it cannot wait. */
bool ppu_defer(struct ppu *p, unsigned reg, uint8_t value, uint64_t dot);
/* Carries out what was put down up to dot number `until`, and what happens before each. */
void ppu_apply_deferred(struct ppu *p, uint64_t until);
/* Does every dot before number `until`, and carries out what was put down. */
static inline void ppu_advance(struct ppu *p, uint64_t until) {
    if (p->writes.first < p->writes.end)
        ppu_apply_deferred(p, until);
    if (p->state.time < until)
        ppu_pass(p, until);
}

#endif
