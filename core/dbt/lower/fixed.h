/*
 * fixed: the code at the start of the cache, shared by all blocks. Private to core/dbt.
 * Place: above devices; blocks and their exits use it.
 */
#ifndef HOTGRAPH_DBT_FIXED_H
#define HOTGRAPH_DBT_FIXED_H

#include "dbt/lower/devices.h"

/* Offsets in the cache. */
struct fixed {
    uint32_t leave, leave_indirect; /* eax: number of the exit; indirect: pc in ecx */
    uint32_t enter;                 /* uint32_t enter(struct frame *frame, const void *code) */
    uint32_t call_probe;            /* rax: struct hook; edx: code address of the instruction */
    struct devices devices;
    uint32_t add_to;      /* eax: pc, and stays so; rdx: struct targets */
    uint32_t return_miss; /* an RTS to the pc in ecx, which was not predicted */
    uint32_t edge;        /* the template of edges; never executed */
    uint32_t end;
};

/* Offsets of an edge's parts; each number has 32 bits. */
enum {
    EDGE_SPENT = 3,    /* of sub r12, .. */
    EDGE_JUMP = 9,     /* of jge .. */
    EDGE_RESTORE = 16, /* of sub r12, .. */
    EDGE_OUT = 20,     /* an exit from translated code, */
    EDGE_UNBOUND = 30, /* and another */
    EDGE_SIZE = 40,
    /* Offsets within an exit. */
    OUT_NUMBER = 1, /* of mov eax, .. */
    OUT_JUMP = 6,   /* of jmp .. */
    OUT_SIZE = EDGE_SIZE - EDGE_UNBOUND,
};

/* Emits the fixed code. */
void fixed_code(struct fixed *fixed, struct emitter *e);
/* Emits a table look-up for the pc in ecx, and a jump to the result. */
void emit_look_up(struct emitter *e);

#endif
