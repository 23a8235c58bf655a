/*
 * Each mapper on artificial cartridges, whose banks contain their number. If one of these failed,
 * games on that board would run wrong code or show wrong pictures, and their measurements would be
 * void.
 */
#include "nes/board/board.h"
#include "tests/support/guest_rom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { KIB = 1024 };

struct slot {
    struct cartridge cart;
    struct board board;
    uint64_t cycle;
};

/* All of PRG is $FF, so that bus conflicts have no effect. */
static void slot_fill(struct slot *s, struct cartridge cart) {
    *s = (struct slot){.cart = cart, .cycle = 1};
    strcpy(s->cart.name, "slot.nes");
    if (s->cart.chr_size == 0) {
        s->cart.chr_size = 8 * KIB;
        s->cart.chr_is_ram = true;
    }
    s->cart.prg = malloc(s->cart.prg_size);
    s->cart.chr = calloc(1, s->cart.chr_size);
    assert_non_null(s->cart.prg);
    assert_non_null(s->cart.chr);
    memset(s->cart.prg, 0xFF, s->cart.prg_size);
    assert_int_equal(board_init(&s->board, &s->cart, NULL), STATUS_OK);
}

static void slot_empty(struct slot *s) {
    board_free(&s->board);
    free(s->cart.prg);
    free(s->cart.chr);
}

static void write(struct slot *s, uint16_t address, uint8_t value) {
    board_write(&s->board, address, value, s->cycle);
    s->cycle += 10;
}

static void expect_prg(const struct slot *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const uint32_t expected[4] = {a, b, c, d};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(s->board.prg_bank[i], expected[i]);
        assert_ptr_equal(s->board.prg[i], s->cart.prg + expected[i] * 8 * KIB);
    }
}

/* Numbers of the 1 KiB pages. */
static void expect_chr(const struct slot *s, const uint32_t expected[8]) {
    const uint8_t *chr = s->board.chr_ram ? s->board.chr_ram : s->cart.chr;
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal((s->board.chr[i] - chr) / KIB, expected[i]);
}
#define CHR(...) ((const uint32_t[8]){__VA_ARGS__})
#define CHR8(n)  CHR((n), (n) + 1, (n) + 2, (n) + 3, (n) + 4, (n) + 5, (n) + 6, (n) + 7)

static void expect_pages(const struct slot *s, unsigned a, unsigned b, unsigned c, unsigned d) {
    const unsigned expected[4] = {a, b, c, d};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal((s->board.nt[i] - s->board.state.vram) / KIB, expected[i]);
}

/* ---- 1 ---- */

static void mmc1_set(struct slot *s, uint16_t address, uint8_t value) {
    for (unsigned i = 0; i < 5; i++)
        write(s, address, value >> i & 1);
}

static void mmc1_banks(void **state) {
    (void)state;
    struct slot s;
    slot_fill(&s, (struct cartridge){.mapper = 1, .prg_size = 128 * KIB, .chr_size = 32 * KIB});
    expect_prg(&s, 0, 1, 14, 15);
    mmc1_set(&s, 0xE000, 3);
    expect_prg(&s, 6, 7, 14, 15);
    mmc1_set(&s, 0x8000, 2 << 2 | 2);
    expect_prg(&s, 0, 1, 6, 7);
    expect_pages(&s, 0, 1, 0, 1);
    mmc1_set(&s, 0x8000, 3);
    expect_prg(&s, 4, 5, 6, 7); /* 32 KiB: the lowest bit does not count */
    expect_pages(&s, 0, 0, 1, 1);
    mmc1_set(&s, 0xA000, 3);
    expect_chr(&s, CHR8(8));
    mmc1_set(&s, 0x8000, 0x10);
    mmc1_set(&s, 0xC000, 7);
    expect_chr(&s, CHR(12, 13, 14, 15, 28, 29, 30, 31));
    expect_pages(&s, 0, 0, 0, 0);
    mmc1_set(&s, 0x8000, 0x11);
    expect_pages(&s, 1, 1, 1, 1);
    write(&s, 0x8000, 0x80); /* back to the last bank fixed */
    expect_prg(&s, 6, 7, 14, 15);
    slot_empty(&s);
}

/* INC and similar instructions write twice in a row: the chip only shifts in the first bit. */
static void mmc1_ignores_consecutive_writes(void **state) {
    (void)state;
    struct slot s;
    slot_fill(&s, (struct cartridge){.mapper = 1, .prg_size = 128 * KIB});
    for (unsigned i = 0; i < 5; i++, s.cycle += 7) {
        board_write(&s.board, 0xE000, 5 >> i & 1, s.cycle);
        board_write(&s.board, 0xE000, 1, s.cycle + 1);
        board_write(&s.board, 0xE000, 0, s.cycle + 2); /* nor a third one in a row */
    }
    expect_prg(&s, 10, 11, 14, 15);
    for (unsigned i = 0; i < 5; i++, s.cycle += 2)
        board_write(&s.board, 0xE000, 2 >> i & 1, s.cycle + 10); /* a cycle between: seen */
    expect_prg(&s, 4, 5, 14, 15);
    slot_empty(&s);
}

/* DEC on a byte of 0 writes 0, then $FF: the reset that games make so must not be lost, or their
 * next five writes end in the wrong place. */
static void mmc1_resets_with_the_second_write(void **state) {
    (void)state;
    struct slot s;
    slot_fill(&s, (struct cartridge){.mapper = 1, .prg_size = 128 * KIB});
    mmc1_set(&s, 0x8000, 0); /* 32 KiB banks */
    write(&s, 0xE000, 1);    /* and one bit too many */
    board_write(&s.board, 0xE000, 0, s.cycle);
    board_write(&s.board, 0xE000, 0xFF, s.cycle + 1);
    s.cycle += 10;
    expect_prg(&s, 0, 1, 14, 15);
    mmc1_set(&s, 0xE000, 5);
    expect_prg(&s, 10, 11, 14, 15);
    slot_empty(&s);
}

static void mmc1_large_boards(void **state) {
    (void)state;
    struct slot s;
    slot_fill(&s, (struct cartridge){.mapper = 1, .prg_size = 512 * KIB, .prg_ram_size = 32 * KIB});
    expect_prg(&s, 0, 1, 30, 31);
    mmc1_set(&s, 0xA000, 0x10 | 2 << 2);
    expect_prg(&s, 32, 33, 62, 63);
    assert_ptr_equal(s.board.ram, s.board.prg_ram + 2 * 8 * KIB);
    mmc1_set(&s, 0xE000, 0x10); /* PRG-RAM off */
    assert_null(s.board.ram);
    write(&s, 0x6000, 1); /* has no effect on RAM or the shift register */
    mmc1_set(&s, 0xE000, 0x01);
    expect_prg(&s, 34, 35, 62, 63);
    assert_int_equal(s.board.ram[0], 0);
    slot_empty(&s);
    slot_fill(&s, (struct cartridge){.mapper = 1, .submapper = 5, .prg_size = 32 * KIB});
    mmc1_set(&s, 0xE000, 1);
    expect_prg(&s, 0, 1, 2, 3); /* SEROM's PRG has no lines to switch */
    slot_empty(&s);
    slot_fill(&s, (struct cartridge){.mapper = 1, .prg_size = 80 * KIB});
    expect_prg(&s, 0, 1, 8, 9); /* the last bank, also where their number is no power of two */
    slot_empty(&s);
}

/* ---- boards of one register ---- */

static void uxrom_banks_and_conflicts(void **state) {
    (void)state;
    for (unsigned submapper = 0; submapper <= 2; submapper++) {
        struct slot s;
        slot_fill(&s,
                  (struct cartridge){.mapper = 2, .submapper = submapper, .prg_size = 128 * KIB});
        expect_prg(&s, 0, 1, 14, 15);
        write(&s, 0x9234, 5);
        expect_prg(&s, 10, 11, 14, 15);
        s.cart.prg[7 * 16 * KIB + 0x1234] = 0x04;
        write(&s, 0xD234, 0x06);
        const uint32_t bank = submapper == 2 ? 4 : 6;
        expect_prg(&s, bank * 2, bank * 2 + 1, 14, 15);
        write(&s, 0x5000, 1); /* not the board's addresses */
        write(&s, 0x6000, 1);
        expect_prg(&s, bank * 2, bank * 2 + 1, 14, 15);
        slot_empty(&s);
    }
}

static void cnrom_switches_chr_alone(void **state) {
    (void)state;
    for (unsigned submapper = 0; submapper <= 2; submapper++) {
        struct slot s;
        slot_fill(&s, (struct cartridge){.mapper = 3,
                                         .submapper = submapper,
                                         .prg_size = 32 * KIB,
                                         .chr_size = 32 * KIB});
        s.cart.prg[0x7000] = 0x02;
        write(&s, 0xF000, 3);
        expect_chr(&s, CHR8(submapper == 1 ? 24 : 16));
        expect_prg(&s, 0, 1, 2, 3);
        assert_false(s.board.banked);
        slot_empty(&s);
    }
}

static void axrom_switches_its_page(void **state) {
    (void)state;
    for (unsigned submapper = 0; submapper <= 2; submapper++) {
        struct slot s;
        slot_fill(&s,
                  (struct cartridge){.mapper = 7, .submapper = submapper, .prg_size = 256 * KIB});
        expect_prg(&s, 0, 1, 2, 3);
        expect_pages(&s, 0, 0, 0, 0);
        write(&s, 0x8000, 0x13);
        expect_prg(&s, 12, 13, 14, 15);
        expect_pages(&s, 1, 1, 1, 1);
        s.cart.prg[3 * 32 * KIB] = 0x05;
        write(&s, 0x8000, 0x07);
        const uint32_t first = submapper == 2 ? 20 : 28;
        expect_prg(&s, first, first + 1, first + 2, first + 3);
        slot_empty(&s);
    }
}

static void color_dreams_and_gxrom(void **state) {
    (void)state;
    struct slot s;
    slot_fill(&s, (struct cartridge){.mapper = 11, .prg_size = 128 * KIB, .chr_size = 128 * KIB});
    write(&s, 0x8000, 0x92);
    expect_prg(&s, 8, 9, 10, 11);
    expect_chr(&s, CHR8(72));
    s.cart.prg[2 * 32 * KIB + 5] = 0xF1;
    write(&s, 0x8005, 0x33);
    expect_prg(&s, 4, 5, 6, 7);
    expect_chr(&s, CHR8(24));
    slot_empty(&s);
    slot_fill(&s, (struct cartridge){.mapper = 66, .prg_size = 128 * KIB, .chr_size = 32 * KIB});
    write(&s, 0xFFFF, 0xEF); /* two bits each */
    expect_prg(&s, 8, 9, 10, 11);
    expect_chr(&s, CHR8(24));
    s.cart.prg[2 * 32 * KIB + 5] = 0x11;
    write(&s, 0x8005, 0x33);
    expect_prg(&s, 4, 5, 6, 7);
    expect_chr(&s, CHR8(8));
    slot_empty(&s);
}

/* The register answers in every other page of $4000-$5FFF, and nowhere else. */
static void ntd8_and_nina_have_a_register_below_ram(void **state) {
    (void)state;
    struct slot s;
    slot_fill(&s, (struct cartridge){.mapper = 113, .prg_size = 256 * KIB, .chr_size = 128 * KIB});
    memset(s.cart.prg, 0, s.cart.prg_size); /* nothing drives against a write */
    expect_prg(&s, 0, 1, 2, 3);
    expect_chr(&s, CHR8(0));
    expect_pages(&s, 0, 0, 1, 1);
    write(&s, 0x4100, 0xEA); /* vertical, CHR bank 8 + 2, PRG bank 5 */
    expect_prg(&s, 20, 21, 22, 23);
    expect_chr(&s, CHR8(80));
    expect_pages(&s, 0, 1, 0, 1);
    static const uint16_t deaf[] = {0x4020, 0x4200, 0x5EFF, 0x6100, 0x7100, 0x8100, 0xC100, 0xE100};
    for (size_t i = 0; i < sizeof deaf / sizeof *deaf; i++)
        write(&s, deaf[i], 0);
    expect_prg(&s, 20, 21, 22, 23);
    write(&s, 0x5FFF, 0x09);
    expect_prg(&s, 4, 5, 6, 7);
    expect_chr(&s, CHR8(8));
    expect_pages(&s, 0, 0, 1, 1);
    slot_empty(&s);
    slot_fill(&s, (struct cartridge){.mapper = 79,
                                     .prg_size = 64 * KIB,
                                     .chr_size = 64 * KIB,
                                     .mirroring = MIRROR_VERTICAL});
    write(&s, 0x43FF, 0x7E); /* four bits of it */
    expect_prg(&s, 4, 5, 6, 7);
    expect_chr(&s, CHR8(48));
    expect_pages(&s, 0, 1, 0, 1); /* soldered */
    slot_empty(&s);
}

static void mapper_34_is_two_boards(void **state) {
    (void)state;
    struct slot s;
    slot_fill(&s, (struct cartridge){.mapper = 34, .prg_size = 128 * KIB, .prg_ram_size = 8 * KIB});
    write(&s, 0x7FFD, 1); /* not NINA-001: plain RAM */
    expect_prg(&s, 0, 1, 2, 3);
    s.cart.prg[0] = 0x01;
    write(&s, 0x8000, 3);
    expect_prg(&s, 12, 13, 14, 15);
    expect_chr(&s, CHR8(0));
    slot_empty(&s);
    slot_fill(&s, (struct cartridge){.mapper = 34, .submapper = 2, .prg_size = 128 * KIB});
    s.cart.prg[0] = 0x01;
    write(&s, 0x8000, 3);
    expect_prg(&s, 4, 5, 6, 7);
    slot_empty(&s);
    slot_fill(
        &s, (struct cartridge){
                .mapper = 34, .prg_size = 64 * KIB, .chr_size = 64 * KIB, .prg_ram_size = 8 * KIB});
    expect_chr(&s, CHR8(0));
    write(&s, 0x7FFD, 1);
    write(&s, 0x7FFE, 5);
    write(&s, 0x7FFF, 2);
    write(&s, 0x8000, 0); /* not BNROM */
    expect_prg(&s, 4, 5, 6, 7);
    expect_chr(&s, CHR(20, 21, 22, 23, 8, 9, 10, 11));
    assert_int_equal(s.board.ram[0x1FFE], 5); /* the RAM under the registers keeps it too */
    slot_empty(&s);
}

/* ---- 4 ---- */

static void mmc3_set(struct slot *s, uint8_t select, uint8_t bank) {
    write(s, 0x8000, select);
    write(s, 0x8001, bank);
}

static void mmc3_banks(void **state) {
    (void)state;
    struct slot s;
    slot_fill(&s, (struct cartridge){.mapper = 4,
                                     .prg_size = 128 * KIB,
                                     .chr_size = 128 * KIB,
                                     .prg_ram_size = 8 * KIB});
    for (unsigned i = 0; i < 8; i++)
        mmc3_set(&s, (uint8_t)i, (uint8_t)(3 + i * 5)); /* R0 .. R7: 3, 8, 13, ... 38 */
    expect_prg(&s, 33 % 16, 38 % 16, 14, 15);
    expect_chr(&s, CHR(2, 3, 8, 9, 13, 18, 23, 28));
    write(&s, 0x8000, 0xC0);
    expect_prg(&s, 14, 38 % 16, 33 % 16, 15);
    expect_chr(&s, CHR(13, 18, 23, 28, 2, 3, 8, 9));
    write(&s, 0xA000, 0);
    expect_pages(&s, 0, 1, 0, 1);
    write(&s, 0xBFFE, 1);
    expect_pages(&s, 0, 0, 1, 1);
    write(&s, 0x6001, 7);
    write(&s, 0xA001, 0xC0); /* read-only */
    write(&s, 0x6001, 8);
    assert_int_equal(s.board.ram[1], 7);
    write(&s, 0xA001, 0x00);
    assert_null(s.board.ram);
    slot_empty(&s);
    slot_fill(
        &s, (struct cartridge){
                .mapper = 4, .prg_size = 32 * KIB, .chr_size = 8 * KIB, .mirroring = MIRROR_FOUR});
    write(&s, 0xA000, 1);
    expect_pages(&s, 0, 1, 2, 3);
    slot_empty(&s);
}

/* A12 low for `low` dots, then high. */
static void a12_pulse(struct slot *s, uint64_t *dot, unsigned low) {
    board_a12(&s->board, false, *dot);
    *dot += low;
    board_a12(&s->board, true, *dot);
    *dot += 4;
}

/* Number of pulses until the IRQ, which must be predicted right before each pulse. */
static unsigned pulses_to_irq(struct slot *s, uint64_t *dot) {
    const struct mapper_ops *ops = s->board.ops;
    for (unsigned n = 1; n < 1000; n++) {
        const unsigned foreseen = ops->irq_rises(&s->board);
        a12_pulse(s, dot, 30);
        if (ops->irq(&s->board))
            return assert_int_equal(foreseen, 1), n;
    }
    return 0;
}

static void mmc3_counts_rises(void **state) {
    (void)state;
    struct slot s;
    uint64_t dot = 100;
    slot_fill(&s, (struct cartridge){.mapper = 4, .prg_size = 32 * KIB, .chr_size = 8 * KIB});
    const struct mapper_ops *ops = s.board.ops;
    write(&s, 0xC000, 5);
    write(&s, 0xC001, 0);
    write(&s, 0xE001, 0);
    assert_int_equal(ops->irq_rises(&s.board), 6); /* one to reload, five to count */
    assert_int_equal(pulses_to_irq(&s, &dot), 6);
    write(&s, 0xE000, 0);
    assert_false(ops->irq(&s.board));
    assert_int_equal(ops->irq_rises(&s.board), 0);
    write(&s, 0xE001, 0);
    assert_int_equal(pulses_to_irq(&s, &dot), 6);
    /* Low at two falls of the clock is not enough, at three it is, at any alignment. */
    write(&s, 0xE000, 0);
    write(&s, 0xE001, 0);
    for (unsigned i = 0; i < 12; i++) {
        const unsigned before = ops->irq_rises(&s.board);
        dot += i;
        a12_pulse(&s, &dot, 6);
        assert_int_equal(ops->irq_rises(&s.board), before);
    }
    for (unsigned i = 0; i < 3; i++) {
        const unsigned before = ops->irq_rises(&s.board);
        dot += i;
        a12_pulse(&s, &dot, 9);
        assert_int_equal(ops->irq_rises(&s.board), before - 1);
    }
    slot_empty(&s);
}

/* The revision that the header names, and the later one where it names none. */
static void mmc3_revisions_differ_in_latch_0(void **state) {
    (void)state;
    for (unsigned submapper = 0; submapper <= 4; submapper += 4) {
        struct slot s;
        uint64_t dot = 100;
        slot_fill(&s, (struct cartridge){.mapper = 4,
                                         .submapper = submapper,
                                         .prg_size = 32 * KIB,
                                         .chr_size = 8 * KIB});
        write(&s, 0xC000, 0);
        write(&s, 0xC001, 0);
        write(&s, 0xE001, 0);
        assert_int_equal(pulses_to_irq(&s, &dot), 1);
        write(&s, 0xE000, 0);
        write(&s, 0xE001, 0);
        assert_int_equal(pulses_to_irq(&s, &dot), submapper == 4 ? 0 : 1);
        slot_empty(&s);
    }
}

/* A write to $C001 asks for a reload and clears the counter. States come from files: if one has the
 * request together with another counter, the next rise reloads it, too, and the IRQ is predicted
 * accordingly. */
static void mmc3_reloads_when_asked(void **state) {
    (void)state;
    struct slot s;
    uint64_t dot = 100;
    slot_fill(&s, (struct cartridge){.mapper = 4, .prg_size = 32 * KIB, .chr_size = 8 * KIB});
    uint8_t *regs = s.board.state.regs, before[sizeof s.board.state.regs];
    write(&s, 0xC000, 5);
    write(&s, 0xE001, 0);
    for (unsigned i = 0; i < 4; i++) /* reloads, and counts to 2 */
        a12_pulse(&s, &dot, 30);
    memcpy(before, regs, sizeof before);
    write(&s, 0xC001, 0);
    unsigned changed = 0;
    for (size_t i = 0; i < sizeof before; i++) {
        if (before[i] == 2 && regs[i] == 0) { /* the counter */
            regs[i] = 2;
            changed++;
        }
    }
    assert_int_equal(changed, 1);
    assert_int_equal(s.board.ops->irq_rises(&s.board), 6);
    assert_int_equal(pulses_to_irq(&s, &dot), 6);
    slot_empty(&s);
}

/* ---- 28 ---- */

static void action53_set(struct slot *s, uint8_t reg, uint8_t value) {
    write(s, 0x5000, reg);
    write(s, 0x8000, value);
}

static void action53_is_like_other_boards(void **state) {
    (void)state;
    struct slot s;
    slot_fill(&s,
              (struct cartridge){
                  .mapper = 28, .prg_size = 512 * KIB, .chr_size = 32 * KIB, .chr_is_ram = true});
    expect_prg(&s, 60, 61, 62, 63);
    action53_set(&s, 0x81, 4);
    expect_prg(&s, 16, 17, 18, 19);
    action53_set(&s, 0x80, 0x20); /* AxROM of 128 KiB in banks 4 to 7 */
    action53_set(&s, 0x01, 0x12);
    expect_prg(&s, 24, 25, 26, 27);
    expect_pages(&s, 1, 1, 1, 1);
    action53_set(&s, 0x81, 0x07);
    action53_set(&s, 0x80, 0x20 | 3 << 2 | 2); /* UNROM of 128 KiB: the last bank fixed */
    expect_prg(&s, 20, 21, 30, 31);
    expect_pages(&s, 0, 1, 0, 1);
    action53_set(&s, 0x01, 0x15); /* with vertical mirroring bit 4 has no effect */
    expect_prg(&s, 26, 27, 30, 31);
    expect_pages(&s, 0, 1, 0, 1);
    action53_set(&s, 0x80, 0x20 | 2 << 2 | 3); /* the other way round */
    expect_prg(&s, 28, 29, 26, 27);
    expect_pages(&s, 0, 0, 1, 1);
    action53_set(&s, 0x00, 0x03);
    expect_chr(&s, CHR8(24));
    s.cart.prg[0] = 0;
    action53_set(&s, 0x00, 0x01); /* PRG is off while the processor writes: no conflict */
    expect_chr(&s, CHR8(8));
    slot_empty(&s);
}

/* ---- saved states ---- */

/* Copied to $0200 in RAM, where no bank can go missing: with rendering on, writes of pseudo-random
 * values to pseudo-random addresses of the cartridge, and INCs, which write twice. */
static const uint8_t soak[] = {
    0x78,                         /* 0200 SEI */
    0xA9, 0x18, 0x8D, 0x01, 0x20, /* 0201 LDA #$18, STA $2001 */
    0xA9, 0x08, 0x8D, 0x00, 0x20, /* 0206 LDA #$08, STA $2000: sprites at $1000 */
    0xA5, 0x04, 0x0A, 0x90, 0x02, /* 020B LDA $04, ASL A, BCC +2 */
    0x49, 0x1D, 0x85, 0x04,       /* 0210 EOR #$1D, STA $04 */
    0xE6, 0x01, 0x45, 0x01,       /* 0214 INC $01, EOR $01 */
    0x8D, 0x23, 0x02,             /* 0218 STA $0223 */
    0x09, 0x50, 0x8D, 0x24, 0x02, /* 021B ORA #$50, STA $0224: $5x, $7x, $Dx or $Fx */
    0xA5, 0x01, 0x8D, 0x00, 0xF0, /* 0220 LDA $01, STA there */
    0xA5, 0x04, 0x45, 0x02,       /* 0225 LDA $04, EOR $02 */
    0xC6, 0x02, 0x09, 0x80,       /* 0229 DEC $02, ORA #$80 */
    0x8D, 0x34, 0x02,             /* 022D STA $0234: $8x to $Fx */
    0xA5, 0x04, 0xEE, 0x00, 0xF0, /* 0230 LDA $04, INC there */
    0x8D, 0xFD, 0x7F,             /* 0235 STA $7FFD: NINA-001's PRG */
    0x4C, 0x0B, 0x02,             /* 0238 JMP $020B */
};
static const uint8_t copy[] = {
    0xA2, sizeof soak,             /* LDX # */
    0xBD, 0x3F,        0xFF,       /* LDA $FF3F,X */
    0x9D, 0xFF,        0x01, 0xCA, /* STA $01FF,X; DEX */
    0xD0, 0xF7,                    /* BNE back */
    0x4C, 0x00,        0x02,       /* JMP $0200 */
};

/* Every 8 KiB bank can start the program; the rest is noise, for bus conflicts. */
static void fill_soak(uint8_t *prg, size_t size) {
    for (size_t i = 0; i < size; i++)
        prg[i] = (uint8_t)splitmix64(5, i);
    for (size_t bank = 0; bank < size; bank += 8 * KIB) {
        memcpy(prg + bank + 0x1F00, copy, sizeof copy);
        memcpy(prg + bank + 0x1F40, soak, sizeof soak);
        memcpy(prg + bank + 0x1FFA, (const uint8_t[6]){0x00, 0xFF, 0x00, 0xFF, 0x00, 0xFF}, 6);
    }
}

static void run_frames(struct nes *nes, unsigned frames) {
    while (frames-- > 0)
        assert_int_equal(nes_run_frame(nes, NULL), STATUS_OK);
}

static void check_states(const struct guest *g) {
    struct nes *nes = guest_machine(g, (struct nes_options){0}), *other;
    struct nes *slow = guest_machine(g, (struct nes_options){.no_fast = true});
    struct bytes saved;
    uint32_t seen = 0;
    for (unsigned i = 0; i < 12; i++) {
        run_frames(nes, 1);
        run_frames(slow, 1);
        assert_int_equal(nes_state_hash(nes), nes_state_hash(slow));
        seen |= 1u << (nes_code_address(nes, 0x8000) >> 16 & 31);
    }
    assert_true(g->cart.mapper == 3 ? seen == 1 : (seen & (seen - 1)) != 0);
    assert_int_equal(nes_save(nes, &saved, NULL), STATUS_OK);
    other = guest_machine(g, (struct nes_options){0});
    assert_int_equal(nes_load(other, saved.at, saved.len, "state", NULL), STATUS_OK);
    bytes_free(&saved);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(nes_state_hash(other), nes_state_hash(nes));
        assert_int_equal(nes_code_address(other, 0x8000), nes_code_address(nes, 0x8000));
        run_frames(nes, 1);
        run_frames(other, 1);
    }
    nes_free(nes);
    nes_free(slow);
    nes_free(other);
}

static void states_carry_the_cartridge(void **state) {
    (void)state;
    static const struct cartridge boards[] = {
        {.mapper = 1, .prg_size = 256 * KIB, .chr_size = 32 * KIB, .prg_ram_size = 8 * KIB},
        {.mapper = 1, .prg_size = 512 * KIB, .prg_ram_size = 32 * KIB},
        {.mapper = 2, .prg_size = 256 * KIB},
        {.mapper = 3, .prg_size = 32 * KIB, .chr_size = 32 * KIB},
        {.mapper = 4, .prg_size = 256 * KIB, .chr_size = 256 * KIB, .prg_ram_size = 8 * KIB},
        {.mapper = 4, .submapper = 4, .prg_size = 256 * KIB, .mirroring = MIRROR_FOUR},
        {.mapper = 7, .prg_size = 256 * KIB},
        {.mapper = 11, .prg_size = 128 * KIB, .chr_size = 128 * KIB},
        {.mapper = 28, .prg_size = 512 * KIB},
        {.mapper = 34, .prg_size = 128 * KIB},
        {.mapper = 34, .prg_size = 64 * KIB, .chr_size = 64 * KIB, .prg_ram_size = 8 * KIB},
        {.mapper = 66, .prg_size = 128 * KIB, .chr_size = 32 * KIB},
        {.mapper = 79, .prg_size = 64 * KIB, .chr_size = 64 * KIB},
        {.mapper = 113, .prg_size = 256 * KIB, .chr_size = 128 * KIB},
    };
    static uint8_t prg[512 * KIB], chr[256 * KIB];
    for (size_t i = 0; i < sizeof chr; i++)
        chr[i] = (uint8_t)splitmix64(6, i);
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++) {
        static struct guest g;
        g.cart = boards[i];
        strcpy(g.cart.name, "soak.nes");
        strcpy(g.cart.sha1, "0123456789abcdef0123456789abcdef01234567");
        fill_soak(prg, g.cart.prg_size);
        g.cart.prg = prg;
        g.cart.chr = chr;
        g.cart.chr_is_ram = g.cart.chr_size == 0;
        if (g.cart.chr_is_ram)
            g.cart.chr_size = g.cart.mapper == 28 ? 32 * KIB : 8 * KIB;
        check_states(&g);
    }
}

/* ---- 30 ---- */

static void unrom512_banks(void **state) {
    (void)state;
    struct slot s;
    slot_fill(&s, (struct cartridge){.mapper = 30,
                                     .prg_size = 512 * KIB,
                                     .chr_size = 32 * KIB,
                                     .chr_is_ram = true,
                                     .mirroring = MIRROR_LOW});
    expect_prg(&s, 0, 1, 62, 63);
    write(&s, 0x8000, 0x1E | 3 << 5);
    expect_prg(&s, 60, 61, 62, 63);
    expect_chr(&s, CHR8(24));
    expect_pages(&s, 0, 0, 0, 0);
    write(&s, 0xFFFF, 0x80 | 1);
    expect_prg(&s, 2, 3, 62, 63);
    expect_chr(&s, CHR8(0));
    expect_pages(&s, 1, 1, 1, 1);
    s.cart.prg[2 * 8 * KIB] = 0x01; /* drives the bus, too */
    write(&s, 0x8000, 0x1F);
    expect_prg(&s, 2, 3, 62, 63);
    slot_empty(&s);
}

/* With flash, writes below $C000 go to the flash, without bus conflicts. */
static void unrom512_with_flash(void **state) {
    (void)state;
    struct slot s;
    slot_fill(&s, (struct cartridge){.mapper = 30,
                                     .prg_size = 512 * KIB,
                                     .battery = true,
                                     .mirroring = MIRROR_VERTICAL});
    memset(s.cart.prg, 0, s.cart.prg_size);
    write(&s, 0x9555, 0xAA);
    expect_prg(&s, 0, 1, 62, 63);
    write(&s, 0xC000, 0x82);
    expect_prg(&s, 4, 5, 62, 63);
    expect_pages(&s, 0, 1, 0, 1); /* soldered */
    slot_empty(&s);
}

static void unrom512_submappers(void **state) {
    (void)state;
    static const struct {
        unsigned submapper;
        bool conflicts;
        uint16_t from;
    } cases[] = {{0, true, 0x8000}, {1, false, 0x8000}, {2, true, 0x8000}, {4, false, 0xC000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct slot s;
        slot_fill(&s, (struct cartridge){
                          .mapper = 30, .submapper = cases[i].submapper, .prg_size = 128 * KIB});
        memset(s.cart.prg, 0xFE, s.cart.prg_size);
        write(&s, 0xC000, 7);
        const uint32_t bank = cases[i].conflicts ? 6 : 7;
        expect_prg(&s, 2 * bank, 2 * bank + 1, 14, 15);
        write(&s, 0xBFFF, 2);
        const uint32_t then = cases[i].from == 0x8000 ? 2 : bank;
        expect_prg(&s, 2 * then, 2 * then + 1, 14, 15);
        slot_empty(&s);
    }
    struct slot s;
    slot_fill(&s, (struct cartridge){.mapper = 30, .submapper = 3, .prg_size = 128 * KIB});
    expect_pages(&s, 0, 0, 1, 1);
    write(&s, 0x8000, 0x80);
    expect_pages(&s, 0, 1, 0, 1);
    slot_empty(&s);
}

/* Four screens lie in the last quarter of CHR-RAM. */
static void unrom512_four_screens(void **state) {
    (void)state;
    struct slot s;
    slot_fill(&s, (struct cartridge){.mapper = 30,
                                     .prg_size = 128 * KIB,
                                     .chr_size = 32 * KIB,
                                     .chr_is_ram = true,
                                     .mirroring = MIRROR_FOUR});
    for (unsigned i = 0; i < 4; i++)
        assert_ptr_equal(s.board.nt[i], s.board.chr_ram + (24 + i) * KIB);
    slot_empty(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mmc1_banks),
        cmocka_unit_test(mmc1_ignores_consecutive_writes),
        cmocka_unit_test(mmc1_resets_with_the_second_write),
        cmocka_unit_test(unrom512_banks),
        cmocka_unit_test(unrom512_with_flash),
        cmocka_unit_test(unrom512_submappers),
        cmocka_unit_test(unrom512_four_screens),
        cmocka_unit_test(mmc1_large_boards),
        cmocka_unit_test(uxrom_banks_and_conflicts),
        cmocka_unit_test(cnrom_switches_chr_alone),
        cmocka_unit_test(axrom_switches_its_page),
        cmocka_unit_test(color_dreams_and_gxrom),
        cmocka_unit_test(ntd8_and_nina_have_a_register_below_ram),
        cmocka_unit_test(mapper_34_is_two_boards),
        cmocka_unit_test(mmc3_banks),
        cmocka_unit_test(mmc3_counts_rises),
        cmocka_unit_test(mmc3_revisions_differ_in_latch_0),
        cmocka_unit_test(mmc3_reloads_when_asked),
        cmocka_unit_test(action53_is_like_other_boards),
        cmocka_unit_test(states_carry_the_cartridge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
