/*
 * ppu_pass: ways to let time pass. All end in the same state, bit for bit.
 */
#ifndef HOTGRAPH_PPU_PASS_H
#define HOTGRAPH_PPU_PASS_H

#include "nes/ppu/ppu_raster.h"

/* Does every dot before number `until` one by one. */
void ppu_dots(struct ppu *p, uint64_t until);
/* Of these: writes and flags whose time has come when dot number `time` begins; */
void ppu_late(struct ppu *p);
/* dot 257 with rendering on, before its fetches; */
void ppu_end_columns(struct ppu_state *s);
/* a tile that was fetched goes into the shift registers. */
void ppu_load_shifters(struct ppu_state *s);

/* ---- groups of eight dots (ppu_groups.c) ---- */

/* The same for a part of a line with rendering on and no pixels wanted, which nothing touches
 * before dot number `until`. */
void ppu_groups(struct ppu *p, uint64_t until);

/* ---- lines and blanks (ppu_line.c) ---- */

/* Does every dot before number `until` as fast as it can be done, where nothing is put down for the
 * time until then. */
void ppu_pass(struct ppu *p, uint64_t until);

#endif
