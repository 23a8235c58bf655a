/*
 * Bursts of counting in duplicated code, against exact counting of everything. If these fail, stretches of
 * the program are counted twice or never, or what is counted depends on the engine, or a profiler
 * disturbs the program or other profilers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/support/profiled.h"

enum { FRAMES = 240, PHASES = 3 };

/* Writes code into RAM, calls it, and changes its operand before each call. */
static void write_ram_program(struct guest *g) {
    guest_vectors(g, 0x8100, 0x8000, 0x8100);
    guest_code(g, 0x8000, 0xA9, 0xA9, 0x8D, 0x00, 0x03,        /* $0300: LDA #.. */
               0xA9, 0x85, 0x8D, 0x02, 0x03,                   /* STA $10 */
               0xA9, 0x10, 0x8D, 0x03, 0x03, 0xA9, 0x60, 0x8D, /* RTS */
               0x04, 0x03, 0xE8,                               /* INX */
               0x8E, 0x01, 0x03, 0x20, 0x00, 0x03,             /* STX $0301; JSR $0300 */
               0xA5, 0x10, 0x10, 0x02, 0xE6, 0x11,             /* LDA $10; BPL +2; INC $11 */
               0x4C, 0x14, 0x80);                              /* JMP to INX */
    guest_code(g, 0x8100, 0x40);
}

/* What a technique finds; beside: another technique that watches, too, or NULL. */
static struct profile found(const struct played_source *source, unsigned engine, const char *name,
                            const int64_t *values, const char *beside) {
    static const int64_t others[TECHNIQUE_PARAMETERS] = {5, 2, 1};
    const struct technique *t = technique_find(name), *u = beside ? technique_find(beside) : NULL;
    struct error e = {0};
    struct profile out, other;
    void *self, *too = NULL;
    struct played p = played_open_source(source, engine);
    if (u != NULL)
        played_must(u->attach(&too, p.nes, others, &e), &e);
    played_must(t->attach(&self, p.nes, values, &e), &e);
    played_frames(&p, FRAMES);
    played_must(t->finish(self, &out, &e), &e);
    if (u != NULL) {
        played_must(u->finish(too, &other, &e), &e);
        profile_free(&other);
    }
    played_close(&p);
    return out;
}

/* Adds the counts of transfers to elsewhere: those of other edges depend on where blocks begin. */
static void add_jumps(struct map *sums, const struct graph *g, uint64_t divisor) {
    for (size_t i = 0; i < g->edge_count; i++) {
        const struct edge *edge = &g->edges[i];
        const uint32_t last = graph_find_block(g, edge->source)->last;
        if (edge->target > last && edge->target <= last + 3)
            continue;
        assert_int_equal(edge->count % divisor, 0);
        *map_at(sums, (uint64_t)last << 32 | edge->target) += edge->count / divisor;
    }
}

static void assert_equal_sums(const struct map *a, const struct map *b) {
    uint64_t key, count;
    assert_int_equal(a->len, b->len);
    for (size_t at = 0; map_next(a, &at, &key, &count);) {
        assert_non_null(map_find(b, key));
        assert_int_equal(count, *map_find(b, key));
    }
}

/* With an interval of three checks, the bursts of three phases are the whole run, without overlap. */
static void phases_are_everything(const struct played_source *source) {
    const int64_t none[TECHNIQUE_PARAMETERS] = {0};
    struct profile exact = found(source, 0, "exact", none, NULL);
    struct map all = {0}, sums = {0};
    for (int64_t phase = 0; phase < PHASES; phase++) {
        const int64_t values[TECHNIQUE_PARAMETERS] = {PHASES, 1, phase};
        struct profile of[PLAYED_ENGINES];
        for (unsigned engine = 0; engine < PLAYED_ENGINES; engine++)
            of[engine] = found(source, engine, "bursts", values, NULL);
        for (unsigned engine = 1; engine < PLAYED_ENGINES; engine++)
            assert_same_profile(&of[0], &of[engine]);
        const uint64_t checks = counted(&of[0], "checks");
        assert_int_equal(counted(&of[0], "bursts"),
                         (checks + PHASES - 1 - (uint64_t)phase) / PHASES);
        assert_int_equal(of[0].cost.probes, checks + of[0].cost.observed);
        /* A busy-wait has thousands of passes a frame. */
        assert_true(source->guest != NULL || checks < (uint64_t)FRAMES * 1000);
        add_jumps(&sums, &of[0].graph, PHASES);
        for (unsigned engine = 0; engine < PLAYED_ENGINES; engine++)
            profile_free(&of[engine]);
    }
    add_jumps(&all, &exact.graph, 1);
    assert_equal_sums(&sums, &all);
    profile_free(&exact);
    map_free(&all);
    map_free(&sums);
}

static void test_phases(void **state) {
    (void)state;
    static const char *const games[] = {"mazewisp", "airmail", "burrow"};
    for (size_t i = 0; i < sizeof games / sizeof *games; i++)
        phases_are_everything(&(struct played_source){games[i], NULL});
}

static void test_code_in_ram(void **state) {
    (void)state;
    struct guest *g = guest_new();
    write_ram_program(g);
    phases_are_everything(&(struct played_source){"", g});
    free(g);
}

/* Longer bursts, beside another profiler: both find what they find alone, on each engine. */
static void test_together(void **state) {
    (void)state;
    const int64_t none[TECHNIQUE_PARAMETERS] = {0}, values[TECHNIQUE_PARAMETERS] = {29, 4, 0};
    const struct played_source source = {"starling", NULL};
    struct profile exact = found(&source, 1, "exact", none, NULL);
    struct profile bursts = found(&source, 1, "bursts", values, NULL);
    for (unsigned engine = 0; engine < PLAYED_ENGINES; engine++) {
        struct profile a = found(&source, engine, "exact", none, "bursts");
        struct profile b = found(&source, engine, "bursts", values, "exact");
        assert_same_profile(&exact, &a);
        assert_same_profile(&bursts, &b);
        profile_free(&a);
        profile_free(&b);
    }
    profile_free(&exact);
    profile_free(&bursts);
}

/* Broken: what is given up within a burst stays in the duplicate, or attached. */
static void test_abandon(void **state) {
    (void)state;
    const struct technique *t = technique_find("bursts");
    const int64_t values[TECHNIQUE_PARAMETERS] = {3, 2, 0}, too_long[TECHNIQUE_PARAMETERS] = {3, 3};
    const int64_t none[TECHNIQUE_PARAMETERS] = {0};
    struct error e = {0};
    struct profile first, again;
    void *self;
    for (unsigned engine = 0; engine < 2; engine++) {
        struct played p = played_open_source(&(struct played_source){"mazewisp", NULL}, engine);
        assert_int_equal(t->attach(&self, p.nes, too_long, &e), STATUS_ARGUMENT);
        assert_null(self);
        for (int i = 0; i < 2 * NES_OBSERVERS; i++) {
            played_must(t->attach(&self, p.nes, values, &e), &e);
            played_frames(&p, 2);
            t->abandon(self);
        }
        t->abandon(NULL);
        played_must(technique_find("exact")->attach(&self, p.nes, none, &e), &e);
        played_frames(&p, FRAMES);
        struct profile *const out = engine == 0 ? &first : &again;
        played_must(technique_find("exact")->finish(self, out, &e), &e);
        played_close(&p);
    }
    assert_same_profile(&first, &again);
    profile_free(&first);
    profile_free(&again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phases), cmocka_unit_test(test_code_in_ram),
        cmocka_unit_test(test_together), cmocka_unit_test(test_abandon)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
