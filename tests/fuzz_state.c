/*
 * Any bytes as a saved state: refused with a sentence that names the file, the machine being as it
 * was, or taken, and then the machine runs to the end of a frame and beyond, and saves what it has
 * loaded.
 *
 * An input that begins like a state is one. Every other is a good state with changes, and its
 * checksum mended: a byte that chooses cartridge and moment, then each time a place (two bytes), a
 * length (one), and as many bytes.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "nes/nes.h"

enum { HEADER = 76, PLACE = 3, CARTRIDGES = 5, MOMENTS = 3, STATE_MOST = 60000 };

static struct world {
    struct cartridge *cartridge;
    struct nes *nes;
    struct bytes state[MOMENTS];
} worlds[CARTRIDGES];

/* A program that draws, copies sprites, has the frame IRQ and a sample playing, and writes to the
 * board. */
static const uint8_t program[] = {
    0xA9, 0x1F, 0x8D, 0x15, 0x40, /* LDA #$1F; STA $4015 */
    0xA9, 0x4F, 0x8D, 0x10, 0x40, /* LDA #$4F; STA $4010 */
    0xA9, 0x00, 0x8D, 0x17, 0x40, /* LDA #0; STA $4017 */
    0x58,                         /* CLI */
    0xA9, 0xB0, 0x8D, 0x00, 0x20, /* loop: LDA #$B0; STA $2000 */
    0xA9, 0x1E, 0x8D, 0x01, 0x20, /* LDA #$1E; STA $2001 */
    0xA9, 0x02, 0x8D, 0x14, 0x40, /* LDA #2; STA $4014 */
    0xEE, 0x00, 0xC0,             /* INC $C000 */
    0xEE, 0x01, 0xE0,             /* INC $E001 */
    0xAD, 0x02, 0x20,             /* LDA $2002 */
    0x4C, 0x10, 0x80,             /* JMP loop */
    0xEE, 0x00, 0x02, 0x40,       /* INC $0200; RTI */
};

static void build(struct world *w, unsigned mapper) {
    enum { PRG = 0x8000, HANDLER = sizeof program - 4 };
    static uint8_t image[16 + PRG + 0x2000];
    memset(image, 0, sizeof image);
    memcpy(image, "NES\x1a\2\1", 6);
    image[6] = (uint8_t)(mapper << 4);
    image[7] = (uint8_t)(mapper & 0xF0);
    if (mapper == 28 || mapper == 30) /* CHR RAM, none in the file */
        image[5] = 0;
    memcpy(image + 16, program, sizeof program);
    const uint8_t vectors[6] = {HANDLER, 0x80, 0x00, 0x80, HANDLER, 0x80};
    memcpy(image + 16 + PRG - 6, vectors, sizeof vectors);
    struct error e;
    const size_t length = image[5] ? sizeof image : sizeof image - 0x2000;
    if (cartridge_parse(&w->cartridge, image, length, "w.nes", &e) != STATUS_OK ||
        nes_create(&w->nes, &(struct nes_options){.cartridge = w->cartridge}, &e) != STATUS_OK)
        abort();
    for (unsigned i = 0; i < MOMENTS; i++)
        if (nes_run_to(w->nes, i * 54321, &e) != STATUS_OK ||
            nes_save(w->nes, &w->state[i], &e) != STATUS_OK)
            abort();
}

static void seal(uint8_t *at, size_t len) {
    const uint64_t hash = fnv1a64(at + HEADER, len - HEADER);
    for (unsigned k = 0; k < 8; k++)
        at[HEADER - 8 + k] = (uint8_t)(hash >> 8 * k);
}

/* The changes of an input, made to a copy of a good state. */
static size_t change(uint8_t *to, const struct bytes *from, const uint8_t *data, size_t size) {
    memcpy(to, from->at, from->len);
    while (size > PLACE) {
        const size_t at = HEADER + (data[0] | (size_t)data[1] << 8) % (from->len - HEADER);
        size_t length = data[2] % 16;
        data += PLACE;
        size -= PLACE;
        if (length > size)
            length = size;
        if (length > from->len - at)
            length = from->len - at;
        memcpy(to + at, data, length);
        data += length;
        size -= length;
    }
    seal(to, from->len);
    return from->len;
}

static void try_state(struct world *w, const uint8_t *at, size_t len) {
    struct error e = {0};
    const uint64_t before = nes_state_hash(w->nes);
    if (nes_load(w->nes, at, len, "x.state", &e) != STATUS_OK) {
        if (strncmp(e.text, "x.state: ", 9) != 0 || nes_state_hash(w->nes) != before)
            abort();
        return;
    }
    const uint64_t loaded = nes_state_hash(w->nes);
    struct bytes again = {0};
    if (nes_save(w->nes, &again, &e) != STATUS_OK ||
        nes_load(w->nes, again.at, again.len, "again", &e) != STATUS_OK ||
        nes_state_hash(w->nes) != loaded)
        abort();
    bytes_free(&again);
    for (unsigned i = 0; i < 2; i++)
        if (nes_run_frame(w->nes, &e) != STATUS_OK)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const unsigned mappers[CARTRIDGES] = {0, 1, 4, 28, 30};
    static uint8_t changed[STATE_MOST];
    if (!worlds[0].nes)
        for (unsigned i = 0; i < CARTRIDGES; i++)
            build(&worlds[i], mappers[i]);
    if (size >= 8 && memcmp(data, "hotgraph", 8) == 0) {
        try_state(&worlds[0], data, size);
    } else if (size > 0) {
        struct world *w = &worlds[data[0] % CARTRIDGES];
        const struct bytes *from = &w->state[data[0] / CARTRIDGES % MOMENTS];
        if (from->len > sizeof changed)
            abort();
        const size_t len = change(changed, from, data + 1, size - 1);
        try_state(w, changed, len);
    }
    return 0;
}
