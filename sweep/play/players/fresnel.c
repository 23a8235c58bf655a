/* Plays games/fresnel (RAM map in its README). It knows how Nell and the objects move,
 * searches her possible moves over the next two seconds against the predicted objects, and
 * takes the first move of the path that ends nearest to the next flask or the lamp. Now and
 * then it does not look out. */
#include "play/player.h"

#include "base/base.h"

#include <stdbool.h>
#include <string.h>

/* RAM addresses, games/fresnel/ram.s */
enum {
    RAM_STATE = 0x01,
    RAM_NEED = 0x0A,
    RAM_LANTERN = 0x0B,
    RAM_TOUR = 0x0C,
    RAM_X = 0x10,
    RAM_Y = 0x12,
    RAM_VX = 0x14,
    RAM_VY = 0x16,
    RAM_MODE = 0x18,
    RAM_FLOOR = 0x19,
    RAM_LADDER = 0x1A,
    RAM_PEAK = 0x1C,
    RAM_FLOORS = 0x20,
    RAM_LADDERS = 0x21,
    RAM_ITEMS = 0x22,
    RAM_LAMP_X = 0x23,
    RAM_LAMP_FLOOR = 0x24,
    RAM_GRACE = 0x53,
    RAM_THINGS = 0x300,
    RAM_FL_X0 = 0x420,
    RAM_FL_X1 = 0x438,
    RAM_FL_Y = 0x450,
    RAM_FL_SLOPE = 0x468,
    RAM_FL_BELT = 0x480,
    RAM_LA_X = 0x498,
    RAM_LA_TOP = 0x4A8,
    RAM_LA_BOTTOM = 0x4B8,
    RAM_LA_Y0 = 0x4C8,
    RAM_LA_Y1 = 0x4D8,
    RAM_IT_X = 0x4E8,
    RAM_IT_Y = 0x4F0,
    RAM_IT_KIND = 0x4F8
};
enum { STATE_TITLE = 1, STATE_PLAY = 4 };
enum { WALK, AIR, CLIMB, OUT };
enum { NOTHING, FLOAT, CRAB, DROP, URCHIN, PETREL, ELMO, LIFT, RAFT };
enum { ON_FLOOR, FALLING, DOWN_LADDER, UP_LADDER };

enum {
    FLOORS = 24,
    LADDERS = 16,
    THINGS = 12,
    HORIZON = 168, /* steps simulated, including the end of a jump */
    SPAN = 108,    /* steps within which a choice may begin */
    TICK = 6,      /* steps per action */
    BUCKETS = SPAN / TICK + 1,
    BEAM = 40,
    NODES = BUCKETS * BEAM + 1,
    COLUMNS = 32,
    NONE = 255,
    FAR_AWAY = 1 << 20
};

struct floor {
    int x0, x1, y, slope, belt;
};

struct ladder {
    int x, top, bottom, y0, y1;
};

struct thing {
    int kind, mode, x, y, vx, vy, floor, timer, low, high;
};

/* Nell's position, in the game's unit: 1/256 pixel. */
struct nell {
    int x, y, vx, vy, mode, floor, ladder, peak;
};

struct node {
    struct nell nell;
    int time, cost, worth;
    uint8_t first; /* the first action of the path to this node */
};

struct mind {
    uint64_t random;
    int wait;     /* frames until it presses Start on the title screen */
    int careless; /* frames in which it does not look at the objects */
    int hold;     /* frames until the next plan */
    uint8_t action, before;
    int floors, ladders;
    int fast;                                /* top speed of rolling floats */
    struct floor floor[HORIZON + 1][FLOORS]; /* floors at each future step */
    struct ladder ladder[LADDERS];
    struct thing thing[HORIZON + 1][THINGS];
    int way[FLOORS][COLUMNS]; /* pixels from there to the goal */
    struct node bucket[BUCKETS + 1][BEAM];
    int count[BUCKETS + 1];
};

static uint32_t chance(struct mind *m, uint32_t n) {
    return (uint32_t)(splitmix64_next(&m->random) >> 33) % n;
}

static int word_at(const uint8_t *ram, int at) {
    return ram[at] | ram[at + 1] << 8;
}

static int signed_at(const uint8_t *ram, int at) {
    return (int16_t)word_at(ram, at);
}

static int absolute(int a) {
    return a < 0 ? -a : a;
}

static int surface(const struct floor *f, int x) {
    int drop = (x - f->x0) >> 4 & 0xFE;
    return f->slope == 0 ? f->y : f->slope < 0 ? f->y - drop : f->y + drop;
}

static int find_floor(const struct mind *m, int t, int x, int from, int to) {
    int found = NONE;
    for (int i = m->floors - 1; i >= 0; i--) {
        const struct floor *f = &m->floor[t][i];
        if (x < f->x0 || x > f->x1)
            continue;
        int y = surface(f, x);
        if (y >= from && y <= to)
            found = i, to = y;
    }
    return found;
}

/* --- motion of objects, as far as it is not random */

static void thing_fall(const struct mind *m, int t, struct thing *o, bool slanted) {
    int from = o->y >> 8;
    if (slanted)
        o->x += o->vx / 2;
    o->vy = o->vy + 0x28 > 0x300 ? 0x300 : o->vy + 0x28;
    o->y += o->vy;
    if (o->vy < 0)
        return;
    if (o->y >> 8 > 232) {
        o->kind = NOTHING;
        return;
    }
    int f = find_floor(m, t, o->x >> 8, from, o->y >> 8);
    if (f == NONE)
        return;
    o->floor = f;
    o->y = surface(&m->floor[t][f], o->x >> 8) << 8;
    o->mode = ON_FLOOR;
}

static void thing_stroll(const struct mind *m, int t, struct thing *o) {
    const struct floor *f = &m->floor[t][o->floor];
    if (o->kind == FLOAT && f->slope) {
        o->vx += f->slope * 5;
        o->vx = o->vx > m->fast ? m->fast : o->vx < -m->fast ? -m->fast : o->vx;
    }
    o->x += o->vx + f->belt;
    int x = o->x >> 8;
    if (x < f->x0 || x > f->x1) {
        int next = find_floor(m, t, x, (o->y >> 8) - 3, (o->y >> 8) + 3);
        if (next == NONE) {
            o->mode = FALLING, o->vy = 0;
            return;
        }
        o->floor = next;
        f = &m->floor[t][next];
    }
    o->y = surface(f, x) << 8;
    if (o->kind == FLOAT) {
        if (x < 6 || x > 249)
            o->kind = NOTHING;
        return;
    }
    int ahead = o->vx < 0 ? x - 7 : x + 7;
    if (ahead < 3 || ahead > 252 ||
        ((ahead < f->x0 || ahead > f->x1) &&
         find_floor(m, t, ahead, (o->y >> 8) - 3, (o->y >> 8) + 3) == NONE))
        o->vx = -o->vx;
}

static void thing_climb(const struct mind *m, struct thing *o) {
    const struct ladder *l = &m->ladder[o->low & (LADDERS - 1)];
    if (o->mode == DOWN_LADDER) {
        o->y += 0x100;
        if (o->y >> 8 >= l->y1)
            o->floor = l->bottom, o->mode = ON_FLOOR, o->y = l->y1 << 8;
    } else {
        o->y -= 0x80;
        if (o->y >> 8 <= l->y0)
            o->floor = l->top, o->mode = ON_FLOOR, o->y = l->y0 << 8;
    }
}

static void thing_move(const struct mind *m, int t, struct thing *o) {
    static const int8_t sines[32] = {0,   12,  24,  36,  45,  53,  59,  63,  64,  63,  59,
                                     53,  45,  36,  24,  12,  0,   -12, -24, -36, -45, -53,
                                     -59, -63, -64, -63, -59, -53, -45, -36, -24, -12};
    switch (o->kind) {
    case FLOAT:
    case CRAB:
    case ELMO:
        if (o->mode == ON_FLOOR)
            thing_stroll(m, t, o);
        else if (o->mode == FALLING)
            thing_fall(m, t, o, true);
        else
            thing_climb(m, o);
        break;
    case DROP:
        if (++o->timer < 45)
            break;
        o->mode = FALLING;
        thing_fall(m, t, o, false);
        if (o->mode == ON_FLOOR)
            o->kind = NOTHING;
        break;
    case URCHIN:
        o->x += o->vx;
        if (o->x >> 8 < 8 || o->x >> 8 > 247)
            o->vx = -o->vx;
        o->mode = FALLING;
        thing_fall(m, t, o, false);
        if (o->mode == ON_FLOOR) {
            o->vy = -(o->vy * 5 / 6);
            o->vy = o->vy > -0x1D0 ? -0x1D0 : o->vy;
        }
        break;
    case PETREL:
        o->x += o->vx;
        o->timer = (o->timer + 2) & 255;
        o->y = (o->low + (sines[o->timer >> 3] * o->high >> 6)) << 8;
        if (o->x >> 8 < 5 || o->x >> 8 > 250)
            o->kind = NOTHING;
        break;
    default:
        break;
    }
}

/* A lift is also a floor: moves both. */
static void lift_move(struct floor *floors, struct thing *o) {
    struct floor *f = &floors[o->floor];
    if (o->kind == LIFT) {
        o->y += o->vy;
        int y = o->y >> 8;
        if (y <= o->low || y >= o->high)
            o->vy = y <= o->low ? 0x80 : -0x80;
        f->y = y;
        return;
    }
    o->x += o->vx;
    int x = o->x >> 8;
    if ((x <= o->low && o->vx < 0) || (x >= o->high && o->vx >= 0))
        o->vx = -o->vx;
    f->belt = o->vx;
    f->x0 = x - 12;
    f->x1 = x + 11;
}

static void read_world(struct mind *m, const uint8_t *ram) {
    m->floors = ram[RAM_FLOORS] < FLOORS ? ram[RAM_FLOORS] : FLOORS;
    m->ladders = ram[RAM_LADDERS] < LADDERS ? ram[RAM_LADDERS] : LADDERS;
    m->fast = 0x130 + 0x18 * ram[RAM_TOUR];
    for (int i = 0; i < m->floors; i++)
        m->floor[0][i] =
            (struct floor){ram[RAM_FL_X0 + i], ram[RAM_FL_X1 + i], ram[RAM_FL_Y + i],
                           (int8_t)ram[RAM_FL_SLOPE + i], (int8_t)ram[RAM_FL_BELT + i]};
    for (int i = 0; i < m->ladders; i++)
        m->ladder[i] =
            (struct ladder){ram[RAM_LA_X + i], ram[RAM_LA_TOP + i], ram[RAM_LA_BOTTOM + i],
                            ram[RAM_LA_Y0 + i], ram[RAM_LA_Y1 + i]};
    for (int i = 0; i < THINGS; i++) {
        int at = RAM_THINGS + 16 * i;
        m->thing[0][i] = (struct thing){ram[at],
                                        ram[at + 1],
                                        word_at(ram, at + 2),
                                        word_at(ram, at + 4),
                                        signed_at(ram, at + 6),
                                        signed_at(ram, at + 8),
                                        ram[at + 10],
                                        ram[at + 11],
                                        ram[at + 12],
                                        ram[at + 13]};
        if (m->thing[0][i].kind > RAFT || m->thing[0][i].floor >= FLOORS)
            m->thing[0][i].kind = NOTHING;
    }
    for (int t = 1; t <= HORIZON; t++) {
        memcpy(m->floor[t], m->floor[t - 1], sizeof m->floor[0]);
        memcpy(m->thing[t], m->thing[t - 1], sizeof m->thing[0]);
        for (int i = 0; i < THINGS; i++)
            if (m->thing[t][i].kind == LIFT || m->thing[t][i].kind == RAFT)
                lift_move(m->floor[t], &m->thing[t][i]);
            else
                thing_move(m, t, &m->thing[t][i]);
    }
}

/* --- motion of Nell; false: she dies */

static int ladder_at(const struct mind *m, const struct nell *n, bool up) {
    for (int i = 0; i < m->ladders; i++)
        if ((up ? m->ladder[i].bottom : m->ladder[i].top) == n->floor &&
            absolute((n->x >> 8) - m->ladder[i].x) <= 4)
            return i;
    return NONE;
}

static void sideways(struct nell *n, int by) {
    n->x += by;
    n->x = n->x < 0x800 ? 0x800 : n->x > 0xF7FF ? 0xF700 : n->x;
}

static void take_off(struct nell *n, int vy) {
    n->vy = vy;
    n->peak = n->y >> 8;
    n->mode = AIR;
}

static void nell_walk(const struct mind *m, int t, struct nell *n, uint8_t pad, bool jump) {
    n->vx = pad & BUTTON_LEFT ? -0x120 : pad & BUTTON_RIGHT ? 0x120 : 0;
    if (pad & (BUTTON_UP | BUTTON_DOWN)) {
        int ladder = ladder_at(m, n, pad & BUTTON_UP);
        if (ladder != NONE) {
            n->ladder = ladder;
            n->mode = CLIMB;
            n->x = m->ladder[ladder].x << 8;
            return;
        }
    }
    const struct floor *f = &m->floor[t][n->floor];
    sideways(n, n->vx + f->belt);
    int x = n->x >> 8;
    if (x < f->x0 || x > f->x1) {
        int next = find_floor(m, t, x, (n->y >> 8) - 4, (n->y >> 8) + 4);
        if (next == NONE) {
            take_off(n, 0);
            return;
        }
        n->floor = next;
        f = &m->floor[t][next];
    }
    n->y = surface(f, x) << 8;
    if (jump)
        take_off(n, -0x1E8);
}

static bool nell_air(const struct mind *m, int t, struct nell *n) {
    int from = (n->y >> 8) - 1;
    sideways(n, n->vx);
    n->vy = n->vy + 0x18 > 0x300 ? 0x300 : n->vy + 0x18;
    n->y += n->vy;
    int y = n->y >> 8;
    if (n->vy < 0) {
        n->peak = y;
        return true;
    }
    if (y > 232)
        return false;
    int f = find_floor(m, t, n->x >> 8, from, y);
    if (f == NONE)
        return true;
    n->floor = f;
    n->y = surface(&m->floor[t][f], n->x >> 8) << 8;
    n->mode = WALK;
    return (n->y >> 8) - n->peak <= 33;
}

static void nell_climb(const struct mind *m, int t, struct nell *n, uint8_t pad) {
    const struct ladder *l = &m->ladder[n->ladder & (LADDERS - 1)];
    n->y += pad & BUTTON_UP ? -0xD0 : pad & BUTTON_DOWN ? 0xD0 : 0;
    if (n->y >> 8 <= l->y0)
        n->floor = l->top;
    else if (n->y >> 8 >= l->y1)
        n->floor = l->bottom;
    else
        return;
    n->y = surface(&m->floor[t][n->floor], n->x >> 8) << 8;
    n->mode = WALK;
}

/* Distance class of the nearest object: 0 (hit) to 8 (far). */
static int clearance(const struct mind *m, int t, const struct nell *n) {
    static const int8_t reach[] = {0, 8, 9, 5, 8, 8, 7}, high[] = {0, 10, 9, 6, 10, 9, 12};
    int nearest = 8, x = n->x >> 8, y = n->y >> 8;
    for (int i = 0; i < THINGS; i++) {
        const struct thing *o = &m->thing[t][i];
        if (o->kind == NOTHING || o->kind > ELMO || (o->kind == DROP && o->timer < 45))
            continue;
        int across = absolute((o->x >> 8) - x) - reach[o->kind];
        int below = (o->y >> 8) - y;
        int up = below < 0 ? -below - 12 : below - high[o->kind] + 1;
        int apart = across > up ? across : up;
        apart = apart < 0 ? 0 : apart;
        nearest = apart < nearest ? apart : nearest;
    }
    return nearest;
}

/* --- the route to the goal, over floors, ladders, gaps and lifts */

static bool relax(struct mind *m, int floor, int column, int cost) {
    if (cost >= m->way[floor][column])
        return false;
    m->way[floor][column] = cost;
    return true;
}

static int column_of(int x) {
    return x < 0 ? 0 : x > 255 ? 31 : x >> 3;
}

/* Cost of a jump or drop from the end of one floor to the nearest point of another;
 * FAR_AWAY: impossible. Moving floors are boarded where they come nearest, which includes
 * waiting for them. */
static int leap(const struct mind *m, int from, int to, int *leave, int *land) {
    struct floor a = m->floor[0][from], b = m->floor[0][to];
    int low_a = surface(&a, a.x0), high_a = surface(&a, a.x1), wait = 0;
    (void)high_a;
    int a0 = low_a, a1 = low_a, b0 = b.y, b1 = b.y;
    for (int i = 0; i < THINGS; i++) {
        const struct thing *o = &m->thing[0][i];
        if (o->kind != LIFT && o->kind != RAFT)
            continue;
        if (o->floor != from && o->floor != to)
            continue;
        wait += 40;
        if (o->kind == LIFT && o->floor == from)
            a0 = o->low, a1 = o->high;
        else if (o->kind == LIFT)
            b0 = o->low, b1 = o->high;
        else if (o->floor == from)
            a.x0 = o->low - 12, a.x1 = o->high + 12;
        else
            b.x0 = o->low - 12, b.x1 = o->high + 12;
    }
    int gap = b.x0 > a.x1 ? b.x0 - a.x1 : a.x0 > b.x1 ? a.x0 - b.x1 : 0;
    *leave = b.x0 > a.x1 ? a.x1 : a.x0 > b.x1 ? a.x0 : -1;
    *land = b.x0 > a.x1 ? b.x0 : b.x1;
    if (*leave < 0 || gap > 40)
        return FAR_AWAY;
    if (!wait) {
        a0 = a1 = surface(&a, *leave);
        b0 = b1 = surface(&b, *land);
    }
    if (a0 > b1 + 14 + 200 || b0 - a1 > 28 || a0 - b1 > 14)
        return FAR_AWAY;
    return gap + 30 + wait;
}

static void find_ways(struct mind *m) {
    for (bool changed = true; changed;) {
        changed = false;
        for (int f = 0; f < m->floors; f++) {
            const struct floor *here = &m->floor[0][f];
            int first = column_of(here->x0), last = column_of(here->x1);
            for (int c = first; c < last; c++)
                changed |= relax(m, f, c + 1, m->way[f][c] + 8);
            for (int c = last; c > first; c--)
                changed |= relax(m, f, c - 1, m->way[f][c] + 8);
            for (int g = 0; g < m->floors; g++) {
                int leave, land, cost = g == f ? FAR_AWAY : leap(m, f, g, &leave, &land);
                if (cost < FAR_AWAY) {
                    const struct floor *there = &m->floor[0][g];
                    land = land < there->x0 ? there->x0 : land > there->x1 ? there->x1 : land;
                    leave = leave < here->x0 ? here->x0 : leave > here->x1 ? here->x1 : leave;
                    changed |= relax(m, f, column_of(leave), m->way[g][column_of(land)] + cost);
                }
            }
        }
        for (int i = 0; i < m->ladders; i++) {
            const struct ladder *l = &m->ladder[i];
            int c = column_of(l->x), cost = (l->y1 - l->y0) * 3 / 2;
            changed |= relax(m, l->top, c, m->way[l->bottom][c] + cost);
            changed |= relax(m, l->bottom, c, m->way[l->top][c] + cost);
        }
    }
}

/* The goal: flasks while the lamp needs them, then the lamp; the lantern if it is on the route. */
static void set_aim(struct mind *m, const uint8_t *ram) {
    for (int f = 0; f < FLOORS; f++)
        for (int c = 0; c < COLUMNS; c++)
            m->way[f][c] = FAR_AWAY;
    if (!ram[RAM_NEED]) {
        if (ram[RAM_LAMP_FLOOR] < m->floors)
            m->way[ram[RAM_LAMP_FLOOR]][column_of(ram[RAM_LAMP_X])] = 0;
    } else {
        for (int i = 0; i < ram[RAM_ITEMS] && i < 8; i++) {
            int x = ram[RAM_IT_X + i] * 8 + 8, y = ram[RAM_IT_Y + i] * 8 + 16;
            int f = find_floor(m, 0, x, y - 2, y + 8);
            if (ram[RAM_IT_KIND + i] && f != NONE)
                m->way[f][column_of(x)] = ram[RAM_IT_KIND + i] == 1 ? 0 : 60;
        }
    }
    find_ways(m);
}

static int distance(const struct mind *m, int t, const struct nell *n) {
    int x = n->x >> 8, y = n->y >> 8;
    if (n->mode == CLIMB) {
        const struct ladder *l = &m->ladder[n->ladder & (LADDERS - 1)];
        int up = m->way[l->top][column_of(l->x)] + (y - l->y0) * 3 / 2;
        int down = m->way[l->bottom][column_of(l->x)] + (l->y1 - y) * 3 / 2;
        return up < down ? up : down;
    }
    if (n->floor >= m->floors)
        return FAR_AWAY;
    /* costs were computed for the present position of a moving floor */
    const struct floor *now = &m->floor[0][n->floor], *then = &m->floor[t][n->floor];
    x -= then->x0 - now->x0;
    int c = column_of(x), way = m->way[n->floor][c], within = (x & 7) - 4;
    if (c + 1 < COLUMNS && m->way[n->floor][c + 1] < way)
        return way - within;
    if (c > 0 && m->way[n->floor][c - 1] < way)
        return way + within;
    return way;
}

/* --- search */

enum { A_STAY, A_LEFT, A_RIGHT, A_UP, A_DOWN, A_JUMP, A_JUMP_LEFT, A_JUMP_RIGHT, ACTIONS };
static const uint8_t pads[ACTIONS] = {
    0,           BUTTON_LEFT, BUTTON_RIGHT,           BUTTON_UP,
    BUTTON_DOWN, BUTTON_A,    BUTTON_A | BUTTON_LEFT, BUTTON_A | BUTTON_RIGHT};

/* Simulates an action for TICK steps and until she lands. False: she dies. */
static bool carry_out(const struct mind *m, struct node *n, int action, int safe) {
    uint8_t pad = pads[action];
    bool jump = pad & BUTTON_A;
    for (int k = 0; k < TICK || n->nell.mode == AIR; k++) {
        if (n->time >= HORIZON)
            return n->nell.mode != AIR;
        int t = n->time;
        if (n->nell.mode == WALK)
            nell_walk(m, t, &n->nell, pad, jump && k == 0);
        else if (n->nell.mode == CLIMB)
            nell_climb(m, t, &n->nell, pad);
        else if (!nell_air(m, t, &n->nell))
            return false;
        n->time++;
        if (m->careless || n->time <= safe)
            continue;
        int clear = clearance(m, n->time, &n->nell);
        if (clear == 0)
            return false;
        n->cost += (8 - clear) * (8 - clear) * 2 / 3;
    }
    return true;
}

static void offer(struct mind *m, const struct node *n) {
    int b = n->time / TICK < BUCKETS ? n->time / TICK : BUCKETS, worst = 0;
    struct node *bucket = m->bucket[b];
    for (int i = 0; i < m->count[b]; i++) {
        const struct nell *o = &bucket[i].nell;
        if (o->mode == n->nell.mode && absolute(o->x - n->nell.x) < 0x180 &&
            absolute(o->y - n->nell.y) < 0x180) {
            if (n->worth < bucket[i].worth)
                bucket[i] = *n;
            return;
        }
        if (bucket[i].worth > bucket[worst].worth)
            worst = i;
    }
    if (m->count[b] < BEAM)
        bucket[m->count[b]++] = *n;
    else if (n->worth < bucket[worst].worth)
        bucket[worst] = *n;
}

/* First action of the best path found; if no path survives, of the one that survives longest. */
static int plan(struct mind *m, const struct nell *nell, int safe) {
    memset(m->count, 0, sizeof m->count);
    struct node start = {.nell = *nell};
    offer(m, &start);
    int best = FAR_AWAY * 2, choice = A_STAY, longest = 0;
    for (int b = 0; b <= BUCKETS; b++)
        for (int i = 0; i < m->count[b]; i++) {
            const struct node from = m->bucket[b][i];
            int to_go = distance(m, from.time > HORIZON ? HORIZON : from.time, &from.nell);
            if (from.time && (b == BUCKETS || to_go < 6) && from.worth < best) {
                best = from.worth;
                choice = from.first;
            }
            if (b == BUCKETS || (from.time && to_go < 6))
                continue;
            if (best >= FAR_AWAY * 2 && from.time > longest)
                longest = from.time, choice = from.first;
            for (int a = 0; a < ACTIONS; a++) {
                if (from.nell.mode == CLIMB && a != A_STAY && a != A_UP && a != A_DOWN)
                    continue;
                if (from.nell.mode == WALK && a == A_UP && ladder_at(m, &from.nell, true) == NONE)
                    continue;
                if (from.nell.mode == WALK && a == A_DOWN &&
                    ladder_at(m, &from.nell, false) == NONE)
                    continue;
                if (from.nell.mode == AIR && a != A_STAY)
                    continue;
                struct node next = from;
                if (!carry_out(m, &next, a, safe))
                    continue;
                if (b == 0)
                    next.first = (uint8_t)a;
                next.cost += a >= A_JUMP ? 6 : 0;
                int left = distance(m, next.time, &next.nell);
                next.worth = left + next.cost + (left < 6 ? next.time / 2 : SPAN / 2);
                offer(m, &next);
            }
        }
    return choice;
}

static uint8_t play(struct mind *m, const uint8_t *ram) {
    struct nell nell = {word_at(ram, RAM_X),    word_at(ram, RAM_Y), signed_at(ram, RAM_VX),
                        signed_at(ram, RAM_VY), ram[RAM_MODE],       ram[RAM_FLOOR],
                        ram[RAM_LADDER],        ram[RAM_PEAK]};
    if (m->careless > 0)
        m->careless--;
    else if (chance(m, 280) == 0)
        m->careless = 30 + (int)chance(m, 70);
    if (nell.mode == AIR || nell.mode >= OUT) {
        m->hold = 0;
        return 0;
    }
    if (m->hold-- > 0)
        return pads[m->action] & (uint8_t)~BUTTON_A;
    read_world(m, ram);
    set_aim(m, ram);
    int light = 2 * ram[RAM_LANTERN], safe = ram[RAM_GRACE] > light ? ram[RAM_GRACE] : light;
    m->action = (uint8_t)plan(m, &nell, safe);
    m->hold = pads[m->action] & BUTTON_A || nell.mode == CLIMB ? 0 : 2;
    return pads[m->action];
}

static void start(void *state, uint64_t seed) {
    struct mind *m = state;
    m->random = seed;
    m->wait = 700;
}

static uint8_t press(void *state, const uint8_t ram[2048], uint64_t frame) {
    struct mind *m = state;
    (void)frame;
    uint8_t buttons = 0;
    if (ram[RAM_STATE] == STATE_PLAY) {
        buttons = play(m, ram);
        if (buttons & m->before & BUTTON_A) /* a jump needs A to have been released */
            buttons &= (uint8_t)~BUTTON_A;
        m->wait = 500 + (int)chance(m, 200);
    } else if (ram[RAM_STATE] == STATE_TITLE) {
        buttons = --m->wait <= 0 && m->wait > -4 ? BUTTON_START : 0;
    }
    m->before = buttons;
    return buttons;
}

const struct player player_fresnel = {
    "fresnel", "climbs to the lamp past what it foresees", sizeof(struct mind), start, press,
};
