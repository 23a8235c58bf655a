/* The pages of the board that the two buses see. Mappers call these functions to switch them. */
#include <string.h>

#include "nes/board/board.h"

enum { PRG_PAGE = 8 * 1024, CHR_PAGE = 1024, NT_PAGE = 1024 };

void board_power(struct board *b) {
    memset(&b->state, 0, sizeof b->state); /* padding, too: states are compared as bytes */
    b->state.mirroring = (uint8_t)b->cartridge->mirroring;
    if (b->prg_ram)
        memset(b->prg_ram, 0, b->prg_ram_size);
    if (b->chr_ram)
        memset(b->chr_ram, 0, b->chr_ram_size);
    b->ops->power(b);
    board_loaded(b);
}

void board_loaded(struct board *b) {
    b->ram = b->prg_ram;
    b->ram_read_only = false;
    b->chr_writable = b->chr_ram != NULL;
    b->ops->update(b);
}

void board_write(struct board *b, uint16_t address, uint8_t value, uint64_t cycle) {
    const bool to_ram = address >= 0x6000 && address < 0x8000 && b->ram;
    if (to_ram && !b->ram_read_only)
        b->ram[address & (PRG_PAGE - 1)] = value;
    b->settled = (to_ram && !b->ram_watched) || !b->ops->write;
    if (b->settled)
        return;
    uint8_t before[sizeof b->state.regs];
    memcpy(before, b->state.regs, sizeof before);
    b->ops->write(b, address, value, cycle);
    b->settled |= !memcmp(before, b->state.regs, sizeof before);
    if (!b->settled)
        b->ops->update(b);
}

/* ---- windows ---- */

uint32_t board_prg_banks(const struct board *b) {
    return (uint32_t)(b->cartridge->prg_size / PRG_PAGE);
}

uint8_t board_conflict(const struct board *b, uint16_t address, uint8_t value) {
    return value & b->prg[(address >> 13) - 4][address & (PRG_PAGE - 1)];
}

void board_prg8(struct board *b, unsigned slot, uint32_t bank) {
    bank %= board_prg_banks(b);
    b->prg_bank[slot] = bank;
    b->prg[slot] = b->cartridge->prg + (size_t)bank * PRG_PAGE;
}

void board_prg16(struct board *b, unsigned slot, uint32_t bank) {
    for (unsigned i = 0; i < 2; i++)
        board_prg8(b, slot * 2 + i, bank * 2 + i);
}

void board_prg32(struct board *b, uint32_t bank) {
    for (unsigned i = 0; i < 4; i++)
        board_prg8(b, i, bank * 4 + i);
}

void board_chr1(struct board *b, unsigned slot, uint32_t bank) {
    bank %= (uint32_t)(b->cartridge->chr_size / CHR_PAGE);
    b->chr[slot] = (b->chr_ram ? b->chr_ram : b->cartridge->chr) + (size_t)bank * CHR_PAGE;
}

void board_chr4(struct board *b, unsigned slot, uint32_t bank) {
    for (unsigned i = 0; i < 4; i++)
        board_chr1(b, slot * 4 + i, bank * 4 + i);
}

void board_chr8(struct board *b, uint32_t bank) {
    for (unsigned i = 0; i < 8; i++)
        board_chr1(b, i, bank * 8 + i);
}

void board_ram8(struct board *b, uint32_t bank) {
    b->ram = NULL;
    if (b->prg_ram)
        b->ram = b->prg_ram + bank % (b->prg_ram_size / PRG_PAGE) * PRG_PAGE;
}

void board_mirror(struct board *b) {
    static const uint8_t pages[][4] = {
        [MIRROR_HORIZONTAL] = {0, 0, 1, 1}, [MIRROR_VERTICAL] = {0, 1, 0, 1},
        [MIRROR_FOUR] = {0, 1, 2, 3},       [MIRROR_LOW] = {0, 0, 0, 0},
        [MIRROR_HIGH] = {1, 1, 1, 1},
    };
    for (unsigned i = 0; i < 4; i++)
        b->nt[i] = b->state.vram + pages[b->state.mirroring][i] * NT_PAGE;
}
