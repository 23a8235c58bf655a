/* The game's states. */
#include "fresnel.h"

#define SCREENS 5

static void enter(byte next);

/* --- what each state does in a step, beside moving the world */

static void title_tick(void) {
    if (pad_new & PAD_START) {
        seed ^= ticks;
        if (!seed) {
            seed = 1;
        }
        ++games;
        level = 1;
        lives = 3;
        score = 0;
        next_life = 1000;
        enter(S_BUILD);
        return;
    }
    pad = demo;
    pad_new = demo;
    demo &= ~PAD_A;
}

/* The builder is done when its thread has ended. */
static void build_tick(void) {
    mask = 0x1E;
    if (!threads[0].pc) {
        enter(level ? S_READY : S_TITLE);
    }
}

static void ready_tick(void) {
    if (--timer == 0) {
        message(1, "            ");
        state = S_PLAY;
    }
}

/* The bonus falls; each tour it falls faster. */
static void play_tick(void) {
    if (--drip == 0) {
        drip = 120 / (tour + 2) + 12;
        if (bonus) {
            bonus -= 5;
            hud_dirty |= HUD_BONUS;
        } else {
            hero_lost();
        }
        if (bonus < 50) {
            sfx = SFX_TICK;
        }
    }
    if (hero_mode == M_WALK && hero_floor == lamp_floor && !need && (byte)(hx - lamp_x + 10) < 21) {
        enter(S_CLEAR);
    }
}

static void out_tick(void) {
    if (--timer) {
        return;
    }
    --lives;
    hud_dirty |= HUD_LIVES;
    enter(lives ? S_READY : S_OVER);
}

/* What is left of the bonus becomes points. */
static void clear_tick(void) {
    if (bonus) {
        bonus -= 5;
        score_add(5);
        hud_dirty |= HUD_BONUS;
        if (!(ticks & 3)) {
            sfx = SFX_TICK;
        }
        return;
    }
    if (--timer == 0) {
        ++level;
        enter(S_BUILD);
    }
}

static void over_tick(void) {
    if (--timer == 0) {
        if (score > best) {
            best = score;
        }
        level = 0;
        enter(S_BUILD);
    }
}

static void (*const ticks_of[])(void) = {title_tick, build_tick, ready_tick, play_tick,
                                         out_tick,   clear_tick, over_tick};

/* --- coming into a state */

/* The picture goes off at the next vertical blank; then the builder has a clean sheet. */
static void begin_build(void) {
    sprites_begin();
    mask = 0;
    end_step();
    wipe_screen();
    floors = 0;
    ladders = 0;
    items = 0;
    need = 0;
    lamp_floor = NONE;
    belt_at = 0;
    threads_clear();
    things_clear(1);
    screen = 0;
    tour = 0;
    fast = 0x130;
    if (level) {
        screen = (level - 1) % (SCREENS - 1) + 1;
        tour = (level - 1) / (SCREENS - 1);
        fast += 0x18 * tour;
    }
    thread_begin(screen_scripts[screen]);
}

static void enter(byte next) {
    state = next;
    switch (next) {
    case S_BUILD:
        begin_build();
        break;
    case S_TITLE:
        hero_begin();
        hud_dirty = HUD_SCORE;
        break;
    case S_READY:
        things_clear(0);
        threads_restart();
        bonus = 300 + 20 * tour;
        drip = 60;
        hero_begin();
        hud_dirty = HUD_ALL;
        message(1, " GET READY! ");
        timer = 70;
        break;
    case S_CLEAR:
        light_lamp();
        hero_mode = M_CHEER;
        timer = 90;
        tune = TUNE_CLEAR;
        break;
    case S_OVER:
        message(13, " GAME OVER! ");
        timer = 240;
        tune = TUNE_OVER;
        break;
    }
}

/* --- a step */

static void world_step(void) {
    if (state != S_BUILD) {
        sprites_begin();
        if (state == S_PLAY || state == S_TITLE || state == S_OUT || state == S_CLEAR) {
            hero_turn();
        }
        hero_draw();
        things_step();
        weather_step();
        if (state == S_PLAY) {
            items_step();
        }
        belts_step();
    }
    if (state == S_BUILD || state == S_PLAY || state == S_TITLE) {
        threads_step();
    }
}

void main(void) {
    enter(S_BUILD);
    for (;;) {
        end_step();
        read_pad();
        ticks_of[state - 1]();
        world_step();
        hud_step();
        sound_step();
    }
}
