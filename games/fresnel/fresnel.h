/* FRESNEL: what its C files share. */
#ifndef FRESNEL_H
#define FRESNEL_H
#include "ram.h"
#include "tiles.h"

enum { S_TITLE = 1, S_BUILD, S_READY, S_PLAY, S_OUT, S_CLEAR, S_OVER };
enum { M_WALK, M_AIR, M_CLIMB, M_OUT, M_CHEER };
enum { /* kinds of thing; the order is that of turns[] in things.c and K_... in script.inc */
       NOTHING,
       FLOAT,
       CRAB,
       DROP,
       URCHIN,
       PETREL,
       ELMO,
       LIFT, /* up and down */
       RAFT, /* to and fro */
       SPLASH,
       POINTS,
       KINDS
};
enum { ON_FLOOR, FALLING, DOWN_LADDER, UP_LADDER }; /* modes of what rolls and walks */
enum { /* groups of sprites; the order is that of groups in sprites.s */
       G_STAND,
       G_WALK,
       G_JUMP = 3,
       G_CLIMB,
       G_OUT,
       G_CHEER,
       G_FLOAT,
       G_CRAB = 11,
       G_DROP = 13,
       G_SPLASH,
       G_URCHIN = 16,
       G_PETREL = 18,
       G_ELMO = 20,
       G_LIFT = 22,
       G_POINTS,
       G_LIGHT = 26,
       G_RAIN
};
enum { FLASK = 1, LANTERN };
enum {
    PAD_A = 1,
    PAD_B = 2,
    PAD_SELECT = 4,
    PAD_START = 8,
    PAD_UP = 16,
    PAD_DOWN = 32,
    PAD_LEFT = 64,
    PAD_RIGHT = 128
};
enum { /* bits of hud_dirty */
       HUD_SCORE = 1,
       HUD_BONUS = 2,
       HUD_LEVEL = 4,
       HUD_LIVES = 8,
       HUD_NEED = 16,
       HUD_ALL = 31
};
enum { /* effects; the order is that of effects in songs.s */
       SFX_JUMP = 1,
       SFX_FLASK,
       SFX_LANTERN,
       SFX_POINTS,
       SFX_BREAK,
       SFX_OUT,
       SFX_DRIP,
       SFX_TICK,
       SFX_LIFE,
       SFX_CRY,
       SFX_SPARK
};
enum { TUNE_TITLE = 1, TUNE_CLIMB, TUNE_SHAFT, TUNE_CLEAR, TUNE_OVER, TUNE_NONE };

#define NONE         255
#define CENTRE(tile) (((tile) << 3) + 4)
#define hi(word)     ((byte)((word) >> 8))

/* boot.s, sprites.s */
void end_step(void);
void read_pad(void);
void wipe_screen(void);
byte rnd(void);
byte take_turn(void);
void give_back(void);
void __fastcall__ run_fill(byte n);
void sprites_begin(void);
void __fastcall__ draw(byte group);

/* scan.s */
byte __fastcall__ floor_y(byte floor);
byte find_floor(void);

/* sound.s */
void sound_step(void);

/* screens.s */
extern const byte *const screen_scripts[];
extern const byte palettes[];

/* floors.c: what the screen is made of, and where things may be on it */
byte __fastcall__ ladder_down(byte floor);
byte __fastcall__ ladder_up(byte floor);
void add_floor(byte x0, byte x1, byte y, small slope);
void add_ladder(byte column, byte top, byte bottom);
void add_item(byte column, byte row, byte kind);
void add_lamp(byte column, byte floor);
void light_lamp(void);
void tint(byte column, byte row, byte palette);
void band(byte first, byte rows, byte palette);
void belts_step(void);
void items_step(void);

/* hud.c: words and numbers */
void record(byte column, byte row, byte n);
void put_text(byte column, byte row, const byte *text);
void hud_step(void);
void score_add(word tens);
void message(byte row, const char *words);

/* script.c, words.c: the interpreter */
void __fastcall__ thread_begin(const byte *start);
void threads_clear(void);
void threads_restart(void);
void threads_step(void);
extern void (*const words[])(void);
byte pop(void);
void __fastcall__ push(byte n);

/* things.c */
void spawn(byte kind, byte x, byte y, int vx);
void pop_points(byte x, byte y, byte which);
void things_clear(byte all);
void things_step(void);

/* weather.c */
void weather_step(void);

/* hero.c */
void hero_begin(void);
void hero_turn(void);
void hero_draw(void);
void hero_lost(void);

#endif
