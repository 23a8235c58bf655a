#include "play/play.h"

#include <stdlib.h>
#include <string.h>

#include "nes/nes.h"

enum {
    START_HOLD = 5,
    /* Without a running game: */
    RESET_EVERY = 3600,
    TITLE_LEAST = 330, /* frames until a title accepts Start */
    TITLE_MOST = 390,
    TITLE_GAP = 17,     /* frames between two presses */
    LATER_LEAST = 1900, /* frames after which the game may be over */
    LATER_MOST = 2100,
    LATER_GAP = 60, /* some games ignore a second press for most of a second */
};

/* Draws uniformly from least..most. */
static unsigned draw(struct fingers *f, unsigned least, unsigned most) {
    uint64_t r = splitmix64(f->seed, f->drawn++) >> 32;
    return least + (unsigned)(r * (most - least + 1) >> 32);
}

static uint8_t draw_direction(struct fingers *f) {
    static const uint8_t across[2] = {NES_RIGHT, NES_LEFT}, along[2] = {NES_UP, NES_DOWN};
    unsigned r = draw(f, 0, 99);
    if (r < 12)
        return 0;
    if (r < 42)
        return NES_RIGHT;
    if (r < 62)
        return NES_LEFT;
    if (r < 92)
        return r < 77 ? NES_UP : NES_DOWN;
    return across[r & 1] | along[r >> 1 & 1];
}

/* Chooses a direction: mostly for a quarter to a whole second, sometimes for a nudge or a run. */
static void move(struct fingers *f, uint64_t frame) {
    if (frame < f->pad.until)
        return;
    f->pad.held = draw_direction(f);
    unsigned r = draw(f, 0, 9);
    f->pad.until = frame + (r < 2 ? draw(f, 3, 9) : r < 8 ? draw(f, 14, 60) : draw(f, 60, 150));
}

/* Presses and releases a button; in bursts if `eager`. */
static uint8_t press(struct fingers *f, uint64_t frame, uint64_t *until, uint8_t held,
                     uint8_t button, bool eager) {
    if (frame < *until)
        return held;
    if (held != 0) {
        *until = frame + (draw(f, 0, 3) == 0 ? draw(f, 40, 160) : draw(f, 6, eager ? 16 : 45));
        return 0;
    }
    *until = frame + (draw(f, 0, 7) == 0 ? draw(f, 25, 80) : draw(f, 3, 11));
    return button;
}

void fingers_begin(struct fingers *f, uint64_t seed) {
    *f = (struct fingers){.seed = seed};
}

unsigned fingers_draw(struct fingers *f, unsigned least, unsigned most) {
    return draw(f, least, most);
}

void fingers_start(struct fingers *f, uint64_t frame, unsigned taps, unsigned gap) {
    f->start.from = frame;
    f->start.taps = taps;
    f->start.gap = gap;
    f->pad.held = f->a.held = f->b.held = 0;
    f->pad.until = f->a.until = f->b.until = 0;
}

uint8_t fingers_press(struct fingers *f, uint64_t frame) {
    if (f->start.taps == 0 || frame < f->start.from)
        return 0;
    const uint64_t since = frame - f->start.from;
    if (since < (uint64_t)(f->start.taps - 1) * f->start.gap + START_HOLD)
        return since % f->start.gap < START_HOLD ? NES_START : 0;
    move(f, frame);
    f->a.held = press(f, frame, &f->a.until, f->a.held, NES_A, false);
    f->b.held = press(f, frame, &f->b.until, f->b.held, NES_B, true);
    return f->pad.held | f->a.held | f->b.held;
}

/* Allocates lines for `frames` frames, with a reset before every RESET_EVERY frames except the
 * first. */
static bool make_lines(struct movie *m, uint64_t frames) {
    const uint64_t resets = frames > 0 ? (frames - 1) / RESET_EVERY : 0;
    m->lines = calloc(frames + resets, sizeof *m->lines);
    m->resets = calloc(resets + 1, sizeof *m->resets);
    if (m->lines == NULL || m->resets == NULL)
        return false;
    m->line_count = frames + resets;
    return true;
}

enum status fingers_fill(struct movie *m, uint64_t frames, uint64_t seed, struct error *e) {
    if (!make_lines(m, frames))
        return error_set(e, STATUS_MEMORY, "out of memory");
    struct fingers f;
    fingers_begin(&f, seed);
    size_t line = 1; /* the first line precedes the first frame */
    uint64_t later = 0;
    for (uint64_t frame = 0; frame + 1 < frames; frame++) {
        if (frame % RESET_EVERY == 0) {
            /* Alternate between one press and two: some titles only skip an animation at the first
             * press, and some games pause at the second one. */
            const unsigned taps = 1 + (frame / RESET_EVERY & 1);
            fingers_start(&f, frame + draw(&f, TITLE_LEAST, TITLE_MOST), taps, TITLE_GAP);
            later = frame + draw(&f, LATER_LEAST, LATER_MOST);
            if (frame > 0) {
                m->resets[m->reset_count++] = line;
                m->lines[line++].command = MOVIE_SOFT_RESET;
            }
        }
        if (frame == later) /* the second press ends a pause that the first one may have begun */
            fingers_start(&f, frame, 2, LATER_GAP);
        m->lines[line++].pads[0] = fingers_press(&f, frame);
    }
    return STATUS_OK;
}
