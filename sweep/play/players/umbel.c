/* Plays Umbel (games/umbel): every few frames it simulates twelve moves over two thirds of a
 * second, with the flight physics of the game, and takes the best one: it lands on rivals, collects
 * the curled ones, and avoids flyers above it, the burr and the bog. It sees the others with a
 * delay, assumes that they fly straight on, and now and then pauses. */
#include "play/player.h"

#include "base/base.h"

#include <stdbool.h>

enum { /* RAM addresses and states, see games/umbel/README.md */
       RAM_STATE = 0x10,
       RAM_FUZZ = 0x1a,
       RAM_SAFE = 0x25,
       RAM_PAUSED = 0x26,
       RAM_DEW_STATE = 0x57,
       RAM_DEW_X = 0x58,
       RAM_DEW_Y = 0x59,
       RAM_NECTAR_X = 0x5d,
       RAM_NECTAR_Y = 0x5e,
       RAM_X_LOW = 0x80,
       RAM_X = 0x88,
       RAM_Y_LOW = 0x90,
       RAM_Y = 0x98,
       RAM_VX_LOW = 0xa0,
       RAM_VX = 0xa8,
       RAM_VY_LOW = 0xb0,
       RAM_VY = 0xb8,
       RAM_FLYER = 0xc0,
       RAM_WING = 0xf0,
       RAM_MAP = 0x300
};

enum { STATE_TITLE = 1, STATE_PLAY = 3, STATE_CLEARED = 5 };
enum { PERCHED = 1, FLYING = 2, CURLED = 3, BURR = 8 }; /* states of a flyer */
enum { FLYERS = 8, DELAY = 5, AHEAD = 40, BOG = 208, ROWS = 26, SOLID = 15, CEILING = 10 };

struct flyer {
    int state, x, y, vx, vy; /* pixels; 1/256 pixel per frame */
};

struct mind {
    uint64_t random;
    struct flyer seen[DELAY][FLYERS]; /* a ring buffer of frames, the oldest at `now` */
    int now;
    int wait;     /* frames until it presses Start on the title screen */
    int target;   /* the flyer it goes for, -1: none */
    int patience; /* frames until it picks another target */
    int detour;   /* frames for which it flies to detour_x, detour_y instead */
    int detour_x, detour_y;
    int pause;    /* frames since the game was paused */
    int think;    /* frames until the next decision */
    int dreaming; /* frames without decisions */
    int way;      /* the current move */
    int since;    /* frames since the move began */
};

/* The player's bee, in 1/256 pixel. */
struct bee {
    int x, y, vx, vy, wing;
};

static uint32_t chance(struct mind *m, uint32_t n) {
    return (uint32_t)(splitmix64_next(&m->random) >> 33) % n;
}

static int absolute(int a) {
    return a < 0 ? -a : a;
}

/* Signed shorter distance from a to b around the world. */
static int across(int a, int b) {
    return (int8_t)(uint8_t)(b - a);
}

static int signed16(int high, int low) {
    return (int16_t)(uint16_t)(high << 8 | low);
}

static void look(struct mind *m, const uint8_t *ram) {
    for (int i = 0; i < FLYERS; i++)
        m->seen[m->now][i] = (struct flyer){ram[RAM_FLYER + i], ram[RAM_X + i], ram[RAM_Y + i],
                                            signed16(ram[RAM_VX + i], ram[RAM_VX_LOW + i]),
                                            signed16(ram[RAM_VY + i], ram[RAM_VY_LOW + i])};
    m->now = (m->now + 1) % DELAY;
}

static bool awake(const struct flyer *f) {
    return f->state == PERCHED || f->state == FLYING;
}

/* Cost of attacking a flyer; lower is better. */
static int price(const struct flyer *f, int x, int y) {
    int far = absolute(across(x, f->x)), below = f->y - y;
    if (f->state == CURLED)
        return far + absolute(below) / 2 + (f->y > BOG - 36 ? 80 : -70);
    return far + (below > 10 ? below / 4 : 50 - below) + (f->y > BOG - 50 ? 40 : 0);
}

static void choose(struct mind *m, const struct flyer *seen, int x, int y) {
    int best = 1 << 20, old = m->target;
    m->target = -1;
    for (int i = 1; i < FLYERS - 1; i++) {
        if (!awake(&seen[i]) && seen[i].state != CURLED)
            continue;
        int p = price(&seen[i], x, y) - (i == old ? 20 : 0);
        if (p < best)
            best = p, m->target = i;
    }
    m->patience = 20 + (int)chance(m, 25);
    if (chance(m, 14) == 0) {
        m->detour = 40 + (int)chance(m, 40);
        m->detour_x = (int)chance(m, 256), m->detour_y = 30 + (int)chance(m, 70);
    }
}

static bool solid(const uint8_t *ram, int x, int y) {
    return y >= 0 && y < ROWS * 8 && ram[RAM_MAP + y / 8 * 32 + ((x & 255) >> 3)] >= SOLID;
}

/* One frame of flight as in flight.s, without wind and springs. */
static void fly(const uint8_t *ram, struct bee *b, int side, bool flap) {
    if (b->wing > 0)
        b->wing--;
    if (flap && b->wing == 0) {
        b->vy -= 184;
        b->vx += side * 28;
        b->wing = 8;
    }
    b->vy += 14;
    if (b->vy > 512)
        b->vy = 512;
    b->vx += side * 7;
    b->vx -= b->vx / 32;
    int x = b->x + b->vx, px = x >> 8, py = b->y >> 8;
    int edge = px + (b->vx < 0 ? 2 : 13);
    if (solid(ram, edge, py + 4) || solid(ram, edge, py + 13))
        b->vx = -b->vx / 2;
    else
        b->x = x;
    px = b->x >> 8;
    int y = b->y + b->vy, at = b->vy < 0 ? (y >> 8) + 1 : (y >> 8) + 16;
    if (b->vy < 0 ? (y >> 8) < CEILING || solid(ram, px + 4, at) || solid(ram, px + 11, at)
                  : solid(ram, px + 4, at) || solid(ram, px + 11, at))
        b->vy = b->vy < 0 ? -b->vy / 2 : 0;
    else
        b->y = y;
}

/* Value of meeting the other flyers t frames from now. *met: bit i is set once flyer i was met. */
static int meeting(const uint8_t *ram, const struct flyer *seen, int x, int y, int t,
                   unsigned *met) {
    int worth = 0;
    for (int i = 1; i < FLYERS; i++) {
        const struct flyer *f = &seen[i];
        int then = t + DELAY, bobbing = then < 12 ? then : 12;
        int dx = across(x, f->x + f->vx * then / 256);
        int dy = f->y + f->vy * (f->state == FLYING ? bobbing : then) / 256 - y;
        if ((!awake(f) && f->state != CURLED && f->state != BURR) || *met >> i & 1)
            continue;
        if (awake(f) && !ram[RAM_SAFE] && absolute(dx) < 26 && dy < 0 && dy > -44)
            worth -= 6;
        if (absolute(dx) > 14 || absolute(dy) > 15)
            continue;
        *met |= 1u << i;
        if (f->state == CURLED)
            worth += 200 - t;
        else if (f->state == BURR || dy < 3)
            worth -= ram[RAM_SAFE] > t ? 0 : 400 - 4 * t;
        else if (dy >= 6)
            worth += 240 - 2 * t;
    }
    return worth;
}

/* Score of move number `way`: a direction (0 left, 1 none, 2 right) and when to flap (never,
 * always, early, late). */
static int imagine(const struct mind *m, const uint8_t *ram, int way, int gx, int gy) {
    const struct flyer *seen = m->seen[m->now];
    struct bee b = {ram[RAM_X] << 8 | ram[RAM_X_LOW], ram[RAM_Y] << 8 | ram[RAM_Y_LOW],
                    signed16(ram[RAM_VX], ram[RAM_VX_LOW]), signed16(ram[RAM_VY], ram[RAM_VY_LOW]),
                    ram[RAM_WING]};
    int worth = 0, x = 0, y = 0;
    unsigned met = 0;
    for (int t = 1; t <= AHEAD; t++) {
        bool flap = way / 3 == 1 || (way / 3 == 2 && t <= 14) || (way / 3 == 3 && t > 14);
        fly(ram, &b, way % 3 - 1, flap);
        x = b.x >> 8 & 255, y = b.y >> 8;
        worth += meeting(ram, seen, x, y, t, &met);
        if (y > BOG - 46)
            worth -= y > BOG - 18 ? 60 : 8;
        if (ram[RAM_DEW_STATE] && absolute(across(x, ram[RAM_DEW_X])) < 16 &&
            y > ram[RAM_DEW_Y] - 26)
            worth -= 20;
        if (ram[RAM_NECTAR_Y] && ram[RAM_FUZZ] < 4 &&
            absolute(across(x, ram[RAM_NECTAR_X] - 4)) < 11 &&
            absolute(ram[RAM_NECTAR_Y] - 6 - y) < 12)
            worth += 10;
    }
    return worth - absolute(across(x, gx)) - absolute(gy - y);
}

static void think(struct mind *m, const uint8_t *ram) {
    const struct flyer *seen = m->seen[m->now];
    int x = ram[RAM_X], gx = x, gy = 60;
    if (m->detour > 0)
        gx = m->detour_x, gy = m->detour_y;
    else if (m->target >= 0) {
        const struct flyer *t = &seen[m->target];
        gx = t->x, gy = t->y;
        if (t->state != CURLED)
            gy -= absolute(across(x, t->x)) < 16 ? 8 : 24;
    }
    if (ram[RAM_NECTAR_Y] && ram[RAM_FUZZ] < 3 &&
        absolute(across(x, ram[RAM_NECTAR_X])) + absolute(ram[RAM_NECTAR_Y] - ram[RAM_Y]) < 110)
        gx = ram[RAM_NECTAR_X] - 4, gy = ram[RAM_NECTAR_Y] - 8;
    if (gy > BOG - 40)
        gy = BOG - 40;
    int best = -(1 << 20);
    for (int way = 0; way < 12; way++) {
        int worth = imagine(m, ram, way, gx & 255, gy) + (int)chance(m, 12);
        if (worth > best)
            best = worth, m->way = way;
    }
    m->since = 0;
    m->think = 3 + (int)chance(m, 4);
}

static uint8_t play(struct mind *m, const uint8_t *ram) {
    if (m->patience-- <= 0)
        choose(m, m->seen[m->now], ram[RAM_X], ram[RAM_Y]);
    if (m->detour > 0)
        m->detour--;
    if (m->dreaming > 0)
        m->dreaming--;
    else if (m->think-- <= 0) {
        think(m, ram);
        if (chance(m, 220) == 0)
            m->dreaming = 10 + (int)chance(m, 30);
    }
    int t = ++m->since;
    uint8_t buttons = m->way % 3 == 0 ? BUTTON_LEFT : m->way % 3 == 2 ? BUTTON_RIGHT : 0;
    if (m->way / 3 == 1 || (m->way / 3 == 2 && t <= 14) || (m->way / 3 == 3 && t > 14))
        buttons |= chance(m, 8) == 0 ? BUTTON_A : BUTTON_B;
    return buttons;
}

static void start(void *state, uint64_t seed) {
    struct mind *m = state;
    m->random = seed;
    m->wait = 260;
    m->target = -1;
}

static uint8_t press(void *state, const uint8_t ram[2048], uint64_t frame) {
    struct mind *m = state;
    look(m, ram);
    if (ram[RAM_PAUSED])
        return ++m->pause % 16 == 0 ? BUTTON_START : 0;
    if (ram[RAM_STATE] == STATE_PLAY && frame % 2500 == 2400)
        return BUTTON_START;
    if (ram[RAM_STATE] == STATE_PLAY || ram[RAM_STATE] == STATE_CLEARED)
        return play(m, ram);
    if (ram[RAM_STATE] != STATE_TITLE) {
        m->wait = 240 + (int)chance(m, 60);
        return 0;
    }
    return --m->wait <= 0 && m->wait > -4 ? BUTTON_START : 0;
}

const struct player player_umbel = {
    "umbel", "comes down on rivals, tucks away the fallen", sizeof(struct mind), start, press,
};
