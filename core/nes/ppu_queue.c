/*
 * Writes into the picture that are not even put down: only noted, until somebody looks.
 *
 * Where a write was put down, most of those behind it can be, too, and none of them moves a line or
 * a deadline. So translated code notes them in a queue (dbt/touch.c), as ppu_queue() does, which is
 * a tenth of the work; and all are put down together before anything else happens to the PPU.
 * Nothing of what they do is seen before: not even the bus, of which the last one decides.
 */
#include "nes/ppu_parts.h"

static uint64_t entry(unsigned reg, uint8_t value, uint64_t cycle) {
    return cycle << PPU_QUEUE_CYCLE | reg << PPU_QUEUE_REGISTER | value;
}

/* In the picture no write to $2001 moves the NMI, which is on line 241. */
void ppu_queue_opens(struct ppu *p) {
    p->queue_until = ppu_end_after(p->log_until);
    p->queue_room = PPU_LOG - p->log_end;
}

/* Whether it can be put down, too, when its time comes (ppu_log.c), and leaves the NMI alone. */
static bool is_harmless(const struct ppu *p, unsigned reg, uint8_t value) {
    switch (reg) {
    case 0:
        return !((p->now.ctrl ^ value) & p->queue_firm);
    case 1:
        return p->follow.on || (value & MASK_RENDERING && p->now.mask & MASK_RENDERING);
    default:
        return reg == 5 || reg == 6;
    }
}

bool ppu_queue(struct ppu *p, unsigned reg, uint8_t value, uint64_t cycle) {
    if (cycle >= p->queue_until || p->queued >= p->queue_room || !is_harmless(p, reg, value))
        return false;
    p->queue[p->queued++] = entry(reg, value, cycle);
    p->calm = 0;
    return true;
}

void ppu_put_queue_down(struct ppu *p) {
    struct ppu_state *s = &p->s;
    const unsigned count = p->queued;
    struct ppu_registers now = p->now, *to = p->log + p->log_end;
    bool second = s->w;
    uint64_t open = ppu_hit_open(p);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t e = p->queue[i];
        const unsigned reg = e >> PPU_QUEUE_REGISTER & 7;
        ppu_change_registers(&now, reg, second, (uint8_t)e);
        now.dot = ppu_dots_at_access(e >> PPU_QUEUE_CYCLE);
        *to++ = now;
        second ^= reg >= 5;
        if (now.dot < open) {
            ppu_hit_unsure(p, &now);
            open = ppu_hit_open(p);
        }
    }
    p->now = now;
    s->w = second;
    p->log_end += count;
    p->queued = 0;
    p->queue_room = PPU_LOG - p->log_end;
    p->nmi_quiet = 0;
    s->latch = (uint8_t)p->queue[count - 1];
    s->latch_cycle[0] = s->latch_cycle[1] = s->latch_cycle[2] =
        p->queue[count - 1] >> PPU_QUEUE_CYCLE;
}
