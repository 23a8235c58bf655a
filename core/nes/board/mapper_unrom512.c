/*
 * Mapper 30, UNROM 512 (NESdev, "UNROM 512"): 16 KiB of PRG at $8000, the last 16 KiB fixed at
 * $C000, one of four 8 KiB banks of CHR-RAM, and, on some boards, one nametable page for the whole
 * picture.
 *
 * A battery in the header means that the board can write its own PRG. Then the register is only at
 * $C000 and above, and there are no bus conflicts. Writing PRG is not implemented: the flash acts
 * as if its sectors were protected, so a game plays, but what it saves is lost. Four-screen boards
 * have their nametables in the last 8 KiB of CHR-RAM. Submapper 3 switches between horizontal and
 * vertical mirroring. Submapper 4 has lights in its case, which are ignored.
 */
#include "nes/board/mappers.h"

enum { BANKS }; /* in regs */
enum { BANKS_PRG = 0x1F, BANKS_PAGE = 0x80 };
enum { SUBMAPPER_OLD, SUBMAPPER_PLAIN, SUBMAPPER_CONFLICTS, SUBMAPPER_SWITCHED, SUBMAPPER_LIGHTS };

static void unrom512_power(struct board *b) {
    (void)b; /* bank 0 everywhere */
}

static void unrom512_update(struct board *b) {
    const uint8_t banks = b->state.regs[BANKS];
    board_prg16(b, 0, banks & BANKS_PRG);
    board_prg16(b, 1, board_prg_banks(b) / 2 - 1);
    board_chr8(b, banks >> 5 & 3);
    if (b->cartridge->submapper == SUBMAPPER_SWITCHED)
        b->state.mirroring = banks & BANKS_PAGE ? MIRROR_VERTICAL : MIRROR_HORIZONTAL;
    else if (b->cartridge->mirroring == MIRROR_LOW)
        b->state.mirroring = banks & BANKS_PAGE ? MIRROR_HIGH : MIRROR_LOW;
    board_mirror(b);
    if (b->state.mirroring == MIRROR_FOUR && b->chr_ram_size >= 8 * KIB)
        for (unsigned i = 0; i < 4; i++)
            b->nt[i] = b->chr_ram + b->chr_ram_size - 8 * KIB + i * KIB;
}

static void unrom512_write(struct board *b, uint16_t address, uint8_t value, uint64_t cycle) {
    const struct cartridge *c = b->cartridge;
    const bool high_only = c->battery || c->submapper == SUBMAPPER_LIGHTS;
    const bool conflicts =
        c->submapper == SUBMAPPER_CONFLICTS || (c->submapper == SUBMAPPER_OLD && !c->battery);
    (void)cycle;
    if (address < (high_only ? 0xC000 : 0x8000))
        return;
    b->state.regs[BANKS] = conflicts ? board_conflict(b, address, value) : value;
}

const struct mapper_ops mapper_unrom512 = {
    .number = 30,
    .name = "UNROM 512",
    .prg_most = 512 * KIB,
    .chr_most = 32 * KIB,
    .ram_most = 8 * KIB,
    .submappers = 1 << SUBMAPPER_OLD | 1 << SUBMAPPER_PLAIN | 1 << SUBMAPPER_CONFLICTS |
                  1 << SUBMAPPER_SWITCHED | 1 << SUBMAPPER_LIGHTS,
    .banked = true,
    .power = unrom512_power,
    .update = unrom512_update,
    .write = unrom512_write,
};
