/*
 * The registry of techniques, graphs at marks along a stream, and the observed baseline. If these
 * fail, a technique cannot be reached or compared on equal terms, or the baseline that every table
 * carries is another than the one described.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/structure/structure.h"
#include "tests/support/random.h"

/* Broken: a technique that was written is not offered, or its parameters cannot be given. */
static void test_registry(void **state) {
    (void)state;
    size_t count;
    const struct technique *const *all = techniques(&count);
    assert_true(count >= 2);
    for (size_t i = 0; i < count; i++) {
        const struct technique *t = all[i];
        assert_true(i == 0 || strcmp(all[i - 1]->name, t->name) < 0);
        assert_ptr_equal(technique_find(t->name), t);
        assert_true((t->build != NULL) != (t->attach != NULL));
        assert_true((t->attach != NULL) == (t->finish != NULL));
        assert_true((t->attach != NULL) == (t->abandon != NULL));
        for (size_t k = 0; k < TECHNIQUE_PARAMETERS && t->parameters[k].name != NULL; k++) {
            const struct parameter *p = &t->parameters[k];
            assert_true(p->least <= p->standard && p->standard <= p->most);
            assert_non_null(p->help);
        }
    }
    assert_null(technique_find("nothing"));
}

/* ---- marks ---- */

static struct stream random_stream(struct random *r, size_t length, size_t count) {
    struct stream s = {.batch_length = length, .batch_count = count};
    s.batches = calloc(length * count, sizeof *s.batches);
    assert_non_null(s.batches);
    uint32_t pc = 0xC000;
    for (size_t i = 0; i < length * count; i++) {
        bool branch = pc % 5 == 0;
        s.batches[i] = (struct sample){.pc = pc,
                                       .size = 1,
                                       .kind = branch ? INSN_BRANCH : INSN_PLAIN,
                                       .target = branch ? 0xC000 + pc * 7 % 100 : 0};
        pc = branch && random_chance(r, 50) ? s.batches[i].target : pc + 1;
        if (pc > 0xC100 || random_chance(r, 1))
            pc = 0xC000 + random_below(r, 100);
    }
    return s;
}

static void assert_same_profile(const struct profile *a, const struct profile *b) {
    assert_int_equal(a->graph.edge_count, b->graph.edge_count);
    assert_int_equal(a->graph.block_count, b->graph.block_count);
    for (size_t i = 0; i < a->graph.edge_count; i++) {
        const struct edge *x = &a->graph.edges[i], *y = &b->graph.edges[i];
        assert_true(x->source == y->source && x->target == y->target && x->count == y->count);
    }
    if (a->graph.block_count > 0)
        assert_memory_equal(a->graph.blocks, b->graph.blocks,
                            a->graph.block_count * sizeof *a->graph.blocks);
    assert_true(a->cost.records == b->cost.records && a->cost.probes == b->cost.probes &&
                a->cost.observed == b->cost.observed && a->cost.steps == b->cost.steps &&
                a->cost.structure == b->cost.structure);
    assert_true(a->bins == b->bins && a->low == b->low && a->high == b->high);
}

struct watched {
    const struct technique *t;
    const struct stream *s;
    const int64_t *values;
    size_t calls, stop_at;
};

static enum status check_mark(void *user, size_t batches, const struct profile *p,
                              struct error *e) {
    struct watched *w = user;
    struct profile alone;
    assert_int_equal(w->t->build(&alone, w->s, batches, w->values, e), STATUS_OK);
    assert_same_profile(p, &alone);
    assert_int_equal(p->cost.records, batches * w->s->batch_length);
    profile_free(&alone);
    return ++w->calls == w->stop_at ? STATUS_INTERRUPTED : STATUS_OK;
}

/* A program of one block that goes round, for techniques that need a structure. */
static struct structure structure_of_one(void) {
    static const char text[] = "#structure 1\n#block 0x10 0x10\n#begins 0x10 1\n#sink 0x10\n"
                               "0x10\t0x10\t0\t0\n";
    struct structure s;
    struct error e = {0};
    assert_int_equal(structure_parse(&s, text, sizeof text - 1, "one", &e), STATUS_OK);
    return s;
}

/* Broken: the convergence curve shows other graphs than those built from that many batches. */
static void test_marks(void **state) {
    (void)state;
    struct random r = {.seed = 9};
    struct stream s = random_stream(&r, 25, 120);
    struct structure structure = structure_of_one();
    s.structure = &structure;
    s.population = 1000000;
    const size_t marks[] = {0, 1, 10, 10, 30, 120};
    size_t count;
    const struct technique *const *all = techniques(&count);
    for (size_t i = 0; i < 2 * count; i++) {
        struct technique t = *all[i / 2];
        if (t.build == NULL)
            continue;
        if (i % 2 == 1)
            t.build_at = NULL; /* the way of techniques that have none */
        int64_t values[TECHNIQUE_PARAMETERS] = {0};
        for (size_t k = 0; k < TECHNIQUE_PARAMETERS; k++)
            values[k] = t.parameters[k].standard;
        struct error e = {0};
        struct watched w = {&t, &s, values, 0, 0};
        assert_int_equal(technique_build_at(&t, &s, marks, 6, values, check_mark, &w, &e),
                         STATUS_OK);
        assert_int_equal(w.calls, 6);
        w = (struct watched){&t, &s, values, 0, 2};
        assert_int_equal(technique_build_at(&t, &s, marks, 6, values, check_mark, &w, &e),
                         STATUS_INTERRUPTED);
        assert_int_equal(w.calls, 2);
        const size_t falling[] = {10, 9}, beyond[] = {121};
        assert_int_equal(technique_build_at(&t, &s, falling, 2, values, check_mark, &w, &e),
                         STATUS_ARGUMENT);
        assert_int_equal(technique_build_at(&t, &s, beyond, 1, values, check_mark, &w, &e),
                         STATUS_ARGUMENT);
    }
    stream_free(&s);
    structure_free(&structure);
}

/* Broken: a stream gives another graph when its equal batches are stored once. */
static void test_equal_batches(void **state) {
    enum { LENGTH = 25, KINDS = 8, COUNT = 60, SOME = 37 };
    (void)state;
    struct random r = {.seed = 4};
    struct stream kinds = random_stream(&r, LENGTH, KINDS), flat = random_stream(&r, LENGTH, COUNT);
    struct stream_maker m = {.stream.batch_length = LENGTH};
    uint16_t cycles[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        const struct sample *const batch = kinds.batches + random_below(&r, KINDS) * LENGTH;
        memcpy(flat.batches + i * LENGTH, batch, LENGTH * sizeof *batch);
        assert_true(stream_add(&m, batch));
        cycles[i] = (uint16_t)(1 + random_below(&r, 9));
    }
    struct stream ordered = stream_made(&m);
    assert_true(ordered.order != NULL && ordered.distinct_count == KINDS);
    struct structure structure = structure_of_one();
    flat.structure = ordered.structure = &structure;
    flat.population = ordered.population = 1000000;
    size_t count;
    const struct technique *const *all = techniques(&count);
    for (size_t i = 0; i < 4 * count; i++) {
        const struct technique *const t = all[i / 4];
        const size_t batches = i % 2 ? SOME : SIZE_MAX;
        flat.cycles = ordered.cycles = i / 2 % 2 ? cycles : NULL;
        if (t->build == NULL)
            continue;
        int64_t values[TECHNIQUE_PARAMETERS] = {0};
        for (size_t k = 0; k < TECHNIQUE_PARAMETERS; k++)
            values[k] = t->parameters[k].standard;
        struct profile a, b;
        struct error e = {0};
        assert_int_equal(t->build(&a, &flat, batches, values, &e), STATUS_OK);
        assert_int_equal(t->build(&b, &ordered, batches, values, &e), STATUS_OK);
        assert_same_profile(&a, &b);
        profile_free(&a);
        profile_free(&b);
    }
    flat.cycles = ordered.cycles = NULL;
    stream_free(&kinds);
    stream_free(&flat);
    stream_free(&ordered);
    structure_free(&structure);
}

/* Broken: a game that was too short for one batch stops the whole sweep. */
static void test_empty_stream(void **state) {
    (void)state;
    struct structure structure = structure_of_one();
    struct stream s = {.structure = &structure};
    size_t count;
    const struct technique *const *all = techniques(&count);
    for (size_t i = 0; i < count; i++) {
        if (all[i]->build == NULL)
            continue;
        int64_t values[TECHNIQUE_PARAMETERS] = {0};
        for (size_t k = 0; k < TECHNIQUE_PARAMETERS; k++)
            values[k] = all[i]->parameters[k].standard;
        struct profile p;
        struct error e = {0};
        assert_int_equal(all[i]->build(&p, &s, SIZE_MAX, values, &e), STATUS_OK);
        assert_int_equal(p.graph.edge_count, 0);
        profile_free(&p);
    }
    structure_free(&structure);
}

/* ---- the observed baseline ---- */

static struct graph observed(const struct sample *samples, size_t length, size_t count) {
    struct stream s = {
        .batches = (struct sample *)samples, .batch_length = length, .batch_count = count};
    struct profile p;
    struct error e = {0};
    if (technique_find("observed")
            ->build(&p, &s, SIZE_MAX, (int64_t[TECHNIQUE_PARAMETERS]){0}, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    return p.graph;
}

/* Broken: the baseline counts an interrupt as a branch of the program, or misses a real one. */
static void test_observed_kinds(void **state) {
    (void)state;
    static const struct {
        uint8_t kind, size;
        uint32_t to;
        bool edge;
    } cases[] = {
        {INSN_BRANCH, 2, 0x200, true},        {INSN_BRANCH, 2, 0x102, true},
        {INSN_BRANCH, 2, 0x300, false},       {INSN_JUMP, 3, 0x200, true},
        {INSN_JUMP, 3, 0x103, false},         {INSN_CALL, 3, 0x200, true},
        {INSN_CALL, 3, 0x300, false},         {INSN_RETURN, 1, 0x345, true},
        {INSN_JUMP_INDIRECT, 3, 0x345, true}, {INSN_RTI, 1, 0x345, false},
        {INSN_BRK, 2, 0x345, false},          {INSN_PLAIN, 2, 0x345, false},
        {INSN_JAM, 1, 0x101, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct sample batch[2] = {
            {.pc = 0x100, .target = 0x200, .size = cases[i].size, .kind = cases[i].kind},
            {.pc = cases[i].to, .size = 1, .kind = INSN_PLAIN},
        };
        struct graph g = observed(batch, 2, 1);
        if (g.edge_count != cases[i].edge)
            fail_msg("case %zu has %zu edges", i, g.edge_count);
        if (cases[i].edge)
            assert_non_null(graph_find_edge(&g, 0x100, cases[i].to));
        graph_free(&g);
    }
}

/* Broken: chains of different batches are not joined into the blocks of one program, or the end of
 * one batch runs into the next. */
static void test_observed_blocks(void **state) {
    (void)state;
#define PLAIN(at)                                                                                  \
    { .pc = (at), .size = 2, .kind = INSN_PLAIN }
#define BRANCH(at)                                                                                 \
    { .pc = (at), .size = 2, .kind = INSN_BRANCH, .target = 0x100 }
    static const struct sample samples[] = {
        PLAIN(0x102), BRANCH(0x104), PLAIN(0x100),  PLAIN(0x102), /* the loop */
        PLAIN(0x100), PLAIN(0x102),  BRANCH(0x104), PLAIN(0x106), /* and its exit */
        PLAIN(0x110), PLAIN(0x112),  PLAIN(0x114),  PLAIN(0x116), /* nobody was seen to come here */
    };
    struct graph g = observed(samples, 4, 3);
    assert_int_equal(g.block_count, 3);
    assert_int_equal(g.blocks[0].entry, 0x100);
    assert_int_equal(g.blocks[0].last, 0x104);
    assert_int_equal(g.blocks[1].entry, 0x106);
    assert_int_equal(g.blocks[2].entry, 0x110);
    assert_int_equal(g.blocks[2].last, 0x116);
    assert_int_equal(g.edge_count, 2);
    assert_int_equal(graph_find_edge(&g, 0x100, 0x100)->count, 1);
    assert_int_equal(graph_find_edge(&g, 0x100, 0x106)->count, 1);
    graph_free(&g);
}

/* Broken: a block that crosses the end of the address space falls apart there. */
static void test_observed_wraps(void **state) {
    (void)state;
    static const struct sample samples[] = {
        {.pc = 0xFFFFFFFC, .size = 2, .kind = INSN_PLAIN},
        {.pc = 0xFFFFFFFE, .size = 3, .kind = INSN_PLAIN},
        {.pc = 0x1, .size = 2, .kind = INSN_BRANCH, .target = 0xFFFFFFFC},
        {.pc = 0xFFFFFFFC, .size = 2, .kind = INSN_PLAIN},
    };
    struct graph g = observed(samples, 4, 1);
    assert_int_equal(g.block_count, 1);
    assert_int_equal(g.blocks[0].entry, 0xFFFFFFFC);
    assert_int_equal(g.blocks[0].last, 0x1);
    assert_int_equal(g.edge_count, 1);
    assert_non_null(graph_find_edge(&g, 0xFFFFFFFC, 0xFFFFFFFC));
    graph_free(&g);
}

/* Broken: a value that no technique is made for, a window of nothing, divides by 0. */
static void test_values_out_of_range(void **state) {
    (void)state;
    size_t count;
    const struct technique *const *all = techniques(&count);
    unsigned refused = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t values[TECHNIQUE_PARAMETERS] = {0};
        for (size_t k = 0; k < TECHNIQUE_PARAMETERS; k++)
            values[k] = all[i]->parameters[k].standard;
        struct error e = {0};
        assert_int_equal(technique_check(all[i], values, &e), STATUS_OK);
        for (size_t k = 0; k < TECHNIQUE_PARAMETERS && all[i]->parameters[k].name != NULL; k++) {
            const struct parameter *p = &all[i]->parameters[k];
            const int64_t wrong[2] = {p->least - 1, p->most + 1};
            for (int n = 0; n < 2; n++, refused++) {
                values[k] = wrong[n];
                assert_int_equal(technique_check(all[i], values, &e), STATUS_ARGUMENT);
                assert_non_null(strstr(e.text, p->name));
                struct stream s = {0};
                struct profile made = {0};
                if (all[i]->build != NULL)
                    assert_int_equal(all[i]->build(&made, &s, SIZE_MAX, values, &e),
                                     STATUS_ARGUMENT);
            }
            values[k] = p->least;
            assert_int_equal(technique_check(all[i], values, &e), STATUS_OK);
            values[k] = p->standard;
        }
        if (strcmp(all[i]->name, "gaussian") == 0)
            for (size_t k = 0; k < TECHNIQUE_PARAMETERS && all[i]->parameters[k].name; k++)
                if (strcmp(all[i]->parameters[k].name, "window_size") == 0)
                    assert_int_equal(all[i]->parameters[k].least, 1);
    }
    assert_true(refused >= 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_observed_wraps),  cmocka_unit_test(test_values_out_of_range),
        cmocka_unit_test(test_registry),        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_empty_stream),    cmocka_unit_test(test_observed_kinds),
        cmocka_unit_test(test_observed_blocks), cmocka_unit_test(test_equal_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
