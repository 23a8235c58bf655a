/*
 * From recorded flow to canonical blocks and busy-waits, against slow versions that follow the
 * definition word by word. If these fail, the exact graph has other blocks than the definition, and
 * every figure of every table is measured against something else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "tests/support/random.h"

static void add_pair(struct flow *f, uint32_t a, uint32_t b, uint64_t count, bool transfer) {
    assert_true(vec_push(&f->pairs, ((struct flow_pair){a, b, count, transfer})));
}

static struct graph canonical(const struct flow *f, bool mark_busy) {
    struct graph g;
    struct error e = {0};
    if (graph_from_flow(&g, f, mark_busy, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    return g;
}

static void assert_edge(const struct graph *g, uint32_t source, uint32_t target, uint64_t count) {
    const struct edge *e = graph_find_edge(g, source, target);
    if (e == NULL)
        fail_msg("no edge 0x%x -> 0x%x", source, target);
    assert_int_equal(e->count, count);
}

static void assert_block(const struct graph *g, uint32_t entry, uint32_t last) {
    const struct block *b = graph_find_block(g, entry);
    if (b == NULL)
        fail_msg("no block at 0x%x", entry);
    assert_int_equal(b->last, last);
}

/* Broken: blocks are cut elsewhere, or edges carry other weights, than the definition says. */
static void test_by_hand(void **state) {
    (void)state;
    struct flow f = {0};
    /* 10: entry, 12, 14: branch to 12 or on to 16; 16, 18: jump to 30; 20 falls into 30. */
    assert_true(vec_push(&f.entries, 0x10));
    add_pair(&f, 0x10, 0x12, 1, false);
    add_pair(&f, 0x12, 0x14, 8, false);
    add_pair(&f, 0x14, 0x12, 5, true);
    add_pair(&f, 0x14, 0x12, 2, true); /* the same pair again: counts are added */
    add_pair(&f, 0x14, 0x16, 1, true);
    add_pair(&f, 0x16, 0x18, 1, false);
    add_pair(&f, 0x18, 0x30, 1, true);
    add_pair(&f, 0x20, 0x30, 4, false);
    add_pair(&f, 0x30, 0x40, 0, true); /* never executed: 40 is not an address of the program */
    struct graph g = canonical(&f, false);
    assert_int_equal(g.block_count, 5);
    assert_block(&g, 0x10, 0x10);
    assert_block(&g, 0x12, 0x14);
    assert_block(&g, 0x16, 0x18);
    assert_block(&g, 0x20, 0x20);
    assert_block(&g, 0x30, 0x30);
    assert_int_equal(g.edge_count, 5);
    assert_edge(&g, 0x10, 0x12, 1);
    assert_edge(&g, 0x12, 0x12, 7);
    assert_edge(&g, 0x12, 0x16, 1);
    assert_edge(&g, 0x16, 0x30, 1);
    assert_edge(&g, 0x20, 0x30, 4);
    graph_free(&g);
    flow_free(&f);
}

/* Broken: straight-line code around the whole address space causes an endless loop, or is lost. */
static void test_circle_without_leader(void **state) {
    (void)state;
    struct flow f = {0};
    add_pair(&f, 0xFFFE, 0x0001, 3, false);
    add_pair(&f, 0x0001, 0xFFFE, 3, false);
    struct graph g = canonical(&f, false);
    assert_int_equal(g.block_count, 1);
    assert_block(&g, 0x0001, 0xFFFE);
    assert_int_equal(g.edge_count, 1);
    assert_edge(&g, 0x0001, 0x0001, 3);
    graph_free(&g);
    flow_free(&f);
}

/* Broken: a sum wraps around and a hot edge turns cold. */
static void test_absurd_counts(void **state) {
    (void)state;
    struct flow f = {0};
    struct graph g;
    struct error e = {0};
    add_pair(&f, 1, 2, GRAPH_WEIGHT_MAX, true);
    g = canonical(&f, false);
    assert_edge(&g, 1, 2, GRAPH_WEIGHT_MAX);
    graph_free(&g);
    add_pair(&f, 1, 2, 1, true);
    assert_int_equal(graph_from_flow(&g, &f, false, &e), STATUS_ARGUMENT);
    assert_null(g.edges);
    flow_free(&f);
}

/* ---- the definition, word by word, for addresses 0 .. SPACE - 1 ---- */

enum { SPACE = 24 };

struct reference {
    bool executed[SPACE], leader[SPACE];
    uint64_t n[SPACE][SPACE];
    bool transfer[SPACE][SPACE];
    int block[SPACE]; /* entry */
    int last[SPACE];  /* of the block with this entry */
};

static int successors(const struct reference *r, int a, int *only) {
    int count = 0;
    for (int b = 0; b < SPACE; b++)
        if (r->n[a][b] > 0) {
            *only = b;
            count++;
        }
    return count;
}

static bool must_lead(const struct reference *r, int b) {
    int predecessors = 0, only;
    for (int a = 0; a < SPACE; a++) {
        if (r->n[a][b] == 0)
            continue;
        predecessors++;
        if (r->transfer[a][b] || successors(r, a, &only) > 1)
            return true;
    }
    return predecessors != 1;
}

static void reference_blocks(struct reference *r, const struct flow *f) {
    for (size_t i = 0; i < f->pairs.len; i++) {
        const struct flow_pair *p = &f->pairs.at[i];
        if (p->count == 0)
            continue;
        r->executed[p->a] = r->executed[p->b] = true;
        r->n[p->a][p->b] += p->count;
        r->transfer[p->a][p->b] |= p->transfer;
    }
    for (size_t i = 0; i < f->entries.len; i++)
        r->executed[f->entries.at[i]] = r->leader[f->entries.at[i]] = true;
    for (int a = 0; a < SPACE; a++) {
        r->block[a] = -1;
        r->leader[a] |= r->executed[a] && must_lead(r, a);
    }
    for (int pass = 0; pass < 2; pass++) /* second: circles without a leader */
        for (int a = 0; a < SPACE; a++) {
            if (pass == 1 && r->executed[a] && r->block[a] < 0)
                r->leader[a] = true;
            if (!r->leader[a] || r->block[a] >= 0)
                continue;
            int at = a, next = 0;
            r->block[a] = a;
            while (successors(r, at, &next) == 1 && !r->leader[next])
                r->block[at = next] = a;
            r->last[a] = at;
        }
}

static struct flow random_flow(struct random *r) {
    struct flow f = {0};
    uint32_t pairs = 1 + random_below(r, 30);
    for (uint32_t i = 0; i < pairs; i++) {
        uint32_t a = random_below(r, SPACE), step = 1 + random_below(r, 3);
        bool straight = random_chance(r, 70);
        uint32_t b = straight ? (a + step) % SPACE : random_below(r, SPACE);
        add_pair(&f, a, b, random_below(r, 5), !straight || random_chance(r, 10));
    }
    for (uint32_t i = random_below(r, 3); i > 0; i--)
        assert_true(vec_push(&f.entries, random_below(r, SPACE)));
    return f;
}

static void assert_as_reference(const struct graph *g, const struct reference *r) {
    size_t blocks = 0, edges = 0;
    for (int a = 0; a < SPACE; a++) {
        if (r->leader[a]) {
            blocks++;
            assert_block(g, (uint32_t)a, (uint32_t)r->last[a]);
        }
        for (int b = 0; b < SPACE; b++)
            if (r->n[a][b] > 0 && r->leader[b]) {
                edges++;
                assert_edge(g, (uint32_t)r->block[a], (uint32_t)b, r->n[a][b]);
            }
    }
    assert_int_equal(g->block_count, blocks);
    assert_int_equal(g->edge_count, edges);
    for (size_t i = 1; i < g->edge_count; i++) {
        const struct edge *x = &g->edges[i - 1], *y = &g->edges[i];
        assert_true(x->source < y->source || (x->source == y->source && x->target < y->target));
    }
}

static void shuffle(struct random *r, struct flow *f) {
    for (size_t i = f->pairs.len; i > 1; i--) {
        size_t k = random_below(r, (uint32_t)i);
        struct flow_pair p = f->pairs.at[i - 1];
        f->pairs.at[i - 1] = f->pairs.at[k];
        f->pairs.at[k] = p;
    }
}

/* Broken: some program's blocks differ from the definition, or depend on recording order. */
static void test_random_flows(void **state) {
    (void)state;
    struct random r = {.seed = 1};
    for (int round = 0; round < 3000; round++) {
        struct flow f = random_flow(&r);
        struct reference *reference = calloc(1, sizeof *reference);
        assert_non_null(reference);
        reference_blocks(reference, &f);
        for (int order = 0; order < 2; order++) {
            struct graph g = canonical(&f, false);
            assert_as_reference(&g, reference);
            graph_free(&g);
            shuffle(&r, &f);
        }
        free(reference);
        flow_free(&f);
    }
}

/* ---- busy-waits ---- */

enum { A = 1, X = 2, Z = 4 }; /* registers and flags of the tests' processor */

static void add_insn(struct flow *f, uint32_t address, bool waits, uint16_t reads,
                     uint16_t writes) {
    struct flow_insn insn = {address, 1, waits, reads, writes};
    assert_true(vec_push(&f->insns, insn));
}

/* A ring of `blocks` one-instruction blocks at 0x100, 0x200, ..., entered from 0x10. */
static struct flow ring(unsigned blocks) {
    struct flow f = {0};
    add_pair(&f, 0x10, 0x100, 1, true);
    for (unsigned i = 1; i <= blocks; i++)
        add_pair(&f, i * 0x100, i == blocks ? 0x100 : (i + 1) * 0x100, 9, true);
    return f;
}

static size_t busy_edges(const struct flow *f) {
    struct graph g = canonical(f, true);
    size_t busy = 0;
    for (size_t i = 0; i < g.edge_count; i++)
        busy += g.edges[i].busy;
    graph_free(&g);
    return busy;
}

/* Broken: `JMP self` counts as work, or a loop too long to be one as a wait. */
static void test_ring_length(void **state) {
    (void)state;
    for (unsigned blocks = 1; blocks <= 6; blocks++) {
        struct flow f = ring(blocks);
        assert_int_equal(busy_edges(&f), 0); /* the instructions' effects are unknown */
        for (unsigned i = 1; i <= blocks; i++)
            add_insn(&f, i * 0x100, true, 0, 0);
        assert_int_equal(busy_edges(&f), blocks <= 4 ? blocks : 0);
        flow_free(&f);
    }
}

/* Broken: a delay loop (DEX, BNE) counts as a wait for something outside. */
static void test_registers(void **state) {
    (void)state;
    static const struct {
        struct {
            bool waits;
            uint16_t reads, writes;
        } insn[2];
        bool busy;
    } cases[] = {
        {{{true, 0, A | Z}, {true, Z, 0}}, true},     /* LDA flag; BEQ */
        {{{true, Z, 0}, {true, 0, A | Z}}, true},     /* the same, entered at the BEQ */
        {{{true, X, X | Z}, {true, Z, 0}}, false},    /* DEX; BNE */
        {{{true, 0, X | Z}, {true, X, X | Z}}, true}, /* LDX flag; DEX: starts afresh */
        {{{false, 0, A | Z}, {true, Z, 0}}, false},   /* LDA $4016; BEQ */
        {{{true, A, Z}, {true, Z, 0}}, true},         /* CMP #1; BNE: A never changes */
        {{{true, A, A | Z}, {true, X, X}}, false},    /* both change what they read */
        {{{true, A | X, Z}, {true, Z, A}}, false},    /* reads A, then writes it */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flow f = ring(2);
        for (unsigned k = 0; k < 2; k++)
            add_insn(&f, (k + 1) * 0x100, cases[i].insn[k].waits, cases[i].insn[k].reads,
                     cases[i].insn[k].writes);
        if (busy_edges(&f) != (cases[i].busy ? 2 : 0))
            fail_msg("case %zu", i);
        flow_free(&f);
    }
}

/* Broken: a loop whose instruction is patched into a store still counts as a wait. */
static void test_variants(void **state) {
    (void)state;
    struct flow f = ring(2);
    add_insn(&f, 0x100, true, 0, A | Z);
    add_insn(&f, 0x200, true, Z, 0);
    add_insn(&f, 0x100, true, 0, X | Z);
    assert_int_equal(busy_edges(&f), 2);
    add_insn(&f, 0x100, false, 0, Z);
    assert_int_equal(busy_edges(&f), 0);
    flow_free(&f);
}

/* Broken: a loop counts as a wait although its first instruction was at times a different one that
 * does not load A, so that A came from the previous iteration. */
static void test_maybe_written(void **state) {
    (void)state;
    for (unsigned variants = 1; variants <= 2; variants++) {
        struct flow f = ring(2);
        add_insn(&f, 0x100, true, 0, A);
        if (variants == 2)
            add_insn(&f, 0x100, true, 0, 0);
        add_insn(&f, 0x200, true, A, 0);
        assert_int_equal(busy_edges(&f), variants == 1 ? 2 : 0);
        flow_free(&f);
    }
}

/* A word-by-word busy test on a graph: tries every sequence of up to four different blocks. */
struct insn_list {
    const struct flow *flow;
    const struct reference *r;
};

static const struct flow_insn *insn_at(const struct flow *f, int address) {
    for (size_t i = 0; i < f->insns.len; i++)
        if ((int)f->insns.at[i].address == address)
            return &f->insns.at[i];
    return NULL;
}

static bool round_is_busy(const struct insn_list *l, const int *cycle, int length, int from) {
    uint16_t written = 0, read_first = 0;
    for (int i = 0; i < length; i++) {
        int entry = cycle[(from + i) % length];
        for (int at = entry, next = 0;; at = next) {
            const struct flow_insn *insn = insn_at(l->flow, at);
            if (insn == NULL || !insn->waits)
                return false;
            read_first |= insn->reads & ~written;
            written |= insn->writes;
            if (at == l->r->last[entry])
                break;
            successors(l->r, at, &next);
        }
    }
    return (read_first & written) == 0;
}

static void try_cycles(const struct insn_list *l, int *cycle, int length, bool busy[SPACE][SPACE]) {
    for (int next = 0; next < SPACE; next++) {
        if (!l->r->leader[next] || l->r->n[l->r->last[cycle[length - 1]]][next] == 0)
            continue;
        bool seen = false, waits = false;
        for (int i = 0; i < length; i++) {
            seen |= cycle[i] == next;
            waits |= next == cycle[0] && round_is_busy(l, cycle, length, i);
        }
        for (int i = 0; waits && i < length; i++)
            busy[cycle[i]][cycle[(i + 1) % length]] = true;
        if (seen || length == 4)
            continue;
        cycle[length] = next;
        try_cycles(l, cycle, length + 1, busy);
    }
}

/* Broken: a loop is mistaken for a wait, or a wait for work. */
static void test_random_busy(void **state) {
    (void)state;
    struct random r = {.seed = 2};
    size_t found = 0;
    for (int round = 0; round < 2000; round++) {
        struct flow f = random_flow(&r);
        for (uint32_t a = 0; a < SPACE; a++)
            add_insn(&f, a, random_chance(&r, 90), (uint16_t)(1u << random_below(&r, 8)),
                     (uint16_t)(1u << random_below(&r, 8)));
        struct reference *reference = calloc(1, sizeof *reference);
        assert_non_null(reference);
        reference_blocks(reference, &f);
        bool busy[SPACE][SPACE] = {0};
        struct insn_list list = {&f, reference};
        for (int a = 0; a < SPACE; a++)
            if (reference->leader[a])
                try_cycles(&list, (int[4]){a}, 1, busy);
        struct graph g = canonical(&f, true);
        for (size_t i = 0; i < g.edge_count; i++) {
            assert_int_equal(g.edges[i].busy, busy[g.edges[i].source][g.edges[i].target]);
            found += g.edges[i].busy;
        }
        graph_free(&g);
        free(reference);
        flow_free(&f);
    }
    assert_true(found > 100); /* else the test has compared nothing */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maybe_written),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_circle_without_leader),
        cmocka_unit_test(test_absurd_counts),
        cmocka_unit_test(test_random_flows),
        cmocka_unit_test(test_ring_length),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_random_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
