/* Mapper 0, NROM (NESdev, "NROM"): 16 KiB (mirrored) or 32 KiB of PRG, 8 KiB of CHR, no bank
 * switching. The Family BASIC variant has PRG-RAM at $6000. */
#include "nes/board/mappers.h"

static void nrom_power(struct board *b) {
    (void)b; /* no registers */
}

static void nrom_update(struct board *b) {
    board_prg32(b, 0); /* 16 KiB are mirrored at $C000 */
    board_chr8(b, 0);
    board_mirror(b);
}

const struct mapper_ops mapper_nrom = {
    .number = 0,
    .name = "NROM",
    .prg_most = 32 * KIB,
    .chr_most = 8 * KIB,
    .ram_most = 8 * KIB,
    .submappers = SUBMAPPER_ANY,
    .power = nrom_power,
    .update = nrom_update,
};
