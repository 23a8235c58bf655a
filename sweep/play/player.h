#ifndef HOTGRAPH_PLAYER_H
#define HOTGRAPH_PLAYER_H
/* A player reads the console's RAM once per frame and presses buttons. `hotgraph movie make
 * --player NAME` uses it to play a game. */
#include <stddef.h>
#include <stdint.h>

enum {
    BUTTON_A = 1,
    BUTTON_B = 2,
    BUTTON_SELECT = 4,
    BUTTON_START = 8,
    BUTTON_UP = 16,
    BUTTON_DOWN = 32,
    BUTTON_LEFT = 64,
    BUTTON_RIGHT = 128
};

struct player {
    const char *name;
    const char *summary;
    size_t state_size; /* bytes of private state, zeroed before start() */
    void (*start)(void *state, uint64_t seed);
    /* ram: the 2 KiB of CPU RAM at the beginning of vertical blank; frame: the number of the next
     * frame. Returns the buttons of pad 1. */
    uint8_t (*press)(void *state, const uint8_t ram[2048], uint64_t frame);
};

#endif
