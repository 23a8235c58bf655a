/*
 * lockstep: runs a game on a reference machine and, beside it, in other ways, which must not make a
 * difference.
 *
 * After every frame, the complete state of each way (registers, RAM, PPU, APU, cartridge, cycle and
 * number of instructions) is compared with the reference's, and so is what its observers have seen
 * so far. At the end, the profilers' results are compared.
 *
 * If a way differs, the frame is searched. Both machines start from the reference's state at the
 * end of the last equal frame, and the search finds the first cycle at which the stopped machines
 * differ. That alone does not identify the instruction: a translator does not stop within a block,
 * but leaves the block to the interpreter if it has to stop earlier. So the search then finds the
 * reference's latest state from which they still differ at that cycle. One instruction later they
 * do not, so that instruction, or the transition to the next ones, is at fault. If nothing differs
 * after a start from a saved state, they start from the beginning.
 *
 *     const struct way way = {.name = "late", .engine = dbt_engine(), .translator.hot = 100};
 *     const struct lockstep l = {.cartridge = c, .movie = &m, .end = 18000, .ways = &way,
 *                                .count = 1};
 *     struct outcome outcome;
 *     if (lockstep_run(&l, &outcome, &e) == STATUS_OK && !outcome.equal)
 *         ... outcome.where
 */
#ifndef HOTGRAPH_LOCKSTEP_H
#define HOTGRAPH_LOCKSTEP_H

#include "dbt/dbt.h"
#include "nes/movie.h"

/* The observers of a running machine. */
enum watching {
    WATCH_NOBODY,
    WATCH_PROFILERS, /* the exact profiler, and the sampler */
    WATCH_TRANSFERS, /* notified of every control transfer, in order; other instructions are
                        counted */
    WATCHINGS
};

struct way {
    char name[128];
    const struct engine *engine; /* NULL: the interpreter */
    const void *engine_options;  /* NULL: `translator` */
    struct dbt_options translator;
    enum watching watching;
    bool no_skip, no_fast, pictures;
};

struct lockstep {
    const struct cartridge *cartridge;
    const struct movie *movie;  /* empty: no buttons are pressed */
    const struct bytes *state;  /* to start from; NULL: power-on */
    struct nes_console console; /* of all machines */
    uint64_t end;               /* the frame before which to end; a JAM ends it earlier */
    struct way reference;       /* all zero: the interpreter; it gets the observers of each way */
    const struct way *ways;
    size_t count;
    /* Called before each frame; may be NULL. A status other than STATUS_OK ends the run. */
    enum status (*frame)(void *user, uint64_t frame, struct error *e);
    void *user;
};

enum { DIVERGENCE_NUMBERS = 24, DIVERGENCE_STEPS = 16 };

/* The position of a machine. */
struct stand {
    struct cpu_registers registers;
    uint64_t cycle, instructions;
};

struct divergence_step { /* an instruction executed by the reference */
    uint64_t cycle;
    struct guest_insn insn;
};

struct divergence {
    char what[200];      /* one sentence */
    uint64_t frame;      /* the first frame at whose end they differ */
    bool located;        /* within the frame, as follows: */
    bool warm;           /* they differ only if played from the beginning, not from a saved state */
    struct stand before; /* before the suspect instruction; warm: before the difference */
    /* The first instructions from there to the difference; warm: the last of the frame. None if it
     * was an interrupt or reset sequence. */
    struct divergence_step steps[DIVERGENCE_STEPS];
    unsigned step_count;
    struct stand reference, other; /* at the difference; not located: at the frame's end */
    size_t differences; /* numbers of the state that differ there; 0: only what observers saw
                           differs */
    struct nes_difference numbers[DIVERGENCE_NUMBERS]; /* the first ones; a: the reference's */
};

struct outcome {
    bool equal;
    uint64_t frames, instructions; /* compared and found equal */
    struct divergence where;       /* valid unless `equal` */
};

/* Fills outcomes[0 .. count-1]. Errors: memory, an invalid start state, and errors of frame(). A
 * difference is not an error. */
enum status lockstep_run(const struct lockstep *l, struct outcome *outcomes, struct error *e);

/* ways: the ways of running a game that must not make a difference, by name. */

/* Finds a way by name: an engine in the syntax of --engine (cli.h), followed by modifiers with "+".
 * STATUS_ARGUMENT: unknown way. STATUS_UNSUPPORTED: this processor has no translator. */
enum status way_find(struct way *out, const char *name, struct error *e);
/* Help text on the modifiers and the default ways. */
extern const char ways_manual[];

struct ways {
    VEC(struct way) list;
};
enum status ways_add(struct ways *w, const char *name, struct error *e);
/* Adds the default ways. */
enum status ways_add_standard(struct ways *w, struct error *e);

#endif
