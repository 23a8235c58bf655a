/*
 * structure: what a translator knows of a program without counting it: blocks, edges, where threads
 * begin and where they may end, and how often it passed by each edge of a busy-wait, which it knows
 * from passing over them. Recorded once, shared by every technique that repairs sampled counts.
 *
 * Blocks and edges are those of the canonical rule over every pair of instructions that was
 * executed at least once: the ones of the exact graph of the same replay.
 *
 * Invariants
 *  - Read-only once recorded: any number of threads may use one.
 *  - The same on every engine.
 *  - A structure's file is a graph file whose counts are 0 but for busy-waits.
 *
 *     struct structure_recorder *r;
 *     struct structure s = {0};
 *     if (structure_attach(&r, nes, &err) == STATUS_OK) {
 *         ... play
 *         structure_finish(r, &s, &err);
 *     }
 */
#ifndef HOTGRAPH_STRUCTURE_H
#define HOTGRAPH_STRUCTURE_H

#include "graph/graph.h"
#include "nes/nes.h"
#include "profile/structure/shapes.h"

struct structure {
    struct graph graph; /* the counts of busy edges are exact, those of all others 0 */
    /* The instructions of graph.blocks[i] are insns[first[i]] .. insns[first[i + 1] - 1]. */
    uint32_t *insns;
    size_t *first;    /* block_count + 1 */
    uint64_t *begins; /* how many threads began at each block's entry; one a block */
    bool *sink;       /* whether threads may end in it; one a block */
    uint8_t *ends;    /* INSN_CALL or INSN_RETURN, where its last instruction is one; one a block */
    bool *falls;      /* one an edge: no transfer, the next block follows in sequence */
    /* Sizes and ends of the blocks, for layouts; without blocks in files of earlier versions. */
    struct shapes shapes;
    /* Instructions and control transfers of the replay; 0: nobody has counted. */
    uint64_t executed, transfers;
    uint64_t probes; /* that fired while it was recorded; 0 when read from a file */
};
void structure_free(struct structure *s);

struct structure_recorder;
enum status structure_attach(struct structure_recorder **out, struct nes *nes, struct error *e);
/* Detaches and frees the recorder. */
enum status structure_finish(struct structure_recorder *r, struct structure *out, struct error *e);
/* What it would be if the replay ended now; the recorder goes on. At an instruction boundary. */
enum status structure_now(struct structure_recorder *r, struct structure *out, struct error *e);
void structure_abandon(struct structure_recorder *r); /* NULL is fine */

/* The structure of a program outside the machine, whose pairs were all counted; exact is the graph
 * of that flow, without busy-waits, and gives none of its counts but one bit a block: whether
 * threads end there. Which blocks call and return is not told, as calls are not of one size. Sorts
 * the flow's pairs. */
enum status structure_of_flow(struct structure *out, struct flow *flow, const struct graph *exact,
                              struct error *e);

/* The block that holds the instruction at `address`; SIZE_MAX: none does. Look-ups by binary
 * search in an index that the caller makes once and frees with free(). */
struct insn_place {
    uint32_t address;
    uint32_t block;
};
enum status structure_places(struct insn_place **out, const struct structure *s, struct error *e);
size_t structure_block_of(const struct insn_place *places, size_t insn_count, uint32_t address);
static inline size_t structure_insn_count(const struct structure *s) {
    return s->graph.block_count == 0 ? 0 : s->first[s->graph.block_count];
}

/* comments: as in graph_write. */
enum status structure_write(const struct structure *s, const char *path,
                            const char *const *comments, size_t comment_count, struct error *e);
enum status structure_read(struct structure *out, const char *path, struct error *e);
enum status structure_parse(struct structure *out, const char *text, size_t len, const char *name,
                            struct error *e);

#endif
