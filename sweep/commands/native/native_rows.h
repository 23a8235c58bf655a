/* Stores counts and times of native programs in a database. */
#ifndef HOTGRAPH_NATIVE_ROWS_H
#define HOTGRAPH_NATIVE_ROWS_H

#include "base/base.h"
#include "commands/native/native_report.h"
#include "db/db.h"

/* Finds a program in PATH, as a shell does. STATUS_ARGUMENT: not found. */
enum status native_find_program(const char *name, char *out, size_t size, struct error *e);

/* Stores the program at `path` with the arguments of argv, except argv[0]; argv ends with NULL. */
enum status native_rows_program(struct db *db, const char *path, char *const *argv, int64_t *id,
                                struct error *e);

struct native_rows {
    const char *kind; /* of the sites: entry, leader, instruction */
    const char
        *assignment; /* as in native_share; NULL: only some of the program's sites were selected */
};
/* Stores the shares and, for entries, the calls of the program's own code, without its
 * libraries. */
enum status native_rows_put(struct db *db, const struct native_report *r, int64_t program_id,
                            const struct native_rows *what, struct error *e);

#endif
