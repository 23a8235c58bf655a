/* Pim the vole: digging, walking, thumping, plugging. */
#include "burrow.h"

/* Sixteenths of a pixel a step, by the kind of the cell ahead. */
static const byte speeds[KINDS] = {34, 36, 34, 34, 22, 13, 12, 16, 18, 0, 0, 0, 0, 18};
static const signed char step_x[4] = {0, 1, 0, -1}, step_y[4] = {-1, 0, 1, 0};

static byte pad_direction(void) {
    if (pad & PAD_UP) {
        return UP;
    }
    if (pad & PAD_DOWN) {
        return DOWN;
    }
    if (pad & PAD_LEFT) {
        return LEFT;
    }
    if (pad & PAD_RIGHT) {
        return RIGHT;
    }
    return NOWHERE;
}

static void pick_bulb(byte cell) {
    score_add(mul8(level + 3, 3));
    pop(cell_x(cell), cell_y(cell), SP_POP20);
    sfx = SFX_PICK;
    dig_cell(cell);
    bulb_gone();
}

/* Half way into a cell it gives way. */
static void break_through(byte cell) {
    switch (kind_of(cell)) {
    case SOIL:
    case CLAY:
    case ROOT:
    case PACKED:
        dig_cell(cell);
        sfx = SFX_DIG;
        score_add(1);
        if (++dug == 3) {
            dug = 0;
            if (clods < CLODS_MAX) {
                ++clods;
                hud_dirty |= HUD_BAG;
            }
        }
        break;
    case BULB:
    case SPROUT:
        pick_bulb(cell);
        break;
    case FLOWER:
        score_add(mul8(level, 2));
        sfx = SFX_PICK;
        set_cell(cell, OPEN);
        break;
    }
}

static void turn(byte want) {
    byte goal;

    if (want == NOWHERE) {
        return;
    }
    pim_dir = want;
    if (want == LEFT || want == RIGHT) {
        pim_face = want == LEFT ? 0x40 : 0;
    }
    goal = pim_cell + offsets[want];
    if (props_of(goal) & (IS_OPEN | IS_DIRT)) {
        pim_goal = goal;
        pim_left = 16;
    }
}

static void turn_back(void) {
    byte cell;

    cell = pim_cell;
    pim_cell = pim_goal;
    pim_goal = cell;
    pim_left = 16 - pim_left;
    pim_dir ^= 2;
    if (pim_dir & 1) {
        pim_face ^= 0x40;
    }
}

static void go(void) {
    byte speed;

    speed = speeds[kind_of(pim_goal)];
    if (water[pim_goal] >= DEEP && (props_of(pim_goal) & IS_DUCT)) {
        speed >>= 1;
    }
    pim_acc += speed;
    ++pim_walk;
    while (pim_acc >= 16 && pim_left) {
        pim_acc -= 16;
        pim_x += step_x[pim_dir];
        pim_y += step_y[pim_dir];
        --pim_left;
        if (pim_left == 8) {
            break_through(pim_goal);
        }
    }
    if (!pim_left) {
        pim_cell = pim_goal;
    }
}

static void thump(void) {
    byte i;

    if (energy < THUMP_COST) {
        return;
    }
    energy -= THUMP_COST;
    shake = 20;
    sfx = SFX_THUMP;
    hud_dirty |= HUD_BAG;
    for (i = 0; i < cre_count; ++i) {
        if (!en_gone[i] && trail[en_cell[i]] < 7) {
            en_stun[i] = 70;
        }
    }
}

/* Packs a clod into the tunnel behind. */
static void plug(void) {
    byte cell;

    cell = pim_cell + offsets[pim_dir ^ 2];
    if (!clods || kind_of(cell) != OPEN || cell == pim_goal) {
        return;
    }
    --clods;
    water[cell] = 0;
    set_cell(cell, PACKED);
    sfx = SFX_PLUG;
    hud_dirty |= HUD_BAG;
}

static void breathe(void) {
    if (water[pim_cell] > DEEP && (props_of(pim_cell) & IS_DUCT)) {
        if (air) {
            --air;
            hud_dirty |= HUD_AIR;
        }
    } else if (air < AIR_MAX) {
        ++air;
        hud_dirty |= HUD_AIR;
    }
}

void pim_step(void) {
    pim_want = pad_direction();
    if (!pim_left) {
        turn(pim_want);
    } else if (pim_want == (pim_dir ^ 2)) {
        turn_back();
    }
    if (pim_left) {
        go();
    }
    if (pad_new & PAD_A) {
        thump();
    }
    if (pad_new & PAD_B) {
        plug();
    }
    breathe();
    if (energy < ENERGY_MAX && (phase & 7) == 0) {
        ++energy;
        hud_dirty |= HUD_BAG;
    }
}
