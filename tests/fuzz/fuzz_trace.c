/* Any bytes as a program's trace: refused with a sentence that names the file, or one that techniques can
 * follow, and that is written again as it was. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/program/program_trace.h"

/* What is read is whole, so only memory may be lacking. */
static void follow(const struct program_trace *t) {
    static const char *const names[] = {"bursts", "decay", "entries", "exact", "fifo",
                                        "lei",    "net",   "paths",   "pep",   "trace"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct technique *technique = technique_find(names[i]);
        int64_t values[TECHNIQUE_PARAMETERS] = {0};
        struct profile p;
        struct error e = {0};
        for (size_t k = 0; k < TECHNIQUE_PARAMETERS && technique->parameters[k].name != NULL; k++)
            values[k] = technique->parameters[k].standard;
        if (technique->replay(&p, t, values, &e) != STATUS_OK)
            abort();
        profile_free(&p);
    }
}

static void write_again(const struct program_trace *t, const uint8_t *data, size_t size) {
    struct bytes written;
    struct error e = {0};
    const char *path = fuzz_file("fuzz.hgtrace", data, 0);
    if (program_trace_write(t, path, &e) != STATUS_OK ||
        file_read(&written, path, size + 1, &e) != STATUS_OK)
        abort();
    if (written.len != size || memcmp(written.at, data, size) != 0)
        abort();
    bytes_free(&written);
}

static void try_without_memory(const char *path) {
    for (unsigned nth = 1; fuzz_fail_allocation(nth); nth = fuzz_later(nth)) {
        struct program_trace t;
        struct error e = {0};
        enum status status = program_trace_read(&t, path, &e);
        bool failed = fuzz_allocation_failed();
        program_trace_free(&t);
        if (!failed)
            return;
        if (status != STATUS_MEMORY)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct program_trace t;
    struct error e = {0};
    if (program_trace_parse(&t, data, size, "fuzz", &e) == STATUS_OK) {
        follow(&t);
        if (fuzz_thorough())
            write_again(&t, data, size);
        program_trace_free(&t);
    } else if (t.insns.at != NULL || strncmp(e.text, "fuzz: ", 6) != 0) {
        abort();
    }
    if (fuzz_thorough() && size <= FUZZ_SHORT)
        try_without_memory(fuzz_file("fuzz.hgtrace", data, size));
    return 0;
}
