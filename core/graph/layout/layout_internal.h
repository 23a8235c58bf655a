/* Private to core/graph: the parts of layout.h. */
#ifndef HOTGRAPH_LAYOUT_INTERNAL_H
#define HOTGRAPH_LAYOUT_INTERNAL_H

#include "graph/busy_again.h"
#include "graph/graph.h"
#include "graph/graph_order.h"
#include "graph/layout/layout.h"
#include "graph/ratio.h"

#define LAYOUT_NONE UINT32_MAX

/* An edge of the program, between numbers of blocks. */
struct layout_arc {
    uint32_t from, to;
    bool local, layable, busy;
    bool falls; /* the target is what follows the source as it is, without a transfer or past a
                   branch */
};

struct last_insn {
    uint32_t address, block;
};

/* A program made ready: blocks are numbered by address, arcs by source, then target. */
struct layout_plan {
    size_t block_count, arc_count, region_count;
    struct block *blocks;
    struct block_shape *shapes;
    uint32_t *region; /* of each block: 1 + its number; 0: in memory */
    uint32_t *glued;  /* the block behind a call; LAYOUT_NONE */
    struct layout_arc *arcs;
    uint32_t *first_arc;     /* of each block; block_count + 1 */
    struct last_insn *lasts; /* by address */
};
enum status layout_plan_make(struct layout_plan *p, const struct layout_program *program,
                             struct error *e);
void layout_plan_free(struct layout_plan *p);
/* The block that has this entry, or this last instruction; LAYOUT_NONE. */
uint32_t layout_plan_block(const struct layout_plan *p, uint32_t entry);
uint32_t layout_plan_ending(const struct layout_plan *p, uint32_t last);
/* How many of `count` items of `size` bytes, each beginning with its address by which they are sorted,
 * are not behind this one. */
size_t layout_count_up_to(const void *items, size_t count, size_t size, uint32_t address);
/* SIZE_MAX: there is none. */
size_t layout_plan_arc(const struct layout_plan *p, uint32_t from, uint32_t to);

/* A graph on the program: a weight an arc, 0 for busy-waits, and one a block. Their sums are below
 * 2^46, so that scores fit 63 bits. (layout_weights.c) */
struct layout_weights {
    uint64_t *arcs, *blocks;
};
struct layout_loss {
    uint64_t lost, all;  /* weight without an arc, of all */
    uint64_t lost_edges; /* g's edges without an arc */
};
enum status weights_of_graph(struct layout_weights *w, struct layout_loss *loss,
                             const struct layout_plan *p, const struct waits *waits,
                             const struct graph *g, struct error *e);
enum status weights_infer(struct layout_weights *w, const struct layout_plan *p, struct error *e);
void weights_free(struct layout_weights *w);

/* All blocks in chains, merged by weights (layout_chains.c): those of chain i are order[start[i]]
 * .. order[start[i + 1] - 1]. */
struct layout_chains {
    uint32_t *order, *start;
    size_t count;
};
enum status chains_make(struct layout_chains *c, const struct layout_plan *p,
                        const struct layout_weights *w, struct error *e);
void chains_free(struct layout_chains *c);

/* Positions of blocks by chains, and as they are (layout.c). */
enum status chains_place(uint64_t *positions, const struct layout_plan *p,
                         const struct layout_chains *c, const struct layout_weights *w,
                         struct error *e);
void layout_place_as_is(uint64_t *positions, const struct layout_plan *p);

/* What an execution of an edge scores. */
static inline int64_t layout_gain(bool layable, int64_t end, int64_t start) {
    const int64_t d = start - end;
    if (d == 0 && layable)
        return LAYOUT_FALL;
    if (d >= 0)
        return d < 1024 ? (1024 - d) * 5 : 0;
    return d > -640 ? (640 + d) * 8 : 0;
}

#endif
