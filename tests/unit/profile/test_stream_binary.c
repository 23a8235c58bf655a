/*
 * Sample streams in the binary form. If these fail, a recording that was kept compactly is another
 * one when it comes back, or a damaged file becomes a result.
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
#include <xxhash.h>

#include "profile/profile.h"
#include "tests/support/random.h"

static const char *path_of(const char *suffix) {
    static char path[100];
    snprintf(path, sizeof path, "/tmp/hotgraph-test-%ld%s", (long)getpid(), suffix);
    return path;
}

static struct bytes file_of(const struct stream *s) {
    const char *path = path_of(".hgstream");
    struct error e = {0};
    struct bytes file = {0};
    if (stream_write(s, path, "a game", &e) != STATUS_OK ||
        file_read(&file, path, 1 << 26, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    unlink(path);
    return file;
}

/* `kinds` different instructions, and `batches` batches, of which about one in `repeats` is new. */
static struct stream random_stream(struct random *r, uint32_t kinds, size_t batches, size_t length,
                                   uint32_t repeats) {
    struct sample *all = calloc(kinds, sizeof *all), *batch = calloc(length, sizeof *batch);
    assert_true(all != NULL && batch != NULL);
    for (uint32_t i = 0; i < kinds; i++) {
        all[i] = (struct sample){.pc = (uint32_t)splitmix64(r->seed, r->k++),
                                 .size = (uint8_t)(1 + random_below(r, 255)),
                                 .kind = (uint8_t)random_below(r, INSN_JAM + 1)};
        if (all[i].kind >= INSN_BRANCH && all[i].kind <= INSN_CALL)
            all[i].target = (uint32_t)splitmix64(r->seed, r->k++);
    }
    struct stream_maker m = {.stream.batch_length = length};
    for (size_t i = 0; i < batches; i++) {
        if (i == 0 || random_below(r, repeats) == 0)
            for (size_t k = 0; k < length; k++)
                batch[k] = all[random_below(r, kinds)];
        else
            memcpy(batch,
                   m.stream.batches + random_below(r, (uint32_t)m.stream.distinct_count) * length,
                   length * sizeof *batch);
        assert_true(stream_add(&m, batch));
    }
    free(all);
    free(batch);
    struct stream s = stream_made(&m);
    s.of = random_chance(r, 50) ? STREAM_OF_TRANSFERS : STREAM_OF_BATCHES;
    s.active = random_chance(r, 50);
    s.by_timer = random_chance(r, 50);
    s.population = random_below(r, 1 << 30);
    s.executed = INT64_MAX - random_below(r, 1 << 30);
    s.probes = random_below(r, 1 << 30);
    if (random_chance(r, 50))
        memcpy(s.program, "0123456789abcdef0123456789abcdef01234567", sizeof s.program);
    if (random_chance(r, 50)) {
        s.cycles = calloc(batches, sizeof *s.cycles);
        assert_non_null(s.cycles);
        for (size_t i = 0; i < batches; i++)
            s.cycles[i] = (uint16_t)(1 + random_below(r, UINT16_MAX));
    }
    return s;
}

static void assert_same(const struct stream *a, const struct stream *b) {
    assert_int_equal(a->batch_length, b->batch_length);
    assert_int_equal(a->batch_count, b->batch_count);
    assert_int_equal(a->distinct_count, b->distinct_count);
    assert_int_equal(a->of, b->of);
    assert_int_equal(a->active, b->active);
    assert_int_equal(a->by_timer, b->by_timer);
    assert_int_equal(a->population, b->population);
    assert_int_equal(a->executed, b->executed);
    assert_int_equal(a->probes, b->probes);
    assert_string_equal(a->program, b->program);
    assert_memory_equal(a->batches, b->batches,
                        a->distinct_count * a->batch_length * sizeof *a->batches);
    assert_memory_equal(a->order, b->order, a->batch_count * sizeof *a->order);
    assert_int_equal(a->cycles != NULL, b->cycles != NULL);
    if (a->cycles != NULL)
        assert_memory_equal(a->cycles, b->cycles, a->batch_count * sizeof *a->cycles);
    assert_int_equal(stream_hash(a), stream_hash(b));
}

/* Broken: a stream that was kept is another one when it comes back, with numbers of any width. */
static void test_round_trip(void **state) {
    (void)state;
    static const struct {
        uint32_t kinds;
        size_t batches, length;
        uint32_t repeats;
    } shapes[] = {{1, 1, 1, 1},       {1, 300, 25, 9},      {256, 300, 7, 1}, {257, 9000, 3, 20},
                  {300, 70000, 2, 1}, {70000, 9, 30000, 1}, {40, 256, 5, 1},  {40, 257, 5, 1}};
    struct random r = {.seed = 11};
    struct error e = {0}, w;
    for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++) {
        const size_t k = i / 2;
        const char *path = path_of(i % 2 == 0 ? ".hgstream" : ".hgstream.gz");
        struct stream back, s = random_stream(&r, shapes[k].kinds, shapes[k].batches,
                                              shapes[k].length, shapes[k].repeats);
        assert_int_equal(stream_write(&s, path, "a game", &e), STATUS_OK);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        assert_int_equal(fgetc(f), i % 2 == 0 ? 0x89 : 0x1F);
        fclose(f);
        enum stream_of of = STREAM_OF_BRANCHES;
        assert_int_equal(stream_peek(&of, path, &e), STATUS_OK);
        assert_int_equal(of, s.of);
        if (stream_read(&back, path, &w, &e) != STATUS_OK)
            fail_msg("%s", e.text);
        unlink(path);
        assert_string_equal(w.text, "");
        assert_same(&s, &back);
        stream_free(&back);
        stream_free(&s);
    }
}

/* Broken: files that were written earlier, or elsewhere, are not understood. */
static void test_layout(void **state) {
    (void)state;
    static struct sample samples[] = {
        {.pc = 0xC000, .target = 0xC123, .size = 3, .kind = INSN_CALL, .opcode = 0x20},
        {.pc = 0x01020304, .target = 7, .size = 1, .kind = INSN_RTI, .opcode = 0x40},
        {.pc = 0xC000, .target = 0xC123, .size = 3, .kind = INSN_CALL},
        {.pc = 0x01020304, .size = 1, .kind = INSN_RTI, .opcode = 0x41},
    };
    static uint16_t cycles[] = {7, 0x102};
    static const uint8_t expected[] = {
        0x89, 'H', 'G', 'S', '\r', '\n', 0x1a, '\n', 1, 0, 0, 0, 1, 3, 0, 0, /* magic to flags */
        160,  0,   0,   0,   0,    0,    0,    0,    2, 0, 0, 0, 0, 0, 0, 0,
        2,    0,   0,   0,   0,    0,    0,    0, /* size, L, B */
        1,    0,   0,   0,   0,    0,    0,    0,    2, 0, 0, 0, 0, 0, 0, 0,
        5,    0,   0,   0,   0,    0,    0,    0, /* D, I */
        0,    1,   0,   0,   0,    0,    0,    0,    9, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t behind[] = {0, 0xC0, 0, 0, 0x23, 0xC1, 0, 0, 3, 3, 0, 0, 4, 3, 2, 1,
                                     0, 0,    0, 0, 1,    6,    0, 0, 0, 1, 0, 0, 7, 0, 2, 1};
    struct stream s = {.batches = samples,
                       .batch_length = 2,
                       .batch_count = 2,
                       .of = STREAM_OF_TRANSFERS,
                       .active = true,
                       .population = 5,
                       .executed = 256,
                       .probes = 9,
                       .cycles = cycles};
    struct bytes file = file_of(&s);
    assert_int_equal(file.len, 160);
    assert_memory_equal(file.at, expected, sizeof expected);
    for (int i = 80; i < 120; i++)
        assert_int_equal(file.at[i], 0);
    assert_memory_equal(file.at + 120, behind, sizeof behind);
    const uint64_t sum = XXH3_64bits(file.at, 152);
    for (int i = 0; i < 8; i++)
        assert_int_equal(file.at[152 + i], (uint8_t)(sum >> 8 * i));
    bytes_free(&file);
}

/* Broken: a recording is another one when it was converted from text, or back. */
static void test_from_text(void **state) {
    (void)state;
    struct error e = {0}, w;
    struct stream s, back;
    if (stream_read(&s, TEST_DATA "/gfcgaussiano/overlap-a.isampling.gz", &w, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    struct bytes file = file_of(&s);
    assert_int_equal(stream_parse(&back, file.at, file.len, "s", &w, &e), STATUS_OK);
    assert_same(&s, &back);
    bytes_free(&file);
    stream_free(&back);
    stream_free(&s);
}

/* Broken: streams that do not repeat, as those of real programs, take more than a sixth of their
 * text. */
static void test_small(void **state) {
    (void)state;
    struct random r = {.seed = 5};
    struct stream s = random_stream(&r, 60000, 4000, 25, 1);
    struct bytes file = file_of(&s), text;
    struct error e = {0};
    const char *path = path_of(".isampling");
    assert_int_equal(stream_write(&s, path, "gzip", &e), STATUS_OK);
    assert_int_equal(file_read(&text, path, 1 << 26, &e), STATUS_OK);
    unlink(path);
    /* The instructions themselves are a part that longer streams do not have more of. */
    assert_true((file.len - 60000 * 12) * 6 < text.len);
    bytes_free(&file);
    bytes_free(&text);
    stream_free(&s);
}

static void refuse(const uint8_t *at, size_t len, const char *part) {
    struct stream s;
    struct error e = {0}, w;
    enum status status = stream_parse(&s, at, len, "dir/s.hgstream", &w, &e);
    if (status != STATUS_FORMAT && status != STATUS_UNSUPPORTED)
        fail_msg("%zu bytes: status %d", len, (int)status);
    assert_null(s.batches);
    assert_null(s.first);
    assert_null(s.order);
    assert_null(s.cycles);
    if (strncmp(e.text, "dir/s.hgstream:", 15) != 0 || strstr(e.text, part) == NULL)
        fail_msg("message \"%s\" does not have \"%s\"", e.text, part);
}

static struct stream small_stream(void) {
    struct random r = {.seed = 2};
    struct stream s = random_stream(&r, 20, 12, 5, 2);
    free(s.cycles);
    s.cycles = calloc(12, sizeof *s.cycles);
    assert_non_null(s.cycles);
    for (int i = 0; i < 12; i++)
        s.cycles[i] = 3;
    return s;
}

/* Broken: a file that was cut off, or with a changed bit, is taken for a recording. */
static void test_damaged(void **state) {
    (void)state;
    struct stream s = small_stream();
    struct bytes file = file_of(&s);
    for (size_t len = 0; len < file.len; len++) {
        uint8_t *copy = malloc(len + 1); /* so that reading too far is noticed */
        assert_non_null(copy);
        memcpy(copy, file.at, len);
        refuse(copy, len, "");
        free(copy);
    }
    for (size_t bit = 0; bit < 8 * file.len; bit++) {
        file.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        refuse(file.at, file.len, "");
        file.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    uint8_t *longer = calloc(1, file.len + 1);
    assert_non_null(longer);
    memcpy(longer, file.at, file.len);
    refuse(longer, file.len + 1, "it has");
    free(longer);
    bytes_free(&file);
    stream_free(&s);
}

/* One byte another, and a checksum that fits. */
static void refuse_with(const struct bytes *file, size_t at, uint8_t value, const char *part) {
    const uint8_t was = file->at[at];
    assert_int_not_equal(was, value);
    file->at[at] = value;
    const uint64_t sum = XXH3_64bits(file->at, file->len - 8);
    for (int i = 0; i < 8; i++)
        file->at[file->len - 8 + (size_t)i] = (uint8_t)(sum >> 8 * i);
    refuse(file->at, file->len, part);
    file->at[at] = was;
}

/* Broken: a file made to harm, whose checksum fits, reads or writes where nothing is. */
static void test_hostile(void **state) {
    (void)state;
    struct stream s = small_stream();
    struct bytes file = file_of(&s);
    const size_t instructions = file.at[48], batches = 120 + 12 * instructions,
                 order = batches + s.distinct_count * 5, cycles = order + 12;
    assert_int_equal(cycles + 24 + 8, file.len);
    refuse_with(&file, 8, 2, "version 2");
    refuse_with(&file, 12, 2, "add up to that of the file");
    refuse_with(&file, 12, 3, "kind of its samples is unknown");
    refuse_with(&file, 13, 8, "kind of its samples is unknown");
    refuse_with(&file, 14, 1, "kind of its samples is unknown");
    refuse_with(&file, 15, 1, "kind of its samples is unknown");
    refuse_with(&file, 24, 6, "add up to that of the file");
    refuse_with(&file, 24, 0, "add up to that of the file");
    refuse_with(&file, 31, 0x80, "add up to that of the file");
    refuse_with(&file, 32, 11, "add up to that of the file");
    refuse_with(&file, 39, 0xFF, "add up to that of the file");
    refuse_with(&file, 47, 0x40, "add up to that of the file");
    refuse_with(&file, 55, 0xFF, "add up to that of the file");
    refuse_with(&file, 63, 0x80, "2^63");
    refuse_with(&file, 71, 0x80, "2^63");
    refuse_with(&file, 79, 0x80, "2^63");
    refuse_with(&file, 119, 'g', "SHA-1");
    refuse_with(&file, 128, 0, "an instruction");
    refuse_with(&file, 129, INSN_JAM + 1, "an instruction");
    refuse_with(&file, 130, 1, "an instruction");
    refuse_with(&file, batches, (uint8_t)instructions, "missing instruction");
    refuse_with(&file, order - 1, 255, "missing instruction");
    refuse_with(&file, order, 1, "first occur");
    refuse_with(&file, order + 11, (uint8_t)s.distinct_count, "first occur");
    refuse_with(&file, cycles, 0, "0 cycles");
    bytes_free(&file);
    stream_free(&s);
}

/* Broken: batches of unequal length read what is not there. */
static void test_hostile_lengths(void **state) {
    (void)state;
    static const struct sample samples[] = {{.pc = 1, .size = 1}, {.pc = 2, .size = 1}};
    struct stream_maker m = {.stream.of = STREAM_OF_BRANCHES};
    assert_true(stream_add_some(&m, samples, 2));
    assert_true(stream_add_some(&m, samples, 1));
    struct stream s = stream_made(&m);
    struct bytes file = file_of(&s);
    assert_int_equal(file.len, 120 + 2 * 12 + 2 * 4 + 3 + 2 + 8);
    assert_int_equal(file.at[12], 2);
    assert_int_equal(file.at[24], 3);
    assert_int_equal(file.at[144], 2);
    assert_int_equal(file.at[148], 1);
    refuse_with(&file, 24, 4, "add up to that of the file");
    refuse_with(&file, 144, 3, "add up to what it says");
    refuse_with(&file, 147, 0x80, "add up to what it says");
    refuse_with(&file, 148, 0, "no instructions");
    bytes_free(&file);
    stream_free(&s);
}

/* Broken: a batch that never occurs counts; instructions without a target have one. */
static void test_hostile_more(void **state) {
    (void)state;
    static struct sample samples[] = {{.pc = 1, .size = 1}, {.pc = 2, .size = 1}};
    struct stream s = {.batches = samples, .batch_length = 1, .batch_count = 2};
    struct bytes file = file_of(&s);
    refuse_with(&file, 120 + 4, 1, "an instruction");
    refuse_with(&file, 120 + 24 + 2 + 1, 0, "never occurs");
    bytes_free(&file);
}

/* Broken: a recording without a whole batch is an error in one form and a warning in the other. */
static void test_empty(void **state) {
    (void)state;
    const struct stream s = {.batch_length = 25};
    struct bytes file = file_of(&s);
    struct stream back;
    struct error e = {0}, w;
    assert_int_equal(stream_parse(&back, file.at, file.len, "s", &w, &e), STATUS_OK);
    assert_string_equal(w.text, "s: there are no batches in it");
    assert_int_equal(stream_hash(&back), stream_hash(&s));
    stream_free(&back);
    refuse_with(&file, 31, 1, "length");
    bytes_free(&file);
    assert_int_equal(stream_write(&s, "/no-folder/s.hgstream", "x", &e), STATUS_IO);
    assert_int_equal(stream_write(&s, path_of(".hgstream"), "a\tb", &e), STATUS_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_layout),
        cmocka_unit_test(test_from_text),    cmocka_unit_test(test_small),
        cmocka_unit_test(test_damaged),      cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_empty),        cmocka_unit_test(test_hostile_lengths),
        cmocka_unit_test(test_hostile_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
