/*
 * structure: what a translator knows about a program without counting: blocks, edges, where
 * contexts begin and may end, and how often each edge of a busy-wait was skipped. Recorded once,
 * shared by every technique that repairs sampled counts.
 *
 * Blocks and edges follow the canonical rule over all pairs of instructions that were executed at
 * least once, so they are those of the exact graph of the same replay.
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

/* A file that contains code of the program. */
struct structure_image {
    uint32_t base; /* code address of its first byte */
    char hash[33]; /* xxh3-128 of its bytes; "" if unknown */
    char *path;
};

struct structure {
    struct graph graph; /* counts are exact for busy edges, 0 for all others */
    /* The instructions of graph.blocks[i] are insns[first[i]] .. insns[first[i + 1] - 1]. */
    uint32_t *insns;
    size_t *first;    /* block_count + 1 */
    uint64_t *begins; /* of each block: number of contexts that began at its entry */
    bool *sink;       /* of each block: contexts may end in it */
    uint8_t *ends;    /* of each block: INSN_CALL or INSN_RETURN if that is its last instruction */
    bool *falls;      /* of each edge: no transfer, the next block follows in sequence */
    /* Sizes and ends of the blocks, for layouts; empty if read from a file of an earlier version.
     */
    struct shapes shapes;
    /* By base; only for programs outside the machine. Empty if read from a file of an earlier
     * version. */
    struct structure_image *images;
    size_t image_count;
    /* Instructions and control transfers of the replay; 0: unknown. */
    uint64_t executed, transfers;
    uint64_t probes; /* number that fired during the recording; 0 when read from a file */
};
void structure_free(struct structure *s);

struct structure_recorder;
enum status structure_attach(struct structure_recorder **out, struct nes *nes, struct error *e);
/* Detaches and frees the recorder. */
enum status structure_finish(struct structure_recorder *r, struct structure *out, struct error *e);
/* The structure as if the replay ended now; recording continues. Call at an instruction
 * boundary. */
enum status structure_now(struct structure_recorder *r, struct structure *out, struct error *e);
void structure_abandon(struct structure_recorder *r); /* NULL is fine */

/* The structure of a program outside the machine, all of whose pairs were counted. `exact` is the
 * graph of that flow, without busy-waits; of its counts only one bit for each block is used:
 * whether contexts end there. Calls and returns are not marked, because calls differ in size. Sorts
 * the flow's pairs. */
enum status structure_of_flow(struct structure *out, struct flow *flow, const struct graph *exact,
                              struct error *e);

/* Marks again in which blocks contexts end, when s->begins has changed. exact: as above. */
enum status structure_mark_sinks(struct structure *s, const struct graph *exact, struct error *e);

/* An index of instructions, which the caller makes once and frees with free(). structure_block_of()
 * returns the block that holds the instruction at `address`; SIZE_MAX: none does. */
struct insn_place {
    uint32_t address;
    uint32_t block;
};
enum status structure_places(struct insn_place **out, const struct structure *s, struct error *e);
size_t structure_block_of(const struct insn_place *places, size_t insn_count, uint32_t address);
static inline size_t structure_insn_count(const struct structure *s) {
    return s->graph.block_count == 0 ? 0 : s->first[s->graph.block_count];
}

/* Adds an image above all existing ones. False: out of memory. */
bool structure_add_image(struct structure *s, uint32_t base, const char *hash, const char *path,
                         size_t path_len);

/* comments: as for graph_write(). */
enum status structure_write(const struct structure *s, const char *path,
                            const char *const *comments, size_t comment_count, struct error *e);
enum status structure_read(struct structure *out, const char *path, struct error *e);
enum status structure_parse(struct structure *out, const char *text, size_t len, const char *name,
                            struct error *e);

#endif
