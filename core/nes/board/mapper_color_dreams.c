/* Mapper 11, Color Dreams (NESdev, "Color Dreams"): 32 KiB of PRG selected by the low four bits, 8
 * KiB of CHR by the high ones; with bus conflicts. */
#include "nes/board/mappers.h"

enum { BANKS }; /* in regs */

static void color_dreams_power(struct board *b) {
    (void)b; /* banks 0 */
}

static void color_dreams_update(struct board *b) {
    board_prg32(b, b->state.regs[BANKS] & 0x0F);
    board_chr8(b, b->state.regs[BANKS] >> 4);
    board_mirror(b);
}

static void color_dreams_write(struct board *b, uint16_t address, uint8_t value, uint64_t cycle) {
    (void)cycle;
    if (address >= 0x8000)
        b->state.regs[BANKS] = board_conflict(b, address, value);
}

const struct mapper_ops mapper_color_dreams = {
    .number = 11,
    .name = "Color Dreams",
    .prg_most = 512 * KIB,
    .chr_most = 128 * KIB,
    .ram_most = 8 * KIB,
    .submappers = 1 << 0,
    .banked = true,
    .power = color_dreams_power,
    .update = color_dreams_update,
    .write = color_dreams_write,
};
