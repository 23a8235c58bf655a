/*
 * lockstep: one game on a reference machine and, beside it, in other ways, which must make no
 * difference.
 *
 * After every frame the whole state of each way (registers, RAM, PPU, APU, cartridge, cycle and
 * number of instructions) is compared with the reference's, and so is what its observers have seen
 * so far; at the end, what its profilers have found.
 *
 * Where a way differs the frame is searched: both machines start from the reference's state at the
 * end of the last equal frame, and the first cycle is found at which they are stopped and differ.
 * That alone does not name the instruction, since a translator does not stop in the middle of a
 * block: with an earlier stop it leaves the block to the interpreter. So then the latest of the
 * reference's states is found from which they come to differ at that cycle. Starting an instruction
 * later they do not: that instruction, or how those behind it follow on it, is done wrongly. Where
 * nothing shows when they start from a saved state, they start from the beginning.
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

/* Who looks on while a machine runs. */
enum watching {
    WATCH_NOBODY,
    WATCH_PROFILERS, /* the exact profiler, and the sampler */
    WATCH_TRANSFERS, /* told of every control transfer, in order; other instructions are counted */
    WATCHINGS
};

struct way {
    char name[128];
    const struct engine *engine; /* NULL: the interpreter */
    const void *engine_options;  /* NULL: these */
    struct dbt_options translator;
    enum watching watching;
    bool no_skip, no_fast, pictures;
};

struct lockstep {
    const struct cartridge *cartridge;
    const struct movie *movie;  /* an empty one: nothing is pressed */
    const struct bytes *state;  /* to start from; NULL: power-on */
    struct nes_console console; /* of all machines */
    uint64_t end;               /* frame before which to end; sooner after a JAM */
    struct way reference;       /* zero: the interpreter; it is watched as each way is */
    const struct way *ways;
    size_t count;
    /* Called before each frame; may be NULL. Another status than STATUS_OK ends the run. */
    enum status (*frame)(void *user, uint64_t frame, struct error *e);
    void *user;
};

enum { DIVERGENCE_NUMBERS = 24, DIVERGENCE_STEPS = 16 };

/* How a machine stands. */
struct stand {
    struct cpu_registers registers;
    uint64_t cycle, instructions;
};

struct divergence_step { /* an instruction, as the reference has executed it */
    uint64_t cycle;
    struct guest_insn insn;
};

struct divergence {
    char what[200];      /* one sentence */
    uint64_t frame;      /* the first at whose end it shows */
    bool located;        /* in the frame: */
    bool warm;           /* it shows only when played from the beginning, not from a saved state */
    struct stand before; /* before the first instruction to matter; warm: before it shows */
    /* What was executed from there until it shows, the first of it; warm: the last of the frame.
     * None where it was an interrupt or reset sequence. */
    struct divergence_step steps[DIVERGENCE_STEPS];
    unsigned step_count;
    struct stand reference, other; /* where it shows; not located: at the frame's end */
    size_t differences; /* numbers of the state that differ there; 0: only observers noticed */
    struct nes_difference numbers[DIVERGENCE_NUMBERS]; /* the first of them; a: the reference's */
};

struct outcome {
    bool equal;
    uint64_t frames, instructions; /* that were compared, and equal */
    struct divergence where;       /* unless equal */
};

/* Fills outcomes[0 .. count-1]. Errors are those of memory, of a wrong start state, and of frame();
 * a difference is none. */
enum status lockstep_run(const struct lockstep *l, struct outcome *outcomes, struct error *e);

/* ways: the ways to run a game that must make no difference, by name. */

/* The way that is called `name`: what --engine takes (engines.h), and modifiers that are joined to
 * it by "+". STATUS_ARGUMENT when there is no such way, STATUS_UNSUPPORTED when this processor has
 * no translator. */
enum status way_find(struct way *out, const char *name, struct error *e);
/* Says what modifiers there are, and which ways are standard. */
extern const char ways_manual[];

struct ways {
    VEC(struct way) list;
};
enum status ways_add(struct ways *w, const char *name, struct error *e);
/* Those that are run unless somebody chooses. */
enum status ways_add_standard(struct ways *w, struct error *e);

#endif
