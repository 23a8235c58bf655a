/* Plays Mazewisp (games/mazewisp): takes the cheapest route to the nearest ember, where cells near
 * hunters cost more, and to the moon gate once it is open. It sees hunters with a delay, overlooks
 * some and now and then wanders, so that it gets caught. */
#include "play/player.h"

#include "base/base.h"

#include <stdbool.h>
#include <string.h>

enum { /* RAM addresses and states, see games/mazewisp/README.md */
       RAM_STATE = 0x10,
       RAM_EMBERS = 0x18,
       RAM_GLOW = 0x19,
       RAM_FREEZE = 0x27,
       RAM_EXIT_OPEN = 0x2a,
       RAM_FIREFLY_TIME = 0x62,
       RAM_FIREFLY_CELL = 0x66,
       RAM_X_LOW = 0x90,
       RAM_X_HIGH = 0x97,
       RAM_Y = 0x9e,
       RAM_DIRECTION = 0xa5,
       RAM_KIND = 0xac,
       RAM_MODE = 0xb3,
       RAM_MAP = 0x300
};

enum { STATE_TITLE = 1, STATE_PLAY = 3 };
enum { PATH, EMBER, LANTERN, BELL, HEDGE = 8, MOON_SHUT = 11, MOON_OPEN = 12, SLIME = 0x80 };
enum { MODE_DEN, MODE_HUNT, MODE_DAZED, MODE_PERCH, MODE_ALERT, MODE_SWOOP };
enum { KIND_MOTH = 0, KIND_OWL = 4 };
enum { UP, RIGHT, DOWN, LEFT };

enum {
    CELLS = 512, /* column * 16 + row; the maze is a ring of 32 columns */
    ACTORS = 7,
    DELAY = 12, /* frames between what happens and what the player sees */
    FAR_AWAY = 1 << 20
};

struct hunter {
    int x, y, kind, mode;
};

struct mind {
    uint64_t random;
    struct hunter seen[DELAY][ACTORS]; /* a ring buffer of frames, the oldest at `now` */
    int now;
    int wait;     /* frames until it presses Start on the title screen */
    int confused; /* frames of aimless wandering */
    int think;    /* frames until the next decision */
    int dimmed;   /* frames for which B stays held */
    int direction;
    uint8_t overlooked; /* bit h: hunter h is overlooked */
    int cost[CELLS], danger[CELLS];
    uint8_t first[CELLS]; /* first direction of the cheapest route to a cell */
    uint16_t queue[CELLS];
    bool queued[CELLS];
};

static uint32_t chance(struct mind *m, uint32_t n) {
    return (uint32_t)(splitmix64_next(&m->random) >> 33) % n;
}

static int neighbour(int cell, int direction) {
    static const int step[4] = {-1, 16, 1, -16};
    return (cell + step[direction]) & (CELLS - 1);
}

static bool solid(const uint8_t *ram, int cell) {
    int code = ram[RAM_MAP + cell] & 0x7f;
    return (cell & 15) > 12 || (code >= HEDGE && code <= MOON_SHUT);
}

static int cell_at(int x, int y) {
    return ((x & 511) >> 4) * 16 + (y >> 4);
}

static int ring_distance(int a, int b) {
    int d = (a - b) & 511;
    return d > 256 ? 512 - d : d;
}

static int absolute(int a) {
    return a < 0 ? -a : a;
}

static void look(struct mind *m, const uint8_t *ram) {
    for (int i = 0; i < ACTORS; i++)
        m->seen[m->now][i] = (struct hunter){ram[RAM_X_LOW + i] + 256 * ram[RAM_X_HIGH + i],
                                             ram[RAM_Y + i], ram[RAM_KIND + i], ram[RAM_MODE + i]};
    m->now = (m->now + 1) % DELAY;
}

static bool harmless(const struct hunter *h) {
    return h->kind > KIND_OWL || h->mode == MODE_DEN || h->mode == MODE_DAZED ||
           h->mode == MODE_PERCH;
}

/* Spreads danger from a hunter's cell over the cells it can soon reach; for an owl, over the
 * surrounding cells. */
static void fear(struct mind *m, const uint8_t *ram, const struct hunter *h) {
    int reach = h->kind == KIND_OWL ? 3 : 5;
    int frontier[64], count = 1, next[64];
    frontier[0] = cell_at(h->x + 8, h->y + 8);
    for (int d = 0; d <= reach && count; d++) {
        int fresh = 0;
        for (int i = 0; i < count; i++) {
            int price = 14 * (reach + 1 - d);
            if (m->danger[frontier[i]] >= price)
                continue;
            m->danger[frontier[i]] = price;
            for (int k = 0; k < 4; k++) {
                int n = neighbour(frontier[i], k);
                if (fresh < 64 && (n & 15) < 13 && (h->kind == KIND_OWL || !solid(ram, n)))
                    next[fresh++] = n;
            }
        }
        memcpy(frontier, next, sizeof next);
        count = fresh;
    }
}

static void offer(struct mind *m, int cell, int cost, int first, int *tail) {
    if (cost >= m->cost[cell])
        return;
    m->cost[cell] = cost;
    m->first[cell] = (uint8_t)first;
    if (!m->queued[cell]) {
        m->queued[cell] = true;
        m->queue[(*tail)++ % CELLS] = (uint16_t)cell;
    }
}

/* Fills cost and first. A wisp between two cells may continue or turn back. */
static void find_ways(struct mind *m, const uint8_t *ram, int x, int y, int direction) {
    int head = 0, tail = 0, here = cell_at(x, y), part = (x | y) & 15;
    for (int c = 0; c < CELLS; c++)
        m->cost[c] = FAR_AWAY, m->queued[c] = false;
    if (part && direction < 4) {
        bool forward = direction == RIGHT || direction == DOWN;
        int axis = direction == UP || direction == DOWN ? DOWN : RIGHT;
        offer(m, neighbour(here, axis), (16 - part) / 2 + m->danger[neighbour(here, axis)],
              forward ? direction : axis, &tail);
        offer(m, here, part / 2 + m->danger[here], forward ? direction ^ 2 : direction, &tail);
    } else {
        m->cost[here] = 0;
        for (int d = 0; d < 4; d++) {
            int n = neighbour(here, d);
            if (!solid(ram, n))
                offer(m, n, 8 + m->danger[n], d, &tail);
        }
    }
    while (head != tail) {
        int cell = m->queue[head++ % CELLS];
        m->queued[cell] = false;
        for (int d = 0; d < 4; d++) {
            int n = neighbour(cell, d);
            if (!solid(ram, n))
                offer(m, n, m->cost[cell] + 8 + m->danger[n] + (ram[RAM_MAP + n] & SLIME ? 8 : 0),
                      m->first[cell], &tail);
        }
    }
}

/* Value of going to a cell, as a discount on its cost; negative: nothing there. */
static int attraction(const uint8_t *ram, int cell, bool chased) {
    switch (ram[RAM_MAP + cell]) {
    case EMBER:
        return ram[RAM_EXIT_OPEN] ? 60 : 100;
    case LANTERN:
        return chased ? 150 : -1;
    case MOON_OPEN:
        return 4000;
    default:
        return ram[RAM_FIREFLY_TIME] > 160 &&
                       cell == ram[RAM_FIREFLY_CELL] + 256 * (ram[RAM_FIREFLY_CELL + 1] - 3)
                   ? 220
                   : -1;
    }
}

static void decide(struct mind *m, const uint8_t *ram) {
    int x = ram[RAM_X_LOW] + 256 * ram[RAM_X_HIGH], y = ram[RAM_Y];
    bool chased = false;
    memset(m->danger, 0, sizeof m->danger);
    if (!ram[RAM_FREEZE])
        for (int i = 1; i < ACTORS; i++) {
            const struct hunter *h = &m->seen[m->now][i];
            if (harmless(h) || (m->overlooked >> i & 1))
                continue;
            fear(m, ram, h);
            if (ring_distance(h->x, x) + absolute(h->y - y) < 90)
                chased = true;
        }
    find_ways(m, ram, x, y, ram[RAM_DIRECTION]);
    int best = -FAR_AWAY, target = -1;
    for (int c = 0; c < CELLS; c++) {
        int worth = attraction(ram, c, chased);
        if (worth >= 0 && m->cost[c] > 0 && m->cost[c] < FAR_AWAY && worth - m->cost[c] > best)
            best = worth - m->cost[c], target = c;
    }
    if (target >= 0)
        m->direction = m->first[target];
    else /* a closed gate repels everything: ring the bell */
        for (int c = 0; c < CELLS; c++)
            if (ram[RAM_MAP + c] == BELL && m->cost[c] > 0 && m->cost[c] < FAR_AWAY)
                m->direction = m->first[c];
}

/* Direction to take at the next cell centre: the pad must be held before the wisp gets there. */
static uint8_t steer(struct mind *m, const uint8_t *ram) {
    static const uint8_t button[4] = {BUTTON_UP, BUTTON_RIGHT, BUTTON_DOWN, BUTTON_LEFT};
    int x = ram[RAM_X_LOW] + 256 * ram[RAM_X_HIGH], y = ram[RAM_Y], going = ram[RAM_DIRECTION];
    int part = (x | y) & 15;
    if (part && going < 4 && m->direction == going) {
        int left = going == RIGHT || going == DOWN ? 16 - part : part;
        if (left <= 4) { /* plan from the centre itself */
            int ahead = cell_at(x, y);
            if (going == RIGHT || going == DOWN)
                ahead = neighbour(ahead, going);
            uint8_t then[2048];
            memcpy(then, ram, sizeof then);
            then[RAM_X_LOW] = (uint8_t)(ahead >> 4 << 4);
            then[RAM_X_HIGH] = (uint8_t)(ahead >> 8);
            then[RAM_Y] = (uint8_t)((ahead & 15) << 4);
            then[RAM_MAP + ahead] = PATH;
            decide(m, then);
            int turn = m->direction;
            m->direction = going;
            return button[turn == (going ^ 2) ? going : turn];
        }
    }
    return button[m->direction];
}

static uint8_t play(struct mind *m, const uint8_t *ram) {
    uint8_t buttons = 0;
    if (m->confused > 0)
        m->confused--;
    else if (m->think-- <= 0) {
        decide(m, ram);
        m->think = 2 + (int)chance(m, 5);
        if (chance(m, 220) == 0) {
            m->confused = 10 + (int)chance(m, 25);
            m->direction = (int)chance(m, 4);
        }
        if (chance(m, 20) == 0)
            m->overlooked = (uint8_t)(chance(m, 128) & chance(m, 128) & chance(m, 128));
    }
    buttons |= m->confused ? (uint8_t)(16u << ((const uint8_t[]){0, 3, 1, 2})[m->direction])
                           : steer(m, ram);
    int x = ram[RAM_X_LOW] + 256 * ram[RAM_X_HIGH], y = ram[RAM_Y];
    if (m->dimmed > 0)
        m->dimmed--, buttons |= BUTTON_B;
    for (int i = 1; i < ACTORS && !ram[RAM_FREEZE]; i++) {
        const struct hunter *h = &m->seen[m->now][i];
        int distance = ring_distance(h->x, x) + absolute(h->y - y);
        if (harmless(h) || (m->overlooked >> i & 1))
            continue;
        if (distance < 44 && ram[RAM_GLOW] > 16 && chance(m, 20) == 0)
            buttons |= BUTTON_A;
        if (h->kind == KIND_MOTH && distance < 130 && distance > 70 && !m->dimmed &&
            chance(m, 90) == 0)
            m->dimmed = 50;
    }
    return buttons;
}

static void start(void *state, uint64_t seed) {
    struct mind *m = state;
    m->random = seed;
    m->wait = 90;
}

static uint8_t press(void *state, const uint8_t ram[2048], uint64_t frame) {
    struct mind *m = state;
    (void)frame;
    look(m, ram);
    if (ram[RAM_STATE] == STATE_PLAY)
        return play(m, ram);
    if (ram[RAM_STATE] != STATE_TITLE) {
        m->wait = 120 + (int)chance(m, 60);
        return 0;
    }
    return --m->wait <= 0 && m->wait > -4 ? BUTTON_START : 0;
}

const struct player player_mazewisp = {
    "mazewisp", "gathers embers, keeps away from the hunters it sees", sizeof(struct mind), start,
    press,
};
