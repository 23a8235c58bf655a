/* ram.s for C. */
#ifndef RAM_H
#define RAM_H

typedef unsigned char byte;
typedef signed char small;
typedef unsigned int word;

enum { THINGS = 12, THREADS = 6, FLOORS = 24, LADDERS = 16, ITEMS = 8 };

/* Something that moves. 16 bytes: copied to `me` and back (boot.s) for its turn. */
struct thing {
    byte kind, mode;
    word x, y; /* 8.8; centre and feet */
    int vx, vy;
    byte floor; /* the one it stands on; of a lift, the one it is */
    byte timer;
    byte low, high; /* of a lift: where it turns; of a petrel: middle, width of its wave */
    byte tile;      /* column in which it last looked for a ladder */
    byte seen;      /* jumped over already */
};

/* A script that runs beside others. 16 bytes. */
struct thread {
    const byte *pc;    /* 0: none */
    const byte *start; /* where it begins again when a life is lost */
    byte rest, top;
    byte frames[10]; /* loops (count, address) and calls (address) */
};

extern byte checkpoint, state, level, lives, need, lantern, tour, screen, games, late, hero_mode,
    hero_floor, hero_ladder, hero_face, hero_peak, hero_step, home_x, home_floor, floors, ladders,
    items, lamp_x, lamp_floor, chain, pad, pad_new, timer, drip, depth, rest, fuel, last, demo,
    ready, mask, vq_n, oam_at, spr_x, spr_y, spr_flip, spr_pal, hud_dirty, px, py, hx, hy, belt_at,
    f_x, f_y0, f_y1, f_y, sfx, tune, self, grace, fill_tile;
extern small wind;
extern word score, best, bonus, hero_x, hero_y, ticks, next_life, seed;
extern int hero_vx, hero_vy, fast;
extern struct thing me;
extern struct thread *base;
extern const byte *pc;
extern byte stack[12];
#pragma zpsym("checkpoint")
#pragma zpsym("state")
#pragma zpsym("level")
#pragma zpsym("lives")
#pragma zpsym("score")
#pragma zpsym("best")
#pragma zpsym("bonus")
#pragma zpsym("need")
#pragma zpsym("lantern")
#pragma zpsym("tour")
#pragma zpsym("screen")
#pragma zpsym("games")
#pragma zpsym("late")
#pragma zpsym("hero_x")
#pragma zpsym("hero_y")
#pragma zpsym("hero_vx")
#pragma zpsym("hero_vy")
#pragma zpsym("hero_mode")
#pragma zpsym("hero_floor")
#pragma zpsym("hero_ladder")
#pragma zpsym("hero_face")
#pragma zpsym("hero_peak")
#pragma zpsym("hero_step")
#pragma zpsym("home_x")
#pragma zpsym("home_floor")
#pragma zpsym("floors")
#pragma zpsym("ladders")
#pragma zpsym("items")
#pragma zpsym("lamp_x")
#pragma zpsym("lamp_floor")
#pragma zpsym("chain")
#pragma zpsym("pad")
#pragma zpsym("pad_new")
#pragma zpsym("timer")
#pragma zpsym("ticks")
#pragma zpsym("drip")
#pragma zpsym("next_life")
#pragma zpsym("seed")
#pragma zpsym("me")
#pragma zpsym("pc")
#pragma zpsym("base")
#pragma zpsym("stack")
#pragma zpsym("depth")
#pragma zpsym("rest")
#pragma zpsym("fuel")
#pragma zpsym("last")
#pragma zpsym("demo")
#pragma zpsym("ready")
#pragma zpsym("mask")
#pragma zpsym("vq_n")
#pragma zpsym("oam_at")
#pragma zpsym("spr_x")
#pragma zpsym("spr_y")
#pragma zpsym("spr_flip")
#pragma zpsym("spr_pal")
#pragma zpsym("hud_dirty")
#pragma zpsym("px")
#pragma zpsym("py")
#pragma zpsym("hx")
#pragma zpsym("hy")
#pragma zpsym("belt_at")
#pragma zpsym("f_x")
#pragma zpsym("f_y0")
#pragma zpsym("f_y1")
#pragma zpsym("f_y")
#pragma zpsym("sfx")
#pragma zpsym("tune")
#pragma zpsym("self")
#pragma zpsym("grace")
#pragma zpsym("fill_tile")
#pragma zpsym("wind")
#pragma zpsym("fast")

extern struct thing things[THINGS];
extern struct thread threads[THREADS];
extern byte fl_x0[FLOORS], fl_x1[FLOORS], fl_y[FLOORS];
extern small fl_slope[FLOORS], fl_belt[FLOORS];
extern byte la_x[LADDERS], la_top[LADDERS], la_bottom[LADDERS], la_y0[LADDERS], la_y1[LADDERS];
extern byte it_x[ITEMS], it_y[ITEMS], it_kind[ITEMS];
extern byte vq[128], digits[8], attrs[64];

#endif
