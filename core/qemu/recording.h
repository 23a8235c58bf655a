/*
 * recording: the file in which the plugin, inside QEMU, hands over what it saw. Private to
 * core/qemu: written and read by one build on one machine, so in the host's own layout.
 *
 *     struct recording_header
 *     images        x struct recording_image
 *     instructions  x struct recording_insn
 *     blocks:       for each one its number of executions (u64), its number of instructions (u32),
 *                   and their indexes (u32 each)
 *     arcs          x struct recording_arc
 *     thread starts x u32 (indexes of instructions)
 *     streams:      for each setting the number of samples (u64), then indexes (u32 each)
 *     the magic once more: a file without it at its end is not whole
 */
#ifndef HOTGRAPH_QEMU_RECORDING_H
#define HOTGRAPH_QEMU_RECORDING_H

#include <stdint.h>

#define RECORDING_MAGIC UINT64_C(0x3165636172746748)

#define RECORDING_HERE "/proc/self/cwd/" /* programs so named are in the folder they run in */

enum { RECORDING_SETTINGS = 16, RECORDING_PATH = 512, RECORDING_TROUBLE = 200 };

/* The plugin writes what there is, and ends the program, when QEMU gets this signal: the highest,
 * which no program gets by chance. Until it was loaded, the signal just ends QEMU. */
enum { RECORDING_STOP = 64 };

/* How the program came to its end. */
enum recording_end {
    RECORDING_WHOLE,  /* by itself */
    RECORDING_SIGNAL, /* by a signal that it does not handle */
    RECORDING_ASKED,  /* by RECORDING_STOP */
    RECORDING_LIMIT   /* its next block would have passed the limit of instructions */
};

struct recording_header {
    uint64_t magic;
    char trouble[RECORDING_TROUBLE]; /* why there is no result; "" where there is one */
    uint64_t instructions;           /* executed */
    uint64_t transfers;              /* executed control transfers */
    uint64_t signals;                /* handlers that began */
    uint64_t unfinished;             /* blocks left in their middle, as far as noticed */
    uint64_t flushes;                /* of QEMU's code cache */
    uint64_t cpus;                   /* virtual processors, so threads, that ever ran */
    uint64_t forks;                  /* processes that it started; they are not recorded */
    uint32_t end, signal;            /* enum recording_end; of RECORDING_SIGNAL */
    uint64_t images, insns, blocks, arcs, starts, settings;
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

struct recording_arc {
    uint32_t from, to; /* blocks */
    uint64_t count;
};

#endif
