/*
 * ppu_raster: positions of the picture (line and dot), dot numbers and cycles. Private to core/nes.
 *
 * A dot number counts dots since power-on; a position is a line and a dot of it in one picture.
 */
#ifndef HOTGRAPH_PPU_RASTER_H
#define HOTGRAPH_PPU_RASTER_H

#include <assert.h>
#include <string.h>

#include "nes/ppu/ppu_registers.h"

enum { LINE_LAST = 239, LINE_IDLE = 240, LINE_VBLANK = 241, LINE_PRERENDER = 261, DOT_FLAGS = 1 };
enum { DOT_ROW = 256 }; /* v goes down by a row of pixels */

/* In odd frames the pre-render line ends with this dot if the next one would be rendering; that is
 * decided a dot earlier after a write to $2001 than for fetches (blargg, 10-even_odd_timing). */
enum { DOT_SKIPS = 339 };

static inline uint64_t ppu_least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Number of dots done before the access of a cycle; before its end. */
static inline uint64_t ppu_dots_at_access(uint64_t cycle) {
    return 3 * cycle + 1;
}
static inline uint64_t ppu_dots_at_end(uint64_t cycle) {
    return 3 * cycle + 2;
}
/* The first cycle that ends after dot number `dot`. */
static inline uint64_t ppu_end_after(uint64_t dot) {
    return (dot + 1) / 3;
}

static inline bool ppu_fetching(const struct ppu_state *s) {
    return s->rendering && (s->line <= LINE_LAST || s->line == LINE_PRERENDER);
}

/* True if dot number `dot`, which is not in the past, renders unless something is written before
 * it. */
static inline bool ppu_renders_at(const struct ppu_state *s, uint64_t dot) {
    return s->mask_due <= dot ? s->mask & MASK_RENDERING : s->rendering;
}

/* ---- positions of the picture ---- */

static inline uint64_t raster(unsigned line, unsigned dot) {
    return (uint64_t)line * PPU_DOTS + dot;
}

/* Number of the first dot of the state's picture. */
static inline uint64_t ppu_picture_start(const struct ppu_state *s) {
    return s->time - raster(s->line, s->dot);
}

/* Number of the next dot at this position of the picture, if nothing accesses the PPU. */
static inline uint64_t ppu_next_dot(const struct ppu_state *s, unsigned line, unsigned dot) {
    uint64_t here = raster(s->line, s->dot), there = raster(line, dot);
    if (there >= here)
        return s->time + (there - here);
    uint64_t frame = raster(PPU_LINES, 0), skip = raster(LINE_PRERENDER, DOT_SKIPS);
    if (s->odd && here <= skip && ppu_renders_at(s, s->time + (skip - here) + 1))
        frame--;
    return s->time + frame - here + there;
}

/* True if the dots before number `until`, except those before the state's position in the vertical
 * blank, have cleared all flags, and nothing can have set one since. */
static inline bool ppu_flags_cleared(const struct ppu_state *s, uint64_t until) {
    const uint64_t here = raster(s->line, s->dot), cleared = raster(LINE_PRERENDER, DOT_FLAGS) + 1;
    return here > raster(LINE_VBLANK, DOT_FLAGS) && here < cleared &&
           until >= s->time + (cleared - here) && until <= ppu_next_dot(s, 0, 0);
}

/* The dot that fills the buffer after a read of $2007 while fetching: the fourth after the read. */
static inline uint64_t ppu_data_dot(const struct ppu_state *s) {
    return 3 * s->data_read_cycle + 5;
}

/* True if the next dots have effects that only single dots know. */
static inline bool ppu_odd(const struct ppu_state *s) {
    uint32_t all;
    static_assert(sizeof all == sizeof s->odd_dots, "one comparison");
    memcpy(&all, &s->odd_dots, sizeof all);
    return all != 0;
}

static inline bool ppu_writes_pending(const struct ppu_state *s) {
    return s->mask_due != UINT64_MAX || s->v_due != UINT64_MAX;
}

#endif
