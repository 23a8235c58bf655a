/* Plays a bundled game on any engine for some frames, for tests of observers. */
#ifndef HOTGRAPH_TESTS_PLAYED_H
#define HOTGRAPH_TESTS_PLAYED_H

#include <stdio.h>
#include <stdlib.h>

#include "dbt/dbt.h"
#include "nes/nes.h"

struct played {
    struct cartridge *cartridge;
    struct nes *nes;
};

static inline void played_must(enum status status, const struct error *e) {
    if (status != STATUS_OK) {
        fprintf(stderr, "%s\n", e->text);
        abort();
    }
}

/* engine NULL: the interpreter. */
static inline struct played played_open(const char *game, const struct engine *engine,
                                        bool no_skip) {
    struct played p = {0};
    struct error e = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/%s.nes", GAMES_FOLDER, game);
    played_must(cartridge_load(&p.cartridge, path, &e), &e);
    const struct nes_options options = {
        .cartridge = p.cartridge, .engine = engine, .no_skip = no_skip};
    played_must(nes_create(&p.nes, &options, &e), &e);
    return p;
}

static inline void played_frames(struct played *p, unsigned frames) {
    struct error e = {0};
    for (unsigned i = 0; i < frames; i++) {
        const uint64_t frame = nes_frame(p->nes);
        nes_set_buttons(p->nes, 0,
                        frame % 40 < 3   ? NES_START
                        : frame % 7 == 0 ? NES_A | NES_RIGHT
                                         : 0);
        played_must(nes_run_frame(p->nes, &e), &e);
    }
}

static inline void played_close(struct played *p) {
    nes_free(p->nes);
    cartridge_free(p->cartridge);
    *p = (struct played){0};
}

#endif
