/* What moves beside Nell. Each kind has a function for its turn and one for its looks. */
#include "fresnel.h"

#define FALL_WEIGHT 0x28
#define FALL_MOST   0x300

static const small sines[32] = {0,   12,  24,  36,  45,  53,  59,  63,  64,  63,  59,
                                53,  45,  36,  24,  12,  0,   -12, -24, -36, -45, -53,
                                -59, -63, -64, -63, -59, -53, -45, -36, -24, -12};

void things_clear(byte all) {
    static byte i;

    for (i = 0; i < THINGS; ++i) {
        if (all || (things[i].kind != LIFT && things[i].kind != RAFT)) {
            things[i].kind = NOTHING;
        }
    }
}

/* A lift is a floor, too. Slope 1 tells it from a belt; it is too short for the slope to matter. */
static void lift_floor(struct thing *t, byte x, byte y) {
    t->floor = floors;
    fl_x0[floors] = x - 12;
    fl_x1[floors] = x + 11;
    fl_y[floors] = y;
    fl_slope[floors] = 1;
    fl_belt[floors] = 0;
    ++floors;
}

/* Into the first free place; nothing happens if there is none. */
void spawn(byte kind, byte x, byte y, int vx) {
    static byte i;
    static struct thing *t;

    for (i = 0, t = things; t->kind; ++i, ++t) {
        if (i == THINGS - 1) {
            last = NONE;
            return;
        }
    }
    last = i;
    t->kind = kind;
    t->mode = FALLING;
    t->x = (word)x << 8;
    t->y = (word)y << 8;
    t->vx = vx;
    t->vy = 0;
    t->floor = 0;
    t->timer = 0;
    t->tile = x >> 3;
    t->seen = 0;
    if (kind == LIFT) {
        t->vy = vx;
        lift_floor(t, x, y);
    } else if (kind == RAFT) {
        lift_floor(t, x, y);
        fl_belt[t->floor] = vx;
    }
}

void pop_points(byte x, byte y, byte which) {
    spawn(POINTS, x, y - 8, which);
}

static void become(byte kind) {
    me.kind = kind;
    me.timer = 0;
}

/* How many pixels sideways each kind of hazard can be from Nell to touch her; how high it is, and
 * 12. */
static const byte reaches[LIFT] = {0, 8, 9, 5, 8, 8, 7};
static const byte heights[LIFT] = {0, 22, 21, 18, 22, 21, 24};

/* --- Nell and the thing */
static void touch(void) {
    static byte apart, below;

    apart = px - hx;
    if (apart & 0x80) {
        apart = -apart;
    }
    if (reaches[me.kind] < apart) {
        if (hero_mode == M_WALK) {
            me.seen = 0;
        }
        return;
    }
    below = py - hy;
    apart = below + 12;
    if (heights[me.kind] > apart) {
        if (lantern) {
            score_add(30);
            pop_points(px, py, 2);
            sfx = SFX_BREAK;
            become(SPLASH);
        } else if (!grace) {
            hero_lost();
        }
    } else if (hero_mode == M_AIR && below < 36 && !me.seen) {
        me.seen = 1;
        ++chain;
        score_add(10 * chain);
        if (chain < 4) {
            pop_points(hx, hy, chain - 1);
        }
        sfx = SFX_POINTS;
    }
}

/* --- ways to move */

/* It stands at py. */
static void stand(void) {
    me.y = (word)py << 8;
}

/* Along the floor it is on, onto the next, or over the edge. */
static void stroll(void) {
    static byte next;
    static int by;

    by = fl_belt[me.floor];
    by += me.vx;
    me.x += by;
    px = hi(me.x);
    f_x = px;
    if (fl_x0[me.floor] > px || fl_x1[me.floor] < px) {
        f_y0 = py - 3;
        f_y1 = py + 3;
        next = find_floor();
        if (next == NONE) {
            me.mode = FALLING;
            me.vy = 0;
            return;
        }
        me.floor = next;
    }
    py = floor_y(me.floor);
    stand();
}

/* Down, until there is a floor: then true. */
static byte fall(void) {
    static byte next;

    f_y0 = py;
    me.vy += FALL_WEIGHT;
    if (me.vy > FALL_MOST) {
        me.vy = FALL_MOST;
    }
    me.y += me.vy;
    py = hi(me.y);
    if (me.vy < 0) {
        return 0;
    }
    if (py > 232) {
        me.kind = NOTHING;
        return 0;
    }
    f_x = px;
    f_y1 = py;
    next = find_floor();
    if (next == NONE) {
        return 0;
    }
    me.floor = next;
    py = f_y;
    stand();
    return 1;
}

static void tumble(void) {
    me.x += me.vx / 2;
    px = hi(me.x);
    if (fall()) {
        me.mode = ON_FLOOR;
    }
}

static void take_ladder(byte ladder, byte mode) {
    me.low = ladder;
    me.mode = mode;
    px = la_x[ladder];
    me.x = (word)px << 8;
}

static void down_ladder(void) {
    me.y += 0x100;
    py = hi(me.y);
    if (la_y1[me.low] <= py) {
        me.floor = la_bottom[me.low];
        py = la_y1[me.low];
        stand();
        me.mode = ON_FLOOR;
    }
}

static void up_ladder(void) {
    me.y -= 0x80;
    py = hi(me.y);
    if (la_y0[me.low] >= py) {
        me.floor = la_top[me.low];
        py = la_y0[me.low];
        stand();
        me.mode = ON_FLOOR;
    }
}

/* True once for each column of tiles that it comes to. */
static byte new_column(void) {
    static byte column;

    column = px >> 3;
    if (column == me.tile) {
        return 0;
    }
    me.tile = column;
    return 1;
}

/* --- glass floats: roll faster downhill, and some come down ladders */

static void float_roll(void) {
    static int by;
    static byte ladder;

    by = fl_slope[me.floor];
    if (by) {
        by *= 5;
        me.vx += by;
        if (me.vx > fast) {
            me.vx = fast;
        } else if (me.vx < -fast) {
            me.vx = -fast;
        }
    }
    stroll();
    if (px < 6 || px > 249) {
        become(SPLASH);
        return;
    }
    if (!new_column()) {
        return;
    }
    ladder = ladder_down(me.floor);
    if (ladder != NONE && hy > py && rnd() < 80) {
        take_ladder(ladder, DOWN_LADDER);
    }
}

static void (*const float_modes[])(void) = {float_roll, tumble, down_ladder};

static void float_turn(void) {
    float_modes[me.mode]();
    touch();
}

/* --- crabs walk about; St Elmo's fires go where Nell is */

static void about_face(void) {
    me.vx = -me.vx;
}

/* At the end of the floor it turns, unless another goes on. */
static void mind_edge(void) {
    static byte ahead;

    if (px < 10 || px > 245) {
        if ((me.vx < 0) == (px < 10)) {
            about_face();
        }
        return;
    }
    ahead = me.vx < 0 ? px - 7 : px + 7;
    if (fl_x0[me.floor] <= ahead && fl_x1[me.floor] >= ahead) {
        return;
    }
    f_x = ahead;
    f_y0 = py - 3;
    f_y1 = py + 3;
    if (find_floor() == NONE && (me.vx < 0) == (px < (byte)(fl_x0[me.floor] + 12))) {
        about_face();
    }
}

/* A ladder that leads nearer to Nell's height, by chance. */
static void __fastcall__ try_ladder(byte chance) {
    static byte ladder;

    if (rnd() >= chance) {
        return;
    }
    f_x = px;
    if (hy + 8 < py) {
        ladder = ladder_up(me.floor);
        if (ladder != NONE) {
            take_ladder(ladder, UP_LADDER);
        }
    } else if (hy > py + 8) {
        ladder = ladder_down(me.floor);
        if (ladder != NONE) {
            take_ladder(ladder, DOWN_LADDER);
        }
    }
}

static void crab_walk(void) {
    stroll();
    if (me.mode != ON_FLOOR) {
        return;
    }
    mind_edge();
    if (new_column()) {
        try_ladder(70);
    }
}

static void elmo_walk(void) {
    stroll();
    if (me.mode != ON_FLOOR) {
        return;
    }
    mind_edge();
    if (!new_column()) {
        return;
    }
    try_ladder(200);
    if (rnd() < 60 && (me.vx < 0) != (hx < px) && (byte)(py - hy + 12) < 24) {
        about_face();
    }
}

static void (*const crab_modes[])(void) = {crab_walk, tumble, down_ladder, up_ladder};
static void (*const elmo_modes[])(void) = {elmo_walk, tumble, down_ladder, up_ladder};

static void crab_turn(void) {
    crab_modes[me.mode]();
    touch();
}

static void elmo_turn(void) {
    elmo_modes[me.mode]();
    touch();
}

/* --- drops hang, fall, splash */
static void drop_turn(void) {
    if (++me.timer < 45) {
        return;
    }
    if (fall()) {
        become(SPLASH);
        sfx = SFX_DRIP;
        return;
    }
    touch();
}

/* --- sea urchins bounce: each time with five sixths of the speed, but not too low */
static void urchin_turn(void) {
    me.x += me.vx;
    px = hi(me.x);
    if (px < 8 || px > 247) {
        about_face();
        me.x += me.vx;
    }
    if (fall()) {
        me.vy = -(me.vy * 5 / 6);
        if (me.vy > -0x1D0) {
            me.vy = -0x1D0;
        }
    }
    touch();
}

/* --- petrels fly across in a wave */
static void petrel_turn(void) {
    me.x += me.vx;
    px = hi(me.x);
    me.timer += 2;
    py = me.low + (sines[me.timer >> 3] * me.high >> 6);
    stand();
    if (px < 5 || px > 250) {
        me.kind = NOTHING;
        return;
    }
    touch();
}

/* --- lifts and rafts: floors that turn at their bounds */
static void lift_turn(void) {
    me.y += me.vy;
    py = hi(me.y);
    if (py <= me.low || py >= me.high) {
        me.vy = py <= me.low ? 0x80 : -0x80;
    }
    fl_y[me.floor] = py;
}

static void raft_turn(void) {
    me.x += me.vx;
    px = hi(me.x);
    if (px <= me.low || px >= me.high) {
        if ((me.vx < 0) == (px <= me.low)) {
            about_face();
        }
    }
    fl_belt[me.floor] = me.vx;
    fl_x0[me.floor] = px - 12;
    fl_x1[me.floor] = px + 11;
}

static void splash_turn(void) {
    if (++me.timer > 14) {
        me.kind = NOTHING;
    }
}

static void points_turn(void) {
    if (++me.timer > 40) {
        me.kind = NOTHING;
    }
    if ((me.timer & 3) == 0) {
        me.y -= 0x100;
        py = hi(me.y);
    }
}

static void (*const turns[KINDS - 1])(void) = {
    float_turn, crab_turn, drop_turn, urchin_turn, petrel_turn,
    elmo_turn,  lift_turn, raft_turn, splash_turn, points_turn,
};

/* --- looks */

static void face_left(void) {
    if (me.vx < 0) {
        spr_flip = 0x40;
    }
}

static byte float_look(void) {
    if (me.mode == DOWN_LADDER) {
        return G_FLOAT + ((py >> 3) & 1);
    }
    return G_FLOAT + (me.vx < 0 ? 3 - ((px >> 2) & 3) : (px >> 2) & 3);
}

static byte crab_look(void) {
    return G_CRAB + ((px + py) >> 2 & 1);
}

static byte drop_look(void) {
    return me.timer < 30 ? G_SPLASH : G_DROP;
}

static byte urchin_look(void) {
    return G_URCHIN + (me.vy < 0);
}

static byte petrel_look(void) {
    face_left();
    return G_PETREL + ((byte)ticks >> 3 & 1);
}

static byte elmo_look(void) {
    face_left();
    return G_ELMO + ((byte)ticks >> 2 & 1);
}

static byte lift_look(void) {
    return G_LIFT;
}

static byte splash_look(void) {
    return G_SPLASH + (me.timer > 6);
}

static byte points_look(void) {
    return G_POINTS + (byte)me.vx;
}

static byte (*const looks[KINDS - 1])(void) = {
    float_look, crab_look, drop_look, urchin_look, petrel_look,
    elmo_look,  lift_look, lift_look, splash_look, points_look,
};

/* All take their turns, if the world moves, and are drawn. */
void things_step(void) {
    static byte moving;

    moving = state == S_PLAY || state == S_TITLE;
    for (self = 0; self < THINGS; ++self) {
        if (!take_turn()) {
            continue;
        }
        if (moving) {
            turns[me.kind - 1]();
            give_back();
        }
        if (me.kind) {
            spr_x = px;
            spr_y = py;
            spr_flip = 0;
            spr_pal = 0;
            draw(looks[me.kind - 1]());
        }
    }
}
