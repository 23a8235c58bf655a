/*
 * recording: the file that passes the plugin's observations from QEMU to us. Private to core/qemu.
 * One build on one machine writes and reads it, so it uses the host's own layout.
 *
 *     struct recording_header
 *     images        x struct recording_image
 *     instructions  x struct recording_insn
 *     blocks:       for each one its number of executions (u64), its number of instructions (u32),
 *                   and their indexes (u32 each)
 *     arcs          x struct recording_arc
 *     thread starts x u32 (indexes of instructions)
 *     streams:      for each setting the number of samples (u64), then indexes (u32 each); of stacks,
 *                   RECORDING_BATCH_END after each batch
 *     changes       x struct recording_change
 *     the magic once more: a file without it at its end is incomplete
 *
 * A trace's packets are in a file of their own.
 *
 * Other processes and threads (`--follow`) share a second file, to which each appends under a lock
 * (flock):
 *
 *     number of bytes that are complete, these eight included (u64)
 *     entries: struct recording_entry, then what its kind says
 */
#ifndef HOTGRAPH_QEMU_RECORDING_H
#define HOTGRAPH_QEMU_RECORDING_H

#include <stdint.h>

/* The plugin's first argument is version=N. Increment this whenever its arguments or this file's layout
 * change: then a plugin of another build refuses to run instead of misunderstanding them. */
enum { RECORDING_VERSION = 2 };

#define RECORDING_MAGIC UINT64_C(0x3165636172746748)

#define RECORDING_HERE "/proc/self/cwd/" /* programs with such a path are in their working folder */

enum {
    RECORDING_SETTINGS = 16,
    RECORDING_PATH = 512,
    RECORDING_TROUBLE = 200,
    RECORDING_LABEL = 128,
};

/* When QEMU gets this signal, the plugin writes the recording so far and ends the program. It is
 * the highest signal, which no program gets by chance. Before the plugin is loaded, it just ends
 * QEMU. */
enum { RECORDING_STOP = 64 };

/* What a setting samples. */
enum recording_by {
    RECORDING_BATCHES,   /* consecutive instructions */
    RECORDING_TRANSFERS, /* single control transfers */
    RECORDING_STACKS,    /* the last taken branches before one in `every` instructions */
    RECORDING_TAKEN      /* the same after one in `every` taken branches */
};
#define RECORDING_BATCH_END UINT32_MAX

/* How the program ended. */
enum recording_end {
    RECORDING_WHOLE,  /* by itself */
    RECORDING_SIGNAL, /* by a signal that it does not handle */
    RECORDING_ASKED,  /* by RECORDING_STOP */
    RECORDING_LIMIT,  /* its next block would have passed the limit of instructions */
    RECORDING_EXEC    /* the process became another program */
};

struct recording_header {
    uint64_t magic;
    char trouble[RECORDING_TROUBLE]; /* why there is no result; "" if there is one */
    uint64_t instructions;           /* executed */
    uint64_t transfers;              /* executed control transfers */
    uint64_t signals;                /* handlers that began */
    uint64_t unfinished;             /* blocks left midway, as far as noticed */
    uint64_t flushes;                /* of QEMU's code cache */
    uint64_t cpus;                   /* virtual processors that ever ran, and so threads */
    uint64_t forks;                  /* processes that it started */
    uint32_t end, signal;            /* enum recording_end; of RECORDING_SIGNAL */
    uint32_t exit_code;              /* what it gave exit() */
    uint32_t traced;                 /* 1: a trace belongs to it */
    uint64_t images, insns, blocks, arcs, starts, settings, changes;
};

struct recording_image {
    char path[RECORDING_PATH]; /* "" for anonymous memory */
    uint32_t base;             /* code address of the file's first byte */
    uint32_t room;             /* bytes */
};

struct recording_insn {
    uint32_t address;
    uint32_t target; /* code address, of direct transfers */
    uint8_t size, kind /* enum transfer_kind */, rest[2];
};

/* From a byte of the trace on. */
enum recording_change_how {
    RECORDING_CODE,   /* this instruction is the one at its address */
    RECORDING_ONCE,   /* at its next execution it leads to `to` */
    RECORDING_RETURNS /* it returns from a handler */
};
struct recording_change {
    uint64_t at;
    uint32_t insn, to, how, rest;
};

enum recording_entry_kind {
    RECORDING_BEGINS,     /* a process, or a program in it after exec: then its path and arguments
                             follow, each with a zero byte */
    RECORDING_RECORDS,    /* a recording follows; it replaces an earlier one of this label */
    RECORDING_UNRECORDED, /* it runs without the plugin; the reason follows, with a zero byte */
    RECORDING_GOES_ON     /* exec failed: there is no next program, and a recording will come */
};

/* A label says where in the tree a process or thread is. Its words are joined by dots: N for the Nth
 * process that was forked, x for the next program (exec), tN for the Nth further thread. */
struct recording_entry {
    uint64_t size; /* with this; a multiple of 8 */
    uint32_t kind, process;
    char label[RECORDING_LABEL];
};

struct recording_arc {
    uint32_t from, to; /* blocks */
    uint64_t count;
};

#endif
