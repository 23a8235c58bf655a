/*
 * includes: a configuration and what it includes as one text, and where each of its lines came
 * from.
 *
 * libconfig 1.5 looks for included files beside the first one, ends the process when it is to
 * include a folder, reads devices without end, and takes whole numbers modulo 2^32. So files are
 * put together here, and it gets their text alone:
 *
 *  - @include "NAME" at a line's start, outside comments and texts in quotes, gives way to the file
 *    NAME, which is looked for in the folder of the file that says so;
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
    VEC(struct config_file) files; /* the first is the main file; each stands here once */
    VEC(struct origin) lines;
    unsigned followed; /* @include directives */
};

/* STATUS_IO when `path` itself cannot be read; STATUS_FORMAT, naming file and line, for what is
 * wrong in it. In any case includes_free() is due. */
enum status includes_read(struct includes *out, const char *path, struct error *e);
void includes_free(struct includes *s);

/* The file and the line in it that a line of the text, from 1, came from. */
const char *includes_file(const struct includes *s, unsigned line);
unsigned includes_line(const struct includes *s, unsigned line);

#endif
