/*
 * Plays the bundled game Starling.
 *
 * For each of nine directions it adds up the danger of the shots and enemies it would come close
 * to, and the value of what it would reach. It makes human errors: it decides only every few frames,
 * misjudges every score a little, and sometimes ignores danger for a while. Addresses are those of
 * games/starling/ram.inc.
 */
#include "play/player.h"

#include "base/base.h"

enum { /* RAM addresses */
       STATE = 0x10,
       FLOCK = 0x13,
       LEADER_X = 0x41,
       LEADER_Y = 0x43,
       LEADER_SAFE = 0x44,
       LEADER_GONE = 0x45,
       ENEMY_TYPE = 0x300,
       ENEMY_X = 0x320,
       ENEMY_Y = 0x340,
       SHOT_TYPE = 0x4A0,
       SHOT_X = 0x4C0,
       SHOT_Y = 0x4E0,
       SHOT_VX_LOW = 0x4F0,
       SHOT_VX = 0x500,
       SHOT_VY_LOW = 0x510,
       SHOT_VY = 0x520,
       PICK_TYPE = 0x5B0,
       PICK_X = 0x5B4,
       PICK_Y = 0x5B8,
       ENEMIES = 12,
       SHOTS = 16,
       PICKS = 4,
};
enum { TITLE = 0, PLAY = 2 };                            /* values of STATE */
enum { CROWER = 7, COCK = 8, GREAT = 9, STRAY = 1 };     /* enemy types */
enum { LEFT = 14, RIGHT = 242, TOP = 40, BOTTOM = 216 }; /* limits of the leader's position */
enum { AHEAD = 5, PACE = 5 }; /* evaluates AHEAD moments, PACE frames apart */

struct bird_player {
    uint64_t random;
    unsigned wait;     /* frames until the next decision */
    unsigned start_in; /* frames until it presses Start on screens that wait for it */
    unsigned dreams;   /* frames in which it ignores danger */
    unsigned breath;   /* frames without singing */
    uint8_t held;      /* directions of the last decision */
    uint8_t last_state;
    uint8_t last_x[ENEMIES], last_y[ENEMIES]; /* at the last decision, to estimate enemy speeds */
    unsigned since;                           /* frames since the last decision */
};

static uint64_t roll(struct bird_player *p) {
    return splitmix64_next(&p->random);
}

static unsigned below(struct bird_player *p, unsigned n) {
    return (unsigned)(roll(p) >> 33) % n;
}

static int clamp(int v, int low, int high) {
    return v < low ? low : v > high ? high : v;
}

static int distance(int a, int b) {
    return a < b ? b - a : a - b;
}

static int speed(uint8_t low, uint8_t high) {
    return (int)(int8_t)high * 256 + low;
}

/* Danger of being at x, y in t frames. */
static int danger_at(const struct bird_player *p, const uint8_t *ram, int x, int y, int t) {
    int sum = 0;
    if (p->dreams)
        return 0;
    for (int i = 0; i < SHOTS; i++) {
        if (!ram[SHOT_TYPE + i])
            continue;
        int sx = ram[SHOT_X + i] + speed(ram[SHOT_VX_LOW + i], ram[SHOT_VX + i]) * t / 256;
        int sy = ram[SHOT_Y + i] + speed(ram[SHOT_VY_LOW + i], ram[SHOT_VY + i]) * t / 256;
        int d = distance(x, sx) + distance(y, sy);
        if (d < 26)
            sum += (28 - d) * (28 - d);
    }
    for (int i = 0; i < ENEMIES; i++) {
        int type = ram[ENEMY_TYPE + i];
        if (!type || type == CROWER || type == COCK)
            continue;
        int ex = ram[ENEMY_X + i], ey = ram[ENEMY_Y + i];
        if (p->last_y[i] && p->since) {
            ex += (ex - p->last_x[i]) * t / (int)p->since;
            ey += (ey - p->last_y[i]) * t / (int)p->since;
        }
        int reach = type == GREAT ? 46 : 32;
        int d = distance(x, ex) + distance(y, ey);
        if (d < reach)
            sum += (reach - d) * (reach - d);
    }
    return sum;
}

/* Value of being at x, y: strays most, then acorns, a position below an enemy to sing at it, and
 * its favourite height. */
static int worth_of(const uint8_t *ram, int x, int y) {
    int sum = -distance(y, 176) * 2 - distance(x, 128) / 2;
    int aim = 256;
    for (int i = 0; i < PICKS; i++)
        if (ram[PICK_TYPE + i]) {
            int d = distance(x, ram[PICK_X + i]) + distance(y, ram[PICK_Y + i]);
            int want = ram[PICK_TYPE + i] != STRAY ? 2 : ram[FLOCK] < 4 ? 8 : 5;
            sum -= d < 120 ? want * (d - 120) / 2 : 0;
        }
    for (int i = 0; i < ENEMIES; i++)
        if (ram[ENEMY_TYPE + i] && ram[ENEMY_Y + i] < y - 20) {
            int d = distance(x, ram[ENEMY_X + i]);
            if (d < aim)
                aim = d;
        }
    if (aim < 256)
        sum -= aim * 3;
    return sum;
}

static uint8_t decide(struct bird_player *p, const uint8_t *ram) {
    static const struct {
        int dx, dy;
        uint8_t buttons;
    } ways[9] = {
        {0, 0, 0},
        {-1, 0, BUTTON_LEFT},
        {1, 0, BUTTON_RIGHT},
        {0, -1, BUTTON_UP},
        {0, 1, BUTTON_DOWN},
        {-1, -1, BUTTON_LEFT | BUTTON_UP},
        {1, -1, BUTTON_RIGHT | BUTTON_UP},
        {-1, 1, BUTTON_LEFT | BUTTON_DOWN},
        {1, 1, BUTTON_RIGHT | BUTTON_DOWN},
    };
    int best = 0, best_score = 0, most_danger = 0;
    for (int w = 0; w < 9; w++) {
        int danger = 0, x = 0, y = 0;
        for (int k = 1; k <= AHEAD; k++) {
            int t = k * PACE;
            x = clamp(ram[LEADER_X] + ways[w].dx * t * 7 / 4, LEFT, RIGHT);
            y = clamp(ram[LEADER_Y] + ways[w].dy * t * 7 / 4, TOP, BOTTOM);
            danger += danger_at(p, ram, x, y, t);
        }
        if (danger > most_danger)
            most_danger = danger;
        int score = worth_of(ram, x, y) - (ram[LEADER_SAFE] ? danger / 4 : danger);
        score += (int)below(p, 120);
        if (w == 0 || score > best_score)
            best = w, best_score = score;
    }
    /* In tight spots the flock closes up. */
    return (uint8_t)(ways[best].buttons | (most_danger > 2500 ? BUTTON_B : 0));
}

static uint8_t play(struct bird_player *p, const uint8_t *ram) {
    if (p->dreams)
        p->dreams--;
    else if (below(p, 110) == 0)
        p->dreams = 40 + below(p, 90);
    if (p->breath)
        p->breath--;
    else if (below(p, 240) == 0)
        p->breath = 8 + below(p, 24);
    p->since++;
    if (p->wait) {
        p->wait--;
    } else {
        p->held = decide(p, ram);
        p->wait = 5 + below(p, 10);
        for (int i = 0; i < ENEMIES; i++) {
            p->last_x[i] = ram[ENEMY_X + i];
            p->last_y[i] = ram[ENEMY_TYPE + i] ? ram[ENEMY_Y + i] : 0;
        }
        p->since = 0;
    }
    return (uint8_t)(p->held | (p->breath ? 0 : BUTTON_A));
}

static void start(void *state, uint64_t seed) {
    struct bird_player *p = state;
    p->random = seed;
    p->last_state = 255;
}

static uint8_t press(void *state, const uint8_t ram[2048], uint64_t frame) {
    struct bird_player *p = state;
    (void)frame; /* the game's own state suffices */
    if (ram[STATE] != p->last_state) {
        p->last_state = ram[STATE];
        p->start_in = 100 + below(p, 80);
        p->wait = p->since = 0;
    }
    if (ram[STATE] == PLAY)
        return ram[LEADER_GONE] ? 0 : play(p, ram);
    if (ram[STATE] == TITLE) {
        if (p->start_in == 0)
            p->start_in = 60;
        else if (--p->start_in < 4)
            return BUTTON_START;
    }
    return 0;
}

const struct player player_starling = {
    .name = "starling",
    .summary = "flies the flock of Starling: dodges, gathers strays, dreams now and then",
    .state_size = sizeof(struct bird_player),
    .start = start,
    .press = press,
};
