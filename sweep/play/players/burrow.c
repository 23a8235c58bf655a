/* Plays games/burrow (RAM map in its README): goes for the cheapest bulb while it avoids danger,
 * thumps creatures that come close, and plugs tunnels behind it. As people do, it sometimes
 * dawdles, takes a wrong turn or fails to look out. */
#include "play/player.h"

#include "base/base.h"

enum { CELLS = 224, CREATURES = 6, NO_DIRECTION = 4, FAR = 1 << 20, NOTHING = -1000 };

/* RAM addresses, games/burrow/ram.inc */
enum {
    STATE = 0x01,
    STEP_FRAMES = 0x21,
    PACE = 0x23,
    AIR = 0x0A,
    ENERGY = 0x0B,
    CLODS = 0x0C,
    PIM_LEFT = 0x13,
    PIM_CELL = 0x14,
    PIM_GOAL = 0x15,
    SOIL = 0x300,
    TRAIL = 0x400,
    WATER = 0x500,
    EN_STUN = 0x4F8,
    EN_CELL = 0x5EC,
    EN_GONE = 0x6E0,
    CREATURE_COUNT = 0x34
};
enum { STATE_TITLE = 1, STATE_READY, STATE_PLAY, STATE_OUT, STATE_CLEAR, STATE_OVER };
enum {
    OPEN,
    GRASS,
    FLOWER,
    NEST,
    EARTH,
    CLAY,
    ROOT,
    PACKED,
    BULB,
    STONE,
    WALL,
    SPRING,
    BLANK,
    SPROUT
};

struct burrow {
    uint64_t random;
    uint8_t state;
    uint8_t pressed; /* during this game step */
    uint8_t held;    /* A or B, held down until `hold` runs out */
    uint8_t hold;    /* game steps */
    uint8_t direction;
    uint16_t wait;     /* game steps before Start is pressed */
    uint16_t careless; /* game steps in which it does not look at the creatures */
    uint8_t astray;    /* game steps spent on a wrong turn */
    uint8_t plumber;   /* is going to release water */
};

static const int offsets[4] = {-16, 1, 16, -1};
static const uint8_t buttons[5] = {BUTTON_UP, BUTTON_RIGHT, BUTTON_DOWN, BUTTON_LEFT, 0};

static uint32_t draw(struct burrow *b, uint32_t below) {
    return (uint32_t)(splitmix64_next(&b->random) >> 33) % below;
}

static int kind_at(const uint8_t *ram, int cell) {
    return ram[SOIL + cell] & 0x1F;
}

/* Cost of a step into a kind of cell, in quarters of a step in the open; 0: impossible. */
static int kind_cost(int kind) {
    static const uint8_t costs[] = {4, 4, 4, 4, 6, 10, 11, 8, 7, 0, 0, 0, 0, 7};
    return kind < (int)sizeof costs ? costs[kind] : 0;
}

static int is_threat(const uint8_t *ram, int i) {
    return ram[EN_GONE + i] == 0 && ram[EN_STUN + i] < 12;
}

static int steps_apart(int a, int b) {
    int dx = (a & 15) - (b & 15), dy = (a >> 4) - (b >> 4);
    return (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
}

static void cost_map(const struct burrow *b, const uint8_t *ram, int cost[CELLS]) {
    for (int cell = 0; cell < CELLS; cell++) {
        int kind = kind_at(ram, cell);
        cost[cell] = cell < 16 ? 0 : kind_cost(kind);
        if (cost[cell] && kind <= NEST && ram[WATER + cell] >= 4) {
            cost[cell] += ram[AIR] < 50 ? 60 : 6;
        }
        if (!cost[cell] || b->careless) {
            continue;
        }
        for (int i = 0; i < ram[CREATURE_COUNT] && i < CREATURES; i++) {
            int apart = steps_apart(cell, ram[EN_CELL + i]);
            if (is_threat(ram, i) && apart < 4) {
                cost[cell] += (4 - apart) * (4 - apart) * 7;
            }
        }
    }
}

/* Cheapest route from `from` to every cell, and its first step. Bellman-Ford: the grid is small. */
static void search(const int cost[CELLS], int from, int reach[CELLS], uint8_t first[CELLS]) {
    for (int cell = 0; cell < CELLS; cell++) {
        reach[cell] = FAR;
        first[cell] = NO_DIRECTION;
    }
    reach[from] = 0;
    for (int changed = 1; changed;) {
        changed = 0;
        for (int cell = 16; cell < CELLS - 16; cell++) {
            for (int d = 0; d < 4 && reach[cell] < FAR; d++) {
                int next = cell + offsets[d];
                if (cost[next] && reach[cell] + cost[next] < reach[next]) {
                    reach[next] = reach[cell] + cost[next];
                    first[next] = cell == from ? (uint8_t)d : first[cell];
                    changed = 1;
                }
            }
        }
    }
}

static int is_wet_duct(const uint8_t *ram, int cell) {
    return kind_at(ram, cell) <= NEST && ram[WATER + cell] != 0;
}

/* Would digging the cell release water that is still enclosed? */
static int opens_water(const uint8_t *ram, int cell) {
    int kind = kind_at(ram, cell), above = kind_at(ram, cell - 16);
    return kind >= EARTH && kind <= PACKED && (above == SPRING || is_wet_duct(ram, cell - 16));
}

/* Value of going to a cell, as a discount in the unit of the costs; NOTHING: no reason to go. */
static int worth(const struct burrow *b, const uint8_t *ram, int cell) {
    int kind = kind_at(ram, cell), value = NOTHING;
    if (kind == BULB || kind == SPROUT) {
        value = kind == BULB ? 0 : -30;
        for (int d = 0; d < 4; d++) {
            if (is_wet_duct(ram, cell + offsets[d])) {
                value -= 70; /* it drinks, and may bloom, which scores more */
            }
        }
    } else if (kind == FLOWER) {
        value = -10;
    } else if (b->plumber && opens_water(ram, cell)) {
        value = -20;
    }
    for (int i = 0; i < ram[CREATURE_COUNT] && i < CREATURES; i++) {
        if (ram[EN_GONE + i] == 0 && ram[EN_STUN + i] > 35 && ram[EN_CELL + i] == cell) {
            value = 20;
        }
    }
    return value;
}

static uint8_t choose_direction(const struct burrow *b, const uint8_t *ram) {
    int cost[CELLS], reach[CELLS], best = FAR, target = -1;
    uint8_t first[CELLS];
    int from = ram[PIM_LEFT] ? ram[PIM_GOAL] : ram[PIM_CELL];
    cost_map(b, ram, cost);
    search(cost, from, reach, first);
    for (int cell = 16; cell < CELLS - 16; cell++) {
        int value = worth(b, ram, cell);
        if (value > NOTHING && reach[cell] < FAR && reach[cell] - value < best) {
            best = reach[cell] - value;
            target = cell;
        }
    }
    if (ram[AIR] < 35) { /* surface for air */
        for (int cell = 16; cell < CELLS - 16; cell++) {
            if (reach[cell] < best + 200 && kind_at(ram, cell) <= NEST && ram[WATER + cell] < 3 &&
                reach[cell] < reach[target < 0 ? from : target]) {
                target = cell;
            }
        }
    }
    return target < 0 ? NO_DIRECTION : first[target];
}

static int nearest_threat(const uint8_t *ram) {
    int nearest = 255;
    for (int i = 0; i < ram[CREATURE_COUNT] && i < CREATURES; i++) {
        int steps = ram[TRAIL + ram[EN_CELL + i]];
        if (is_threat(ram, i) && steps < nearest) {
            nearest = steps;
        }
    }
    return nearest;
}

static void use_bag(struct burrow *b, const uint8_t *ram) {
    int threat = nearest_threat(ram);
    if (b->hold || b->careless) {
        return;
    }
    if (threat <= 3 && ram[ENERGY] >= 20 && draw(b, 100) < 22) {
        b->held = BUTTON_A;
        b->hold = 2;
    } else if (threat <= 4 && threat >= 2 && ram[CLODS] && draw(b, 100) < 9) {
        b->held = BUTTON_B;
        b->hold = 2;
    }
}

/* Runs once per game step. */
static void think(struct burrow *b, const uint8_t *ram) {
    if (b->careless) {
        b->careless--;
    } else if (draw(b, 1000) < 10) {
        b->careless = (uint16_t)(20 + draw(b, 60));
    }
    if (b->astray) {
        b->astray--;
        return;
    }
    if (draw(b, 1000) < 8) {
        b->plumber ^= 1;
    }
    if (draw(b, 1000) < 8) {
        b->astray = (uint8_t)(4 + draw(b, 12));
        b->direction = (uint8_t)draw(b, 5);
        return;
    }
    b->direction = choose_direction(b, ram);
    use_bag(b, ram);
}

static uint8_t press_start(struct burrow *b) {
    if (b->wait) {
        b->wait--;
        return 0;
    }
    b->wait = 15; /* wait, and press again if the game missed it */
    return BUTTON_START;
}

/* Buttons for the next game step. */
static uint8_t decide(struct burrow *b, const uint8_t *ram) {
    if (b->state != ram[STATE]) {
        b->state = ram[STATE];
        b->direction = NO_DIRECTION;
        b->astray = 0;
        b->careless = 0;
        b->wait = (uint16_t)(40 + draw(b, 50));
    }
    if (b->state == STATE_TITLE) {
        return press_start(b);
    }
    if (b->state != STATE_PLAY) {
        return 0;
    }
    if (b->hold) {
        b->hold--;
    } else {
        b->held = 0;
    }
    think(b, ram);
    return b->held | buttons[b->direction];
}

/* Last frame of a game step, after the game has finished its work: RAM is stable (see the game's
 * README). */
static int step_is_over(const uint8_t *ram) {
    return ram[PACE] != 0 && ram[STEP_FRAMES] + 1 >= ram[PACE];
}

static void start(void *state, uint64_t seed) {
    struct burrow *b = state;
    b->random = seed;
    b->direction = NO_DIRECTION;
}

static uint8_t press(void *state, const uint8_t ram[2048], uint64_t frame) {
    struct burrow *b = state;
    (void)frame;
    if (step_is_over(ram)) {
        b->pressed = decide(b, ram);
    }
    return b->pressed;
}

const struct player player_burrow = {
    .name = "burrow",
    .summary = "digs to the cheapest bulb around danger, with lapses",
    .state_size = sizeof(struct burrow),
    .start = start,
    .press = press,
};
