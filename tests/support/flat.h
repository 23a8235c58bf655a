/*
 * A processor on a bus that is all RAM, for tests: struct nes without devices.
 *
 * The production source of the cycle-by-cycle loop is compiled here once more as tapped_step(),
 * which shows each bus cycle to tap_cycle() and asks tap_lines() for the interrupt lines; the test
 * defines both. nes_step() is the one in the library.
 */
#ifndef HOTGRAPH_TESTS_FLAT_H
#define HOTGRAPH_TESTS_FLAT_H

#include <stdbool.h>
#include <stdlib.h>

struct nes;
static void tap_cycle(struct nes *n, unsigned address, unsigned value, bool write);
static void tap_lines(struct nes *n);

#define BUS_CYCLE(n, address, value, write) tap_cycle(n, address, value, write)
#define bus_lines                           tap_lines
#define nes_step                            tapped_step
#include "nes/cpu/cpu_step.c"
#undef nes_step
void nes_step(struct nes *n);

struct flat {
    struct nes nes;
    struct watch watch;
    uint8_t high[0x10000];
};

static uint8_t *cell_of(struct flat *f, unsigned address) {
    return address < RAM_SIZE ? &f->nes.memory.ram[address] : &f->high[address];
}

static struct flat *flat_new(void) {
    struct flat *f = calloc(1, sizeof *f);
    if (!f)
        abort();
    struct nes *n = &f->nes;
    n->observed.watch = &f->watch;
    for (unsigned page = 0; page < 256; page++) {
        n->memory.rd[page] = n->memory.wr[page] = cell_of(f, page * 256);
        n->memory.code_end[page] = page < 8 ? n->memory.ram + RAM_SIZE - 2 : f->high + 0x10000 - 2;
    }
    return f;
}

#endif
