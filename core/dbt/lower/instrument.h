/*
 * instrument: probes in translated code. Private to core/dbt. Place: above translation.
 */
#ifndef HOTGRAPH_DBT_INSTRUMENT_H
#define HOTGRAPH_DBT_INSTRUMENT_H

#include "dbt/lower/translation.h"

enum { PC_IN_ECX = -1 };
/* Fires the probes of the instruction for `when`; the machine's pc is `pc`, or in ecx (PC_IN_ECX),
 * which is preserved. Leaves the block if a callback has made a request. */
void dbt_fire_watched(struct translation *t, enum probe_when when, int pc);
static inline void dbt_fire(struct translation *t, enum probe_when when, int pc) {
    t->announced = false;
    if (t->op->site)
        dbt_fire_watched(t, when, pc);
}
/* Fires the probes of an RTS with a predicted target if they only count where it goes; the code
 * after the JSR does the counting. Returns the row of counters for it; NULL: nothing is counted
 * there. */
const uint64_t *dbt_fire_returning(struct translation *t);
/* Emits the code of a STUB_ONCE, which returns to the block. */
void dbt_fire_first(struct translation *t, const struct stub *s);
/* Emits the code of a STUB_CALL_AT. It returns to the block, or reaches its own end if the block
 * must be left. */
void dbt_fire_counted(struct translation *t, const struct stub *s);

#endif
