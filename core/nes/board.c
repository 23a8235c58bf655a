#include <stdlib.h>
#include <string.h>

#include "nes/mappers.h"

enum { PRG_PAGE = 8 * 1024, CHR_PAGE = 1024, NT_PAGE = 1024 };

const struct mapper_ops *mapper_at(size_t index) {
    static const struct mapper_ops *const all[] = {
        &mapper_nrom,  &mapper_mmc1,         &mapper_uxrom,    &mapper_cnrom, &mapper_mmc3,
        &mapper_axrom, &mapper_color_dreams, &mapper_action53, &mapper_bnrom, &mapper_gxrom,
    };
    return index < sizeof all / sizeof *all ? all[index] : NULL;
}

const struct mapper_ops *mapper_find(unsigned number) {
    const struct mapper_ops *ops;
    for (size_t i = 0; (ops = mapper_at(i)); i++)
        if (ops->number == number)
            return ops;
    return NULL;
}

/* RAM of `size` bytes, rounded up so that whole pages can be mapped; NULL when size is 0. */
static enum status ram_create(uint8_t **ram, size_t *ram_size, size_t size, size_t page,
                              struct error *e) {
    if (size == 0)
        return STATUS_OK;
    *ram_size = (size + page - 1) / page * page;
    *ram = calloc(1, *ram_size);
    return *ram ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory for cartridge RAM");
}

enum status board_init(struct board *b, const struct cartridge *c, struct error *e) {
    *b = (struct board){.cartridge = c, .ops = mapper_find(c->mapper)};
    if (!b->ops)
        return error_set(e, STATUS_UNSUPPORTED, "%s: mapper %u is not supported", c->name,
                         c->mapper);
    if (c->prg_size < PRG_PAGE || c->prg_size % PRG_PAGE || c->chr_size < CHR_PAGE ||
        c->chr_size % CHR_PAGE)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: %zu bytes of PRG and %zu of CHR do not fill the pages of a board",
                         c->name, c->prg_size, c->chr_size);
    b->banked = b->ops->banked;
    enum status status = ram_create(&b->prg_ram, &b->prg_ram_size, c->prg_ram_size, PRG_PAGE, e);
    if (status == STATUS_OK && c->chr_is_ram)
        status = ram_create(&b->chr_ram, &b->chr_ram_size, c->chr_size, CHR_PAGE, e);
    if (status != STATUS_OK)
        return status;
    board_power(b);
    return STATUS_OK;
}

void board_free(struct board *b) {
    free(b->prg_ram);
    free(b->chr_ram);
    *b = (struct board){0};
}

void board_power(struct board *b) {
    memset(&b->state, 0, sizeof b->state); /* padding too: states are compared as bytes */
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
    if ((!to_ram || b->ram_watched) && b->ops->write) {
        b->ops->write(b, address, value, cycle);
        b->ops->update(b);
    }
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
