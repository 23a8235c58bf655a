/*
 * Techniques on samples inside the machine that is sampled, on both engines, inline and through a
 * queue that is far too short, against the same of recorded streams. If these fail, what is found
 * live is not what is found offline, or the game runs otherwise than without it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "profile/live/live.h"
#include "profile/structure/structure.h"
#include "tests/support/profiled.h"

enum { FRAMES = 200, SECOND = 1789773, MOST = 32 };
static const char game[] = "mazewisp";

/* What was found, by the number of batches. */
struct found {
    size_t batches;
    char hash[33];
    struct cost cost;
    uint64_t bins, low, high;
};
struct findings {
    struct found at[MOST];
    size_t count;
};

static struct found found_of(size_t batches, const struct profile *p) {
    struct found f = {
        .batches = batches, .cost = p->cost, .bins = p->bins, .low = p->low, .high = p->high};
    assert_int_equal(graph_hash(&p->graph, f.hash, NULL), STATUS_OK);
    return f;
}

static enum status note(void *user, size_t batches, const struct profile *p, struct error *e) {
    struct findings *all = user;
    (void)e;
    assert_true(all->count < MOST);
    all->at[all->count++] = found_of(batches, p);
    return STATUS_OK;
}

static void same_found(const struct found *a, const struct found *b) {
    assert_int_equal(a->batches, b->batches);
    assert_string_equal(a->hash, b->hash);
    /* Steps of techniques that remember their last result are fewer than those of others. */
    assert_true(a->cost.records == b->cost.records && a->cost.probes == b->cost.probes);
    assert_true(a->cost.observed == b->cost.observed && a->cost.structure == b->cost.structure);
    assert_true(a->bins == b->bins && a->low == b->low && a->high == b->high);
}

/* ---- recorded ---- */

static void record(struct stream *out, struct structure *structure, struct sampler_options options,
                   uint64_t until) {
    struct error e = {0};
    struct sampler *sampler;
    struct structure_recorder *recorder;
    struct played p = played_open(game, NULL, false);
    played_must(sampler_attach(&sampler, p.nes, options, &e), &e);
    played_must(structure_attach(&recorder, p.nes, &e), &e);
    while (nes_frame(p.nes) < FRAMES && nes_cycle(p.nes) + 29780 <= until)
        played_frames(&p, 1);
    if (until != UINT64_MAX) { /* in the middle of a frame: what is pressed is that frame's */
        const uint64_t frame = nes_frame(p.nes);
        nes_set_buttons(p.nes, 0,
                        frame % 40 < 3   ? NES_START
                        : frame % 7 == 0 ? NES_A | NES_RIGHT
                                         : 0);
        played_must(nes_run_to(p.nes, until, &e), &e);
    }
    played_must(sampler_finish(sampler, out, &e), &e);
    played_must(structure_finish(recorder, structure, &e), &e);
    out->structure = structure;
    played_close(&p);
}

/* ---- live ---- */

static uint64_t bare[FRAMES]; /* hashes of RAM without anything that watches */

static void play_bare(void) {
    struct played p = played_open(game, NULL, false);
    for (unsigned i = 0; i < FRAMES; i++) {
        played_frames(&p, 1);
        bare[i] = nes_ram_hash(p.nes);
    }
    played_close(&p);
}

struct setting {
    const struct engine *engine;
    bool thread;
};

static struct found play_live(struct live_options *o, struct setting how, struct findings *marks,
                              struct live_report *report) {
    struct error e = {0};
    struct profile profile;
    struct live *live;
    struct played p = played_open(game, how.engine, false);
    marks->count = 0;
    o->each = note;
    o->user = marks;
    o->thread = how.thread;
    o->queue = 3;
    played_must(live_attach(&live, p.nes, o, &e), &e);
    for (unsigned i = 0; i < FRAMES; i++) {
        played_frames(&p, 1);
        assert_int_equal(nes_ram_hash(p.nes), bare[i]);
    }
    played_must(live_finish(live, &profile, report, &e), &e);
    struct found f = found_of(report->batches, &profile);
    profile_free(&profile);
    played_close(&p);
    return f;
}

static struct setting settings[4];

static void standard_values(const struct technique *t, int64_t *values) {
    for (size_t i = 0; i < TECHNIQUE_PARAMETERS && t->parameters[i].name != NULL; i++)
        values[i] = t->parameters[i].standard;
}

/* ---- techniques that grow: every mark is the offline one ---- */

static void compare_growing(const char *name, struct sampler_options sampling) {
    static const size_t marks[] = {1, 10, 100, 333, 700};
    enum { MARKS = sizeof marks / sizeof *marks };
    const struct technique *t = technique_find(name);
    int64_t values[TECHNIQUE_PARAMETERS] = {0};
    struct error e = {0};
    struct stream stream;
    struct structure structure;
    struct findings expected = {.count = 0}, marked;
    struct profile whole;
    standard_values(t, values);
    record(&stream, &structure, sampling, UINT64_MAX);
    played_must(technique_build_at(t, &stream, marks, MARKS, values, note, &expected, &e), &e);
    played_must(t->build(&whole, &stream, SIZE_MAX, values, &e), &e);
    const struct found end = found_of(stream.batch_count, &whole);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct live_options o = {.technique = t,
                                 .values = values,
                                 .sampling = sampling,
                                 .marks = marks,
                                 .mark_count = MARKS,
                                 .timed = true};
        struct live_report report;
        const struct found last = play_live(&o, settings[i], &marked, &report);
        same_found(&last, &end);
        assert_int_equal(marked.count, MARKS);
        for (size_t k = 0; k < MARKS; k++)
            same_found(&marked.at[k], &expected.at[k]);
        assert_true(report.seconds > 0 && report.build_seconds == 0 && report.solves == 0);
        assert_true(settings[i].thread ? report.longest > 0 && report.longest <= 3
                                       : report.longest == 0);
    }
    profile_free(&whole);
    stream_free(&stream);
    structure_free(&structure);
}

static void growing_techniques_find_the_same(void **state) {
    (void)state;
    compare_growing("gaussian", (struct sampler_options){.interval_us = 3000});
    compare_growing("observed", (struct sampler_options){.interval_us = 3000});
    compare_growing("observed", (struct sampler_options){.interval_us = 3000, .weigh = true});
}

/* ---- others: each second's is that of a replay which ends there ---- */

static void compare_solved(const char *name, struct sampler_options sampling) {
    enum { SECONDS = FRAMES * 29780 / SECOND };
    const struct technique *t = technique_find(name);
    int64_t values[TECHNIQUE_PARAMETERS] = {0};
    struct found expected[SECONDS + 1];
    struct findings each;
    standard_values(t, values);
    for (size_t k = 0; k <= SECONDS; k++) {
        struct error e = {0};
        struct stream stream;
        struct structure structure;
        struct profile p;
        record(&stream, &structure, sampling, k < SECONDS ? (k + 1) * SECOND : UINT64_MAX);
        played_must(t->build(&p, &stream, SIZE_MAX, values, &e), &e);
        expected[k] = found_of(stream.batch_count, &p);
        profile_free(&p);
        stream_free(&stream);
        structure_free(&structure);
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct live_options o = {
            .technique = t, .values = values, .sampling = sampling, .timed = true};
        struct live_report report;
        const struct found last = play_live(&o, settings[i], &each, &report);
        same_found(&last, &expected[SECONDS]);
        assert_int_equal(report.solves, SECONDS + 1);
        /* Storing a batch costs little compared with solving a flow again. */
        assert_true(report.build_seconds > report.seconds && report.seconds > 0);
        assert_int_equal(each.count, SECONDS + 1);
        for (size_t k = 0; k <= SECONDS; k++)
            same_found(&each.at[k], &expected[k]);
        assert_string_not_equal(expected[0].hash, expected[SECONDS].hash);
    }
}

static void solved_techniques_find_the_same(void **state) {
    (void)state;
    struct stream stream;
    struct structure structure;
    record(&stream, &structure, (struct sampler_options){.interval_us = 3000}, UINT64_MAX);
    compare_solved("flow", (struct sampler_options){.by = SAMPLER_ACTIVE,
                                                    .place = SAMPLER_GOLDEN,
                                                    .every = 40,
                                                    .seed = 1,
                                                    .structure = &structure});
    compare_solved("flow", (struct sampler_options){.interval_us = 3000, .weigh = true});
    compare_solved("flow",
                   (struct sampler_options){.by = SAMPLER_CLOCK, .interval_us = 3000, .next = 2});
    compare_solved(
        "flow", (struct sampler_options){.by = SAMPLER_CLOCK, .interval_us = 3000, .window = 40});
    stream_free(&stream);
    structure_free(&structure);
}

/* ---- solutions that begin where the last one ended are those that begin anew ---- */

static struct live *watch(struct nes *nes, const struct technique *t, struct findings *into) {
    static int64_t values[TECHNIQUE_PARAMETERS];
    struct error e = {0};
    struct live *live;
    standard_values(t, values);
    const struct live_options o = {.technique = t,
                                   .values = values,
                                   .sampling = {.interval_us = 10000},
                                   .each = note,
                                   .user = into};
    played_must(live_attach(&live, nes, &o, &e), &e);
    return live;
}

/* A game plays for 30 seconds. Returns the steps of all warm solutions in a thousand cold steps. */
static uint64_t compare_warm(const char *name) {
    const struct technique *flow = technique_find("flow");
    struct technique cold = *flow;
    cold.again = NULL;
    struct findings found[2] = {0};
    struct played p = played_open(name, dbt_engine(), false);
    struct live *live[2] = {watch(p.nes, flow, &found[0]), watch(p.nes, &cold, &found[1])};
    played_frames(&p, 1810);
    uint64_t steps[2] = {0};
    for (int i = 0; i < 2; i++) {
        struct error e = {0};
        struct profile profile;
        played_must(live_finish(live[i], &profile, NULL, &e), &e);
        for (size_t k = 0; k < found[i].count; k++)
            steps[i] += found[i].at[k].cost.steps;
        profile_free(&profile);
    }
    played_close(&p);
    assert_int_equal(found[0].count, 31); /* one a second, and the last one */
    assert_int_equal(found[1].count, 31);
    for (size_t k = 0; k < found[0].count; k++)
        same_found(&found[0].at[k], &found[1].at[k]);
    return steps[1] == 0 ? 0 : 1000 * steps[0] / steps[1];
}

static void warm_solutions_are_cold_ones(void **state) {
    (void)state;
    static const char *const games[] = {"airmail",  "brindle", "burrow",   "fresnel",
                                        "mazewisp", "rumpus",  "starling", "umbel"};
    for (size_t i = 0; i < sizeof games / sizeof *games; i++)
        assert_true(compare_warm(games[i]) < 500);
}

/* ---- what goes wrong ---- */

static enum status refuse(void *user, size_t batches, const struct profile *p, struct error *e) {
    (void)user, (void)batches, (void)p;
    return error_set(e, STATUS_INTERRUPTED, "enough");
}

static void each_may_end_it(void **state) {
    (void)state;
    const struct technique *t = technique_find("observed");
    const size_t mark = 5;
    for (int thread = 0; thread < 2; thread++) {
        struct error e = {0};
        struct live *live;
        struct profile profile;
        struct played p = played_open(game, NULL, false);
        const struct live_options o = {.technique = t,
                                       .values = (int64_t[TECHNIQUE_PARAMETERS]){0},
                                       .sampling = {.interval_us = 3000},
                                       .thread = thread,
                                       .marks = &mark,
                                       .mark_count = 1,
                                       .each = refuse};
        played_must(live_attach(&live, p.nes, &o, &e), &e);
        played_frames(&p, 20);
        assert_int_equal(live_finish(live, &profile, NULL, &e), STATUS_INTERRUPTED);
        assert_string_equal(e.text, "enough");
        played_must(live_attach(&live, p.nes, &o, &e), &e);
        played_frames(&p, 2);
        live_abandon(live);
        played_close(&p);
    }
}

static void refuses_what_makes_no_sense(void **state) {
    (void)state;
    struct error e = {0};
    struct live *live;
    struct played p = played_open(game, NULL, false);
    int64_t values[TECHNIQUE_PARAMETERS] = {0};
    struct live_options o = {.technique = technique_find("exact"), .values = values};
    assert_int_equal(live_attach(&live, p.nes, &o, &e), STATUS_ARGUMENT);
    o.technique = technique_find("gaussian");
    standard_values(o.technique, values);
    o.sampling.batch_length = 5; /* shorter than a window */
    assert_int_equal(live_attach(&live, p.nes, &o, &e), STATUS_ARGUMENT);
    assert_null(live);
    played_close(&p);
}

/* ---- techniques that watch by themselves ---- */

static struct profile asked(const struct technique *t, const int64_t *values, unsigned setting,
                            struct profile *then) {
    struct error e = {0};
    struct profile out;
    void *self;
    struct played p = played_open(game, setting == 0 ? NULL : dbt_engine(), false);
    played_must(t->attach(&self, p.nes, values, &e), &e);
    played_frames(&p, FRAMES / 4);
    played_must(t->now(self, then, &e), &e);
    played_frames(&p, FRAMES / 8);
    played_must(t->finish(self, &out, &e), &e);
    played_close(&p);
    return out;
}

/* What is open at the end, as the last path, is finished, but left out in the midst. */
static void assert_nearly(const struct graph *then, const struct graph *finished) {
    size_t common = 0;
    for (size_t i = 0; i < then->edge_count; i++)
        common += graph_find_edge(finished, then->edges[i].source, then->edges[i].target) != NULL;
    assert_int_equal(common, then->edge_count);
    assert_in_range(then->edge_count, finished->edge_count * 9 / 10, finished->edge_count);
}

/* If this failed, asking a technique would change what it finds, or what it says would be something else. */
static void can_be_asked_in_the_midst(void **state) {
    (void)state;
    size_t count, asking = 0;
    const struct technique *const *all = techniques(&count);
    for (size_t i = 0; i < 2 * count; i++) {
        const struct technique *t = all[i / 2];
        const struct engine *engine = i % 2 == 0 ? NULL : dbt_engine();
        int64_t values[TECHNIQUE_PARAMETERS] = {0};
        if (t->now == NULL)
            continue;
        asking++;
        standard_values(t, values);
        struct profile then, whole = asked(t, values, i % 2, &then);
        struct profile half = profiled_game(t->name, values, game, FRAMES / 4, engine);
        struct profile alone =
            profiled_game(t->name, values, game, FRAMES / 4 + FRAMES / 8, engine);
        assert_same_profile(&whole, &alone);
        if (t->each_transfer)
            assert_nearly(&then.graph, &half.graph);
        else
            assert_same_graph(&then.graph, &half.graph);
        assert_true(then.graph.edge_count > 0 || !t->each_transfer); /* others may need longer */
        profile_free(&then);
        profile_free(&whole);
        profile_free(&half);
        profile_free(&alone);
    }
    assert_int_equal(asking, 2 * 7);
}

int main(void) {
    settings[0] = (struct setting){NULL, false};
    settings[1] = (struct setting){NULL, true};
    settings[2] = (struct setting){dbt_engine(), false};
    settings[3] = (struct setting){dbt_engine(), true};
    play_bare();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growing_techniques_find_the_same),
        cmocka_unit_test(solved_techniques_find_the_same),
        cmocka_unit_test(warm_solutions_are_cold_ones),
        cmocka_unit_test(each_may_end_it),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(can_be_asked_in_the_midst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
