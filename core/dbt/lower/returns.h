/*
 * returns: counts for PROBE_ADD_TO of RTS and JMP (indirect), in a table of these by target. Private to
 * core/dbt. Place: above frame; instrument and edges refer to it.
 *
 * An RTS whose target was predicted counts in a cell of its row, in one of two ways, and without a
 * look-up:
 *
 *  - By value: a row has a cell for each value that an RTS can pull. The value is in ecx, and rows are
 *    so close to the counters that they are addressed from the same register: one instruction. Cells count
 *    downwards from 0, so the first time there is a borrow. Where all code addresses are certain, JMP (indirect)
 *    and an RTS that was not predicted count in such cells, too: the first time, the borrow calls returns_target().
 *  - By JSR: the RTS passes the address of its row in rax, and the code after the JSR increments its own
 *    cell: two instructions. This is necessary once two JSRs in different banks push the same value.
 *
 * The cells are added to the counters before these are read, and before rows or their probes are freed.
 */
#ifndef HOTGRAPH_DBT_RETURNS_H
#define HOTGRAPH_DBT_RETURNS_H

#include "dbt/lower/frame.h"

enum { RETURNS_MOST = 1024 /* targets */, VALUES = 0x10000, ROWS_OF_ROOM = 32 };

struct returns {
    bool counted; /* returns are counted since the cache was last empty */
    bool by_jsr;
    bool clash; /* two JSRs push the same value: by JSR when the cache is next empty */
    struct nes *nes;
    VEC(struct return_column {
        uint32_t to;    /* code address after a JSR */
        uint16_t value; /* that it pushes: the pc there less 1 */
    })
    columns;
    struct map column_at; /* code address -> 1 + column */
    struct map value_at;  /* value -> 1 + code address */
    VEC(struct return_row {
        const struct hook *hook;
        uint32_t from;
        uint64_t *cells;
    })
    rows;
    struct map row_at;     /* hook -> 1 + index */
    VEC(uint64_t *) rooms; /* cells of several rows each */
    unsigned used;         /* rows in the last room */
    uint64_t *nobodys;     /* by JSR: row for returns that must not be counted */
};

/* Call with an empty cache: decides whether returns are counted from now on. */
void returns_begin(struct returns *r, struct nes *n);
/* The column of JSRs that push `value` and return to that code address; -1: there are too many, or
 * r->clash. */
int returns_column(struct returns *r, uint16_t value, uint32_t to);
/* By value: control went to pc, at this code address, and its cell was 0 and is counted now. False: there are too many
 * targets; the cell is 0 again. */
bool returns_target(struct returns *r, uint64_t *row, uint16_t pc, uint32_t address);
/* By value: the cell that counts a target less 1. */
enum { CELL_OF_VALUE = 1 };
/* The row of an instruction with a single hook; NULL: out of memory, or of memory close to the counters. */
uint64_t *returns_row(struct returns *r, const struct hook *hook, uint32_t from);
/* Adds the cells to the counters. */
void returns_settle(struct returns *r);
/* Frees rows and columns; no code may refer to them, and all is settled. */
void returns_forget(struct returns *r);

#endif
