/*
 * import: graphs, structures and streams from what other profilers recorded.
 *
 *     struct import_result r;
 *     if (import_perf(&r, &(struct import_request){.path = "perf.txt"}, &e) == STATUS_OK) {
 *         ... r.graph, r.structure, r.stream, r.counts ...
 *         import_free(&r);
 *     }
 *
 * Code addresses are those of qemu/qemu.h: each file gets a range at a multiple of 16 MiB, in the
 * order in which its first address was met, or as in a structure that was recorded before; inside
 * it an address is the offset in the file. The files must be here, and as they were: their
 * instructions are decoded.
 */
#ifndef HOTGRAPH_QEMU_IMPORT_H
#define HOTGRAPH_QEMU_IMPORT_H

#include "graph/graph.h"
#include "profile/profile.h"
#include "profile/structure/structure.h"

struct import_request {
    const char *path;               /* of the recording; may be compressed */
    const struct structure *images; /* whose files keep their addresses; NULL: none */
};

struct import_counts {
    uint64_t samples;  /* with an address or a stack of branches; of callgrind: see there */
    uint64_t branches; /* entries of such stacks that were taken over */
    uint64_t threads;  /* that were sampled */
    /* Left out: addresses of the kernel, of memory that is no file here, and straight-line ranges
     * between two branches that are none in the file. */
    uint64_t kernel, unmapped, broken;
};

struct import_result {
    struct graph graph;         /* of branches and the ranges between them; empty without stacks */
    struct structure structure; /* of the same */
    struct stream stream;       /* of single transfers; without stacks of single instructions */
    struct import_counts counts;
};

/* STATUS_FORMAT: not what `perf script` prints, or nothing in it could be used. */
enum status import_perf(struct import_result *out, const struct import_request *request,
                        struct error *e);
/* Of callgrind.out, written with --dump-instr=yes --collect-jumps=yes --skip-plt=no: every
 * execution was counted. Edges of returns are missing, which callgrind does not record; there is no
 * stream. counts: samples are instructions with a cost, branches the transfers that have a line. */
enum status import_callgrind(struct import_result *out, const struct import_request *request,
                             struct error *e);
/* Of either, by how the file begins; *counted: by callgrind, so that everything was counted. */
enum status import_recording(struct import_result *out, const struct import_request *request,
                             bool *counted, struct error *e);
void import_free(struct import_result *r);

#endif
