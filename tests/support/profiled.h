/* What profilers of a played game give, for tests of several techniques. */
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

/* The technique's own count of this name. */
static inline uint64_t counted(const struct profile *p, const char *name) {
    for (size_t i = 0; i < p->count_count; i++)
        if (strcmp(p->counts[i].name, name) == 0)
            return p->counts[i].value;
    fail_msg("nothing is called %s", name);
    return 0;
}

#endif
