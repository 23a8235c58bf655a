/*
 * includes: joins a configuration and its included files into one text and remembers the origin of
 * each line.
 *
 * libconfig 1.5 resolves every @include against the first file's folder, ends the process when it
 * includes a folder, reads devices endlessly, and truncates whole numbers to 32 bits. So the files
 * are joined here, and libconfig gets text only:
 *
 *  - @include "NAME" at a line's start, outside comments and texts in quotes, is replaced by the
 *    file NAME, relative to the including file's folder;
 *  - whole numbers that need more than 32 bits get libconfig's L; those that need more than 64 are
 *    refused.
 */
#ifndef HOTGRAPH_INCLUDES_H
#define HOTGRAPH_INCLUDES_H

#include "config/config.h"

struct origin {
    unsigned file; /* index into files */
    unsigned line; /* from 1 */
};

struct includes {
    char *text; /* of all, ends with NUL */
    size_t len, cap;
    VEC(struct config_file) files; /* the first is the main file; no duplicates */
    VEC(struct origin) lines;
    unsigned followed; /* @include directives */
};

/* STATUS_IO: `path` itself cannot be read. STATUS_FORMAT, naming file and line: an error in it. The
 * caller must call includes_free() in every case. */
enum status includes_read(struct includes *out, const char *path, struct error *e);
void includes_free(struct includes *s);

/* The file, and the line in it, from which a line of the text came; lines count from 1. */
const char *includes_file(const struct includes *s, unsigned line);
unsigned includes_line(const struct includes *s, unsigned line);

#endif
