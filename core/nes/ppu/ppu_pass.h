/*
 * ppu_pass: the paths by which time passes. All end in the same state, bit for bit.
 */
#ifndef HOTGRAPH_PPU_PASS_H
#define HOTGRAPH_PPU_PASS_H

#include "nes/ppu/ppu_raster.h"

/* Does every dot before number `until` one by one. */
void ppu_dots(struct ppu *p, uint64_t until);
/* Parts of a dot: delayed writes and flags that take effect when dot number `time` begins; */
void ppu_late(struct ppu *p);
/* dot 257 with rendering on, before its fetches; */
void ppu_end_columns(struct ppu_state *s);
/* loading a fetched tile into the shift registers. */
void ppu_load_shifters(struct ppu_state *s);
/* v after an access to $2007: while fetching it steps in both directions at once. */
void ppu_step_v(struct ppu *p);

/* ---- groups of eight dots (ppu_groups.c) ---- */

/* Does every dot before number `until` of a line with rendering on, no pixels wanted and no writes.
 */
void ppu_groups(struct ppu *p, uint64_t until);

/* ---- lines and blanks (ppu_line.c) ---- */

/* Does every dot before number `until` by the fastest path; no write is deferred to a dot before
 * it. */
void ppu_pass(struct ppu *p, uint64_t until);

#endif
