/*
 * returns: counts for PROBE_ADD_TO of RTS, in a table of RTS by JSR. Private to core/dbt. Place:
 * above frame; instrument and edges refer to it.
 *
 * An RTS whose target was predicted passes the address of its row in rax, and the code after the
 * JSR increments its own cell of that row: two instructions, without a look-up. The cells are added
 * to the counters before these are read, and before rows or their probes are freed.
 */
#ifndef HOTGRAPH_DBT_RETURNS_H
#define HOTGRAPH_DBT_RETURNS_H

#include "dbt/lower/frame.h"

enum { RETURNS_MOST = 1024 /* JSRs */, ROWS_OF_ROOM = 32 };

struct returns {
    bool counted; /* returns are counted since the cache was last empty */
    struct nes *nes;
    VEC(uint32_t) columns; /* code address after a JSR */
    struct map column_at;  /* that address -> 1 + column */
    VEC(struct return_row {
        const struct hook *hook;
        uint32_t from;
        uint64_t *cells;
    })
    rows;
    struct map row_at;     /* hook -> 1 + index */
    VEC(uint64_t *) rooms; /* cells of several rows each */
    unsigned used;         /* rows in the last room */
    uint64_t *nobodys;     /* row for returns that must not be counted */
};

/* Call with an empty cache: decides whether returns are counted from now on. */
void returns_begin(struct returns *r, struct nes *n);
/* The column of JSRs that return to that code address; -1: there are too many. */
int returns_column(struct returns *r, uint32_t to);
/* The row of an RTS with a single hook; NULL: out of memory. */
uint64_t *returns_row(struct returns *r, const struct hook *hook, uint32_t from);
/* Adds the cells to the counters. */
void returns_settle(struct returns *r);
/* Frees rows and columns; no code may refer to them, and all is settled. */
void returns_forget(struct returns *r);

#endif
