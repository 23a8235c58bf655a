/*
 * fixed: the code at the start of the cache, which every block leans on. Private to core/dbt.
 * Place: above devices; blocks and their exits stand on it.
 */
#ifndef HOTGRAPH_DBT_FIXED_H
#define HOTGRAPH_DBT_FIXED_H

#include "dbt/lower/devices.h"

/* Places in the cache. */
struct fixed {
    uint32_t leave, leave_indirect; /* eax: number of the exit; indirect: pc in ecx */
    uint32_t enter;                 /* uint32_t enter(struct frame *frame, const void *code) */
    uint32_t call_probe;            /* rax: struct hook; edx: code address of the instruction */
    struct devices devices;
    uint32_t add_to;      /* eax: pc, and stays so; rdx: struct targets */
    uint32_t return_miss; /* an RTS to the pc in ecx that was not foretold */
    uint32_t edge;        /* never executed: what edges begin as, to be copied */
    uint32_t end;
};

/* The parts of an edge, seen from its place; the numbers are of 32 bits each. */
enum {
    EDGE_SPENT = 3,    /* of sub r12, .. */
    EDGE_JUMP = 9,     /* of jge .. */
    EDGE_RESTORE = 16, /* of sub r12, .. */
    EDGE_OUT = 20,     /* a way out of translated code, */
    EDGE_UNBOUND = 30, /* and another */
    EDGE_SIZE = 40,
    /* The parts of each, seen from its own. */
    OUT_NUMBER = 1, /* of mov eax, .. */
    OUT_JUMP = 6,   /* of jmp .. */
    OUT_SIZE = EDGE_SIZE - EDGE_UNBOUND,
};

/* Emits all of it. */
void fixed_code(struct fixed *fixed, struct emitter *e);
/* To whatever the table says of the pc in ecx. */
void emit_look_up(struct emitter *e);

#endif
