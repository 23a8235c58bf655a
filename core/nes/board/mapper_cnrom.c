/* Mapper 3, CNROM (NESdev, "CNROM"): 8 KiB of CHR; PRG is fixed. The board has bus conflicts, and
 * some games rely on them; submapper 1 of NES 2.0 has none. */
#include "nes/board/mappers.h"

enum { BANK }; /* in regs */
enum { SUBMAPPER_NO_CONFLICTS = 1 };

static void cnrom_power(struct board *b) {
    (void)b; /* bank 0 */
}

static void cnrom_update(struct board *b) {
    board_prg32(b, 0);
    board_chr8(b, b->state.regs[BANK]);
    board_mirror(b);
}

static void cnrom_write(struct board *b, uint16_t address, uint8_t value, uint64_t cycle) {
    (void)cycle;
    if (address < 0x8000)
        return;
    if (b->cartridge->submapper != SUBMAPPER_NO_CONFLICTS)
        value = board_conflict(b, address, value);
    b->state.regs[BANK] = value;
}

const struct mapper_ops mapper_cnrom = {
    .number = 3,
    .name = "CNROM",
    .prg_most = 32 * KIB,
    .chr_most = 2048 * KIB,
    .ram_most = 8 * KIB,
    .submappers = 1 << 0 | 1 << SUBMAPPER_NO_CONFLICTS | 1 << 2,
    .power = cnrom_power,
    .update = cnrom_update,
    .write = cnrom_write,
};
