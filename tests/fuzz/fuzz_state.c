/*
 * Any bytes as a saved state: refused with a sentence that names the file, the machine being as it
 * was, or taken, and then whatever a user can do with it goes well: it is saved again, runs to the
 * end of a frame and beyond on either engine, is drawn now and then, profiled, sampled, traced and
 * reset.
 *
 * An input that begins like a state is one. Every other is a good state with changes, and its
 * checksum mended: a byte that chooses cartridge, moment and what is done, then each time a place
 * (two bytes), a length (one), and as many bytes.
 */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "dbt/dbt.h"
#include "profile/profile.h"

enum { HEADER = 76, PLACE = 3, CARTRIDGES = 13, MOMENTS = 3, STATE_MOST = 60000 };

static struct world {
    struct cartridge *cartridge;
    struct nes *nes, *translated;
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
/* One that plays a sample and waits for its NMI, once for vertical blank, and in a loop that
 * touches memory. */
static const uint8_t waits[] = {
    0xA9, 0x1F, 0x8D, 0x15, 0x40, /* LDA #$1F; STA $4015 */
    0xA9, 0x4F, 0x8D, 0x10, 0x40, /* LDA #$4F; STA $4010 */
    0xA9, 0xB0, 0x8D, 0x00, 0x20, /* loop: LDA #$B0; STA $2000 */
    0xAD, 0x00, 0x02,             /* LDA $0200 */
    0xCD, 0x00, 0x02, 0xF0, 0xFB, /* CMP $0200; BEQ back to it */
    0x2C, 0x02, 0x20, 0x10, 0xFB, /* BIT $2002; BPL back to it */
    0xA2, 0x00,                   /* LDX #0 */
    0xE6, 0x10, 0xC6, 0x10,       /* INC $10; DEC $10 */
    0x58, 0x78, 0xE8, 0xD0, 0xF7, /* CLI; SEI; INX; BNE back to the INC */
    0x4C, 0x0A, 0x80,             /* JMP loop */
    0xEE, 0x00, 0x02, 0x40,       /* INC $0200; RTI */
};

static void build(struct world *w, unsigned mapper, const uint8_t *code, size_t size) {
    enum { PRG = 0x8000 };
    const uint8_t handler = (uint8_t)(size - 4);
    static uint8_t image[16 + PRG + 0x2000];
    memset(image, 0, sizeof image);
    memcpy(image, "NES\x1a\2\1", 6);
    image[6] = (uint8_t)(mapper << 4);
    image[7] = (uint8_t)(mapper & 0xF0);
    if (mapper == 28 || mapper == 30) /* CHR RAM, none in the file */
        image[5] = 0;
    memcpy(image + 16, code, size);
    const uint8_t vectors[6] = {handler, 0x80, 0x00, 0x80, handler, 0x80};
    memcpy(image + 16 + PRG - 6, vectors, sizeof vectors);
    struct error e;
    const size_t length = image[5] ? sizeof image : sizeof image - 0x2000;
    if (cartridge_parse(&w->cartridge, image, length, "w.nes", &e) != STATUS_OK ||
        nes_create(&w->nes, &(struct nes_options){.cartridge = w->cartridge, .pictures = true}, &e))
        abort();
    static const struct dbt_options at_once = {.hot = 1}; /* the machine keeps it */
    const struct nes_options options = {.cartridge = w->cartridge,
                                        .engine = dbt_engine(),
                                        .engine_options = &at_once,
                                        .pictures = true};
    if (nes_create(&w->translated, &options, &e) != STATUS_OK)
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

/* Frames have the length of a frame, and each one after the first has a picture if it was drawn
 * from its beginning. */
static void run_frame(struct nes *nes, bool draw, bool whole) {
    const uint64_t start = nes_cycle(nes);
    uint64_t hash = 0;
    nes_draw(nes, draw);
    if (nes_run_frame(nes, NULL) != STATUS_OK || nes_cycle(nes) > start + 31000)
        abort();
    const uint16_t *const pixels = nes_picture(nes);
    if (pixels == NULL && draw && whole)
        abort();
    for (size_t i = 0; pixels != NULL && i < 256 * 240; i++)
        hash = hash * 31 + pixels[i];
    if (hash == 1) /* so that the compiler keeps the reads */
        abort();
}

/* The bits of `how`: who watches, whether it is reset, and what is drawn. */
enum { EXACT = 1, SAMPLED = 2, RESET = 4, HARD = 8, DRAW_LATE = 16, TRANSLATED = 32 };

static void use(struct nes *nes, unsigned how) {
    void *exact = NULL;
    struct sampler *sampler = NULL;
    const int64_t values[TECHNIQUE_PARAMETERS] = {0};
    if (how & EXACT && technique_find("exact")->attach(&exact, nes, values, NULL) != STATUS_OK)
        abort();
    if (how & SAMPLED &&
        sampler_attach(&sampler, nes, (struct sampler_options){.interval_us = 300}, NULL))
        abort();
    run_frame(nes, !(how & DRAW_LATE), false);
    if (how & RESET)
        nes_reset(nes, how & HARD);
    nes_set_buttons(nes, 0, (uint8_t)how);
    run_frame(nes, true, !(how & RESET));
    run_frame(nes, true, true);
    struct profile p;
    struct stream s;
    struct error e;
    if (exact != NULL && technique_find("exact")->finish(exact, &p, &e) == STATUS_OK)
        profile_free(&p);
    if (sampler != NULL && sampler_finish(sampler, &s, &e) == STATUS_OK)
        stream_free(&s);
}

static void try_state(struct world *w, const uint8_t *at, size_t len, unsigned how) {
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
    use(w->nes, how);
    if (how & TRANSLATED && nes_load(w->translated, at, len, "again", &e) == STATUS_OK)
        use(w->translated, how);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const unsigned mappers[CARTRIDGES] = {0, 1, 4, 28, 30, 0, 4, 2, 3, 7, 11, 34, 66};
    static uint8_t changed[STATE_MOST];
    for (unsigned i = 0; i < CARTRIDGES && !worlds[CARTRIDGES - 1].nes; i++)
        if (i < 5)
            build(&worlds[i], mappers[i], program, sizeof program);
        else
            build(&worlds[i], mappers[i], waits, sizeof waits);
    if (size >= 8 && memcmp(data, "hotgraph", 8) == 0) {
        try_state(&worlds[0], data, size, 0);
    } else if (size > 1) {
        struct world *w = &worlds[data[0] % CARTRIDGES];
        const struct bytes *from = &w->state[data[0] / CARTRIDGES % MOMENTS];
        if (from->len > sizeof changed)
            abort();
        const size_t len = change(changed, from, data + 2, size - 2);
        try_state(w, changed, len, data[1]);
    }
    return 0;
}
