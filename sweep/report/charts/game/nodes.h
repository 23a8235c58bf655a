/*
 * nodes: what the blocks of a graph are called in drawings, their boxes, and the arrows between
 * them. Graphviz (layout.h) says where they go. Shared by the charts of this room.
 *
 * A game's block has its address. A program's has function+offset, or file+offset where no function
 * is known, as in the view named_edge. Boxes are as large as their texts: a long name is in two
 * lines, and a very long one is cut in its middle; the whole name is shown where the pointer rests.
 */
#ifndef HOTGRAPH_REPORT_NODES_H
#define HOTGRAPH_REPORT_NODES_H

#include "report/draw/node_layout.h"
#include "report/page/ask.h"

enum { NODE_LETTERS = 24 };
struct drawn_node {
    uint32_t address;
    char *name; /* whole */
    char *code; /* disassembled; NULL: unknown. disassembly.h says for which programs it is known */
    char lines[2][NODE_LETTERS + 4]; /* the second is "" if one line is enough */
    double width, height;            /* pixels of its box */
    bool placed;                     /* the current graph already has its box */
};
struct nodes {
    VEC(struct drawn_node) list; /* by address */
};

/* Adds a block; then finds the names of all of them, in lines of at most that many letters. */
bool nodes_add(struct nodes *b, uint32_t address);
enum status nodes_name(struct nodes *b, struct page *p, const char *game, unsigned letters);
const struct drawn_node *nodes_find(const struct nodes *b, uint32_t address);
void nodes_free(struct nodes *b);

/* The text for layout_make: a graph begins, has edges, ends. direction: LR, TB. */
void nodes_begin(struct nodes *b, FILE *dot, const char *direction);
void nodes_edge(struct nodes *b, FILE *dot, uint32_t source, uint32_t target, double count);
void nodes_end(FILE *dot);

struct edge_look {
    enum ink ink;
    enum stroke stroke;
    double width;
    char label[16];
    char hint[300]; /* tooltip of line and label; "": none */
};
void draw_edge(struct canvas *c, const struct layout_edge *edge, const struct edge_look *look,
               double left, double top);
void draw_nodes(struct canvas *c, const struct layout *l, const struct nodes *b, double left,
                double top);

#endif
