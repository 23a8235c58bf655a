/*
 * state: everything that the translator keeps for a machine. Private to core/dbt. Place: at the
 * top; dbt_run.c and what it uses work on it, and cache_inspect.c reads it.
 *
 * The files, each of which knows only those further left:
 *
 *     cache
 *     emit  --+-- host -- devices -- fixed --+-- translation
 *     frame --+                              |
 *     banks ---- guest ----------------------+
 *
 *     translation --+-- mmio --- operands -- lower --+-- translate
 *                   +-- instrument, edges -- exits --+
 */
#ifndef HOTGRAPH_DBT_STATE_H
#define HOTGRAPH_DBT_STATE_H

#include <stdio.h>

#include "dbt/block/translate.h"

enum {
    USUAL_HOT = 4,
    LONGEST_RUN = 1 << 16, /* cycles; the least that is always enough for a frame */
};

/* A content of a block that no version is for. */
struct awaited {
    const struct content *of; /* only compared: it may be gone */
    uint16_t at;
    uint8_t size, times; /* it came again */
    bool another;        /* came since */
    uint8_t bytes[BLOCK_LONGEST * 3];
};

/* A block that was left to the interpreter, for its observers. */
struct cut {
    const struct content *of; /* only compared: it may be gone */
    uint16_t pc;
    uint8_t times;
};

struct dbt {
    struct translator with;
    struct frame frame;
    struct windows windows;
    bool selected; /* for map_epoch `epoch` */
    uint32_t epoch;
    VEC(struct block *) blocks;
    uint64_t codes; /* those that there were before these: a recorded block's number for others */
    VEC(uint32_t) again;         /* code addresses of blocks that are to be translated again */
    struct awaited awaited[128]; /* by pc */
    struct cut cut[64];          /* the same */
    uint64_t interpreted_for, interpreted_until; /* cycles; see dbt_run.c */
    struct dbt_statistics statistics;
    FILE *perf_map; /* NULL: not asked for */
    /* Of this machine, too, with blocks that are recorded: NULL until they are needed. */
    struct dbt *recorder;
    bool no_recorder; /* there is no memory for one */
    /* In the recorder: what it is recording; else NULL. */
    struct record *record;
};

/* ---- block_table.c ---- */

enum found { FOUND, COLD, SLOW, INTERPRETED };
enum renewed { RENEWED, NOT_YET, NEVER_AGAIN };

/* The block at n's pc, translated when it is hot: where its code is. */
enum found blocks_find(struct dbt *d, struct nes *n, uint32_t *place);
/* Links exit `number` to the block for pc, whose code is at `place`. */
void blocks_chain(struct dbt *d, uint32_t number, uint16_t pc, uint32_t place);
/* No version of the block that was left by this exit is for what is there now. */
enum renewed blocks_renew(struct dbt *d, struct nes *n, uint32_t number);
/* Whoever comes to the block at n's pc leaves translated code from now on. */
void blocks_give_up(struct dbt *d, struct nes *n);
/* Those that d->again asks for. */
void blocks_make_again(struct dbt *d, struct nes *n);
/* Selects the blocks of what the processor sees now; false: out of memory. */
bool blocks_select(struct dbt *d, const struct nes *n);
/* All blocks, and what was met; of the recorder, too. */
void blocks_forget(struct dbt *d);
/* The blocks alone, at the end. */
void blocks_free(struct dbt *d);

/* ---- traced_blocks.c ---- */

/* Of the recording, whether it began or is still to come, instructions that blocks may be entered
 * for; 0: what is left must be interpreted. */
uint16_t recorded_until(const struct record *r, uint64_t cycle);
/* A recorded block was made. False: out of memory. */
bool recorded_keep(struct nes *n, struct block *b);
/* Blocks were left, which were entered when n had executed so many instructions and `banks` were
 * mapped: what they have noted goes into d->record. */
void recorded_read(struct dbt *d, struct nes *n, uint64_t before, uint64_t banks);
/* As engine.recorded_code, of the recorder. */
const struct guest_insn *recorded_code(const struct dbt *d, const struct nes *n, uint32_t code,
                                       uint64_t banks);
/* As the interpreter does; pause: to the next jump. Returns the deadline, which devices have moved.
 */
uint64_t recorded_interpret(struct dbt *d, struct nes *n, uint64_t stop, uint64_t deadline,
                            bool pause);

/* ---- host/cache_inspect.c ---- */

enum status perf_map_open(struct dbt *d, struct error *e);
void perf_map_add(const struct dbt *d, const struct block *b);

#endif
