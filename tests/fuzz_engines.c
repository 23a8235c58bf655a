/* Both engines in lockstep over whatever program the fuzzer writes: registers, RAM, devices, time
 * and instruction counts must agree after every frame. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbt/dbt.h"
#include "guest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FRAMES = 4 };

/* Byte 0: mapper; byte 1: how the translator works; bytes 2 to 7: the vectors' offsets; the rest is
 * the program, in both halves of PRG. */
static struct guest *guest_from(const uint8_t *data, size_t size) {
    static const uint8_t mappers[] = {0, 1, 2, 4, 7, 66, 34, 11};
    struct guest *g = guest_new();
    g->cart.mapper = mappers[data[0] % sizeof mappers];
    const size_t length = size - 8 < 0x4000 ? size - 8 : 0x4000;
    for (size_t at = 0; at < sizeof g->prg; at++)
        g->prg[at] = length ? data[8 + at % 0x4000 % length] : 0;
    for (unsigned half = 0; half < 2; half++)
        for (unsigned v = 0; v < 3; v++) {
            const unsigned to = 0xC000 + ((data[2 + 2 * v] | data[3 + 2 * v] << 8) & 0x3fff);
            g->prg[half * 0x4000 + 0x3ffa + 2 * v] = (uint8_t)to;
            g->prg[half * 0x4000 + 0x3ffb + 2 * v] = (uint8_t)(to >> 8);
        }
    return g;
}

static struct dbt_options options_from(uint8_t bits) {
    return (struct dbt_options){
        .hot = bits & 1 ? 1 : 3,
        .cache_bytes = bits & 2 ? 4096 : 1 << 20,
        .no_chaining = bits & 4,
        .block_length = bits & 8 ? 2 : 0,
    };
}

static void differ(const char *what, unsigned frame) {
    fprintf(stderr, "frame %u: %s differ\n", frame, what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 9 || !dbt_engine())
        return 0;
    struct guest *g = guest_from(data, size);
    const struct dbt_options translator = options_from(data[1]);
    struct nes *a = guest_machine(g, (struct nes_options){.no_fast = data[1] & 16});
    struct nes *b = guest_machine(
        g, (struct nes_options){.engine = dbt_engine(), .engine_options = &translator});
    for (unsigned frame = 0; frame < FRAMES; frame++) {
        nes_run_frame(a, NULL);
        nes_run_frame(b, NULL);
        if (nes_instructions(a) != nes_instructions(b) || nes_cycle(a) != nes_cycle(b))
            differ("counts", frame);
        if (nes_state_hash(a) != nes_state_hash(b))
            differ("states", frame);
    }
    nes_free(a);
    nes_free(b);
    free(g);
    return 0;
}
