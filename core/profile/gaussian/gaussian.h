/* Private to core/profile: shared by the two implementations of GFCGaussiano. */
#ifndef HOTGRAPH_PROFILE_GAUSSIAN_H
#define HOTGRAPH_PROFILE_GAUSSIAN_H

#include "profile/profile.h"

/* Indices of the technique's parameters. */
enum { BIN_SIZE, STDEV_THRESHOLD, WINDOW_SIZE, RECURRENT_THRESHOLD, BUILDER };

enum { NOBODY = 0 }; /* owner of a byte in no block; others are 1 + the block's index */

struct gaussian_block {
    uint32_t entry;
    uint32_t last; /* last of the instructions that follow the entry without a gap, */
    uint64_t end;  /* and the address after its last byte */
    bool done;
};

/* A build() that waits for its recursive call. */
struct gaussian_frame {
    uint32_t block;
    size_t i;
};

struct gaussian_graph {
    VEC(struct gaussian_block) blocks; /* in order of creation */
    struct map edges;                  /* (source block << 32 | target block) -> count */
};
void gaussian_graph_free(struct gaussian_graph *g);
/* Converts it to a graph by block entries. */
enum status gaussian_export(const struct gaussian_graph *g, struct graph *out, struct error *e);

extern const struct technique technique_gaussian;

/* The implementation for many configurations: see struct technique. `gaussian` is the technique. */
enum status gaussian_build_many(const struct technique *gaussian,
                                const struct build_request *request, struct error *e);
size_t gaussian_group(const int64_t *const *values, size_t count, size_t *groups);

#endif
