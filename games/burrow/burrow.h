/* BURROW: what its C files share. */
#ifndef BURROW_H
#define BURROW_H
#include "ram.h"
#include "tiles.h"

/* Kinds of cell. Order: props, cell_tile and cell_palette in soil.c, kind_soil in unpack.s. */
enum {
    OPEN,
    GRASS,
    FLOWER,
    NEST,
    SOIL,
    CLAY,
    ROOT,
    PACKED,
    BULB,
    STONE,
    WALL,
    SPRING,
    BLANK,
    SPROUT,
    KINDS
};

/* What may be done with a kind of cell. vm.s knows IS_OPEN and IS_SOFT by value. */
enum {
    IS_OPEN = 1,  /* creatures and Pim walk in it */
    IS_DIRT = 2,  /* Pim digs it */
    IS_SOFT = 4,  /* creatures bore it */
    IS_DUCT = 8,  /* water flows in it */
    IS_WALL = 16, /* a tunnel beside it has an edge */
    IS_FREE = 32, /* roots grow into it */
    IS_LIFE = 64  /* drinks, and smells of bulb */
};

enum { UP, RIGHT, DOWN, LEFT, NOWHERE };
enum { ST_TITLE = 1, ST_READY, ST_PLAY, ST_OUT, ST_CLEAR, ST_OVER };
enum {
    PAD_A = 1,
    PAD_B = 2,
    PAD_START = 8,
    PAD_UP = 16,
    PAD_DOWN = 32,
    PAD_LEFT = 64,
    PAD_RIGHT = 128
};
enum { SNIP, MITE, WORM, DROWSE };
enum {
    SFX_DIG = 1,
    SFX_PICK,
    SFX_THUMP,
    SFX_PLUG,
    SFX_OUT,
    SFX_GNAW,
    SFX_WAKE,
    SFX_CATCH,
    SFX_BLOOM,
    SFX_LIFE,
    SFX_SPLASH,
    SFX_TICK
};
enum { SONG_TITLE = 1, SONG_DIG, SONG_OVER, SONG_CLEAR };
enum {
    HUD_SCORE = 1,
    HUD_BED = 2,
    HUD_BEST = 4,
    HUD_LIVES = 8,
    HUD_AIR = 16,
    HUD_BAG = 32,
    HUD_ALL = 63
};

#define NO_WAY     255
#define FULL       8   /* water in a cell */
#define DEEP       4   /* from here on creatures and Pim cannot breathe */
#define AIR_MAX    120 /* steps under water */
#define ENERGY_MAX 48
#define THUMP_COST 20
#define CLODS_MAX  9
#define SURFACE    0x17 /* where Pim starts */

extern const byte props[KINDS], offsets[4];
#define kind_of(cell)  (soil[cell] & 0x1F)
#define props_of(cell) (props[soil[cell] & 0x1F])
#define cell_x(cell)   ((byte)((cell) << 4))
#define cell_y(cell)   ((byte)(((cell)&0xF0) + 16))

/* boot.s, math.s, flood.s, vm.s, unpack.s, oam.s */
void present(void);
void read_pad(void);
void ppu_off(void);
void ppu_on(void);
void __fastcall__ ppu_at(word address);
void __fastcall__ ppu_put(byte tile);
void __fastcall__ ppu_fill(byte tile, byte times);
word __fastcall__ mul8(byte a, byte b);
word __fastcall__ div16(word n, byte d);
byte rnd(void);
byte __fastcall__ rnd_below(byte n);
void flood_clear(void);
void __fastcall__ flood_seed(byte cell);
byte flood_run(void);
void vm_run(void);
void __fastcall__ unpack(byte bed);
void oam_begin(void);
void put16(void);
void put8(void);
void __fastcall__ mark_cell(byte cell);
byte next_marked(void);
extern const byte script_start[4];

/* soil.c */
void __fastcall__ set_cell(byte cell, byte kind);
void dig_cell(byte cell);
void flow_step(byte upper);
void roots_step(void);
/* bed.c */
void build_bed(byte number);
void place_pim(void);
/* pim.c */
void pim_step(void);
/* creature.c */
void creatures_reset(void);
void creatures_step(void);
void creature_catch(byte i);
byte creature_at(byte i);
/* draw.c */
void draw_screen(void);
void draw_step(void);
void draw_text(byte column, byte row, const char *text);
void message(const char *text);
void message_end(void);
void pop(byte x, byte y, byte tile);
/* game.c */
void score_add(word tens);
void bulb_gone(void);

#endif
