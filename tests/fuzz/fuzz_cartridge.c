/* Any bytes as a cartridge file: refused with a sentence that names it, or whole and consistent. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "nes/nes.h"

static void check_refusal(const struct cartridge *c, const char *path, const struct error *e) {
    if (c != NULL || strncmp(e->text, path, strlen(path)) != 0)
        abort();
}

static void check_cartridge(const struct cartridge *c) {
    if (c->prg_size == 0 || c->chr_size == 0 || strlen(c->sha1) != 40 ||
        strcmp(c->name, "fuzz.nes") != 0)
        abort();
    /* Reads the last byte of each, for the sanitizer. */
    volatile uint8_t last = (uint8_t)(c->prg[c->prg_size - 1] ^ c->chr[c->chr_size - 1]);
    (void)last;
}

static void try_without_memory(const char *path) {
    for (unsigned nth = 1; fuzz_fail_allocation(nth); nth = fuzz_later(nth)) {
        struct cartridge *c = NULL;
        struct error e = {0};
        enum status status = cartridge_load(&c, path, &e);
        cartridge_free(c);
        if (!fuzz_allocation_failed())
            return;
        if (status != STATUS_MEMORY || c != NULL || strstr(e.text, "out of memory") == NULL)
            abort();
    }
}

/* Another variant of the board, if there is one: what is refused changes nothing. */
static void try_submappers(struct cartridge *c) {
    const unsigned own = c->submapper;
    for (unsigned submapper = 0; submapper <= 16; submapper++) {
        struct error e = {0};
        const unsigned before = c->submapper;
        bool taken = cartridge_set_submapper(c, submapper, &e) == STATUS_OK;
        if (c->submapper != (taken ? submapper : before) || (!taken && submapper == own))
            abort();
    }
}

/* A name longer than any file's: it is cut, and nothing is written past its end. */
static void try_long_name(const uint8_t *data, size_t size) {
    struct cartridge *c;
    struct error e = {0};
    char name[400];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    if (cartridge_parse(&c, data, size, name, &e) == STATUS_OK &&
        strlen(c->name) != sizeof c->name - 1)
        abort();
    cartridge_free(c);
}

static void look_thoroughly(const uint8_t *data, size_t size) {
    struct cartridge *c = NULL;
    struct error e = {0};
    const char *path = fuzz_file("fuzz.nes", data, size);
    if (cartridge_load(&c, path, &e) != STATUS_OK)
        check_refusal(c, path, &e);
    else
        try_submappers(c);
    cartridge_free(c);
    try_long_name(data, size);
    try_without_memory(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cartridge *c = NULL;
    struct error e = {0};
    if (cartridge_parse(&c, data, size, "some/fuzz.nes", &e) != STATUS_OK)
        check_refusal(c, "some/fuzz.nes: ", &e);
    else
        check_cartridge(c);
    cartridge_free(c);
    if (fuzz_thorough())
        look_thoroughly(data, size);
    return 0;
}
