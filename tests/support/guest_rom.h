/* Small guest programs for tests: a mapper 0 cartridge in memory, 32 KiB at $8000, CHR RAM. (There
 * is room for 64 KiB of banks.) */
#ifndef HOTGRAPH_TESTS_GUEST_H
#define HOTGRAPH_TESTS_GUEST_H

#include <stdlib.h>
#include <string.h>

#include "nes/nes.h"

enum { GUEST_PRG = 0x8000, GUEST_PRG_MOST = 0x10000 };

struct guest {
    struct cartridge cart;
    uint8_t prg[GUEST_PRG_MOST], chr[0x2000];
};

static inline void guest_bytes(struct guest *g, uint16_t at, const void *bytes, size_t size) {
    memcpy(g->prg + (at - 0x8000), bytes, size);
}
#define guest_code(g, at, ...)                                                                     \
    guest_bytes(g, at, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

static inline void guest_vectors(struct guest *g, uint16_t nmi, uint16_t reset, uint16_t irq) {
    guest_code(g, 0xFFFA, (uint8_t)nmi, (uint8_t)(nmi >> 8), (uint8_t)reset, (uint8_t)(reset >> 8),
               (uint8_t)irq, (uint8_t)(irq >> 8));
}

static inline struct guest *guest_new(void) {
    struct guest *g = calloc(1, sizeof *g);
    if (!g)
        abort();
    g->cart = (struct cartridge){
        .name = "guest.nes",
        .prg = g->prg,
        .prg_size = GUEST_PRG,
        .chr = g->chr,
        .chr_size = sizeof g->chr,
        .chr_is_ram = true,
        .prg_ram_size = 0x2000,
        .sha1 = "0123456789abcdef0123456789abcdef01234567",
    };
    return g;
}

static inline struct nes *guest_machine(const struct guest *g, struct nes_options options) {
    struct nes *n = NULL;
    options.cartridge = &g->cart;
    if (nes_create(&n, &options, NULL) != STATUS_OK)
        abort();
    return n;
}

#endif
