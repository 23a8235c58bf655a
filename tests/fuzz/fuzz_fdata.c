/* Any bytes as a profile for BOLT: refused with a sentence that names the file, or branches that are
 * whole. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "qemu/import/fdata_text.h"

/* Names end; the sanitizer looks. */
static bool look_at(void *user, const struct fdata_branch *b) {
    const struct fdata_end *ends[] = {&b->from, &b->to};
    for (int i = 0; i < 2; i++)
        if (ends[i]->function != NULL)
            *(size_t *)user += strlen(ends[i]->function);
    if (b->count == 0)
        abort();
    return true;
}

static enum status read_it(const uint8_t *data, size_t size, struct error *e) {
    size_t found = 0;
    const struct fdata_reader reader = {look_at, &found};
    return fdata_text_read((const char *)data, size, "fuzz", &reader, e);
}

static void try_without_memory(const uint8_t *data, size_t size) {
    for (unsigned nth = 1; fuzz_fail_allocation(nth); nth = fuzz_later(nth)) {
        struct error e = {0};
        const enum status status = read_it(data, size, &e);
        if (!fuzz_allocation_failed())
            return;
        if (status != STATUS_MEMORY)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error e = {0};
    const enum status status = read_it(data, size, &e);
    if (status != STATUS_OK && (status != STATUS_FORMAT || strncmp(e.text, "fuzz:", 5) != 0))
        abort();
    if (fuzz_thorough() && size <= FUZZ_SHORT)
        try_without_memory(data, size);
    return 0;
}
