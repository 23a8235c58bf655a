/* Examines a game: does its picture change, and does it react to the pads? */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "play/play.h"

enum {
    PIXELS = 256 * 240,
    RAM_BYTES = 2048,
    LOOKS_LEAST = 20, /* needed for a verdict */
    AHEAD = 18,       /* frames with something pressed */
    AFTER = 6,        /* frames with nothing pressed: bytes that only store the pads are equal
                         again */
    BYTES_HEARD = 3,  /* fewer bytes may be press counters or random numbers */
    TITLE_FROM = 100, /* frame of the first press of Start */
    TITLE_TO = 140,
    PATIENCE = 240,     /* frames of standstill until Start is pressed */
    PATIENCE_MORE = 60, /* at most this many more */
    START_EVERY = 3600, /* even if the game does not stand still: its title may be animated and
                           react */
};

/* ---- looking ---- */

enum status activity_begin(struct activity *a, const struct cartridge *c, struct error *e) {
    *a = (struct activity){.cartridge = c, .picture = calloc(PIXELS, sizeof *a->picture)};
    if (a->picture == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    enum status status =
        nes_create(&a->eye, &(struct nes_options){.cartridge = c, .pictures = true}, e);
    if (status == STATUS_OK) /* interpreted: a translator would start over with each state */
        status = nes_create(&a->ear, &(struct nes_options){.cartridge = c}, e);
    return status;
}

void activity_end(struct activity *a) {
    nes_free(a->eye);
    nes_free(a->ear);
    free(a->picture);
    a->eye = a->ear = NULL;
    a->picture = NULL;
}

/* Examines the picture two frames ahead: the first frame after a state may not have a complete
 * picture. */
static enum status look_at_picture(struct activity *a, bool *fresh, struct error *e) {
    enum status status = nes_load(a->eye, a->state.at, a->state.len, "state", e);
    for (unsigned i = 0; i < 2 && status == STATUS_OK; i++)
        status = nes_run_frame(a->eye, e);
    if (status != STATUS_OK)
        return status;
    const uint16_t *now = nes_picture(a->eye);
    if (now == NULL)
        return error_set(e, STATUS_FORMAT, "state: no complete picture within two frames");
    for (size_t i = 0; i < PIXELS && a->looks > 0; i++)
        a->pixels += now[i] != a->picture[i];
    memcpy(a->picture, now, PIXELS * sizeof *now);
    const uint64_t hash = fnv1a64(now, PIXELS * sizeof *now);
    *fresh = true;
    for (size_t i = 0; i < ACTIVITY_PICTURES && i < a->looks; i++)
        *fresh = *fresh && a->pictures[i] != hash;
    a->pictures[a->looks % ACTIVITY_PICTURES] = hash;
    return STATUS_OK;
}

/* Stale bytes in the stack page mean nothing, so that page is ignored. */
static bool is_stack(size_t address) {
    return address >= 0x100 && address < 0x200;
}

static void look_at_ram(struct activity *a, const uint8_t *ram) {
    for (size_t i = 0; i < RAM_BYTES && a->looks > 0; i++) {
        const bool changed = !is_stack(i) && ram[i] != a->ram[i];
        a->bytes += changed;
        a->changed[i] = a->changed[i] || changed;
    }
    memcpy(a->ram, ram, RAM_BYTES);
}

/* Computes RAM some frames later, with these buttons held for most of them. */
static enum status run_ahead(struct activity *a, uint8_t buttons, uint8_t out[RAM_BYTES],
                             struct error *e) {
    enum status status = nes_load(a->ear, a->state.at, a->state.len, "state", e);
    nes_set_buttons(a->ear, 1, 0);
    for (unsigned i = 0; i < AHEAD + AFTER && status == STATUS_OK; i++) {
        nes_set_buttons(a->ear, 0, i < AHEAD ? buttons : 0);
        status = nes_run_frame(a->ear, e);
    }
    memcpy(out, nes_ram(a->ear), RAM_BYTES);
    return status;
}

static enum status listen(struct activity *a, bool *heard, struct error *e) {
    static const uint8_t ways[] = {NES_RIGHT | NES_A, NES_LEFT | NES_B, NES_UP | NES_A,
                                   NES_DOWN | NES_B};
    enum { WAYS = sizeof ways };
    uint8_t silent[RAM_BYTES], pressed[RAM_BYTES];
    *heard = false;
    enum status status = run_ahead(a, 0, silent, e);
    for (unsigned i = 0; i < WAYS && status == STATUS_OK && !*heard; i++) {
        const unsigned way = (a->way + i) % WAYS;
        status = run_ahead(a, ways[way], pressed, e);
        unsigned different = 0;
        for (size_t k = 0; k < RAM_BYTES; k++)
            different += !is_stack(k) && silent[k] != pressed[k];
        *heard = different > BYTES_HEARD;
        a->way = *heard ? way : a->way;
    }
    return status;
}

enum status activity_look(struct activity *a, const struct nes *nes, struct error *e) {
    a->frames++;
    if (a->frames % ACTIVITY_EVERY != 0)
        return STATUS_OK;
    bool fresh = false, heard = false;
    look_at_ram(a, nes_ram(nes));
    enum status status = nes_save(nes, &a->state, e);
    if (status == STATUS_OK)
        status = look_at_picture(a, &fresh, e);
    if (status == STATUS_OK && fresh)
        status = listen(a, &heard, e);
    bytes_free(&a->state);
    a->looks++;
    a->fresh += fresh;
    a->active += heard;
    if (activity_still(a) > a->longest) {
        a->longest = activity_still(a);
        a->longest_from = a->active_at;
    }
    if (heard)
        a->active_at = a->frames;
    return status;
}

uint64_t activity_still(const struct activity *a) {
    return a->frames - a->active_at;
}

/* ---- what came of it ---- */

enum activity_verdict activity_verdict(const struct activity *a) {
    if (a->looks < LOOKS_LEAST)
        return ACTIVITY_TOO_SHORT;
    if (10 * a->active < a->looks)
        return ACTIVITY_STANDS;
    const bool plays = 2 * a->active >= a->looks && 4 * a->longest <= a->frames;
    return plays ? ACTIVITY_PLAYS : ACTIVITY_IN_PART;
}

const char *activity_word(enum activity_verdict v) {
    static const char *const words[] = {[ACTIVITY_PLAYS] = "plays",
                                        [ACTIVITY_IN_PART] = "plays in part",
                                        [ACTIVITY_STANDS] = "stands still",
                                        [ACTIVITY_TOO_SHORT] = "too short to tell"};
    return words[v];
}

static double share(uint64_t part, uint64_t of) {
    return of > 0 ? (double)part / (double)of : 0;
}

void activity_print(const struct activity *a, bool json) {
    const uint64_t gaps = a->looks > 1 ? a->looks - 1 : 0;
    const double pixels = share(a->pixels, gaps * PIXELS), bytes = share(a->bytes, gaps);
    unsigned alive = 0;
    for (size_t i = 0; i < RAM_BYTES; i++)
        alive += a->changed[i];
    if (json) {
        printf("\"frames\": %" PRIu64 ", \"looks\": %" PRIu64
               ", \"active\": %.4f, \"fresh_pictures\": %.4f, \"picture_changed\": %.6f,\n"
               " \"ram_changed\": %.2f, \"ram_ever_changed\": %u, \"longest_standstill\": "
               "{\"first_frame\": %" PRIu64 ", \"frames\": %" PRIu64 "}, \"verdict\": \"%s\"",
               a->frames, a->looks, share(a->active, a->looks), share(a->fresh, a->looks), pixels,
               bytes, alive, a->longest_from, a->longest, activity_word(activity_verdict(a)));
        return;
    }
    printf("verdict       %s\n", activity_word(activity_verdict(a)));
    printf("active        %.1f %% of %" PRIu64
           " looks, one every %d frames: a new picture, and the "
           "pads matter\n",
           100 * share(a->active, a->looks), a->looks, ACTIVITY_EVERY);
    printf("standstill    at most %" PRIu64 " frames (%.0f s), from frame %" PRIu64 " on\n",
           a->longest, (double)a->longest / 60.0988, a->longest_from);
    printf(
        "picture       %.2f %% of its pixels change from look to look; %.1f %% of the pictures are "
        "new\n",
        100 * pixels, 100 * share(a->fresh, a->looks));
    printf("RAM           %.1f bytes change from look to look, %u of 2048 ever\n", bytes, alive);
}

/* ---- playing ---- */

/* When to press Start next, if the game continues as before. */
struct starts {
    unsigned patience;
    uint64_t last; /* frame of the last one */
};

static bool wants_start(const struct starts *s, const struct activity *a, uint64_t frame) {
    const uint64_t since = frame - s->last;
    return since >= s->patience && (activity_still(a) >= s->patience || since >= START_EVERY);
}

enum status activity_play(struct activity *a, struct movie *m, struct nes *nes, uint64_t seed,
                          struct error *e) {
    struct fingers f;
    fingers_begin(&f, seed);
    struct starts starts = {.last = fingers_draw(&f, TITLE_FROM, TITLE_TO), .patience = PATIENCE};
    fingers_start(&f, starts.last, 1, 1);
    enum status status = STATUS_OK;
    for (size_t i = 1; i < m->line_count && status == STATUS_OK; i++) {
        const uint64_t frame = i - 1;
        if (frame > starts.last && wants_start(&starts, a, frame)) {
            starts = (struct starts){.last = frame,
                                     .patience = PATIENCE + fingers_draw(&f, 0, PATIENCE_MORE)};
            fingers_start(&f, frame, 1, 1);
        }
        m->lines[i].pads[0] = fingers_press(&f, frame);
        status = movie_play_frame(m, nes, e);
        if (status == STATUS_OK)
            status = activity_look(a, nes, e);
        if (status == STATUS_OK && interrupt_signal() != 0)
            status = error_set(e, STATUS_INTERRUPTED, "stopped by signal %d", interrupt_signal());
    }
    return status;
}
