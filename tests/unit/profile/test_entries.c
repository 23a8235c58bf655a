/*
 * Counters at subroutine entries, against every call of the same run. If these fail, another set of
 * routines is called hot than the ones that are entered most, or it depends on the engine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/structure/structure.h"
#include "tests/support/guest_rom.h"
#include "tests/support/played.h"
#include "tests/support/profiled.h"

enum { FRAMES = 300 };

/* ---- everything that was entered ---- */

struct entered {
    struct map count; /* entry -> times */
};

static void called(void *user, const struct probe_event *e) {
    ++*map_at(&((struct entered *)user)->count, e->to);
}

static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    if (insn->kind == INSN_CALL)
        probe_attach(site, PROBE_TAKEN,
                     (struct probe){.kind = PROBE_CALL, .call = called, .user = self});
}

static void threads(void *self, const struct thread_event *e) {
    if (e->change == THREAD_BEGINS)
        ++*map_at(&((struct entered *)self)->count, e->address);
}

static void record(struct entered *all, struct structure *s) {
    struct error e = {0};
    struct structure_recorder *r;
    unsigned id;
    struct played p = played_open("mazewisp", NULL, true);
    const struct observer observer = {.self = all, .instrument = instrument, .thread = threads};
    played_must(nes_attach(p.nes, &observer, &id, &e), &e);
    played_must(structure_attach(&r, p.nes, &e), &e);
    played_frames(&p, FRAMES);
    played_must(structure_finish(r, s, &e), &e);
    played_close(&p);
}

/* *again: how many blocks were translated again; 0 on the interpreter. */
static struct profile profiled(const struct engine *engine, int64_t threshold, int64_t share,
                               uint64_t *again) {
    const struct technique *t = technique_find("entries");
    const int64_t values[TECHNIQUE_PARAMETERS] = {threshold, share};
    struct error e = {0};
    struct profile out;
    void *self;
    struct played p = played_open("mazewisp", engine, false);
    played_must(t->attach(&self, p.nes, values, &e), &e);
    played_frames(&p, FRAMES);
    played_must(t->finish(self, &out, &e), &e);
    struct dbt_statistics s = {0};
    if (engine != NULL)
        dbt_statistics(p.nes, &s);
    *again = s.retranslated;
    played_close(&p);
    return out;
}

/* ---- which edges these are ---- */

static void reach(const struct structure *s, uint32_t entry, bool *inside) {
    const struct block *b = graph_find_block(&s->graph, entry);
    if (b == NULL || inside[b - s->graph.blocks])
        return;
    inside[b - s->graph.blocks] = true;
    if (s->ends[b - s->graph.blocks] == INSN_CALL)
        reach(s, b->last + 3, inside);
    else if (s->ends[b - s->graph.blocks] != INSN_RETURN)
        for (size_t i = 0; i < s->graph.edge_count; i++)
            if (s->graph.edges[i].source == entry)
                reach(s, s->graph.edges[i].target, inside);
}

/* The set that comes of the routines entered at least `times` times. */
static void assert_set(const struct graph *g, const struct structure *s, const struct entered *all,
                       uint64_t times) {
    bool *inside = calloc(s->graph.block_count, sizeof *inside);
    uint64_t key, n;
    for (size_t at = 0; map_next(&all->count, &at, &key, &n);)
        if (n >= times)
            reach(s, (uint32_t)key, inside);
    size_t found = 0;
    for (size_t i = 0; i < s->graph.edge_count; i++) {
        const struct edge *e = &s->graph.edges[i];
        const bool hot = inside[graph_find_block(&s->graph, e->source) - s->graph.blocks];
        assert_int_equal(graph_find_edge(g, e->source, e->target) != NULL, hot);
        found += hot;
    }
    assert_int_equal(found, g->edge_count);
    assert_true(found > 0 && graph_is_set(g));
    free(inside);
}

/* The least count of the fewest routines that make up the share; ties are all in or out here. */
static uint64_t least_of_share(const struct entered *all, uint64_t share) {
    uint64_t key, n, sum = 0, part = 0, last = UINT64_MAX;
    for (size_t at = 0; map_next(&all->count, &at, &key, &n);)
        sum += n;
    while (1000 * part < share * sum) {
        uint64_t next = 0, many = 0;
        for (size_t at = 0; map_next(&all->count, &at, &key, &n);)
            next = n < last && n > next ? n : next;
        for (size_t at = 0; map_next(&all->count, &at, &key, &n);)
            many += n == next;
        part += next * many;
        last = next;
    }
    return last;
}

/* The handler hears of each routine once, and asks for a new translation of it. */
static void assert_handled(const struct profile *p, const struct entered *all, uint64_t threshold,
                           uint64_t again, bool translated) {
    uint64_t key, n, hot = 0;
    for (size_t at = 0; map_next(&all->count, &at, &key, &n);)
        hot += n >= threshold;
    assert_int_equal(counted(p, "hot_routines"), hot);
    assert_int_equal(counted(p, "handler_calls"), hot);
    if (translated && threshold > 4) /* executed often enough to have been translated before */
        assert_true(again > 0 && again <= hot);
    else
        assert_true(again <= hot);
}

static void test_entries(void **state) {
    (void)state;
    struct entered all = {0};
    struct structure s;
    uint64_t again;
    record(&all, &s);
    for (int engine = 0; engine < 2; engine++) {
        const struct engine *on = engine == 0 ? NULL : dbt_engine();
        for (int64_t threshold = 1; threshold < 1000; threshold *= 10) {
            struct profile p = profiled(on, threshold, 900, &again);
            assert_handled(&p, &all, (uint64_t)threshold, again, on != NULL);
            assert_set(&p.graph, &s, &all, (uint64_t)threshold);
            assert_true(p.cost.structure && p.cost.observed == 0 && p.cost.probes > 0);
            assert_int_equal(p.cost.records, all.count.len);
            profile_free(&p);
        }
        struct profile p = profiled(on, 0, 1000, &again);
        assert_int_equal(again, 0);
        assert_set(&p.graph, &s, &all, 1);
        profile_free(&p);
        p = profiled(on, 0, 1, &again);
        assert_set(&p.graph, &s, &all, least_of_share(&all, 1));
        profile_free(&p);
    }
    structure_free(&s);
    map_free(&all.count);
}

/* One routine makes up three quarters of the entries, and the program's start the rest. */
static void test_share_reached(void **state) {
    (void)state;
    struct guest *const g = guest_new();
    const struct technique *t = technique_find("entries");
    guest_code(g, 0x8000, 0x20, 0x00, 0x81, 0x20, 0x00, 0x81, 0x20, 0x00, 0x81, 0x4C, 0x09, 0x80);
    guest_code(g, 0x8100, 0x60);
    guest_vectors(g, 0x8000, 0x8000, 0x8000);
    for (int64_t share = 749; share <= 751; share++) {
        const int64_t values[TECHNIQUE_PARAMETERS] = {0, share};
        struct error e = {0};
        struct profile p;
        void *self;
        struct nes *const nes = guest_machine(g, (struct nes_options){0});
        played_must(t->attach(&self, nes, values, &e), &e);
        played_must(nes_run_frame(nes, &e), &e);
        played_must(t->finish(self, &p, &e), &e);
        assert_int_equal(counted(&p, "hot_routines"), share > 750 ? 2 : 1);
        profile_free(&p);
        nes_free(nes);
    }
    free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_entries),
                                       cmocka_unit_test(test_share_reached)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
