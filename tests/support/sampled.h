/* A stream of a bundled game, sampled on every engine. */
#ifndef HOTGRAPH_TESTS_SAMPLED_H
#define HOTGRAPH_TESTS_SAMPLED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/profile.h"
#include "tests/support/played.h"

enum { FRAMES = 150 };

/* The same stream on each engine, skipping busy-waits or executing them, and beside an
 * observer that waits for an alarm, when nes_follow() follows nothing. */
static inline struct stream sampled(const char *game, struct sampler_options options) {
    struct stream first = {0};
    struct error e = {0};
    for (int way = 0; way < 4; way++) {
        struct played p = played_open(game, way == 0 ? NULL : dbt_engine(), way == 2);
        unsigned beside;
        if (way == 3) {
            played_must(nes_attach(p.nes, &(struct observer){0}, &beside, &e), &e);
            nes_set_alarm(p.nes, beside, UINT64_MAX - 1);
        }
        struct sampler *sampler;
        struct stream s;
        played_must(sampler_attach(&sampler, p.nes, options, &e), &e);
        played_frames(&p, FRAMES);
        /* If a sampler steps all the time, no busy-wait is skipped. */
        if (way < 2 && options.by != SAMPLER_INSTRUCTIONS && options.by != SAMPLER_LBR &&
            (options.every == 0 || options.every > 10))
            assert_true(nes_skipped(p.nes) > 0);
        played_must(sampler_finish(sampler, &s, &e), &e);
        played_close(&p);
        if (way == 0) {
            first = s;
            continue;
        }
        assert_true(stream_hash(&s) == stream_hash(&first));
        assert_int_equal(s.population, first.population);
        assert_int_equal(s.executed, first.executed);
        assert_int_equal(s.probes, first.probes);
        assert_int_equal(s.overruns, first.overruns);
        for (size_t i = 0; s.cycles != NULL && i < s.batch_count; i++)
            assert_int_equal(s.cycles[i], first.cycles[i]);
        stream_free(&s);
    }
    return first;
}

/* 0 .. every - 1, in proportion to the k-th number of the seed. */
static inline uint64_t place(uint64_t seed, uint64_t k, uint64_t every) {
    return (uint64_t)((unsigned __int128)splitmix64(seed, k) * every >> 64);
}

#endif
