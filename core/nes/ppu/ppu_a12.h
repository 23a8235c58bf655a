/*
 * ppu_a12: the PPU's address bus as boards observe it. A board that watches it counts rises of line
 * 12. ppu_show_...() report the bus up to a dot, and do nothing for other boards.
 */
#ifndef HOTGRAPH_PPU_A12_H
#define HOTGRAPH_PPU_A12_H

#include "nes/ppu/ppu_raster.h"

enum { PPU_A12 = 0x1000 };

/* `address` is on the bus from dot number `dot` on, and v from the next dot on unless something is
 * fetched. */
static inline void ppu_show_address(struct ppu *p, uint16_t address, uint64_t dot) {
    if (p->board->ops->a12_rises && dot >= p->known.board_synced_until)
        board_a12(p->board, address & PPU_A12, dot);
}
static inline void ppu_show_v(struct ppu *p) {
    if (!ppu_fetching(&p->state))
        ppu_show_address(p, p->state.v, p->state.time);
}
/* Reports the fetches of the next `lines` lines, visible ones or the pre-render line, from dot
 * 0. */
void ppu_show_lines(struct ppu *p, unsigned lines);
/* Reports the fetches before dot number `until` while the state stays where it is. False, and
 * nothing is done, if they are unknown there. */
bool ppu_show_until(struct ppu *p, uint64_t until);
/* Dot number of the `rises`-th counted rise of line 12 from now on, or an earlier one, if nothing
 * accesses the PPU; UINT64_MAX: none comes. */
uint64_t ppu_next_rise(const struct ppu *p, unsigned rises);

#endif
