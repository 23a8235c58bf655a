/* Mapper 7, AxROM (NESdev, "AxROM"): 32 KiB of PRG, one nametable page for the whole picture. Bus
 * conflicts only with submapper 2 of NES 2.0 (AMROM). */
#include "nes/board/mappers.h"

enum { BANK }; /* in regs */
enum { BANK_PRG = 0x0F, BANK_PAGE = 0x10, SUBMAPPER_CONFLICTS = 2 };

static void axrom_power(struct board *b) {
    (void)b; /* bank 0, lower page */
}

static void axrom_update(struct board *b) {
    const uint8_t bank = b->state.regs[BANK];
    board_prg32(b, bank & BANK_PRG);
    board_chr8(b, 0);
    b->state.mirroring = bank & BANK_PAGE ? MIRROR_HIGH : MIRROR_LOW;
    board_mirror(b);
}

static void axrom_write(struct board *b, uint16_t address, uint8_t value, uint64_t cycle) {
    (void)cycle;
    if (address < 0x8000)
        return;
    if (b->cartridge->submapper == SUBMAPPER_CONFLICTS)
        value = board_conflict(b, address, value);
    b->state.regs[BANK] = value;
}

const struct mapper_ops mapper_axrom = {
    .number = 7,
    .name = "AxROM",
    .prg_most = 512 * KIB,
    .chr_most = 8 * KIB,
    .ram_most = 8 * KIB,
    .submappers = 1 << 0 | 1 << 1 | 1 << SUBMAPPER_CONFLICTS,
    .banked = true,
    .power = axrom_power,
    .update = axrom_update,
    .write = axrom_write,
};
