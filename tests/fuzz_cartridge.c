/* Any bytes as a cartridge file: refused with a sentence that names it, or whole and consistent. */
#include <stdlib.h>
#include <string.h>

#include "nes/nes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cartridge *c = NULL;
    struct error e = {0};
    if (cartridge_parse(&c, data, size, "fuzz.nes", &e) != STATUS_OK) {
        if (c != NULL || strncmp(e.text, "fuzz.nes: ", 10) != 0)
            abort();
        return 0;
    }
    if (c->prg_size == 0 || c->chr_size == 0 || strlen(c->sha1) != 40)
        abort();
    /* Reads the last byte of each, for the sanitizer. */
    volatile uint8_t last = (uint8_t)(c->prg[c->prg_size - 1] ^ c->chr[c->chr_size - 1]);
    (void)last;
    cartridge_free(c);
    return 0;
}
