/* Plays Umbel (games/umbel): goes for whom it can come down upon, tucks away who is curled up,
 * keeps clear of those above it, of the burr and of the bog. It sees others as they were a moment
 * ago, changes its mind when it gets nowhere, and now and then its mind wanders.
 */
#include "../player.h"

#include <stdbool.h>

enum { /* RAM of the game, see games/umbel/README.md */
       RAM_STATE = 0x10,
       RAM_SAFE = 0x25,
       RAM_DEW_STATE = 0x57,
       RAM_DEW_X = 0x58,
       RAM_NECTAR_X = 0x5d,
       RAM_NECTAR_Y = 0x5e,
       RAM_FUZZ = 0x1a,
       RAM_X = 0x88,
       RAM_Y = 0x98,
       RAM_VX_LOW = 0xa0,
       RAM_VX = 0xa8,
       RAM_VY_LOW = 0xb0,
       RAM_VY = 0xb8,
       RAM_FLYER = 0xc0
};

enum { STATE_TITLE = 1, STATE_PLAY = 3, STATE_CLEARED = 5 };
enum { PERCHED = 1, FLYING = 2, CURLED = 3, BURR = 8 }; /* states of a flyer */
enum { FLYERS = 8, DELAY = 10, BOG = 208 };

struct flyer {
    int state, x, y;
};

struct mind {
    uint64_t random;
    struct flyer seen[DELAY][FLYERS]; /* the last frames, oldest at `now` */
    int now;
    int wait;     /* frames before Start is pressed on the title */
    int target;   /* whom it goes for, -1 nobody */
    int patience; /* frames until it chooses anew */
    int detour;   /* frames it still flies somewhere else */
    int detour_x, detour_y;
    int dreaming; /* frames it still keeps doing the same */
    int pause;    /* frames since it paused the game */
    uint8_t last;
};

static uint32_t chance(struct mind *m, uint32_t n) {
    uint64_t z = m->random += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) >> 33) % n;
}

static int absolute(int a) {
    return a < 0 ? -a : a;
}

/* From a to b the shorter way round the world. */
static int across(int a, int b) {
    return (int8_t)(uint8_t)(b - a);
}

/* Pixels that flyer 0 moves in `frames` at its present speed. */
static int drift(const uint8_t *ram, int high, int low, int frames) {
    return (int16_t)(ram[high] << 8 | ram[low]) * frames / 256;
}

static void look(struct mind *m, const uint8_t *ram) {
    for (int i = 0; i < FLYERS; i++)
        m->seen[m->now][i] = (struct flyer){ram[RAM_FLYER + i], ram[RAM_X + i], ram[RAM_Y + i]};
    m->now = (m->now + 1) % DELAY;
}

static bool awake(const struct flyer *f) {
    return f->state == PERCHED || f->state == FLYING;
}

/* How hard it would be to get flyer i; the less the better. */
static int price(const struct flyer *f, int x, int y) {
    int far = absolute(across(x, f->x));
    if (f->state == CURLED)
        return far + absolute(f->y - y) / 2 + (f->y > BOG - 40 ? 60 : -60);
    int below = f->y - y;
    return far + (below > 10 ? below / 4 : 90 - below) + (f->y > BOG - 50 ? 40 : 0);
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
}

/* Sideways push away from danger: negative left, 0 none. Sets *climb if it is better to rise. */
static int fear(const uint8_t *ram, const struct flyer *seen, int x, int y, bool *climb) {
    int push = 0;
    for (int i = 1; i < FLYERS; i++) {
        int dx = across(x, seen[i].x), dy = seen[i].y - y;
        bool burr = seen[i].state == BURR;
        if (!burr && !awake(&seen[i]))
            continue;
        if (burr ? absolute(dx) < 38 && absolute(dy) < 38 : absolute(dx) < 40 && dy < 4 && dy > -64)
            push += (dx >= 0 ? -1 : 1) * (90 - absolute(dx) - absolute(dy) / 2);
        if (!burr && absolute(dx) < 34 && dy >= -4 && dy < 12)
            *climb = true;
    }
    if (ram[RAM_DEW_STATE] && y > BOG - 70 && absolute(across(x, ram[RAM_DEW_X])) < 40) {
        push += across(x, ram[RAM_DEW_X]) >= 0 ? -60 : 60;
        *climb = true;
    }
    return ram[RAM_SAFE] ? 0 : push;
}

static uint8_t steer(const uint8_t *ram, int gx, int gy) {
    int x = ram[RAM_X] + drift(ram, RAM_VX, RAM_VX_LOW, 10);
    int y = ram[RAM_Y] + drift(ram, RAM_VY, RAM_VY_LOW, 9);
    int dx = across(x, gx);
    uint8_t buttons = dx > 4 ? BUTTON_RIGHT : dx < -4 ? BUTTON_LEFT : 0;
    if (y > gy || ram[RAM_Y] > BOG - 40)
        buttons |= BUTTON_B;
    return buttons;
}

static uint8_t play(struct mind *m, const uint8_t *ram) {
    const struct flyer *seen = m->seen[m->now];
    int x = ram[RAM_X], y = ram[RAM_Y];
    if (m->dreaming > 0) {
        m->dreaming--;
        return m->last;
    }
    if (chance(m, 300) == 0)
        m->dreaming = 8 + (int)chance(m, 30);
    if (m->patience-- <= 0) {
        choose(m, seen, x, y);
        if (chance(m, 12) == 0) {
            m->detour = 40 + (int)chance(m, 40);
            m->detour_x = (int)chance(m, 256), m->detour_y = 30 + (int)chance(m, 70);
        }
    }
    bool climb = false;
    int push = fear(ram, seen, x, y, &climb), gx = x, gy = 60;
    if (m->detour > 0)
        m->detour--, gx = m->detour_x, gy = m->detour_y;
    else if (m->target >= 0) {
        const struct flyer *t = &seen[m->target];
        gx = t->x, gy = t->y;
        if (t->state != CURLED)
            gy -= absolute(across(x, t->x)) < 16 ? 6 : 22;
    }
    if (ram[RAM_NECTAR_Y] && ram[RAM_FUZZ] < 3 &&
        absolute(across(x, ram[RAM_NECTAR_X])) + absolute(ram[RAM_NECTAR_Y] - y) < 90)
        gx = ram[RAM_NECTAR_X] - 4, gy = ram[RAM_NECTAR_Y] - 10;
    if (gy > BOG - 36)
        gy = BOG - 36;
    if (push)
        gx = x + (push < 0 ? -60 : 60);
    uint8_t buttons = steer(ram, gx & 255, gy);
    if (climb)
        buttons |= BUTTON_B;
    if (buttons & BUTTON_B && chance(m, 6) == 0)
        buttons |= BUTTON_A;
    return m->last = buttons;
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
    if (ram[RAM_STATE] == STATE_PLAY && frame % 5000 > 4980) /* a pause: Start down, later again */
        return frame % 5000 == 4981 || frame % 5000 == 4995 ? BUTTON_START : 0;
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
