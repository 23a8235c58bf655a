/* The soil: digging, water that runs down through tunnels, roots that grow back. */
#include "burrow.h"

const byte props[KINDS] = {
    IS_OPEN | IS_DUCT | IS_FREE, /* OPEN */
    IS_OPEN,                     /* GRASS */
    IS_OPEN | IS_DUCT,           /* FLOWER */
    IS_OPEN | IS_DUCT,           /* NEST */
    IS_DIRT | IS_SOFT | IS_WALL, /* SOIL */
    IS_DIRT | IS_SOFT | IS_WALL, /* CLAY */
    IS_DIRT | IS_SOFT | IS_WALL, /* ROOT */
    IS_DIRT | IS_WALL,           /* PACKED: holds against creatures */
    IS_DIRT | IS_LIFE,           /* BULB */
    IS_WALL,                     /* STONE */
    IS_WALL,                     /* WALL */
    IS_WALL,                     /* SPRING */
    0,                           /* BLANK */
    IS_DIRT | IS_LIFE            /* SPROUT */
};
const byte offsets[4] = {240, 1, 16, 255};

/* The tunnel edges of the neighbours depend on what is here, so they are drawn anew too. */
void __fastcall__ set_cell(byte cell, byte kind) {
    byte d, n;

    work += 90;
    soil[cell] = kind | 0x80;
    for (d = 0; d < 4; ++d) {
        n = cell + offsets[d];
        if (kind_of(n) == OPEN) {
            mark_cell(n);
        }
    }
}

void dig_cell(byte cell) {
    water[cell] = 0;
    set_cell(cell, OPEN);
}

static void drink(byte cell) {
    if (++water[cell] == 2) {
        set_cell(cell, SPROUT);
    } else if (water[cell] >= 4) {
        water[cell] = 0;
        set_cell(cell, FLOWER);
        sfx = SFX_BLOOM;
        score_add(mul8(level + 3, 8));
        pop(cell_x(cell), cell_y(cell), SP_PETAL);
        bulb_gone();
    }
}

/* A bulb beside water drinks one part of it. */
static byte feed(byte cell, byte amount) {
    byte d, n;

    for (d = 0; d < 4; ++d) {
        n = cell + offsets[d];
        if ((props_of(n) & IS_LIFE) && amount && rnd() < 120) {
            --amount;
            drink(n);
        }
    }
    return amount;
}

static byte sideways(byte cell, byte amount) {
    byte side, n, give, tries;

    side = rnd() & 1 ? 1 : 255;
    for (tries = 0; tries < 2; ++tries) {
        n = cell + side;
        if ((props_of(n) & IS_DUCT) && water[n] + 1 < amount) {
            give = (amount - water[n]) >> 1;
            amount -= give;
            water[n] += give;
            mark_cell(n);
        }
        side = -side;
    }
    return amount;
}

/* One cell of the automaton: down first, then sideways, then what drinks it or dries it up. */
static void flow(byte cell) {
    byte amount, give, below;

    amount = water[cell];
    below = cell + 16;
    if ((props_of(below) & IS_DUCT) && water[below] < FULL) {
        give = FULL - water[below];
        if (give > amount) {
            give = amount;
        }
        amount -= give;
        water[below] += give;
        mark_cell(below);
    }
    if (amount > 1) {
        amount = sideways(cell, amount);
    }
    amount = feed(cell, amount);
    if (amount && rnd() < 9) {
        --amount;
    }
    if (amount != water[cell]) {
        water[cell] = amount;
        mark_cell(cell);
    }
}

static void springs_run(void) {
    byte i, d, n;

    for (i = 0; i < 2; ++i) {
        if (!springs[i]) {
            continue;
        }
        for (d = RIGHT; d <= LEFT; ++d) {
            n = springs[i] + offsets[d];
            if ((props_of(n) & IS_DUCT) && water[n] < FULL && rnd() < 150) {
                ++water[n];
                mark_cell(n);
                if (water[n] == 1) {
                    sfx = SFX_SPLASH;
                }
            }
        }
    }
}

/* Half of the bed at a time, from below: what falls has room before more falls onto it. */
void flow_step(byte upper) {
    byte cell, last, wet;

    if (upper) {
        springs_run();
        cell = 0x6E;
        last = 0x20;
    } else {
        cell = 0xCE;
        last = 0x70;
    }
    wet = 0;
    for (; cell != last; --cell) {
        if (water[cell] && (props_of(cell) & IS_DUCT)) {
            flow(cell);
            ++wet;
        }
    }
    work += mul8(wet, 54) + 190;
}

/* One row a step: a root now and then grows into the tunnel beside it. */
void roots_step(void) {
    static const byte rows[16] = {0x20, 0x80, 0x50, 0xB0, 0x30, 0x90, 0x60, 0xC0,
                                  0x40, 0xA0, 0x70, 0x20, 0x50, 0x80, 0xB0, 0x60};
    byte cell, i, n;

    cell = rows[phase & 15];
    for (i = 1; i < 15; ++i) {
        ++cell;
        if (kind_of(cell) == ROOT && rnd() < 10 + level) {
            n = cell + offsets[rnd() & 3];
            if ((props_of(n) & IS_FREE) && water[n] < DEEP && n != pim_cell && n != pim_goal) {
                water[n] = 0;
                set_cell(n, ROOT);
            }
        }
    }
}
