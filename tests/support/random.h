/* Seeded numbers for tests: the same on every machine and run. */
#ifndef HOTGRAPH_TESTS_RANDOM_H
#define HOTGRAPH_TESTS_RANDOM_H

#include "base/base.h"

struct random {
    uint64_t seed, k;
};

/* 0 .. below - 1 */
static inline uint32_t random_below(struct random *r, uint32_t below) {
    return (uint32_t)((splitmix64(r->seed, r->k++) >> 32) * below >> 32);
}

static inline bool random_chance(struct random *r, uint32_t percent) {
    return random_below(r, 100) < percent;
}

#endif
