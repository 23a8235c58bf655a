/* The results of profilers on a played game, or on a program of some instructions whose execution is known
 * by heart, for tests of several techniques. */
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
#include "tests/support/guest_rom.h"
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

/* What a live technique finds in the first frames of what is played, which is closed then; with a
 * reset halfway, if asked for. */
static inline struct profile profiled_play(struct played p, const char *technique,
                                           const int64_t *values, unsigned frames, bool reset) {
    const struct technique *t = technique_find(technique);
    struct error e = {0};
    struct profile out;
    void *self;
    played_must(t->attach(&self, p.nes, values, &e), &e);
    played_frames(&p, frames / 2);
    if (reset)
        nes_reset(p.nes, false);
    played_frames(&p, frames - frames / 2);
    played_must(t->finish(self, &out, &e), &e);
    played_close(&p);
    return out;
}

static inline struct profile profiled_game(const char *technique, const int64_t *values,
                                           const char *game, unsigned frames,
                                           const struct engine *engine) {
    return profiled_play(played_open(game, engine, false), technique, values, frames, false);
}

/* A live technique that is given up in the midst leaves nothing attached. */
static inline void assert_detaches(struct played *p, const char *technique, const int64_t *values) {
    const struct technique *t = technique_find(technique);
    struct error e = {0};
    void *self;
    for (int i = 0; i < 2 * NES_OBSERVERS; i++) {
        played_must(t->attach(&self, p->nes, values, &e), &e);
        played_frames(p, 2);
        t->abandon(self);
    }
    t->abandon(NULL);
}

/* The same of one with two observers, also if it cannot attach: with all places but one taken the
 * structure finds none, and the first observer is detached again. */
static inline void assert_abandons(const char *technique, const int64_t *values) {
    const struct technique *t = technique_find(technique);
    const struct observer nobody = {0};
    unsigned ids[NES_OBSERVERS];
    struct error e = {0};
    void *self;
    struct played p = played_open("mazewisp", NULL, false);
    assert_detaches(&p, technique, values);
    for (int i = 0; i + 1 < NES_OBSERVERS; i++)
        played_must(nes_attach(p.nes, &nobody, &ids[i], &e), &e);
    assert_int_not_equal(t->attach(&self, p.nes, values, &e), STATUS_OK);
    assert_null(self);
    played_must(nes_attach(p.nes, &nobody, &ids[NES_OBSERVERS - 1], &e), &e);
    played_close(&p);
}

static inline void assert_same_graph(const struct graph *a, const struct graph *b) {
    assert_int_equal(a->edge_count, b->edge_count);
    assert_int_equal(a->block_count, b->block_count);
    assert_memory_equal(a->edges, b->edges, a->edge_count * sizeof *a->edges);
    assert_memory_equal(a->blocks, b->blocks, a->block_count * sizeof *a->blocks);
}

static inline void assert_same_profile(const struct profile *a, const struct profile *b) {
    assert_same_graph(&a->graph, &b->graph);
    assert_int_equal(a->count_count, b->count_count);
    for (size_t i = 0; i < a->count_count; i++)
        assert_int_equal(a->counts[i].value, b->counts[i].value);
    assert_int_equal(a->cost.records, b->cost.records);
    assert_int_equal(a->cost.probes, b->cost.probes);
    assert_int_equal(a->cost.observed, b->cost.observed);
    assert_int_equal(a->cost.steps, b->cost.steps);
    assert_int_equal(a->cost.structure, b->cost.structure);
}

/* The technique's own count of this name. */
static inline uint64_t counted(const struct profile *p, const char *name) {
    for (size_t i = 0; i < p->count_count; i++)
        if (strcmp(p->counts[i].name, name) == 0)
            return p->counts[i].value;
    fail_msg("nothing is called %s", name);
    return 0;
}

/* ---- programs of a test's own ---- */

/* Three of four rounds skip the call:
 *
 *     8000  LDX #0
 *     8002  INX, TXA, AND #3, BNE $800B
 *     8008  JSR $8020
 *     800B  JMP $8002
 *     8020  RTS
 */
static inline struct guest *guest_of_rounds(void) {
    struct guest *g = guest_new();
    guest_code(g, 0x8000, 0xA2, 0x00, 0xE8, 0x8A, 0x29, 0x03, 0xD0, 0x03, 0x20, 0x20, 0x80, 0x4C,
               0x02, 0x80);
    guest_code(g, 0x8020, 0x60);
    guest_vectors(g, 0x8020, 0x8000, 0x8020);
    return g;
}

/* An NMI in each frame, whose handler does nothing; the program never leaves its loop of two jumps:
 *
 *     8000  LDA #$80
 *     8002  STA $2000, JMP $8008
 *     8008  INX, NOP, JMP $8002
 *     8020  JMP $8030
 *     8030  RTI
 */
static inline struct guest *guest_interrupted(void) {
    struct guest *g = guest_new();
    guest_code(g, 0x8000, 0xA9, 0x80, 0x8D, 0x00, 0x20, 0x4C, 0x08, 0x80, 0xE8, 0xEA, 0x4C, 0x02,
               0x80);
    guest_code(g, 0x8020, 0x4C, 0x30, 0x80);
    guest_code(g, 0x8030, 0x40);
    guest_vectors(g, 0x8020, 0x8000, 0x8030);
    return g;
}

/* Frees the program. engine NULL: the interpreter. */
static inline struct profile profiled_guest(struct guest *g, const char *technique,
                                            const int64_t *values, unsigned frames,
                                            const struct engine *engine) {
    struct nes *n = guest_machine(g, (struct nes_options){.engine = engine});
    const struct technique *t = technique_find(technique);
    struct error e = {0};
    struct profile out;
    void *self;
    played_must(t->attach(&self, n, values, &e), &e);
    for (unsigned i = 0; i < frames; i++)
        played_must(nes_run_frame(n, &e), &e);
    played_must(t->finish(self, &out, &e), &e);
    nes_free(n);
    free(g);
    return out;
}

/* Either a bundled game or such a program. */
struct played_source {
    const char *game;
    struct guest *guest; /* NULL: the game */
};

/* The translator, the interpreter, and the interpreter without skipping of busy-waits. */
enum { PLAYED_ENGINES = 3 };

static inline struct played played_open_source(const struct played_source *source,
                                               unsigned engine) {
    const struct engine *const of = engine == 0 ? dbt_engine() : NULL;
    if (source->guest == NULL)
        return played_open(source->game, of, engine == 2);
    const struct nes_options options = {.engine = of, .no_skip = engine == 2};
    return (struct played){.nes = guest_machine(source->guest, options)};
}

#endif
