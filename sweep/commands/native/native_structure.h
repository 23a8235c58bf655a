/* The structure of a program whose exact graph was counted by probes. */
#ifndef HOTGRAPH_NATIVE_STRUCTURE_H
#define HOTGRAPH_NATIVE_STRUCTURE_H

#include "base/base.h"
#include "graph/graph.h"
#include "profile/structure/structure.h"

/* How often other code entered the program's own at an address. */
struct native_entries {
    uint32_t at;
    uint64_t count;
};

/* A file whose code was counted, and its first byte's code address. */
struct native_image {
    uint32_t base;
    const char *path;
};

struct native_structure_request {
    struct flow *flow; /* of all executed pairs */
    const struct graph *graph;
    struct shape_source insns;
    const struct native_entries *entries;
    size_t entry_count;
    const struct native_image *images; /* by base */
    size_t image_count;
    uint64_t instructions; /* executed */
};

/* The caller frees *out also after an error. */
enum status native_structure_make(struct structure *out,
                                  const struct native_structure_request *request, struct error *e);

/* How a block ends: `ends` as in a session's pieces (native/session.h), with the bytes of its last
 * instruction. */
enum block_end native_end_of(char ends, const uint8_t *insn, size_t size);

#endif
