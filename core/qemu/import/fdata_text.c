/*
 * Reads BOLT's profiles ("fdata", described in bolt/docs/profiles.md and DataReader.h of LLVM), a
 * line for each branch:
 *
 *     1 main 21 1 main 53 0 99999      from, to: is it named, name, offset; mispredictions; count
 *     0 [unknown] 0 1 main 0 0 1       0: not a function of this program; 2: a local symbol
 *     4 main 10 4 table 8 7            3 to 5: an access to memory, which is skipped
 *
 * Offsets are hexadecimal. Blanks and backslashes in names have a backslash before them.
 */
#include "qemu/import/fdata_text.h"

#include <stdlib.h>
#include <string.h>

#include "qemu/import/plain_hex.h"

enum { MEMORY_FROM = '3', MEMORY_TO = '5' };

struct reading {
    const char *name;
    size_t line;
    const char *at, *end; /* of the line */
    VEC(char) names[2];   /* of from and to */
    const struct fdata_reader *reader;
    bool any;
    struct error *e;
};

static enum status malformed(struct reading *r, const char *what) {
    return error_set(r->e, STATUS_FORMAT, "%s:%zu: %s", r->name, r->line, what);
}

static enum status no_memory(struct reading *r) {
    return error_set(r->e, STATUS_MEMORY, "%s: out of memory", r->name);
}

/* Moves past the one blank between two fields. */
static bool next_field(struct reading *r) {
    return r->at < r->end && *r->at++ == ' ' && r->at < r->end && *r->at != ' ';
}

/* Reads a name up to a blank. */
static enum status take_name(struct reading *r, int which) {
    r->names[which].len = 0;
    for (; r->at < r->end && *r->at != ' '; r->at++) {
        if (*r->at == '\\' && r->at + 1 < r->end)
            r->at++;
        if (*r->at == '\0')
            return malformed(r, "a function's name has a byte 0");
        if (!vec_push(&r->names[which], *r->at))
            return no_memory(r);
    }
    return vec_push(&r->names[which], '\0') ? STATUS_OK : no_memory(r);
}

/* Reads "1 main 21". */
static enum status take_end(struct reading *r, int which, struct fdata_end *out) {
    static const char wanted[] =
        "a line is FROM TO MISPREDICTED COUNT; each end is 0, 1 or 2, a name, and "
        "an offset in hexadecimal";
    uint64_t kind;
    if (!scan_decimal(&r->at, r->end, 2, &kind) || !next_field(r))
        return malformed(r, wanted);
    const enum status status = take_name(r, which);
    if (status != STATUS_OK)
        return status;
    out->function = kind != 0 ? r->names[which].at : NULL;
    return next_field(r) && scan_plain_hex(&r->at, r->end, &out->offset) ? STATUS_OK
                                                                         : malformed(r, wanted);
}

static enum status take_branch(struct reading *r) {
    struct fdata_branch b;
    uint64_t mispredicted;
    enum status status = take_end(r, 0, &b.from);
    if (status == STATUS_OK)
        status = next_field(r) ? take_end(r, 1, &b.to) : malformed(r, "the line ends early");
    if (status != STATUS_OK)
        return status;
    if (!next_field(r) || !scan_decimal(&r->at, r->end, UINT64_MAX, &mispredicted) ||
        !next_field(r) || !scan_decimal(&r->at, r->end, UINT64_MAX >> 1, &b.count) ||
        r->at != r->end)
        return malformed(r, "a line ends with two decimal numbers: mispredicted, and all");
    r->any = true;
    return b.count == 0 || r->reader->branch(r->reader->user, &b) ? STATUS_OK : no_memory(r);
}

static bool begins(const struct reading *r, const char *word) {
    const size_t len = strlen(word);
    return (size_t)(r->end - r->at) >= len && memcmp(r->at, word, len) == 0;
}

static enum status take_line(struct reading *r) {
    if (begins(r, "no_lbr"))
        return malformed(r, "is of samples without branches (perf record without -b), so it has no "
                            "edges");
    if (begins(r, "boltedcollection"))
        return malformed(r,
                         "was collected from a program that BOLT has laid out, and has that one's "
                         "offsets");
    if (*r->at >= MEMORY_FROM && *r->at <= MEMORY_TO)
        return STATUS_OK;
    return take_branch(r);
}

enum status fdata_text_read(const char *text, size_t len, const char *name,
                            const struct fdata_reader *reader, struct error *e) {
    struct reading r = {.name = name, .reader = reader, .e = e};
    const char *stop = text + len;
    enum status status = STATUS_OK;
    while (text < stop && status == STATUS_OK) {
        const char *newline = memchr(text, '\n', (size_t)(stop - text));
        r.at = text;
        r.end = newline != NULL ? newline : stop;
        r.line++;
        if (r.at < r.end)
            status = take_line(&r);
        text = newline != NULL ? newline + 1 : stop;
    }
    if (status == STATUS_OK && !r.any)
        status = error_set(e, STATUS_FORMAT,
                           "%s: has no branches: is it a profile for BOLT (fdata)?", name);
    vec_free(&r.names[0]);
    vec_free(&r.names[1]);
    return status;
}
