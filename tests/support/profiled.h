/* The results of profilers on a played game, for tests of several techniques. */
#ifndef HOTGRAPH_TESTS_PROFILED_H
#define HOTGRAPH_TESTS_PROFILED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/structure/structure.h"
#include "tests/support/played.h"

/* The structure of a game's first frames. */
static inline struct structure played_structure(const char *game, unsigned frames) {
    struct structure s;
    struct structure_recorder *r;
    struct error e = {0};
    struct played p = played_open(game, NULL, false);
    played_must(structure_attach(&r, p.nes, &e), &e);
    played_frames(&p, frames);
    played_must(structure_finish(r, &s, &e), &e);
    played_close(&p);
    return s;
}

/* What a live technique finds in a game's first frames. */
static inline struct profile profiled_game(const char *technique, const int64_t *values,
                                           const char *game, unsigned frames,
                                           const struct engine *engine) {
    const struct technique *t = technique_find(technique);
    struct error e = {0};
    struct profile out;
    void *self;
    struct played p = played_open(game, engine, false);
    played_must(t->attach(&self, p.nes, values, &e), &e);
    played_frames(&p, frames);
    played_must(t->finish(self, &out, &e), &e);
    played_close(&p);
    return out;
}

/* A live technique that is given up in the midst, or that cannot attach, leaves nothing attached. */
static inline void assert_abandons(const char *technique, const int64_t *values) {
    const struct technique *t = technique_find(technique);
    struct error e = {0};
    void *self;
    struct played p = played_open("mazewisp", NULL, false);
    for (int i = 0; i < 2 * NES_OBSERVERS; i++) {
        played_must(t->attach(&self, p.nes, values, &e), &e);
        played_frames(&p, 2);
        t->abandon(self);
    }
    t->abandon(NULL);
    /* With all places but one taken the structure finds none: the first observer is detached again. */
    const struct observer nobody = {0};
    unsigned ids[NES_OBSERVERS];
    for (int i = 0; i + 1 < NES_OBSERVERS; i++)
        played_must(nes_attach(p.nes, &nobody, &ids[i], &e), &e);
    assert_int_not_equal(t->attach(&self, p.nes, values, &e), STATUS_OK);
    assert_null(self);
    played_must(nes_attach(p.nes, &nobody, &ids[NES_OBSERVERS - 1], &e), &e);
    played_close(&p);
}

/* The technique's own count of this name. */
static inline uint64_t counted(const struct profile *p, const char *name) {
    for (size_t i = 0; i < p->count_count; i++)
        if (strcmp(p->counts[i].name, name) == 0)
            return p->counts[i].value;
    fail_msg("nothing is called %s", name);
    return 0;
}

#endif
