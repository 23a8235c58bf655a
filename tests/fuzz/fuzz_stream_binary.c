/* Any bytes as a binary sample stream: refused with a sentence that names the file, or a stream
 * that every technique works on, and the same when written and read again, in either form. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "profile/profile.h"

enum { AT_SIZE = 16, CHECKSUM = 8, SAMPLES_MOST = 1 << 14 };

static void put_64(uint8_t *at, uint64_t value) {
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* Otherwise no change would pass the checks of size and checksum. */
static void make_whole(uint8_t *data, size_t size) {
    if (size < AT_SIZE + 8 + CHECKSUM)
        return;
    put_64(data + AT_SIZE, size);
    put_64(data + size - CHECKSUM, XXH3_64bits(data, size - CHECKSUM));
}

static void try_techniques(const struct stream *s) {
    size_t count;
    const struct technique *const *all = techniques(&count);
    const int64_t values[TECHNIQUE_PARAMETERS] = {2, 5, 1, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        struct error e = {0};
        struct profile p;
        /* Techniques that need the program's structure refuse these streams, which lack it. */
        if (all[i]->build == NULL || all[i]->needs_structure)
            continue;
        if (s->of == STREAM_OF_BRANCHES && technique_fits(all[i], s, values, &e) != STATUS_OK)
            continue;
        if (all[i]->build(&p, s, SIZE_MAX, values, &e) != STATUS_OK)
            abort();
        profile_free(&p);
    }
}

static void read_again(const struct stream *s, const char *path) {
    struct stream again;
    struct error e = {0}, warning;
    enum stream_of of;
    if (stream_write(s, path, "image", &e) != STATUS_OK ||
        stream_peek(&of, path, &e) != STATUS_OK || of != s->of ||
        stream_read(&again, path, &warning, &e) != STATUS_OK)
        abort();
    if (stream_hash(&again) != stream_hash(s) || again.of != s->of || again.active != s->active ||
        again.population != s->population || strcmp(again.program, s->program) != 0 ||
        (again.cycles == NULL) != (s->cycles == NULL))
        abort();
    for (size_t i = 0; i < s->batch_count; i++)
        if (stream_weight(&again, i) != stream_weight(s, i))
            abort();
    stream_free(&again);
}

static void try_without_memory(const char *path) {
    for (unsigned nth = 1; fuzz_fail_allocation(nth); nth = fuzz_later(nth)) {
        struct stream s;
        struct error e = {0};
        enum status status = stream_read(&s, path, NULL, &e);
        const bool failed = fuzz_allocation_failed();
        if (failed && (status != STATUS_MEMORY || s.batches != NULL))
            abort();
        stream_free(&s);
        if (!failed)
            return;
    }
}

static void write_without_memory(const struct stream *s) {
    for (unsigned nth = 1; fuzz_fail_allocation(nth); nth = fuzz_later(nth)) {
        struct error e = {0};
        enum status status = stream_write(s, fuzz_path("none.hgstream"), "image", &e);
        if (!fuzz_allocation_failed())
            return;
        if (status != STATUS_MEMORY)
            abort();
    }
}

static void look_thoroughly(const struct stream *s, const uint8_t *data, size_t size) {
    const char *path = fuzz_file("fuzz.hgstream", data, size);
    if (s->batch_count > 0) {
        read_again(s, fuzz_path("again.hgstream"));
        read_again(s, fuzz_path("again.hgstream.gz"));
    }
    if (size <= FUZZ_SHORT) {
        try_without_memory(path);
        write_without_memory(s);
    }
}

static void look(const uint8_t *data, size_t size) {
    struct stream s;
    struct error e = {0}, warning;
    if (stream_parse(&s, data, size, "fuzz.hgstream", &warning, &e) != STATUS_OK) {
        if (s.batches != NULL || strncmp(e.text, "fuzz.hgstream:", 14) != 0)
            abort();
    } else {
        /* Long batches that repeat make large streams of few bytes, on which techniques are
         * slow. */
        if (s.batch_length <= SAMPLES_MOST && s.batch_count * s.batch_length <= SAMPLES_MOST)
            try_techniques(&s);
        if (fuzz_thorough())
            look_thoroughly(&s, data, size);
    }
    stream_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    look(data, size);
    uint8_t *whole = malloc(size + 1);
    if (whole == NULL)
        abort();
    memcpy(whole, data, size);
    make_whole(whole, size);
    look(whole, size);
    free(whole);
    return 0;
}
