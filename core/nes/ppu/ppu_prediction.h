/*
 * ppu_prediction: predicts the sprite flags for the rest of a picture. docs/fast-paths.md describes
 * what sets and what voids each horizon.
 */
#ifndef HOTGRAPH_PPU_PREDICTION_H
#define HOTGRAPH_PPU_PREDICTION_H

#include "nes/ppu/ppu_raster.h"

/* Voids predictions after a change of a register or of memory other than OAM.
 * ppu_invalidate_sprites(): after a change of OAM or the sprite height. */
static inline void ppu_invalidate(struct ppu *p) {
    p->known.predicted_until = p->known.hit_known_until = p->known.status_stable_until =
        p->writes.until = 0;
}
static inline void ppu_invalidate_sprites(struct ppu *p) {
    ppu_invalidate(p);
    p->sprites_known.lines = p->sprites_known.slots = p->sprites_known.overflow = false;
}
/* True if the sprite flags of the rest of this picture (from line 240 on: of the next one) can be
 * predicted from here. ppu_predict() does so, and sets known.hit_dot and known.overflow_dot. */
bool ppu_predictable(const struct ppu_state *s);
void ppu_predict(struct ppu *p);
/* Registers were deferred: from their dot on the prediction of sprite 0's hit is void. */
void ppu_hit_may_move(struct ppu *p, const struct ppu_registers *r);
/* True if hits before dot number `until` are predicted; the second function: all sprite flags. */
bool ppu_hit_predicted(const struct ppu *p, uint64_t until);
bool ppu_flags_predicted(const struct ppu *p, uint64_t until);
/* Number of the next dot from `from` on that could change the status if nothing accesses the PPU;
 * sometimes early, never late. Call after ppu_status_at(p, from). */
uint64_t ppu_next_change(struct ppu *p, uint64_t from);

#endif
