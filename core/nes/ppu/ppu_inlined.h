/*
 * ppu_inlined: the members of the PPU that the translator's code accesses itself, with the types
 * that it relies on; it accesses no others. When ppu_write() changes for the vertical blank, so
 * must core/dbt/lower/devices_blank.c; when ppu_reads_again() changes, core/dbt/lower/frame.h and
 * mmio.c. Private to core/nes and its engines.
 */
#ifndef HOTGRAPH_PPU_INLINED_H
#define HOTGRAPH_PPU_INLINED_H

#include <assert.h>

#include "nes/ppu/ppu_registers.h"

#define PPU_INLINES(member, type)                                                                  \
    static_assert(_Generic(((struct ppu *)0)->member, type : 1, default : 0),                      \
                  "translated code accesses ppu." #member " as " #type)

PPU_INLINES(known.plain_until, uint64_t);
PPU_INLINES(known.status_stable_until, uint64_t);
PPU_INLINES(sprites_known.lines, bool);
PPU_INLINES(sprites_known.overflow, bool);
PPU_INLINES(state.v, uint16_t);
PPU_INLINES(state.t, uint16_t);
PPU_INLINES(state.x, uint8_t);
PPU_INLINES(state.w, bool);
PPU_INLINES(state.v_due, uint64_t);
PPU_INLINES(state.ctrl, uint8_t);
PPU_INLINES(state.latch, uint8_t);
PPU_INLINES(state.latch_cycle[0], uint64_t);
PPU_INLINES(state.oam_address, uint8_t);
PPU_INLINES(state.oam[0], uint8_t);
PPU_INLINES(state.palette[0], uint8_t);
static_assert(sizeof((struct ppu_state){0}.latch_cycle) == 3 * sizeof(uint64_t),
              "translated code sets all three");
static_assert(sizeof((struct ppu_state){0}.oam) == 256, "an index of one byte wraps around");

#endif
