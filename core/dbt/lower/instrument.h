/*
 * instrument: probes in translated code. Private to core/dbt. Place: above translation.
 */
#ifndef HOTGRAPH_DBT_INSTRUMENT_H
#define HOTGRAPH_DBT_INSTRUMENT_H

#include "dbt/lower/translation.h"

enum { PC_IN_ECX = -1 };
/* Fires the probes of the instruction for `when`; the machine stands at `pc` (or PC_IN_ECX, which
 * stays there). After a callback that has asked for something the block is left. */
void dbt_fire_watched(struct translation *t, enum probe_when when, int pc);
static inline void dbt_fire(struct translation *t, enum probe_when when, int pc) {
    t->announced = false;
    if (t->op->site)
        dbt_fire_watched(t, when, pc);
}
/* Fires those of an RTS that returns as was foretold, where they do no more than to count where it
 * goes: that is done behind the JSR. Returns the row for it, NULL where nothing is done. */
const uint64_t *dbt_fire_returning(struct translation *t);
/* The code of a STUB_ONCE, which goes back. */
void dbt_fire_first(struct translation *t, const struct stub *s);
/* The code of a STUB_CALL_AT: goes back, or comes to its end where the block is to be left. */
void dbt_fire_counted(struct translation *t, const struct stub *s);

#endif
