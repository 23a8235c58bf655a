/*
 * fingers: seeded input that looks like a person's, for games nobody has written a player for.
 *
 * It knows nothing of the game: first Start, pressed twice in quick succession every few seconds
 * (the second press takes a pause back that the first one may have caused), then directions held
 * and buttons pressed for as long as people do, with the double Start every twenty seconds or so,
 * for when the game is over. A pure function of the seed.
 */
#ifndef HOTGRAPH_FINGERS_H
#define HOTGRAPH_FINGERS_H

#include <stdint.h>

#include "nes/movie.h"

struct fingers {
    uint64_t seed, drawn; /* how many random numbers were used */
    uint64_t start_at;    /* frame of the next double Start */
    unsigned starts;
    struct {
        uint64_t until; /* frame at which what is held now ends */
        uint8_t held;
    } pad, a, b;
};

void fingers_begin(struct fingers *f, uint64_t seed);
/* The buttons of frame `frame` (NES_A ...); to be asked for frame 0, 1, 2, ... */
uint8_t fingers_press(struct fingers *f, uint64_t frame);
/* Makes all lines of a movie that has none of its own yet: what is pressed depends on the seed
 * alone. */
void fingers_fill(struct movie *m, uint64_t seed);

#endif
