/* Mapper 66, GxROM (NESdev, "GxROM"): 32 KiB of PRG selected by bits 4 and 5, 8 KiB of CHR by bits
 * 0 and 1; with bus conflicts. */
#include "nes/board/mappers.h"

enum { BANKS }; /* in regs */

static void gxrom_power(struct board *b) {
    (void)b; /* banks 0 */
}

static void gxrom_update(struct board *b) {
    board_prg32(b, b->state.regs[BANKS] >> 4 & 3);
    board_chr8(b, b->state.regs[BANKS] & 3);
    board_mirror(b);
}

static void gxrom_write(struct board *b, uint16_t address, uint8_t value, uint64_t cycle) {
    (void)cycle;
    if (address >= 0x8000)
        b->state.regs[BANKS] = board_conflict(b, address, value);
}

const struct mapper_ops mapper_gxrom = {
    .number = 66,
    .name = "GxROM",
    .prg_most = 128 * KIB,
    .chr_most = 32 * KIB,
    .ram_most = 8 * KIB,
    .submappers = 1 << 0,
    .banked = true,
    .power = gxrom_power,
    .update = gxrom_update,
    .write = gxrom_write,
};
