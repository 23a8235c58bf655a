/*
 * import: graphs, structures and streams from recordings by other profilers.
 *
 *     struct import_result r;
 *     if (import_perf(&r, &(struct import_request){.path = "perf.txt"}, &e) == STATUS_OK) {
 *         ... r.graph, r.structure, r.stream, r.counts ...
 *         import_free(&r);
 *     }
 *
 * Code addresses are those of qemu/qemu.h: each file has a range that starts at a multiple of 16
 * MiB. The files are in the order in which their first address was met, or as in an earlier
 * structure. Within a range an address is the offset in the file. The files must be present and
 * unchanged, because their instructions are decoded.
 */
#ifndef HOTGRAPH_QEMU_IMPORT_H
#define HOTGRAPH_QEMU_IMPORT_H

#include "graph/graph.h"
#include "profile/profile.h"
#include "profile/structure/structure.h"

struct import_request {
    const char *path;               /* the recording, which may be compressed */
    const struct structure *images; /* a structure whose files keep their addresses; NULL: none */
    const char *program;            /* for import_fdata() and import_qemu(): what was run */
    const char *sysroot;            /* for import_qemu(): as QEMU's -L; NULL: none */
    bool qemu;                      /* for import_recording(): `program` ran under QEMU */
};

struct import_counts {
    uint64_t samples;  /* samples with an address or a branch stack; otherwise see
                          import_callgrind(), import_fdata() and import_qemu() */
    uint64_t branches; /* entries of branch stacks that were used */
    uint64_t threads;  /* threads that were sampled */
    /* Left out: addresses in the kernel, addresses in memory that is no file here, and ranges
     * between two branches that are not straight-line code in the file. */
    uint64_t kernel, unmapped, broken;
    uint64_t unequal; /* import_fdata() and import_qemu() */
};

struct import_result {
    struct graph graph;         /* of branches and the ranges between them; empty without branch
                                   stacks */
    struct structure structure; /* of the same branches and ranges */
    struct stream stream;       /* of the last taken branches; without branch stacks, of single
                                   instructions */
    struct import_counts counts;
};

/* STATUS_FORMAT: not the output of `perf script`, or nothing in it was usable. */
enum status import_perf(struct import_result *out, const struct import_request *request,
                        struct error *e);
/* Imports a callgrind.out that was written with --dump-instr=yes --collect-jumps=yes --skip-plt=no.
 * It has exact counts, but no returns, because callgrind does not record them, and it gives no
 * stream. counts: samples are executed instructions, branches the transfers that have a line. */
enum status import_callgrind(struct import_result *out, const struct import_request *request,
                             struct error *e);
/* Imports what `llvm-bolt --instrument` counted. Without returns and stream, as callgrind's. The
 * graph is exact, unless counts.unequal transfers have other counts than the code before them.
 * counts: samples are executed instructions, branches the lines that were used, unmapped those with
 * an end in no function of the program, broken those that are no edges of the program. */
enum status import_fdata(struct import_result *out, const struct import_request *request,
                         struct error *e);
/* Imports what `qemu-x86_64 -strace -d exec,nochain,in_asm,page` logs of a process. The graph is
 * exact, unless counts.unequal signals left blocks midway. The stream has the batches that
 * qemu_record() takes by default; with several threads there is none. counts: samples are executed
 * instructions, branches transfers, unmapped executed blocks that are in no file here, broken
 * transfers that the code does not have, such as starts of signal handlers that never return. */
enum status import_qemu(struct import_result *out, const struct import_request *request,
                        struct error *e);
/* Batches of consecutive instructions that a running process was seen to execute. */
struct import_map {
    uint64_t start, size, offset; /* executable memory, and where it begins in the file */
    char *path;
};
struct import_steps {
    const char *program;            /* its file, which comes first */
    const struct structure *images; /* as in struct import_request */
    bool own;                       /* only batches wholly in the program's own file */
    const struct import_map *maps;  /* of two that have an address, the later one counts */
    size_t map_count;
    const uint64_t *addresses; /* batch_length of each batch */
    size_t batch_length, batch_count;
};
/* Only out->stream is made. counts: samples are batches, unmapped those that were left out. */
enum status import_steps(struct import_result *out, const struct import_steps *steps,
                         struct error *e);

enum import_from { IMPORT_PERF, IMPORT_CALLGRIND, IMPORT_FDATA, IMPORT_QEMU };
/* Recognises callgrind's files by how they begin; those with request->program are BOLT's or QEMU's.
 */
enum status import_recording(struct import_result *out, const struct import_request *request,
                             enum import_from *from, struct error *e);
void import_free(struct import_result *r);

#endif
