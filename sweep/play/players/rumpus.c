/* Plays Rumpus (games/rumpus). It knows how the hob moves, so it simulates each possible move until
 * the hob stands again, and takes the one that leads soonest to something valuable: a position
 * below a walking guest, a stunned guest, a jar or a thimble; it avoids guests that are awake. It
 * sees the guests with a delay, and now and then overlooks one or pauses. */
#include "play/player.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { /* RAM addresses and states, see games/rumpus/README.md */
       RAM_STATE = 0x10,
       RAM_WAVE = 0x12,
       RAM_STAMPS = 0x19,
       RAM_SAFE = 0x3a,
       RAM_KIND = 0x300,
       RAM_MODE = 0x30e,
       RAM_X = 0x31c,
       RAM_Y = 0x32a,
       RAM_LEVEL = 0x338,
       RAM_GROUND = 0x346,
       RAM_VX = 0x354,
       RAM_VY = 0x362,
       RAM_X_FRACTION = 0x370,
       RAM_Y_FRACTION = 0x37e,
       RAM_VX_FRACTION = 0x38c,
       RAM_VY_FRACTION = 0x39a,
       RAM_REST = 0x3ee,
       RAM_PLANK = 0x480
};

enum { STATE_TITLE = 0, STATE_PLAY = 2, STATE_BONUS = 3, STATE_OVER = 6 };
enum {
    KIND_BURR = 2,
    KIND_PUFF = 5,
    KIND_MOLE = 6,
    KIND_THIMBLE = 7,
    KIND_STEAM = 8,
    KIND_CINDER = 9,
    KIND_JAR = 12
};
enum { MODE_AWAKE = 1, MODE_TIPPED = 2 };

enum {
    OBJECTS = 14,
    LEVELS = 4,
    COLUMNS = 32,
    NODES = LEVELS * COLUMNS,
    FLOOR = 3,
    HEAD = 24, /* pixels from a level's line down to the feet when the head hits its planks */
    HORIZON = 128,
    DELAY = 6, /* frames between what happens and what the player sees */
    FAR_AWAY = 1 << 20,
    LEAP = -0x540,
    RUN_MAX = 0x180,
    TIRING_WAVE = 9 /* from this wave on it pauses more often */
};

static const int line[LEVELS] = {72, 120, 168, 216};

struct thing {
    int kind, mode, x, y, level, ground, vx, vy, rest;
};

struct body { /* the hob; positions and speeds in 1/256 pixel */
    int x, y, vx, vy, level;
    bool ground;
};

struct mind {
    uint64_t random;
    struct thing seen[DELAY][OBJECTS];
    int now;
    int wait;    /* frames until it presses Start on the title screen */
    int hold;    /* frames for which the current choice is kept */
    int dream;   /* frames in which it looks at nothing */
    int rest;    /* frames until the game resumes after a pause */
    int bored;   /* decisions since it last moved */
    int choice;  /* index of the current move */
    bool rising; /* is A held? */
    uint16_t overlooked;
    uint8_t plank[NODES];
    struct thing thing[OBJECTS];
    struct {
        int x, y;
        bool ground;
    } path[OBJECTS][HORIZON]; /* predicted positions */
    int target;               /* the object it goes for, kept unless another is much better */
    int whose[NODES];         /* the object that gives the node its value */
    int cost[NODES];          /* frames from a node to something valuable */
    int dread[NODES];         /* penalty for going there, in frames */
};

static uint32_t chance(struct mind *m, uint32_t n) {
    m->random ^= m->random << 13; /* xorshift64 */
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (uint32_t)(m->random >> 33) % n;
}

/* Signed shorter distance around the ring from b to a, in pixels. */
static int ring(int a, int b) {
    return (int8_t)(uint8_t)(a - b);
}

static int word(const uint8_t *ram, int high, int low) {
    return (int8_t)ram[high] * 256 + ram[low];
}

static void look(struct mind *m, const uint8_t *ram) {
    for (int i = 0; i < OBJECTS; i++)
        m->seen[m->now][i] = (struct thing){ram[RAM_KIND + i],
                                            ram[RAM_MODE + i],
                                            ram[RAM_X + i],
                                            ram[RAM_Y + i],
                                            ram[RAM_LEVEL + i],
                                            ram[RAM_GROUND + i],
                                            word(ram, RAM_VX + i, RAM_VX_FRACTION + i),
                                            word(ram, RAM_VY + i, RAM_VY_FRACTION + i),
                                            ram[RAM_REST + i]};
    m->now = (m->now + 1) % DELAY;
}

static int column_at(int x) {
    return (x + 8) >> 3 & (COLUMNS - 1);
}

static int level_below(int y) {
    int level = 0;
    while (level < FLOOR && y > line[level])
        level++;
    return level;
}

/* Simulates one frame of the hob; direction is -1, 0 or 1. True: its head has hit the planks of
 * level *struck. */
static bool body_step(const struct mind *m, struct body *b, int direction, int *struck) {
    b->vx += direction * 0x18;
    if (direction == 0 && b->ground)
        b->vx = abs(b->vx) <= 0x14 ? 0 : b->vx - (b->vx > 0 ? 0x14 : -0x14);
    if (abs(b->vx) > RUN_MAX)
        b->vx = b->vx > 0 ? RUN_MAX : -RUN_MAX;
    b->x = (b->x + b->vx) & 0xffff;
    int column = column_at(b->x >> 8);
    if (b->ground) {
        if (!m->plank[b->level * COLUMNS + column])
            b->ground = false, b->vy = 0;
        return false;
    }
    int old = b->y >> 8, level = level_below(old);
    b->vy = b->vy + 0x40 > 0x400 ? 0x400 : b->vy + 0x40;
    b->y += b->vy;
    int y = b->y >> 8;
    if (b->vy >= 0) {
        if (y >= line[level] && m->plank[level * COLUMNS + column])
            b->y = line[level] << 8, b->ground = true, b->level = level, b->vy = 0;
        return false;
    }
    if (y < 48) {
        b->y = 48 << 8, b->vy = 0;
        return false;
    }
    if (level == 0 || old - HEAD < line[level - 1] || y - HEAD >= line[level - 1] ||
        !m->plank[(level - 1) * COLUMNS + column])
        return false;
    b->y = (line[level - 1] + HEAD) << 8;
    b->vy = 0x100;
    *struck = level - 1;
    return true;
}

static bool floats(const struct thing *t) {
    return (t->kind == KIND_PUFF && t->mode == MODE_AWAKE) || t->kind >= KIND_STEAM;
}

/* Predicts the path of object i: it keeps its speed and falls where there is no plank. */
static void foresee(struct mind *m, int i) {
    const struct thing *o = &m->thing[i];
    struct body b = {(o->x & 255) << 8, o->y << 8, o->vx, o->vy, o->level, o->ground != 0};
    for (int t = -DELAY; t < HORIZON; t++) {
        int x = b.x >> 8, column = column_at(x), old = b.y >> 8;
        if (t >= 0)
            m->path[i][t].x = x, m->path[i][t].y = old, m->path[i][t].ground = b.ground;
        b.x = (b.x + b.vx) & 0xffff;
        if (o->kind == KIND_CINDER) {
            static const int arc[16] = {4, 6, 10, 16, 22, 27, 30, 32, 32, 30, 27, 22, 16, 10, 6, 4};
            b.y = (line[o->level] - arc[(o->rest - t - DELAY) >> 2 & 15]) << 8;
            continue;
        }
        if (floats(o)) {
            b.y += t < 30 ? b.vy : 0;
            continue;
        }
        if (b.ground) {
            if (!m->plank[b.level * COLUMNS + column])
                b.ground = false, b.vy = 0;
            continue;
        }
        b.vy = b.vy + 0x40 > 0x400 ? 0x400 : b.vy + 0x40;
        b.y += b.vy;
        int level = level_below(old);
        if (b.vy >= 0 && b.y >> 8 >= line[level] && m->plank[level * COLUMNS + column])
            b.y = line[level] << 8, b.ground = true, b.level = level;
    }
}

/* Extrapolates the delayed view of the objects to the present frame. */
static void remember(struct mind *m, const uint8_t *ram) {
    const struct thing *newest = m->seen[(m->now + DELAY - 1) % DELAY];
    memcpy(m->thing, m->seen[m->now], sizeof m->thing);
    for (int i = 0; i < OBJECTS; i++)
        if (floats(&m->thing[i])) /* they rise and sink without a speed */
            m->thing[i].vy = (newest[i].y - m->thing[i].y) * 256 / (DELAY - 1);
    for (int i = 0; i < NODES; i++)
        m->plank[i] = ram[RAM_PLANK + i];
    for (int i = 0; i < OBJECTS; i++) {
        foresee(m, i);
        m->thing[i].x = m->path[i][0].x;
        m->thing[i].y = m->path[i][0].y;
    }
}

static int node_of(const struct body *b) {
    return b->level * COLUMNS + column_at(b->x >> 8);
}

/* Simulates a leap or a step from the middle of a node: the node where it ends, and its
 * duration. */
static int way_from(const struct mind *m, int node, int direction, bool leap, int *frames) {
    int struck, column = node % COLUMNS;
    struct body b = {((column * 8 - 4) & 255) << 8,
                     line[node / COLUMNS] << 8,
                     direction * 0xc0,
                     0,
                     node / COLUMNS,
                     true};
    if (leap)
        b.ground = false, b.vy = LEAP;
    for (*frames = 1; *frames < 120; ++*frames) {
        body_step(m, &b, direction, &struck);
        if (b.ground && (leap || column_at(b.x >> 8) != column))
            return node_of(&b);
    }
    return node;
}

/* Fills cost by relaxing all moves backwards from valuable nodes until nothing changes. */
static void spread(struct mind *m) {
    static const int directions[5] = {-1, 1, -1, 0, 1};
    int to[NODES][5], frames[NODES][5];
    for (int n = 0; n < NODES; n++)
        for (int w = 0; w < 5 && m->plank[n]; w++)
            to[n][w] = way_from(m, n, directions[w], w > 1, &frames[n][w]);
    for (bool changed = true; changed;) {
        changed = false;
        for (int n = 0; n < NODES; n++)
            for (int w = 0; w < 5 && m->plank[n]; w++) {
                int c = m->cost[to[n][w]] + frames[n][w] + m->dread[to[n][w]];
                if (c < m->cost[n])
                    m->cost[n] = c, m->whose[n] = m->whose[to[n][w]], changed = true;
            }
    }
}

static bool is_guest(const struct thing *t) {
    return t->kind >= KIND_BURR && t->kind <= KIND_MOLE;
}

static bool harms(const struct thing *t) {
    bool comes = is_guest(t) && t->mode != MODE_TIPPED && t->y == line[0] && t->ground;
    return comes || (is_guest(t) && t->mode == MODE_AWAKE) ||
           (t->mode == MODE_AWAKE && (t->kind == KIND_STEAM || t->kind == KIND_CINDER));
}

static void want(struct mind *m, int i, int level, int x, int cost) {
    int n = level * COLUMNS + column_at(x);
    if (i == m->target)
        cost -= 50;
    if (m->plank[n] && cost < m->cost[n])
        m->cost[n] = cost, m->whose[n] = i;
}

/* Sets the value of each object, and the danger to nodes around it. */
static void judge(struct mind *m, int stamps) {
    for (int n = 0; n < NODES; n++)
        m->cost[n] = FAR_AWAY, m->dread[n] = 0;
    for (int i = 1; i < OBJECTS; i++) {
        const struct thing *t = &m->thing[i];
        int level = level_below(m->path[i][24].y), ahead = m->path[i][24].x;
        if (m->overlooked >> i & 1)
            continue;
        if (is_guest(t) && t->mode == MODE_TIPPED)
            want(m, i, level, ahead, t->rest < 20 ? 100 : 0);
        if (t->kind == KIND_THIMBLE)
            want(m, i, level, ahead, 50);
        if (t->kind == KIND_JAR)
            want(m, i, level, t->x, 0);
        if (!harms(t))
            continue;
        for (int k = 12; k < HORIZON && is_guest(t); k += 12) { /* wait where it will pass */
            int then = level_below(m->path[i][k].y);
            if (then < FLOOR && m->path[i][k].ground)
                want(m, i, then + 1, m->path[i][k].x, 60 + 8 * then + k / 2);
        }
        if (is_guest(t) && level == FLOOR && stamps)
            for (int d = -40; d <= 40; d += 80)
                want(m, i, level, ahead + d, 90);
        for (int d = -28; d <= 28; d += 8)
            m->dread[level * COLUMNS + column_at(t->x + d)] += 40;
    }
}

/* Moves to try from the hob's current position. */
static const struct {
    int direction;
    bool leap;
} ways[] = {{0, false}, {-1, false}, {1, false}, {0, true}, {-1, true}, {1, true}};
enum { WAYS = sizeof ways / sizeof *ways };

/* Distance class between the hob and object i after t frames: 0 (they touch) to 100 (far). */
static int nearness(const struct mind *m, int i, const struct body *b, int t) {
    int dx = abs(ring(m->path[i][t].x, b->x >> 8));
    int dy = abs(m->path[i][t].y - (b->y >> 8));
    if (dx < 14 && dy < 16)
        return 0;
    return dy < 20 && dx < 100 ? dx : 100;
}

/* Value of hitting the planks of level `struck` after t frames. */
static int blow_worth(const struct mind *m, const struct body *b, int struck, int t) {
    int worth = 0;
    for (int i = 1; i < OBJECTS; i++) {
        const struct thing *o = &m->thing[i];
        if (!m->path[i][t].ground || o->level != struck ||
            abs(ring(m->path[i][t].x, b->x >> 8)) > 12 || (m->overlooked >> i & 1))
            continue;
        worth += harms(o) ? 260 : is_guest(o) && o->mode == MODE_TIPPED ? -30 : 0;
    }
    return worth;
}

/* Cost of the hob's position after t frames. */
static int peril(const struct mind *m, const struct body *b, int t) {
    int p = 0;
    for (int i = 1; i < OBJECTS; i++) {
        const struct thing *o = &m->thing[i];
        if (!harms(o) || (m->overlooked >> i & 1))
            continue;
        int d = nearness(m, i, b, t);
        if (d == 0)
            p += 2000 / (t / 6 + 1);
        else if (d < 28 && o->level == b->level)
            p += (28 - d) / 4;
    }
    return p;
}

/* Cost of a move in frames, simulated until the hob stands again. */
static int price(const struct mind *m, struct body b, int way, bool safe) {
    int p = 0, struck, t = 0, least = ways[way].leap || !b.ground ? 0 : 10, end = 0;
    if (ways[way].leap)
        b.ground = false, b.vy = LEAP, p = 4;
    do {
        t++;
        if (body_step(m, &b, end ? 0 : ways[way].direction, &struck))
            p -= blow_worth(m, &b, struck, t);
        if (!safe)
            p += peril(m, &b, t);
        if (!end && t >= least && b.ground) /* the hob can choose again from here */
            end = t, p += t + m->cost[node_of(&b)];
    } while (t < 100 && (!end || t < end + 12));
    return p + (end ? 0 : 300);
}

static bool stamp_pays(struct mind *m, const struct body *b) {
    int near = 0;
    for (int i = 1; i < OBJECTS; i++) {
        const struct thing *t = &m->thing[i];
        if (is_guest(t) && t->mode == MODE_AWAKE && t->ground && t->level == b->level &&
            !(m->overlooked >> i & 1)) {
            int d = abs(ring(t->x, b->x >> 8));
            near += d > 20 && d < 52 ? (b->level == FLOOR ? 2 : 1) : 0;
        }
    }
    return near > 1 && chance(m, 12) == 0;
}

static uint8_t play(struct mind *m, const uint8_t *ram) {
    struct body b = {ram[RAM_X] * 256 + ram[RAM_X_FRACTION],
                     ram[RAM_Y] * 256 + ram[RAM_Y_FRACTION],
                     word(ram, RAM_VX, RAM_VX_FRACTION),
                     word(ram, RAM_VY, RAM_VY_FRACTION),
                     ram[RAM_LEVEL],
                     ram[RAM_GROUND] != 0};
    if (ram[RAM_MODE] != MODE_AWAKE)
        return 0;
    if (m->dream > 0) {
        m->dream--;
    } else if (m->hold-- <= 0) {
        remember(m, ram);
        judge(m, ram[RAM_STAMPS]);
        spread(m);
        int best = FAR_AWAY * 2;
        for (int w = 0; w < (b.ground ? WAYS : 3); w++) {
            int p = price(m, b, w, ram[RAM_SAFE] > 40) * 8;
            p += (int)chance(m, 8 + 8 * (uint32_t)m->bored);
            if (p < best)
                best = p, m->choice = w;
        }
        m->target = m->whose[node_of(&(struct body){b.x, b.y, 0, 0, level_below(b.y >> 8), true})];
        m->bored = m->choice == 0 && b.ground ? m->bored + 1 : m->bored / 2;
        m->hold = 1 + (int)chance(m, 3);
        if (b.ground)
            m->rising = ways[m->choice].leap;
        if (chance(m, ram[RAM_WAVE] < TIRING_WAVE ? 1200 : 60) == 0)
            m->dream = 20 + (int)chance(m, 30);
        if (chance(m, 60) == 0)
            m->overlooked = (uint16_t)(chance(m, 16) ? 0 : 1u << chance(m, OBJECTS));
        if (b.ground && ram[RAM_STAMPS] && ram[RAM_STATE] == STATE_PLAY && stamp_pays(m, &b))
            return BUTTON_B;
    }
    int direction = ways[m->choice].direction;
    uint8_t buttons = direction < 0 ? BUTTON_LEFT : direction > 0 ? BUTTON_RIGHT : 0;
    if (m->rising)
        buttons |= BUTTON_A;
    if (!b.ground && b.vy >= 0)
        m->rising = false;
    return buttons;
}

static void start(void *state, uint64_t seed) {
    struct mind *m = state;
    m->random = seed * 0x9e3779b97f4a7c15u + 1;
    m->wait = 480;
}

static uint8_t press(void *state, const uint8_t ram[2048], uint64_t frame) {
    struct mind *m = state;
    (void)frame;
    look(m, ram);
    if (m->rest > 0) /* Start begins and ends a pause */
        return --m->rest == 0 ? BUTTON_START : 0;
    if (ram[RAM_STATE] == STATE_PLAY && chance(m, 1500) == 0) {
        m->rest = 40 + (int)chance(m, 40);
        return BUTTON_START;
    }
    if (ram[RAM_STATE] == STATE_PLAY || ram[RAM_STATE] == STATE_BONUS)
        return play(m, ram);
    m->rising = false;
    m->hold = m->dream = 0;
    if (ram[RAM_STATE] != STATE_TITLE) {
        m->wait = 150 + (int)chance(m, 100);
        return 0;
    }
    return --m->wait <= 0 && m->wait > -4 ? BUTTON_START : 0;
}

const struct player player_rumpus = {
    "rumpus",
    "strikes the planks below guests, kicks them out, keeps away from the others",
    sizeof(struct mind),
    start,
    press,
};
