/* The page table of the processor. */
#include "nes/machine/machine.h"

static void map_page(struct nes *n, unsigned page, const uint8_t *read, uint8_t *write) {
    n->memory.rd[page] = read;
    n->memory.wr[page] = write;
}

enum { SLOT_PAGES = 0x20, LONGEST = 3 };

/* Sets code_end of the pages below $8000, from the top down. */
static void find_code_ends(struct nes *n) {
    const uint8_t *end = NULL;
    for (unsigned page = 0x80; page-- > 0;) {
        const uint8_t *here = n->memory.rd[page];
        if (here && (page == 0x7f || n->memory.rd[page + 1] != here + 256))
            end = here + 256 - (LONGEST - 1);
        n->memory.code_end[page] = here ? end : NULL;
    }
}

/* Maps PRG pages that have changed, or whose contiguous memory now ends elsewhere; true if any page
 * has changed. */
static bool map_prg(struct nes *n) {
    const uint8_t *const *const prg = n->board.prg;
    const uint8_t *end = NULL;
    bool changed = false;
    for (unsigned slot = 4; slot-- > 0;) {
        const unsigned first = 0x80 + slot * SLOT_PAGES;
        if (slot == 3 || prg[slot + 1] != prg[slot] + SLOT_PAGES * 256)
            end = prg[slot] + SLOT_PAGES * 256 - (LONGEST - 1);
        if (n->memory.rd[first] == prg[slot] && n->memory.code_end[first] == end)
            continue;
        changed |= n->memory.rd[first] != prg[slot];
        for (unsigned i = 0; i < SLOT_PAGES; i++) {
            map_page(n, first + i, prg[slot] + i * 256, NULL);
            n->memory.code_end[first + i] = end;
        }
    }
    return changed;
}

void bus_map(struct nes *n) {
    const struct board *b = &n->board;
    for (unsigned page = 0; page < 0x20; page++)
        map_page(n, page, n->memory.ram + page % 8 * 256, n->memory.ram + page % 8 * 256);
    for (unsigned page = 0x20; page < 0x60; page++)
        map_page(n, page, NULL, NULL);
    for (unsigned page = 0x60; page < 0x80; page++) {
        const size_t offset = (page - 0x60) * 256;
        uint8_t *writable = board_ram_writable(b);
        map_page(n, page, b->ram ? b->ram + offset : NULL, writable ? writable + offset : NULL);
    }
    map_prg(n);
    find_code_ends(n);
}

bool bus_map_changes(struct nes *n) {
    const struct board *b = &n->board;
    if (n->memory.rd[0x60] == b->ram && n->memory.wr[0x60] == board_ram_writable(b))
        return map_prg(n);
    bus_map(n);
    return true;
}

uint32_t nes_code_address(const struct nes *n, uint16_t pc) {
    if (pc < 0x8000 || !n->board.banked)
        return pc;
    return n->board.prg_bank[(pc >> 13) - 4] << 16 | pc;
}
