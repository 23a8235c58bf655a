/* functions: a graph by the functions of its program: the instructions that each one executed, and
 * the calls between them. Private to core/qemu. */
#ifndef HOTGRAPH_QEMU_FUNCTIONS_H
#define HOTGRAPH_QEMU_FUNCTIONS_H

#include "graph/graph.h"
#include "profile/structure/structure.h"
#include "qemu/qemu.h"

enum { FUNCTION_NAME = 256 };

struct function {
    char name[FUNCTION_NAME];
    uint32_t entry;   /* the lowest address that was executed */
    size_t image;     /* number in the structure; SIZE_MAX: none */
    uint64_t self;    /* executed instructions */
    double entered;   /* calls of it, plus contexts that begin in it */
    double begins;    /* those contexts */
    double inclusive; /* instructions of one call, with everything it calls; estimated as gprof
                         does: a call costs the same whoever makes it */
};

/* Calls between two functions, sorted by caller, then callee. */
struct call_arc {
    size_t caller, callee;
    uint64_t count;
};

struct functions {
    struct function *list;
    size_t count;
    size_t *of_block;   /* function of each block of the structure */
    uint64_t *executed; /* of each block: executions */
    uint64_t *edges;    /* of each edge of the structure: its weight in the graph */
    size_t *first_edge; /* of each block: its first edge in the structure; block_count + 1 */
    size_t *order;      /* blocks, sorted by function, then address */
    uint64_t total;     /* instructions */
    VEC(struct call_arc) arcs;
};

/* symbols NULL: functions are the targets of calls and the starts of contexts. STATUS_ARGUMENT if
 * the structure has no sizes of blocks. */
enum status functions_make(struct functions *out, const struct structure *s, const struct graph *g,
                           const struct qemu_symbols *symbols, struct error *e);
void functions_free(struct functions *f);
/* Is the edge from block b to function `callee` a call? Every edge to another function is one,
 * except returns. */
bool functions_is_call(const struct functions *f, const struct structure *s, size_t b,
                       size_t callee);
/* The offset in its image, or the address if it has none. */
uint32_t functions_offset(const struct structure *s, const struct function *f, uint32_t address);

#endif
