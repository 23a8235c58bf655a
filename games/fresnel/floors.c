/* Floors, ladders, items and the lamp: how they are drawn, and where things may be on them. */
#include "fresnel.h"

/* The ladder that leads down from a floor at f_x, or NONE. */
byte __fastcall__ ladder_down(byte floor) {
    static byte i;

    for (i = 0; i < ladders; ++i) {
        if (la_top[i] == floor && (byte)(f_x - la_x[i] + 4) < 9) {
            return i;
        }
    }
    return NONE;
}

byte __fastcall__ ladder_up(byte floor) {
    static byte i;

    for (i = 0; i < ladders; ++i) {
        if (la_bottom[i] == floor && (byte)(f_x - la_x[i] + 4) < 9) {
            return i;
        }
    }
    return NONE;
}

/* --- drawing: the two rows of four tiles between which a floor slopes no further */

static void draw_piece(byte column, byte y, byte n) {
    static byte tile;

    tile = T_FLOOR + (y & 6);
    record(column, y >> 3, n);
    fill_tile = tile;
    run_fill(n);
    if (y & 4) {
        record(column, (y >> 3) + 1, n);
        fill_tile = tile + 1;
        run_fill(n);
    }
}

/* A floor from column x0 to x1. Columns past the picture are those of lifts, which are sprites. */
void add_floor(byte x0, byte x1, byte y, small slope) {
    static byte n;

    fl_x0[floors] = x0 << 3;
    fl_x1[floors] = (x1 << 3) + 7;
    fl_y[floors] = y;
    fl_slope[floors] = slope;
    fl_belt[floors] = 0;
    ++floors;
    if (slope == 0) {
        draw_piece(x0, y, x1 - x0 + 1);
        return;
    }
    while (x0 <= x1) {
        n = x1 - x0 + 1;
        if (n > 4) {
            n = 4;
        }
        draw_piece(x0, y, n);
        x0 += 4;
        y += slope;
    }
}

/* A ladder between two floors. Tiles in which it meets a floor that does not begin at the tile's
 * upper edge are drawn with both. */
void add_ladder(byte column, byte top, byte bottom) {
    static byte y0, y1, row, last, n;

    f_x = CENTRE(column);
    y0 = floor_y(top);
    y1 = floor_y(bottom);
    la_x[ladders] = f_x;
    la_top[ladders] = top;
    la_bottom[ladders] = bottom;
    la_y0[ladders] = y0;
    la_y1[ladders] = y1;
    ++ladders;
    row = y0 >> 3;
    last = y1 >> 3;
    n = last - row;
    if (y0 & 6) {
        ++row;
        --n;
    }
    if (y1 & 6) {
        ++n;
    }
    record(column, row | 0x80, n);
    fill_tile = T_LADDER;
    run_fill(n);
    if ((y0 & 6) == 0) {
        vq[(byte)(vq_n - n)] = T_MEET;
    } else if (y0 & 4) {
        vq[(byte)(vq_n - n)] = T_MEET + (y0 & 6) + 1;
    }
    if (y1 & 6) {
        vq[(byte)(vq_n - 1)] = T_MEET + (y1 & 6);
    }
}

/* --- attributes: a copy is kept in attrs, as the PPU's cannot be read */

/* The palette of the 2 x 2 tiles around a tile. */
void tint(byte column, byte row, byte palette) {
    static byte at, lift;

    at = ((row & 0x1C) << 1) + (column >> 2);
    lift = ((row & 2) << 1) | (column & 2);
    attrs[at] = (attrs[at] & ~(3 << lift)) | palette << lift;
    vq[vq_n++] = 0x23;
    vq[vq_n++] = 0xC0 + at;
    vq[vq_n++] = (32 - 1) << 2;
    vq[vq_n++] = attrs[at];
}

/* The palette of rows of 32 x 4 tiles. */
void band(byte first, byte rows, byte palette) {
    static byte at;

    first <<= 3;
    rows <<= 3;
    palette *= 0x55;
    vq[vq_n++] = 0x23;
    vq[vq_n++] = 0xC0 + first;
    vq[vq_n++] = (32 - rows) << 2;
    fill_tile = palette;
    run_fill(rows);
    for (at = first; rows; ++at, --rows) {
        attrs[at] = palette;
    }
}

static void block(byte column, byte row, byte tile) {
    record(column, row, 2);
    vq[vq_n++] = tile;
    vq[vq_n++] = tile + 1;
    record(column, row + 1, 2);
    vq[vq_n++] = tile + 2;
    vq[vq_n++] = tile + 3;
}

void add_item(byte column, byte row, byte kind) {
    it_x[items] = column;
    it_y[items] = row;
    it_kind[items] = kind;
    ++items;
    tint(column, row, 2);
    block(column, row, kind == FLASK ? T_FLASK : T_LANTERN);
}

static void draw_lamp(byte tile) {
    static byte row, column;

    row = (fl_y[lamp_floor] >> 3) - 2;
    column = (lamp_x >> 3) - 1;
    block(column, row, tile);
}

void add_lamp(byte column, byte floor) {
    lamp_x = (column << 3) + 8;
    lamp_floor = floor;
    tint(column, (fl_y[floor] >> 3) - 2, 2);
    draw_lamp(T_LAMPOUT);
}

void light_lamp(void) {
    draw_lamp(T_LAMPLIT);
}

/* --- each step */

/* The tiles of one belt after the other move on. */
void belts_step(void) {
    static byte x, n;

    if (++belt_at >= floors) {
        belt_at = 0;
    }
    if (fl_belt[belt_at] == 0 || (fl_y[belt_at] & 7) || fl_x0[belt_at] & 7) {
        return; /* no belt, or a lift: they are never just there */
    }
    x = fl_x0[belt_at] >> 3;
    n = ((byte)(fl_x1[belt_at] - fl_x0[belt_at]) >> 3) + 1;
    record(x, fl_y[belt_at] >> 3, n);
    fill_tile = hi(ticks << 4);
    if (fl_belt[belt_at] < 0) {
        fill_tile = ~fill_tile;
    }
    fill_tile = T_BELT1 + (fill_tile & 3);
    run_fill(n);
}

/* What the hero touches is taken. */
void items_step(void) {
    static byte i, x, y;

    for (i = 0; i < items; ++i) {
        if (it_kind[i] == 0) {
            continue;
        }
        x = (it_x[i] << 3) + 8;
        y = (it_y[i] << 3) + 16;
        if ((byte)(hx - x + 9) > 18 || (byte)(hy - y + 10) > 24) {
            continue;
        }
        block(it_x[i], it_y[i], T_EMPTY);
        if (it_kind[i] == FLASK) {
            sfx = SFX_FLASK;
            score_add(20);
            pop_points(x, y, 1);
            if (need) {
                --need;
                hud_dirty |= HUD_NEED;
            }
        } else {
            sfx = SFX_LANTERN;
            lantern = 240;
        }
        it_kind[i] = 0;
    }
}
