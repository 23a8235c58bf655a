/* Programs of some instructions, whose execution is known by heart, and what live techniques find in them. */
#ifndef HOTGRAPH_TESTS_PROFILED_GUEST_H
#define HOTGRAPH_TESTS_PROFILED_GUEST_H

#include "tests/support/guest_rom.h"
#include "tests/support/profiled.h"

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
