/* Plays Brindle (games/brindle): simulates several dozen button sequences over the next second and
 * a half with the game's own physics, and takes the best. It decides only a few times a second,
 * sometimes overlooks a beast and sometimes slips, so that it gets hurt now and then. */
#include "play/player.h"

#include "base/base.h"

#include <stdbool.h>
#include <string.h>

enum { /* RAM addresses and states, see games/brindle/README.md */
       RAM_LEVEL = 0x12,
       RAM_CLOVERS = 0x18,
       RAM_STATE = 0x1a,
       RAM_CAMERA = 0x23,
       RAM_PAUSED = 0x29, /* in play */
       RAM_THEME = 0x2d,
       RAM_GOAT = 0x30,
       RAM_COLUMN = 0x54,
       RAM_KIND = 0x300,
       RAM_OBJECT_X = 0x314,
       RAM_OBJECT_X_HIGH = 0x31e,
       RAM_OBJECT_Y = 0x332,
       RAM_OBJECT_VX = 0x33c,
       RAM_OBJECT_VY = 0x350,
       RAM_OBJECT_TIME = 0x364,
       RAM_OBJECT_SPINY = 0x3a0,
       RAM_OBJECT_LOOP = 0x3aa,
       RAM_RING = 0x400
};
enum { STATE_TITLE = 0, STATE_PLAY = 2 };
enum { CRAB, GULL, FROG, HEDGEHOG, BAT, BOULDER, ADDER, FERRY, LIFT, ROTTEN, SEED, PUFF, TUMBLER };
enum { OPEN, SOLID, ONE_WAY, UPHILL, DOWNHILL, THORNS, FOOD, WOODEN, SPRINGY, STONES };
enum { OBJECTS = 10, FLOOR = 208, THEME_ICE = 4, CELL_CAIRN = 18 /* CELL_CAIRN: unlit */ };

enum {
    HORIZON = 96, /* frames simulated */
    PIECES = 5,   /* segments of a plan */
    PLANS = 70,   /* simulated at each decision */
    DEAD = -100000
};

struct thing {
    int kind, x, y, vx, vy, time, spiny; /* x, y, vx, vy in 1/256 pixel */
    bool gone, loose;
};

struct world {
    const uint8_t *ram;
    struct thing thing[OBJECTS];
    int x, y, vx, vy; /* of the goat, in 1/256 pixel */
    int camera, ride, coyote, early, floating, safe, clovers;
    bool standing, left, butting, was_jump, dead, blind;
    int eaten[8], eaten_count;
    int worth;
};

struct plan {
    uint8_t buttons[PIECES];
    uint8_t frames[PIECES];
};

struct mind {
    uint64_t random;
    struct plan plan;
    int age;   /* frames since the plan was made */
    int think; /* frames until the next plan */
    int slip;  /* frames of random input */
    int slip_buttons;
    int blind; /* frames in which it overlooks beasts */
    int wait;  /* frames until it presses Start on the title screen or in a pause */
};

static uint32_t chance(struct mind *m, uint32_t n) {
    return (uint32_t)(splitmix64_next(&m->random) >> 33) % n;
}

static int word(const uint8_t *ram, int at) {
    return ram[at] + 256 * ram[at + 1];
}

static int speed(const uint8_t *ram, int low, int high) {
    return (int16_t)(ram[low] + 256 * ram[high]);
}

/* -- the level */

static int ring_place(int x, int y) {
    return RAM_RING + (y >> 4) * 32 + ((x >> 4) & 31);
}

static int cell(const struct world *w, int x, int y) {
    static const uint8_t meaning[33] = {
        OPEN,   SOLID,    UPHILL, DOWNHILL, SOLID,  SOLID,   UPHILL, DOWNHILL, SOLID, SOLID,
        UPHILL, DOWNHILL, SOLID,  ONE_WAY,  WOODEN, SPRINGY, THORNS, FOOD,     STONES};
    if (y < 0 || y >= FLOOR || x < 0)
        return OPEN;
    int place = ring_place(x, y), id = w->ram[place];
    for (int i = 0; i < w->eaten_count; i++)
        if (w->eaten[i] == place)
            return OPEN;
    return id < 33 ? meaning[id] : OPEN;
}

static bool blocks(int what) {
    return what == SOLID || what == WOODEN || what == SPRINGY;
}

static void eat(struct world *w, int x, int y, int worth) {
    if (w->eaten_count == 8)
        return;
    w->eaten[w->eaten_count++] = ring_place(x, y);
    w->worth += worth;
}

static int surface(int what, int x, int y) {
    int in = x & 15;
    return (y & ~15) + (what == UPHILL ? 15 - in : in);
}

/* Height of the slope that carries feet at x, y, or -1 without one. */
static int slope_at(const struct world *w, int x, int y, int stick) {
    const int probe[2] = {y - 1, y + stick};
    for (int i = 0; i < 2; i++) {
        int what = cell(w, x, probe[i]);
        if (what != UPHILL && what != DOWNHILL)
            continue;
        int at = surface(what, x, probe[i]);
        if (at <= y + stick)
            return at;
    }
    return -1;
}

static int flat_at(const struct world *w, int x, int y, int fall, bool *springy) {
    int what = cell(w, x, y);
    if (what != ONE_WAY && !blocks(what))
        return -1;
    *springy = what == SPRINGY;
    return (y & 15) < (what == ONE_WAY ? fall + 2 : 8) ? y & ~15 : -1;
}

/* -- the goat, moved as goat.s does */

static void push(struct world *w, uint8_t buttons) {
    static const int grow[3] = {24, 14, 18}, turn[3] = {64, 24, 36}, rub[3] = {36, 6, 4};
    int on = !w->standing ? 2 : w->ram[RAM_THEME] == THEME_ICE;
    int top = buttons & BUTTON_B ? 0x280 : 0x180;
    int way = buttons & (BUTTON_LEFT | BUTTON_RIGHT);
    bool coast = way == 0 || way == (BUTTON_LEFT | BUTTON_RIGHT);
    bool mirrored = coast ? w->vx < 0 : way == BUTTON_LEFT;
    int v = mirrored ? -w->vx : w->vx;
    if (!coast)
        w->left = way == BUTTON_LEFT;
    if (coast)
        v = v > rub[on] ? v - rub[on] : 0;
    else if (v < 0)
        v += turn[on];
    else if (v < top)
        v = v + grow[on] > top ? top : v + grow[on];
    else
        v = v - rub[on] < top ? top : v - rub[on];
    w->butting = v >= 0x200 && (buttons & BUTTON_B);
    w->vx = mirrored ? -v : v;
}

static void spring(struct world *w, uint8_t buttons) {
    static const int strength[3] = {0x3a0, 0x3c0, 0x3f0};
    bool held = buttons & BUTTON_A;
    w->early -= w->early > 0;
    w->coyote -= w->coyote > 0;
    if (held && !w->was_jump)
        w->early = 6;
    w->was_jump = held;
    if (w->standing)
        w->coyote = 6;
    if (w->early && w->coyote) {
        int high = w->vx >> 8;
        w->vy = -strength[high < 0 ? ~high : high];
        w->early = w->coyote = 0;
        w->standing = false, w->ride = -1, w->floating = 1, w->y &= ~255;
    }
    if (w->vy >= 0)
        w->floating = 0;
    bool light = w->vy < 0 && (w->floating == 2 || (w->floating == 1 && held));
    w->vy += light ? 32 : 88;
    if (w->vy > 0x400)
        w->vy = 0x400;
}

static bool wall(struct world *w, int x) {
    static const int height[2] = {3, 9};
    for (int i = 0; i < 2; i++) {
        int y = (w->y >> 8) + height[i], what = cell(w, x, y);
        if (what == WOODEN && w->butting)
            eat(w, x, y, 6);
        else if (blocks(what))
            return true;
    }
    return false;
}

static void sideways(struct world *w) {
    w->x += w->vx;
    int x = w->x >> 8;
    if (w->vx >= 0 && wall(w, x + 12))
        w->x = (((x + 12) & ~15) - 13) * 256, w->vx = 0;
    else if (w->vx < 0 && wall(w, x + 3))
        w->x = (((x + 3) | 15) - 2) * 256, w->vx = 0;
    else if (w->vx < 0 && x < w->camera)
        w->x = w->camera * 256, w->vx = 0;
}

static int board_below(struct world *w, int feet) {
    for (int i = OBJECTS - 1; i >= 0; i--) {
        struct thing *t = &w->thing[i];
        int depth = feet - (t->y >> 8), along = (w->x >> 8) + 12 - (t->x >> 8);
        if (t->gone || t->kind < FERRY || t->kind > ROTTEN || depth < 0 || depth >= 6 ||
            along < 0 || along >= 40)
            continue;
        w->ride = i;
        return t->y >> 8;
    }
    return -1;
}

static void land(struct world *w) {
    int x = w->x >> 8, feet = (w->y >> 8) + 16, fall = w->vy >> 8;
    bool springy = false;
    int at = slope_at(w, x + 8, feet, w->standing ? 4 : 0);
    if (at < 0)
        at = flat_at(w, x + 5, feet, fall, &springy);
    if (at < 0)
        at = flat_at(w, x + 10, feet, fall, &springy);
    w->standing = false;
    w->ride = -1;
    if (at < 0) {
        springy = false;
        at = board_below(w, feet);
    }
    if (at < 0)
        return;
    w->y = (at - 16) * 256;
    if (springy) {
        w->vy = -0x4c0, w->floating = 2;
        return;
    }
    w->vy = 0;
    w->standing = true;
}

static void down(struct world *w) {
    w->y += w->vy;
    if (w->vy >= 0) {
        if (w->y >> 8 >= FLOOR)
            w->dead = true;
        else
            land(w);
        return;
    }
    w->standing = false;
    int x = w->x >> 8, y = w->y >> 8;
    if (y < 0)
        w->y = 0;
    else if (blocks(cell(w, x + 5, y)) || blocks(cell(w, x + 10, y)))
        w->y = ((y | 15) + 1) * 256;
    else
        return;
    w->vy = 0, w->floating = 0;
}

static void pricked(struct world *w) {
    if (w->safe)
        return;
    if (w->clovers < 20) {
        w->dead = true;
        return;
    }
    w->clovers -= 20, w->safe = 100, w->vy = -0x280, w->standing = false, w->floating = 0;
    w->worth -= 160;
}

static void touch(struct world *w) {
    static const int height[2] = {4, 12};
    for (int i = 0; i < 2; i++) {
        int x = (w->x >> 8) + 8, y = (w->y >> 8) + height[i], what = cell(w, x, y);
        if (what == FOOD)
            eat(w, x, y, 14);
        else if (what == STONES && w->ram[ring_place(x, y)] == CELL_CAIRN)
            eat(w, x, y, 60);
        else if (what == THORNS)
            pricked(w);
    }
}

/* -- the other objects, approximately */

static void meet(struct world *w, struct thing *t) {
    int dx = (w->x >> 8) + 12 - (t->x >> 8), dy = (t->y >> 8) - (w->y >> 8);
    if (dx < -1 || dx >= 26 || dy < -12 || dy >= 14)
        return;
    if (dy >= 5 && w->vy > 0 && !w->standing && !(t->spiny & 1)) {
        t->gone = true, w->vy = -0x380, w->floating = 1, w->standing = false;
        w->worth += 20;
    } else if (dy < 5 && w->butting && !(t->spiny & 2)) {
        t->gone = true, w->worth += 20;
    } else {
        pricked(w);
    }
}

static void move_rotten(struct world *w, struct thing *t, bool ridden) {
    (void)w;
    t->loose |= ridden;
    if (t->loose && t->time > 0)
        t->time--;
    else if (t->loose)
        t->vy += 24, t->y += t->vy;
}

static void move_things(struct world *w) {
    for (int i = 0; i < OBJECTS; i++) {
        struct thing *t = &w->thing[i];
        if (t->gone)
            continue;
        int before = t->x;
        if (t->kind == ROTTEN) {
            move_rotten(w, t, w->ride == i);
        } else {
            if (t->kind <= LIFT && t->kind >= FERRY && t->time-- < 0)
                t->vx = t->vy = 0; /* end of its path */
            t->x += t->vx;
            if (t->kind == BAT && t->loose)
                t->vy -= 18;
            if (t->kind == FROG || t->kind == HEDGEHOG || t->kind == BOULDER || t->kind == CRAB) {
                bool held = t->vy >= 0 && cell(w, (t->x >> 8) + 8, (t->y >> 8) + 16) != OPEN;
                t->vy = held ? 0 : t->vy + 40;
                if (held && t->kind == FROG)
                    t->vx = 0;
            }
            t->y += t->vy;
        }
        if (w->ride == i)
            w->x += (t->x >> 8 << 8) - (before >> 8 << 8), w->y = ((t->y >> 8) - 16) * 256;
        if ((t->kind < FERRY || t->kind == SEED) && !w->blind)
            meet(w, t);
    }
}

static void imagine_frame(struct world *w, uint8_t buttons) {
    move_things(w);
    w->safe -= w->safe > 0;
    push(w, buttons);
    spring(w, buttons);
    sideways(w);
    down(w);
    touch(w);
}

/* Score of a plan, simulated from its frame `from` on. */
static int imagine(const struct world *start, const struct plan *p, int from) {
    struct world w = *start;
    int frame = 0, known = w.ram[RAM_COLUMN] * 16 - 24;
    for (int piece = 0; piece < PIECES && frame < HORIZON + from; piece++) {
        for (int i = 0; i < p->frames[piece] && frame < HORIZON + from; i++, frame++) {
            if (frame < from)
                continue;
            imagine_frame(&w, p->buttons[piece]);
            if (w.dead)
                return DEAD + (frame - from) * 8 + (w.x >> 8) % 4096 / 16;
            if (w.x >> 8 >= known)
                return (w.x >> 8) + w.worth + (HORIZON + from - frame) * 2;
        }
    }
    int high = w.standing ? (FLOOR - (w.y >> 8)) / 6 : 0;
    if (!w.standing && (w.y >> 8) > FLOOR - 40) /* probably over a pit */
        return DEAD / 2 + (w.x >> 8);
    return (w.x >> 8) + w.worth + high;
}

static void invent(struct mind *m, struct plan *p) {
    static const uint8_t way[8] = {BUTTON_RIGHT | BUTTON_B,
                                   BUTTON_RIGHT | BUTTON_B,
                                   BUTTON_RIGHT,
                                   BUTTON_RIGHT | BUTTON_B,
                                   BUTTON_RIGHT | BUTTON_B,
                                   0,
                                   BUTTON_LEFT,
                                   BUTTON_LEFT | BUTTON_B};
    uint8_t buttons = way[chance(m, 8)];
    for (int i = 0; i < PIECES; i++) {
        bool jump = i % 2 == (int)(p->frames[0] & 1);
        if (chance(m, 3) == 0)
            buttons = way[chance(m, 8)];
        p->buttons[i] = (uint8_t)(buttons | (jump ? BUTTON_A : 0));
        p->frames[i] = (uint8_t)(2 + chance(m, jump ? 30 : 26));
    }
    p->frames[PIECES - 1] = HORIZON;
    p->buttons[PIECES - 1] &= (uint8_t)~BUTTON_A;
}

static void look(const struct mind *m, const uint8_t *ram, struct world *w) {
    const uint8_t *g = ram + RAM_GOAT;
    memset(w, 0, sizeof *w);
    w->ram = ram;
    w->x = g[0] + 256 * word(g, 1), w->y = g[3] + 256 * g[4];
    w->vx = speed(g, 5, 6), w->vy = speed(g, 7, 8);
    w->standing = g[9], w->ride = (int8_t)g[10], w->left = g[11], w->safe = g[12];
    w->coyote = g[13], w->early = g[14], w->floating = g[15], w->butting = g[16];
    w->was_jump = ram[0x1f] & 0x80;
    w->camera = word(ram, RAM_CAMERA), w->clovers = ram[RAM_CLOVERS];
    w->blind = m->blind > 0;
    for (int i = 0; i < OBJECTS; i++) {
        struct thing *t = &w->thing[i];
        t->kind = ram[RAM_KIND + i];
        t->gone = t->kind > SEED;
        t->x = 256 * (ram[RAM_OBJECT_X + i] + 256 * ram[RAM_OBJECT_X_HIGH + i]);
        t->y = 256 * ram[RAM_OBJECT_Y + i];
        t->vx = speed(ram, RAM_OBJECT_VX + i, RAM_OBJECT_VX + OBJECTS + i);
        t->vy = speed(ram, RAM_OBJECT_VY + i, RAM_OBJECT_VY + OBJECTS + i);
        t->time = ram[RAM_OBJECT_TIME + i], t->spiny = ram[RAM_OBJECT_SPINY + i];
        t->loose = ram[RAM_OBJECT_LOOP + i];
    }
}

static void decide(struct mind *m, const uint8_t *ram) {
    struct world now;
    struct plan best = m->plan;
    look(m, ram, &now);
    int value = imagine(&now, &best, m->age), from = m->age;
    for (int i = 0; i < PLANS; i++) {
        struct plan p;
        p.frames[0] = (uint8_t)i;
        invent(m, &p);
        int v = imagine(&now, &p, 0);
        if (v > value)
            value = v, best = p, from = 0;
    }
    m->plan = best;
    m->age = from;
}

static uint8_t follow(struct mind *m) {
    int left = m->age++, piece = 0;
    while (piece < PIECES - 1 && left >= m->plan.frames[piece])
        left -= m->plan.frames[piece++];
    return m->plan.buttons[piece];
}

static uint8_t play(struct mind *m, const uint8_t *ram) {
    if (ram[RAM_PAUSED])
        return --m->wait == 0 ? BUTTON_START : 0;
    if (chance(m, 1800) == 0) {
        m->wait = 20 + (int)chance(m, 40);
        return BUTTON_START;
    }
    m->blind -= m->blind > 0;
    if (chance(m, 450) == 0)
        m->blind = 40 + (int)chance(m, 60);
    if (m->slip > 0) {
        m->slip--;
        m->age++;
        return (uint8_t)m->slip_buttons;
    }
    if (chance(m, 650) == 0) {
        m->slip = 8 + (int)chance(m, 30);
        m->slip_buttons = (int)chance(m, 4) == 0 ? BUTTON_LEFT : BUTTON_RIGHT | BUTTON_B;
    }
    if (m->think-- <= 0) {
        decide(m, ram);
        m->think = 2 + (int)chance(m, 3);
    }
    return follow(m);
}

static void start(void *state, uint64_t seed) {
    struct mind *m = state;
    m->random = seed;
    m->wait = 150;
}

static uint8_t press(void *state, const uint8_t ram[2048], uint64_t frame) {
    struct mind *m = state;
    (void)frame;
    if (ram[RAM_STATE] == STATE_PLAY)
        return play(m, ram);
    if (ram[RAM_STATE] != STATE_TITLE || ram[RAM_LEVEL]) {
        m->wait = 100 + (int)chance(m, 60);
        m->age = HORIZON, m->think = 0, m->slip = 0;
        return 0;
    }
    return --m->wait <= 0 && m->wait > -4 ? BUTTON_START : 0;
}

const struct player player_brindle = {
    "brindle", "imagines some ways to run and jump, takes the best", sizeof(struct mind), start,
    press,
};
