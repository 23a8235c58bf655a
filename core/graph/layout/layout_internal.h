/* Private to core/graph: the parts of layout.h. */
#ifndef HOTGRAPH_LAYOUT_INTERNAL_H
#define HOTGRAPH_LAYOUT_INTERNAL_H

#include "graph/busy_again.h"
#include "graph/graph.h"
#include "graph/graph_order.h"
#include "graph/layout/layout.h"
#include "graph/ratio.h"

#define LAYOUT_NONE UINT32_MAX

/* An edge of the program. Its ends are block numbers. */
struct layout_arc {
    uint32_t from, to;
    bool local, layable, busy;
    bool falls; /* the target follows the source in the original layout, and is reached without a
                   transfer or past an untaken branch */
};

struct last_insn {
    uint32_t address, block;
};

/* A prepared program: blocks are numbered by address, arcs by source, then target. */
struct layout_plan {
    size_t block_count, arc_count, region_count;
    struct block *blocks;
    struct block_shape *shapes;
    uint32_t *region; /* of each block: 1 + its region's number; 0: in memory */
    uint32_t *glued;  /* of each block: the block that must stay behind it, after a call;
                         LAYOUT_NONE */
    struct layout_arc *arcs;
    uint32_t *first_arc;     /* of each block; block_count + 1 */
    struct last_insn *lasts; /* by address */
};
enum status layout_plan_make(struct layout_plan *p, const struct layout_program *program,
                             struct error *e);
void layout_plan_free(struct layout_plan *p);
/* The block with this entry, or with this last instruction; LAYOUT_NONE: none. */
uint32_t layout_plan_block(const struct layout_plan *p, uint32_t entry);
uint32_t layout_plan_ending(const struct layout_plan *p, uint32_t last);
/* The number of items with an address <= `address`. The `count` items of `size` bytes each begin
 * with their address, and are sorted by it. */
size_t layout_count_up_to(const void *items, size_t count, size_t size, uint32_t address);
/* The index of the arc; SIZE_MAX: there is none. */
size_t layout_plan_arc(const struct layout_plan *p, uint32_t from, uint32_t to);

/* A graph mapped onto the program (layout_weights.c): a weight for each arc, 0 for busy-waits, and
 * one for each block. Their sums stay below 2^46, so that scores fit into 63 bits. */
struct layout_weights {
    uint64_t *arcs, *blocks;
};
struct layout_loss {
    uint64_t lost, all;  /* weight on edges without an arc; the weight of all edges */
    uint64_t lost_edges; /* number of g's edges without an arc */
};
enum status weights_of_graph(struct layout_weights *w, struct layout_loss *loss,
                             const struct layout_plan *p, const struct waits *waits,
                             const struct graph *g, struct error *e);
enum status weights_infer(struct layout_weights *w, const struct layout_plan *p, struct error *e);
void weights_free(struct layout_weights *w);

/* All blocks as chains, merged by weight (layout_chains.c). The blocks of chain i are
 * order[start[i]] .. order[start[i + 1] - 1]. */
struct layout_chains {
    uint32_t *order, *start;
    size_t count;
};
enum status chains_make(struct layout_chains *c, const struct layout_plan *p,
                        const struct layout_weights *w, struct error *e);
void chains_free(struct layout_chains *c);

/* Positions of the blocks: by chains, and in the original layout (layout.c). */
enum status chains_place(uint64_t *positions, const struct layout_plan *p,
                         const struct layout_chains *c, const struct layout_weights *w,
                         struct error *e);
void layout_place_as_is(uint64_t *positions, const struct layout_plan *p);

/* The score of one execution of an edge. */
static inline int64_t layout_gain(bool layable, int64_t end, int64_t start) {
    const int64_t d = start - end;
    if (d == 0 && layable)
        return LAYOUT_FALL;
    if (d >= 0)
        return d < 1024 ? (1024 - d) * 5 : 0;
    return d > -640 ? (640 + d) * 8 : 0;
}

#endif
