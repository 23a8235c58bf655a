/*
 * Counters that are halved, against a model that is called at every transfer. If these fail, other
 * routines and loops become hot than those that reach the threshold between two halvings, or it
 * depends on the engine.
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

enum { FRAMES = 300, CYCLES_PER_SECOND = 1789773 };

struct model {
    struct map count, hot;
    uint64_t threshold, period, due, halvings;
    struct nes *nes;
    unsigned id;
};

static void counts_one(struct model *m, uint32_t to) {
    if (++*map_at(&m->count, to) == m->threshold)
        *map_at(&m->hot, to) = 1;
}

static void called(void *user, const struct probe_event *e) {
    counts_one(user, e->to);
}

static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    if (insn->kind == INSN_CALL ||
        ((insn->kind == INSN_BRANCH || insn->kind == INSN_JUMP) && insn->target <= insn->address))
        probe_attach(site, PROBE_TAKEN,
                     (struct probe){.kind = PROBE_CALL, .call = called, .user = self});
}

static void threads(void *self, const struct thread_event *e) {
    if (e->change == THREAD_BEGINS)
        counts_one(self, e->address);
}

static void halve(void *self, uint64_t cycle) {
    struct model *m = self;
    uint64_t key, n;
    for (size_t at = 0; map_next(&m->count, &at, &key, &n);)
        *map_find(&m->count, key) = n / 2;
    m->halvings++;
    while (m->due <= cycle)
        m->due += m->period;
    nes_set_alarm(m->nes, m->id, m->due);
}

static void follow(struct model *m, uint64_t threshold, uint64_t milliseconds) {
    struct error e = {0};
    struct played p = played_open("mazewisp", NULL, true);
    *m = (struct model){
        .threshold = threshold, .period = milliseconds * CYCLES_PER_SECOND / 1000, .nes = p.nes};
    m->due = nes_cycle(p.nes) + m->period;
    const struct observer observer = {
        .self = m, .instrument = instrument, .thread = threads, .alarm = halve};
    played_must(nes_attach(p.nes, &observer, &m->id, &e), &e);
    if (m->period != 0)
        nes_set_alarm(p.nes, m->id, m->due);
    played_frames(&p, FRAMES);
    nes_detach(p.nes, m->id);
    played_close(&p);
}

static struct profile profiled(const struct engine *engine, int64_t threshold, int64_t period) {
    const int64_t values[TECHNIQUE_PARAMETERS] = {threshold, period};
    return profiled_game("decay", values, "mazewisp", FRAMES, engine);
}

static bool reach(const struct structure *s, bool *inside, uint32_t entry) {
    const struct block *b = graph_find_block(&s->graph, entry);
    if (b == NULL || inside[b - s->graph.blocks])
        return false;
    return inside[b - s->graph.blocks] = true;
}

/* One step from each reached block; true if that reached another one. */
static bool reach_further(const struct structure *s, bool *inside) {
    bool more = false;
    for (size_t b = 0; b < s->graph.block_count; b++)
        if (inside[b] && s->ends[b] == INSN_CALL)
            more |= reach(s, inside, s->graph.blocks[b].last + 3);
    for (size_t i = 0; i < s->graph.edge_count; i++) {
        const struct edge *edge = &s->graph.edges[i];
        const size_t b = (size_t)(graph_find_block(&s->graph, edge->source) - s->graph.blocks);
        if (inside[b] && s->ends[b] != INSN_CALL && s->ends[b] != INSN_RETURN)
            more |= reach(s, inside, edge->target);
    }
    return more;
}

/* All edges, and no others, that begin in what hot addresses reach within their routines. */
static void assert_edges(const struct profile *p, const struct structure *s,
                         const struct map *hot) {
    bool *inside = calloc(s->graph.block_count + 1, sizeof *inside);
    uint64_t key, one;
    size_t edges = 0;
    assert_non_null(inside);
    for (size_t at = 0; map_next(hot, &at, &key, &one);)
        reach(s, inside, (uint32_t)key);
    while (reach_further(s, inside))
        ;
    for (size_t i = 0; i < s->graph.edge_count; i++) {
        const struct edge *edge = &s->graph.edges[i];
        const bool expected = inside[graph_find_block(&s->graph, edge->source) - s->graph.blocks];
        assert_int_equal(graph_find_edge(&p->graph, edge->source, edge->target) != NULL, expected);
        edges += expected;
    }
    assert_int_equal(p->graph.edge_count, edges);
    free(inside);
}

static void test_decay(void **state) {
    (void)state;
    struct structure structure = played_structure("mazewisp", FRAMES);
    size_t hot[2] = {0};
    for (int period = 0; period < 2; period++)
        for (int64_t threshold = 10; threshold <= 1000; threshold *= 10) {
            struct model m;
            follow(&m, (uint64_t)threshold, period == 0 ? 0 : 200);
            struct profile of[2];
            for (int engine = 0; engine < 2; engine++) {
                const struct profile p = of[engine] =
                    profiled(engine == 0 ? NULL : dbt_engine(), threshold, period == 0 ? 0 : 200);
                assert_int_equal(counted(&p, "hot_heads"), m.hot.len);
                assert_int_equal(counted(&p, "halvings"), m.halvings);
                assert_int_equal(p.cost.records, m.count.len);
                assert_true(graph_is_set(&p.graph) && p.graph.edge_count > 0);
                assert_edges(&p, &structure, &m.hot);
            }
            assert_int_equal(of[0].graph.edge_count, of[1].graph.edge_count);
            assert_memory_equal(of[0].graph.edges, of[1].graph.edges,
                                of[0].graph.edge_count * sizeof(struct edge));
            assert_int_equal(counted(&of[0], "first_hot_cycle"),
                             counted(&of[1], "first_hot_cycle"));
            hot[period] += m.hot.len;
            profile_free(&of[0]);
            profile_free(&of[1]);
            map_free(&m.count);
            map_free(&m.hot);
        }
    assert_true(hot[1] < hot[0]); /* halving keeps some from becoming hot */
    structure_free(&structure);
}

/* Broken: what is given up in the midst stays attached, and slows or disturbs what follows. */
static void test_abandon(void **state) {
    (void)state;
    const int64_t values[TECHNIQUE_PARAMETERS] = {100, 10};
    assert_abandons("decay", values);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decay),
                                       cmocka_unit_test(test_abandon)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
