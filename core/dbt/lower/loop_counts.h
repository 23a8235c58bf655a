/*
 * loop_counts: counts for the branches back of steered loops (steered.h), by the register with which control
 * enters. Private to core/dbt. Place: above steered; edges and instrument refer to it.
 *
 * A loop has a cell for each value of its register. When control comes into the loop's blocks from elsewhere, it
 * adds 1 to the cell of the value that the register has; where it leaves them before the steps, it subtracts 1 from
 * the cell of the value there. Between blocks of the loop nothing is counted: neither the branch back, nor its end,
 * since from there the branch would be taken 0 times more. Cells times passes are added to the branch's counter before
 * that is read, and before cells are freed. So a loop costs one instruction each time it is entered.
 *
 * A probe must be `late` for that (probe.h).
 */
#ifndef HOTGRAPH_DBT_LOOP_COUNTS_H
#define HOTGRAPH_DBT_LOOP_COUNTS_H

#include "dbt/guest/steered.h"
#include "dbt/lower/fixed.h"

enum { LOOPS_MOST = 512, LOOP_SIZE = 9 /* bytes of emit_loop()'s instruction */ };

struct loop_count {
    struct steered loop;
    uint32_t counter;
    uint64_t value; /* of the probe */
    int64_t *cells; /* by value of the register */
    int32_t at;     /* of the cells, from the counters */
    uint16_t passes[STEERED_VALUES];
};

struct loop_counts {
    struct nes *nes;
    VEC(struct loop_count *) all;
    struct map
        number_at; /* branch and counter -> 1 + number; LOOPS_MOST and more: counted pass by pass */
    int64_t *room; /* cells of LOOPS_MOST loops */
};

/* The loop that the block begins in; NULL: none, or it is counted pass by pass. Likely to make several passes: as the
 * register is now, when its first block is translated. */
struct loop_count *loop_count_of(struct loop_counts *l, struct nes *n, const struct guest_block *g);
/* Adds the cells to the counters. */
void loop_counts_settle(struct loop_counts *l);
/* Frees them; no code may refer to them, and all is settled. */
void loop_counts_forget(struct loop_counts *l);
/* Control comes into the loop, or leaves it: changes the host's flags only. */
void emit_loop(struct emitter *e, const struct loop_count *loop, bool enters);
/* True if the loop's blocks may begin there. */
static inline bool loop_holds(const struct loop_count *loop, uint16_t pc) {
    return pc >= loop->loop.head && pc <= loop->loop.step;
}

#endif
