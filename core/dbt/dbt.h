/*
 * dbt: a dynamic binary translator from 6502 to x86-64, as an engine of the machine.
 *
 * Guest basic blocks are translated when they have been met a few times, put into a code cache of
 * bounded size and chained to each other; the machine's loop sees only engine_dbt's run().
 * They call the bus for what is not plain memory. Whatever a block cannot do exactly (a device that
 * is read without purpose or written twice, BRK, RTI, the end of a deadline) it leaves, at an
 * instruction's boundary, to the interpreter.
 *
 * Invariants
 *  - Nothing that a guest program, a profiler or a saved state can see depends on the engine.
 *  - No memory is mapped writable and executable: the cache is seen through two views.
 *  - A block belongs to a bank in a window of 8 KiB, however the other windows are filled, and is
 *    valid while its bytes are what they were; blocks in memory that can be written compare them
 *    each time they are entered.
 *
 *  - After fork() both processes may go on: the child takes memory of its own and translates anew.
 *  - The host's stack is used as little as by the interpreter: translated code has its own.
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
/* nes_options.engine_options of a machine with this engine; zero is the usual, and what is beyond
 * those limits is taken for the limit. Nothing here changes what a guest does. */
struct dbt_options {
    size_t cache_bytes;    /* of the code cache, rounded to pages; 0: 8 MiB */
    unsigned hot;          /* a block is translated at this execution; 0: the usual, 1: at first
                              sight */
    unsigned block_length; /* most guest instructions of a block; 0: the usual, that is the most */
    bool no_chaining;      /* every block ends in the dispatcher */
    bool no_return_stack;  /* RTS is an indirect jump like others */
    bool no_inline_cache;  /* indirect jumps look their target up always */
    bool count_blocks;     /* count the executions of each block: dbt_block.executions */
    bool perf_map;         /* append blocks to /tmp/perf-PID.map, for perf(1) */
};

struct dbt_statistics {
    uint64_t blocks;       /* translated so far */
    uint64_t instructions; /* guest instructions in them */
    uint64_t guest_bytes, host_bytes;
    uint64_t nanoseconds;   /* spent on translating: the one value here that is not deterministic */
    uint64_t flushes;       /* the cache was full, or what had been translated became void */
    uint64_t stale;         /* blocks translated again since their bytes had changed */
    uint64_t retranslated;  /* blocks translated again since somebody had asked for it */
    uint64_t links;         /* exits that were chained to their target */
    uint64_t executed;      /* guest instructions executed in blocks */
    uint64_t dispatched;    /* how often blocks were entered from outside, and not by a chain */
    uint64_t return_misses; /* RTS that went elsewhere than the top of the return stack says */
    uint64_t cache_bytes, cache_used;
};
/* Of a machine that runs on this engine. */
void dbt_statistics(const struct nes *nes, struct dbt_statistics *out);

/* One translated block, for people. Pointers are valid until the machine runs again. */
struct dbt_block {
    uint16_t pc;
    uint32_t address; /* code address */
    unsigned instructions, guest_bytes;
    uint64_t executions;   /* with count_blocks */
    unsigned exits, links; /* exits to a known place (of an inline cache, when it is filled), and
                              how many of them are chained */
    const uint8_t *guest;  /* the bytes that were translated */
    const uint8_t *host;
    size_t host_size;
    uint64_t host_address;   /* where it runs */
    const uint32_t *targets; /* pc of each exit to a known place */
};
/* Calls each() for every block in the cache, in the order of translation. */
void dbt_each_block(const struct nes *nes, void (*each)(void *user, const struct dbt_block *block),
                    void *user);
/* One host instruction at `code` as text (Intel's syntax), at most `size` bytes of code; returns
 * its length, 0 where there is none. address: where it runs. */
size_t dbt_disassemble(char text[96], const uint8_t *code, size_t size, uint64_t address);

#endif
