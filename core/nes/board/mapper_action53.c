/*
 * Mapper 28, Action 53 (NESdev, "Action 53 mapper"): a multicart board that can act as UNROM with
 * either half fixed, BNROM, CNROM or AxROM. A write to $5000-$5FFF selects one of four registers; a
 * write to $8000-$FFFF sets it.
 */
#include "nes/board/mappers.h"

enum { CHR, INNER, MODE, OUTER, SELECTED }; /* in regs */
enum { MODE_FOUR_PAGES = 2, PAGE_BIT = 0x10 };
enum { PRG_32, PRG_32_TOO, PRG_LOW_FIXED, PRG_HIGH_FIXED };

static void action53_power(struct board *b) {
    b->state.regs[OUTER] = 0xFF; /* the last 32 KiB, where programs start */
}

/* Maps both 16 KiB banks. The game's size determines how many bits of its bank come from the inner
 * register. */
static void update_prg(struct board *b) {
    const uint8_t *r = b->state.regs;
    const uint32_t first = r[OUTER] * 2u, inner_bits = (2u << (r[MODE] >> 4 & 3)) - 1;
    const uint32_t half = (first & ~inner_bits) | (r[INNER] & inner_bits);
    const uint32_t whole = (first & ~inner_bits) | (r[INNER] * 2u & inner_bits);
    uint32_t low = whole, high = whole + 1;
    switch (r[MODE] >> 2 & 3) {
    case PRG_LOW_FIXED:
        low = first;
        high = half;
        break;
    case PRG_HIGH_FIXED:
        low = half;
        high = first + 1;
        break;
    }
    board_prg16(b, 0, low);
    board_prg16(b, 1, high);
}

static void action53_update(struct board *b) {
    static const uint8_t mirrorings[] = {MIRROR_LOW, MIRROR_HIGH, MIRROR_VERTICAL,
                                         MIRROR_HORIZONTAL};
    const uint8_t *r = b->state.regs;
    update_prg(b);
    board_chr8(b, r[CHR] & 3);
    b->state.mirroring = mirrorings[r[MODE] & 3];
    board_mirror(b);
}

static void action53_write(struct board *b, uint16_t address, uint8_t value, uint64_t cycle) {
    uint8_t *r = b->state.regs;
    (void)cycle;
    if (address >= 0x5000 && address < 0x6000) {
        r[SELECTED] = (uint8_t)((value >> 6 & 2) | (value & 1));
    } else if (address >= 0x8000) {
        const unsigned selected = r[SELECTED] & 3;
        r[selected] = value;
        if (selected <= INNER && !(r[MODE] & MODE_FOUR_PAGES))
            r[MODE] = (uint8_t)((r[MODE] & ~1) | (value & PAGE_BIT ? 1 : 0));
    }
}

const struct mapper_ops mapper_action53 = {
    .number = 28,
    .name = "Action 53",
    .prg_most = 8192 * KIB,
    .chr_most = 32 * KIB,
    .ram_most = 8 * KIB,
    .submappers = 1 << 0,
    .banked = true,
    .power = action53_power,
    .update = action53_update,
    .write = action53_write,
};
