/*
 * FM2 movies. If these fail, the replay is not what was recorded: other buttons, a frame early or
 * late, or devices that are not connected.
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

#include "nes/movie.h"

#define HEADER "version 3\nromFilename game\nport0 1\nport1 1\nport2 0\n"

static struct movie accept(const char *text) {
    struct movie m;
    struct error e = {0};
    if (movie_parse(&m, text, strlen(text), "dir/m.fm2", &e) != STATUS_OK)
        fail_msg("refused: %s", e.text);
    return m;
}

/* Expects a refusal that names file and line, and has `part` in it. */
static void refuse(const char *text, enum status status, unsigned line, const char *part) {
    struct movie m;
    struct error e = {0};
    char place[40];
    snprintf(place, sizeof place, "dir/m.fm2:%u: ", line);
    assert_int_equal(movie_parse(&m, text, strlen(text), "dir/m.fm2", &e), status);
    assert_null(m.lines);
    assert_int_equal(m.line_count, 0);
    if (strncmp(e.text, place, strlen(place)) != 0 || strstr(e.text, part) == NULL)
        fail_msg("message \"%s\" does not have \"%s\" and \"%s\"", e.text, place, part);
}

/* Broken: the game sees another button than the movie's. */
static void test_every_button(void **state) {
    (void)state;
    struct movie m = accept(HEADER "|0|RLDUTSBA|........||\n"
                                   "|0|.......A|      x ||\n|0|......B.|........||\n"
                                   "|0|.....S..|........||\n|0|....T...|........||\n"
                                   "|0|...U....|........||\n|0|..D.....|........||\n"
                                   "|0|.L......|........||\n|0|R.......|........||\r\n");
    assert_int_equal(m.line_count, 9);
    assert_int_equal(m.lines[0].pads[0], 0xFF);
    static const uint8_t order[8] = {NES_A,  NES_B,    NES_SELECT, NES_START,
                                     NES_UP, NES_DOWN, NES_LEFT,   NES_RIGHT};
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(m.lines[1 + i].pads[0], order[i]);
    assert_int_equal(m.lines[1].pads[1], NES_B);
    movie_free(&m);
}

/* Broken: every game is played a frame early or late. */
static void test_frame_reads_next_line(void **state) {
    (void)state;
    struct movie m = accept(HEADER "|0|.......A|........||\n|0|......B.|........||\n"
                                   "|0|.....S..|........||\n");
    assert_int_equal(movie_line_at(&m, 0).pads[0], NES_B);
    assert_int_equal(movie_line_at(&m, 1).pads[0], NES_SELECT);
    assert_int_equal(movie_line_at(&m, 2).pads[0], 0);
    assert_int_equal(movie_line_at(&m, UINT64_MAX - 1).pads[0], 0);
    assert_int_equal(movie_frames(&m), 3);
    assert_false(movie_resets_after(&m, 0));
    movie_free(&m);
    assert_int_equal(movie_line_at(&m, 0).pads[0], 0);
}

/* Broken: after a reset every game is played a frame early, unlike in FCEUX. */
static void test_resets_take_no_frame(void **state) {
    (void)state;
    struct movie m = accept(HEADER "|1|.......A|........||\n|0|......B.|........||\n"
                                   "|2|.......A|........||\n|1|.......A|........||\n"
                                   "|0|.....S..|........||\n|0|....T...|........||\n"
                                   "|1|.......A|........||\n");
    static const struct movie_line expected[] = {
        {MOVIE_SOFT_RESET, {NES_B}},
        {MOVIE_SOFT_RESET | MOVIE_HARD_RESET, {NES_SELECT}},
        {0, {NES_START}},
        {MOVIE_SOFT_RESET, {0}},
        {0, {0}}};
    for (uint64_t frame = 0; frame < 5; frame++) {
        struct movie_line line = movie_line_at(&m, frame);
        assert_int_equal(line.command, expected[frame].command);
        assert_int_equal(line.pads[0], expected[frame].pads[0]);
    }
    assert_int_equal(movie_frames(&m), 4);
    assert_true(movie_resets_after(&m, 3));
    assert_false(movie_resets_after(&m, 4));
    movie_free(&m);
}

/* Broken: an empty port's buttons press something, or a movie for one pad is refused. */
static void test_empty_port(void **state) {
    (void)state;
    struct movie m = accept("version 3\nport0 1\nport1 0\nport2 0\n|0|.......A|||\n");
    assert_int_equal(m.lines[0].pads[0], NES_A);
    assert_int_equal(m.lines[0].pads[1], 0);
    movie_free(&m);
}

/* A movie with this line, read and written as text. */
static void outcome(char out[400], const char *header, const char *line, const char *end) {
    char text[400];
    struct movie m;
    struct error e = {0};
    const int size =
        snprintf(text, sizeof text, "%s|0|........|........||\n%s%s", header, line, end);
    if (movie_parse(&m, text, (size_t)size, "m.fm2", &e) == STATUS_OK)
        snprintf(out, 400, "%zu lines, %zu resets, %u %02x %02x", m.line_count, m.reset_count,
                 m.lines[m.line_count - 1].command, m.lines[m.line_count - 1].pads[0],
                 m.lines[m.line_count - 1].pads[1]);
    else
        snprintf(out, 400, "%.399s", e.text);
    movie_free(&m);
}

/* Broken: the fast path for common lines reads something else than the general parser, which lines
 * with CR and LF use. */
static void test_usual_lines_are_read_like_all_others(void **state) {
    (void)state;
    static const char columns[] = "......RLDUTSBAZ@_", odd[] = " .x|*\xC1\xFF\x1F/0`~\t";
    static const char *const headers[] = {HEADER, "version 3\nport0 1\nport1 0\nport2 0\n",
                                          "version 3\nport0 0\nport1 1\nport2 0\n"};
    uint64_t seed = 7;
    for (unsigned round = 0; round < 20000; round++) {
        char line[] = "|0|........|........||", expected[400], got[400];
        for (unsigned i = 3; i < 20; i++)
            if (line[i] == '.')
                line[i] = columns[splitmix64_next(&seed) % (sizeof columns - 1)];
        if (round % 2)
            line[splitmix64_next(&seed) % 22] = odd[splitmix64_next(&seed) % (sizeof odd - 1)];
        if (round % 5 == 0)
            strcpy(line + 12, "||");
        const char *const header = headers[round % 3];
        outcome(expected, header, line, "\r\n");
        outcome(got, header, line, "\n");
        if (strcmp(expected, got) != 0)
            fail_msg("\"%s\": \"%s\", not \"%s\"", line, got, expected);
    }
}

/* Broken: frames after the stated end are played, or missing ones go unnoticed. */
static void test_length(void **state) {
    (void)state;
    struct movie m = accept(HEADER "length 1\n|0|........|........||\n|garbage");
    assert_int_equal(m.line_count, 1);
    movie_free(&m);
    m = accept(HEADER "length -1\n|0|........|........||\n");
    assert_int_equal(m.line_count, 1);
    movie_free(&m);
    refuse(HEADER "length 2\n|0|........|........||\n", STATUS_FORMAT, 7, "truncated");
}

/* Broken: a movie that cannot be played correctly is played nevertheless. */
static void test_refused(void **state) {
    (void)state;
    refuse("", STATUS_FORMAT, 0, "not an FM2 movie");
    refuse("NES\x1A", STATUS_FORMAT, 1, "not an FM2 movie");
    refuse("version 2\n", STATUS_UNSUPPORTED, 1, "version 3");
    refuse("version 3\nbinary 1\n|\1\2", STATUS_UNSUPPORTED, 2, "binary FM2");
    refuse("version 3\nsavestate 0x00\n", STATUS_UNSUPPORTED, 2, "save state");
    refuse("version 3\nsaveram 0x00\n", STATUS_UNSUPPORTED, 2, "battery");
    refuse("version 3\npalFlag 1\n", STATUS_UNSUPPORTED, 2, "PAL");
    refuse("version 3\nfourscore 1\n", STATUS_UNSUPPORTED, 2, "Four Score");
    refuse("version 3\nFDS 1\n", STATUS_UNSUPPORTED, 2, "Disk System");
    refuse("version 3\nport0 2\n", STATUS_UNSUPPORTED, 2, "another device");
    refuse("version 3\nport2 1\n", STATUS_UNSUPPORTED, 2, "expansion");
    refuse("version 3\nmicrophone 1\n", STATUS_UNSUPPORTED, 2, "microphone");
    refuse("version 3\nRAMInitOption 3\n", STATUS_UNSUPPORTED, 2, "RAM pattern other");
    refuse("version 3\nromChecksum base64:AAAA\n", STATUS_FORMAT, 2, "romChecksum");
    refuse("version 3\nlength many\n", STATUS_FORMAT, 2, "length");
    refuse(HEADER "|0|........|........\n", STATUS_FORMAT, 6, "four fields");
    refuse(HEADER "|0|.......|........||\n", STATUS_FORMAT, 6, "eight columns");
    refuse(HEADER "|x|........|........||\n", STATUS_FORMAT, 6, "command");
    refuse(HEADER "|4|........|........||\n", STATUS_UNSUPPORTED, 6, "disks");
    refuse(HEADER "|0|........|........||\ncomment x\n", STATUS_FORMAT, 7, "starts with |");
}

/* Broken: a movie runs on another ROM without an error. */
static void test_checksum(void **state) {
    (void)state;
    uint8_t prg[] = "ab", chr[] = "c";
    struct cartridge c = {.name = "game.nes", .prg = prg, .prg_size = 2, .chr = chr, .chr_size = 1};
    struct error e = {0};
    struct movie m = accept(HEADER "romChecksum base64:kAFQmDzST7DWlj99KOF/cg==\n");
    assert_int_equal(movie_matches(&m, &c, &e), STATUS_OK);
    movie_free(&m);
    m = accept(HEADER "romChecksum 0x900150983cd24fb0d6963F7d28e17f72\n");
    assert_int_equal(movie_matches(&m, &c, &e), STATUS_OK);
    c.chr_is_ram = true; /* its content is ignored */
    assert_int_equal(movie_matches(&m, &c, &e), STATUS_ARGUMENT);
    assert_non_null(strstr(e.text, "900150983cd24fb0d6963f7d28e17f72"));
    assert_non_null(strstr(e.text, "187ef4436122d1cc2f40dc2b92f0eba0"));
    c.chr_is_ram = false;
    movie_free(&m);
    m = accept(HEADER);
    assert_int_equal(movie_matches(&m, &c, &e), STATUS_OK);
    movie_free(&m);
}

/* Broken: other emulators play our movies differently. */
static void test_written_reads_back(void **state) {
    (void)state;
    struct movie m = {.rom_filename = "game", .has_checksum = true, .line_count = 300};
    m.lines = calloc(m.line_count, sizeof *m.lines);
    assert_non_null(m.lines);
    for (unsigned i = 0; i < 16; i++)
        m.checksum[i] = (uint8_t)splitmix64(1, i);
    for (unsigned i = 0; i < 300; i++)
        m.lines[i] = (struct movie_line){(uint8_t)(i % 3), {(uint8_t)i, (uint8_t)(i * 5)}};
    char path[] = "/tmp/hotgraph-movie-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct error e = {0};
    assert_int_equal(movie_write(&m, path, &e), STATUS_OK);
    struct movie back;
    assert_int_equal(movie_load(&back, path, &e), STATUS_OK);
    unlink(path);
    assert_int_equal(back.line_count, m.line_count);
    assert_memory_equal(back.lines, m.lines, m.line_count * sizeof *m.lines);
    assert_string_equal(back.rom_filename, "game");
    assert_true(back.has_checksum);
    assert_memory_equal(back.checksum, m.checksum, 16);
    assert_int_equal(strlen(back.sha1), 40);
    movie_free(&m);
    movie_free(&back);
}

/* Broken: a movie with a reset on every other line takes hours to find its resets: a search from
 * the start would pass up to 400,000 of them each time. */
static void test_many_resets(void **state) {
    (void)state;
    enum { LINES = 400000 };
    struct movie m = {.line_count = LINES, .reset_count = LINES / 2};
    m.lines = calloc(LINES, sizeof *m.lines);
    m.resets = calloc(LINES / 2, sizeof *m.resets);
    assert_non_null(m.lines);
    assert_non_null(m.resets);
    for (size_t i = 0; i < LINES / 2; i++) {
        m.resets[i] = 2 * i + 1;
        m.lines[2 * i + 1].command = i % 3 ? MOVIE_SOFT_RESET : MOVIE_HARD_RESET;
        m.lines[2 * i].pads[0] = (uint8_t)i;
    }
    assert_int_equal(movie_frames(&m), LINES / 2);
    for (size_t i = 0; i + 1 < LINES / 2; i++) {
        const struct movie_line line = movie_line_at(&m, i);
        assert_int_equal(line.command, i % 3 ? MOVIE_SOFT_RESET : MOVIE_HARD_RESET);
        assert_int_equal(line.pads[0], (uint8_t)(i + 1));
        assert_true(movie_resets_after(&m, i));
    }
    movie_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_button),
        cmocka_unit_test(test_resets_take_no_frame),
        cmocka_unit_test(test_many_resets),
        cmocka_unit_test(test_frame_reads_next_line),
        cmocka_unit_test(test_empty_port),
        cmocka_unit_test(test_usual_lines_are_read_like_all_others),
        cmocka_unit_test(test_length),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_checksum),
        cmocka_unit_test(test_written_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
