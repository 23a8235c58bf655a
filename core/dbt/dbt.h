/*
 * dbt: a dynamic binary translator from 6502 to x86-64, as an engine of the machine.
 *
 * Guest basic blocks are translated when they have been met a few times, put into a code cache of
 * bounded size and chained to each other; the machine's loop sees only the engine's run(). Blocks
 * call the bus for everything but plain memory. What a block cannot do exactly (dummy reads of a
 * device, double writes, BRK, RTI, the end of a deadline) it leaves to the interpreter, at an
 * instruction's boundary.
 *
 * Invariants
 *  - The engine changes nothing that a guest program, a profiler or a saved state can observe.
 *  - No memory is mapped writable and executable: the cache is seen through two views.
 *  - A block belongs to a bank in a window of 8 KiB, independent of other windows' banks. It is
 *    valid while its bytes are unchanged; blocks in writable memory compare them at each entry.
 *  - After fork() both processes may go on: the child allocates a new cache and translates anew.
 *  - Translated code has a stack of its own; the host's stack is used no more than by the
 *    interpreter.
 *
 * A machine takes 2 * cache_bytes (16 MiB) and 0.3 MiB of address space for it, and as much memory
 * as there is host code.
 *
 *     const struct engine *engine = dbt_engine();     // NULL: not on this processor
 *     nes_create(&nes, &(struct nes_options){.cartridge = cart, .engine = engine}, &err);
 *     ...
 *     dbt_statistics(nes, &statistics);
 */
#ifndef HOTGRAPH_DBT_H
#define HOTGRAPH_DBT_H

#include "nes/engine.h"

/* The translator, or NULL where the processor is not an x86-64. */
const struct engine *dbt_engine(void);

enum {
    DBT_CACHE_LEAST = 4 << 10,
    DBT_CACHE_MOST = 1 << 30,
    DBT_HOT_MOST = 200,
    DBT_BLOCK_MOST = 24,
};
/* The profile's statement about one control transfer. */
struct dbt_likely {
    uint32_t from, to; /* code addresses: of the instruction, and of its likeliest successor */
    uint32_t share;    /* share of its executions that go there, in DBT_ALWAYS-ths */
};
enum { DBT_ALWAYS = 1 << 16 };
/* The likeliest successors, one for each `from`, sorted by it. A missing transfer is unknown or
 * cold. A wrong profile costs time and has no other effect. */
struct dbt_profile {
    const struct dbt_likely *at;
    size_t count;
    const uint32_t *hot; /* code addresses at which superblocks begin, sorted */
    size_t hot_count;
};

/* nes_options.engine_options of a machine with this engine. Zero means the default; values beyond
 * the limits above are clamped. No option changes what a guest does. */
struct dbt_options {
    size_t cache_bytes;    /* of the code cache, rounded to pages; 0: 8 MiB */
    unsigned hot;          /* a block is translated at this execution; 0: the default */
    unsigned block_length; /* maximal guest instructions of a block; 0: DBT_BLOCK_MOST */
    bool no_chaining;      /* every block ends in the dispatcher */
    bool no_return_stack;  /* RTS is an ordinary indirect jump */
    bool no_inline_cache;  /* indirect jumps always look up their target */
    bool count_blocks;     /* count the executions of each block: dbt_block.executions */
    bool perf_map;         /* append blocks to /tmp/perf-PID.map, for perf(1) */
    /* Superblocks: blocks in ROM continue along the likeliest path, through branches, jumps and
     * calls. */
    const struct dbt_profile *profile; /* the profile that names it; NULL: none. Must outlive the
                                          machine */
    unsigned random_paths;             /* not 0: the seed of paths chosen at random, for tests */
    unsigned random_adapt; /* as random_paths, but no path at first and new ones now and then
                              while it runs */
};

struct dbt_statistics {
    uint64_t blocks;       /* translated so far */
    uint64_t instructions; /* guest instructions in them */
    uint64_t guest_bytes, host_bytes;
    uint64_t nanoseconds;  /* spent on translation; the only value here that is not deterministic */
    uint64_t flushes;      /* the cache was full, or its blocks became invalid */
    uint64_t superblocks;  /* blocks that follow a path of the profile */
    uint64_t followed;     /* transfers within them: jumps, calls, returns and taken branches */
    uint64_t stale;        /* blocks translated again because their bytes changed */
    uint64_t retranslated; /* blocks translated again, by request or because a new profile says
                              they are hot */
    uint64_t links;        /* exits that were chained to their target */
    uint64_t executed;     /* guest instructions executed in blocks */
    uint64_t dispatched;   /* entries from the dispatcher, not by a chain */
    uint64_t return_misses; /* RTS whose target was not on top of the return stack */
    uint64_t
        loops; /* whose passes are counted where control enters them, of the blocks in the cache */
    uint64_t cache_bytes, cache_used;
};
/* From now on `nes`, which must run on this engine, uses this profile, which must outlive it; NULL:
 * none. Existing blocks that it says are hot are soon translated again, as superblocks; all others
 * stay. */
enum status dbt_use_profile(struct nes *nes, const struct dbt_profile *profile, struct error *e);

/* `nes` must run on this engine. */
void dbt_statistics(const struct nes *nes, struct dbt_statistics *out);

/* One translated block, for people. Pointers are valid until the machine runs again. */
struct dbt_block {
    uint16_t pc;
    uint32_t address; /* code address */
    unsigned instructions, guest_bytes;
    uint64_t executions;   /* with count_blocks */
    unsigned exits, links; /* exits to a known pc (an inline cache counts once it is filled); how
                              many of them are chained */
    const uint8_t *guest;  /* the bytes that were translated */
    const uint8_t *host;
    size_t host_size;
    uint64_t host_address;   /* where it runs */
    const uint32_t *targets; /* pc of each exit with a known target */
};
/* Calls each() for every block in the cache, in the order of translation. */
void dbt_each_block(const struct nes *nes, void (*each)(void *user, const struct dbt_block *block),
                    void *user);
/* Disassembles one host instruction of at most `size` bytes at `code` (Intel syntax). Returns its
 * length; 0: no instruction. address: where it runs. */
size_t dbt_disassemble(char text[96], const uint8_t *code, size_t size, uint64_t address);

#endif
