/*
 * Sample streams in isampling text. If these fail, the prototype's recordings and ours are read as
 * something they are not, or a damaged recording becomes a result.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/profile.h"
#include "tests/support/random.h"

#define HEADER "sequence\tpc\tsize\ttype\tbatch\ttext\timage\n"
#define JSR    "1\t0xC000\t3\tBRANCHORCALL DIRECT INCOND\t0\tjsr 0xc123\tgame\n"
#define BNE    "2\t0xC123\t2\tBRANCHORCALL DIRECT COND\t0\tbne 0xC100\tgame\n"
#define RTS    "3\t0xc125\t1\tBRANCHORCALL INDIRECT INCOND\t0\trts\tgame\n"
#define LDA    "4\t0xc003\t2\tGENERIC\t0\tlda\tgame\n"

static struct stream accept(const char *text, const char *warning) {
    struct stream s;
    struct error e = {0}, w = {0};
    if (stream_parse(&s, text, strlen(text), "dir/s.isampling", &w, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    if (warning[0] == 0 ? w.text[0] != 0 : strstr(w.text, warning) == NULL)
        fail_msg("warning \"%s\"", w.text);
    return s;
}

static void assert_same_samples(const struct sample *a, const struct sample *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (a[i].pc != b[i].pc || a[i].target != b[i].target || a[i].size != b[i].size ||
            a[i].kind != b[i].kind || a[i].opcode != b[i].opcode)
            fail_msg("sample %zu differs", i);
}

static void refuse(const char *text, unsigned line, const char *part) {
    struct stream s;
    struct error e = {0}, w = {0};
    char place[40];
    snprintf(place, sizeof place, "dir/s.isampling:%u: ", line);
    assert_int_equal(stream_parse(&s, text, strlen(text), "dir/s.isampling", &w, &e),
                     STATUS_FORMAT);
    assert_null(s.batches);
    assert_int_equal(s.batch_count, 0);
    if (strncmp(e.text, place, strlen(place)) != 0 || strstr(e.text, part) == NULL)
        fail_msg("message \"%s\" does not have \"%s\" and \"%s\"", e.text, place, part);
}

/* Broken: an instruction of the recording arrives as another. */
static void test_fields(void **state) {
    (void)state;
    struct stream s = accept("anything\n" JSR BNE RTS LDA, "");
    static const struct sample expected[] = {
        {.pc = 0xC000, .target = 0xC123, .size = 3, .kind = INSN_CALL},
        {.pc = 0xC123, .target = 0xC100, .size = 2, .kind = INSN_BRANCH},
        {.pc = 0xC125, .size = 1, .kind = INSN_RETURN},
        {.pc = 0xC003, .size = 2, .kind = INSN_PLAIN},
    };
    assert_int_equal(s.batch_length, 4);
    assert_int_equal(s.batch_count, 1);
    assert_same_samples(s.batches, expected, 4);
    assert_int_equal(sample_target(s.batches, 4, 0), 0xC123);
    assert_int_equal(sample_target(s.batches, 4, 2), 0xC003);
    assert_int_equal(sample_target(s.batches, 3, 2), STREAM_NOWHERE);
    assert_false(sample_is_transfer(&s.batches[3]));
    stream_free(&s);
}

/* Broken: recordings that the prototype reads are refused. */
static void test_free_fields(void **state) {
    (void)state;
    struct stream s = accept("\n\t0x400500\t5\tBRANCHORCALL DIRECT INCOND\t0\tcall 0x400520 <f>\t\n"
                             "x\t0xffffffff\t255\tGENERIC\t0\t\timage\twith a tab\r\n"
                             "\t0x0\t1\tBRANCHORCALL INDIRECT INCOND\t0\t0xzz 0xzz\t",
                             "");
    assert_int_equal(s.batch_length, 3);
    assert_int_equal(s.batches[0].kind, INSN_CALL);
    assert_int_equal(s.batches[0].target, 0x400520);
    assert_int_equal(s.batches[1].pc, 0xFFFFFFFF);
    assert_int_equal(s.batches[1].size, 255);
    stream_free(&s);
}

/* Broken: the baseline takes the return from an interrupt for one from a subroutine, and cuts the
 * program's hottest loop where the interrupt happened to fall. */
static void test_rti(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint8_t kind;
    } cases[] = {{"rti", INSN_RTI},     {"RTI", INSN_RTI},
                 {"brk", INSN_BRK},     {"jmp (0xfffc)", INSN_JUMP_INDIRECT},
                 {"rts", INSN_RETURN},  {"", INSN_RETURN},
                 {"rtix", INSN_RETURN}, {"ret 8", INSN_RETURN}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, HEADER "0\t0x10\t1\tBRANCHORCALL INDIRECT INCOND\t0\t%s\tg\n",
                 cases[i].text);
        struct stream s = accept(text, "");
        assert_int_equal(s.batches[0].kind, cases[i].kind);
        assert_int_equal(s.batches[0].target, 0);
        stream_free(&s);
    }
}

/* Broken: a damaged line is skipped or guessed, and the stream is another one. */
static void test_bad_lines(void **state) {
    (void)state;
    refuse("", 1, "empty");
    refuse(HEADER LDA "\n", 3, "tab-separated");
    refuse(HEADER "1\n", 2, "tab-separated");
    refuse(HEADER "1\t0xc000\n", 2, "nothing follows pc");
    refuse(HEADER "1\t0xc000\t2\n", 2, "nothing follows size");
    refuse(HEADER "1\t0xc000\t2\tGENERIC\n", 2, "missing");
    refuse(HEADER "1\t0xc000\t2\tGENERIC\t0\n", 2, "nothing follows batch");
    refuse(HEADER "1\t0xc000\t2\tGENERIC\t0\tlda\n", 2, "image");
    refuse(HEADER "1\tc000\t2\tGENERIC\t0\tlda\tg\n", 2, "pc is not");
    refuse(HEADER "1\t0xc00g\t2\tGENERIC\t0\tlda\tg\n", 2, "pc is not");
    refuse(HEADER "1\t0x1c0000000\t2\tGENERIC\t0\tlda\tg\n", 2, "pc is not");
    refuse(HEADER "1\t\t2\tGENERIC\t0\tlda\tg\n", 2, "pc is not");
    refuse(HEADER "1\t0xc000\t0\tGENERIC\t0\tlda\tg\n", 2, "size is 0");
    refuse(HEADER "1\t0xc000\t256\tGENERIC\t0\tlda\tg\n", 2, "size is not");
    refuse(HEADER "1\t0xc000\t-1\tGENERIC\t0\tlda\tg\n", 2, "size is not");
    refuse(HEADER "1\t0xc000\t2 \tGENERIC\t0\tlda\tg\n", 2, "size is not");
    refuse(HEADER "1\t0xc000\t2\tgeneric\t0\tlda\tg\n", 2, "unknown type");
    refuse(HEADER "1\t0xc000\t2\tBRANCHORCALL\t0\tlda\tg\n", 2, "unknown type");
    refuse(HEADER "1\t0xc000\t2\tBRANCHORCALL INDIRECT COND\t0\tlda\tg\n", 2, "unknown type");
    refuse(HEADER "1\t0xc000\t2\tGENERIC\tx\tlda\tg\n", 2, "batch is not");
    refuse(HEADER "1\t0xc000\t3\tBRANCHORCALL DIRECT INCOND\t0\tjmp\tg\n", 2, "target");
    refuse(HEADER "1\t0xc000\t3\tBRANCHORCALL DIRECT INCOND\t0\tjmp \tg\n", 2, "target");
    refuse(HEADER "1\t0xc000\t3\tBRANCHORCALL DIRECT INCOND\t0\tjmp  0xc0\tg\n", 2, "target");
    refuse(HEADER "1\t0xc000\t3\tBRANCHORCALL DIRECT INCOND\t0\t 0xc000\tg\n", 2, "target");
    refuse(HEADER "1\t0xc000\t3\tBRANCHORCALL DIRECT COND\t0\tbne c0\tg\n", 2, "target");
    refuse(HEADER "1\t0xc000\t3\tBRANCHORCALL DIRECT COND\t0\tbne 0xc0z\tg\n", 2, "target");
}

#define AT(batch) "1\t0xc000\t2\tGENERIC\t" batch "\tlda\tg\n"

/* Broken: batches of different lengths are cut up anew, and windows reach over their ends. */
static void test_bad_batches(void **state) {
    (void)state;
    refuse(HEADER AT("1"), 2, "the first is 0");
    refuse(HEADER AT("0") AT("2"), 3, "rise by one");
    refuse(HEADER AT("0") AT("1") AT("0"), 4, "rise by one");
    refuse(HEADER AT("0") AT("1") AT("1"), 4, "more than 1");
    refuse(HEADER AT("0") AT("0") AT("1") AT("2"), 5, "batch 1 ends after 1");
    refuse(HEADER AT("0") AT("1") AT("18446744073709551616"), 4, "batch is not");
}

/* Broken: the batch that a recording was cut off in counts as a whole one, or as an error. */
static void test_short_last_batch(void **state) {
    (void)state;
    struct stream s = accept(HEADER AT("0") AT("0") AT("1") AT("1") AT("2"), "1 of 2");
    assert_int_equal(s.batch_length, 2);
    assert_int_equal(s.batch_count, 2);
    stream_free(&s);
    s = accept(HEADER, "no batches");
    assert_int_equal(s.batch_count, 0);
    stream_free(&s);
}

/* ---- round trip ---- */

static struct stream random_stream(struct random *r) {
    struct stream s = {.batch_length = 1 + random_below(r, 30),
                       .batch_count = 1 + random_below(r, 50)};
    s.batches = calloc(s.batch_length * s.batch_count, sizeof *s.batches);
    assert_non_null(s.batches);
    for (size_t i = 0; i < s.batch_length * s.batch_count; i++) {
        static const uint8_t kinds[] = {INSN_PLAIN,         INSN_BRANCH, INSN_JUMP, INSN_CALL,
                                        INSN_JUMP_INDIRECT, INSN_RETURN, INSN_RTI,  INSN_BRK};
        struct sample *at = &s.batches[i];
        at->pc = (uint32_t)splitmix64(r->seed, r->k++);
        at->size = (uint8_t)(1 + random_below(r, 3));
        at->kind = kinds[random_below(r, 8)];
        if (at->kind == INSN_BRANCH || at->kind == INSN_JUMP || at->kind == INSN_CALL)
            at->target = (uint32_t)splitmix64(r->seed, r->k++);
    }
    return s;
}

static void round_trip(const char *suffix, bool compressed) {
    struct random r = {.seed = 6};
    char path[64];
    struct error e = {0}, w = {0};
    snprintf(path, sizeof path, "/tmp/hotgraph-test-%ld%s", (long)getpid(), suffix);
    for (int round = 0; round < 10; round++) {
        struct stream s = random_stream(&r), back;
        assert_int_equal(stream_write(&s, path, "some game", &e), STATUS_OK);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        assert_int_equal(fgetc(f) == 0x1F, compressed);
        fclose(f);
        assert_int_equal(stream_read(&back, path, &w, &e), STATUS_OK);
        assert_string_equal(w.text, "");
        assert_int_equal(back.batch_length, s.batch_length);
        assert_int_equal(back.batch_count, s.batch_count);
        for (size_t i = 0; i < s.batch_count; i++)
            assert_same_samples(stream_batch(&back, i), stream_batch(&s, i), s.batch_length);
        assert_int_equal(stream_hash(&back), stream_hash(&s));
        stream_free(&back);
        stream_free(&s);
    }
    unlink(path);
}

/* Broken: a stream that was exported is another one when it comes back. */
static void test_round_trip(void **state) {
    (void)state;
    round_trip(".isampling", false);
    round_trip(".isampling.gz", true);
}

/* Broken: a recording longer than what is read at once loses, doubles or breaks lines; or memory
 * holds each repetition of a batch again. */
static void test_long(void **state) {
    (void)state;
    enum { DIFFERENT = 2000, BATCHES = 9000, LENGTH = 4 };
    struct random r = {.seed = 3};
    static struct sample different[DIFFERENT][LENGTH];
    struct stream_maker m = {.stream.batch_length = LENGTH};
    for (size_t i = 0; i < DIFFERENT; i++)
        for (size_t k = 0; k < LENGTH; k++)
            different[i][k] = (struct sample){.pc = (uint32_t)i << random_below(&r, 20),
                                              .target = random_below(&r, UINT32_MAX),
                                              .size = (uint8_t)(1 + random_below(&r, 255)),
                                              .kind = k % 2 != 0 ? INSN_BRANCH : INSN_CALL};
    uint32_t order[BATCHES];
    for (size_t i = 0; i < BATCHES; i++) {
        order[i] = i < DIFFERENT ? (uint32_t)i : random_below(&r, DIFFERENT);
        assert_true(stream_add(&m, different[order[i]]));
    }
    struct stream s = stream_made(&m), back;
    assert_null(m.table);
    assert_int_equal(s.distinct_count, DIFFERENT);
    char path[64];
    struct error e = {0}, w = {0};
    snprintf(path, sizeof path, "/tmp/hotgraph-test-%ld.isampling", (long)getpid());
    assert_int_equal(stream_write(&s, path, "some game", &e), STATUS_OK);
    assert_int_equal(stream_read(&back, path, &w, &e), STATUS_OK);
    unlink(path);
    assert_int_equal(back.batch_count, BATCHES);
    assert_int_equal(back.distinct_count, DIFFERENT);
    for (size_t i = 0; i < BATCHES; i++)
        assert_same_samples(stream_batch(&back, i), different[order[i]], LENGTH);
    stream_free(&back);
    stream_free(&s);
}

/* Broken: the prototype's tools cannot read what we write. */
static void test_written(void **state) {
    (void)state;
    static struct sample samples[] = {
        {.pc = 0xC000, .target = 0xC123, .size = 3, .kind = INSN_CALL, .opcode = 0x20},
        {.pc = 0xC123, .size = 1, .kind = INSN_RTI, .opcode = 0x40},
        {.pc = 0xC124, .size = 2, .kind = INSN_PLAIN, .opcode = 0xA9},
        {.pc = 0xC126, .target = 0xC124, .size = 2, .kind = INSN_BRANCH},
    };
    struct stream s = {.batches = samples, .batch_length = 2, .batch_count = 2};
    struct error e = {0};
    struct bytes text;
    char path[64];
    snprintf(path, sizeof path, "/tmp/hotgraph-test-%ld.isampling", (long)getpid());
    assert_int_equal(stream_write(&s, path, "a\tb", &e), STATUS_ARGUMENT);
    assert_int_equal(stream_write(&s, path, "game", &e), STATUS_OK);
    assert_int_equal(file_read(&text, path, 1 << 20, &e), STATUS_OK);
    assert_string_equal((char *)text.at,
                        HEADER "0\t0xc000\t3\tBRANCHORCALL DIRECT INCOND\t0\tjsr 0xc123\tgame\n"
                               "1\t0xc123\t1\tBRANCHORCALL INDIRECT INCOND\t0\trti\tgame\n"
                               "2\t0xc124\t2\tGENERIC\t1\tlda\tgame\n"
                               "3\t0xc126\t2\tBRANCHORCALL DIRECT COND\t1\tbranch 0xc124\tgame\n");
    bytes_free(&text);
    unlink(path);
}

/* Broken: a resumed sweep takes two different streams for the same. */
static void test_hash(void **state) {
    (void)state;
    struct random r = {.seed = 7};
    struct stream s = random_stream(&r);
    uint64_t was = stream_hash(&s);
    struct sample *at = &s.batches[s.batch_length * s.batch_count - 1];
    at->pc ^= 1;
    assert_true(stream_hash(&s) != was);
    at->pc ^= 1;
    at->size ^= 1;
    assert_true(stream_hash(&s) != was);
    at->size ^= 1;
    at->kind = at->kind == INSN_PLAIN ? INSN_RTI : INSN_PLAIN;
    assert_true(stream_hash(&s) != was);
    stream_free(&s);
    s = random_stream(&r);
    was = stream_hash(&s);
    size_t length = s.batch_length;
    s.batch_length = s.batch_count;
    s.batch_count = length;
    assert_true(length == s.batch_length || stream_hash(&s) != was);
    stream_free(&s);
}

/* Broken: a curve of thinned streams leaves parts of a program out, or counts some twice. */
static void test_thinned(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    struct stream_maker m = {.stream.batch_length = 2};
    for (uint32_t i = 0; i < COUNT; i++)
        assert_true(stream_add(&m, (struct sample[]){{.pc = i, .size = 1}, {.pc = i / 3}}));
    struct stream s = stream_made(&m), thin;
    strcpy(s.program, "somebody");
    struct error e;
    static const size_t counts[] = {1, 7, 333, 999};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        const size_t count = counts[k];
        assert_int_equal(stream_thin(&thin, &s, count, 1, &e), STATUS_OK);
        assert_int_equal(thin.batch_count, count);
        assert_string_equal(thin.program, "somebody");
        size_t elsewhere = 0;
        for (size_t i = 0; i < count; i++) {
            const uint32_t at = stream_batch(&thin, i)->pc;
            assert_in_range(at, i * COUNT / count, (i + 1) * COUNT / count - 1);
            assert_int_equal(stream_batch(&thin, i)[1].pc, at / 3);
            elsewhere += at != i * COUNT / count;
        }
        assert_true(count > COUNT / 2 || elsewhere >= count / 2); /* not always the first */
        stream_free(&thin);
    }
    assert_int_equal(stream_thin(&thin, &s, COUNT, 1, &e), STATUS_OK);
    assert_int_equal(stream_hash(&thin), stream_hash(&s));
    stream_free(&thin);
    assert_int_equal(stream_thin(&thin, &s, COUNT + 1, 1, &e), STATUS_ARGUMENT);
    s.cycles = calloc(COUNT, sizeof *s.cycles);
    for (size_t i = 0; i < COUNT; i++)
        s.cycles[i] = (uint16_t)(1 + i % 7);
    assert_int_equal(stream_thin(&thin, &s, 10, 1, &e), STATUS_OK);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(thin.cycles[i], 1 + stream_batch(&thin, i)->pc % 7);
    stream_free(&thin);
    stream_free(&s);
}

/* A maker that is used again starts from nothing. */
static void test_unmade(void **state) {
    (void)state;
    const struct sample batch[2] = {{.pc = 1, .size = 1}, {.pc = 2, .size = 1}};
    for (int round = 0; round < 2; round++) {
        struct stream_maker m = {.stream.batch_length = 2};
        assert_true(stream_add(&m, batch) && stream_add(&m, batch));
        struct stream s = {0};
        if (round == 1)
            s = stream_made(&m);
        else
            stream_unmake(&m);
        assert_memory_equal(&m, &(struct stream_maker){0}, sizeof m);
        assert_int_equal(s.batch_count, 2 * round);
        stream_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),      cmocka_unit_test(test_free_fields),
        cmocka_unit_test(test_rti),         cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_bad_batches), cmocka_unit_test(test_short_last_batch),
        cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_long),
        cmocka_unit_test(test_written),     cmocka_unit_test(test_hash),
        cmocka_unit_test(test_thinned),     cmocka_unit_test(test_unmade),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
