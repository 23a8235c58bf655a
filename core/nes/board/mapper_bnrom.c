/*
 * Mapper 34, two boards under one number (NESdev, "INES Mapper 034"). Submapper 1 is NINA-001:
 * three registers in its PRG-RAM select 32 KiB of PRG and twice 4 KiB of CHR. Submapper 2 is BNROM:
 * 32 KiB of PRG, bus conflicts. Without a submapper, a board with more than 8 KiB of CHR is a
 * NINA-001, and others are BNROM without conflicts.
 */
#include "nes/board/mappers.h"

enum { PRG, CHR_0, CHR_1 }; /* in regs */
enum { SUBMAPPER_NINA = 1, SUBMAPPER_CONFLICTS = 2 };

static bool is_nina(const struct board *b) {
    const struct cartridge *c = b->cartridge;
    return c->submapper == SUBMAPPER_NINA || (c->submapper == 0 && c->chr_size > 8 * KIB);
}

static void bnrom_power(struct board *b) {
    b->state.regs[CHR_1] = 1;
}

static void bnrom_update(struct board *b) {
    const uint8_t *r = b->state.regs;
    board_prg32(b, r[PRG]);
    b->ram_watched = is_nina(b);
    board_chr4(b, 0, r[CHR_0]);
    board_chr4(b, 1, r[CHR_1]);
    board_mirror(b);
}

static void bnrom_write(struct board *b, uint16_t address, uint8_t value, uint64_t cycle) {
    uint8_t *r = b->state.regs;
    (void)cycle;
    if (is_nina(b)) {
        if (address == 0x7FFD)
            r[PRG] = value & 3; /* NINA-002 has the second bit */
        else if (address == 0x7FFE)
            r[CHR_0] = value & 0x0F;
        else if (address == 0x7FFF)
            r[CHR_1] = value & 0x0F;
    } else if (address >= 0x8000) {
        const bool conflicts = b->cartridge->submapper == SUBMAPPER_CONFLICTS;
        r[PRG] = conflicts ? board_conflict(b, address, value) : value;
    }
}

const struct mapper_ops mapper_bnrom = {
    .number = 34,
    .name = "BNROM, NINA-001",
    .prg_most = 8192 * KIB,
    .chr_most = 64 * KIB,
    .ram_most = 8 * KIB,
    .submappers = 1 << 0 | 1 << SUBMAPPER_NINA | 1 << SUBMAPPER_CONFLICTS,
    .banked = true,
    .power = bnrom_power,
    .update = bnrom_update,
    .write = bnrom_write,
};
