/*
 * Cartridge files. If these fail, a wrong or damaged ROM runs as a game, or a good one is refused,
 * without a helpful message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "nes/board/board.h"
#include "nes/nes.h"

enum { HEADER = 16, KIB = 1024 };

/* A ROM image of 1 << 17 bytes that tests cut and change; the header says 32 KiB PRG, 8 KiB CHR. */
struct image {
    uint8_t at[1 << 17];
    size_t len;
};

static struct image *image_new(void) {
    static struct image image;
    memset(&image, 0, sizeof image);
    memcpy(image.at, "NES\x1A\x02\x01", 6);
    for (size_t i = 0; i < 40 * KIB; i++)
        image.at[HEADER + i] = (uint8_t)(i * 7 + (i >> 8));
    image.len = HEADER + 40 * KIB;
    return &image;
}

/* Parses; on success the caller frees. */
static struct cartridge *accept(const struct image *image) {
    struct cartridge *c = NULL;
    struct error e = {0};
    if (cartridge_parse(&c, image->at, image->len, "dir/game.nes", &e) != STATUS_OK)
        fail_msg("refused: %s", e.text);
    return c;
}

/* Expects a refusal whose message names the file and has `part` in it. */
static void refuse(const struct image *image, enum status status, const char *part) {
    struct cartridge *c = (struct cartridge *)&c;
    struct error e = {0};
    assert_int_equal(cartridge_parse(&c, image->at, image->len, "dir/game.nes", &e), status);
    assert_null(c);
    assert_int_equal(e.status, status);
    if (strncmp(e.text, "dir/game.nes: ", 14) != 0 || strstr(e.text, part) == NULL)
        fail_msg("message \"%s\" does not name the file and \"%s\"", e.text, part);
}

/* Broken: the guest runs other bytes than the file's, or has a wrong identity. */
static void test_ines(void **state) {
    (void)state;
    struct image *image = image_new();
    image->at[6] = 1;
    struct cartridge *c = accept(image);
    assert_string_equal(c->name, "game.nes");
    assert_int_equal(c->mapper, 0);
    assert_false(c->nes2);
    assert_int_equal(c->prg_size, 32 * KIB);
    assert_int_equal(c->chr_size, 8 * KIB);
    assert_int_equal(c->prg_ram_size, 8 * KIB);
    assert_false(c->chr_is_ram);
    assert_int_equal(c->mirroring, MIRROR_VERTICAL);
    assert_memory_equal(c->prg, image->at + HEADER, 32 * KIB);
    assert_memory_equal(c->chr, image->at + HEADER + 32 * KIB, 8 * KIB);
    char sha1[41];
    uint8_t md5[16], md5_of_cartridge[16];
    sha1_hex(image->at + HEADER, 40 * KIB, sha1);
    md5_bytes(image->at + HEADER, 40 * KIB, "", 0, md5);
    assert_string_equal(c->sha1, sha1);
    cartridge_md5(c, md5_of_cartridge);
    assert_memory_equal(md5_of_cartridge, md5, 16);
    cartridge_free(c);
}

/* Broken: the same game with another header, or with a title after CHR, counts as another one. */
static void test_identity_leaves_out_header_and_tail(void **state) {
    (void)state;
    struct image *image = image_new();
    struct cartridge *plain = accept(image);
    image->at[6] = 1;
    memcpy(image->at + 7, "\x08\0\0\x07\0\0\0\0\0", 9); /* NES 2.0 */
    image->len += 128;
    struct cartridge *other = accept(image);
    assert_true(other->nes2);
    assert_string_equal(plain->sha1, other->sha1);
    cartridge_free(plain);
    cartridge_free(other);
}

/* Broken: dumps that old tools signed in the header are taken for exotic boards. */
static void test_signed_header(void **state) {
    (void)state;
    struct image *image = image_new();
    memcpy(image->at + 7, "DiskDude!", 9);
    struct cartridge *c = accept(image);
    assert_int_equal(c->mapper, 0);
    assert_int_equal(c->prg_ram_size, 8 * KIB);
    cartridge_free(c);
    /* The signature's first letter could be the upper half of a mapper number; the last four bytes
     * decide. */
    for (unsigned last = 12; last < HEADER; last++) {
        memset(image->at + 7, 0, 9);
        image->at[7] = 'P';
        image->at[last] = 'x';
        c = accept(image);
        assert_int_equal(c->mapper, 0);
        cartridge_free(c);
    }
}

/* Broken: games that write to CHR RAM have none, or a ROM instead. */
static void test_chr_ram(void **state) {
    (void)state;
    struct image *image = image_new();
    image->at[5] = 0;
    image->len = HEADER + 32 * KIB;
    struct cartridge *c = accept(image);
    assert_true(c->chr_is_ram);
    assert_int_equal(c->chr_size, 8 * KIB);
    for (size_t i = 0; i < c->chr_size; i++)
        assert_int_equal(c->chr[i], 0);
    cartridge_free(c);
    image->at[7] = 8;
    refuse(image, STATUS_FORMAT, "neither CHR ROM nor CHR RAM");
    image->at[11] = 7;
    c = accept(image);
    assert_true(c->chr_is_ram);
    assert_int_equal(c->prg_ram_size, 0);
    cartridge_free(c);
}

/* Broken: homebrew with values in ignored bytes of its iNES header is refused, although other
 * emulators run it; or a real NES 2.0 header is ignored. */
static void test_unread_bytes(void **state) {
    (void)state;
    struct image *image = image_new();
    image->at[9] = 1; /* PAL */
    cartridge_free(accept(image));
    image->at[9] = 0;
    image->at[8] = 9; /* 72 KiB of RAM on an NROM */
    struct cartridge *c = accept(image);
    assert_int_equal(c->prg_ram_size, 8 * KIB);
    cartridge_free(c);
    image->at[7] = 8;
    image->at[8] = 0;
    image->at[10] = 8; /* 16 KiB of it in NES 2.0 */
    refuse(image, STATUS_FORMAT, "32, 8 and 16 KiB");
    image->at[10] = 0;
    image->at[12] = 2; /* for either TV system */
    c = accept(image);
    assert_int_equal(c->prg_ram_size, 0);
    cartridge_free(c);
}

/* Broken: a CHR RAM that is smaller than what the PPU sees does not repeat in it, or one is refused
 * for being larger than what the board can reach. */
static void test_other_chr_ram(void **state) {
    (void)state;
    struct image *image = image_new();
    image->at[5] = 0;
    image->at[7] = 8;
    image->at[11] = 4;
    struct cartridge *c = accept(image);
    assert_int_equal(c->chr_size, KIB);
    cartridge_free(c);
    image->at[11] = 9; /* 32 KiB on an NROM, which reaches 8 of them */
    c = accept(image);
    assert_int_equal(c->chr_size, 8 * KIB);
    cartridge_free(c);
    image->at[11] = 3;
    refuse(image, STATUS_FORMAT, "CHR RAM must be a multiple of 1 KiB");
}

/* Broken: a variant of a board that is not emulated runs as if it were the usual one, or an
 * emulated one is refused. */
static void test_submappers(void **state) {
    (void)state;
    struct image *image = image_new();
    struct error e = {0};
    image->at[6] = 0x40;
    struct cartridge *c = accept(image);
    assert_int_equal(cartridge_set_submapper(c, 4, &e), STATUS_OK);
    assert_int_equal(c->submapper, 4);
    assert_int_equal(cartridge_set_submapper(c, 1, &e), STATUS_UNSUPPORTED);
    assert_non_null(strstr(e.text, "submapper 1 of mapper 4"));
    assert_int_equal(cartridge_set_submapper(c, 16, &e), STATUS_ARGUMENT);
    assert_int_equal(c->submapper, 4);
    cartridge_free(c);
}

/* Broken: as above, for any board; of each, bit i says whether it has submapper i. */
static void test_every_submapper(void **state) {
    (void)state;
    static const struct {
        unsigned mapper, submappers;
    } boards[] = {{0, 0xFFFF}, {1, 0x21},  {2, 0x07},  {3, 0x07},  {4, 0x11},
                  {7, 0x07},   {11, 0x01}, {28, 0x01}, {30, 0x1F}, {34, 0x07},
                  {66, 0x01},  {79, 0x01}, {113, 0x01}};
    size_t known = 0;
    while (mapper_at(known) != NULL)
        known++;
    assert_int_equal(sizeof boards / sizeof *boards, known);
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++) {
        const unsigned mapper = boards[i].mapper;
        struct image *image = image_new();
        image->at[6] = (uint8_t)(mapper << 4);
        image->at[7] = (uint8_t)(mapper & 0xF0);
        struct cartridge *c = accept(image);
        for (unsigned k = 0; k < 16; k++) {
            struct error e = {0};
            const bool has = cartridge_set_submapper(c, k, &e) == STATUS_OK;
            if (has != (boards[i].submappers >> k & 1))
                fail_msg("mapper %u, submapper %u: %s", mapper, k, has ? "accepted" : e.text);
        }
        cartridge_free(c);
    }
}

/* Broken: NES 2.0 files whose sizes are written as powers are cut or refused. */
static void test_exponent_sizes(void **state) {
    (void)state;
    struct image *image = image_new();
    image->at[7] = 8;
    image->at[9] = 0xFF;
    image->at[4] = 15 << 2;            /* 2^15 * 1 = 32 KiB */
    image->at[5] = (uint8_t)(13 << 2); /* 2^13 * 1 = 8 KiB */
    struct cartridge *c = accept(image);
    assert_int_equal(c->prg_size, 32 * KIB);
    assert_int_equal(c->chr_size, 8 * KIB);
    cartridge_free(c);
    image->at[4] = 13 << 2 | 1; /* 2^13 * 3 = 24 KiB: no NROM has that */
    refuse(image, STATUS_FORMAT, "24, 8 and 0 KiB");
    image->at[4] = 63 << 2 | 3; /* 2^63 * 7: would wrap */
    refuse(image, STATUS_FORMAT, "impossible size: PRG");
    image->at[4] = 4 << 2; /* 16 bytes */
    refuse(image, STATUS_FORMAT, "impossible size: PRG");
    image->at[4] = 2;
    image->at[5] = 41 << 2 & 0xFF; /* 2^41: larger than any file */
    image->at[9] = 0xF0;
    refuse(image, STATUS_FORMAT, "impossible size: CHR");
}

/* Broken: a file that is not a ROM runs as garbage, or the message does not say what it is. */
static void test_other_files(void **state) {
    (void)state;
    struct image *image = image_new();
    memcpy(image->at, "NES\x1B", 4);
    refuse(image, STATUS_FORMAT, "not an iNES file");
    memcpy(image->at, "PK\3\4", 4);
    refuse(image, STATUS_FORMAT, "unpack it");
    memcpy(image->at, "UNIF", 4);
    refuse(image, STATUS_FORMAT, "UNIF");
    image->len = 0;
    refuse(image, STATUS_FORMAT, "not an iNES file");
}

/* Broken: a half-copied file reads past its end. */
static void test_truncated(void **state) {
    (void)state;
    struct image *image = image_new();
    image->len = 15;
    refuse(image, STATUS_FORMAT, "truncated: the header");
    image->len = HEADER + 32 * KIB - 1;
    refuse(image, STATUS_FORMAT, "of PRG, and only 32767");
    image->len = HEADER + 40 * KIB - 1;
    refuse(image, STATUS_FORMAT, "of CHR, and only 8191");
    image->at[4] = 0;
    refuse(image, STATUS_FORMAT, "there is no PRG");
}

/* Broken: a game for other hardware is measured as if it were supported. */
static void test_other_hardware(void **state) {
    (void)state;
    static const struct {
        unsigned at;
        uint8_t value, flags7;
        const char *part;
    } cases[] = {
        {6, 4, 0, "trainer"},
        {6, 0x50, 0, "mapper 5,"},
        {7, 0x40, 0, "mapper 64,"},
        {8, 0x01, 8, "mapper 256,"},
        {7, 1, 0, "Vs. System"},
        {7, 2, 0, "PlayChoice-10"},
        {7, 11, 0, "resembles"},
        {12, 1, 8, "PAL"},
        {12, 3, 8, "Dendy"},
        {14, 1, 8, "more ROMs"},
        {11, 7, 8, "both CHR ROM and CHR RAM"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct image *image = image_new();
        image->at[7] = cases[i].flags7;
        image->at[cases[i].at] = cases[i].value;
        refuse(image, STATUS_UNSUPPORTED, cases[i].part);
    }
}

/* Broken: a missing file is reported without its name or what is missing of it. */
static void test_missing_file(void **state) {
    (void)state;
    struct cartridge *c;
    struct error e = {0};
    assert_int_equal(cartridge_load(&c, "/nonexistent/game.nes", &e), STATUS_IO);
    assert_non_null(strstr(e.text, "/nonexistent/game.nes"));
    assert_non_null(
        strstr(e.text, "there is no such file: its folder /nonexistent does not exist"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ines),
        cmocka_unit_test(test_identity_leaves_out_header_and_tail),
        cmocka_unit_test(test_signed_header),
        cmocka_unit_test(test_chr_ram),
        cmocka_unit_test(test_unread_bytes),
        cmocka_unit_test(test_other_chr_ram),
        cmocka_unit_test(test_submappers),
        cmocka_unit_test(test_every_submapper),
        cmocka_unit_test(test_exponent_sizes),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_other_hardware),
        cmocka_unit_test(test_missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
