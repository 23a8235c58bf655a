/* Nell, the keeper's apprentice: one function a mode. */
#include "fresnel.h"

#define WALK   0x120
#define CLIMB  0xD0
#define LEAP   (-0x1E8)
#define WEIGHT 0x18
#define DEADLY 34 /* pixels fallen */

void hero_begin(void) {
    hero_x = (word)home_x << 8;
    hero_floor = home_floor;
    hx = home_x;
    f_x = home_x;
    hy = floor_y(home_floor);
    hero_y = (word)hy << 8;
    hero_mode = M_WALK;
    hero_face = 0;
    lantern = 0;
    chain = 0;
    grace = 60;
}

void hero_lost(void) {
    if (hero_mode == M_OUT || state != S_PLAY) {
        return;
    }
    hero_mode = M_OUT;
    state = S_OUT;
    timer = 100;
    sfx = SFX_OUT;
    tune = TUNE_NONE;
    hero_vy = -0x200;
}

static void set_feet(byte y) {
    hy = y;
    hero_y = (word)y << 8;
}

/* Sideways, not past the edges of the picture. */
static void shift(int by) {
    hero_x += by;
    hx = hi(hero_x);
    if (hx < 8) {
        hero_x = 0x800;
        hx = 8;
    } else if (hx > 247) {
        hero_x = 0xF700;
        hx = 247;
    }
}

static void take_off(int vy) {
    hero_vy = vy;
    hero_peak = hy;
    hero_mode = M_AIR;
}

static byte take_ladder(byte ladder) {
    if (ladder == NONE) {
        return 0;
    }
    hero_ladder = ladder;
    hero_mode = M_CLIMB;
    hx = la_x[ladder];
    hero_x = (word)hx << 8;
    return 1;
}

static void walk(void) {
    chain = 0;
    hero_vx = 0;
    if (pad & PAD_LEFT) {
        hero_vx = -WALK;
        hero_face = 0x40;
    } else if (pad & PAD_RIGHT) {
        hero_vx = WALK;
        hero_face = 0;
    }
    f_x = hx;
    if ((pad & PAD_UP) && take_ladder(ladder_up(hero_floor))) {
        return;
    }
    if ((pad & PAD_DOWN) && take_ladder(ladder_down(hero_floor))) {
        return;
    }
    if (hero_vx) {
        ++hero_step;
    }
    shift(hero_vx + fl_belt[hero_floor]);
    f_x = hx;
    if (fl_x0[hero_floor] > hx || fl_x1[hero_floor] < hx) {
        f_y0 = hy - 4;
        f_y1 = hy + 4;
        f_y = find_floor(); /* another floor goes on from here, or none */
        if (f_y == NONE) {
            take_off(0);
            return;
        }
        hero_floor = f_y;
    }
    set_feet(floor_y(hero_floor));
    if (pad_new & PAD_A) {
        sfx = SFX_JUMP;
        take_off(LEAP);
    }
}

static void air(void) {
    f_y0 = hy - 1;
    shift(hero_vx);
    hero_vy += WEIGHT;
    if (hero_vy > 0x300) {
        hero_vy = 0x300;
    }
    hero_y += hero_vy;
    hy = hi(hero_y);
    if (hero_vy < 0) {
        hero_peak = hy;
        return;
    }
    if (hy > 236) {
        hero_lost();
        return;
    }
    f_x = hx;
    f_y1 = hy;
    hero_floor = find_floor();
    if (hero_floor == NONE) {
        return;
    }
    set_feet(f_y);
    hero_mode = M_WALK;
    if (hy > hero_peak && (byte)(hy - hero_peak) > DEADLY) {
        hero_lost();
    }
}

static void climb(void) {
    if (pad & PAD_UP) {
        hero_y -= CLIMB;
        ++hero_step;
    } else if (pad & PAD_DOWN) {
        hero_y += CLIMB;
        ++hero_step;
    }
    hy = hi(hero_y);
    if (la_y0[hero_ladder] >= hy) {
        hero_floor = la_top[hero_ladder];
    } else if (la_y1[hero_ladder] <= hy) {
        hero_floor = la_bottom[hero_ladder];
    } else {
        return;
    }
    f_x = hx;
    set_feet(floor_y(hero_floor));
    hero_mode = M_WALK;
}

/* Thrown up, then down and out of the picture. */
static void out(void) {
    if (timer > 80 || hy > 238) {
        return;
    }
    hero_vy += WEIGHT;
    hero_y += hero_vy;
    hy = hi(hero_y);
    ++hero_step;
}

static void cheer(void) {
    ++hero_step;
}

static void (*const modes[])(void) = {walk, air, climb, out, cheer};

void hero_turn(void) {
    modes[hero_mode]();
    if (grace) {
        --grace;
    }
    if (lantern && (ticks & 1)) {
        --lantern;
    }
}

void hero_draw(void) {
    static byte group;

    if ((grace & 2) || hy > 238) {
        return;
    }
    spr_x = hx;
    spr_y = hy;
    spr_flip = hero_face;
    spr_pal = 0;
    switch (hero_mode) {
    case M_WALK:
        group = G_STAND;
        if (hero_vx) {
            group = G_WALK + ((hero_step >> 2) & 1);
        }
        break;
    case M_AIR:
        group = G_JUMP;
        break;
    case M_CLIMB:
        group = G_CLIMB;
        spr_flip = (hero_step << 3) & 0x40;
        break;
    case M_OUT:
        group = G_OUT;
        spr_flip = (hero_step << 3) & 0x40;
        break;
    case M_CHEER:
        group = hero_step & 16 ? G_CHEER : G_STAND;
        break;
    }
    draw(group);
    if (lantern > 40 || (lantern & 4)) {
        draw(G_LIGHT);
    }
}
