/* The game's states and its pace. */
#include "burrow.h"

#define EXTRA_LIFE 2000 /* tens of points */

static void enter(byte next);

void score_add(word tens) {
    if (state != ST_PLAY && state != ST_CLEAR) {
        return;
    }
    score += tens;
    hud_dirty |= HUD_SCORE;
    if (score > best) {
        best = score;
        hud_dirty |= HUD_BEST;
    }
    if (score >= next_life) {
        next_life += EXTRA_LIFE;
        if (lives < 6) {
            ++lives;
        }
        sfx = SFX_LIFE;
        hud_dirty |= HUD_LIVES;
    }
}

void bulb_gone(void) {
    --bulbs;
    hud_dirty |= HUD_BAG;
}

/* --- what a step does beside moving the world */

static const byte demo_pads[8] = {PAD_LEFT,  PAD_DOWN, PAD_RIGHT, PAD_UP,
                                  PAD_RIGHT, PAD_DOWN, PAD_LEFT,  PAD_A | PAD_DOWN};

static void title_tick(void) {
    static const char *const words[2] = {"PRESS START ", "            "};

    if (pad_new & PAD_START) {
        seed += frames;
        ++games;
        level = 1;
        lives = 3;
        score = 0;
        next_life = EXTRA_LIFE;
        enter(ST_READY);
        return;
    }
    if ((phase & 15) == 0) { /* Pim digs about below the title */
        timer = demo_pads[rnd() & 7];
        message(words[(phase >> 4) & 1]);
    }
    pad = timer;
    pad_new = phase & 63 ? 0 : timer;
    if (!bulbs) {
        enter(ST_TITLE);
    }
}

static void ready_tick(void) {
    if (--timer == 0) {
        message_end();
        state = ST_PLAY;
    }
}

static void play_tick(void) {
    byte i;

    if (dusk) {
        --dusk;
    }
    for (i = 0; i < cre_count; ++i) {
        if (creature_at(i)) {
            if (en_stun[i]) {
                creature_catch(i);
            } else {
                enter(ST_OUT);
                return;
            }
        }
    }
    if ((phase & 127) == 0) {
        chain = 0;
    }
    if (!air) {
        enter(ST_OUT);
    } else if (!bulbs) {
        enter(ST_CLEAR);
    }
}

static void out_tick(void) {
    if (--timer) {
        return;
    }
    --lives;
    hud_dirty |= HUD_LIVES;
    if (lives) {
        creatures_reset();
        place_pim();
        enter(ST_PLAY);
    } else {
        enter(ST_OVER);
    }
}

/* What is left in the bag becomes points. */
static void clear_tick(void) {
    --timer;
    if (timer & 1) {
        if (clods) {
            --clods;
            score_add(level + 2);
            sfx = SFX_TICK;
        } else if (energy >= 4) {
            energy -= 4;
            score_add(level);
            sfx = SFX_TICK;
        }
        hud_dirty |= HUD_BAG;
    }
    if (!timer) {
        ++level;
        enter(ST_READY);
    }
}

static void over_tick(void) {
    if (--timer == 0) {
        enter(ST_TITLE);
    }
}

static void (*const ticks[])(void) = {title_tick, ready_tick, play_tick,
                                      out_tick,   clear_tick, over_tick};

/* --- coming into a state */

/* BURROW, seven rows of 32 tiles. */
static const byte logo[7][4] = {{0b01110010, 0b01011100, 0b11100011, 0b00100010},
                                {0b01001010, 0b01010010, 0b10010100, 0b10100010},
                                {0b01001010, 0b01010010, 0b10010100, 0b10100010},
                                {0b01110010, 0b01011100, 0b11100100, 0b10101010},
                                {0b01001010, 0b01010100, 0b10100100, 0b10101010},
                                {0b01001010, 0b01010010, 0b10010100, 0b10110110},
                                {0b01110001, 0b10010010, 0b10010011, 0b00100010}};

static void draw_logo(void) {
    byte row, column, bits, above, mask;

    for (row = 0; row < 7; ++row) {
        ppu_at(0x20A0 + ((word)row << 5));
        for (column = 0; column < 4; ++column) {
            bits = logo[row][column];
            above = row ? logo[row - 1][column] : 0;
            for (mask = 0x80; mask; mask >>= 1) {
                ppu_put(!(bits & mask) ? 0 : above & mask ? BG_BRICK : BG_MOSS);
            }
        }
    }
}

static void show_bed(void) {
    ppu_off();
    build_bed(level);
    creatures_reset();
    draw_screen();
    if (!level) {
        draw_logo();
        draw_text(4, 13, "LEAD WATER TO THE BULBS");
        draw_text(7, 15, "A THUMPS  B PLUGS");
    }
    ppu_on();
}

static void enter(byte next) {
    state = next;
    switch (next) {
    case ST_TITLE:
        level = 0;
        song = SONG_TITLE;
        show_bed();
        break;
    case ST_READY:
        timer = 24;
        song = SONG_DIG;
        show_bed();
        message(" GET READY  ");
        break;
    case ST_OUT:
        timer = 36;
        sfx = SFX_OUT;
        break;
    case ST_CLEAR:
        timer = 60;
        song = SONG_CLEAR;
        message(" WELL DONE  ");
        break;
    case ST_OVER:
        timer = 100;
        song = SONG_OVER;
        message(" GAME OVER  ");
        break;
    }
}

/* --- the world */

static void follow_pim(void) {
    flood_page = (word)trail >> 8;
    flood_mask = IS_OPEN;
    flood_limit = 60;
    flood_clear();
    flood_seed(pim_cell);
    work += mul8(flood_run(), 8);
}

static void smell_bulbs(void) {
    byte cell;

    flood_page = (word)scent >> 8;
    flood_mask = IS_OPEN | IS_SOFT;
    flood_limit = 16;
    flood_clear();
    for (cell = 0x21; cell < 0xCF; ++cell) {
        if (props_of(cell) & IS_LIFE) {
            flood_seed(cell);
        }
    }
    work += mul8(flood_run(), 8) + 440;
}

static void world_step(void) {
    ++phase;
    follow_pim();
    switch (phase & 3) {
    case 0:
        smell_bulbs();
        break;
    case 1:
        flow_step(0);
        break;
    case 3:
        flow_step(1);
        break;
    }
    roots_step();
    if (state == ST_TITLE || state == ST_PLAY) {
        pim_step();
    }
    if (state != ST_READY) {
        creatures_step();
    }
}

/* A step lasts as many whole frames as its work needs by this estimate, in units of 32 cycles, and
 * not as many as it happens to take: so a machine that is a few cycles off plays the same game. */
static void set_pace(void) {
    pace = 1 + div16(work >> 3, 116);
    if (pace < 2) {
        pace = 2; /* light beds are not to run twice as fast */
    }
}

void main(void) {
    enter(ST_TITLE);
    for (;;) {
        read_pad();
        work = 620;
        ticks[state - 1]();
        world_step();
        draw_step();
        set_pace();
        present();
    }
}
