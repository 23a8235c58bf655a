/* The picture: cells, HUD, sprites. While rendering is on, everything goes through the ring that
 * NMI empties. */
#include "burrow.h"

/* First tile of each kind; OPEN and wet cells are composed. */
static const byte cell_tile[KINDS] = {BG_EDGE0, BG_GRASS,  BG_FLOWER, BG_NEST,  BG_LOAM,
                                      BG_CLAY,  BG_ROOT,   BG_PACKED, BG_BULB,  BG_STONE,
                                      BG_WALL,  BG_SPRING, 0,         BG_SPROUT};
static const byte cell_palette[KINDS] = {0, 1, 3, 0, 0, 0, 1, 0, 3, 2, 2, 2, 1, 3};

/* Four themes, each four background palettes of which the first, soil, changes. */
static const byte themes[4][4] = {{0x0F, 0x07, 0x17, 0x27},
                                  {0x0F, 0x06, 0x16, 0x26},
                                  {0x0F, 0x08, 0x18, 0x28},
                                  {0x0F, 0x03, 0x14, 0x24}};
static const byte palette[28] = {0x0F, 0x09, 0x1A, 0x39, 0x0F, 0x01, 0x12, 0x31, 0x0F, 0x15,
                                 0x25, 0x30, 0x0F, 0x0F, 0x28, 0x37, 0x0F, 0x0F, 0x16, 0x36,
                                 0x0F, 0x0F, 0x2A, 0x39, 0x0F, 0x0F, 0x21, 0x30};

static byte walled(byte cell) {
    return props_of(cell) & IS_WALL;
}

/* An open cell has an edge wherever soil is. */
static void compose_tunnel(byte cell) {
    byte up, down, left, right;

    up = walled(cell - 16) ? 2 : 0;
    down = walled(cell + 16) ? 2 : 0;
    left = walled(cell - 1) ? 1 : 0;
    right = walled(cell + 1) ? 1 : 0;
    quad[0] = BG_EDGE0 + (up | left);
    quad[1] = BG_EDGE4 + (up | right);
    quad[2] = BG_EDGE8 + (down | left);
    quad[3] = BG_EDGE12 + (down | right);
}

static void compose_water(byte amount) {
    quad[2] = quad[3] = amount > 4 ? BG_WET4 : BG_WET0 + amount;
    quad[0] = quad[1] = amount > 4 ? BG_WET0 + amount - 4 : BG_WET0;
}

/* Tiles of a cell -> quad. */
static void compose(byte cell) {
    byte kind, tile;

    kind = kind_of(cell);
    if (water[cell] && (props[kind] & IS_DUCT) && kind != FLOWER) {
        compose_water(water[cell]);
        return;
    }
    if (kind == OPEN) {
        compose_tunnel(cell);
        return;
    }
    if (kind == BLANK) {
        quad[0] = quad[1] = quad[2] = quad[3] = 0;
        return;
    }
    tile = cell_tile[kind];
    if (kind == SOIL) {
        if (cell >= 0xA0) {
            tile = BG_DEEP;
        } else if (cell >= 0x60) {
            tile = BG_GRIT;
        } else if ((cell ^ (cell >> 3)) & 2) {
            tile = BG_LOAM2;
        }
    } else if (kind == GRASS && ((cell * 5) & 8)) {
        tile = BG_GRASS2;
    }
    quad[0] = tile;
    quad[1] = tile + 1;
    quad[2] = tile + 2;
    quad[3] = tile + 3;
}

static byte palette_of(byte cell) {
    byte kind;

    if (cell >= 224) {
        return 0;
    }
    kind = kind_of(cell);
    if (water[cell] && (props[kind] & IS_DUCT) && kind != FLOWER) {
        return 2;
    }
    if (cell < 16) {
        return 3;
    }
    return cell_palette[kind];
}

/* Two by two cells share an attribute byte; rows of cells lie one below the rows of the attribute
 * table. */
static byte attribute(byte cell) {
    byte corner;

    corner = (((cell + 16) & 0xE0) | (cell & 0x0E)) - 16;
    return palette_of(corner) | (palette_of(corner + 1) << 2) | (palette_of(corner + 16) << 4) |
           (palette_of(corner + 17) << 6);
}

/* A cell's record for the ring. */
static void cell_record(byte cell, byte *record) {
    byte row;

    compose(cell);
    row = (cell >> 4) + 1;
    record[0] = 0x20 + (row >> 2);
    record[1] = (row << 6) | ((cell & 15) << 1);
    record[2] = quad[0];
    record[3] = quad[1];
    record[4] = quad[2];
    record[5] = quad[3];
    record[6] = 0xC0 + ((row >> 1) << 3) + ((cell & 15) >> 1);
    record[7] = attribute(cell);
}

static void draw_cell_now(byte cell) {
    cell_record(cell, ring);
    ppu_at(((word)ring[0] << 8) | ring[1]);
    ppu_put(ring[2]);
    ppu_put(ring[3]);
    ppu_at(((word)ring[0] << 8) | ring[1] | 32);
    ppu_put(ring[4]);
    ppu_put(ring[5]);
    ppu_at(0x2300 | ring[6]);
    ppu_put(ring[7]);
    soil[cell] &= 0x7F;
}

static void load_palettes(void) {
    byte i;
    const byte *theme;

    theme = themes[level & 3];
    ppu_at(0x3F00);
    for (i = 0; i < 4; ++i) {
        ppu_put(theme[i]);
    }
    for (i = 0; i < 28; ++i) {
        ppu_put(palette[i]);
    }
}

/* Rendering must be off. */
void draw_screen(void) {
    byte cell;

    load_palettes();
    ppu_at(0x2000);
    ppu_fill(0, 128);
    ppu_at(0x23C0);
    ppu_fill(0xFF, 8);
    for (cell = 16; cell < 224; ++cell) {
        draw_cell_now(cell);
    }
    draw_text(20, 2, "TOP");
    hud_dirty = HUD_ALL;
    oam_begin();
}

void draw_text(byte column, byte row, const char *text) {
    ppu_at(0x2000 | ((word)row << 5) | column);
    while (*text) {
        ppu_put(*text - ' ');
        ++text;
    }
}

/* A record of text for the ring: its tiles are to be written to what this returns. */
static byte *text_record(byte column, byte row) {
    byte *record;

    record = ring + ring_n;
    ring_n += 8;
    record[0] = 0xA0 | (row >> 3);
    record[1] = (row << 5) | column;
    return record + 2;
}

/* Twelve letters over the surface. */
void message(const char *text) {
    byte half, i;
    byte *tiles;

    for (half = 0; half < 2; ++half) {
        tiles = text_record(half ? 16 : 10, 4);
        for (i = 0; i < 6; ++i) {
            tiles[i] = *text - ' ';
            ++text;
        }
    }
}

void message_end(void) {
    byte cell;

    for (cell = 0x15; cell < 0x1B; ++cell) {
        mark_cell(cell);
    }
}

/* --- HUD: six fields of six tiles */

static void digits(byte *tiles, byte count, word value) {
    while (count) {
        --count;
        value = div16(value, 10);
        tiles[count] = '0' - ' ' + div_rest;
    }
}

static void bar(byte *tiles, byte count, byte value, byte unit) {
    byte part;

    part = unit / 3;
    while (count) {
        --count;
        if (value >= unit) {
            *tiles = BG_BAR3;
            value -= unit;
        } else {
            *tiles = BG_BAR0 + (value ? value / part : 0);
            value = 0;
        }
        ++tiles;
    }
}

static void hud_score(byte *tiles) {
    digits(tiles, 5, score);
    tiles[5] = '0' - ' ';
}

static void hud_bed(byte *tiles) {
    tiles[0] = 'B' - ' ';
    tiles[1] = 'E' - ' ';
    tiles[2] = 'D' - ' ';
    tiles[3] = 0;
    digits(tiles + 4, 2, level);
}

static void hud_best(byte *tiles) {
    digits(tiles, 5, best);
    tiles[5] = '0' - ' ';
}

static void hud_lives(byte *tiles) {
    byte i;

    for (i = 0; i < 6; ++i) {
        tiles[i] = i < lives ? BG_HEART : 0;
    }
}

static void hud_air(byte *tiles) {
    bar(tiles, 6, air, AIR_MAX / 6);
}

static void hud_bag(byte *tiles) {
    tiles[0] = BG_CLOD;
    digits(tiles + 1, 1, clods);
    tiles[2] = BG_BUD;
    digits(tiles + 3, 1, bulbs);
    bar(tiles + 4, 2, energy, ENERGY_MAX / 2);
}

static void (*const hud_fields[6])(byte *) = {hud_score, hud_bed, hud_best,
                                              hud_lives, hud_air, hud_bag};
static const byte hud_columns[6] = {2, 12, 24, 2, 12, 22};

/* At most two fields a step. */
static void hud_step(void) {
    byte i, bit, room;

    room = 2;
    bit = 1;
    for (i = 0; i < 6 && room; ++i) {
        if (hud_dirty & bit) {
            hud_fields[i](text_record(hud_columns[i], i < 3 ? 2 : 3));
            hud_dirty ^= bit;
            --room;
            work += 120;
        }
        bit <<= 1;
    }
}

/* --- sprites */

static const byte looks[4] = {SP_SNIP, SP_MITE, SP_WORM, SP_NYMPH};
static const byte colours[4] = {1, 3, 1, 2};

void pop(byte x, byte y, byte tile) {
    byte i;

    i = phase % 3;
    pop_x[i] = x + 4;
    pop_y[i] = y;
    pop_tile[i] = tile;
    pop_time[i] = 24;
}

static void draw_pops(void) {
    byte i;

    spr_attr = 3;
    for (i = 0; i < 3; ++i) {
        if (pop_time[i]) {
            --pop_time[i];
            if (pop_time[i] & 1) {
                --pop_y[i];
            }
            spr_x = pop_x[i];
            spr_y = pop_y[i];
            spr_tile = pop_tile[i];
            put8();
        }
    }
}

static void draw_pim(void) {
    if (state == ST_READY && (phase & 2)) {
        return;
    }
    spr_x = pim_x;
    spr_y = pim_y;
    spr_attr = pim_face;
    if (state == ST_OUT || state == ST_OVER) {
        spr_tile = SP_PIM_OUT;
        spr_attr = (phase << 2) & 0x40;
    } else if (pim_dir & 1) {
        spr_tile = pim_walk & 4 ? SP_PIM_SIDE2 : SP_PIM_SIDE;
    } else {
        spr_tile = SP_PIM_UP;
        spr_attr = (pim_walk << 4) & 0x40;
        if (pim_dir == DOWN) {
            spr_attr |= 0x80;
        }
    }
    put16();
    if (air < AIR_MAX) { /* bubbles */
        spr_tile = SP_BUBBLE;
        spr_attr = 3;
        spr_x = pim_x + 4;
        spr_y = pim_y - (air & 15);
        put8();
    }
}

static void draw_creature(byte i) {
    byte kind;

    if (en_gone[i]) {
        return;
    }
    kind = en_kind[i];
    spr_x = en_x[i];
    spr_y = en_y[i];
    spr_tile = looks[kind];
    if (!en_stun[i] && (phase + (i << 1)) & 4) {
        spr_tile += 4;
    }
    spr_attr = en_face[i] | colours[kind];
    put16();
    work += 28;
    spr_attr = 3;
    spr_y -= 5;
    spr_x += 4;
    if (en_stun[i]) {
        if (en_stun[i] > 20 || phase & 1) {
            spr_tile = SP_STAR;
            put8();
        }
    } else if (kind == DROWSE && en_wait[i]) {
        spr_tile = SP_ZED;
        spr_y -= (phase >> 2) & 3;
        put8();
    }
}

/* A thump runs out from Pim in four quarters of a ring. */
static void draw_ripple(void) {
    byte reach, i;

    reach = 22 - shake;
    for (i = 0; i < 4; ++i) {
        spr_tile = SP_RIPPLE;
        spr_x = i & 1 ? pim_x + 8 + reach : pim_x - reach;
        spr_y = i & 2 ? pim_y + 8 + reach : pim_y - reach;
        spr_attr = (i << 6) | 3;
        put8();
    }
}

/* The step's picture. */
void draw_step(void) {
    byte cell, i;

    hud_step();
    while (ring_n < RING_SIZE) {
        cell = next_marked();
        if (!cell) {
            break;
        }
        if (cell >= 16) {
            cell_record(cell, ring + ring_n);
            ring_n += 8;
            work += 96;
        }
    }
    oam_begin();
    draw_pim();
    for (i = 0; i < cre_count; ++i) {
        draw_creature(i);
    }
    if (shake) {
        draw_ripple();
    }
    draw_pops();
}
