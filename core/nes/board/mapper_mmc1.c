/*
 * Mapper 1, MMC1 (NESdev, "MMC1"), revision B of the chip: five writes shift a register in. A write
 * in the cycle after another one (instructions like INC write twice) shifts nothing in, but its bit
 * 7 still resets the register.
 *
 * Boards with more than 256 KiB of PRG (SUROM, SXROM) or more than 8 KiB of PRG-RAM (SOROM, SXROM)
 * take their further address lines from the CHR register that the PPU's address selects. Games set
 * both registers alike, so the first one is used. Submapper 5 (SEROM, SHROM) does not switch PRG.
 */
#include "nes/board/mappers.h"

enum { SHIFT, CONTROL, CHR_0, CHR_1, PRG };        /* in regs */
enum { SHIFT_EMPTY = 0x10, CONTROL_POWER = 0x0C }; /* the last bank fixed at $C000 */
enum { CONTROL_CHR_4K = 0x10, PRG_RAM_DISABLED = 0x10, OUTER = 0x10, SUBMAPPER_FIXED = 5 };

static void mmc1_power(struct board *b) {
    b->state.regs[SHIFT] = SHIFT_EMPTY;
    b->state.regs[CONTROL] = CONTROL_POWER;
}

static void update_prg(struct board *b) {
    const uint8_t *r = b->state.regs;
    const uint32_t banks = board_prg_banks(b) / 2, inner = r[PRG] & 0x0F;
    const uint32_t outer = banks > 16 ? r[CHR_0] & OUTER : 0;
    if (b->cartridge->submapper == SUBMAPPER_FIXED) {
        board_prg32(b, 0);
        return;
    }
    switch (r[CONTROL] >> 2 & 3) {
    case 0:
    case 1:
        board_prg32(b, (outer | inner) >> 1);
        break;
    case 2:
        board_prg16(b, 0, outer);
        board_prg16(b, 1, outer | inner);
        break;
    case 3:
        board_prg16(b, 0, outer | inner);
        board_prg16(b, 1, banks > 16 ? outer | 15 : banks - 1);
        break;
    }
}

static void update_ram(struct board *b) {
    const uint8_t *r = b->state.regs;
    board_ram8(b, b->prg_ram_size > 16 * KIB ? r[CHR_0] >> 2 & 3 : r[CHR_0] >> 3 & 1);
    if (r[PRG] & PRG_RAM_DISABLED)
        b->ram = NULL;
}

static void mmc1_update(struct board *b) {
    static const uint8_t mirrorings[] = {MIRROR_LOW, MIRROR_HIGH, MIRROR_VERTICAL,
                                         MIRROR_HORIZONTAL};
    const uint8_t *r = b->state.regs;
    update_prg(b);
    update_ram(b);
    if (r[CONTROL] & CONTROL_CHR_4K) {
        board_chr4(b, 0, r[CHR_0]);
        board_chr4(b, 1, r[CHR_1]);
    } else {
        board_chr8(b, r[CHR_0] >> 1);
    }
    b->state.mirroring = mirrorings[r[CONTROL] & 3];
    board_mirror(b);
}

static void set_register(struct board *b, unsigned i, uint8_t value) {
    b->settled = b->state.regs[i] == value;
    b->state.regs[i] = value;
}

static void mmc1_write(struct board *b, uint16_t address, uint8_t value, uint64_t cycle) {
    uint8_t *r = b->state.regs;
    b->settled = true;
    if (address < 0x8000)
        return;
    const bool again = cycle == b->state.clock;
    b->state.clock = cycle + 1;
    if (value & 0x80) {
        r[SHIFT] = SHIFT_EMPTY;
        set_register(b, CONTROL, r[CONTROL] | CONTROL_POWER);
        return;
    }
    if (again)
        return;
    const bool full = r[SHIFT] & 1;
    r[SHIFT] = (uint8_t)(r[SHIFT] >> 1 | (value & 1) << 4);
    if (full) {
        set_register(b, CONTROL + (address >> 13 & 3), r[SHIFT]);
        r[SHIFT] = SHIFT_EMPTY;
    }
}

const struct mapper_ops mapper_mmc1 = {
    .number = 1,
    .name = "MMC1",
    .prg_most = 512 * KIB,
    .chr_most = 128 * KIB,
    .ram_most = 32 * KIB,
    .submappers = 1 << 0 | 1 << SUBMAPPER_FIXED,
    .banked = true,
    .power = mmc1_power,
    .update = mmc1_update,
    .write = mmc1_write,
};
