/* Creatures: what the operations of their scripts (vm.s) do, how they move, how they come and go.
 */
#include "burrow.h"

static const signed char step_x[4] = {0, 1, 0, -1}, step_y[4] = {-1, 0, 1, 0};

/* Who lives in beds 1, 2, ...; bed 0 (title) has one of each. Later beds like the last. */
static const byte dwellers[7][CREATURES] = {
    {SNIP, MITE, WORM, DROWSE, NO_WAY, NO_WAY}, {SNIP, MITE, SNIP, NO_WAY, NO_WAY, NO_WAY},
    {SNIP, WORM, MITE, DROWSE, NO_WAY, NO_WAY}, {SNIP, MITE, DROWSE, SNIP, WORM, NO_WAY},
    {DROWSE, WORM, SNIP, MITE, SNIP, NO_WAY},   {WORM, SNIP, DROWSE, MITE, SNIP, WORM},
    {DROWSE, SNIP, WORM, SNIP, MITE, DROWSE},
};

/* The neighbour with the lowest number of a field, ties by chance; sets stuck if there is none. */
static void downhill(const byte *field, byte mask) {
    byte d, tries, n, low;

    low = NO_WAY;
    stuck = 1;
    d = rnd() & 3;
    for (tries = 0; tries < 4; ++tries) {
        n = en_cell[ci] + offsets[d];
        if ((props_of(n) & mask) && field[n] < low) {
            low = field[n];
            en_dir[ci] = d;
            stuck = 0;
        }
        d = (d + 1) & 3;
    }
}

void op_chase(void) {
    downhill(trail, IS_OPEN);
}

void op_seek(void) {
    downhill(scent, IS_OPEN | IS_SOFT);
}

void op_climb(void) {
    downhill(water, IS_OPEN);
    if (rnd() < 90 && (props_of(en_cell[ci] - 16) & (IS_OPEN | IS_SOFT))) {
        en_dir[ci] = UP;
        stuck = 0;
    }
}

void op_flee(void) {
    byte d, n, high;

    high = 0;
    stuck = 1;
    for (d = 0; d < 4; ++d) {
        n = en_cell[ci] + offsets[d];
        if ((props_of(n) & IS_OPEN) && trail[n] != NO_WAY && trail[n] >= high) {
            high = trail[n];
            en_dir[ci] = d;
            stuck = 0;
        }
    }
}

static byte try_way(byte d) {
    if (props_of(en_cell[ci] + offsets[d]) & (IS_OPEN | IS_SOFT)) {
        en_dir[ci] = d;
        return 1;
    }
    return 0;
}

void op_aim(void) {
    byte across, along, dx, dy;

    if (pim_x < en_x[ci]) {
        across = LEFT;
        dx = en_x[ci] - pim_x;
    } else {
        across = RIGHT;
        dx = pim_x - en_x[ci];
    }
    if (pim_y < en_y[ci]) {
        along = UP;
        dy = en_y[ci] - pim_y;
    } else {
        along = DOWN;
        dy = pim_y - en_y[ci];
    }
    if (dx > dy) {
        stuck = !(try_way(across) || (dy && try_way(along)));
    } else {
        stuck = !(try_way(along) || (dx && try_way(across)));
    }
}

void op_wander(void) {
    byte d, tries, back;

    stuck = 0;
    back = en_dir[ci] ^ 2;
    d = rnd() & 3;
    for (tries = 0; tries < 4; ++tries) {
        if (d != back && (props_of(en_cell[ci] + offsets[d]) & IS_OPEN)) {
            en_dir[ci] = d;
            return;
        }
        d = (d + 1) & 3;
    }
    if (props_of(en_cell[ci] + offsets[back & 3]) & IS_OPEN) {
        en_dir[ci] = back & 3;
    } else {
        en_dir[ci] = d;
        stuck = 1;
    }
}

void __fastcall__ op_go(byte mask) {
    byte goal;

    goal = en_cell[ci] + offsets[en_dir[ci] & 3];
    if (!(props_of(goal) & mask)) {
        en_wait[ci] = 3;
        return;
    }
    en_goal[ci] = goal;
    en_left[ci] = 16;
    if (en_dir[ci] & 1) {
        en_face[ci] = en_dir[ci] == LEFT ? 0x40 : 0;
    }
}

void op_gnaw(void) {
    byte d, n;

    for (d = 0; d < 4; ++d) {
        n = en_cell[ci] + offsets[d];
        if ((props_of(n) & IS_LIFE) && rnd() < 70) {
            dig_cell(n);
            bulb_gone();
            return;
        }
    }
}

void op_sprout(void) {
    byte n;

    n = en_cell[ci] + offsets[(en_dir[ci] & 3) ^ 2];
    if (kind_of(n) == OPEN && n != pim_cell && n != pim_goal) {
        water[n] = 0;
        set_cell(n, ROOT);
    }
}

void __fastcall__ op_speed(byte n) {
    n += level > 8 ? 12 : level + (level >> 1);
    if (!dusk) {
        n += 6;
    }
    en_speed[ci] = n;
}

static void move(void) {
    byte d;

    d = en_dir[ci] & 3;
    en_acc[ci] += en_speed[ci];
    if ((props_of(en_goal[ci]) & IS_SOFT) && en_speed[ci] > 6) {
        en_acc[ci] -= en_speed[ci] >> 1;
    }
    while (en_acc[ci] >= 16 && en_left[ci]) {
        en_acc[ci] -= 16;
        en_x[ci] += step_x[d];
        en_y[ci] += step_y[d];
        --en_left[ci];
        if (en_left[ci] == 8) {
            if (props_of(en_goal[ci]) & IS_SOFT) {
                dig_cell(en_goal[ci]);
            } else if (!(props_of(en_goal[ci]) & IS_OPEN)) {
                /* plugged in its face: back to where it came from */
                en_left[ci] = 8;
                d ^= 2;
                en_dir[ci] = d;
                en_goal[ci] = en_cell[ci];
            }
        }
    }
    if (!en_left[ci]) {
        en_cell[ci] = en_goal[ci];
    }
    work += 48;
}

/* What stands in deep water for too long is washed away. */
static void soak(void) {
    if (water[en_cell[ci]] > DEEP && (props_of(en_cell[ci]) & IS_DUCT)) {
        if (++en_wet[ci] > 50) {
            creature_catch(ci);
        }
    } else {
        en_wet[ci] = 0;
    }
}

static void come_out(byte i) {
    byte nest;

    nest = nests[rnd() & 1];
    if (kind_of(nest) != NEST) {
        nest = nests[0];
    }
    if (trail[nest] < 4) {
        en_gone[i] = 20; /* not in front of Pim */
        return;
    }
    en_cell[i] = en_goal[i] = nest;
    en_x[i] = cell_x(nest);
    en_y[i] = cell_y(nest);
    en_dir[i] = rnd() & 3;
    en_left[i] = en_acc[i] = en_wait[i] = en_stun[i] = en_wet[i] = en_loop[i] = 0;
    en_speed[i] = 8;
    en_pc[i] = script_start[en_kind[i]];
}

/* They leave the nests one after the other. */
void creatures_reset(void) {
    byte i, kind;
    const byte *row;

    row = dwellers[level > 6 ? 6 : level];
    cre_count = 0;
    for (i = 0; i < CREATURES; ++i) {
        kind = row[i];
        if (kind == NO_WAY) {
            break;
        }
        en_kind[i] = kind;
        en_gone[i] = 10 + i * 14;
        en_face[i] = 0;
        ++cre_count;
    }
}

/* By thump or water: twenty points, forty, eighty, ... */
void creature_catch(byte i) {
    if (chain < 3) {
        ++chain;
    }
    score_add((word)1 << chain);
    pop(en_x[i], en_y[i], SP_POP20 - 1 + chain);
    sfx = SFX_CATCH;
    en_gone[i] = 120;
}

void creatures_step(void) {
    for (ci = 0; ci < cre_count; ++ci) {
        work += 12;
        if (en_gone[ci]) {
            if (--en_gone[ci] == 0) {
                come_out(ci);
            }
        } else if (en_stun[ci]) {
            --en_stun[ci];
        } else if (en_left[ci]) {
            move();
            soak();
        } else {
            soak();
            vm_run();
        }
    }
}

static byte apart(byte a, byte b) {
    return a < b ? b - a : a - b;
}

/* Does creature i touch Pim? */
byte creature_at(byte i) {
    return !en_gone[i] && apart(en_x[i], pim_x) < 11 && apart(en_y[i], pim_y) < 11;
}
