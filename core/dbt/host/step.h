/*
 * step: executes translated code instruction by instruction, in software, and counts. Private to
 * core/dbt; only in the counted build (core/counted). Place: above emit.
 *
 * It knows the instructions that this folder emits and no others. Calls that leave the code cache
 * are C functions, which the host executes.
 */
#ifndef HOTGRAPH_DBT_STEP_H
#define HOTGRAPH_DBT_STEP_H

#include "dbt/host/cache.h"

struct stepper {
    uint64_t executed;       /* instructions */
    struct step_form *forms; /* decoded instructions, by address; owned */
};
/* False: out of memory. */
bool stepper_open(struct stepper *s);
void stepper_close(struct stepper *s);
/* As enter(frame, code) on the host, where `enter` is the place of the cache that it begins at. */
uint32_t step_enter(struct stepper *s, const struct cache *cache, uint32_t enter, void *frame,
                    const void *code);

struct nes;
/* Instructions of a machine's translated code that were executed so far. */
uint64_t dbt_host_executed(const struct nes *n);

#endif
