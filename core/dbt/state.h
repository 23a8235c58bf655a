/*
 * state: everything that the translator keeps for a machine. Private to core/dbt. Place: at the
 * top; dbt_run.c, block_table.c and traced_blocks.c work on it, and cache_inspect.c reads it.
 *
 * The files; each knows only those further left:
 *
 *     cache
 *     emit  --+-- host -- devices -- fixed --+-- translation
 *     frame --+                              |
 *     banks ---- guest -- steered -----------+
 *
 *     fixed, steered -- loop_counts -- translation
 *
 *     translation --+-- mmio --- operands -- lower --+-- translate
 *                   +-- instrument, edges -- exits --+
 */
#ifndef HOTGRAPH_DBT_STATE_H
#define HOTGRAPH_DBT_STATE_H

#include <stdio.h>

#include "dbt/block/translate.h"
#include "dbt/host/step.h"

enum {
    USUAL_HOT = 4,
    LONGEST_RUN = 1 << 16, /* cycles; the least that is always enough for a frame */
};

/* The last content of a block that no version matched. */
struct awaited {
    const struct content *of; /* only compared: it may be freed */
    uint16_t at;
    uint8_t size, times; /* times: how often it returned */
    bool another;        /* a different content came since */
    uint8_t bytes[BLOCK_LONGEST * 3];
};

/* A block that was interpreted because its observers did not know all of its code. */
struct cut {
    const struct content *of; /* only compared: it may be freed */
    uint16_t pc;
    uint8_t times;
};

/* A block that was translated again. */
struct moved {
    uint32_t from, to; /* its old and new place */
};

struct dbt {
    struct translator with;
    struct frame frame;
    struct banks banks;
    bool selected; /* for map_epoch `epoch` */
    uint32_t epoch;
    VEC(struct block *) blocks;
    uint64_t codes;      /* number of blocks ever freed: a traced block's code is codes + index */
    VEC(uint32_t) again; /* code addresses of blocks to translate again */
    /* Blocks whose probes have changed: they are translated again when their bank is mapped, before anything runs. */
    VEC(struct block *) stale;
    bool stale_mapped; /* some of `stale` may be mapped now */
    /* Code addresses of the profile's hot blocks that have yet to become superblocks. Those in
     * unmapped banks wait for `waits` more mappings. */
    VEC(uint32_t) hot;
    unsigned waits;
    uint64_t change_at; /* with random_adapt: number of dispatcher entries at which the paths
                           change next */
    bool adapts;        /* some of `hot` may be mapped now */
    VEC(struct moved)
    moved;                       /* blocks with a new version, to which edges have yet to be
                                    bound */
    struct awaited awaited[128]; /* by pc */
    struct cut cut[64];          /* by pc */
    uint64_t interpreted_for, interpreted_until; /* cycles; see dbt_run.c */
    unsigned came_soon;  /* times in a row that such code has come again at once, up to a limit */
    bool interprets_all; /* until then, ROM included */
    struct dbt_statistics statistics;
#ifdef HOTGRAPH_COUNTED
    struct stepper stepper; /* executes the code, and counts */
#endif
    FILE *perf_map; /* NULL: not requested */
    /* A second translator of this machine, whose blocks log their execution; NULL until needed. */
    struct dbt *recorder;
    bool no_recorder; /* there is no memory for one */
    /* A translator for the duplicate of nes_switch_code(): Arnold and Ryder's duplicated code. NULL
     * until needed. */
    struct dbt *twin;
    bool no_twin; /* there is no memory for one */
    /* In the recorder: the current recording; else NULL. */
    struct record *record;
};

#endif
