/* All boards there are, and making one. */
#include "nes/board/mappers.h"

#include <stdlib.h>

enum { PRG_PAGE = 8 * 1024, CHR_PAGE = 1024 };

const struct mapper_ops *mapper_at(size_t index) {
    static const struct mapper_ops *const all[] = {
        &mapper_nrom,  &mapper_mmc1,         &mapper_uxrom,    &mapper_cnrom,    &mapper_mmc3,
        &mapper_axrom, &mapper_color_dreams, &mapper_action53, &mapper_unrom512, &mapper_bnrom,
        &mapper_gxrom, &mapper_nina,         &mapper_ntd8,
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
