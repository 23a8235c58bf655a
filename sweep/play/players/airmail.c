/* Plays Airmail (games/airmail): goes to where a letter will cross a floor in time to catch it, by
 * the shortest route over floors, ladders and floor ends, and avoids the crab or stuns it with the
 * horn. It decides a few times a second, overlooks letters, and now and then pauses, so that it
 * plays like a person. */
#include "play/player.h"

#include <stdbool.h>
#include <stdlib.h>

enum { /* RAM addresses and states, see games/airmail/README.md */
       RAM_STATE = 0x10,
       RAM_STEAM = 0x1a,
       RAM_X = 0x20,
       RAM_Y = 0x21,
       RAM_MODE = 0x22,
       RAM_FLOOR = 0x23,
       RAM_LADDER = 0x28,
       RAM_CRAB_X = 0x29,
       RAM_CRAB_Y = 0x2b,
       RAM_CRAB_MODE = 0x2c,
       RAM_CRAB_FLOOR = 0x2d,
       RAM_CRAB_LADDER = 0x30,
       RAM_GULL_X = 0x34,
       RAM_GULL_Y = 0x36,
       RAM_GULL_MODE = 0x3a,
       RAM_MAIL_KIND = 0x41,
       RAM_MAIL_MODE = 0x49,
       RAM_MAIL_X = 0x51,
       RAM_MAIL_Y = 0x61,
       RAM_MAIL_VX = 0x71,
       RAM_MAIL_VY = 0x79,
       RAM_MAIL_AGE = 0x81,
       RAM_BUILD = 0x9e,
       RAM_FLOORS = 0xb2,
       RAM_LADDERS = 0xb3,
       RAM_FLOOR_Y = 0x780,
       RAM_FLOOR_LEFT = 0x788,
       RAM_FLOOR_RIGHT = 0x790,
       RAM_LADDER_X = 0x7a0,
       RAM_LADDER_TOP = 0x7a8,
       RAM_LADDER_BOTTOM = 0x7b0,
       RAM_LADDER_UPPER = 0x7b8,
       RAM_LADDER_LOWER = 0x7c0
};

enum { STATE_TITLE = 0, STATE_PLAY = 2 };
enum { ON_FLOOR, ON_LADDER, IN_AIR, STUNNED };
enum { CRAB_WALKS, CRAB_CLIMBS, CRAB_HIDES };
enum { GULL_HUNTS = 1 };
enum { FALLING, AFLOAT, RESTING, CARRIED };
enum { HAMPER = 3, INK = 4, MAILS = 7, PIER_Y = 0xc0, PACE = 3 };
enum { FAR_AWAY = 10000, WAYS = 32 };

/* A passage from one floor to another. */
struct way {
    int floor, x, next_floor, next_x, cost;
    uint8_t button; /* pressed at x */
    int ladder;     /* -1: off the end of the floor */
};

struct plan {
    int cost;  /* steps */
    int first; /* index of the first passage, -1: stay on the floor */
};

struct mind {
    uint64_t random;
    int wait;  /* frames until it presses Start on the title screen */
    int think; /* frames until the next decision */
    int dream; /* frames without decisions */
    unsigned overlooked;
    uint8_t held;
    int floor, x; /* destination; floor -1: none */
    struct way ways[WAYS];
    int way_count;
    struct plan reached[WAYS]; /* the plan after taking each passage */
};

static uint32_t chance(struct mind *m, uint32_t n) {
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(m->random >> 33) % n;
}

static int signed_byte(uint8_t b) {
    return b < 128 ? b : b - 256;
}

static bool crab_awake(const uint8_t *ram) {
    return ram[RAM_CRAB_MODE] < CRAB_HIDES;
}

/* ---- routes ---- */

static void add_way(struct mind *m, struct way way) {
    if (m->way_count < WAYS)
        m->ways[m->way_count++] = way;
}

/* Adds the drop off the end of floor f at x, down to the first floor below, if there is one. */
static void add_drop(struct mind *m, const uint8_t *ram, int f, int x, uint8_t button) {
    int below = -1;
    for (int g = 0; g < ram[RAM_FLOORS]; g++)
        if (ram[RAM_FLOOR_Y + g] > ram[RAM_FLOOR_Y + f] && x >= ram[RAM_FLOOR_LEFT + g] &&
            x <= ram[RAM_FLOOR_RIGHT + g] &&
            (below < 0 || ram[RAM_FLOOR_Y + g] < ram[RAM_FLOOR_Y + below]))
            below = g;
    if (below < 0)
        return;
    int height = ram[RAM_FLOOR_Y + below] - ram[RAM_FLOOR_Y + f];
    add_way(m, (struct way){f, x, below, x, 6 + height / 5, button, -1});
}

static void find_ways(struct mind *m, const uint8_t *ram) {
    m->way_count = 0;
    for (int l = 0; l < ram[RAM_LADDERS]; l++) {
        int x = ram[RAM_LADDER_X + l], upper = ram[RAM_LADDER_UPPER + l];
        int lower = ram[RAM_LADDER_LOWER + l];
        int cost = (ram[RAM_LADDER_BOTTOM + l] - ram[RAM_LADDER_TOP + l]) / PACE + 2;
        if (crab_awake(ram) && ram[RAM_CRAB_MODE] == CRAB_CLIMBS && ram[RAM_CRAB_LADDER] == l)
            cost += 300;
        add_way(m, (struct way){upper, x, lower, x, cost, BUTTON_DOWN, l});
        add_way(m, (struct way){lower, x, upper, x, cost, BUTTON_UP, l});
    }
    for (int f = 0; f < ram[RAM_FLOORS]; f++) {
        if (ram[RAM_FLOOR_LEFT + f] > 8)
            add_drop(m, ram, f, ram[RAM_FLOOR_LEFT + f] - 6, BUTTON_LEFT);
        if (ram[RAM_FLOOR_RIGHT + f] < 240)
            add_drop(m, ram, f, ram[RAM_FLOOR_RIGHT + f] + 6, BUTTON_RIGHT);
    }
}

/* Cost of walking along floor f in steps; higher if the crab is in between or near the end. */
static int walk(const uint8_t *ram, int f, int from, int to) {
    int cost = abs(to - from) / PACE, crab = ram[RAM_CRAB_X];
    if (crab_awake(ram) && ram[RAM_CRAB_MODE] == CRAB_WALKS && ram[RAM_CRAB_FLOOR] == f) {
        int low = from < to ? from : to, high = from < to ? to : from;
        if (crab > low - 24 && crab < high + 24)
            cost += 120;
    }
    return cost;
}

static void reach(struct mind *m, const uint8_t *ram, int floor, int x) {
    for (int w = 0; w < m->way_count; w++) {
        const struct way *to = &m->ways[w];
        m->reached[w] = (struct plan){FAR_AWAY, w};
        if (to->floor == floor)
            m->reached[w].cost = walk(ram, floor, x, to->x) + to->cost;
    }
    for (bool better = true; better;) {
        better = false;
        for (int v = 0; v < m->way_count; v++)
            for (int w = 0; w < m->way_count; w++) {
                const struct way *from = &m->ways[v], *to = &m->ways[w];
                if (from->next_floor != to->floor)
                    continue;
                int cost =
                    m->reached[v].cost + walk(ram, to->floor, from->next_x, to->x) + to->cost;
                if (cost < m->reached[w].cost) {
                    m->reached[w] = (struct plan){cost, m->reached[v].first};
                    better = true;
                }
            }
    }
}

/* The quickest plan from (here, x) to (floor, goal). Call reach() first. */
static struct plan plan_to(struct mind *m, const uint8_t *ram, int here, int x, int floor,
                           int goal) {
    struct plan best = {FAR_AWAY, -1};
    if (here == floor)
        best.cost = walk(ram, here, x, goal);
    for (int w = 0; w < m->way_count; w++)
        if (m->ways[w].next_floor == floor) {
            int cost = m->reached[w].cost + walk(ram, floor, m->ways[w].next_x, goal);
            if (cost < best.cost)
                best = (struct plan){cost, m->reached[w].first};
        }
    return best;
}

/* ---- decisions ---- */

/* Value of going to (floor, x), where something will be in `in` steps. */
static int worth(struct mind *m, const uint8_t *ram, int floor, int x, int in, int value) {
    int cost = plan_to(m, ram, ram[RAM_FLOOR], ram[RAM_X], floor, x).cost;
    if (cost > in + 3)
        return -FAR_AWAY;
    return value - in - cost / 2;
}

static void consider(struct mind *m, int *best, int found, int floor, int x) {
    if (found > *best) {
        *best = found;
        m->floor = floor;
        m->x = x;
    }
}

/* Considers catching falling letter i on each floor that it crosses. */
static void consider_falling(struct mind *m, const uint8_t *ram, int i, int *best) {
    int vx = signed_byte(ram[RAM_MAIL_VX + i]), vy = signed_byte(ram[RAM_MAIL_VY + i]);
    if (vy < 12)
        vy = 12;
    for (int f = 0; f < ram[RAM_FLOORS]; f++) {
        int way = ram[RAM_FLOOR_Y + f] - 12 - ram[RAM_MAIL_Y + i];
        if (way < -10)
            continue;
        int in = way > 0 ? way * 16 / vy : 0;
        int x = ram[RAM_MAIL_X + i] + vx * in / 24;
        x = x < 8 ? 8 : x > 247 ? 247 : x;
        if (x < ram[RAM_FLOOR_LEFT + f] - 4 || x > ram[RAM_FLOOR_RIGHT + f] + 4)
            continue;
        consider(m, best, worth(m, ram, f, x, in, 400 - ram[RAM_FLOOR_Y + f] / 4), f, x);
    }
}

static void consider_mail(struct mind *m, const uint8_t *ram, int i, int *best) {
    int x = ram[RAM_MAIL_X + i], lowest = ram[RAM_FLOORS] - 1;
    if (ram[RAM_MAIL_KIND + i] == 0 || ram[RAM_MAIL_KIND + i] == INK || (m->overlooked >> i & 1))
        return;
    if (ram[RAM_MAIL_MODE + i] == FALLING)
        consider_falling(m, ram, i, best);
    if (ram[RAM_MAIL_MODE + i] == RESTING)
        for (int f = 0; f < ram[RAM_FLOORS]; f++)
            if (abs(ram[RAM_FLOOR_Y + f] - 7 - ram[RAM_MAIL_Y + i]) < 4 &&
                x >= ram[RAM_FLOOR_LEFT + f] && x <= ram[RAM_FLOOR_RIGHT + f])
                consider(m, best, worth(m, ram, f, x, 70 - ram[RAM_MAIL_AGE + i], 380), f, x);
    if (ram[RAM_MAIL_MODE + i] == AFLOAT && x > ram[RAM_FLOOR_LEFT + lowest] - 10 &&
        x < ram[RAM_FLOOR_RIGHT + lowest] + 10)
        consider(m, best, worth(m, ram, lowest, x, 110 - ram[RAM_MAIL_AGE + i], 430), lowest, x);
}

static void decide(struct mind *m, const uint8_t *ram) {
    int best = -FAR_AWAY / 2;
    find_ways(m, ram);
    reach(m, ram, ram[RAM_FLOOR], ram[RAM_X]);
    m->floor = -1;
    for (int i = 0; i < MAILS; i++)
        consider_mail(m, ram, i, &best);
    if (ram[RAM_CRAB_MODE] == CRAB_HIDES && ram[RAM_CRAB_FLOOR] < ram[RAM_FLOORS])
        consider(m, &best, worth(m, ram, ram[RAM_CRAB_FLOOR], ram[RAM_CRAB_X], 40, 360),
                 ram[RAM_CRAB_FLOOR], ram[RAM_CRAB_X]);
    if (m->floor < 0) { /* nothing to catch: go to the middle of a floor away from the crab */
        int farthest = -1;
        for (int f = 0; f < ram[RAM_FLOORS]; f++) {
            int x = (ram[RAM_FLOOR_LEFT + f] + ram[RAM_FLOOR_RIGHT + f]) / 2;
            int away = abs(x - ram[RAM_CRAB_X]) + abs(ram[RAM_FLOOR_Y + f] - ram[RAM_CRAB_Y]);
            if (plan_to(m, ram, ram[RAM_FLOOR], ram[RAM_X], f, x).cost < 100 && away > farthest) {
                farthest = away;
                m->floor = f;
                m->x = x;
            }
        }
    }
}

/* Buttons that follow the plan. */
static uint8_t follow(struct mind *m, const uint8_t *ram) {
    int x = ram[RAM_X], here = ram[RAM_FLOOR];
    if (m->floor < 0 || m->floor >= ram[RAM_FLOORS])
        return 0;
    struct plan plan = plan_to(m, ram, here, x, m->floor, m->x);
    int goal = plan.first < 0 ? m->x : m->ways[plan.first].x;
    if (ram[RAM_MODE] == ON_LADDER) { /* continue to the end of the ladder that the route takes */
        int l = ram[RAM_LADDER];
        if (plan.first >= 0 && m->ways[plan.first].ladder == l)
            return m->ways[plan.first].button;
        return ram[RAM_FLOOR] == ram[RAM_LADDER_UPPER + l] ? BUTTON_UP : BUTTON_DOWN;
    }
    if (plan.first >= 0 && m->ways[plan.first].ladder < 0)
        return m->ways[plan.first].button;
    if (abs(x - goal) > (plan.first >= 0 ? 5 : 3))
        return x < goal ? BUTTON_RIGHT : BUTTON_LEFT;
    if (plan.first >= 0)
        return m->ways[plan.first].button;
    return ram[RAM_Y] == PIER_Y ? BUTTON_DOWN : 0; /* climb off the net */
}

/* Blows the horn or steps away. */
static uint8_t defend(struct mind *m, const uint8_t *ram, uint8_t buttons) {
    int dx = ram[RAM_CRAB_X] - ram[RAM_X], dy = ram[RAM_CRAB_Y] - ram[RAM_Y];
    if (crab_awake(ram) && abs(dx) < 44 && abs(dy) < 22 && ram[RAM_MODE] != IN_AIR) {
        if (ram[RAM_STEAM] > 0)
            return chance(m, 6) == 0 ? BUTTON_A : buttons;
        if (ram[RAM_MODE] == ON_FLOOR)
            return dx > 0 ? BUTTON_LEFT : BUTTON_RIGHT;
    }
    int gx = ram[RAM_GULL_X] - ram[RAM_X], gy = ram[RAM_GULL_Y] - ram[RAM_Y];
    if (ram[RAM_GULL_MODE] == GULL_HUNTS && abs(gx) < 60 && abs(gy) < 60 && ram[RAM_STEAM] > 1 &&
        chance(m, 30) == 0)
        return BUTTON_A;
    return buttons;
}

static uint8_t play(struct mind *m, const uint8_t *ram) {
    if (m->dream > 0) {
        m->dream--;
        return m->held;
    }
    if (chance(m, 300) == 0) {
        m->dream = 15 + (int)chance(m, 25);
        m->held = 0;
    }
    if (chance(m, 100) == 0)
        m->overlooked = chance(m, 128) & chance(m, 128) & chance(m, 128);
    if (m->think-- <= 0) {
        m->think = 3 + (int)chance(m, 5);
        decide(m, ram);
        m->held = follow(m, ram);
    } else if (ram[RAM_MODE] == ON_FLOOR && m->floor == ram[RAM_FLOOR]) {
        m->held = follow(m, ram);
    }
    return defend(m, ram, m->held);
}

static void start(void *state, uint64_t seed) {
    struct mind *m = state;
    m->random = seed * 0x9e3779b97f4a7c15u + 1;
    m->wait = 100 + (int)chance(m, 60);
    m->floor = -1;
}

static uint8_t press(void *state, const uint8_t ram[2048], uint64_t frame) {
    struct mind *m = state;
    (void)frame;
    if (ram[RAM_STATE] == STATE_PLAY)
        return play(m, ram);
    if (ram[RAM_STATE] != STATE_TITLE || ram[RAM_BUILD] != 0) {
        m->wait = 120 + (int)chance(m, 60);
        m->think = 0;
        return 0;
    }
    return --m->wait <= 0 && m->wait > -6 ? BUTTON_START : 0;
}

const struct player player_airmail = {
    "airmail",
    "catches the mail it can reach, keeps away from the crab",
    sizeof(struct mind),
    start,
    press,
};
