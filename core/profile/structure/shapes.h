/* shapes: the facts about a program's blocks that a layout needs and a graph lacks
 * (graph/layout/layout.h): their sizes and ends, and the regions that are laid out separately. */
#ifndef HOTGRAPH_SHAPES_H
#define HOTGRAPH_SHAPES_H

#include "graph/layout/layout.h"
#include "nes/nes.h"

struct shapes {
    struct block_shape *blocks; /* of each block of the graph; NULL: unknown */
    struct region *regions;
    size_t region_count;
};
void shapes_free(struct shapes *s);
/* The program described by s and g; borrows both. */
struct layout_program shapes_program(const struct shapes *s, const struct graph *g);

enum block_end shape_end_of(enum insn_kind kind);

/* Looks up an instruction by its address; false: there is none. */
struct shape_insn {
    uint32_t size;
    enum block_end end;
};
struct shape_source {
    bool (*insn)(const void *user, uint32_t address, struct shape_insn *out);
    const void *user;
    bool banked; /* addresses hold a bank in their upper half, another one in each 8 KiB window */
};
/* Finds sizes and ends of g's blocks. A block with an unknown instruction ends as END_OTHER. */
enum status shapes_of_blocks(struct shapes *s, const struct graph *g, struct shape_source source,
                             struct error *e);
/* The regions of a game: its banks, or all of ROM if none can be switched. RAM is memory. */
enum status shapes_of_game(struct shapes *s, const struct graph *g, struct error *e);

#endif
