/*
 * counted: counts the host instructions of a replay, with and without an observer: the cost of a
 * profile. The numbers are the same on every machine that has the translator.
 *
 * For this, the machine, the translator and the profilers are built a second time, into one object
 * whose only symbols are those below. In that build translated code is executed in software,
 * instruction by instruction, and so counted exactly (core/dbt/host/step.h). C functions are
 * counted by their calls: each call has the price in costs.def. `tests/costs.py measure` measures
 * these prices with callgrind on the ordinary program, and `make costs` compares the sums with
 * callgrind. The ordinary program contains nothing of this.
 *
 *     struct counted bare, with;
 *     counted_replay(&(struct counted_request){.cartridge = c, .movie = &m, .frames = 3600,
 *                                              .from = 3000}, &bare, &err);
 *
 * Invariants
 *  - The guest is not disturbed: counted.ram_hash is that of an ordinary replay.
 *  - The counts cover the frames, from the start of the first to the end of the last one. They do
 *    not cover attaching, nor what a technique computes at the end; the latter has its analysis
 *    steps. counted.memory covers attaching.
 *  - Any number of threads may count at once.
 */
#ifndef HOTGRAPH_COUNTED_H
#define HOTGRAPH_COUNTED_H

#include "nes/movie.h"
#include "nes/nes.h"
#include "profile/profile.h"

/* Is there a translator here whose instructions can be counted? */
bool counted_here(void);

enum counted_kind {
    COUNTED_BARE,      /* no observer */
    COUNTED_STRUCTURE, /* the structure is recorded, and transfers are counted */
    COUNTED_SAMPLER,
    COUNTED_TECHNIQUE, /* a live technique */
};

struct counted_request {
    const struct cartridge *cartridge;
    const struct movie *movie;
    struct nes_console console;
    uint64_t frames; /* number of all frames */
    uint64_t from;   /* first frame of the steady state; at most `frames` */
    enum counted_kind kind;
    struct sampler_options sampler; /* structure: that of this program, if the sampler needs one */
    const char *technique;          /* name */
    const int64_t *values;          /* one for each of its parameters */
    bool (*stopped)(void);          /* polled if not NULL; true: STATUS_INTERRUPTED */
    /* If not NULL: called at the end for each function, in the order of their names, with its
     * calls; `steady` of them are from frame `from` on. */
    void (*each)(void *user, const char *function, uint64_t calls, uint64_t steady);
    void *user;
};

struct counted {
    uint64_t host, host_steady;             /* instructions in all frames; from frame `from` on */
    uint64_t translated, translated_steady; /* of these, in translated code */
    uint64_t probes, probes_steady;         /* that fired: increments of counters, checks,
                                               callbacks */
    uint64_t handlers, handlers_steady;     /* callbacks of probes, alarms, steps, recordings */
    uint64_t samples, samples_steady;       /* batches or transfers */
    uint64_t memory;       /* bytes that were allocated at most, by the machine, too, and at most
                        occupied by translated code; the replayed movie is not among them */
    uint64_t instructions; /* of the guest */
    uint64_t unpriced;     /* calls of functions that costs.def lacks */
    uint64_t ram_hash;     /* nes_ram_hash() at the end */
};

/* STATUS_UNSUPPORTED if counted_here() is false. */
enum status counted_replay(const struct counted_request *r, struct counted *out, struct error *e);

#endif
