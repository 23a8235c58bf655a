/* Mappers 113 and 79 (NESdev, "INES Mapper 113", "NINA-003-006"): one register at $4100 selects 32 KiB
 * of PRG and 8 KiB of CHR. HES's NTD-8 has three bits of PRG, four of CHR and one of mirroring; AVE's
 * NINA-003 and NINA-006 have its low four bits, and soldered mirroring. There are no bus conflicts,
 * because the register lies outside of PRG. */
#include "nes/board/mappers.h"

enum { BANKS }; /* in regs */
enum { WINDOW = 0xE100, REGISTER = 0x4100, NINA = 79, VERTICAL = 0x80 };

static void ntd8_power(struct board *b) {
    (void)b; /* banks 0 */
}

static void ntd8_update(struct board *b) {
    const uint8_t banks = b->state.regs[BANKS];
    board_prg32(b, banks >> 3 & 7);
    board_chr8(b, (banks & 7) | (banks >> 3 & 8));
    if (b->ops->number != NINA)
        b->state.mirroring = banks & VERTICAL ? MIRROR_VERTICAL : MIRROR_HORIZONTAL;
    board_mirror(b);
}

static void ntd8_write(struct board *b, uint16_t address, uint8_t value, uint64_t cycle) {
    (void)cycle;
    if ((address & WINDOW) == REGISTER)
        b->state.regs[BANKS] = b->ops->number == NINA ? value & 0x0F : value;
}

const struct mapper_ops mapper_nina = {
    .number = NINA,
    .name = "NINA-003/006",
    .prg_most = 64 * KIB,
    .chr_most = 64 * KIB,
    .submappers = 1 << 0,
    .banked = true,
    .power = ntd8_power,
    .update = ntd8_update,
    .write = ntd8_write,
};

const struct mapper_ops mapper_ntd8 = {
    .number = 113,
    .name = "NTD-8",
    .prg_most = 256 * KIB,
    .chr_most = 128 * KIB,
    .submappers = 1 << 0,
    .banked = true,
    .power = ntd8_power,
    .update = ntd8_update,
    .write = ntd8_write,
};
