/* Any bytes as what `perf script` prints: refused with a sentence that names the file, or maps and
 * samples that are whole. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "qemu/import/import.h"
#include "qemu/import/perf_text.h"

static bool look_at_map(void *user, const struct perf_map *map) {
    ++*(size_t *)user;
    if (map->path[0] == '\0' || memchr(map->path, '\0', sizeof map->path) == NULL)
        abort();
    return true;
}

static bool look_at_sample(void *user, const struct perf_sample *s) {
    ++*(size_t *)user;
    if (s->branch_count > PERF_STACK || (!s->has_address && s->branch_count == 0))
        abort();
    return true;
}

static void try_whole(const uint8_t *data, size_t size) {
    struct import_result r;
    struct error e = {0};
    const char *path = fuzz_file("perf.txt", data, size);
    if (import_perf(&r, &(struct import_request){.path = path}, &e) == STATUS_OK)
        import_free(&r);
    else if (e.text[0] == '\0')
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t found = 0;
    struct error e = {0};
    const struct perf_reader reader = {look_at_map, look_at_sample, &found};
    const enum status status = perf_text_read((const char *)data, size, "fuzz", &reader, &e);
    if (status != STATUS_OK && (status != STATUS_FORMAT || strncmp(e.text, "fuzz:", 5) != 0))
        abort();
    if (fuzz_thorough())
        try_whole(data, size);
    return 0;
}
