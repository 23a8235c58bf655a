/* Mapper 2, UxROM (NESdev, "UxROM"): 16 KiB of PRG at $8000, the last 16 KiB fixed at $C000. Real
 * boards have bus conflicts, but no game needs them, so they are emulated only for submapper 2 of
 * NES 2.0. */
#include "nes/board/mappers.h"

enum { BANK }; /* in regs */
enum { SUBMAPPER_CONFLICTS = 2 };

static void uxrom_power(struct board *b) {
    (void)b; /* bank 0 */
}

static void uxrom_update(struct board *b) {
    board_prg16(b, 0, b->state.regs[BANK]);
    board_prg16(b, 1, board_prg_banks(b) / 2 - 1);
    board_chr8(b, 0);
    board_mirror(b);
}

static void uxrom_write(struct board *b, uint16_t address, uint8_t value, uint64_t cycle) {
    (void)cycle;
    if (address < 0x8000)
        return;
    if (b->cartridge->submapper == SUBMAPPER_CONFLICTS)
        value = board_conflict(b, address, value);
    b->state.regs[BANK] = value;
}

const struct mapper_ops mapper_uxrom = {
    .number = 2,
    .name = "UxROM",
    .prg_most = 4096 * KIB,
    .chr_most = 8 * KIB,
    .ram_most = 8 * KIB,
    .submappers = 1 << 0 | 1 << 1 | 1 << SUBMAPPER_CONFLICTS,
    .banked = true,
    .power = uxrom_power,
    .update = uxrom_update,
    .write = uxrom_write,
};
