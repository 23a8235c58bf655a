/*
 * The profile engine beside the processor: its queue and table against a simulation cycle by cycle,
 * and what it finds against the exact graph. If these fail, entries are dropped that were not, or
 * results depend on the engine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "profile/fifo/fifo_model.h"
#include "profile/fifo/fifo_ring.h"
#include "profile/profile.h"
#include "profile/structure/structure.h"
#include "tests/support/profiled.h"

enum { FRAMES = 200 };

/* ---- the model ---- */

/* The same by letting every cycle pass: entries wait in a list, each is worked on for some cycles.
 */
struct slow {
    struct fifo_options o;
    uint64_t now, waiting, left; /* left: cycles until the first is done */
    uint64_t accepted, dropped, stalled;
};

static void pass(struct slow *s) {
    s->now++;
    if (s->waiting == 0 || --s->left > 0)
        return;
    s->waiting--;
    s->left = s->o.cycles;
}

static void offer(struct slow *s, uint64_t cycle) {
    while (s->now < cycle + s->stalled)
        pass(s);
    if (s->waiting == s->o.depth && !s->o.stall) {
        s->dropped++;
        return;
    }
    while (s->waiting == s->o.depth) {
        pass(s);
        s->stalled++;
    }
    if (s->waiting++ == 0)
        s->left = s->o.cycles;
    s->accepted++;
}

static void queue_is_a_queue(void **state) {
    (void)state;
    uint64_t drops = 0, stalls = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        const struct fifo_options o = {.slot_bits = 6,
                                       .depth = 1 + splitmix64(seed, 0) % 9,
                                       .cycles = 1 + splitmix64(seed, 1) % 12,
                                       .stall = seed % 2};
        struct slow slow = {.o = o};
        struct fifo_model m;
        assert_true(fifo_model_init(&m, o));
        uint64_t cycle = 0;
        for (uint64_t k = 2; k < 300; k++) {
            cycle += splitmix64(seed, k) % (k % 50 < 25 ? 4 : 20);
            offer(&slow, cycle);
            fifo_model_offer(&m, (uint32_t)(0x8000 + k % 7), cycle);
            assert_int_equal(m.accepted, slow.accepted);
            assert_int_equal(m.dropped, slow.dropped);
            assert_int_equal(m.stalled, slow.stalled);
        }
        assert_int_equal(m.offered, m.accepted + m.dropped);
        drops += m.dropped;
        stalls += m.stalled;
        fifo_model_free(&m);
    }
    assert_true(drops > 1000 && stalls > 1000);
}

static uint64_t count_of(const struct fifo_model *m, uint32_t address, size_t *at) {
    for (*at = 0; *at < (size_t)1 << m->options.slot_bits; ++*at)
        if (m->slots[*at].count != 0 && m->slots[*at].address == address)
            return m->slots[*at].count;
    return 0;
}

/* Addresses that collide go to the next slot, around the end; a full table loses new ones. */
static void table_probes_and_fills(void **state) {
    (void)state;
    struct fifo_model m;
    assert_true(fifo_model_init(
        &m, (struct fifo_options){.slot_bits = 6, .depth = 1, .cycles = 1, .threshold = 2}));
    uint64_t cycle = 0;
    size_t at;
    for (unsigned i = 0; i < 3; i++) /* three addresses of the last slot */
        fifo_model_offer(&m, 0x803F + 0x40 * i, cycle += 9);
    fifo_model_offer(&m, 0x1803F, cycle += 9); /* the same 16 bits in another bank */
    assert_int_equal(count_of(&m, 0x803F, &at), 1);
    assert_int_equal(at, 63);
    assert_int_equal(count_of(&m, 0x80BF, &at), 1);
    assert_int_equal(at, 1);
    assert_int_equal(count_of(&m, 0x1803F, &at), 1);
    assert_int_equal(at, 2);
    assert_int_equal(m.looks, 1 + 2 + 3 + 4);
    assert_int_equal(m.reported, 0);
    for (unsigned i = 0; i < 100; i++)
        fifo_model_offer(&m, 0x9000 + i, cycle += 9);
    assert_int_equal(m.used, 64);
    assert_int_equal(m.lost, 40);
    fifo_model_offer(&m, 0x9000 + 99, cycle += 9);
    fifo_model_offer(&m, 0x80BF, cycle += 9);
    assert_int_equal(m.lost, 41);
    assert_int_equal(count_of(&m, 0x80BF, &at), 2);
    assert_int_equal(m.reported, 1); /* 0x80BF has come to the threshold, once */
    fifo_model_offer(&m, 0x80BF, cycle += 9);
    assert_int_equal(m.reported, 1);
    assert_int_equal(m.offered, 4 + 100 + 3);
    fifo_model_free(&m);
}

/* ---- the technique ---- */

enum { SLOT_BITS, DEPTH, CYCLES, WHEN_FULL, THRESHOLD, RESULT, COSTS };

static struct profile watched(const char *technique, const struct engine *engine,
                              const int64_t *values, uint64_t *ram) {
    const struct technique *t = technique_find(technique);
    struct error e = {0};
    struct profile out;
    void *self;
    struct played p = played_open("mazewisp", engine, false);
    played_must(t->attach(&self, p.nes, values, &e), &e);
    played_frames(&p, FRAMES);
    played_must(t->finish(self, &out, &e), &e);
    *ram = nes_ram_hash(p.nes);
    played_close(&p);
    return out;
}

static uint64_t named(const struct profile *p, const char *name) {
    for (size_t i = 0; i < p->count_count; i++)
        if (strcmp(p->counts[i].name, name) == 0)
            return p->counts[i].value;
    fail_msg("nothing is called %s", name);
    return 0;
}

static double overlap(const struct profile *p, const struct graph *exact) {
    struct metrics m;
    played_must(graph_compare(&m, &p->graph, exact, (struct compare_options){.active = true}, NULL),
                &(struct error){0});
    return m.fair.overlap;
}

/* What is found in all, to the last count: other numbers are another technique. */
static void assert_found(const struct profile *p, const char *hash, uint64_t steps) {
    char found[33];
    assert_int_equal(graph_hash(&p->graph, found, NULL), STATUS_OK);
    assert_string_equal(found, hash);
    assert_int_equal(p->cost.steps, steps);
}

static void finds_the_same_on_both_engines(void **state) {
    (void)state;
    static const struct {
        const char *hash;
        uint64_t steps;
    } wanted[] = {
        {"1b3f7aa9c9adcac384e2b1c0bcf141c2", 835051},  {"13089c71a58c1ab078a6a571f492c63d", 673814},
        {"f15f62d1dcead0a397b8ec545f5c33c4", 3958115}, {"381505e644230072b1daf8314f0de85f", 834981},
        {"87472301298bfce9a7da1e12339be980", 383435},
    };
    static const int64_t settings[][TECHNIQUE_PARAMETERS] = {
        {10, 256, 4, 0, 0, 0, 1}, {10, 16, 8, 0, 1000, 0, 2}, {6, 256, 20, 0, 0, 0, 0},
        {10, 64, 16, 1, 0, 1, 1}, {10, 64, 16, 0, 0, 1, 1},
    };
    uint64_t bare, ram;
    const int64_t none[TECHNIQUE_PARAMETERS] = {0};
    struct profile exact = watched("exact", NULL, none, &bare);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct profile a = watched("fifo", NULL, settings[i], &ram);
        assert_int_equal(ram, bare);
        struct profile b = watched("fifo", dbt_engine(), settings[i], &ram);
        assert_int_equal(ram, bare);
        assert_same_profile(&a, &b);
        assert_found(&a, wanted[i].hash, wanted[i].steps);
        assert_int_equal(named(&a, "offered"), named(&a, "accepted") + named(&a, "dropped"));
        assert_true(a.cost.structure && a.cost.observed == named(&a, "accepted"));
        if (i == 0) /* all that there is, but for what blocks do not say of edges */
            assert_true(named(&a, "dropped") == 0 && overlap(&a, &exact.graph) > 0.995);
        if (i == 1)
            assert_true(named(&a, "dropped") > 0 && named(&a, "reported") > 0);
        if (i == 2)
            assert_true(named(&a, "slots_used") == 64 && named(&a, "lost") > 0);
        if (i == 3) /* nothing is dropped, so only what interrupts part is missing */
            assert_true(named(&a, "stall_cycles") > 0 && named(&a, "dropped") == 0 &&
                        overlap(&a, &exact.graph) > 0.99);
        profile_free(&a);
        profile_free(&b);
    }
    profile_free(&exact);
}

/* Where nothing is dropped, each entry but the first is one execution of an edge, or counted as
 * interrupted: a pair that is lost, or counted twice, shows in the sum. */
static void every_pair_is_counted_once(void **state) {
    (void)state;
    static const int64_t values[TECHNIQUE_PARAMETERS] = {10, 64, 16, 1, 0, 1, 1};
    const struct technique *t = technique_find("fifo");
    struct error e = {0};
    struct profile out;
    struct structure_recorder *recorder;
    struct structure s;
    void *self;
    struct played p = played_open("mazewisp", NULL, false);
    played_must(t->attach(&self, p.nes, values, &e), &e);
    played_must(structure_attach(&recorder, p.nes, &e), &e);
    played_frames(&p, 60);
    played_must(structure_finish(recorder, &s, &e), &e);
    played_must(t->finish(self, &out, &e), &e);
    uint64_t transfers = 0;
    for (size_t i = 0; i < s.graph.edge_count; i++) {
        const struct edge *of = &s.graph.edges[i];
        const struct edge *edge = graph_find_edge(&out.graph, of->source, of->target);
        transfers += edge != NULL && !s.falls[i] ? edge->count : 0;
    }
    uint64_t begins = 0;
    for (size_t i = 0; i < s.graph.block_count; i++)
        begins += s.begins[i];
    /* An interrupt parts two pairs: when it comes, and when it returns. */
    assert_true(begins > 50);
    assert_int_equal(named(&out, "interrupted"), 2 * (begins - 1));
    assert_int_equal(named(&out, "dropped"), 0);
    assert_int_equal(transfers + named(&out, "interrupted"), named(&out, "accepted") - 1);
    profile_free(&out);
    structure_free(&s);
    played_close(&p);
}

/* A ring of any size hands over everything, in order. */
static void ring_loses_nothing(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 3, 64, 4096};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct fifo_options o = {.slot_bits = 6, .depth = 1, .cycles = 1, .stall = true};
        struct fifo_model threaded, plain;
        struct fifo_ring *ring;
        assert_true(fifo_model_init(&threaded, o) && fifo_model_init(&plain, o));
        assert_true(fifo_ring_begin(&ring, &threaded, sizes[i]));
        for (uint64_t k = 0; k < 2000; k++) {
            const uint32_t address = (uint32_t)(0x8000 + splitmix64(i, k) % 100);
            fifo_ring_put(ring, address);
            fifo_model_offer(&plain, address, k);
        }
        fifo_ring_end(ring);
        assert_int_equal(threaded.offered, 2000);
        assert_int_equal(threaded.looks, plain.looks);
        assert_int_equal(threaded.lost, plain.lost);
        assert_true(plain.lost > 0);
        for (size_t slot = 0; slot < 64; slot++) {
            assert_int_equal(threaded.slots[slot].address, plain.slots[slot].address);
            assert_int_equal(threaded.slots[slot].count, plain.slots[slot].count);
        }
        fifo_model_free(&threaded);
        fifo_model_free(&plain);
    }
}

/* The thread finds what a modelled engine finds that keeps up, whatever the ring holds. */
static void thread_finds_what_the_model_finds(void **state) {
    (void)state;
    static const int64_t modelled[TECHNIQUE_PARAMETERS] = {10, 1 << 20, 1, 1, 1000, 0, 1};
    static const int64_t threads[][TECHNIQUE_PARAMETERS] = {{10, 4096, 1000, 1}, {10, 64, 1000, 1}};
    uint64_t bare, ram;
    struct profile model = watched("fifo", NULL, modelled, &bare);
    assert_int_equal(named(&model, "dropped") + named(&model, "stall_cycles"), 0);
    assert_true(named(&model, "reported") > 0);
    for (int i = 0; i < 2; i++) {
        struct profile thread =
            watched("fifo_thread", i == 0 ? NULL : dbt_engine(), threads[i], &ram);
        assert_int_equal(ram, bare);
        assert_same_profile(&model, &thread);
        profile_free(&thread);
    }
    profile_free(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue_is_a_queue),
        cmocka_unit_test(table_probes_and_fills),
        cmocka_unit_test(finds_the_same_on_both_engines),
        cmocka_unit_test(every_pair_is_counted_once),
        cmocka_unit_test(ring_loses_nothing),
        cmocka_unit_test(thread_finds_what_the_model_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
