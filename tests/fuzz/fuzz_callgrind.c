/* Any bytes as a callgrind.out: refused with a sentence that names the file, or facts that are
 * whole. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "qemu/import/callgrind_text.h"
#include "qemu/import/import.h"

static bool look_at(void *user, const struct callgrind_fact *f) {
    ++*(size_t *)user;
    if (f->object == NULL || f->object[0] == '\0' ||
        (f->kind != CALLGRIND_COST && f->target_object == NULL) ||
        (f->kind == CALLGRIND_COST && f->count == 0))
        abort();
    return true;
}

static void try_without_memory(const uint8_t *data, size_t size) {
    for (unsigned nth = 1; fuzz_fail_allocation(nth); nth = fuzz_later(nth)) {
        size_t found = 0;
        struct error e = {0};
        const struct callgrind_reader reader = {look_at, &found};
        const enum status status =
            callgrind_text_read((const char *)data, size, "fuzz", &reader, &e);
        if (!fuzz_allocation_failed())
            return;
        if (status != STATUS_MEMORY)
            abort();
    }
}

static void try_whole(const uint8_t *data, size_t size) {
    struct import_result r;
    struct error e = {0};
    const char *path = fuzz_file("callgrind.out", data, size);
    if (import_callgrind(&r, &(struct import_request){.path = path}, &e) == STATUS_OK)
        import_free(&r);
    else if (e.text[0] == '\0')
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t found = 0;
    struct error e = {0};
    const struct callgrind_reader reader = {look_at, &found};
    const enum status status = callgrind_text_read((const char *)data, size, "fuzz", &reader, &e);
    if (status != STATUS_OK && (status != STATUS_FORMAT || strncmp(e.text, "fuzz:", 5) != 0))
        abort();
    if (fuzz_thorough())
        try_whole(data, size);
    if (fuzz_thorough() && size <= FUZZ_SHORT)
        try_without_memory(data, size);
    return 0;
}
