/*
 * Traces of a processor's control flow: bytes as Intel's manual lays them out, and decoded graphs against the
 * exact ones. If these fail, the sizes of traces are not those that the hardware has, flow is lost or
 * invented in decoding, or a damaged trace takes the decoder along.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "profile/packets/packet_tracer.h"
#include "tests/support/profiled.h"

enum { FRAMES = 240 };

/* ---- bytes ---- */

static void assert_bytes(const struct packet_writer *w, size_t from, const char *expected) {
    char text[512] = "";
    for (size_t i = from; i < w->out.len; i++)
        snprintf(text + 3 * (i - from), sizeof text - 3 * (i - from), "%02X ", w->out.at[i]);
    assert_string_equal(text, expected);
}

#define PSB_BYTES "02 82 02 82 02 82 02 82 02 82 02 82 02 82 02 82 "

/* The layouts of the manual's tables. */
static void test_bytes(void **state) {
    (void)state;
    struct packet_writer w = {.psb = 2048, .tnt_most = PACKET_TNT_SHORT};
    packets_enable(&w, 0x1C097);
    assert_bytes(&w, 0, PSB_BYTES "02 23 99 02 51 97 C0 01 00 ");
    size_t at = w.out.len;
    packets_branch(&w, true, 0);
    packets_branch(&w, false, 0);
    packets_jump(&w, 0x1C100); /* stop bit, taken, not taken; the upper half is the last one's */
    assert_bytes(&w, at, "0C 2D 00 C1 ");
    at = w.out.len;
    for (int i = 0; i < 6; i++)
        packets_branch(&w, i < 1, 0);
    assert_bytes(&w, at, "C0 ");
    at = w.out.len;
    packets_interrupt(&w, 0x2C123, 0x2C200);
    assert_bytes(&w, at, "5D 23 C1 02 00 2D 00 C2 ");
    at = w.out.len;
    packets_disable(&w, 0x2C201);
    packets_enable(&w, 0x2C201);
    assert_bytes(&w, at, "3D 01 C2 01 31 01 C2 ");
    packets_free(&w);
}

/* The oldest outcome is next to the stop bit. 43 or more fit a long packet no worse than short ones. */
static void test_long(void **state) {
    (void)state;
    struct packet_writer w = {.psb = 2048, .tnt_most = PACKET_TNT_LONG};
    for (int i = 0; i < 47; i++)
        packets_branch(&w, i == 0 || i == 46, 0);
    assert_bytes(&w, 0, "02 A3 01 00 00 00 00 C0 ");
    w.out.len = 0;
    for (int i = 0; i < 8; i++)
        packets_branch(&w, true, 0);
    packets_flush(&w);
    assert_bytes(&w, 0, "FE 0E ");
    w.out.len = 0;
    for (int i = 0; i < 43; i++)
        packets_branch(&w, i == 42, 0);
    packets_flush(&w);
    assert_bytes(&w, 0, "02 A3 01 00 00 00 00 08 ");
    packets_free(&w);
}

static void test_returns(void **state) {
    (void)state;
    struct packet_writer w = {.psb = 2048, .tnt_most = PACKET_TNT_SHORT};
    packets_return(&w, 0x8000); /* no call is known */
    assert_bytes(&w, 0, "2D 00 80 ");
    w.out.len = 0;
    packets_call(&w, 0x8003);
    packets_call(&w, 0x9003);
    packets_return(&w, 0x9004); /* elsewhere */
    packets_return(&w, 0x8003);
    packets_flush(&w);
    assert_bytes(&w, 0, "2D 04 90 06 ");
    w.out.len = 0;
    for (uint32_t i = 0; i < 65; i++)
        packets_call(&w, 0x8000 + i);
    for (uint32_t i = 65; i-- > 0;)
        packets_return(&w, 0x8000 + i);
    assert_int_equal(w.tip, 3); /* the 65th is forgotten */
    packets_call(&w, 0x8003);
    packets_disable(&w, 0x9000);
    packets_enable(&w, 0x9000);
    packets_return(&w, 0x8003);
    assert_int_equal(w.tip, 4); /* so is what was called before a pause */
    packets_free(&w);
}

/* Every 2 KiB decoding can begin: no call, and no upper half of an address, is needed from before. */
static void test_psb(void **state) {
    (void)state;
    struct packet_writer w = {.psb = 2048, .tnt_most = PACKET_TNT_SHORT};
    packets_enable(&w, 0x1C000);
    packets_call(&w, 0x18003);
    w.removed = 2048 - w.out.len - 3;
    const size_t begun = w.out.len + 3;
    packets_jump(&w, 0x1C001);
    assert_int_equal(w.psbs, 2);
    assert_bytes(&w, begun, PSB_BYTES "99 02 5D 01 C0 01 00 02 23 ");
    const size_t at = w.out.len;
    packets_return(&w, 0x18003);
    assert_bytes(&w, at, "2D 03 80 ");
    packets_free(&w);
}

/* ---- whole traces are exact ---- */

/* Writes code into RAM, calls it, and changes its branch before each call. */
static struct guest *ram_program(void) {
    struct guest *g = guest_new();
    guest_vectors(g, 0x8100, 0x8000, 0x8100);
    guest_code(g, 0x8000, 0xA9, 0xF0, 0x8D, 0x00, 0x03,  /* $0300: BEQ .. */
               0xA9, 0x60, 0x8D, 0x02, 0x03,             /* $0302: RTS, RTS, RTS */
               0x8D, 0x03, 0x03, 0x8D, 0x04, 0x03,       /* and one more operand: */
               0xE8, 0x8A, 0x29, 0x01, 0x8D, 0x01, 0x03, /* INX, TXA, AND #1, STA $0301 */
               0x20, 0x00, 0x03,                         /* JSR $0300 */
               0x8A, 0x29, 0x10, 0xD0, 0x02, 0xE6, 0x11, /* TXA, AND #$10, BNE +2, INC $11 */
               0x4C, 0x10, 0x80);                        /* JMP to INX */
    guest_code(g, 0x8100, 0x40);
    return g;
}

static struct profile found(const struct played_source *source, unsigned engine, const char *name,
                            const int64_t *values, bool reset) {
    return profiled_play(played_open_source(source, engine), name, values, FRAMES, reset);
}

static const int64_t none[TECHNIQUE_PARAMETERS] = {0};

static void whole_is_exact(const struct played_source *source, bool reset) {
    static const int64_t ways[][TECHNIQUE_PARAMETERS] = {
        {0, 1000, 2, 0, 0}, {0, 7, 2, 1, 0}, {0, 300, 64, 0, 1}};
    struct profile exact = found(source, 0, "exact", none, reset);
    uint64_t bytes[3];
    for (unsigned way = 0; way < 3; way++) {
        struct profile p = found(source, way, "trace", ways[way], reset);
        assert_int_equal(counted(&p, "decoding_errors"), 0);
        assert_int_equal(counted(&p, "trace_bytes_lost"), 0);
        assert_same_graph(&p.graph, &exact.graph);
        bytes[way] = counted(&p, "trace_bytes_written");
        profile_free(&p);
    }
    assert_true(bytes[0] < bytes[2]); /* whole returns take more */
    profile_free(&exact);
}

static void test_whole(void **state) {
    (void)state;
    /* burrow switches banks. */
    whole_is_exact(&(struct played_source){.game = "mazewisp"}, false);
    whole_is_exact(&(struct played_source){.game = "umbel"}, true);
    whole_is_exact(&(struct played_source){.game = "burrow"}, false);
    struct played_source program = {.guest = ram_program()};
    whole_is_exact(&program, false);
    struct profile p = found(&program, 0, "trace", (int64_t[]){0, 1000, 2, 0, 0}, false);
    assert_true(counted(&p, "code_changes") > FRAMES);
    profile_free(&p);
    free(program.guest);
}

/* Engines agree, and so do a machine that skips busy-waits and one that does not. */
static void test_engines(void **state) {
    (void)state;
    const int64_t values[TECHNIQUE_PARAMETERS] = {4, 500, 2, 1, 0};
    struct profile of[PLAYED_ENGINES];
    for (unsigned engine = 0; engine < PLAYED_ENGINES; engine++)
        of[engine] =
            found(&(struct played_source){.game = "burrow"}, engine, "trace", values, false);
    for (unsigned engine = 1; engine < PLAYED_ENGINES; engine++)
        assert_same_profile(&of[0], &of[engine]);
    for (unsigned engine = 0; engine < PLAYED_ENGINES; engine++)
        profile_free(&of[engine]);
}

/* ---- rings ---- */

/* A smaller ring loses more, and nothing is decoded that was not executed. */
static void test_ring(void **state) {
    (void)state;
    const struct played_source source = {.game = "mazewisp"};
    struct profile exact = found(&source, 0, "exact", none, false);
    uint64_t lost = UINT64_MAX;
    for (int64_t ring = 1; ring <= 64; ring *= 4) {
        const int64_t values[TECHNIQUE_PARAMETERS] = {ring, 1000, 2, 0, 0};
        struct profile p = found(&source, 0, "trace", values, false);
        const uint64_t written = counted(&p, "trace_bytes_written");
        assert_int_equal(counted(&p, "decoding_errors"), 0);
        assert_true(counted(&p, "trace_bytes_lost") < lost);
        lost = counted(&p, "trace_bytes_lost");
        assert_in_range(written - lost, 0, (uint64_t)ring * 1024 * counted(&p, "trace_samples"));
        for (size_t i = 0; i < p.graph.edge_count; i++) {
            const struct edge *g = &p.graph.edges[i];
            const struct edge *h = graph_find_edge(&exact.graph, g->source, g->target);
            assert_true(h == NULL || g->count <= h->count);
        }
        profile_free(&p);
    }
    assert_int_equal(lost, 0);
    profile_free(&exact);
}

/* ---- decoding ---- */

struct kept {
    VEC(uint8_t) bytes;
};

static void keep(void *user, struct packet_tracer *t) {
    struct kept *k = user;
    for (size_t i = 0; i < t->writer.out.len; i++)
        assert_true(vec_push(&k->bytes, t->writer.out.at[i]));
    t->writer.removed += t->writer.out.len;
    t->writer.out.len = 0;
}

/* Damage costs what is up to the next synchronisation point, and no more. */
static void test_damage(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 200; round++) {
        struct kept kept = {0};
        struct played p = played_open("mazewisp", dbt_engine(), false);
        struct packet_tracer *t;
        struct error e = {0};
        const struct packet_tracer_options options = {.interval = 1000000,
                                                      .psb = 512,
                                                      .tnt_most = PACKET_TNT_SHORT,
                                                      .sampled = keep,
                                                      .user = &kept};
        played_must(packet_tracer_attach(&t, p.nes, &options, &e), &e);
        played_frames(&p, round == 0 ? 60 : 6);
        packet_tracer_end(t);
        const size_t length = kept.bytes.len;
        for (int i = 0; i < round % 3 + (round > 0); i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            kept.bytes.at[(seed >> 33) % length] ^= 1 << (seed >> 29 & 7);
        }
        packets_decode(&t->decoder, kept.bytes.at, length, 0);
        assert_int_equal(t->decoder.done, length);
        assert_true(t->decoder.lost <= length);
        if (round == 0)
            assert_int_equal(t->decoder.errors + t->decoder.lost, 0);
        assert_false(t->decoder.out_of_memory);
        packet_tracer_free(t);
        played_close(&p);
        vec_free(&kept.bytes);
    }
}

/* A store switches the bank that it is executed from, once: control goes on elsewhere, and the decoder is
 * told so beside the trace.
 *
 *     8000  branch to 8005, else on
 *     8002  store, continues at 8003 or, once, at 9000
 *     8003  jump to 8000, which becomes something else
 *     8006  jump to 8000
 *     9000  jump to 8000
 */
static void test_changes(void **state) {
    (void)state;
    struct packet_writer w = {.psb = 2048, .tnt_most = PACKET_TNT_SHORT};
    struct packet_decoder d = {.complete = true};
    const struct code_insn store = {0x8002, 0x8003, 0, INSN_PLAIN};
    packet_decoder_add(&d, (struct code_insn){0x8000, 0x8002, 0x8005, INSN_BRANCH});
    packet_decoder_add(&d, store);
    packet_decoder_add(&d, (struct code_insn){0x8003, 0x8006, 0x8000, INSN_JUMP});
    packet_decoder_add(&d, (struct code_insn){0x8005, 0x8006, 0, INSN_JAM});
    packet_decoder_add(&d, (struct code_insn){0x8006, 0x8009, 0x8000, INSN_JUMP});
    packet_decoder_add(&d, (struct code_insn){0x9000, 0x9003, 0x8000, INSN_JUMP});
    packets_enable(&w, 0x8000);
    for (int round = 0; round < 5; round++) {
        packets_branch(&w, false, 0x8002);
        packets_flush(&w);
        if (round == 2)
            packet_decoder_change(&d, (struct code_change){packets_written(&w), .insn = store,
                                                           .once = true, .to = 0x9000});
        if (round == 3) /* from now on another instruction */
            packet_decoder_change(
                &d,
                (struct code_change){packets_written(&w), .insn = {0x8003, 0x8006, 0, INSN_PLAIN}});
    }
    packets_disable(&w, 0x8000);
    packets_decode(&d, w.out.at, w.out.len, 0);
    assert_int_equal(d.errors, 0);
    struct flow flow = {0};
    packet_decoder_flow(&d, &flow);
    static const struct flow_pair expected[] = {
        {0x8000, 0x8002, 5, true}, {0x8002, 0x8003, 4, false}, {0x8002, 0x9000, 1, true},
        {0x9000, 0x8000, 1, true}, {0x8003, 0x8000, 2, true},  {0x8003, 0x8006, 2, false},
        {0x8006, 0x8000, 2, true},
    };
    assert_int_equal(flow.pairs.len, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < flow.pairs.len; i++) {
        size_t k = 0;
        while (expected[k].a != flow.pairs.at[i].a || expected[k].b != flow.pairs.at[i].b)
            assert_true(++k < sizeof expected / sizeof *expected);
        assert_int_equal(flow.pairs.at[i].count, expected[k].count);
        assert_int_equal(flow.pairs.at[i].transfer, expected[k].transfer);
    }
    flow_free(&flow);
    packet_decoder_free(&d);
    packets_free(&w);
}

/* An instruction that jumps to itself writes nothing: how often is not in a trace. */
static void test_silent_loop(void **state) {
    (void)state;
    struct guest *g = guest_new();
    /* The PPU takes no writes before it is warm. */
    guest_code(g, 0x8000, 0xCA, 0xD0, 0xFD, 0x88, 0xD0, 0xFA, 0xA9, 0x80, 0x8D, 0x00, 0x20, 0x4C,
               0x0B, 0x80);
    guest_code(g, 0x8020, 0x40);
    guest_vectors(g, 0x8020, 0x8000, 0x8020);
    const int64_t values[TECHNIQUE_PARAMETERS] = {0, 1000, 2, 0, 0};
    struct profile p = found(&(struct played_source){.guest = g}, 0, "trace", values, false);
    assert_int_equal(counted(&p, "decoding_errors"), 0);
    assert_true(counted(&p, "fup_packets") > FRAMES / 2);
    assert_null(graph_find_edge(&p.graph, 0x800B, 0x800B));
    profile_free(&p);
    free(g);
}

static void test_abandon(void **state) {
    (void)state;
    struct played p = played_open("mazewisp", NULL, false);
    assert_detaches(&p, "trace", (const int64_t[TECHNIQUE_PARAMETERS]){4, 10, 2, 0, 0});
    played_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),   cmocka_unit_test(test_long),
        cmocka_unit_test(test_returns), cmocka_unit_test(test_psb),
        cmocka_unit_test(test_whole),   cmocka_unit_test(test_engines),
        cmocka_unit_test(test_ring),    cmocka_unit_test(test_damage),
        cmocka_unit_test(test_changes), cmocka_unit_test(test_silent_loop),
        cmocka_unit_test(test_abandon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
