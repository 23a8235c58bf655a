/*
 * ppu_picture: pixels. If no pixels are wanted, only ppu_picture_ends() may be called.
 */
#ifndef HOTGRAPH_PPU_PICTURE_H
#define HOTGRAPH_PPU_PICTURE_H

#include "nes/ppu/ppu.h"

/* Line 240: the picture is complete, and the next one goes into the other buffer. */
static inline void ppu_picture_ends(struct ppu *p) {
    p->picture.drawing ^= 1;
    p->picture.whole = p->picture.begun;
    p->picture.begun = p->picture.wanted != NULL;
}
/* Draws the pixels of this line's sprites, which are loaded, from column `from` on. */
void ppu_picture_sprites(struct ppu *p, unsigned from);
/* A column of the background leaves the shift registers (dots 1-256). */
void ppu_picture_pixel(struct ppu *p);
/* Gives a column its colour (dots 3-258; other dots do nothing). */
void ppu_picture_dot(struct ppu *p);
/* Draws a whole visible line at once, at dot 0, if nothing accesses the PPU before its end. */
void ppu_picture_line(struct ppu *p);

#endif
