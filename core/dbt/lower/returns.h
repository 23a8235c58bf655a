/*
 * returns: counts for PROBE_ADD_TO of RTS, in a table of RTS by JSR. Private to core/dbt. Place:
 * above frame; instrument and edges refer to it.
 *
 * An RTS that returns where the return stack foretells comes with the address of its row in rax,
 * and the code behind the JSR adds to its own cell of that row: two instructions, and nobody looks
 * for a counter. What was counted is brought to the counters before they are read, and before rows
 * or the probes that they are for go away.
 */
#ifndef HOTGRAPH_DBT_RETURNS_H
#define HOTGRAPH_DBT_RETURNS_H

#include "dbt/lower/frame.h"

enum { RETURNS_MOST = 1024 }; /* JSRs */

struct returns {
    bool counted; /* by this translator, since it last began with an empty cache */
    struct nes *nes;
    VEC(uint32_t) columns; /* code address behind a JSR */
    struct map column_at;  /* that address -> 1 + column */
    VEC(struct return_row {
        const struct hook *hook;
        uint32_t from;
        uint64_t *cells;
    })
    rows;
    struct map row_at; /* hook -> 1 + index */
    uint64_t *nobodys; /* row of what was counted already, or is not to be */
};

/* With an empty cache: whether returns are to be counted from now on, as far as memory goes. */
void returns_begin(struct returns *r, struct nes *n);
/* The column of JSRs that return to that code address; -1: there are too many. */
int returns_column(struct returns *r, uint32_t to);
/* The row of an RTS, of which this is the only hook; NULL: out of memory. */
uint64_t *returns_row(struct returns *r, const struct hook *hook, uint32_t from);
/* Brings what was counted to the counters. */
void returns_settle(struct returns *r);
/* Nothing refers to rows and columns any more, and what is in them is nobody's. */
void returns_forget(struct returns *r);

#endif
