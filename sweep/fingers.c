#include "fingers.h"

#include "nes/nes.h"

enum {
    FIRST_START = 100, /* frames until a title shows */
    START_HOLD = 5,
    START_GAP = 17, /* from one press of a double Start to the next */
    TITLE_STARTS = 4,
    TITLE_EVERY = 150,
    PLAY_EVERY = 1200,
};

/* Uniform in least..most. */
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

/* A direction: mostly steps of a quarter to a whole second, now and then a nudge or a run. */
static void move(struct fingers *f, uint64_t frame) {
    if (frame < f->pad.until)
        return;
    f->pad.held = draw_direction(f);
    unsigned r = draw(f, 0, 9);
    f->pad.until = frame + (r < 2 ? draw(f, 3, 9) : r < 8 ? draw(f, 14, 60) : draw(f, 60, 150));
}

/* A button: pressed, released, pressed; in bursts when `eager`. */
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
    f->start_at = FIRST_START + draw(f, 0, 40);
}

uint8_t fingers_press(struct fingers *f, uint64_t frame) {
    uint64_t since = frame - f->start_at; /* wraps before it: large */
    if (frame >= f->start_at && since == START_GAP + START_HOLD) {
        f->starts++;
        unsigned every = f->starts < TITLE_STARTS ? TITLE_EVERY : PLAY_EVERY;
        f->start_at = frame + every + draw(f, 0, every / 3);
    }
    if (frame >= f->start_at && (since < START_HOLD || since >= START_GAP))
        return NES_START;
    if (f->starts == 0)
        return 0;
    move(f, frame);
    f->a.held = press(f, frame, &f->a.until, f->a.held, NES_A, false);
    f->b.held = press(f, frame, &f->b.until, f->b.held, NES_B, true);
    return f->pad.held | f->a.held | f->b.held;
}

void fingers_fill(struct movie *m, uint64_t seed) {
    struct fingers f;
    fingers_begin(&f, seed);
    for (size_t i = 1; i < m->line_count; i++)
        m->lines[i].pads[0] = fingers_press(&f, i - 1);
}
