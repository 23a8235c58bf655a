/*
 * ppu_picture: pixels, for those who want pictures. Only ppu_picture_ends() may be called while no
 * pixels are wanted.
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
/* The sprites of this line are loaded: their pixels. */
void ppu_picture_sprites(struct ppu *p);
/* A column of the background leaves the shift registers (dots 1-256). */
void ppu_picture_pixel(struct ppu *p);
/* Gives a column its colour (dots 3-258; other dots do nothing). */
void ppu_picture_dot(struct ppu *p);
/* A whole visible line at once, at dot 0, nothing touching the PPU before its end. */
void ppu_picture_line(struct ppu *p);

#endif
