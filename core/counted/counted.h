/*
 * counted: how many host instructions a replay executes, with an observer and without: what a
 * profile costs. The same numbers on every machine that has the translator.
 *
 * The machine, the translator and the profilers are built a second time for it, into one object
 * whose only symbols are those below. There, translated code is executed in software, instruction by
 * instruction, and so counted exactly (core/dbt/host/step.h). C functions are counted by their
 * calls: each costs what costs.def says. That table is measured by callgrind on the ordinary
 * program, by `tests/costs.py measure`; `make costs` holds the sums against callgrind.
 * The ordinary program has no trace of this.
 *
 *     struct counted bare, with;
 *     counted_replay(&(struct counted_request){.cartridge = c, .movie = &m, .frames = 3600,
 *                                              .from = 3000}, &bare, &err);
 *
 * Invariants
 *  - The guest is not disturbed: counted.ram_hash is that of an ordinary replay.
 *  - What is counted: the frames, from the first one's beginning to the last one's end. Attaching,
 *    and what a technique computes at the end, are not: they are its analysis steps.
 *  - Any number of threads may count at once.
 */
#ifndef HOTGRAPH_COUNTED_H
#define HOTGRAPH_COUNTED_H

#include "nes/movie.h"
#include "nes/nes.h"
#include "profile/profile.h"

/* Is there a translator whose instructions can be counted? */
bool counted_here(void);

enum counted_kind {
    COUNTED_BARE,      /* nobody watches */
    COUNTED_STRUCTURE, /* the structure is recorded, and transfers are counted */
    COUNTED_SAMPLER,
    COUNTED_TECHNIQUE, /* one that watches by itself */
};

struct counted_request {
    const struct cartridge *cartridge;
    const struct movie *movie;
    struct nes_console console;
    uint64_t frames; /* in all */
    uint64_t from;   /* the steady state begins with this frame; at most `frames` */
    enum counted_kind kind;
    struct sampler_options sampler; /* structure: of this program, where it needs one */
    const char *technique;          /* name */
    const int64_t *values;          /* of its parameters */
    bool (*stopped)(void);          /* polled if not NULL; true: STATUS_INTERRUPTED */
    /* If not NULL: called in the end with each function's calls, `steady` of them from frame
     * `from` on, in the order of their names. */
    void (*each)(void *user, const char *function, uint64_t calls, uint64_t steady);
    void *user;
};

struct counted {
    uint64_t host, host_steady;             /* instructions: of all frames; from frame `from` on */
    uint64_t translated, translated_steady; /* of these, in translated code */
    uint64_t probes, probes_steady;         /* fired: counter increments, checks, callbacks */
    uint64_t handlers, handlers_steady; /* callbacks among them, and alarms, steps, recordings */
    uint64_t samples, samples_steady;   /* batches or transfers */
    uint64_t instructions;              /* of the guest */
    uint64_t unpriced;                  /* calls of functions that costs.def does not have */
    uint64_t ram_hash;                  /* nes_ram_hash() at the end */
};

/* STATUS_UNSUPPORTED where counted_here() says no. */
enum status counted_replay(const struct counted_request *r, struct counted *out, struct error *e);

#endif
