/*
 * RAM after each write to a byte. Games that compute across vertical blank are compared with other
 * emulators only there: were a write missed, or RAM taken too early, the comparison would say that
 * machines differ which do not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "play/play.h"
#include "tests/support/guest_rom.h"

enum { RAM_SIZE = 2048, BYTE = 0x42, WRITES = 14 };

/* Writes 1, 2, 3, ... to $42 by every kind of operand and of access, and other bytes between. */
static struct guest *program(void) {
    struct guest *g = guest_new();
    guest_vectors(g, 0x8100, 0x8000, 0x8100);
    /* clang-format off */
    guest_code(g, 0x8000,
               0xA2, 0xFF, 0x9A, 0xE8,       /* LDX #$FF; TXS; INX */
               0x86, 0x42,                   /* STX $42          0, not different */
               0xA9, 0x42, 0x85, 0x10,       /* LDA #$42; STA $10   ($10) = $0842 */
               0xA9, 0x08, 0x85, 0x11,       /* LDA #$08; STA $11 */
               0xA9, 0x40, 0x85, 0x12,       /* LDA #$40; STA $12   ($12) = $0040 */
               0xA9, 0x00, 0x85, 0x13,       /* LDA #0; STA $13 */
               0xE6, 0x42,                   /* INC $42          1 */
               0xE6, 0x43,                   /* INC $43          not it */
               0xA9, 0x02, 0x85, 0x42,       /* LDA #2; STA $42  2 */
               0xEE, 0x42, 0x10,             /* INC $1042        3, a mirror */
               0xA9, 0x04, 0xA2, 0x06,       /* LDA #4; LDX #6 */
               0x95, 0x3C,                   /* STA $3C,X        4 */
               0x95, 0x42,                   /* STA $42,X        $48 */
               0xA9, 0x05, 0x81, 0x0A,       /* LDA #5; STA ($0A,X)   5, a mirror */
               0xA9, 0x06, 0xA0, 0x02,       /* LDA #6; LDY #2 */
               0x91, 0x12,                   /* STA ($12),Y      6 */
               0x91, 0x10,                   /* STA ($10),Y      $0844 */
               0xFE, 0x3C, 0x00,             /* INC $003C,X      7 */
               0xA9, 0x08, 0x99, 0x40, 0x18, /* LDA #8; STA $1840,Y   8, a mirror */
               0x99, 0x42, 0x20,             /* STA $2042,Y      no RAM */
               0xA0, 0x44, 0xA2, 0x09,       /* LDY #$44; LDX #9 */
               0x96, 0xFE,                   /* STX $FE,Y        9, around the end of zero page */
               0xE7, 0x42,                   /* ISC $42          10 */
               0xF6, 0x39,                   /* INC $39,X        11 */
               0xA9, 0x0C, 0xA2, 0xFF,       /* LDA #12; LDX #$FF */
               0x95, 0x43,                   /* STA $43,X        12, around the end of zero page */
               0xA2, 0x43, 0x9A,             /* LDX #$43; TXS */
               0x48, 0x48,                   /* PHA; PHA         $0143, $0142 */
               0xA5, 0x42, 0xC6, 0x44,       /* LDA $42; DEC $44 */
               0xA9, 0x0D, 0x8D, 0x42, 0x00, /* LDA #13; STA $0042    13 */
               0x02);                        /* JAM */
    /* clang-format on */
    return g;
}

/* What is dumped for the byte at `address`; *count: how many times. */
static struct bytes dumps(bool no_fast, uint16_t address, size_t *count) {
    char path[] = "/tmp/test_checkpoints.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct guest *g = program();
    struct nes *nes = guest_machine(g, (struct nes_options){.no_fast = no_fast});
    struct file_writer *out = NULL;
    struct checkpoints c = {0};
    struct bytes all = {0};
    assert_int_equal(file_open(&out, path, NULL), STATUS_OK);
    assert_int_equal(checkpoints_begin(&c, nes, address, out, NULL), STATUS_OK);
    assert_int_equal(nes_run_frame(nes, NULL), STATUS_OK);
    assert_true(nes_jammed(nes, &(uint32_t){0}, &(uint64_t){0}));
    checkpoints_end(&c);
    assert_int_equal(file_commit(out, NULL), STATUS_OK);
    assert_int_equal(file_read(&all, path, 1 << 20, NULL), STATUS_OK);
    unlink(path);
    nes_free(nes);
    free(g);
    assert_int_equal(all.len % RAM_SIZE, 0);
    *count = all.len / RAM_SIZE;
    return all;
}

static void every_write_counts(void **state) {
    (void)state;
    for (int no_fast = 0; no_fast < 2; no_fast++) {
        size_t count;
        struct bytes all = dumps(no_fast, BYTE, &count);
        assert_int_equal(count, WRITES);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(all.at[i * RAM_SIZE + BYTE], i);
        bytes_free(&all);
    }
}

/* RAM is as the instruction left it: of what is written around checkpoint 1 ($43) and 5 to 6 ($48),
 * each dump has exactly what came before it. Power-on RAM has 0 at $42, $43 and $48. */
static void the_moment_is_behind_the_write(void **state) {
    (void)state;
    size_t count;
    struct bytes all = dumps(false, BYTE, &count);
    assert_int_equal(count, WRITES);
    assert_int_equal(all.at[1 * RAM_SIZE + 0x43], 0);
    assert_int_equal(all.at[2 * RAM_SIZE + 0x43], 1);
    assert_int_equal(all.at[4 * RAM_SIZE + 0x48], 0);
    assert_int_equal(all.at[5 * RAM_SIZE + 0x48], 4);
    bytes_free(&all);
}

static void other_bytes_do_not_count(void **state) {
    (void)state;
    const struct {
        uint16_t address;
        size_t writes;
    } others[] = {{0x43, 1}, {0x44, 2}, {0x48, 1}, {0x45, 0}, {0x142, 0}, {0x143, 0}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t count;
        struct bytes all = dumps(false, others[i].address, &count);
        assert_int_equal(count, others[i].writes);
        bytes_free(&all);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_write_counts),
        cmocka_unit_test(the_moment_is_behind_the_write),
        cmocka_unit_test(other_bytes_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
