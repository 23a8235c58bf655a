/* Beds: one of the stored ones, perhaps mirrored, changed by chance more and more from bed to bed.
 */
#include "burrow.h"

#define BED_COUNT 5

static byte random_cell(void) {
    byte row;

    row = 2 + rnd_below(11);
    return (row << 4) + 1 + rnd_below(14);
}

static void frame_bed(void) {
    byte i, top;

    top = level ? GRASS : BLANK;
    for (i = 0; i < 224; ++i) {
        water[i] = 0;
        soil[i] = BLANK;
        if (i < 16) {
            continue;
        } else if (i < 32) {
            soil[i] = top;
        } else if (i >= 208 || ((level || i >= 0x70) && ((i & 15) == 0 || (i & 15) == 15))) {
            soil[i] = WALL;
        }
    }
    if (level) {
        soil[0x10] = soil[0x1F] = WALL;
    }
}

/* Turns some plain soil into kind. */
static void scatter(byte kind, byte times) {
    byte cell;

    while (times) {
        --times;
        cell = random_cell();
        if (kind_of(cell) == SOIL) {
            soil[cell] = kind;
        }
    }
}

/* Which cells can Pim dig to? Answered in scent. */
static void reach(void) {
    flood_page = (word)scent >> 8;
    flood_mask = IS_OPEN | IS_DIRT;
    flood_limit = 120;
    flood_clear();
    flood_seed(pim_cell);
    flood_run();
}

/* Of the places the bed has for bulbs some are used, by chance; none out of reach, and soil for the
 * rest. */
static void choose_bulbs(byte wanted) {
    byte cell, places;

    places = bulbs = 0;
    for (cell = 32; cell < 208; ++cell) {
        if (kind_of(cell) == BULB) {
            ++places;
        }
    }
    for (cell = 32; cell < 208; ++cell) {
        if (kind_of(cell) != BULB) {
            continue;
        }
        if (scent[cell] != NO_WAY && bulbs < wanted && rnd_below(places) < wanted - bulbs) {
            ++bulbs;
        } else {
            soil[cell] = SOIL;
        }
        --places;
    }
}

static void find_nests_and_springs(void) {
    byte cell, n, s;

    n = s = 0;
    springs[0] = springs[1] = 0;
    for (cell = 32; cell < 208; ++cell) {
        switch (kind_of(cell)) {
        case NEST:
            nests[n & 1] = cell;
            ++n;
            break;
        case SPRING:
            springs[s & 1] = cell;
            ++s;
            break;
        }
    }
    if (n == 1) {
        nests[1] = nests[0];
    }
}

void place_pim(void) {
    pim_cell = pim_goal = level ? SURFACE : 0x82;
    pim_x = cell_x(pim_cell);
    pim_y = cell_y(pim_cell);
    pim_left = pim_acc = pim_walk = 0;
    pim_dir = DOWN;
    pim_want = NOWHERE;
    pim_face = 0;
    air = AIR_MAX;
    chain = 0;
    hud_dirty |= HUD_AIR;
}

/* Bed 0 is the one that lives below the title. */
void build_bed(byte number) {
    seed = mul8(number + (games << 3), 197) + number;
    mirror = rnd() & 1;
    frame_bed();
    unpack(number ? 1 + (byte)(number - 1) % BED_COUNT : 0);
    place_pim();
    if (number) {
        scatter(STONE, number);
        scatter(ROOT, 2 + (number >> 1));
        scatter(CLAY, 2 + number);
    }
    reach();
    choose_bulbs(number > 8 ? 8 : 3 + ((number + 1) >> 1));
    find_nests_and_springs();
    energy = ENERGY_MAX;
    clods = 3;
    dug = 0;
    dusk = 1500;
}
