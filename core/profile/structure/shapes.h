/* shapes: what a layout must know of a program's blocks beside its graph (graph/layout/layout.h):
 * their sizes and how they end, and which code is laid out by itself. */
#ifndef HOTGRAPH_SHAPES_H
#define HOTGRAPH_SHAPES_H

#include "graph/layout/layout.h"
#include "nes/nes.h"

struct shapes {
    struct block_shape *blocks; /* one a block of the graph; NULL: not known */
    struct region *regions;
    size_t region_count;
};
void shapes_free(struct shapes *s);
/* The program of both; borrowed. */
struct layout_program shapes_program(const struct shapes *s, const struct graph *g);

enum block_end shape_end_of(enum insn_kind kind);

/* An instruction of the program, by address; false: there is none. */
struct shape_insn {
    uint32_t size;
    enum block_end end;
};
struct shape_source {
    bool (*insn)(const void *user, uint32_t address, struct shape_insn *out);
    const void *user;
};
/* Sizes and ends of g's blocks. Blocks of which an instruction is not known end as END_OTHER. */
enum status shapes_of_blocks(struct shapes *s, const struct graph *g, struct shape_source source,
                             struct error *e);
/* The regions of a game: its banks, or all ROM where none can be switched. RAM is memory. */
enum status shapes_of_game(struct shapes *s, const struct graph *g, struct error *e);

#endif
